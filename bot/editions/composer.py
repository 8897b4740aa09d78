"""Compose editions and alerts: candidates, ranking, selection, picks.

    candidates --rank--> scores --alert rule, select--> choices --explain, summarise--> edition

A batch takes a few queries and matrix products.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from itertools import chain, permutations
from typing import TYPE_CHECKING

from bot.channels import MessageRenderer
from bot.config.profiles import Profile
from bot.editions.connections import FollowUps, GroupLikes, citations_of, listed
from bot.editions.due import WAITING, Candidates, EditionRequest, Readers, candidates_of
from bot.editions.health import SourceActivitySince, SourceMonitor, all_sent, quiet_reason
from bot.editions.models import CurrentRanker, interests_of
from bot.model import (
    Edition,
    EditionKind,
    Kind,
    Paper,
    PaperId,
    Pick,
    PickKind,
    Problem,
    Reader,
    ReaderId,
    Role,
    Score,
    Sentence,
)
from bot.model.clock import local_date, local_time
from bot.model.errors import TldrError, UnusableTldrError
from bot.ranking.phrases import PaperText
from bot.ranking.selection import is_quiet
from bot.store import Store
from bot.store.derived import Tldrs
from bot.store.editions import StoredEdition
from bot.summaries.tldr import Endpoint

if TYPE_CHECKING:  # importing reasons and summaries takes a tenth of an idle run
    from bot.editions.choices import Explanation, Ranked, TextReader


_NO_ACTIVITY = SourceActivitySince()
# Papers that a quiet edition links.
_CLOSEST = 3
# A cached text takes 30 KB.
_MAX_TEXTS = 2_000


@dataclass
class EditionComposer:
    """Composes editions from the store, and writes nothing.

    Sources of ``samples`` end once another source has delivered papers.
    """

    store: Store
    ranker: CurrentRanker
    sources: SourceMonitor
    samples: Collection[str] = ()

    @cached_property
    def _read(self) -> TextReader:
        return lru_cache(maxsize=_MAX_TEXTS)(PaperText)

    @cached_property
    def follow_ups(self) -> FollowUps:
        return FollowUps(self.store, self.ranker)

    def candidates(self, reader: Reader, profile: Profile) -> Candidates:
        return self.candidates_of([(reader, profile)])[0]

    def candidates_of(self, readers: Readers) -> list[Candidates]:
        return candidates_of(self.store, readers, self.samples)

    def edition(
        self, reader: Reader, profile: Profile, day: date, now: datetime, candidates: Candidates | None = None
    ) -> Edition:
        request = EditionRequest(reader, profile, day)
        return next(self.editions([request], now, [candidates] if candidates else None))

    def editions(
        self, requests: Sequence[EditionRequest], now: datetime, candidates: Sequence[Candidates] | None = None
    ) -> Iterator[Edition]:
        readers = [(request.reader, request.profile) for request in requests]
        candidates = candidates or self.candidates_of(readers)
        # Read everything before the first yield: the caller stores editions, and a batch must see one state.
        quiet = [reader.id for (reader, _), new in zip(readers, candidates, strict=True) if not new.ids]
        members = [(reader, profile) for reader, profile in readers if profile.group]
        last = self.store.editions.last_by_reader([*quiet, *(reader.id for reader, _ in members)])
        candidates = [
            _with_waiting(request, new, last.get(request.reader.id))
            for request, new in zip(requests, candidates, strict=True)
        ]
        activities = [
            _NO_ACTIVITY if new.ids else self._activity(profile, last.get(reader.id), now)
            for (reader, profile), new in zip(readers, candidates, strict=True)
        ]
        likes = GroupLikes(self.store, {reader.profile: profile for reader, profile in members}, now)
        unseen = {reader.id: likes.unseen(reader, profile, last.get(reader.id)) for reader, profile in members}
        ids = [[*new.ids, *new.chosen] for new in candidates]
        rankings = self._ranked(readers, ids, now, [new.waiting for new in candidates])
        # Two profiles of a batch may have one address.
        sent: dict[tuple[Kind, str], set[PaperId]] = defaultdict(set)
        better_elsewhere = self._better_elsewhere(readers, ids, candidates, now)
        for request, new, ranking, activity in zip(requests, candidates, rankings, activities, strict=True):
            sent_now = sent[request.reader.kind, request.reader.address]
            elsewhere = sent_now.union(new.sent_elsewhere, better_elsewhere[request.reader.id])
            ranked = ranking.without_sent(elsewhere) if ranking else None
            picks = ranked.edition_picks(request.profile, new.waiting, new.chosen) if ranked else []
            sent_now.update(pick.paper.id for pick in picks)
            fresh = ranked.without(new.waiting) if ranked else None
            edition = compose(
                request,
                picks,
                scores=fresh.scores if fresh else (),
                watermark=new.watermark,
                now=now,
                activity=activity,
                closest=fresh.closest(_CLOSEST) if fresh and not picks else (),
                uncovered=fresh.uncovered if fresh and not picks else (),
                good=fresh.good(request.profile) if fresh else (),
            )
            arrived = len(ranking.without(new.waiting).scores) if ranking else 0
            if arrived and not (edition.considered or picks):
                edition = replace(edition, quiet=all_sent(arrived))
            if ranked and picks:
                follow_ups = self.follow_ups.of_reader(request.reader, ranked, new.ids, now)
                edition = replace(edition, follow_ups=follow_ups)
            if request.profile.group:
                papers = [pick.paper for pick in picks]
                others = listed(unseen[request.reader.id], {paper.id for paper in papers})
                edition = replace(edition, group_likes=(*likes.of_papers(request.reader, papers), *others))
            yield edition

    def _activity(self, profile: Profile, last: StoredEdition | None, now: datetime) -> SourceActivitySince:
        since = last.composed_at if last else None
        return self.sources.activity_since(profile.sources, since, now, profile.schedule.timezone)

    def _better_elsewhere(
        self, readers: Readers, ids: Sequence[Sequence[PaperId]], candidates: Sequence[Candidates], now: datetime
    ) -> dict[ReaderId, set[PaperId]]:
        """Return the papers that another profile of the batch at a reader's address would send as a better match."""
        together: dict[tuple[Kind, str], list[int]] = defaultdict(list)
        for number, (reader, _) in enumerate(readers):
            together[reader.kind, reader.address].append(number)
        groups = [numbers for numbers in together.values() if len(numbers) > 1]
        numbers = list(chain.from_iterable(groups))
        rankings = self._ranked(
            [readers[n] for n in numbers], [ids[n] for n in numbers], now, [candidates[n].waiting for n in numbers]
        )
        log_odds: dict[int, dict[PaperId, float]] = defaultdict(dict)
        chosen: dict[int, set[PaperId]] = defaultdict(set)
        for n, ranking in zip(numbers, rankings, strict=True):
            if ranking:
                log_odds[n] = {score.paper: score.log_odds for score in ranking.scores}
                remaining = ranking.without_sent(candidates[n].sent_elsewhere)
                choices = remaining.choices(readers[n][1], candidates[n].waiting, candidates[n].chosen)
                chosen[n] = {choice.score.paper for choice in choices}
        better: dict[ReaderId, set[PaperId]] = defaultdict(set)
        for group in groups:
            for n, other in permutations(group, 2):
                own, others = log_odds[n], log_odds[other]
                is_better = {paper for paper in chosen[other] if paper in own and others[paper] > own[paper]}
                better[readers[n][0].id] |= is_better.difference(candidates[n].chosen)
        return better

    def alerts(
        self, reader: Reader, profile: Profile, day: date, now: datetime, candidates: Candidates
    ) -> list[Edition]:
        """Return an alert for each candidate that matches the rule, best first."""
        request = EditionRequest(reader, profile, day)
        ranked = self.ranked(reader, profile, candidates.ids, now)
        if ranked is None:
            return []
        watermark = candidates.watermark
        alerts = [
            compose(request, [pick], scores=[score], watermark=watermark, now=now)
            for score, pick in ranked.without_sent(candidates.sent_elsewhere).alert_picks(profile)
        ]
        return [replace(alert, kind=EditionKind.ALERT) for alert in alerts]

    def ranked(self, reader: Reader, profile: Profile, ids: Sequence[PaperId], now: datetime) -> Ranked | None:
        """Return the papers ranked for a reader, or None if there is nothing to rank."""
        return next(self._ranked([(reader, profile)], [ids], now))

    def ranked_papers(self, reader: Reader, profile: Profile, papers: Sequence[Paper], now: datetime) -> Ranked | None:
        """Rank papers with positive ids. Without stored papers, they are their own vocabulary."""
        interests = interests_of(self.store, [(reader, profile)], now)
        from bot.editions.choices import Ranked
        from bot.ranking.corpus import Corpus
        from bot.ranking.ranker import Ranker

        if self.store.papers.recent_texts(1):
            ranker = self.ranker.get()
        else:
            ranker = Ranker(Corpus().fit([paper.text for paper in papers]))
        (ranking,) = ranker.rankings(interests, [papers])
        if not ranking.scores:
            return None
        by_id = {paper.id: paper for paper in papers}
        (cites,) = citations_of(self.store, [(reader, profile)], interests, papers)
        return Ranked.of(ranking, interests[0], by_id, profile, self._read, cites=cites)

    def explanation(self, reader: Reader, profile: Profile, paper: Paper, now: datetime) -> Explanation | None:
        ranked = self.ranked(reader, profile, [paper.id], now)
        score = ranked.explained(paper.id) if ranked else None
        if not (ranked and score):
            return None
        # An exploratory pick is explained as one.
        kind = self.store.editions.pick_kind(reader.id, paper.id) or PickKind.MATCH
        return ranked.explanation(paper, score, kind)

    def _ranked(
        self,
        readers: Readers,
        ids: Sequence[Sequence[PaperId]],
        now: datetime,
        waiting: Sequence[Collection[PaperId]] = (),
    ) -> Iterator[Ranked | None]:
        if not any((*ids, *waiting)):
            # Most idle runs end here without scikit-learn.
            yield from [None] * len(readers)
            return
        interests = interests_of(self.store, readers, now)
        papers = self.store.papers.get(paper_id for reader_ids in (*ids, *waiting) for paper_id in reader_ids)
        # A paper may have been deleted meanwhile.
        candidates, earlier = (
            [[papers[i] for i in reader_ids if i in papers] for reader_ids in lists] for lists in (ids, waiting)
        )
        cites = citations_of(self.store, readers, interests, papers.values())
        from bot.editions.choices import Ranked

        rankings = self.ranker.get().rankings(interests, candidates, earlier)
        for (_, profile), interest, ranking, cited in zip(readers, interests, rankings, cites, strict=True):
            if not ranking.scores:
                yield None
                continue
            yield Ranked.of(ranking, interest, papers, profile, self._read, cites=cited)


