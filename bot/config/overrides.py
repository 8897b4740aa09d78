"""A reader's own settings, made on their page, which take precedence over the profile's."""

from __future__ import annotations

from bot.config.profiles import Profile, describe_days
from bot.domain import Override


def with_override(profile: Profile, override: Override | None) -> Profile:
    """Return the profile with a reader's own size and schedule."""
    if override is None:
        return profile
    edition = profile.edition
    if override.size is not None:
        # model_copy does not validate: an edition of fewer papers than it explores would never be accepted otherwise.
        explore = min(edition.explore, override.size)
        edition = edition.model_copy(update={"size": override.size, "explore": explore})
    times = {"at": override.at, "days": override.days}
    changed = {key: value for key, value in times.items() if value is not None}
    schedule = profile.schedule.model_copy(update=changed)
    return profile.model_copy(update={"edition": edition, "schedule": schedule})


def describe_override(override: Override) -> str:
    """Return a reader's own settings in a few words; empty if there are none.

    >>> describe_override(Override(size=5, ignored=("agents",)))
    '5 papers, without “agents”'
    """
    parts = []
    if override.size is not None:
        parts.append(f"{override.size} papers")
    if override.at is not None:
        parts.append(f"at {override.at:%H:%M}")
    if override.days is not None:
        parts.append(f"on {describe_days(override.days)}")
    if override.ignored:
        parts.append("without " + ", ".join(f"“{word}”" for word in override.ignored))
    return ", ".join(parts)
