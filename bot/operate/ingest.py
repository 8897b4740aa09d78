"""Ingestion: from sources to the store.

    sources --is it due?--> poll --digest--> known by its hash? --parse, in its process--> identify, merge --> store
        --state of the source, health check--> missing links and cut texts (``LinkResolver``) --> vocabulary

A failure costs its digest or source alone. Only an unusable store ends the run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from bot.channels.email import EMAIL
from bot.config.files import DiskSpace
from bot.config.keys import Signer, TokenError
from bot.editions.health import Health, check_health
from bot.editions.models import CorpusCache
from bot.formats import Parser
from bot.model import BounceKind, Entry, Paper, ParsedDigest, Problem, RawDigest, SourceState, StopReason
from bot.model.errors import (
    DigestError,
    LimitError,
    OfflineError,
    PaperbotError,
    ParserError,
    SourceError,
    StoreError,
    in_one_line,
)
from bot.model.papers import CUT_OFF, is_biorxiv_doi, is_same_paper, normalised_title
from bot.sources import Source, Visit, after_failure, after_success, biorxiv, is_due, next_interval, retry_after
from bot.sources.arxiv import URL
from bot.store import Store
from bot.store.papers import StoredDigest

if TYPE_CHECKING:  # httpx2 takes long to import
    from bot.sources.http import Fetcher

FORGED = "forged"  # names no message of ours
UNREADABLE = "unreadable"
_STOPS = {BounceKind.FAILURE: StopReason.REFUSED, BounceKind.COMPLAINT: StopReason.COMPLAINED}
_LINKS = "links"
_MAX_LOOKED_UP = 10
_BIORXIV_SERVERS = ("biorxiv", "medrxiv")  # share DOI prefixes, but each lists only its own papers
_RESULTS_OF_SEARCH = 5
_RETRY_HINT = "`paperbot ingest --again` tries again"

Progress = Callable[[str, int, int], None]  # the step, items done, items in all (0: unknown)


@dataclass(frozen=True, slots=True)
class DigestReport:
    """The outcome of one digest."""

    source: str
    date: date | None
    format: str
    papers: int
    new: int
    known: int
    rejected: tuple[str, ...]
    file: str


@dataclass(frozen=True, slots=True)
class IngestionReport:
    """The outcome of one run over the sources."""

    digests: list[DigestReport]
    problems: list[Problem]


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The ingest loop of commands and scheduler."""

    store: Store
    parser: Parser
    corpora: CorpusCache | None = None  # fitted again for new papers
    disk_space: DiskSpace = field(default_factory=lambda: DiskSpace(()))
    links: LinkResolver | None = None
    bounces: BounceService | None = None

    def ingest(
        self,
        sources: Iterable[Source],
        now: datetime,
        *,
        at_once: bool = False,
        again: bool = False,
        progress: Progress = no_progress,
    ) -> IngestionReport:
        """Ingest from sources. Raises StoreError.

        ``at_once`` polls sources before they are due, but Retry-After holds. ``again`` repeats digests refused for a
        limit, and unreadable mails.
        """
        report = IngestionReport([], self.disk_space.problems())
        if report.problems:
            return report
        progress("reading digests", 0, 0)
        states = self.store.sources.states()
        for source in sources:
            state = states.get(source.name) or SourceState(source.name)
            try:
                if at_once and (not_before := retry_after(state, now)):
                    problem = f"asks not to be polled until {not_before:%Y-%m-%d %H:%M} UTC"
                    report.problems.append(Problem(source.name, problem))
                elif at_once or is_due(source.poll_interval, state, now):
                    for outcome in self._outcomes(source, state, now, again=again):
                        if isinstance(outcome, DigestReport):
                            report.digests.append(outcome)
                        else:
                            report.problems.append(outcome)
                        progress("reading digests", len(report.digests) + len(report.problems), 0)
            except StoreError:
                raise
            except Exception as error:
                report.problems.append(Problem(source.name, in_one_line(error, source.name)))
        try:
            report.problems.extend(self.links.resolve(now) if self.links else ())
        except PaperbotError:
            raise
        except Exception as error:
            # A failed look-up must not cost anybody an edition.
            report.problems.append(Problem(_LINKS, in_one_line(error, _LINKS)))
        if self.corpora and any(digest.new for digest in report.digests):
            progress("fitting the vocabulary", 0, 0)
            self.corpora.renew()
        return report

    def _outcomes(
        self, source: Source, state: SourceState, now: datetime, *, again: bool
    ) -> Iterator[DigestReport | Problem]:
        visit = Visit(now, dict(state.memory), again=again)
        problems: list[Problem] = []
        failure: SourceError | None = None
        has_whole_digest = False
        try:
            for raw in retrieved(source, visit):
                if self.bounces and source.delivers_bounces and isinstance(raw, RawDigest):
                    self.bounces.record(raw)
                    continue
                outcomes = [raw] if isinstance(raw, Problem) else self._stored(raw, now, again=again)
                has_whole_digest |= not any(isinstance(outcome, Problem) for outcome in outcomes)
                for outcome in outcomes:
                    if isinstance(outcome, DigestReport):
                        yield outcome
                        continue
                    problem = outcome.problem
                    if isinstance(raw, RawDigest):
                        visit.refused.add(raw.name)
                        problem = "; ".join(filter(None, [problem, raw.if_refused]))
                    problems.append(replace(outcome, problem=problem))
                    yield problems[-1]
        except SourceError as error:
            failure = error
            problems.append(Problem(source.name, str(error)))
            hint = ""
            if isinstance(error, OfflineError):
                interval = next_interval(source.poll_interval, replace(state, failures=state.failures + 1))
                hint = f"; Paperbot tries again at {now + interval:%Y-%m-%d %H:%M} UTC"
            # Without the time, the stored problem stays the same until it ends.
            yield replace(problems[-1], problem=f"{error}{hint}")
        # After a problem, the new memory would hide unstored papers from the next poll.
        memory = {**(state.memory if problems else visit.memory), **visit.lasting}
        # One unreadable file does not fail a folder.
        if problems and (failure or not has_whole_digest):
            wait = failure.retry_after if failure else None
            state = replace(after_failure(state, problems[-1], wait, now), memory=memory)
        else:
            state = after_success(state, memory, now)
        # Recorded first, or a failing health check would repeat the poll.
        self.store.sources.record(state)
        report = check_health(source, self.store, now, state)
        if report.needs_attention and report.health not in (Health.FAILING, state.warned):
            yield Problem(source.name, str(report))
        warned = str(report.health) if report.needs_attention else ""
        if warned != state.warned:
            self.store.sources.record(replace(state, warned=warned))

    def _stored(self, raw: RawDigest, now: datetime, *, again: bool) -> Sequence[DigestReport | Problem]:
        """Parse and store one digest. Raises StoreError and ParserError."""
        content_hash = _content_hash(raw)
        attempts = self.store.parse_attempts
        try:
            if stored := self.store.papers.digests_with(content_hash):
                reports = [_digest_report(raw, digest, digest.papers, new=0, known=digest.papers) for digest in stored]
                return [*reports, *_cut_off(raw, stored)]
            # A digest that kills its process is refused after the second time.
            if reason := attempts.begin(content_hash, now, again=again):
                return [_refused(raw, reason)]
            try:
                parsed = self.parser.parse(raw)
                counts = self.store.papers.add_digests(raw.source, raw.name, content_hash, parsed, now=now)
            except LimitError as error:
                attempts.refuse(content_hash, str(error))
                return [Problem(_name(raw), f"{error}; it is refused from now on, {_RETRY_HINT}")]
            except BaseException:  # such as Ctrl-C
                attempts.end(content_hash)
                raise
            attempts.end(content_hash)
            reports = [
                _digest_report(raw, digest, len(digest.entries), new=new, known=known)
                for digest, (new, known) in zip(parsed, counts, strict=True)
            ]
            return [*reports, *_cut_off(raw, parsed)]
        except (StoreError, ParserError):
            raise
        except Exception as error:
            return [Problem(_name(raw), in_one_line(error, _name(raw)))]


