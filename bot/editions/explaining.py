"""The reasons for picks: what papers and readers have in common is read once, however many picks there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.domain import Paper, RankedText, Reason, Score
from bot.reasons import Evidence, PaperText, Row, breakdown, choose
from bot.selection.selector import Choice
from bot.terms import Spellings, Topic, profile_topics

if TYPE_CHECKING:
    from bot.ranking import Interest, Ranking

# Papers whose text is kept: those that a day's readers are sent. A text takes some 30 KB.
_MAX_PAPERS = 2_000


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score with its terms, the reasons that its reader is given, and the terms as rows of whole phrases."""

    score: Score
    reasons: tuple[Reason, ...]
    rows: Sequence[Row]


class PaperTexts:
    """The texts of papers and the topics of profiles, each read once for all readers."""

    def __init__(self) -> None:
        self._papers: dict[RankedText, PaperText] = {}
        self._topics: dict[str, tuple[Topic, ...]] = {}

    def paper(self, paper: Paper, spellings: Spellings) -> PaperText:
        """Return the text of a paper."""
        # Not by id: a later version of a paper has another text.
        if paper.text not in self._papers:
            if len(self._papers) >= _MAX_PAPERS:
                self._papers.clear()
            self._papers[paper.text] = PaperText(paper.title, paper.abstract, spellings)
        return self._papers[paper.text]

    def topics(self, interests: Iterable[str]) -> list[Topic]:
        """Return the topics of a profile's interests."""
        topics: list[Topic] = []
        for text in interests:
            if text not in self._topics:
                self._topics[text] = profile_topics(text)
            topics += self._topics[text]
        return topics


class Explainer:
    """Chooses the reasons for one reader's picks."""

    def __init__(self, texts: PaperTexts, interest: Interest, ranking: Ranking) -> None:
        self._texts = texts
        self._spellings = ranking.pool.corpus.spellings_
        self._evidence = Evidence(
            texts.topics(interest.paragraphs),
            ranking.model.votes,
            {paper.id: paper.title for paper in interest.up},
            interest.ignored,
        )

    def text(self, paper: Paper) -> PaperText:
        """Return the text of a paper."""
        return self._texts.paper(paper, self._spellings)

    def reasons(self, paper: Paper, choice: Choice) -> tuple[Reason, ...]:
        """Return the reasons for a choice, whose score has its terms."""
        return choose(self.text(paper), choice.score, self._evidence, choice.kind, choice.alerted_by)

    def explanation(self, paper: Paper, choice: Choice) -> Explanation:
        """Return the reasons for a choice, whose score has its terms, and these terms by phrase."""
        rows = breakdown(self.text(paper), choice.score.terms)
        return Explanation(choice.score, self.reasons(paper, choice), rows)
