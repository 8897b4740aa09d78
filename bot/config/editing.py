"""Editing profile files: adding and removing readers, and keeping the rest of the file as it was written."""

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

from bot.config.profiles import AddressChecks, Profile
from bot.config.toml import read_toml, replace_text, validated
from bot.domain import Kind
from bot.errors import ConfigError


def add_reader(path: Path, kind: Kind, address: str, checks: AddressChecks) -> bool:
    """Add a reader to a profile's file; return False if it has them already. Raises ConfigError."""
    with _exclusive(path):
        document, addresses = _parse(path, checks)
        if address.lower() in addresses:
            return False
        entry = tomlkit.table()
        entry.append(kind, address)
        if "readers" not in document:
            document.append("readers", tomlkit.aot())
        _readers(path, document).append(entry)
        _write(path, document, checks)
        return True


def remove_reader(path: Path, address: str, checks: AddressChecks) -> bool:
    """Remove a reader from a profile's file; return False if it doesn't have them. Raises ConfigError."""
    with _exclusive(path):
        document, addresses = _parse(path, checks)
        if address.lower() not in addresses:
            return False
        readers = _readers(path, document)
        del readers[addresses.index(address.lower())]
        if not readers:
            del document["readers"]
        _write(path, document, checks)
        return True


def mentions(path: Path, address: str) -> bool:
    """Return whether an address is anywhere in a file, comments included; True if the file can't be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").lower()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    # Not as a part of another address: ann@example.org is in neither joann@example.org nor ann@example.org.uk.
    return re.search(rf"(?<![\w.+-]){re.escape(address.lower())}(?![\w-]|\.\w)", text) is not None


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Hold a lock on the file's folder, so that concurrent edits don't lose one another's changes."""
    try:
        # The folder, not the file: writing replaces the file, and with it a lock that was taken on it.
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ConfigError(path.name, "", f"can't be edited: {error.strerror}") from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    except (TOMLKitError, RecursionError):  # tomlkit refuses some files that tomllib reads
        raise ConfigError(path.name, "", "can't be edited here; change it by hand") from None
    finally:
        os.close(folder)


def _parse(path: Path, checks: AddressChecks) -> tuple[tomlkit.TOMLDocument, list[str]]:
    """Return the document, and its readers' addresses in order, normalised and in lower case."""
    text, values = read_toml(path)
    profile = validated(Profile, values, path.name, text, checks)
    return tomlkit.parse(text), [address.lower() for _, address in profile.addresses]


def _readers(path: Path, document: tomlkit.TOMLDocument) -> AoT:
    readers: Any = document["readers"]
    if not isinstance(readers, AoT):
        raise ConfigError(path.name, "readers", "can't be edited here; write each reader as [[readers]]")
    return readers


def _write(path: Path, document: tomlkit.TOMLDocument, checks: AddressChecks) -> None:
    # tomlkit has bugs with unusual files, so its result is validated before it replaces the profile.
    text = tomlkit.dumps(document)
    validated(Profile, tomlkit.parse(text).unwrap(), path.name, text, checks)
    replace_text(path, text)
