"""A reader's past editions in the browser, and search over all papers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from bot.domain import Edition, Reader
from bot.store.editions import StoredEdition
from bot.tokens import Purpose
from bot.web.open_editions import OpenEditions, bibtex_file, ris_file
from bot.web.site import PageError, Site, client_key, parse_day

_LONGEST_SEARCH = 200  # characters


class EditionPages:
    """``/edition/{token}``: what one reader was sent on one day."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        """Show the day's editions with their thumbs; a thumb records the vote at once."""
        editions = self._editions(request)
        return self._site.page(
            "edition.html.j2",
            editions=editions,
            links=self._site.app.links(editions[0].reader),
            token=request.path_params["token"],
        )

    def bibtex(self, request: Request) -> Response:
        """Return the papers as BibTeX."""
        return bibtex_file([pick.paper for edition in self._editions(request) for pick in edition.picks])

    def ris(self, request: Request) -> Response:
        """Return the papers as RIS."""
        return ris_file([pick.paper for edition in self._editions(request) for pick in edition.picks])

    def _editions(self, request: Request) -> list[Edition]:
        reader_id, ordinal = self._site.payload(request, Purpose.EDITION)
        reader = self._site.reader_with(reader_id)
        day = parse_day(ordinal)
        self._site.count_view(reader)
        stored = [e for e in self._site.store.editions.of_reader(reader.id) if e.date == day]
        if not stored:
            raise PageError(404, "There is no edition of this day.")
        # Oldest first: the day's alerts come before its edition, as in the inbox.
        return [load_edition(self._site, reader, edition) for edition in reversed(stored)]


def load_edition(site: Site, reader: Reader, stored: StoredEdition) -> Edition:
    """Return a stored edition with its picks."""
    profile = site.profiles().get(reader.profile)
    return Edition(
        reader=reader,
        profile_title=profile.title if profile else reader.profile,
        date=stored.date,
        composed_at=stored.composed_at,
        picks=site.store.editions.picks_of(stored.id),
        considered=stored.considered,
        watermark=stored.watermark,
        quiet=stored.quiet,
        missing=stored.missing,
        is_weekly=bool(profile and profile.schedule.is_weekly),
    )


class SearchPages:
    """``/search`` for everybody if a profile is open, ``/me/{token}/search`` for readers, with thumbs."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open_editions = open_editions

    def for_everybody(self, request: Request) -> Response:
        """Search without thumbs."""
        if not self._open_editions.profiles():
            raise PageError(404, "Nothing here is open to everybody.")
        self._site.count_view(client_key(request))
        return self._results(request, None)

    def for_reader(self, request: Request) -> Response:
        """Search with thumbs beside each paper."""
        reader = self._site.reader(request, Purpose.ME)
        self._site.count_view(reader)
        return self._results(request, reader)

    def _results(self, request: Request, reader: Reader | None) -> Response:
        # PostgreSQL refuses the null character in any text.
        words = request.query_params.get("q", "")[:_LONGEST_SEARCH].replace("\0", "")
        papers = self._site.store.search.papers(words)
        match request.query_params.get("format"):
            case "bib":
                return bibtex_file(papers)
            case "ris":
                return ris_file(papers)
        links = self._site.app.links(reader) if reader else None
        owned = self._site.store.library.held(reader.id, papers) if reader else ()
        return self._site.page("search.html.j2", words=words, papers=papers, links=links, owned=owned)
