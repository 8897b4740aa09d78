"""A reader's editions in the browser: one day's, the newest, and the archive of all."""

from __future__ import annotations

from itertools import groupby

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.domain import Edition, Reader
from bot.rendering.paper_links import path
from bot.store.editions import StoredEdition
from bot.tokens import Purpose
from bot.web.open_editions import bibtex_file, ris_file
from bot.web.site import PageError, Site, own_path, page_number, parse_day

_DAYS_A_PAGE = 20


class EditionPages:
    """``/edition/{token}``: what one reader was sent on one day; ``/me/{token}/today`` and ``/me/{token}/archive``."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        """Show the day's editions with their thumbs; a thumb records the vote at once."""
        editions = self._editions(request)
        reader = editions[0].reader
        token = request.path_params["token"]
        is_recent = self._site.app.signer.is_recent(Purpose.ME, token)
        return self._site.page(
            "edition.html.j2",
            me=self._site.me(reader) if is_recent else "",
            language=editions[0].language,
            editions=editions,
            links=self._site.app.links(reader),
            token=token,
        )

    def bibtex(self, request: Request) -> Response:
        """Return the papers as BibTeX."""
        return bibtex_file([pick.paper for edition in self._editions(request) for pick in edition.picks])

    def ris(self, request: Request) -> Response:
        """Return the papers as RIS."""
        return ris_file([pick.paper for edition in self._editions(request) for pick in edition.picks])

    def redirect_to_today(self, request: Request) -> Response:
        """Redirect to the newest edition, or to the archive, which says so, while there is none."""
        reader = self._site.reader(request, Purpose.ME)
        last = self._site.store.editions.last(reader.id)
        if last is None:
            return RedirectResponse(f"{own_path(request)}/archive", 303)
        return RedirectResponse(path(self._site.app.links(reader).edition(last.date)), 303)

    def archive(self, request: Request) -> Response:
        """Show the days of all editions, newest first, each with its papers."""
        reader = self._site.reader(request, Purpose.ME)
        self._site.count_view(reader)
        store = self._site.store
        stored = store.editions.of_reader(reader.id)
        days = [(day, list(editions)) for day, editions in groupby(stored, lambda edition: edition.date)]
        first = (page_number(request) - 1) * _DAYS_A_PAGE
        shown = [
            (day, [pick.paper for edition in editions for pick in store.editions.picks_of(edition.id)])
            for day, editions in days[first : first + _DAYS_A_PAGE]
        ]
        return self._site.page(
            "archive.html.j2",
            me=own_path(request),
            language=self._site.language_of(reader),
            days=shown,
            links=self._site.app.links(reader),
            page=page_number(request),
            more=len(days) > first + _DAYS_A_PAGE,
        )

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
        language=site.language_of(reader),
        is_weekly=bool(profile and profile.schedule.is_weekly),
    )
