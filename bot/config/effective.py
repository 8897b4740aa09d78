"""Which value of each setting is in force, and where it comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr

from bot.config.settings import FILE, load_settings
from bot.config.sources import SourceModels
from bot.config.toml import PREFIX, read_toml, variables

_MASK = "********"
# As in postgresql://user:password@host; up to the last @ before the path, as passwords may hold one.
_PASSWORD = re.compile(r"(://[^:/@]*:)[^/]*@")


class SettingOrigin(StrEnum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    FILE = FILE
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """One setting: ``key`` is written as ``docs/settings.md`` has it, ``value`` as JSON has it; secrets are masked."""

    key: str
    value: Any
    origin: SettingOrigin
    variable: str | None = None  # the environment variable, if it is the origin


def effective_settings(home: Path, source_models: SourceModels) -> list[EffectiveSetting]:
    """Return every setting of a home, in the order of the settings classes; raises ConfigError."""
    settings = load_settings(home, source_models)
    _, in_file = read_toml(home / FILE)
    return [
        setting
        for section in type(settings).model_fields
        for setting in _settings_of_section(section, getattr(settings, section), in_file.get(section))
    ]


def _settings_of_section(section: str, value: Any, in_file: Any) -> Iterator[EffectiveSetting]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            variable = _variable(section, name)
            if variable:
                origin = SettingOrigin.ENVIRONMENT
            elif isinstance(in_file, Mapping) and name in in_file:
                origin = SettingOrigin.FILE
            else:
                origin = SettingOrigin.DEFAULT
            yield EffectiveSetting(f"{section}.{name}", _masked(getattr(value, name)), origin, variable)
    elif isinstance(value, Mapping):  # passwords of sources: free keys, from the environment only
        for name in value:
            variable = f"{PREFIX}{section}__{name}".upper()
            yield EffectiveSetting(f"{section}.{name}", _MASK, SettingOrigin.ENVIRONMENT, variable)
    else:
        section_variable = _variable(section)
        origin = SettingOrigin.ENVIRONMENT if section_variable else SettingOrigin.FILE
        for number, source in enumerate(value, 1):
            # Only the keys that were set: each kind has others.
            for name in sorted(source.model_fields_set):
                key = f"{section}[{number}].{name}"
                yield EffectiveSetting(key, _masked(getattr(source, name)), origin, section_variable)


def _variable(section: str, key: str | None = None) -> str | None:
    """Return the environment variable that sets a key: its own, or the section's, whose value is a JSON object."""
    environment = variables()
    of_key = f"{PREFIX}{section}__{key}".upper()
    if key and of_key in environment:
        return of_key
    section_variable = f"{PREFIX}{section}".upper()
    if section_variable in environment and (key is None or key in json.loads(environment[section_variable])):
        return section_variable
    return None


def _masked(value: Any) -> Any:
    """Return a value as JSON has it; a secret as a mask, and an address without its password."""
    if isinstance(value, SecretStr):
        return _MASK
    if isinstance(value, str):
        return _PASSWORD.sub(rf"\1{_MASK}@", value)
    return list(value) if isinstance(value, tuple) else value
