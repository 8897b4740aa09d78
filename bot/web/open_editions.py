"""The editions of open profiles: what anyone who subscribed today would get, and its feed."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from bot.config.profiles import Profile
from bot.domain import NOT_STORED, Edition, Kind, Paper, PaperId, Reader
from bot.rendering.atom import atom
from bot.rendering.bibliography import bibtex, ris
from bot.schedule import local_date
from bot.web.site import Refused, Site


class OpenEditions:
    """Today's edition of each open profile, composed once for each state of papers and profile."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._made: dict[str, tuple[Profile, PaperId, Edition]] = {}
        self._making = threading.Lock()

    def profiles(self) -> dict[str, Profile]:
        """The profiles that anyone may subscribe to."""
        return {slug: profile for slug, profile in self._site.profiles().items() if profile.open}

    def editions(self) -> list[Edition]:
        """Of every open profile."""
        return [self.edition(slug) for slug in self.profiles()]

    def edition(self, slug: str) -> Edition:
        """Of one profile; raises Refused where it isn't open."""
        profile = self.profiles().get(slug)
        if profile is None:
            raise Refused(404, "There is no open profile of that name.")
        with self._making:
            newest = self._site.app.store.papers.newest_id()
            made = self._made.get(slug)
            if made is None or made[:2] != (profile, newest):
                made = (profile, newest, self._compose(slug, profile))
                self._made[slug] = made
            return made[2]

    def show(self, request: Request) -> Response:
        """One profile's edition as a page."""
        edition = self.edition(request.path_params["slug"])
        return self._site.page("open.html.j2", edition=edition, slug=edition.reader.profile)

    def feed(self, request: Request) -> Response:
        """The same as an Atom feed."""
        edition = self.edition(request.path_params["slug"])
        return Response(atom(edition, self._site.app.public_url), media_type="application/atom+xml")

    def bibtex(self, request: Request) -> Response:
        """Its papers as BibTeX."""
        return as_bibtex([pick.paper for pick in self.edition(request.path_params["slug"]).picks])

    def ris(self, request: Request) -> Response:
        """Its papers as RIS."""
        return as_ris([pick.paper for pick in self.edition(request.path_params["slug"]).picks])

    def _compose(self, slug: str, profile: Profile) -> Edition:
        """Dated by the newest paper, so that the same papers are the same edition."""
        store = self._site.app.store
        now = store.papers.newest_first_seen() or self._site.now
        # Nothing was sent to this reader, who gave no thumb.
        reader = Reader(NOT_STORED, slug, Kind.EMAIL, "")
        # No guesses for nobody: there is no one to learn of.
        rules = profile.model_copy(update={"edition": profile.edition.model_copy(update={"explore": 0})})
        with self._site.editor() as editor:
            return editor.edition(reader, rules, local_date(now, profile.schedule.timezone), now)


def as_bibtex(papers: Sequence[Paper]) -> Response:
    """Papers as a BibTeX file."""
    return _file(bibtex(papers), "application/x-bibtex", "papers.bib")


def as_ris(papers: Sequence[Paper]) -> Response:
    """Papers as a RIS file."""
    return _file(ris(papers), "application/x-research-info-systems", "papers.ris")


def _file(text: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)