def _digest_report(
    raw: RawDigest, digest: ParsedDigest | StoredDigest, papers: int, *, new: int, known: int
) -> DigestReport:
    rejected = tuple(message for message in digest.rejected if not message.startswith(CUT_OFF))  # that is a Problem
    return DigestReport(raw.source, digest.date, digest.format, papers, new, known, rejected, raw.name)


def _cut_off(raw: RawDigest, digests: Sequence[ParsedDigest | StoredDigest]) -> list[Problem]:
    """Return a Problem for each digest without its end."""
    messages = (message for digest in digests for message in digest.rejected if message.startswith(CUT_OFF))
    return [Problem(_name(raw), message) for message in messages]


def retrieved(source: Source, visit: Visit) -> Iterator[RawDigest | Problem]:
    """Yield a source's digests. Raises SourceError for any exception."""
    try:
        yield from source.retrieve(visit)
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(in_one_line(error, source.name)) from error


def peek(source: Source, parser: Parser, now: datetime) -> Iterator[tuple[str, ParsedDigest] | Problem]:
    """Yield name and content of each digest, or a Problem, without changes."""
    try:
        for raw in retrieved(source, Visit(now, peek=True)):
            yield from [raw] if isinstance(raw, Problem) else _parsed(raw, parser)
    except SourceError as error:
        yield Problem(source.name, str(error))


def unreadable(sources: Iterable[Source], store: Store, parser: Parser, now: datetime) -> Iterator[Problem]:
    """Yield a Problem for each unreadable or cut file in the folders, without changes."""
    for raw in _in_folders(sources, now):
        if isinstance(raw, Problem):
            yield raw
        elif reason := store.parse_attempts.refusal(_content_hash(raw)):
            yield _refused(raw, reason)
        elif stored := store.papers.digests_with(_content_hash(raw)):
            yield from _cut_off(raw, stored)
        else:
            yield from (outcome for outcome in _parsed(raw, parser) if isinstance(outcome, Problem))


