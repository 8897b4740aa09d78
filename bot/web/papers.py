"""The pages of papers: one paper, votes, and search."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.channels.papers import GAP, Piece
from bot.config.keys import Purpose, TokenError
from bot.model import Paper, Reader, Vote
from bot.model.papers import keys_in
from bot.model.wording import oneline, shorten, storable
from bot.readers.votes import VoteEffect, vote_with_effect
from bot.store import Store
from bot.text.latex import readable
from bot.text.tokens import stem
from bot.web.archive import papers_file, public_part
from bot.web.site import Site, field, own_path, page_of, parse_paper_id, parse_vote

if TYPE_CHECKING:
    from bot.ranking.ranker import Ranker


_WORD = re.compile(r"\w+")
_OWN_PAGE = re.compile(r"/me/([^/?#\\]+)/[^\\]*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_SNIPPET_WIDTH = 280  # characters
_SHORTEST_CORRECTED = 4  # characters; shorter words are near many others
_LEAST_RATIO = 0.75  # of difflib: "halucination" has .96 to "hallucination"
LONGEST_SEARCH = 200  # characters
VOTE_MESSAGES = {
    Vote.UP: "More like this. Your vote counts from your next edition on.",
    Vote.DOWN: "Less like this. Your vote counts from your next edition on.",
    Vote.CLEAR: "Vote removed. It no longer counts.",
    Vote.SAVE: "Saved. The paper counts as half a thumb up until you give it a thumb.",
    Vote.UNSAVE: "No longer saved.",
}
VOTES_A_MINUTE = 60  # of a reader, from pages, mails and Slack together
# Comparing one takes up to a millisecond.
_SIMILAR_CANDIDATES = 20
_DISTINCTIVE_WORDS = 6
_LEAST_SIMILARITY = 0.1
_SIMILAR_SHOWN = 5
_SAVED_A_PAGE = 30


def similar_papers(store: Store, ranker: Ranker, paper: Paper) -> list[Paper]:
    words = ranker.distinctive_words(paper.text, _DISTINCTIVE_WORDS)
    others = [other for other in store.search.with_any(words, _SIMILAR_CANDIDATES) if other.id != paper.id]
    similarities = ranker.similarities([(paper.text, other.text) for other in others])
    ordered = sorted(zip(similarities, others, strict=True), key=lambda pair: -pair[0])
    return [other for similarity, other in ordered[:_SIMILAR_SHOWN] if similarity >= _LEAST_SIMILARITY]


class PaperPages:
    """``/paper/{ref}`` and ``/search`` with an open profile, and the same below ``/me/{token}`` with ``saved``."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        site = self._site
        reader = site.visitor(request)
        paper = self._paper(request, reader)
        site.count_view(request, reader)
        with site.composer() as composer:
            similar = similar_papers(site.store, site.app.ranker.get(), paper)
            explanation = composer.explanation(reader, site.profile_of(reader), paper, site.now) if reader else None
        public_path = f"/paper/{paper.ref}"
        return site.list_page(
            request,
            "paper.html.j2",
            reader,
            [paper, *similar],
            paper=paper,
            similar=similar if reader else [public_part(other) for other in similar],
            path=f"{own_path(request)}{public_path}",
            address="" if reader else f"{site.app.public_url}{public_path}",
            shared=public_path if reader and site.open_profiles() else "",
            explanation=explanation,
        )

    def papers(self, request: Request) -> list[Paper]:
        return [self._paper(request, self._site.visitor(request))]

    def _paper(self, request: Request, reader: Reader | None) -> Paper:
        paper = self._site.paper(parse_paper_id(request.path_params["ref"]))
        return paper if reader else public_part(paper)

    def search(self, request: Request) -> Response:
        reader = self._site.visitor(request)
        self._site.count_view(request, reader)
        # PostgreSQL refuses NUL.
        typed = storable(request.query_params.get("q", "")[:LONGEST_SEARCH])
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
        if (extension := request.query_params.get("format")) in ("bib", "ris"):
            return papers_file(papers, extension)
        return self._site.list_page(
            request,
            "search.html.j2",
            reader,
            papers,
            typed=typed,
            words=words,
            results=[(paper, snippet(paper.abstract, words)) for paper in papers],
            owned=self._site.store.library.held(reader.id, papers) if reader else (),
        )

    def saved(self, request: Request) -> Response:
        reader = self._site.viewer(request, Purpose.ME)
        shown, paging = page_of(request, self._saved_by(reader)[::-1], _SAVED_A_PAGE)
        return self._site.list_page(request, "saved.html.j2", reader, shown, listed=shown, **paging)

    def saved_file(self, request: Request) -> list[Paper]:
        """Return the saved papers, oldest first, so the exported file only grows."""
        return self._saved_by(self._site.viewer(request, Purpose.LIBRARY))

    def _saved_by(self, reader: Reader) -> list[Paper]:
        saved = self._site.store.feedback.saved(reader.id)
        papers = self._site.store.papers.get(vote.paper for vote in saved)
        return [papers[vote.paper] for vote in saved if vote.paper in papers]


