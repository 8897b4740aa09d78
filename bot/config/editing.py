"""Editing profile files: readers are added and taken out, and everything else stays as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT

from bot.config.profiles import Profile
from bot.config.toml import read_toml, validated, write_whole
from bot.domain import Kind
from bot.errors import ConfigError


def add_reader(path: Path, kind: Kind, address: str) -> bool:
    """Write a reader into a profile's file; False where it stands there already. Raises ConfigError."""
    document = _parsed(path)
    if _position(document, address) is not None:
        return False
    entry = tomlkit.table()
    entry.append(kind.value, address)
    if "readers" not in document:
        document.append("readers", tomlkit.aot())
    _readers(path, document).append(entry)
    _write(path, document)
    return True


def remove_reader(path: Path, address: str) -> bool:
    """Take a reader out of a profile's file; False where it doesn't stand there. Raises ConfigError."""
    document = _parsed(path)
    position = _position(document, address)
    if position is None:
        return False
    readers = _readers(path, document)
    del readers[position]
    if not readers:
        del document["readers"]
    _write(path, document)
    return True


def _parsed(path: Path) -> tomlkit.TOMLDocument:
    text, values = read_toml(path)
    validated(Profile, values, path.name, text)
    return tomlkit.parse(text)


def _position(document: tomlkit.TOMLDocument, address: str) -> int | None:
    entries: list[dict[str, str]] = document.unwrap().get("readers", [])
    named = [value.lower() for entry in entries for value in entry.values()]
    return named.index(address.lower()) if address.lower() in named else None


def _readers(path: Path, document: tomlkit.TOMLDocument) -> AoT:
    readers: Any = document["readers"]
    if not isinstance(readers, AoT):
        raise ConfigError(path.name, "readers", "can't be edited here; write each reader as [[readers]]")
    return readers


def _write(path: Path, document: tomlkit.TOMLDocument) -> None:
    """Replace the file as a whole, if what it would say is still a profile; raises ConfigError."""
    text = tomlkit.dumps(document)
    validated(Profile, tomlkit.parse(text).unwrap(), path.name, text)
    write_whole(path, text)
