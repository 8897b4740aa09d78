"""Editions of open profiles: what a new subscriber would get today, as a page and as a feed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from bot.channels.email import EMAIL
from bot.config.profiles import Profile
from bot.domain import NOT_STORED, Edition, Paper, PaperId, Reader
from bot.rendering.atom import atom
from bot.rendering.bibliography import bibtex, ris
from bot.schedule import local_date
from bot.web.site import PageError, Site


@dataclass(frozen=True, slots=True)
class _CachedEdition:
    """An edition, valid for this profile as long as no newer paper is in the store."""

    profile: Profile
    newest: PaperId
    edition: Edition


class OpenEditions:
    """Today's edition of each open profile, cached until the papers or the profile change."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._cache: dict[str, _CachedEdition] = {}
        # One lock for all profiles: composing takes the ranking lock of the site anyway, and a second request for
        # the same edition finds it in the cache.
        self._lock = threading.Lock()

    def profiles(self) -> dict[str, Profile]:
        """Return the profiles that anyone may subscribe to."""
        return {slug: profile for slug, profile in self._site.profiles().items() if profile.open}

    def require_any(self) -> None:
        """Raise PageError if no profile is open: then nothing is for everybody."""
        if not self.profiles():
            raise PageError(404, "Nothing here is open to everybody.")

    def editions(self) -> list[Edition]:
        """Return the edition of every open profile."""
        return [self.edition(slug) for slug in self.profiles()]

    def edition(self, slug: str) -> Edition:
        """Return the edition of one profile; raises PageError if it isn't open."""
        profile = self.profiles().get(slug)
        if profile is None:
            raise PageError(404, "There is no open profile of this name.")
        with self._lock:
            newest = self._site.store.papers.newest_id()
            cached = self._cache.get(slug)
            if cached and cached.profile == profile and cached.newest == newest:
                return cached.edition
            edition = self.compose(slug, profile)
            self._cache[slug] = _CachedEdition(profile, newest, edition)
            return edition

    def compose(self, slug: str, profile: Profile) -> Edition:
        """Compose the edition of a reader without votes; nothing is stored."""
        # Dated by the newest paper, so that the feed of the same papers stays the same, byte for byte.
        now = self._site.store.papers.newest_first_seen() or self._site.now
        # No exploration: nobody votes on these picks, so there is nothing to learn from them.
        section = profile.edition.model_copy(update={"explore": 0})
        without_exploration = profile.model_copy(update={"edition": section})
        reader = Reader(NOT_STORED, slug, EMAIL.name, "")
        with self._site.composer() as composer:
            return composer.edition(
                reader, without_exploration, local_date(now, profile.schedule.timezone), now
            )

    def show(self, request: Request) -> Response:
        """Show one profile's edition."""
        edition = self.edition(request.path_params["slug"])
        return self._site.page(
            "open.html.j2", language=edition.language, edition=edition, slug=edition.reader.profile
        )

    def feed(self, request: Request) -> Response:
        """Return it as an Atom feed."""
        edition = self.edition(request.path_params["slug"])
        return Response(atom(edition, self._site.app.public_url), media_type="application/atom+xml")

    def bibtex(self, request: Request) -> Response:
        """Return its papers as BibTeX."""
        return bibtex_file([pick.paper for pick in self.edition(request.path_params["slug"]).picks])

    def ris(self, request: Request) -> Response:
        """Return its papers as RIS."""
        return ris_file([pick.paper for pick in self.edition(request.path_params["slug"]).picks])


def bibtex_file(papers: Sequence[Paper]) -> Response:
    """Return papers as a BibTeX file to download."""
    return attachment(bibtex(papers), "application/x-bibtex; charset=utf-8", "papers.bib")


def ris_file(papers: Sequence[Paper]) -> Response:
    """Return papers as a RIS file to download."""
    return attachment(ris(papers), "application/x-research-info-systems; charset=utf-8", "papers.ris")


def attachment(text: str, media_type: str, filename: str) -> Response:
    """Return a text as a file that browsers save instead of showing it."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return Response(text, media_type=media_type, headers=headers)
