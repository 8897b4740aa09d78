"""Editing profile files: readers are added and taken out, and everything else stays as it was written."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from bot.config.profiles import Profile
from bot.config.toml import read_toml, validated, write_whole
from bot.domain import Kind
from bot.errors import ConfigError


def add_reader(path: Path, kind: Kind, address: str) -> bool:
    """Write a reader into a profile's file; False where it stands there already. Raises ConfigError."""
    with _alone(path):
        document, addresses = _parsed(path)
        if address.lower() in addresses:
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
    with _alone(path):
        document, addresses = _parsed(path)
        if address.lower() not in addresses:
            return False
        readers = _readers(path, document)
        del readers[addresses.index(address.lower())]
        if not readers:
            del document["readers"]
        _write(path, document)
        return True


def mentions(path: Path, address: str) -> bool:
    """Whether an address stands anywhere in a file, comments included; True where the file can't be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").lower()
        return re.search(rf"(?<![\w.+-]){re.escape(address.lower())}(?![\w-]|\.\w)", text) is not None
    except FileNotFoundError:
        return False
    except OSError:
        return True


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One thread or process edits files of a folder at a time: two at once would undo one another's edit."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ConfigError(path.name, "", f"can't be edited: {error.strerror}") from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    except (TOMLKitError, RecursionError):  # it reads a little less than Python's own reader
        raise ConfigError(path.name, "", "can't be edited here; change it by hand") from None
    finally:
        os.close(folder)


def _parsed(path: Path) -> tuple[tomlkit.TOMLDocument, list[str]]:
    """The document, and the readers' addresses in lower case, in its order and as mail is sent to them."""
    text, values = read_toml(path)
    profile = validated(Profile, values, path.name, text)
    return tomlkit.parse(text), [address.lower() for _, address in profile.addresses]


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
