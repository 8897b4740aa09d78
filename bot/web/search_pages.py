"""Search over all papers: where the words occur, a correction for words that no paper has, and thumbs for a reader."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from bot.domain import Reader
from bot.editions.corrections import corrected
from bot.rendering.snippets import snippet
from bot.tokens import Purpose
from bot.web.open_editions import OpenEditions, bibtex_file, ris_file
from bot.web.paper_pages import public_part
from bot.web.site import Site, client_key, own_path

_LONGEST_SEARCH = 200  # characters


class SearchPages:
    """``/search`` for everybody if a profile is open, ``/me/{token}/search`` for readers, with thumbs."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open_editions = open_editions

    def for_everybody(self, request: Request) -> Response:
        """Search without thumbs."""
        self._open_editions.require_any()
        self._site.count_view(client_key(request))
        return self._results(request, None)

    def for_reader(self, request: Request) -> Response:
        """Search with thumbs beside each paper."""
        reader = self._site.reader(request, Purpose.ME)
        self._site.count_view(reader)
        return self._results(request, reader)

    def _results(self, request: Request, reader: Reader | None) -> Response:
        """Show the papers with all words: those that were typed, or corrected ones where no paper has these."""
        # PostgreSQL refuses the null character in any text.
        typed = request.query_params.get("q", "")[:_LONGEST_SEARCH].replace("\0", "")
        search = self._site.store.search
        words = typed
        papers = search.papers(typed)
        if not papers and typed.strip():
            with self._site.composer():
                spellings = self._site.app.ranker.get().spellings
                correction = corrected(typed, spellings, lambda word: bool(search.papers(word, 1)))
            if correction != typed and (papers := search.papers(correction)):
                words = correction
        if reader is None:
            papers = [public_part(paper) for paper in papers]
        match request.query_params.get("format"):
            case "bib":
                return bibtex_file(papers)
            case "ris":
                return ris_file(papers)
        return self._site.page(
            "search.html.j2",
            me=own_path(request) if reader else "",
            language=self._site.language_of(reader),
            typed=typed,
            words=words,
            results=[(paper, snippet(paper.abstract, words)) for paper in papers],
            links=self._site.app.links(reader) if reader else None,
            owned=self._site.store.library.held(reader.id, papers) if reader else (),
        )
