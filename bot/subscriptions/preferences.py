"""A reader's own size, schedule and ignored words, which override the profile's."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import time

from bot.config.profiles import DAYS, Profile
from bot.domain import Override, Reader
from bot.store import Store

# Bounds on what one reader can make the store keep, and every ranking read.
MAX_IGNORED_WORDS = 200
MAX_WORD_LENGTH = 200  # characters


def ignore_word(store: Store, reader: Reader, word: str) -> None:
    """Leave a word out of the reader's ranking; raises ValueError if it is empty, too long or one too many."""
    override = store.overrides.get(reader.id)
    if not word or len(word) > MAX_WORD_LENGTH or len(override.ignored) >= MAX_IGNORED_WORDS:
        raise ValueError("This word can't be removed.")
    ignored = tuple(dict.fromkeys((*override.ignored, word)))
    store.overrides.set(reader.id, replace(override, ignored=ignored))


def restore_word(store: Store, reader: Reader, word: str) -> bool:
    """Use an ignored word again; return whether it was ignored."""
    override = store.overrides.get(reader.id)
    ignored = tuple(other for other in override.ignored if other != word)
    store.overrides.set(reader.id, replace(override, ignored=ignored))
    return word in override.ignored


def set_schedule(
    store: Store, reader: Reader, profile: Profile, *, size: int, at: time, days: Collection[str]
) -> None:
    """Store a reader's size and schedule; raises ValueError.

    ``profile`` is as its file has it. Only what differs from the file is stored, so that an operator's later change
    of the file reaches every reader who did not choose something else.
    """
    chosen = tuple(day for day in DAYS if day in days)
    if not 1 <= size <= 100 or not chosen or at.tzinfo:
        raise ValueError("Choose 1 to 100 papers, and at least one day a week.")
    minute = at.replace(second=0, microsecond=0)
    schedule = profile.schedule
    override = Override(
        size=None if size == profile.edition.size else size,
        at=None if minute == schedule.at else minute,
        days=None if set(chosen) == set(schedule.days) else chosen,
        ignored=store.overrides.get(reader.id).ignored,
    )
    store.overrides.set(reader.id, override)


def reset_schedule(store: Store, reader: Reader) -> None:
    """Use the profile's size and schedule again; ignored words stay ignored."""
    store.overrides.set(reader.id, Override(ignored=store.overrides.get(reader.id).ignored))
