"""A reader's own settings, made on their page, which take precedence over the profile's."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from bot.config.profiles import Profile, describe_days
from bot.domain import Override

# What a reader looks for, by its key in the profile's file and in the override.
TOPICS = ("interests", "keywords", "authors", "mute")
_SHOWN = 60  # characters of interests, in a list of readers


def with_override(profile: Profile, override: Override | None) -> Profile:
    """Return the profile with a reader's own size, schedule, language and topics."""
    if override is None:
        return profile
    edition = profile.edition
    if override.size is not None:
        # model_copy does not validate: an edition of fewer papers than it explores would never be accepted otherwise.
        explore = min(edition.explore, override.size)
        edition = edition.model_copy(update={"size": override.size, "explore": explore})
    times = {"at": override.at, "days": override.days, "timezone": override.timezone}
    topics = {name: getattr(override, name) for name in TOPICS}
    schedule = profile.schedule.model_copy(update=_set(times))
    own = _set({**topics, "language": override.language})
    return profile.model_copy(update={"edition": edition, "schedule": schedule, **own})


def _set(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def describe_override(override: Override) -> str:
    """Return a reader's own settings in a few words; empty if there are none.

    >>> describe_override(Override(size=5, ignored=("agents",), keywords=("GRPO",), mute=()))
    '5 papers, keywords “GRPO”, no mutes, without “agents”'
    """
    parts = []
    if override.size is not None:
        parts.append(f"{override.size} papers")
    if override.at is not None:
        parts.append(f"at {override.at:%H:%M}")
    if override.days is not None:
        parts.append(f"on {describe_days(override.days)}")
    if override.timezone is not None:
        parts.append(f"in {override.timezone}")
    if override.language is not None:
        parts.append(f"dates in “{override.language}”")
    if override.interests is not None:
        parts.append(
            f"interests “{textwrap.shorten(override.interests, _SHOWN, placeholder='…')}”"
            if override.interests
            else "no interests"
        )
    lists = {"keywords": override.keywords, "authors": override.authors, "mutes": override.mute}
    parts += [
        f"{name} {_quoted(words)}" if words else f"no {name}"
        for name, words in lists.items()
        if words is not None
    ]
    if override.ignored:
        parts.append(f"without {_quoted(override.ignored)}")
    return ", ".join(parts)


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
