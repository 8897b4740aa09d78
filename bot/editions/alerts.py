"""Alerts: a message at once for a paper that a profile's alert rule matches.

    papers new since the last check --rank--> scores --alert rule--> a message each, up to the daily limit --> outbox

Matches above the daily limit go first into the next edition. In quiet hours nothing is checked and the mark stays
where it is, so that the first check after them covers all papers that arrived meanwhile.

TL;DRs: the summaries of an edition replaced by sentences of a language model, where an endpoint is configured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.config.profiles import Profile
from bot.editions.context import Context
from bot.model import Edition, PaperId, Problem, Reader, Role, Sentence
from bot.model.clock import local_date, local_time
from bot.model.errors import TldrError
from bot.ranking.selection import is_quiet
from bot.store.derived import Tldrs
from bot.summaries.tldr import Endpoint


def alert(context: Context, reader: Reader, profile: Profile, now: datetime) -> list[Edition]:
    """Put a reader's due alerts into the outbox, at most one for each paper, and return them."""
    store = context.store
    rule = profile.alerts
    timezone = profile.schedule.timezone
    if rule is None or is_quiet(local_time(now, timezone), rule.quiet):
        return []
    mark = store.alert_marks.get(reader.id) or 0
    newest = store.papers.newest_id()
    if mark >= newest:
        # Nothing arrived: most of the ticks, one a minute, end here without gathering candidates.
        if mark > newest:  # a restored backup has fewer papers: the next ones get ids below the mark
            store.alert_marks.move(reader.id, newest)
        return []

    # The first check has no mark, and covers what is new since the last edition.
    candidates = context.composer.candidates(reader, profile)
    candidates = replace(candidates, ids=[paper_id for paper_id in candidates.ids if paper_id > mark])
    day = local_date(now, timezone)
    remaining = max(rule.per_day - store.editions.alerts_on(reader.id, day), 0)
    saved: list[Edition] = []
    if candidates.ids and remaining:
        for edition in context.composer.alerts(reader, profile, day, now, candidates)[:remaining]:
            slot = f"alert-{edition.picks[0].paper.ref}"
            # The slot is unique to reader and paper: a second process saves nothing, and so sends nothing.
            if store.editions.save(edition, slot, context.renderer.messages(edition, slot)) is not None:
                saved.append(edition)
    # Moved last: after a crash in between the papers are checked again, and the slots prevent a second alert.
    store.alert_marks.move(reader.id, candidates.watermark)
    return saved


class TldrWriter:
    """Requests a TL;DR once for each paper, at most ``daily_budget`` times a day.

    The first failure ends the requests of a run (identified by its ``now``): an edition must not wait for one
    time-out after another.
    """

    def __init__(self, tldrs: Tldrs, endpoint: Endpoint, daily_budget: int) -> None:
        self._tldrs = tldrs
        self._endpoint = endpoint
        self._daily_budget = daily_budget
        self._failed_run: datetime | None = None

    def known(self, edition: Edition) -> Edition:
        """Return the edition with the TL;DRs in the store; the endpoint is not called."""
        papers = [pick.paper.id for pick in edition.picks]
        return _with_tldrs(edition, self._tldrs.known(papers, self._endpoint.model))

    def shorten(self, edition: Edition, now: datetime) -> tuple[Edition, list[Problem]]:
        """Return the edition with a TL;DR for each summary, and a problem if some could not be had."""
        papers = {pick.paper.id: pick.paper for pick in edition.picks if pick.summary}
        texts = self._tldrs.known(papers, self._endpoint.model)
        problems = []
        # The day of the budget is UTC, as the endpoint's bill is.
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        if self._failed_run != now:
            try:
                for paper in papers.values():
                    if paper.id in texts:
                        continue
                    # The request is counted before it is made: a process that dies in the middle of it must not
                    # spend the budget again after each restart.
                    request = self._tldrs.begin(
                        paper.id, self._endpoint.model, now, since=midnight, budget=self._daily_budget
                    )
                    if request is None:  # the budget is spent
                        continue
                    text = self._endpoint.tldr(paper.title, paper.abstract)
                    self._tldrs.keep(request, text)
                    texts[paper.id] = text
            except TldrError as error:
                self._failed_run = now
                problems = [Problem("TL;DRs", f"{error}; the summaries are the abstracts' own")]
        return _with_tldrs(edition, texts), problems


def _with_tldrs(edition: Edition, texts: Mapping[PaperId, str]) -> Edition:
    picks = []
    for pick in edition.picks:
        text = texts.get(pick.paper.id)
        # A pick without a summary stays without: its profile wants none, or the paper has no abstract.
        if text and pick.summary:
            picks.append(replace(pick, summary=(Sentence(text, Role.TLDR),)))
        else:
            picks.append(pick)
    return replace(edition, picks=tuple(picks))