def _with_waiting(request: EditionRequest, new: Candidates, last: StoredEdition | None) -> Candidates:
    # Without new papers, those of earlier days make an edition on one of the next days, not at once.
    if new.ids or last is None or timedelta() < request.day - last.date <= WAITING:
        return new
    return replace(new, waiting=())


def compose(
    request: EditionRequest,
    picks: Sequence[Pick],
    *,
    scores: Sequence[Score],
    watermark: PaperId,
    now: datetime,
    activity: SourceActivitySince = _NO_ACTIVITY,
    closest: Sequence[Paper] = (),
    uncovered: Sequence[str] = (),
    good: Sequence[Score] = (),
) -> Edition:
    """Return an edition of these picks, or with the reason why it is quiet. ``scores`` are of all new candidates.

    ``good`` are the new ones that fit, with or without a place. ``uncovered`` topics explain a quiet edition.
    """
    picked = {pick.paper.id for pick in picks}
    return Edition(
        reader=request.reader,
        profile_title=request.profile.title,
        date=request.day,
        composed_at=now,
        picks=tuple(picks),
        considered=len(scores),
        watermark=watermark,
        language=request.profile.language,
        is_weekly=request.profile.schedule.is_weekly,
        quiet=None if picks else quiet_reason(scores, activity, uncovered),
        closest=tuple(closest),
        more=sum(score.paper not in picked for score in good),
        has_room=len(picks) < min(request.profile.edition.size, len(scores)),
    )


