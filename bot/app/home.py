"""A home directory: where its files are, what its settings say, and the profiles in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.config.opml import parse_opml, source_tables
from bot.config.profiles import AddressChecks, Profile, load_profiles, profile_files
from bot.config.settings import FILE, Settings, add_to_settings, load_settings
from bot.config.sources import SourceModels
from bot.domain import Problem, Reader
from bot.private_files import make_private

_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class _LoadedProfiles:
    """The profiles as they were read, and the modification times by which a change is noticed."""

    by_slug: dict[str, Profile]
    problems: list[Problem]
    modified_at: dict[Path, int]


class Home:
    """The files under one directory. Opening it reads the settings and restricts permissions."""

    def __init__(self, path: Path, source_models: SourceModels, address_checks: AddressChecks) -> None:
        """Read the settings of the home at ``path``; raises ConfigError.

        ``source_models`` validate its sources, ``address_checks`` the readers of its profiles.
        """
        self.path = path
        self._source_models = source_models
        self._address_checks = address_checks
        self.settings: Settings = load_settings(path, source_models)
        self._loaded: _LoadedProfiles | None = None
        # Only the folder's direct entries: what lies deeper is out of reach once the folder is closed to others.
        state = path.resolve() / "state"
        private = [state, *state.glob("*")]
        if database := self.database_file:
            # The write-ahead log and the shared memory hold the same rows as the database.
            private += [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]
        exposed, self._still_exposed = make_private(list(dict.fromkeys(private)))
        self.repaired = [file for file in exposed if file not in self._still_exposed]

    # Paths

    @property
    def settings_file(self) -> Path:
        """The file ``paperbot.toml``."""
        return self.path / FILE

    @property
    def state(self) -> Path:
        """The folder for everything that Paperbot writes itself."""
        return self.path / "state"

    @property
    def key_file(self) -> Path:
        """The keys by which links in messages are signed."""
        return self.state / "secret.key"

    @property
    def outbox_folder(self) -> Path:
        """Where messages are written as files if there is no mail server or Slack token."""
        return self.state / "outbox"

    @property
    def templates(self) -> Path:
        """Where templates that replace the shipped ones may be."""
        return self.path / "templates"

    @property
    def profiles_folder(self) -> Path:
        """The folder of the profile files."""
        return self.path / "profiles"

    def profile_file(self, slug: str) -> Path:
        """The file of a profile, whether it exists or not."""
        return self.profiles_folder / f"{slug}.toml"

    def chart_file(self, reader: Reader | None) -> Path:
        """Where ``paperbot evaluate`` puts the chart of one reader, or of all readers for None."""
        return self.state / "evaluation" / f"{reader.file_stem if reader else 'all-readers'}.svg"

    @property
    def store_url(self) -> str:
        """The store's URL; a relative SQLite path counts from the home, not from the current directory."""
        file = self.database_file
        return f"{_SQLITE}{file}" if file else self.settings.store.url

    @property
    def database_file(self) -> Path | None:
        """The absolute path of an SQLite store; None if the store is a database server."""
        url = self.settings.store.url
        return self.path.resolve() / url.removeprefix(_SQLITE) if url.startswith(_SQLITE) else None

    # Permissions

    def permission_problems(self) -> list[Problem]:
        """Return a problem for each file that other users can read and that we may not change."""
        return [
            Problem(
                str(file),
                "other users of this machine can read it, and it belongs to another user; "
                "ask them for `chmod go=`",
            )
            for file in self._still_exposed
        ]

    # Profiles

    @property
    def profiles(self) -> dict[str, Profile]:
        """The valid profiles by slug."""
        return self._load_profiles().by_slug

    @property
    def profile_problems(self) -> list[Problem]:
        """A problem for each profile that is not valid."""
        return self._load_profiles().problems

    def refresh(self) -> None:
        """Read the profiles again at their next use, if a file was added, removed or changed."""
        if self._loaded and self._loaded.modified_at != self._modification_times():
            self._loaded = None

    def _load_profiles(self) -> _LoadedProfiles:
        loaded = self._loaded
        if loaded is None:
            # The times are taken before the files are read: an edit in between is then read twice, never missed.
            modified_at = self._modification_times()
            profiles, problems = load_profiles(
                self.profiles_folder, self.settings.bot.timezone, self._address_checks
            )
            loaded = _LoadedProfiles(profiles, problems, modified_at)
            self._loaded = loaded
        return loaded

    def _modification_times(self) -> dict[Path, int]:
        times: dict[Path, int] = {}
        for file in profile_files(self.profiles_folder):
            try:
                times[file] = file.stat().st_mtime_ns
            except OSError:  # a dangling link, or deleted just now: reading the profile reports it
                times[file] = 0
        return times

    # Sources

    @property
    def sample_sources(self) -> list[str]:
        """The names of the sources that count only until another source has brought a paper."""
        return [source.name for source in self.settings.sources if source.is_sample]

    def add_feeds(self, opml: bytes) -> list[str]:
        """Add the feeds of an OPML list to the settings file, except those it has; return their names.

        Raises UsageError if the list is not valid OPML, or if the settings would not be valid afterwards.
        """
        # Of any kind: an address that is polled already needs no second source.
        configured = {getattr(source, "url", "") for source in self.settings.sources}
        feeds = [feed for feed in parse_opml(opml) if feed.url not in configured]
        tables = source_tables(feeds, [source.name for source in self.settings.sources])
        add_to_settings(self.path, "".join(tables.values()), self._source_models)
        return list(tables)
