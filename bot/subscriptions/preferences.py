"""A reader's own preferences and ignored words, which override the profile's values."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import time

from bot.config.overrides import with_override
from bot.config.profiles import DAYS, Profile, known_timezone
from bot.domain import Override, Reader
from bot.languages import known_language
from bot.store import Store

# Bounds on what one reader can make the store keep, and every ranking read.
MAX_IGNORED_WORDS = 200
MAX_WORD_LENGTH = 200  # characters
MAX_PAPERS = 100
MAX_TERMS = 100
MAX_INTERESTS = 5_000  # characters
_LINE_ENDS = re.compile(r"\r\n?")  # forms are sent with CRLF


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


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a reader can set in place of the profile's values; tuples of words have one topic or name each."""

    size: int
    at: time
    days: Collection[str]
    timezone: str
    interests: str
    keywords: Sequence[str]
    authors: Sequence[str]
    mute: Sequence[str]
    language: str

    @classmethod
    def of(cls, profile: Profile) -> Preferences:
        """Return the values of a profile."""
        return cls(
            size=profile.edition.size,
            at=profile.schedule.at,
            days=profile.schedule.days,
            timezone=profile.schedule.timezone,
            interests=profile.interests,
            keywords=profile.keywords,
            authors=profile.authors,
            mute=profile.mute,
            language=profile.language,
        )


def set_preferences(store: Store, reader: Reader, profile: Profile, chosen: Preferences) -> None:
    """Store a reader's preferences; raises ValueError, with a message for the reader.

    ``profile`` is as its file has it. Only what differs from the file is stored, so that an operator's later change
    of the file reaches every reader who did not choose something else.
    """
    days = tuple(day for day in DAYS if day in chosen.days)
    if not 1 <= chosen.size <= MAX_PAPERS or not days or chosen.at.tzinfo:
        raise ValueError("Choose 1 to 100 papers, and at least one day a week.")
    keywords, authors, mute = (_terms(words) for words in (chosen.keywords, chosen.authors, chosen.mute))
    interests = _LINE_ENDS.sub("\n", chosen.interests).strip()
    if len(interests) > MAX_INTERESTS:
        raise ValueError(f"Interests have at most {MAX_INTERESTS:,} characters.")
    if not (interests or keywords or authors):
        raise ValueError("Say what to look for: interests, keywords or authors.")
    new = Preferences(
        size=chosen.size,
        at=chosen.at.replace(second=0, microsecond=0),
        days=days,
        timezone=known_timezone(chosen.timezone),
        interests=interests,
        keywords=keywords,
        authors=authors,
        mute=mute,
        language=known_language(chosen.language),
    )
    in_file = replace(
        Preferences.of(profile),
        days=tuple(day for day in DAYS if day in profile.schedule.days),
        interests=profile.interests.strip(),
    )
    differing = {
        field.name: getattr(new, field.name)
        for field in fields(Preferences)
        if getattr(new, field.name) != getattr(in_file, field.name)
    }
    ignored = store.overrides.get(reader.id).ignored
    store.overrides.set(reader.id, Override(**differing, ignored=ignored))


def with_own_interests(profile: Profile, interests: str) -> Profile:
    """Return the profile for somebody who has interests of their own; muted terms stay."""
    return with_override(profile, _own_interests(interests))


def set_interests(store: Store, reader: Reader, interests: str) -> None:
    """Store the interests of a reader who has set nothing yet, in place of the profile's topics."""
    store.overrides.set(reader.id, _own_interests(interests[:MAX_INTERESTS].strip()))


def _own_interests(interests: str) -> Override:
    # The profile's keywords and authors would raise papers that the reader never asked for.
    return Override(interests=interests, keywords=(), authors=())


def reset_preferences(store: Store, reader: Reader) -> None:
    """Use the profile's values again; ignored words stay ignored."""
    store.overrides.set(reader.id, Override(ignored=store.overrides.get(reader.id).ignored))


def _terms(words: Sequence[str]) -> tuple[str, ...]:
    terms = tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
    if len(terms) > MAX_TERMS or any(len(term) > MAX_WORD_LENGTH for term in terms):
        raise ValueError(
            f"A list has at most {MAX_TERMS} lines, of at most {MAX_WORD_LENGTH} characters each."
        )
    return terms
