"""The composition root: wires the parts of Paperbot together, from the settings of one home.

Parts are made at first use. Modules that import Jinja2, HTTPX, the Slack SDK or the ranking load at first use too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from email.utils import parseaddr
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from bot.channels import (
    ChannelKind,
    MessageRenderer,
    RenderingParts,
    Route,
    TransportParts,
    address_checks,
    channels,
    reader_channel,
    reader_channels,
)
from bot.channels.email import EMAIL
from bot.channels.papers import ReaderLinks, SampleLinks
from bot.channels.slack import SLACK
from bot.config.files import DiskSpace, shipped
from bot.config.home import Home
from bot.config.keys import KEY_REMEDY, Sealer, Signer, load_keys
from bot.config.profiles import Profile
from bot.config.settings import Settings, check_settings
from bot.editions.composer import Context, EditionComposer, TldrWriter
from bot.editions.due import Waiting
from bot.editions.health import SourceMonitor
from bot.editions.models import CorpusCache, CurrentRanker
from bot.formats import ParseLimits, Parser
from bot.model import OPERATOR_KIND, Kind, Problem, Reader
from bot.model.addresses import is_loopback, is_one_address
from bot.model.clock import zone_named
from bot.model.errors import PaperbotError, UsageError
from bot.model.wording import oneline
from bot.operate.conference import ConferencePlanner
from bot.operate.day import DailyJob
from bot.operate.dispatcher import Dispatcher
from bot.operate.ingest import BounceService, Ingestion, LinkResolver, unreadable
from bot.operate.references import References, failing
from bot.readers.libraries import ZoteroLibraries
from bot.readers.personal_data import erase
from bot.readers.subscriptions import SubscriptionService, reached_cap
from bot.sources import Source, SourceDependencies, make_sources, source_models
from bot.store import Store, open_store
from bot.store.database import KeepDays
from bot.store.upgrade import has_readers
from bot.summaries.tldr import Endpoint

if TYPE_CHECKING:
    from jinja2 import Environment
    from pydantic import SecretStr

    from bot.channels.slack.transport import SlackInteractions
    from bot.operate.messages import ChannelTests
    from bot.sources.http import Fetcher


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """How much one client may use. Only the header ``X-Forwarded-For`` of ``trusted_proxies`` counts."""

    trusted_proxies: Sequence[str]
    connections: int  # open at once
    client_seconds: float  # that a connection may wait for its client (slowloris)


class App:
    """The parts over one home. Leaving the context closes them."""

    def __init__(self, home: Path, stop: Event | None = None, parser: Parser | None = None) -> None:
        """Read the settings. Raises ConfigError.

        ``stop``, once set, ends deliveries early. ``parser`` outlives this container, as its process takes a fifth of a
        second to start.
        """
        self.home = Home(home, source_models(), address_checks())
        self._stop = stop
        self._shared_parser = parser
        # The senders of thumbs by mail.
        self.recorded_replies: list[str] = []
        self.refused_replies: list[str] = []
        # Closes in reverse order, even if one part fails.
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._resources.close()

    def refresh(self) -> None:
        """Drop profiles and the ranker if their files have changed."""
        self.home.refresh()
        self.ranker.refresh()

    # The home's values that entry points ask for

    @property
    def profiles(self) -> dict[str, Profile]:
        return self.home.profiles

    @property
    def profile_problems(self) -> list[Problem]:
        return self.home.profile_problems

    @property
    def zone(self) -> tzinfo:
        """The time zone in which commands show times."""
        return zone_named(self.home.settings.bot.timezone)

    @property
    def public_url(self) -> str:
        return self.home.settings.bot.public_url

    @property
    def operator_token(self) -> str | None:
        """The token for the operators' pages. None disables these pages."""
        return plain(self.home.settings.web.operator_token)

    @property
    def limits(self) -> ClientLimits:
        web = self.home.settings.web
        return ClientLimits(web.trusted_proxies, web.connections, web.client_seconds)

    @property
    def keep_days(self) -> KeepDays:
        return KeepDays(**{name.removesuffix("_days"): days for name, days in self.home.settings.retention})

    # Storage

    @cached_property
    def store(self) -> Store:
        """The database, created or upgraded if necessary. Raises PaperbotError."""
        self.home.refuse_lost_store()
        store = open_store(self.home.store_url, secrets=self._keys)
        self._resources.callback(store.close)
        return store

    @cached_property
    def disk_space(self) -> DiskSpace:
        """The disks of the store, and of the outbox folder if messages are files."""
        # A database server has its own disk.
        database = self.home.database_file
        folders = [database.parent] if database else []
        return DiskSpace([*folders, self.home.outbox_folder] if self.file_kinds else folders)

    @property
    def file_kinds(self) -> set[Kind]:
        """The kinds of address without a server, whose messages are files."""
        return {kind.name for kind in reader_channels() if not kind.has_server(self.section(kind))}

    @cached_property
    def _keys(self) -> list[bytes]:
        file = self.home.key_file
        # Nobody would notice a new key beside a used store until a reader presses a link.
        if not file.exists() and has_readers(self.home.store_url):
            raise PaperbotError(f"{file}: is missing, though the store has readers; {KEY_REMEDY}")
        return load_keys(file)

    @cached_property
    def sealer(self) -> Sealer:
        """Encrypts readers' keys. Raises PaperbotError."""
        return Sealer(self._keys)

    @cached_property
    def signer(self) -> Signer:
        """Signs the links in messages. Raises PaperbotError."""
        return Signer(self._keys)

    # Ingestion

    @cached_property
    def parser(self) -> Parser:
        """Parses digests and libraries in a process of its own."""
        return self._shared_parser or self._resources.enter_context(Parser())

    @cached_property
    def page_parser(self) -> Parser:
        """Parses pasted text. Another process, because strangers paste and ingestion may take minutes."""
        return self._resources.enter_context(Parser(ParseLimits(seconds=5, deadline=10), waits=False))

    @cached_property
    def sources(self) -> Sequence[Source]:
        dependencies = SourceDependencies(
            home=self.home.path,
            passwords=self.home.settings.passwords,
            fetcher=lambda: self._fetcher,
            samples_superseded=lambda: self.store.sources.has_other(self.home.sample_sources),
            record_vote=self._record_reply,
        )
        return make_sources(self.home.settings.sources, dependencies)

    def _record_reply(self, sender: str, subject: str, now: datetime) -> bool:
        from bot.readers.votes import REPLY_SUBJECT, record_reply

        is_recorded = record_reply(self.store, self.signer, sender, subject, now)
        if (match := REPLY_SUBJECT.fullmatch(subject)) and match["vote"]:
            replies = self.recorded_replies if is_recorded else self.refused_replies
            replies.append(oneline(sender))
        return is_recorded

    @property
    def _digest_sources(self) -> list[Source]:
        """The sources of papers, for which editions may wait."""
        return [source for source in self.sources if source.delivers_papers]

    @cached_property
    def _fetcher(self) -> Fetcher:
        return make_fetcher(self.home.settings)

    @cached_property
    def ingestion(self) -> Ingestion:
        bounces = BounceService(self.store, self.parser, self.signer)
        resolves = self.home.settings.links.resolve
        links = LinkResolver(self.store, self._fetcher, self.parser) if resolves else None
        return Ingestion(self.store, self.parser, self.corpora, self.disk_space, links, bounces)

    # Ranking and editions

    @cached_property
    def ranker(self) -> CurrentRanker:
        return CurrentRanker(self.corpora)

    @cached_property
    def corpora(self) -> CorpusCache:
        shared = self.store.corpora if self.store.is_shared else None
        return CorpusCache(self.home.state / "corpus.npz", self.store.papers, shared)

    @cached_property
    def composer(self) -> EditionComposer:
        sources = SourceMonitor(self.store, self._digest_sources)
        return EditionComposer(self.store, self.ranker, sources, samples=self.home.sample_sources)

    @property
    def conference_planner(self) -> ConferencePlanner:
        return ConferencePlanner(self.store, self.parser, self.ranker, self.composer)

    @cached_property
    def tldr_writer(self) -> TldrWriter | None:
        """Replaces summaries by TL;DRs. None without an endpoint."""
        summaries = self.home.settings.summaries
        if not summaries.endpoint:
            return None
        endpoint = Endpoint(summaries.endpoint, summaries.model, key=plain(summaries.key), timeout=summaries.timeout)
        return TldrWriter(self.store.tldrs, endpoint, summaries.daily_budget)

    def context(self, profiles: Mapping[str, Profile]) -> Context:
        """Return the parts that compose alerts, editions and letters of these profiles."""
        return Context(self.store, profiles, self.ranker, self.composer, self.renderer)

    @property
    def daily_job(self) -> DailyJob:
        return self.daily_job_for(self.profiles)

    def daily_job_for(self, profiles: Mapping[str, Profile]) -> DailyJob:
        context = self.context(profiles)
        resolves = self.home.settings.links.resolve
        wait = timedelta(minutes=self.home.settings.bot.wait_minutes)
        return DailyJob(
            context,
            sources=self.sources,
            ingestion=self.ingestion,
            waiting=Waiting(self.store, self._digest_sources, wait),
            libraries=self.zotero,
            dispatcher=self.dispatcher,
            disk_space=self.disk_space,
            keep=self.keep_days,
            tldr_writer=self.tldr_writer,
            references=References(context, self._fetcher, self.parser) if resolves else None,
        )

    # Rendering

    def section(self, channel: ChannelKind) -> Any:
        """Return a channel's section of the settings, or None if it has none."""
        return getattr(self.home.settings, channel.section) if channel.section else None

    @cached_property
    def templates(self) -> Environment:
        """The shipped templates. The home's own take precedence."""
        from bot.channels.templates import environment

        return environment(shipped("templates"), self.home.templates)

    def links(self, reader: Reader) -> ReaderLinks:
        reply_to = reply_address(self.home.settings) if reader.kind == EMAIL.name else ""
        return ReaderLinks(self.public_url, self.signer, reader, reply_to)

    @cached_property
    def renderer(self) -> MessageRenderer:
        return self._renderer(lambda: RenderingParts(self.templates, self.links, self.signer.tag))

    @cached_property
    def sample_renderer(self) -> MessageRenderer:
        """Renders samples. The store has no edition that signed links could lead to."""

        def links(reader: Reader) -> SampleLinks:
            return SampleLinks(self.public_url, self.links(reader))

        return self._renderer(
            lambda: RenderingParts(self.templates, links, lambda reader: f"sample-{reader}", has_votes=False)
        )

    def _renderer(self, parts: Callable[[], RenderingParts]) -> MessageRenderer:
        return MessageRenderer(lambda channel: channel.renderer(self.section(channel), parts()))

    # Delivery

    @cached_property
    def routes(self) -> Mapping[Kind, Route]:
        parts = TransportParts(
            self.home.outbox_folder, self.signer.tag, self.zotero.open_to_save, self.store.zotero.outcome
        )
        routes = {kind.name: kind.route(self.section(kind), parts) for kind in channels()}
        for route in routes.values():
            for channel in route.channels:
                self._resources.callback(channel.close)
        return routes

    def route_description(self, kind: Kind) -> str:
        """Describe the way of a kind's messages by a predicate: ``go by smtp.example.org:587 ...``."""
        channel = reader_channel(kind)
        return channel.describe(self.section(channel), self.home.outbox_folder)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        return self.dispatcher_of(self.routes, self._stop)

    def dispatcher_of(self, kinds: Collection[Kind], stop: Event | None) -> Dispatcher:
        """Return a dispatcher for these kinds of address, which ends when ``stop`` is set."""
        store = self.store
        return Dispatcher(
            store.outbox,
            {kind: self.routes[kind] for kind in kinds},
            store.readers,
            store.circuit_breakers,
            store.send_rates({kind.name: kind.send_limit(self.section(kind)) for kind in channels()}),
            stop=stop or Event(),
            disk_problems=self.disk_space.problems,
        )

    @cached_property
    def channel_tests(self) -> ChannelTests:
        from bot.operate.messages import ChannelTests

        return ChannelTests(
            store=self.store,
            renderer=self.renderer,
            sample_renderer=self.sample_renderer,
            routes=self.routes,
            composer=self.composer,
            public_url=self.public_url,
            reply_to=reply_address(self.home.settings),
        )

    @cached_property
    def slack_interactions(self) -> SlackInteractions | None:
        """Receives and answers clicks and commands in Slack. None without their settings."""
        slack = self.home.settings.slack
        if not SLACK.has_buttons(self.section(SLACK)):
            return None
        from bot.channels.slack.transport import SlackInteractions

        return SlackInteractions(plain(slack.signing_secret), plain(slack.app_token), slack.api_url)

    # Subscriptions, feedback, operations

    @cached_property
    def subscriptions(self) -> SubscriptionService:
        return SubscriptionService(self.store, self.renderer, self.links, profile_folder=self.home.profiles_folder)

    @cached_property
    def zotero(self) -> ZoteroLibraries:
        return ZoteroLibraries(self.store, self.sealer, self.parser, self.home.settings.zotero.api_url)

    def forget(self, reader: Reader, now: datetime) -> Path | None:
        """Remove everything stored about a reader. See ``bot.readers.personal_data.erase``."""
        return erase(self.store, self.home, reader, now)

    def standing_problems(self, now: datetime) -> list[Problem]:
        """Return problems that last until a person repairs a profile, disk or file, or an hour's cap is over."""
        return [
            *self.profile_problems,
            *self.disk_space.problems(),
            *unreadable(self.sources, self.store, self.parser, now),
            *reached_cap(self.store, now),
            *(failing(self.store) if self.home.settings.links.resolve else ()),
        ]

    def notify_operator(self, problems: Sequence[Problem], now: datetime) -> list[Problem]:
        """Mail the operator, if there is one, about problems and subscribers. Return failures."""
        settings = self.home.settings
        if not settings.bot.operator:
            return []
        from bot.operate.messages import notify_operator

        return notify_operator(
            problems,
            now,
            address=settings.bot.operator,
            sender=settings.email.sender,
            store=self.store,
            profiles=self.profiles,
            disk_space=self.disk_space,
            route=self.routes[OPERATOR_KIND],
            stop=self._stop or Event(),
        )


