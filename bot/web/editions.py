"""One's editions in the browser, and search over all papers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from bot.domain import Edition, Reader
from bot.store.editions import StoredEdition
from bot.tokens import Purpose
from bot.web.open_editions import OpenEditions, as_bibtex, as_ris
from bot.web.site import Refused, Site, client_of, day_of

_LONGEST_SEARCH = 200


class EditionPages:
    """``/edition/{token}``: what one reader was sent on one day."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        """The day's editions with their thumbs; one press of a thumb records it."""
        editions = self._editions(request)
        links = self._site.app.links(editions[0].reader)
        token = request.path_params["token"]
        return self._site.page("edition.html.j2", editions=editions, links=links, token=token)

    def bibtex(self, request: Request) -> Response:
        """Their papers as BibTeX."""
        return as_bibtex([pick.paper for edition in self._editions(request) for pick in edition.picks])

    def ris(self, request: Request) -> Response:
        """Their papers as RIS."""
        return as_ris([pick.paper for edition in self._editions(request) for pick in edition.picks])

    def _editions(self, request: Request) -> list[Edition]:
        reader_id, ordinal = self._site.payload(request, Purpose.EDITION)
        reader, day = self._site.reader_with(reader_id), day_of(ordinal)
        self._site.count_view(reader)
        kept = [e for e in self._site.app.store.editions.of_reader(reader.id) if e.date == day]
        if not kept:
            raise Refused(404, "There is no edition of that day.")
        return [whole_edition(self._site, reader, stored) for stored in reversed(kept)]


def whole_edition(site: Site, reader: Reader, stored: StoredEdition) -> Edition:
    """A stored edition with its picks."""
    profile = site.profiles().get(reader.profile)
    return Edition(
        reader=reader,
        profile_title=profile.title if profile else reader.profile,
        date=stored.date,
        composed_at=stored.composed_at,
        picks=site.app.store.editions.picks_of(stored.id),
        considered=stored.considered,
        watermark=stored.watermark,
        quiet=stored.quiet,
        missing=stored.missing,
    )


class SearchPages:
    """``/search`` for everybody where a profile is open, ``/me/{token}/search`` for readers with their thumbs."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open = open_editions

    def for_all(self, request: Request) -> Response:
        """Titles, authors and where each leads."""
        if not self._open.profiles():
            raise Refused(404, "There is nothing open to everybody here.")
        self._site.count_view(client_of(request))
        return self._results(request, None)

    def for_reader(self, request: Request) -> Response:
        """The same, with a thumb for each."""
        reader = self._site.reader(request, Purpose.ME)
        self._site.count_view(reader)
        return self._results(request, reader)

    def _results(self, request: Request, reader: Reader | None) -> Response:
        words = request.query_params.get("q", "")[:_LONGEST_SEARCH].replace("\0", "")
        found = self._site.app.store.search.papers(words)
        if (form := request.query_params.get("format")) in ("bib", "ris"):
            return as_bibtex(found) if form == "bib" else as_ris(found)
        links = self._site.app.links(reader) if reader else None
        return self._site.page("search.html.j2", words=words, papers=found, links=links)
