"""The container: wires the parts of Paperbot together, from the settings of one home.

Each part is made at its first use, and its libraries are imported then: scikit-learn and SciPy alone take about a
second, which ``paperbot --help`` and most commands don't need to wait for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.client_limits import ClientLimits
from bot.app.current_ranker import CurrentRanker
from bot.app.home import Home
from bot.config.profiles import Profile
from bot.disk_space import DiskSpace
from bot.domain import Kind, Problem, Reader
from bot.errors import UsageError
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
    from bot.editions.corpus_cache import CorpusCache
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
    """The parts over one home. It is a context manager: leaving it closes what was opened."""

    def __init__(self, home: Path, stop: Event | None = None, parser: Parser | None = None) -> None:
        """Read the settings; raises ConfigError.

        ``stop``, once set, ends deliveries early. ``parser`` is one that outlives this container: ``serve`` makes
        a container for each tick, and starting a parser process for each takes a fifth of a second.
        """
        self.home = Home(home)
        self._stop = stop
        self._shared_parser = parser
        # Holds only what was opened, and closes it in reverse order, even if closing one of them fails.
        self._resources = ExitStack()
        self._current_ranker = CurrentRanker(lambda: self._corpora)

    def __enter__(self) -> App:
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
        return _plain(self.home.settings.web.operator_token)

    @property
    def limits(self) -> ClientLimits:
        """Limits on the clients of the pages."""
        web = self.home.settings.web
        return ClientLimits(web.trusted_proxies, web.connections, web.client_seconds)

    @property
    def has_slack_buttons(self) -> bool:
        """Whether clicks in Slack can reach us, by Socket Mode or by signed requests."""
        slack = self.home.settings.slack
        return bool(slack.app_token or slack.signing_secret)

    def refresh(self) -> None:
        """Drop what changed on disk since it was read: profiles, and the ranker if its corpus was fitted again."""
        self.home.refresh()
        self._current_ranker.refresh()

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

    @cached_property
    def _keys(self) -> list[bytes]:
        return load_keys(self.home.key_file)

    @cached_property
    def signer(self) -> Signer:
        """Signs the links in messages; raises PaperbotError."""
        return Signer(self._keys)

    # Ingestion

    @cached_property
    def parser(self) -> Parser:
        """Parses digests in a process of its own, started with the first digest."""
        from bot.parsing import Parser

        return self._shared_parser or self._resources.enter_context(Parser())

    @cached_property
    def sources(self) -> Sequence[Source]:
        """The sources of the settings."""
        from bot.app.sources import make_sources

        return make_sources(
            self.home,
            fetcher=lambda: self._fetcher,
            samples_superseded=lambda: self.store.sources.has_other(self.home.sample_sources),
        )

    @cached_property
    def _fetcher(self) -> Fetcher:
        from bot.sources.http import Fetcher

        fetch = self.home.settings.fetch
        return Fetcher(
            private_hosts=fetch.private_hosts,
            proxy=fetch.proxy,
            contact=fetch.contact or "",
            seconds=fetch.timeout,
        )

    def resolve(self, now: datetime) -> Iterable[Problem]:
        """Look up the links that digests don't have, if ``links.resolve`` is set; return what failed."""
        if not self.home.settings.links.resolve:
            return ()
        from bot.ingestion.link_resolution import LinkResolver

        # Answers are parsed in the parser process like digests: they are as untrusted.
        return LinkResolver(self.store, self._fetcher, self.parser.parse).resolve(now)

    # Ranking and editions

    @property
    def ranker(self) -> Ranker:
        """The ranker of all readers, over the corpus as it was fitted last."""
        return self._current_ranker.get()

    @cached_property
    def _corpora(self) -> CorpusCache:
        from bot.editions.corpus_cache import CorpusCache

        return CorpusCache(self.home.state / "corpus.npz", self.store.papers)

    def refit_corpus(self) -> None:
        """Fit the corpus again if enough papers have arrived."""
        self._corpora.renew()

    def refit_models(self, readers: Sequence[tuple[Reader, Profile]], now: datetime) -> None:
        """Fit again what was learned from the votes of those of these readers who voted since."""
        from bot.editions.refitting import refit

        refit(self.store, lambda: self.ranker, readers, now)

    @cached_property
    def composer(self) -> EditionComposer:
        """Composes editions."""
        from bot.editions.composer import EditionComposer
        from bot.editions.source_activity import SourceMonitor

        sources = SourceMonitor(self.store, self.sources)
        # A function, not the ranker: it is replaced when the corpus was fitted again.
        return EditionComposer(self.store, lambda: self.ranker, sources, samples=self.home.sample_sources)

    @cached_property
    def tldr_writer(self) -> TldrWriter | None:
        """Replaces summaries by TL;DRs of a language model; None without an endpoint."""
        if not self.home.settings.summaries.endpoint:
            return None
        from bot.app.summaries import make_tldr_writer

        return make_tldr_writer(self.home.settings.summaries, self.store.tldrs)

    @cached_property
    def daily_job(self) -> DailyJob:
        """The daily job."""
        from bot.editions.daily_job import DailyJob
        from bot.editions.waiting_for_sources import Waiting

        wait = timedelta(minutes=self.home.settings.bot.wait_minutes)
        return DailyJob(
            sources=self.sources,
            store=self.store,
            parse=self.parser.parse,
            profiles=self.profiles,
            composer=self.composer,
            render=lambda edition, slot: self.renderer.messages(edition, slot),  # noqa: PLW0108 - made when needed
            dispatcher=self.dispatcher,
            resolve=self.resolve,
            disk_space=self.disk_space,
            refit_corpus=self.refit_corpus,
            refit_models=self.refit_models,
            waiting=Waiting(self.store, self.sources, wait),
            tldr_writer=self.tldr_writer,
        )

    # Rendering

    @cached_property
    def templates(self) -> Environment:
        """The shipped templates; the home's own take precedence."""
        from bot.rendering.templates import environment

        return environment(shipped("templates"), self.home.templates)

    def links(self, reader: Reader) -> ReaderLinks:
        """The links in messages to a reader."""
        return ReaderLinks(self.public_url, self.signer, reader)

    @cached_property
    def renderer(self) -> MessageRenderer:
        """Renders editions as messages."""
        from bot.rendering.messages import MessageRenderer

        sender = self.home.settings.email.sender
        return MessageRenderer(self.templates, sender, self.links, slack_buttons=self.has_slack_buttons)

    # Delivery

    @cached_property
    def routes(self) -> Mapping[Kind, Route]:
        """The route for each kind of address."""
        from bot.app.routes import make_routes

        routes = make_routes(self.home.settings, self.home.outbox_folder)
        for route in routes.values():
            for channel in route.channels:
                self._resources.callback(channel.close)
        return routes

    @property
    def file_kinds(self) -> set[Kind]:
        """The kinds of address that have no server configured, so that messages to them are files."""
        from bot.app.routes import kinds_without_server

        return kinds_without_server(self.home.settings)

    def route_description(self, kind: Kind) -> str:
        """What happens to messages of a kind, as a predicate: ``go by smtp.example.org:587 ...``."""
        from bot.app.routes import describe_route

        return describe_route(kind, self.home.settings, self.home.outbox_folder)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """Delivers what is in the outbox."""
        from bot.app.routes import send_limits
        from bot.delivery.dispatcher import Dispatcher

        store = self.store
        return Dispatcher(
            store.outbox,
            self.routes,
            store.readers,
            store.circuit_breakers,
            store.send_rates(send_limits(self.home.settings)),
            stop=self._stop,
            full=self.disk_space.problems,
        )

    @cached_property
    def channel_tests(self) -> ChannelTests:
        """Sends a reader's last edition again, marked as a test."""
        from bot.operations.channel_test import ChannelTests

        return ChannelTests(
            store=self.store,
            templates=self.templates,
            sender=self.home.settings.email.sender,
            public_url=self.public_url,
            renderer=self.renderer,
            routes=self.routes,
        )

    @cached_property
    def slack_interactions(self) -> SlackInteractions | None:
        """Receives and answers clicks and commands in Slack; None if Slack is not set up for them."""
        if not self.has_slack_buttons:
            return None
        from bot.delivery.slack_interactions import SlackInteractions

        slack = self.home.settings.slack
        return SlackInteractions(_plain(slack.signing_secret), _plain(slack.app_token), slack.api_url)

    # Subscriptions, feedback, operations

    @cached_property
    def subscriptions(self) -> SubscriptionService:
        """Subscribe, confirm, pause and unsubscribe, the same for command line, pages and Slack."""
        from bot.subscriptions.service import SubscriptionService

        def current_profiles() -> Mapping[str, Profile]:
            self.refresh()
            return self.profiles

        return SubscriptionService(
            self.store,
            self.templates,
            self.home.settings.email.sender,
            self.links,
            profile_folder=self.home.profiles_folder,
            current_profiles=current_profiles,
        )

    def forget(self, reader: Reader, now: datetime) -> Path | None:
        """Remove everything stored about a reader; see ``bot.feedback.erasure.erase``."""
        from bot.delivery.files import FilesChannel
        from bot.feedback.erasure import erase

        outbox = self.home.outbox_folder
        return erase(
            reader,
            now,
            store=self.store,
            messages=FilesChannel(outbox, ".eml" if reader.kind is Kind.EMAIL else ".json"),
            # The chart of all readers names this reader too.
            charts=[self.home.chart_file(reader), self.home.chart_file(None)],
            profile_file=self.home.profile_file(reader.profile),
            profile=self.profiles.get(reader.profile),
        )

    def notify_operator(self, problems: Sequence[Problem], now: datetime) -> list[Problem]:
        """Mail the operator, if one is configured, what needs attention; return what failed."""
        if not self.home.settings.bot.operator:
            return []
        from bot.app.operator_notices import make_operator_notices

        notices = make_operator_notices(
            self.home.settings.bot.operator,
            self.home.settings.email.sender,
            self.store,
            self.disk_space,
            self.routes[Kind.OPERATOR],
            stop=self._stop,
        )
        return list(notices.send(problems, now))


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def open_app(home: Path, stop: Event | None = None, parser: Parser | None = None) -> App:
    """Open the home at a path; raises UsageError if there is no directory. Otherwise as ``App``."""
    if not home.is_dir():
        raise UsageError(f"{home}: no such directory; make a home with `paperbot init {home}`")
    return App(home, stop, parser)