def open_app(home: Path, stop: Event | None = None, parser: Parser | None = None) -> App:
    """Open the home at a path. Raises UsageError if there is no directory. Otherwise as ``App``."""
    if not home.is_dir():
        raise UsageError(f"{home}: no such directory; make a home with `paperbot init {home}`")
    return App(home, stop, parser)


def homeless_fetcher(seconds: float) -> Fetcher:
    """Return a fetcher by the settings of the environment, such as a proxy. Raises ConfigError."""
    return make_fetcher(check_settings("", source_models()), seconds)


def make_fetcher(settings: Settings, seconds: float | None = None) -> Fetcher:
    from bot.sources.http import Fetcher

    fetch = settings.fetch
    return Fetcher(
        private_hosts=fetch.private_hosts,
        proxy=fetch.proxy,
        contact=fetch.contact or "",
        seconds=seconds or fetch.timeout,
    )


def reply_address(settings: Settings) -> str:
    """Return the bot's mailbox if votes are mails to it, or an empty string if they are pages.

    They are mails with ``email.replies``, without pages, and with pages on this computer only, which no telephone
    reaches. A mailbox among the sources reads them. Its address is its user name, or the sender's if that is none.
    """
    login = next((s.votes_login for s in settings.sources if s.votes_login is not None), None)
    pages = settings.bot.public_url
    has_pages = bool(pages) and not is_loopback(urlsplit(pages).hostname or "")
    if login is None or (has_pages and not settings.email.replies):
        return ""
    return login if is_one_address(login) else parseaddr(settings.email.sender)[1]


def plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
