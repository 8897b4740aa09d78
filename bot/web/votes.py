"""The page behind a thumb: GET shows the paper and a button, POST records the vote and shows its effect.

The same link with ``save`` offers the paper to reference managers, as ``paper.bib`` and ``paper.ris``.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from bot.config.keys import Purpose
from bot.model import Paper, Reader, Vote
from bot.readers.votes import VoteEffect, vote_with_effect
from bot.web.editions import bibtex_file, ris_file
from bot.web.site import Site, parse_vote

VOTES_A_MINUTE = 60  # of one reader, from pages, mails and Slack together


class VotePages:
    """``/thumb/{token}``, and ``save``, ``paper.bib`` and ``paper.ris`` below it."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        """Show the paper with a button for the vote that the link names."""
        reader, paper = self._reader_and_paper(request)
        votes = self._site.store.feedback.votes(reader.id, paper.id)
        return self._site.page(
            "thumb.html.j2",
            me=self._site.me(reader),
            paper=paper,
            vote=parse_vote(request.query_params.get("vote", "up")),
            current=votes[-1].vote if votes else None,
        )

    def record(self, request: Request) -> Response:
        """Record the vote; show what it changed, with buttons to undo or reverse it."""
        reader, paper = self._reader_and_paper(request)
        vote = parse_vote(request.query_params.get("vote", "up"))
        # Of the origin only: the reader and the paper are in the signed token, which the query can't change.
        via = "page" if request.query_params.get("from") == "page" else "mail"
        effect = record_vote(self._site, reader, paper, vote, via=via)
        return self._site.page(
            "voted.html.j2", me=self._site.me(reader), paper=paper, vote=vote, effect=effect, via=via
        )

    def offer_to_save(self, request: Request) -> Response:
        """Show how to save the paper; as mail scanners open the link, the page's buttons do it."""
        reader, paper = self._reader_and_paper(request)
        votes = self._site.store.feedback.votes(reader.id, paper.id)
        zotero = self._site.store.zotero.get(reader.id)
        return self._site.page(
            "save.html.j2",
            me=self._site.me(reader),
            paper=paper,
            path=request.url.path.removesuffix("/save"),
            is_liked=bool(votes) and votes[-1].vote is Vote.UP,
            saves_in_zotero=zotero is not None and zotero.saves,
            links=self._site.app.links(reader),
        )

    def bibtex(self, request: Request) -> Response:
        """Return the paper as BibTeX."""
        return bibtex_file([self._reader_and_paper(request)[1]])

    def ris(self, request: Request) -> Response:
        """Return the paper as RIS: a browser hands it to the reference manager."""
        return ris_file([self._reader_and_paper(request)[1]])

    def _reader_and_paper(self, request: Request) -> tuple[Reader, Paper]:
        reader_id, paper_id = self._site.payload(request, Purpose.THUMB)
        return self._site.reader_with(reader_id), self._site.paper(paper_id)


def record_vote(site: Site, reader: Reader, paper: Paper, vote: Vote, *, via: str, voter: str = "") -> VoteEffect:
    """Record a vote and return what it changed; raises PageError if there are too many."""
    site.limit_rate("votes", f"{reader.id} {voter}", VOTES_A_MINUTE)
    profile = site.profile_of(reader)
    with site.composer() as composer:
        return vote_with_effect(
            site.store, composer, reader, profile, paper=paper, vote=vote, now=site.now, via=via, voter=voter
        )