def snippet(abstract: str, words: str) -> Sequence[Piece]:
    """Return the best sentence as marked and unmarked pieces, or an empty list.

    Words match by stem, as in the databases' search.
    """
    # An abstract's numbers aren't those of an id.
    if keys_in(words):
        return []
    stems = {stem(word.lower()) for word in _WORD.findall(words)}
    sentences = _SENTENCE_END.split(oneline(readable(abstract)))
    hits = [[match for match in _WORD.finditer(text) if stem(match[0].lower()) in stems] for text in sentences]
    best = max(range(len(sentences)), key=lambda number: len({match[0].lower() for match in hits[number]}))
    if not hits[best]:
        return []
    text, cut = sentences[best], 0
    if hits[best][-1].end() > _SNIPPET_WIDTH:
        cut = hits[best][0].start()
    pieces = [Piece(GAP)] if best or cut else []
    excerpt = shorten(text[cut:], _SNIPPET_WIDTH)
    position = 0
    for match in hits[best]:
        start, end = match.start() - cut, match.end() - cut
        if end <= len(excerpt):
            pieces += [Piece(excerpt[position:start]), Piece(excerpt[start:end], marked=True)]
            position = end
    return [piece for piece in [*pieces, Piece(excerpt[position:])] if piece.text]


def corrected(text: str, spellings: Mapping[str, str], is_known: Callable[[str], bool]) -> str:
    """Replace each unknown word with the nearest of the vocabulary.

    ``spellings`` maps words in lower case to their usual spelling. PostgreSQL may lack pg_trgm, and SQLite spellfix1.
    """

    def replacement(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < _SHORTEST_CORRECTED or is_known(word):
            return word
        lowered = word.lower()
        # Comparing letters takes 30 us a word, too long for a vocabulary of 50,000.
        similar = [other for other in spellings if other[0] == lowered[0] and abs(len(other) - len(word)) <= 2]
        nearest = get_close_matches(lowered, similar, n=1, cutoff=_LEAST_RATIO)
        return spellings[nearest[0]] if nearest else word

    return _WORD.sub(replacement, text)


class VotePages:
    """``/thumb/{token}``, and ``save``, ``paper.bib`` and ``paper.ris`` below it."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        reader, paper = self._reader_and_paper(request)
        return self._site.page(
            "thumb.html.j2",
            me=self._site.me(reader),
            paper=paper,
            vote=parse_vote(request.query_params.get("vote", "up")),
            **self._site.own(reader, [paper]),
        )

    def record(self, request: Request) -> Response:
        reader, paper = self._reader_and_paper(request)
        vote = parse_vote(request.query_params.get("vote", "up"))
        via = "page" if request.query_params.get("from") == "page" else "mail"
        back = field(request, "back")
        if self._is_own_page(back, reader):
            self._site.limit_rate("votes", f"{reader.id} ", VOTES_A_MINUTE)
            self._site.store.feedback.add(reader.id, paper.id, vote, self._site.now, via)
            return RedirectResponse(f"{back}#{paper.ref}", 303)
        before, list_page = self._site.own(reader, [paper]), field(request, "list")
        if vote in (Vote.SAVE, Vote.UNSAVE):
            earlier = Vote.SAVE if paper.id in before["saved"] else Vote.UNSAVE
        else:
            earlier = before["voted"].get(paper.id, Vote.CLEAR)
        effect = record_vote(self._site, reader, paper, vote, via=via)
        return self._site.page(
            "voted.html.j2",
            me=self._site.me(reader),
            paper=paper,
            message=VOTE_MESSAGES[vote],
            # The vote that restores the state before, unless this one changed nothing.
            undo=earlier if earlier is not vote else None,
            effect=effect,
            via=via,
            list_page=list_page if self._is_own_page(list_page, reader) else "",
            **self._site.own(reader, [paper, *effect.before, *effect.after]),
        )

    def _is_own_page(self, address: str, reader: Reader) -> bool:
        """Return whether an address is a page of this reader: a redirect elsewhere would be an open one."""
        own = _OWN_PAGE.fullmatch(address)
        try:
            return own is not None and self._site.app.signer.read(Purpose.ME, own[1]) == [reader.id]
        except TokenError:
            return False

    def offer_to_save(self, request: Request) -> Response:
        """Show the buttons to save a paper. GET saves nothing, because mail scanners open links."""
        reader, paper = self._reader_and_paper(request)
        zotero = self._site.store.zotero.get(reader.id)
        return self._site.page(
            "save.html.j2",
            me=self._site.me(reader),
            paper=paper,
            path=request.url.path.removesuffix("/save"),
            saves_in_zotero=zotero is not None and zotero.saves,
            **self._site.own(reader, [paper]),
        )

    def papers(self, request: Request) -> list[Paper]:
        return [self._reader_and_paper(request)[1]]

    def _reader_and_paper(self, request: Request) -> tuple[Reader, Paper]:
        reader_id, paper_id = self._site.payload(request, Purpose.THUMB)
        reader = self._site.reader_with(reader_id)
        self._site.note_visit(reader)
        return reader, self._site.paper(paper_id)


def record_vote(site: Site, reader: Reader, paper: Paper, vote: Vote, *, via: str, voter: str = "") -> VoteEffect:
    site.limit_rate("votes", f"{reader.id} {voter}", VOTES_A_MINUTE)
    profile = site.profile_of(reader)
    with site.composer() as composer:
        return vote_with_effect(composer, reader, profile, paper=paper, vote=vote, now=site.now, via=via, voter=voter)