@dataclass(frozen=True, slots=True)
class Context:
    """The store, the current profiles, and what ranks, composes and renders."""

    store: Store
    profiles: Mapping[str, Profile]
    ranker: CurrentRanker
    composer: EditionComposer
    renderer: MessageRenderer


def alert(context: Context, reader: Reader, profile: Profile, now: datetime) -> list[Edition]:
    """Queue a reader's due alerts, at most one for each paper, and return them.

    Matches above the daily limit go into the next edition. After quiet hours, the next check covers their papers.
    """
    store = context.store
    rule = profile.alerts
    timezone = profile.schedule.timezone
    if rule is None or is_quiet(local_time(now, timezone), rule.quiet):
        return []
    mark = store.alert_marks.get(reader.id) or 0
    newest = store.papers.newest_id()
    if mark >= newest:
        if mark > newest:  # a restored backup has fewer papers, and new ones get ids below the mark
            store.alert_marks.move(reader.id, newest)
        return []

    # Without a mark, all since the last edition.
    candidates = context.composer.candidates(reader, profile)
    candidates = replace(candidates, ids=[paper_id for paper_id in candidates.ids if paper_id > mark])
    day = local_date(now, timezone)
    remaining = max(rule.per_day - store.editions.alerts_on(reader.id, day), 0)
    saved: list[Edition] = []
    if candidates.ids and remaining:
        for edition in context.composer.alerts(reader, profile, day, now, candidates)[:remaining]:
            slot = f"alert-{edition.picks[0].paper.ref}"
            # A second process finds the slot taken.
            if store.editions.save(edition, slot, context.renderer.messages(edition, slot)):
                saved.append(edition)
    # After a crash, the slots prevent a second alert.
    store.alert_marks.move(reader.id, candidates.watermark)
    return saved


