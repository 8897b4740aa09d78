"""TL;DRs: the summaries of an edition replaced by sentences of a language model, where an endpoint is configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.domain import Edition, PaperId, Problem, Role, Sentence
from bot.errors import TldrError
from bot.store.tldrs import Tldrs
from bot.tldr import Endpoint


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
