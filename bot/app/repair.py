"""What ``paperbot check --fix`` repairs in a home: missing folders, and signing keys that can't be used."""

from __future__ import annotations

import os
from collections.abc import Iterator

from bot.app.home import Home
from bot.errors import PaperbotError
from bot.tokens import load_keys


def repair(home: Home) -> Iterator[str]:
    """Repair the home, and yield a sentence for each repair; raises PaperbotError for what can't be repaired.

    Permissions are not among them, as opening a home restricts them in any case.
    """
    sources = [home.path / s.local_folder for s in home.settings.sources if s.local_folder]
    for folder in (home.profiles_folder, home.state, *sources):
        if folder.exists() and not folder.is_dir():
            raise PaperbotError(f"{folder}: is not a folder; move it elsewhere, and try again")
        # A folder elsewhere may be on a disk that is not mounted: creating it would hide that.
        if folder.exists() or not folder.resolve().is_relative_to(home.path.resolve()):
            continue
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
        # Renamed to the first free name, so that nothing is lost.
        number = 1
        while (damaged := home.key_file.with_name(f"{home.key_file.name}.damaged-{number}")).exists():
            number += 1
        try:
            home.key_file.rename(damaged)
        except OSError as refused:
            raise PaperbotError(f"{home.key_file}: can't be renamed ({refused.strerror})") from None
        load_keys(home.key_file)
        yield (
            f"created new signing keys, as {str(error).partition(';')[0]}; the former file is {damaged}. "
            "Links in messages that were sent before no longer work"
        )
