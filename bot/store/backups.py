"""Backups of an SQLite store, made before each upgrade, and the removal of forgotten readers from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bot.domain import Reader
from bot.errors import StoreError
from bot.private_files import create_private


def back_up(file: Path, head: str) -> None:
    """Copy the store to ``<name>.before-<head>.bak`` beside it.

    The caller holds the write lock, so that nothing is written between the copy and the upgrade. Raises StoreError.
    """
    copy = file.with_name(f"{file.name}.before-{head}.bak")
    try:
        copy.unlink(missing_ok=True)
        create_private(copy)
        # SQLite's online backup includes pages that are still in the write-ahead log; a copy of the file would not.
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{file}: not upgraded, because its backup {copy} failed: {error}") from error


def forget_in_copies(file: Path, reader: Reader) -> None:
    """Remove a reader, already deleted from the store, from its write-ahead log and from the backups beside it.

    A backup that can't be read any more is deleted. Raises StoreError if it can't be deleted either.
    """
    # The log keeps the old pages until a checkpoint, and TRUNCATE empties the file as well.
    with closing(sqlite3.connect(file)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for copy in file.parent.glob(f"{file.name}.before-*.bak"):
        try:
            # Works at every revision: all rows about a reader refer to the row in ``readers``.
            with closing(sqlite3.connect(copy, isolation_level=None)) as backup:
                backup.execute("PRAGMA journal_mode = DELETE")
                backup.execute("PRAGMA foreign_keys = ON")
                key = (reader.profile, reader.address)
                deleted = backup.execute("DELETE FROM readers WHERE profile = ? AND address = ?", key)
                if deleted.rowcount:
                    # DELETE only marks pages as free; VACUUM rewrites the file without them.
                    backup.execute("VACUUM")
        except sqlite3.Error:
            try:
                copy.unlink()
            except OSError as error:
                raise StoreError(
                    f"{copy}: this backup may still hold the reader; delete it ({error.strerror})"
                ) from error