@dataclass(slots=True)
class TldrWriter:
    """Requests a TL;DR once for each paper, at most ``daily_budget`` times a day.

    A failing endpoint ends the requests of a run (identified by ``now``), so no edition waits for another time-out.
    """

    tldrs: Tldrs
    endpoint: Endpoint
    daily_budget: int
    _failed_run: datetime | None = field(default=None, init=False)

    def known(self, edition: Edition) -> Edition:
        papers = [pick.paper.id for pick in edition.picks]
        return _with_tldrs(edition, self.tldrs.known(papers, self.endpoint.model))

    def shorten(self, edition: Edition, now: datetime) -> tuple[Edition, list[Problem]]:
        papers = {pick.paper.id: pick.paper for pick in edition.picks if pick.summary}
        model = self.endpoint.model
        texts = self.tldrs.known(papers, model)
        problems = []
        # UTC, like the endpoint's bill.
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        for paper in papers.values():
            if paper.id in texts or self._failed_run == now:
                continue
            # Count the request first: a process that dies must not spend the budget again after each restart.
            request = self.tldrs.begin(paper.id, model, now, since=midnight, budget=self.daily_budget)
            if request is None:  # the budget is spent
                continue
            try:
                text = self.endpoint.tldr(paper.title, paper.abstract)
            except UnusableTldrError as error:
                text = ""
                problems = [Problem("TL;DRs", f"{error}. You see the abstract's own summary of it")]
            except TldrError as error:
                self._failed_run = now
                problems = [Problem("TL;DRs", f"{error}. The summaries are the abstracts' own")]
                continue
            self.tldrs.keep(request, text)
            texts[paper.id] = text
        return _with_tldrs(edition, texts), problems


def _with_tldrs(edition: Edition, texts: Mapping[PaperId, str]) -> Edition:
    # Without a summary, the profile wants none or the paper has no abstract.
    picks = (
        replace(pick, summary=(Sentence(texts[pick.paper.id], Role.TLDR),))
        if pick.summary and texts.get(pick.paper.id)
        else pick
        for pick in edition.picks
    )
    return replace(edition, picks=tuple(picks))
