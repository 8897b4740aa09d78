"""A profile as one reader has it: the file's, with what the reader has set on a page over it."""

from __future__ import annotations

from bot.config.profiles import Profile
from bot.domain import Override


def with_override(profile: Profile, override: Override | None) -> Profile:
    """The profile with a reader's own size and schedule."""
    if override is None:
        return profile
    edition, schedule = profile.edition, profile.schedule
    if override.size is not None:
        explore = min(edition.explore, override.size)
        edition = edition.model_copy(update={"size": override.size, "explore": explore})
    times = {"at": override.at, "days": override.days}
    schedule = schedule.model_copy(update={key: value for key, value in times.items() if value is not None})
    return profile.model_copy(update={"edition": edition, "schedule": schedule})


def describe_override(override: Override) -> str:
    """What a reader has set, in a few words; empty where that is nothing.

    >>> described(Override(size=5, ignored=("agents",)))
    '5 papers, without “agents”'
    """
    said = [
        f"{override.size} papers" if override.size is not None else "",
        f"at {override.at:%H:%M}" if override.at is not None else "",
        f"on {' '.join(override.days)}" if override.days is not None else "",
        "without " + ", ".join(f"“{word}”" for word in override.ignored) if override.ignored else "",
    ]
    return ", ".join(part for part in said if part)
