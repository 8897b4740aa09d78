"""Which papers cite one that their reader liked or has in their library.

    papers --facts: cites--> cited papers --by identity keys--> stored papers, libraries --of this reader?--> reasons

What a paper cites is stated by Google Scholar's alerts, and where ``links.resolve`` is set by OpenAlex. A batch takes
three queries, and none if no paper of it has a citation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bot.editions.due import Readers
from bot.model import Entry, FactKind, LibraryPaper, Paper, PaperId, Reason, ReasonKind, is_library_paper
from bot.model.papers import cited_paper, is_cited, keys
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking.ranker import Interest

# By the paper that cites; the reasons name what it cites.
Citations = Mapping[PaperId, Sequence[Reason]]

# Titles that a pick's reasons name.
_MOST_NAMED = 2


def citations_of(
    store: Store, readers: Readers, interests: Sequence[Interest], papers: Iterable[Paper]
) -> list[Citations]:
    """Return for each reader which of these papers cite one that they liked, or one in their library."""
    cited = {
        paper.id: [cited_paper(fact) for fact in paper.facts if fact.kind is FactKind.CITES]
        for paper in papers
        if any(fact.kind is FactKind.CITES for fact in paper.facts)
    }
    if not cited:
        return [{}] * len(readers)
    identity_keys = list(dict.fromkeys(key for entries in cited.values() for entry in entries for key in keys(entry)))
    stored = store.papers.with_keys(identity_keys)
    libraries = store.library.with_keys([reader.id for reader, _ in readers], identity_keys)
    citations: list[Citations] = []
    for (reader, _), interest in zip(readers, interests, strict=True):
        liked_ids = {paper.id for paper in interest.up if not is_library_paper(paper.id)}
        liked = [paper for paper in stored if paper.id in liked_ids]
        owned = libraries.get(reader.id, ())
        of_reader = {paper_id: _reasons(entries, liked, owned) for paper_id, entries in cited.items()}
        citations.append({paper_id: reasons for paper_id, reasons in of_reader.items() if reasons})
    return citations


def _reasons(cited: Sequence[Entry], liked: Sequence[Paper], owned: Sequence[LibraryPaper]) -> Sequence[Reason]:
    """Return a reason for each cited paper that is the reader's, with the title as it is stored; votes first."""
    by_vote, by_library = {}, {}
    for entry in cited:
        if paper := next((paper for paper in liked if is_cited(entry, paper)), None):
            by_vote[paper.id] = Reason(ReasonKind.CITES_LIKED, paper.title, paper=paper.id)
        elif item := next((item for item in owned if is_cited(entry, item.paper)), None):
            by_library[item.paper.id] = Reason(ReasonKind.CITES_OWNED, item.paper.title)
    return [*by_vote.values(), *by_library.values()][:_MOST_NAMED]
