"""Publishing profiles to the store, and reading them there.

    profiles/*.toml, on one machine --publish--> store --catch up, before each task--> workers on any machine

The files remain the truth. ``paperbot run`` and ``paperbot serve`` publish them before they compose; that also makes
the stored readers match the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.config.profiles import Profile, dump_profile, parse_profile
from bot.domain import Problem
from bot.errors import ConfigError
from bot.store import Store


def publish(store: Store, profiles: Mapping[str, Profile], now: datetime) -> None:
    """Store what the files say: their readers, and the profiles as the newest version."""
    for slug, profile in profiles.items():
        # A file of 100,000 addresses is compared by one hash; to look each of them up takes 100 statements.
        if not store.readers.is_synced(slug, profile.addresses):
            store.readers.sync(slug, profile.addresses, now)
    store.readers.drop_unconfirmed(now)
    # After the readers: a profile that is published before its readers would be composed for nobody.
    store.published_profiles.publish({slug: dump_profile(profile) for slug, profile in profiles.items()})


class StoredProfiles:
    """The published profiles as of the last ``catch_up``."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version = 0
        self._profiles: dict[str, Profile] = {}
        self._problems: dict[str, Problem] = {}

    @property
    def profiles(self) -> dict[str, Profile]:
        """The valid profiles by slug, without readers."""
        return self._profiles

    @property
    def problems(self) -> list[Problem]:
        """A problem for each profile that this version of Paperbot can't read."""
        return list(self._problems.values())

    def catch_up(self) -> None:
        """Read what was published since the last call."""
        for published in self._store.published_profiles.newer_than(self._version):
            self._version = max(self._version, published.version)
            self._profiles.pop(published.slug, None)
            self._problems.pop(published.slug, None)
            if published.content is None:
                continue
            try:
                self._profiles[published.slug] = parse_profile(published.slug, published.content)
            except ConfigError as error:
                detail = f"{error.detail}; was it published by a later version of Paperbot?"
                self._problems[published.slug] = Problem(f"profiles/{error.place}", detail)
