"""The page behind a thumb: shows the paper and one button, records on POST, and tells what that changed."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from bot.domain import Paper, Reader, Vote
from bot.feedback.effect import VoteEffect, vote_with_effect
from bot.tokens import Purpose
from bot.web.site import Refused, Site, vote_of

VOTES_A_MINUTE = 60  # of one reader, by any door of the web


class VotePages:
    """``/thumb/{token}``."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        """The paper with a button for the vote that the link names."""
        reader, paper = self._reader_and_paper(request)
        vote = vote_of(request.query_params.get("vote", "up"))
        said = self._site.app.store.feedback.votes(reader.id, paper.id)
        return self._site.page(
            "thumb.html.j2", paper=paper, vote=vote, current=said[-1].vote if said else None
        )

    def record(self, request: Request) -> Response:
        """Records the vote; the page says what changed, and offers to take it back or turn it round."""
        reader, paper = self._reader_and_paper(request)
        vote = vote_of(request.query_params.get("vote", "up"))
        via = "page" if request.query_params.get("from") == "page" else "mail"
        effect = vote_by_web(self._site, reader, paper, vote, via=via)
        return self._site.page("voted.html.j2", paper=paper, vote=vote, effect=effect, via=via)

    def _reader_and_paper(self, request: Request) -> tuple[Reader, Paper]:
        reader_id, paper_id = self._site.payload(request, Purpose.THUMB)
        return self._site.reader_with(reader_id), self._site.paper(paper_id)


def vote_by_web(
    site: Site, reader: Reader, paper: Paper, vote: Vote, *, via: str, voter: str = ""
) -> VoteEffect:
    """Record a vote, within limits, and tell what it changed; raises Refused."""
    store, now = site.app.store, site.now
    if not store.rate_limits.allow(
        "votes", f"{reader.id} {voter}", VOTES_A_MINUTE, timedelta(minutes=1), now
    ):
        raise Refused(429, "That was very many thumbs at once; please wait a minute.")
    profile = site.profile_of(reader)
    with site.editor() as editor:
        return vote_with_effect(
            store, editor, reader, profile, paper=paper, vote=vote, now=now, via=via, voter=voter
        )