def unread(sources: Iterable[Source], store: Store, now: datetime) -> list[str]:
    """Return the files in the folders that no run has read or refused."""
    return [
        _name(raw)
        for raw in _in_folders(sources, now)
        if isinstance(raw, RawDigest)
        and not store.parse_attempts.refusal(_content_hash(raw))
        and not store.papers.digests_with(_content_hash(raw))
    ]


def _in_folders(sources: Iterable[Source], now: datetime) -> Iterator[RawDigest | Problem]:
    """Yield the files of the folders. Other sources would need the network."""
    for source in sources:
        if not source.poll_interval:
            yield from retrieved(source, Visit(now, peek=True))


def _name(raw: RawDigest) -> str:
    return f"{raw.source}/{raw.name}"


def _content_hash(raw: RawDigest) -> str:
    return hashlib.sha256(raw.content).hexdigest()


def _refused(raw: RawDigest, reason: str) -> Problem:
    return Problem(_name(raw), f"refused since an earlier run: {reason}; {_RETRY_HINT}")


def _parsed(raw: RawDigest, parser: Parser) -> Sequence[tuple[str, ParsedDigest] | Problem]:
    try:
        return [(raw.name, digest) for digest in parser.parse(raw)]
    except ParserError:
        raise
    except Exception as error:
        return [Problem(_name(raw), in_one_line(error, _name(raw)))]


@dataclass(frozen=True, slots=True)
class BounceService:
    """Records bounces. Anybody can send a report, so only one with a tag that this home signed counts."""

    store: Store
    parser: Parser
    signer: Signer

    def record(self, raw: RawDigest) -> None:
        """Stop the reader of a valid report, and count its outcome."""
        try:
            report = self.parser.parse_bounce(raw)
            outcome: str = report.kind
            if report.kind in _STOPS:
                reader = None
                # The first tag that this home signed. Nobody subscribes to notices.
                for tag in report.tags:
                    with suppress(TokenError):
                        found = self.store.readers.by_id(self.signer.read_tag(tag)[0])
                        reader = found if found and found.kind == EMAIL.name else None
                        break
                if reader is None:
                    outcome = FORGED
                elif reader.stopped is None:  # earlier decisions of reader or operator stay
                    is_failure = report.kind is BounceKind.FAILURE
                    detail = f"a mail came back: {report.reason}".rstrip(": ") if is_failure else report.reason
                    self.store.readers.stop(reader.id, _STOPS[report.kind], detail)
        except DigestError:
            outcome = UNREADABLE
        self.store.bounce_counts.add(outcome)


@dataclass(frozen=True, slots=True)
class LinkResolver:
    """Looks up a few papers a run, each once: without id and link at arXiv by title, with cut text by id."""

    store: Store
    fetcher: Fetcher
    parser: Parser
    url: str = URL
    biorxiv_url: str = biorxiv.URL

    def resolve(self, now: datetime) -> Iterator[Problem]:
        """Look up papers until the first failure."""
        papers = self.store.papers
        try:
            for paper in papers.without_link(_MAX_LOOKED_UP):
                # Punctuation would be query operators.
                words = " ".join(re.findall(r"\w+", paper.title))
                query = urlencode({"search_query": f'ti:"{words}"', "max_results": _RESULTS_OF_SEARCH})
                entries = self._entries(f"{self.url}?{query}")
                matches = (
                    entry
                    for entry in entries
                    if entry.arxiv_id and is_same_paper(entry, paper) and _have_common_author(entry, paper)
                )
                match = next(matches, None)
                papers.record_lookup(paper.id, match, now)
            for paper in papers.with_cut_text(_MAX_LOOKED_UP):
                addresses = []
                if paper.arxiv_id:
                    addresses = [f"{self.url}?{urlencode({'id_list': paper.arxiv_id})}"]
                elif paper.doi and is_biorxiv_doi(paper.doi):
                    details = f"{quote(paper.doi)}/na/json"
                    addresses = [f"{self.biorxiv_url}/details/{server}/{details}" for server in _BIORXIV_SERVERS]
                entries = next(filter(None, map(self._entries, addresses)), [])
                # bioRxiv lists all versions, oldest first.
                match = next((entry for entry in reversed(entries) if is_same_paper(entry, paper)), None)
                papers.complete(paper.id, match, now)
        except (SourceError, DigestError) as error:
            yield Problem(_LINKS, f"looking papers up: {error}")

    def _entries(self, address: str) -> list[Entry]:
        content = self.fetcher.fetch(address).content or b""
        return [entry for digest in self.parser.parse(RawDigest(_LINKS, "", content)) for entry in digest.entries]


def _have_common_author(entry: Entry, paper: Paper) -> bool:
    """Compare surnames, because titles such as "Introduction" aren't unique. Unknown authors match."""
    surnames, others = (
        {normalised_title(author.split()[-1]) for author in authors if author.split()}
        for authors in (entry.authors, paper.authors)
    )
    return not (entry.authors and paper.authors) or not surnames.isdisjoint(others)
