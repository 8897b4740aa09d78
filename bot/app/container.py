"""The container: wires the parts of Paperbot together, from the settings of one home.

Each part is made at its first use, and its libraries are imported then: scikit-learn and SciPy alone take about a
second, which ``paperbot --help`` and most commands don't need to wait for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.current_ranker import CurrentRanker
from bot.app.delivery_parts import DeliveryParts
from bot.channels.registry import reader_channel
from bot.config.profiles import Profile
from bot.domain import OPERATOR_KIND, Problem, Reader
from bot.errors import UsageError

if TYPE_CHECKING:
    from threading import Event

    from bot.editions.composer import EditionComposer
    from bot.editions.corpus_cache import CorpusCache
    from bot.editions.daily_job import DailyJob
    from bot.editions.tldrs import TldrWriter
    from bot.ingestion.bounces import BounceService
    from bot.letters.service import WeeklyLetters
    from bot.parsing import Parser
    from bot.ranking import Ranker
    from bot.sources import Source
    from bot.sources.http import Fetcher
    from bot.subscriptions.service import SubscriptionService


class App(DeliveryParts):
    """All parts: those of ingestion, editions and subscriptions here, the others in its bases."""

    def __init__(self, home: Path, stop: Event | None = None, parser: Parser | None = None) -> None:
        """Read the settings; raises ConfigError. ``stop`` and ``parser`` are those of ``LibraryParts``."""
        super().__init__(home, stop, parser)
        self._current_ranker = CurrentRanker(lambda: self._corpora)

    def refresh(self) -> None:
        """Drop what changed on disk since it was read: profiles, and the ranker if its corpus was fitted again."""
        self.home.refresh()
        self._current_ranker.refresh()

    # Ingestion

    @cached_property
    def sources(self) -> Sequence[Source]:
        """The sources of the settings."""
        from bot.app.sources import make_sources

        return make_sources(
            self.home,
            fetcher=lambda: self._fetcher,
            samples_superseded=lambda: self.store.sources.has_other(self.home.sample_sources),
            record_vote=self._record_reply,
        )

    def _record_reply(self, sender: str, subject: str, now: datetime) -> bool:
        from bot.feedback.reply_votes import ReplyVotes

        return ReplyVotes(self.store, self.signer).record(sender, subject, now)

    @property
    def _digest_sources(self) -> list[Source]:
        """The sources of papers, for which editions may wait."""
        return [source for source in self.sources if source.kind != "bounces"]

    @cached_property
    def bounces(self) -> BounceService:
        """Stops readers whose mails come back, or who complain."""
        from bot.ingestion.bounces import BounceService

        return BounceService(self.store, self.parser.parse_bounce, self.signer.read_tag)

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

        shared = self.store.corpora if self.store.is_shared else None
        return CorpusCache(self.home.state / "corpus.npz", self.store.papers, shared)

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

        sources = SourceMonitor(self.store, self._digest_sources)
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
            bounces=self.bounces,
            profiles=self.profiles,
            composer=lambda: self.composer,
            render=lambda edition, slot: self.renderer.messages(edition, slot),  # noqa: PLW0108 - made when needed
            dispatcher=self.dispatcher,
            resolve=self.resolve,
            follow_libraries=lambda now: self.zotero.follow(now),  # noqa: PLW0108 - made when needed
            queue_saves=lambda profiles, now: self.zotero.queue_saves(profiles, now),  # noqa: PLW0108
            disk_space=self.disk_space,
            refit_corpus=self.refit_corpus,
            refit_models=self.refit_models,
            put_letters=lambda profiles, ids, now: self.weekly_letters.put_due(profiles, ids, now),  # noqa: PLW0108
            waiting=Waiting(self.store, self._digest_sources, wait),
            keep=self.keep_days,
            tldr_writer=self.tldr_writer,
        )

    @cached_property
    def weekly_letters(self) -> WeeklyLetters:
        """Composes the weekly letters."""
        from bot.letters.service import WeeklyLetters

        return WeeklyLetters(
            self.store,
            lambda: self.composer,
            lambda letter, slot: self.renderer.letter(letter, slot),  # noqa: PLW0108 - made when needed
            self.refit_models,
        )

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
            self.renderer,
            self.links,
            profile_folder=self.home.profiles_folder,
            current_profiles=current_profiles,
        )

    def forget(self, reader: Reader, now: datetime) -> Path | None:
        """Remove everything stored about a reader; see ``bot.feedback.erasure.erase``."""
        from bot.channels.files import FilesChannel
        from bot.feedback.erasure import erase

        outbox = self.home.outbox_folder
        return erase(
            reader,
            now,
            store=self.store,
            messages=FilesChannel(outbox, reader_channel(reader.kind).suffix),
            # The chart of all readers names this reader too.
            charts=[self.home.chart_file(reader), self.home.chart_file(None)],
            profile_file=self.home.profile_file(reader.profile),
            profile=self.profiles.get(reader.profile),
        )

    def standing_problems(self, now: datetime) -> list[Problem]:
        """Return the problems that the store doesn't hold: they last until a person repairs a profile, disk or file."""
        from bot.ingestion.service import unreadable

        unreadable_files = unreadable(self.sources, self.store, self.parser.parse, now)
        return [*self.profile_problems, *self.disk_space.problems(), *unreadable_files]

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
            self.routes[OPERATOR_KIND],
            stop=self._stop,
        )
        return list(notices.send(problems, now))


def open_app(home: Path, stop: Event | None = None, parser: Parser | None = None) -> App:
    """Open the home at a path; raises UsageError if there is no directory. Otherwise as ``App``."""
    if not home.is_dir():
        raise UsageError(f"{home}: no such directory; make a home with `paperbot init {home}`")
    return App(home, stop, parser)
