"""From a home directory and its settings to live objects.

Each part is made, and its libraries imported, when it is first asked for: a command pays only for what it uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.limits import Limits
from bot.config.opml import as_sources, feeds_in
from bot.config.profiles import Profile, load_profiles, profile_files
from bot.config.settings import Settings, add_to_settings, load_settings
from bot.disk_space import DiskSpace
from bot.domain import Kind, Problem, Reader
from bot.errors import ConfigError, UsageError
from bot.private_files import make_private
from bot.reader_links import ReaderLinks
from bot.resources import shipped
from bot.tokens import Signer, load_keys

if TYPE_CHECKING:
    from threading import Event

    from jinja2 import Environment
    from pydantic import SecretStr

    from bot.delivery import Route
    from bot.delivery.dispatcher import Dispatcher
    from bot.delivery.slack_interactions import SlackInteractions
    from bot.editions.composer import EditionComposer
    from bot.editions.corpus_cache import CorpusCache, Stamp
    from bot.editions.daily_job import DailyJob
    from bot.editions.tldrs import TldrWriter
    from bot.operations.channel_test import ChannelTests
    from bot.parsing import Parser
    from bot.ranking import Ranker
    from bot.rendering.messages import MessageRenderer
    from bot.sources import Source
    from bot.sources.http import Fetcher
    from bot.store import Store
    from bot.subscriptions.service import SubscriptionService


class App:
    """One home directory, alive. Close it when done (it is a context manager)."""

    def __init__(self, home: Path, stop: Event | None = None, parser: Parser | None = None) -> None:
        """Reads the settings; raises ConfigError. ``stop``, once set, ends deliveries early.

        ``parser`` is one that outlives this home, as ``serve`` opens it again with each tick.
        """
        self.home, self._stop, self._lasting_parser = home, stop, parser
        self._settings: Settings = load_settings(home)
        self._profiles_seen: dict[Path, int] = {}
        self._learned: Stamp | None = None
        self._were_open, self._still_open = make_private(self._private_files())

    def __enter__(self) -> App:
        return self

    def __exit__(self, *exc: object) -> None:
        if "routes" in vars(self):
            for route in self.routes.values():
                for channel in route.channels:
                    channel.close()
        if "parser" in vars(self) and not self._lasting_parser:
            self.parser.close()
        if "store" in vars(self):
            self.store.close()

    @property
    def public_url(self) -> str:
        """Where links in messages lead."""
        return self._settings.bot.public_url

    @property
    def file_kinds(self) -> set[Kind]:
        """The kinds of address without a server to talk to, so that their messages are files."""
        servers = {Kind.EMAIL: self._settings.email.host, Kind.SLACK: self._settings.slack.token}
        return {kind for kind, server in servers.items() if not server}

    def way_out(self, kind: Kind) -> str:
        """What happens to messages of a kind, in words: ``go by smtp.example.org:587 ...``."""
        from bot.app.routes import mail_way, slack_way

        if kind is Kind.EMAIL:
            return mail_way(self._settings.email, self.outbox_folder)
        return slack_way(self._settings.slack, self.outbox_folder)

    @property
    def has_slack_buttons(self) -> bool:
        """Whether somebody receives what is pressed in Slack: Socket Mode, or signed requests."""
        return bool(self._settings.slack.app_token or self._settings.slack.signing_secret)

    @property
    def ingest_minutes(self) -> int:
        """How often ``paperbot serve`` asks the sources."""
        return self._settings.bot.ingest_minutes

    @property
    def outbox_folder(self) -> Path:
        """Where messages go without a mail server or a Slack token."""
        return self.home / "state" / "outbox"

    def _private_files(self) -> list[Path]:
        """The folder of addresses, keys and messages, what lies in it, and the store where it is elsewhere.

        What lies deeper is out of others' reach behind the folder.
        """
        state = self.home.resolve() / "state"
        store = sqlite_file(_absolute(self._settings.store.url, self.home))
        beside = [store.with_name(store.name + end) for end in ("", "-wal", "-shm")] if store else []
        return list(dict.fromkeys([state, *state.glob("*"), *beside]))

    @property
    def mended(self) -> list[Path]:
        """What other users of the machine could read until this process took the right away."""
        return [path for path in self._were_open if path not in self._still_open]

    def exposure_problems(self) -> list[Problem]:
        """One for each file or folder that other users can still read."""
        return [
            Problem(
                str(path),
                "other users of this machine can read it, and it is not ours to change; chmod go= it",
            )
            for path in self._still_open
        ]

    @cached_property
    def _profiles(self) -> tuple[dict[str, Profile], list[Problem]]:
        self._profiles_seen = self._profile_files()
        return load_profiles(self.home / "profiles", self._settings.bot.timezone)

    def refresh(self) -> None:
        """Let go of what has changed outside since it was read: profiles, and what was learned from papers."""
        if "_profiles" in vars(self) and self._profiles_seen != self._profile_files():
            del vars(self)["_profiles"]
        if "ranker" in vars(self) and self._learned != self._corpora.stamp:
            del vars(self)["ranker"]

    def _profile_files(self) -> dict[Path, int]:
        return {path: _changed_at(path) for path in profile_files(self.home / "profiles")}

    @property
    def profiles(self) -> dict[str, Profile]:
        """The sound profiles by slug."""
        return self._profiles[0]

    @property
    def profile_problems(self) -> list[Problem]:
        """One for each profile that is not sound."""
        return self._profiles[1]

    @cached_property
    def store(self) -> Store:
        """The database, made or upgraded where needed; raises PaperbotError."""
        from bot.store import open_store

        return open_store(_absolute(self._settings.store.url, self.home), secrets=self._keys)

    @cached_property
    def room(self) -> DiskSpace:
        """The disks that are written to: the store's, and that of messages which are files."""
        file = sqlite_file(_absolute(self._settings.store.url, self.home))
        folders = [file.parent] if file else []
        return DiskSpace([*folders, self.outbox_folder] if self.file_kinds else folders)

    @cached_property
    def parser(self) -> Parser:
        """Parses digests in a process of its own, which is started with the first."""
        from bot.parsing import Parser

        return self._lasting_parser or Parser()

    @cached_property
    def sources(self) -> Sequence[Source]:
        """Where the settings say that digests come from; samples last, as the others may supersede them."""
        from bot.app.sources import source

        settings = self._settings

        def superseded() -> bool:
            return self.store.sources.has_other(self.sample_sources)

        return [
            source(section, self.home, lambda: self._fetcher, settings.passwords, superseded)
            for section in sorted(settings.sources, key=lambda section: section.samples)
        ]

    @property
    def sample_sources(self) -> list[str]:
        """The names of the sources that count only until another has brought something."""
        return [section.name for section in self._settings.sources if section.samples]

    def add_feeds(self, opml: bytes) -> list[str]:
        """Adds the feeds of a list to the settings file, those that it has aside; returns their names.

        Raises UsageError where the list is none, or the file could not be read any more afterwards.
        """
        known = {source.url for source in self._settings.sources}
        feeds = [feed for feed in feeds_in(opml) if feed.url not in known]
        tables = dict(as_sources(feeds, [source.name for source in self._settings.sources]))
        add_to_settings(self.home, "".join(tables.values()))
        return list(tables)

    @cached_property
    def _fetcher(self) -> Fetcher:
        from bot.sources.http import Fetcher

        fetch = self._settings.fetch
        return Fetcher(private_hosts=fetch.private_hosts, proxy=fetch.proxy, seconds=fetch.timeout)

    @cached_property
    def ranker(self) -> Ranker:
        """One vocabulary for all readers, as it was learned when enough papers had come in."""
        from bot.ranking import Ranker

        corpus = self._corpora.corpus()
        self._learned = self._corpora.stamp
        return Ranker(corpus)

    @cached_property
    def _corpora(self) -> CorpusCache:
        from bot.editions.corpus_cache import CorpusCache

        return CorpusCache(self.home / "state" / "corpus.npz", self.store.papers)

    def learn(self) -> None:
        """Learn the vocabulary anew if enough papers came in."""
        self._corpora.renew()

    @cached_property
    def editor(self) -> EditionComposer:
        """Makes editions."""
        from bot.editions.composer import EditionComposer
        from bot.editions.source_activity import Sources

        sources = Sources(self.store, self.sources)
        return EditionComposer(self.store, lambda: self.ranker, sources, samples=self.sample_sources)

    @cached_property
    def tldr_writer(self) -> TldrWriter | None:
        """Puts TL;DRs in the place of summaries; None where no endpoint writes them."""
        summaries = self._settings.summaries
        if not summaries.endpoint:
            return None
        from bot.editions.tldrs import TldrWriter
        from bot.tldr import Endpoint

        key = summaries.key.get_secret_value() if summaries.key else None
        endpoint = Endpoint(summaries.endpoint, summaries.model, key=key, timeout=summaries.timeout)
        return TldrWriter(self.store.tldrs, endpoint, summaries.daily_budget)

    @cached_property
    def templates(self) -> Environment:
        """The shipped templates, and the home's own over them."""
        from bot.rendering.templates import environment

        return environment(shipped("templates"), self.home / "templates")

    @cached_property
    def signer(self) -> Signer:
        """Signs the links in messages; raises PaperbotError."""
        return Signer(self._keys)

    @cached_property
    def _keys(self) -> list[bytes]:
        return load_keys(self.home / "state" / "secret.key")

    def links(self, reader: Reader) -> ReaderLinks:
        """The links that messages to a reader carry."""
        return ReaderLinks(self.public_url, self.signer, reader)

    @cached_property
    def renderer(self) -> MessageRenderer:
        """Makes messages of editions."""
        from bot.rendering.messages import MessageRenderer

        return MessageRenderer(
            self.templates, self._settings.email.sender, self.links, slack_buttons=self.has_slack_buttons
        )

    @cached_property
    def channel_tests(self) -> ChannelTests:
        """Sends a reader's last edition once more, as a test."""
        from bot.operations.channel_test import ChannelTests

        return ChannelTests(
            self.store,
            self.templates,
            self._settings.email.sender,
            self.public_url,
            self.renderer,
            self.routes,
        )

    @cached_property
    def pipeline(self) -> DailyJob:
        """All of it in its order."""
        from bot.editions.daily_job import DailyJob
        from bot.editions.waiting_for_sources import Waiting

        return DailyJob(
            self.sources,
            self.store,
            self.parser.parse,
            self.profiles,
            self.editor,
            self.renderer,
            self.dispatcher,
            self.resolve,
            self.room,
            self.learn,
            Waiting(self.store, self.sources, timedelta(minutes=self._settings.bot.wait_minutes)),
            self.tldr_writer,
        )

    def resolve(self, now: datetime) -> Iterable[Problem]:
        """Looks up links that digests don't give, if the settings want that; a Problem where it fails."""
        if not self._settings.links.resolve:
            return ()
        from bot.ingestion.link_resolution import Resolver

        return Resolver(self.store, self._fetcher, self.parser.parse).resolve(now)

    def notify_operator(self, problems: Sequence[Problem], now: datetime) -> list[Problem]:
        """Mail the operator, if there is one, what needs a person; a problem where that can't be done."""
        address = self._settings.bot.operator
        if address is None:
            return []
        from bot.operations.notices import OperatorNotices

        channel = self.routes[Kind.EMAIL].channels[0]
        operator = OperatorNotices(address, self._settings.email.sender, self.store, self.room, channel)
        problem = operator.tell(problems, now)
        return [problem] if problem else []

    @cached_property
    def subscribing(self) -> SubscriptionService:
        """The door for new readers."""
        from bot.subscriptions.service import SubscriptionService

        return SubscriptionService(self.store, self.templates, self._settings.email.sender, self.links)

    def forget(self, reader: Reader, now: datetime) -> Path | None:
        """Remove all that is kept of a reader: in the store, message files, and the profile's file.

        Returns the profile's file if it can't be edited, or its comments name the address; in the first case
        the store keeps a keyed hash as well, without which the next run would make the reader anew.
        """
        from bot.config.editing import mentions, remove_reader
        from bot.delivery.files import FilesChannel

        self.store.forget(reader, now)
        FilesChannel(self.outbox_folder, ".eml" if reader.kind is Kind.EMAIL else ".json").forget(reader)
        for drawn in (self.chart_file(reader), self.chart_file(None)):  # the second names all readers
            drawn.unlink(missing_ok=True)
        file = self.home / "profiles" / f"{reader.profile}.toml"
        try:
            if file.exists():
                remove_reader(file, reader.address)
        except ConfigError:
            profile = self.profiles.get(reader.profile)
            named = profile is not None and (reader.kind, reader.address) in profile.addresses
            return file if named or mentions(file, reader.address) else None
        self.store.readers.remember(reader.profile, reader.address)
        return file if mentions(file, reader.address) else None

    def chart_file(self, reader: Reader | None) -> Path:
        """Where the chart of an evaluation goes: of one reader, or of all."""
        from bot.delivery.files import file_stem

        return self.home / "state" / "evaluation" / f"{file_stem(reader) if reader else 'all-readers'}.svg"

    @property
    def operator_token(self) -> str | None:
        """What opens the operators' pages; None: they stay shut."""
        return _plain(self._settings.web.operator_token)

    @property
    def limits(self) -> Limits:
        """What clients of the pages can hold."""
        web = self._settings.web
        return Limits(web.trusted_proxies, web.connections, web.client_seconds)

    @cached_property
    def slack_interactions(self) -> SlackInteractions | None:
        """Reads and answers what people do in Slack; None where it isn't set up."""
        if not self.has_slack_buttons:
            return None
        from bot.delivery.slack_interactions import SlackInteractions

        slack = self._settings.slack
        return SlackInteractions(_plain(slack.signing_secret), _plain(slack.app_token), slack.api_url)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """Sends what the outbox holds."""
        from bot.delivery.dispatcher import Dispatcher

        store = self.store
        return Dispatcher(
            store.outbox,
            self.routes,
            store.readers,
            store.pauses,
            stop=self._stop,
            full=self.room.problems,
        )

    @cached_property
    def routes(self) -> Mapping[Kind, Route]:
        """The way out for each kind of address."""
        from bot.app.routes import mail_route, slack_route

        email, slack, files = self._settings.email, self._settings.slack, self.outbox_folder
        return {Kind.EMAIL: mail_route(email, files), Kind.SLACK: slack_route(slack, files)}


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # a link that leads nowhere, or gone this moment: reading it will tell
        return 0


def sqlite_file(url: str) -> Path | None:
    """The file of an SQLite store; None where a server keeps it."""
    prefix = "sqlite:///"
    return Path(url.removeprefix(prefix)) if url.startswith(prefix) else None


def _absolute(url: str, home: Path) -> str:
    """A store URL whose SQLite file is looked for from the home, wherever the command was called."""
    prefix = "sqlite:///"
    if not url.startswith(prefix):
        return url
    return prefix + str(home.resolve() / url.removeprefix(prefix))


def open_app(home: Path, stop: Event | None = None, parser: Parser | None = None) -> App:
    """The home at a path; raises UsageError where there is none. The rest is as for ``App``."""
    if not home.is_dir():
        raise UsageError(f"{home}: no such directory; make a home with `paperbot init {home}`")
    return App(home, stop, parser)
