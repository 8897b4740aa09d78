"""Settings from the environment: unknown variables, and mistakes in the values of known ones."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection

from pydantic import BaseModel, ValidationError

from bot.config.toml import describe_error
from bot.errors import ConfigError

PREFIX = "PAPERBOT_"
# A name this similar to a variable's is a misspelling; a less similar one may belong to another program.
_SIMILAR = 0.85


def refuse_unknown(settings: type[BaseModel]) -> None:
    """Raise ConfigError for a variable that no setting has; pydantic-settings would ignore it silently."""
    # PAPERBOT_SECTION__KEY for each key, and PAPERBOT_SECTION__ for each section with keys.
    known_names: set[str] = set()
    for section, field in settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            known_names |= {
                f"{PREFIX}{section}__{key}".upper() for key in ("", *field.annotation.model_fields)
            }
    for name in sorted(variables()):
        section, separator, key = name.removeprefix(PREFIX).partition("__")
        # A section as one JSON value, or a section whose keys are free, such as the passwords of sources.
        is_section = section.lower() in settings.model_fields
        if is_section and not (separator and f"{PREFIX}{section}__" in known_names):
            continue
        if f"{PREFIX}{section}__{key.partition('__')[0]}" in known_names:
            continue
        candidates = [variable for variable in known_names if not variable.endswith("__")]
        near = difflib.get_close_matches(name, candidates, n=1, cutoff=_SIMILAR)
        if separator or near:
            remedy = f"did you mean {near[0]}?" if near else "docs/settings.md lists the settings"
            raise ConfigError("environment", name, f"there is no such setting; {remedy}")


def explain_variable(
    error: ValidationError, settings: type[BaseModel], secrets: Collection[tuple[str, str]]
) -> ConfigError | None:
    """Return the first error that a variable causes; None if all come from the file. Secrets are not shown."""
    environment = variables()
    for detail in error.errors(include_url=False):
        section, *keys = (str(step) for step in detail["loc"] or ("",))
        names = [f"{PREFIX}{section}__{keys[0]}".upper()] if keys else []
        for name in [*names, f"{PREFIX}{section}".upper()]:
            if name not in environment:
                continue
            if detail["type"] in ("too_short", "string_too_short"):
                problem = f"is too short; use {detail['ctx']['min_length']} characters or more"
            elif section == "passwords" or (section, *keys) in secrets:
                problem = "can't be used; set it again, in one piece"
            else:
                problem = describe_error(detail, settings)
            return ConfigError("environment", name, problem)
    return None


def variables() -> dict[str, str]:
    """Return the environment's variables that begin with ``PAPERBOT_``, with their names in upper case."""
    # In upper case, because pydantic-settings reads variables without regard to case.
    return {name.upper(): value for name, value in os.environ.items() if name.upper().startswith(PREFIX)}
