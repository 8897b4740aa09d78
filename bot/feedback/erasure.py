"""Erasure of a reader's data: from the store, the message files, the charts and the profile's file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from bot.channels.files import FilesChannel
from bot.channels.registry import address_checks
from bot.config.editing import mentions, remove_reader
from bot.config.profiles import Profile
from bot.domain import Reader
from bot.errors import ConfigError
from bot.store import Store


def erase(
    reader: Reader,
    now: datetime,
    *,
    store: Store,
    messages: FilesChannel,
    charts: Iterable[Path],
    profile_file: Path,
    profile: Profile | None,
) -> Path | None:
    """Remove everything that is stored about a reader.

    Returns the profile's file if it still names the address: in a comment, or because it can't be edited.
    """
    # The store also writes a tombstone, a keyed hash of the address: as long as the profile's file names the
    # reader, the next run would otherwise create them again.
    store.forget(reader, now)
    messages.forget(reader)
    for chart in charts:
        chart.unlink(missing_ok=True)
    try:
        if profile_file.exists():
            remove_reader(profile_file, reader.address, address_checks())
    except ConfigError:
        is_listed = profile is not None and (reader.kind, reader.address) in profile.addresses
        return profile_file if is_listed or mentions(profile_file, reader.address) else None
    # The file no longer names the reader, so the tombstone goes too.
    store.readers.remember(reader.profile, reader.address)
    return profile_file if mentions(profile_file, reader.address) else None
