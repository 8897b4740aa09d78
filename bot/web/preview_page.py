"""What today's edition would be for typed interests or pasted papers, shown before anybody subscribes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from bot import identity
from bot.domain import RawDigest
from bot.errors import DigestError
from bot.languages import DEFAULT_LANGUAGE
from bot.subscriptions.preferences import MAX_INTERESTS, with_own_interests
from bot.web.open_editions import OpenEditions
from bot.web.site import PageError, Site, client_key, field

# A preview ranks a week of papers, about 100 ms of one core: these and the site's count of views bound its cost.
_LONGEST = 50_000  # characters of what is pasted; five entries of BibTeX with abstracts have some 10,000
_MOST_PAPERS = 20
_SHOWN = 5
_LIBRARY = re.compile(r"^\s*(?:@\w+\s*\{|TY  - )", re.MULTILINE)


class PreviewPage:
    """``/preview``: a page of its own for a form's button, or the part of it that the start page's script shows."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open_editions = open_editions

    def show(self, request: Request) -> Response:
        """Show the edition; nothing is stored."""
        self._open_editions.require_any()
        self._site.count_view(client_key(request))
        typed = field(request, "wishes").strip()[:_LONGEST]
        profiles = self._open_editions.profiles()
        slug = field(request, "profile") or next(iter(profiles))
        interests, problem = self._interests(typed)
        edition = None
        if interests:
            profile = profiles.get(slug)
            if profile is None:
                raise PageError(400, "Please choose one of the profiles on the start page.")
            edition = self._open_editions.compose(slug, with_own_interests(profile, interests))
        template = "_preview.html.j2" if field(request, "part") else "preview.html.j2"
        return self._site.page(
            template,
            language=edition.language if edition else DEFAULT_LANGUAGE,
            typed=typed,
            slug=slug,
            titles={name: profile.title for name, profile in profiles.items()},
            interests=interests,
            picks=edition.picks[:_SHOWN] if edition else [],
            edition=edition,
            problem=problem,
        )

    def _interests(self, typed: str) -> tuple[str, str]:
        """Return interests and what was wrong: text as typed, titles in place of BibTeX, RIS and arXiv ids."""
        if not typed:
            return "", "Write what interests you, or paste papers."
        if _LIBRARY.search(typed):
            try:
                library = self._site.app.parser.parse_library(RawDigest("preview", "pasted", typed.encode()))
            except DigestError as error:
                return "", f"These papers can't be read: {error}."
            titles = [item.entry.title for item in library.entries[:_MOST_PAPERS]]
            return "\n".join(titles)[:MAX_INTERESTS], "" if titles else "No paper with a title is in it."
        return self._with_titles(typed.splitlines())

    def _with_titles(self, lines: Sequence[str]) -> tuple[str, str]:
        ids = [identity.arxiv_id(line) for line in lines]
        papers = self._site.store.papers.with_arxiv_ids(
            [arxiv_id for arxiv_id in ids if arxiv_id][:_MOST_PAPERS]
        )
        texts: list[str] = []
        unknown: list[str] = []
        for line, arxiv_id in zip(lines, ids, strict=True):
            if arxiv_id is None:
                texts.append(line)
            elif arxiv_id in papers:
                texts.append(papers[arxiv_id].title)
            else:
                unknown.append(arxiv_id)
        interests = "\n".join(texts).strip()[:MAX_INTERESTS]
        if not unknown:
            return interests, ""
        return (
            interests,
            f"Not known here yet: {', '.join(unknown[:_MOST_PAPERS])}. Paste the titles instead.",
        )
