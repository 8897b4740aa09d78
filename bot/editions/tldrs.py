"""Where TL;DRs are wanted: an edition's summaries replaced by them, as far as they can be had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.domain import Edition, Paper, PaperId, Pick, Problem, Role, Sentence
from bot.errors import TldrError
from bot.store.tldrs import Tldrs
from bot.tldr import Endpoint


class TldrWriter:
    """Asks once for each paper, never more often a day than the budget allows.

    After a failure it asks no more in that run (the runs are told apart by their ``now``): those who wait for
    their edition shall not wait for one time-out after another.
    """

    def __init__(self, tldrs: Tldrs, endpoint: Endpoint, daily_budget: int) -> None:
        self._tldrs, self._endpoint, self._budget = tldrs, endpoint, daily_budget
        self._failed: datetime | None = None

    def known(self, edition: Edition) -> Edition:
        """The edition with the TL;DRs at hand; nobody is asked."""
        papers = [pick.paper.id for pick in edition.picks]
        return _shortened(edition, self._tldrs.known(papers, self._endpoint.model))

    def shorten(self, edition: Edition, now: datetime) -> tuple[Edition, list[Problem]]:
        """The edition with a TL;DR for each summary; what can't be had stays as it is, and is a problem."""
        papers = {pick.paper.id: pick.paper for pick in edition.picks if pick.summary}
        texts = self._tldrs.known(papers, self._endpoint.model)
        try:
            for paper in papers.values():
                if paper.id not in texts and self._failed != now and (text := self._ask(paper, now)):
                    texts[paper.id] = text
        except TldrError as error:
            self._failed = now
            return _shortened(edition, texts), [
                Problem("TL;DRs", f"{error}; the summaries are the abstracts' own")
            ]
        return _shortened(edition, texts), []

    def _ask(self, paper: Paper, now: datetime) -> str | None:
        """None where the budget is spent; raises TldrError."""
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        request = self._tldrs.begin(paper.id, self._endpoint.model, now, since=midnight, budget=self._budget)
        if request is None:
            return None
        text = self._endpoint.tldr(paper.title, paper.abstract)
        self._tldrs.keep(request, text)
        return text


def _shortened(edition: Edition, texts: Mapping[PaperId, str]) -> Edition:
    return replace(edition, picks=tuple(_with(pick, texts.get(pick.paper.id)) for pick in edition.picks))


def _with(pick: Pick, text: str | None) -> Pick:
    """A pick whose profile wants no summary, or that has no TL;DR, stays as it is."""
    if not (text and pick.summary):
        return pick
    return replace(pick, summary=(Sentence(text, Role.TLDR),))
