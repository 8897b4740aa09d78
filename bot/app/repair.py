"""What ``paperbot check --fix`` mends in a home: missing folders, and signing keys that can't be used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bot.app.home import Home
from bot.errors import PaperbotError
from bot.tokens import load_keys


def repair(home: Home) -> Iterator[str]:
    """Mend the home, and yield a sentence for each repair; raises PaperbotError for what can't be mended.

    Permissions are not among them, as opening a home restricts them in any case.
    """
    for folder in _missing_folders(home):
        try:
            # Like `init`: addresses, keys and messages will be in state/, and only its owner may read them.
            folder.mkdir(mode=0o700 if folder == home.state else 0o777, parents=True)
        except OSError as error:
            raise PaperbotError(f"{folder}: can't be created ({error.strerror})") from None
        yield f"created {folder}"
    try:
        load_keys(home.key_file)
    except PaperbotError as error:
        if not os.access(home.key_file, os.R_OK):
            raise  # it belongs to another user, and may hold good keys
        damaged = _set_aside(home.key_file)
        load_keys(home.key_file)
        yield (
            f"created new signing keys ({error}); the former file is {damaged}. "
            "Links in messages that were sent before no longer work"
        )


def _missing_folders(home: Home) -> Iterator[Path]:
    sources = [home.path / source.path for source in home.settings.sources if source.kind == "folder"]
    for folder in (home.profiles_folder, home.state, *sources):
        # A folder elsewhere may be on a disk that is not mounted: creating it would hide that.
        if not folder.exists() and folder.resolve().is_relative_to(home.path.resolve()):
            yield folder


def _set_aside(file: Path) -> Path:
    """Rename a file to the first free name beside it, so that nothing is lost; raises PaperbotError."""
    number = 1
    while (target := file.with_name(f"{file.name}.damaged-{number}")).exists():
        number += 1
    try:
        return file.rename(target)
    except OSError as error:
        raise PaperbotError(f"{file}: can't be renamed ({error.strerror})") from None
