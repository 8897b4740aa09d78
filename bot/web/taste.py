"""``/taste/{token}``, the page behind the letter's buttons: GET says what would change, POST changes it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from bot.config.keys import Purpose
from bot.model import Paper, Reader, TasteChange
from bot.model.wording import oneline
from bot.readers.subscriptions import MAX_WORD_LENGTH
from bot.readers.taste import change_taste, liked_votes, names
from bot.readers.votes import VoteEffect
from bot.web.papers import VOTES_A_MINUTE
from bot.web.site import PageError, Site

_INCOMPLETE = "This link is incomplete; please open it from the letter again."


@dataclass(frozen=True, slots=True)
class _Wish:
    reader: Reader
    change: TasteChange
    phrase: str
    papers: list[Paper]  # of the letter, which the reader still likes


class TastePages:
    """What becomes of a phrase that the reader has not liked for a quarter."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        return self._page(self._wish(request))

    def change(self, request: Request) -> Response:
        wish = self._wish(request)
        reader = wish.reader
        profile = self._site.profile_of(reader)
        self._site.limit_rate("votes", f"{reader.id} ", VOTES_A_MINUTE)
        with self._site.composer() as composer:
            try:
                effect = change_taste(
                    self._site.store,
                    composer,
                    reader,
                    profile,
                    change=wish.change,
                    phrase=wish.phrase,
                    papers=[paper.id for paper in wish.papers],
                    now=self._site.now,
                )
            except ValueError as error:
                raise PageError(400, str(error)) from None
        return self._page(wish, effect=effect)

    def _page(self, wish: _Wish, effect: VoteEffect | None = None) -> Response:
        return self._site.page(
            "taste.html.j2",
            me=self._site.me(wish.reader),
            language=self._site.language_of(wish.reader),
            links=self._site.app.links(wish.reader),
            change=wish.change,
            phrase=wish.phrase,
            papers_liked=wish.papers,
            effect=effect,
        )

    def _wish(self, request: Request) -> _Wish:
        reader_id, *paper_ids = self._site.payload(request, Purpose.TASTE)
        reader = self._site.reader_with(reader_id)
        # PostgreSQL refuses the null character in any text.
        phrase = oneline(request.query_params.get("phrase", "").replace("\0", ""))
        papers = self._site.store.papers.get(paper_ids)
        try:
            change = TasteChange(request.query_params.get("do", ""))
        except ValueError:
            raise PageError(400, _INCOMPLETE) from None
        # The papers are signed, the phrase is not: it has to be one of theirs.
        if len(phrase) > MAX_WORD_LENGTH or not any(names(paper, phrase) for paper in papers.values()):
            raise PageError(400, _INCOMPLETE)
        liked = {vote.paper for vote in liked_votes(self._site.store, reader, paper_ids)}
        return _Wish(reader, change, phrase, [papers[i] for i in paper_ids if i in papers and i in liked])
