"""Settings from the environment: variables that no setting has, and mistakes in their values."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.config.toml import problem_of
from bot.errors import ConfigError

PREFIX = "PAPERBOT_"
_NEAR = 0.85  # a name so similar to a variable's is meant to be it; others may be another program's


def refuse_unknown(settings: type[BaseModel]) -> None:
    """Raises ConfigError for a variable that is meant as a setting and is none: it would be passed over in silence."""
    known = _variables(settings)
    for name in sorted(_present()):
        section, separator, key = name.removeprefix(PREFIX).partition("__")
        free = section.lower() in settings.model_fields and not (
            separator and f"{PREFIX}{section}__" in known
        )
        if free or f"{PREFIX}{section}__{key.partition('__')[0]}" in known:
            continue
        near = difflib.get_close_matches(name, [k for k in known if not k.endswith("__")], n=1, cutoff=_NEAR)
        if separator or near:
            remedy = f"did you mean {near[0]}?" if near else "the README lists the settings"
            raise ConfigError("environment", name, f"there is no such setting; {remedy}")


def explain_variable(
    error: ValidationError, settings: type[BaseModel], secrets: Collection[tuple[str, str]]
) -> ConfigError | None:
    """The first mistake that a variable makes, named by it; None where all are the file's. Secrets are not shown."""
    present = _present()
    for detail in error.errors(include_url=False):
        section, *keys = (str(step) for step in detail["loc"] or ("",))
        names = [f"{PREFIX}{section}__{keys[0]}".upper()] if keys else []
        for name in [*names, f"{PREFIX}{section}".upper()]:
            if name in present:
                is_secret = section == "passwords" or (section, *keys) in secrets
                return ConfigError("environment", name, _problem(detail, settings, is_secret))
    return None


def _problem(detail: ErrorDetails, settings: type[BaseModel], is_secret: bool) -> str:
    if detail["type"] in ("too_short", "string_too_short"):
        return f"is too short; use {detail['ctx']['min_length']} characters or more"
    return "can't be used; set it again, in one piece" if is_secret else problem_of(detail, settings)


def _present() -> set[str]:
    return {name.upper() for name in os.environ if name.upper().startswith(PREFIX)}


def _variables(settings: type[BaseModel]) -> set[str]:
    """``PAPERBOT_SECTION__KEY`` for each key, and ``PAPERBOT_SECTION__`` for each section that has some."""
    variables: set[str] = set()
    for section, field in settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            keys = ("", *field.annotation.model_fields)
            variables |= {f"{PREFIX}{section}__{key}".upper() for key in keys}
    return variables
