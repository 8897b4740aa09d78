"""A page for each paper: its public part for everybody, with match, reasons and vote for a reader."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from bot.domain import Paper, Reader, Sighting
from bot.editions.similar_papers import similar_papers
from bot.tokens import Purpose
from bot.web.open_editions import OpenEditions, bibtex_file, ris_file
from bot.web.site import Site, client_key, own_path, parse_paper_id

if TYPE_CHECKING:
    from bot.editions.ranked import Explanation

_SIMILAR = 5


class PaperPages:
    """``/paper/{ref}`` for everybody if a profile is open, ``/me/{token}/paper/{ref}`` for readers."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open_editions = open_editions

    def for_everybody(self, request: Request) -> Response:
        """Show what is public of a paper, to link to and to share."""
        paper = self._public_paper(request)
        self._site.count_view(client_key(request))
        similar, _ = self._ranked(paper, None)
        return self._site.page(
            "paper.html.j2",
            paper=paper,
            similar=[public_part(other) for other in similar],
            path=f"/paper/{paper.ref}",
            address=f"{self._site.app.public_url}/paper/{paper.ref}",
            shared="",
            explanation=None,
            vote=None,
            links=None,
        )

    def for_reader(self, request: Request) -> Response:
        """Show a paper with the reader's match, all reasons, and thumbs."""
        reader = self._site.reader(request, Purpose.ME)
        self._site.count_view(reader)
        paper = self._site.paper(parse_paper_id(request.path_params["ref"]))
        similar, explanation = self._ranked(paper, reader)
        votes = self._site.store.feedback.votes(reader.id, paper.id)
        me = own_path(request)
        return self._site.page(
            "paper.html.j2",
            me=me,
            language=self._site.language_of(reader),
            paper=paper,
            similar=similar,
            path=f"{me}/paper/{paper.ref}",
            address="",
            # What a reader passes on must be the public page: this one's address is theirs alone.
            shared=f"/paper/{paper.ref}" if self._open_editions.profiles() else "",
            explanation=explanation,
            vote=votes[-1].vote if votes else None,
            links=self._site.app.links(reader),
        )

    def bibtex(self, request: Request) -> Response:
        """Return the paper as BibTeX."""
        return bibtex_file([self._paper(request)])

    def ris(self, request: Request) -> Response:
        """Return the paper as RIS."""
        return ris_file([self._paper(request)])

    def _paper(self, request: Request) -> Paper:
        if "token" not in request.path_params:
            return self._public_paper(request)
        self._site.reader(request, Purpose.ME)
        return self._site.paper(parse_paper_id(request.path_params["ref"]))

    def _public_paper(self, request: Request) -> Paper:
        self._open_editions.require_any()
        return public_part(self._site.paper(parse_paper_id(request.path_params["ref"])))

    def _ranked(self, paper: Paper, reader: Reader | None) -> tuple[list[Paper], Explanation | None]:
        site = self._site
        with site.composer() as composer:
            similar = similar_papers(site.store, site.app.ranker.get(), paper, _SIMILAR)
            if reader is None:
                return similar, None
            return similar, composer.explanation(reader, site.profile_of(reader), paper, site.now)


def public_part(paper: Paper) -> Paper:
    """Return the paper without the names of readers' own alerts, which tell what somebody looks for."""
    sightings = tuple(Sighting(s.source, s.topic, s.date) for s in paper.sightings)
    return replace(paper, sightings=sightings)
