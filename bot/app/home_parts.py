"""The parts that all others need: a home's values, its store, disks and keys."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bot.app.client_limits import ClientLimits
from bot.app.home import Home
from bot.channels.registry import reader_channels
from bot.config.profiles import Profile
from bot.disk_space import DiskSpace
from bot.domain import Kind, Problem
from bot.sealing import Sealer
from bot.tokens import Signer, load_keys

if TYPE_CHECKING:
    from threading import Event

    from pydantic import SecretStr

    from bot.store import Store
    from bot.store.retention import KeepDays


class HomeParts:
    """The parts over one home. It is a context manager: leaving it closes what was opened."""

    def __init__(self, home: Path, stop: Event | None = None) -> None:
        """Read the settings; raises ConfigError. ``stop``, once set, ends deliveries early."""
        self.home = Home(home)
        self._stop = stop
        # Holds only what was opened, and closes it in reverse order, even if closing one of them fails.
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._resources.close()

    # The home's values that entry points ask for

    @property
    def profiles(self) -> dict[str, Profile]:
        """The valid profiles by slug."""
        return self.home.profiles

    @property
    def profile_problems(self) -> list[Problem]:
        """A problem for each profile that is not valid."""
        return self.home.profile_problems

    @property
    def public_url(self) -> str:
        """Where links in messages lead."""
        return self.home.settings.bot.public_url

    @property
    def ingest_minutes(self) -> int:
        """The interval at which ``paperbot serve`` ingests."""
        return self.home.settings.bot.ingest_minutes

    @property
    def operator_token(self) -> str | None:
        """The token for the operators' pages; None disables these pages."""
        return plain(self.home.settings.web.operator_token)

    @property
    def limits(self) -> ClientLimits:
        """Limits on the clients of the pages."""
        web = self.home.settings.web
        return ClientLimits(web.trusted_proxies, web.connections, web.client_seconds)

    @property
    def keep_days(self) -> KeepDays:
        """How long what is stored is kept."""
        from bot.store.retention import KeepDays

        days = self.home.settings.retention
        return KeepDays(
            bodies=days.bodies_days,
            editions=days.editions_days,
            picks=days.picks_days,
            thumbs=days.thumbs_days,
            papers=days.papers_days,
        )

    # Storage

    @cached_property
    def store(self) -> Store:
        """The database, created or upgraded if necessary; raises PaperbotError."""
        from bot.store import open_store

        store = open_store(self.home.store_url, secrets=self._keys)
        self._resources.callback(store.close)
        return store

    @cached_property
    def disk_space(self) -> DiskSpace:
        """The disks that are written to: the store's, and the outbox folder's if messages are files."""
        # A database server looks after its own disk.
        database = self.home.database_file
        folders = [database.parent] if database else []
        return DiskSpace([*folders, self.home.outbox_folder] if self.file_kinds else folders)

    @property
    def file_kinds(self) -> set[Kind]:
        """The kinds of address that have no server configured, so that messages to them are files."""
        return {kind.name for kind in reader_channels() if not kind.has_server(self.home.section(kind))}

    @cached_property
    def _keys(self) -> list[bytes]:
        return load_keys(self.home.key_file)

    @cached_property
    def sealer(self) -> Sealer:
        """Encrypts readers' keys of other services; raises PaperbotError."""
        return Sealer(self._keys)

    @cached_property
    def signer(self) -> Signer:
        """Signs the links in messages; raises PaperbotError."""
        return Signer(self._keys)


def plain(secret: SecretStr | None) -> str | None:
    """Return the text of a secret."""
    return secret.get_secret_value() if secret else None
