"""Copies of an SQLite store from before its upgrades: made, and cleared of readers who want to be forgotten."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bot.domain import Reader
from bot.errors import StoreError
from bot.private_files import create_private


def back_up(file: Path, folder: Path, head: str) -> None:
    """Copy the store as it is; the caller holds the write lock, so nothing comes between copy and upgrade."""
    copy = folder / f"{file.name}.before-{head}.bak"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        create_private(copy)
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{file}: not upgraded, because its backup {copy} failed: {error}") from error


def forget_in_copies(file: Path, reader: Reader) -> None:
    """Leave nothing of a reader, who is gone from the store, in its log and in the copies beside it.

    A copy that can't be read any more is deleted. Raises StoreError where one can be neither read nor deleted.
    """
    with closing(sqlite3.connect(file)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for copy in file.parent.glob(f"{file.name}.before-*.bak"):
        try:
            _forget_in(copy, reader)
        except sqlite3.Error:
            _delete(copy)


def _forget_in(copy: Path, reader: Reader) -> None:
    """Whatever the copy's revision: all that is kept of a reader has been tied to the reader's row since the first."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode = DELETE")
        store.execute("PRAGMA foreign_keys = ON")
        gone = store.execute(
            "DELETE FROM readers WHERE profile = ? AND address = ?", (reader.profile, reader.address)
        )
        if gone.rowcount:
            store.execute("VACUUM")  # rewrites the file: what was deleted is not merely out of sight


def _delete(copy: Path) -> None:
    try:
        copy.unlink()
    except OSError as error:
        raise StoreError(
            f"{copy}: this backup may still hold the reader; delete it ({error.strerror})"
        ) from error
