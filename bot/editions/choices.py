"""Choose papers of one reader's ranking, and make picks of them with reasons and summaries.

scores --alert rule, select--> choices --explain, summarise--> picks
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.model import GOOD, Match, Paper, PaperId, Pick, PickKind, Reason, ReasonKind, Score, VotedPaper
from bot.ranking.phrases import PaperText
from bot.ranking.reasons import Evidence, Row, breakdown, choose, without_repetition
from bot.ranking.selection import Choice, SelectionLimits, select, touches_text, urgent, with_trending
from bot.summaries.line import line_of
from bot.summaries.summary import answer, summarise
from bot.text.tokens import Spellings
from bot.wording import TOPICAL

if TYPE_CHECKING:  # scikit-learn takes a second to import
    from bot.ranking.ranker import Interest
    from bot.ranking.scoring import Ranking


# The summary highlights the text of these reasons.
_PHRASES = frozenset({ReasonKind.ALERT, *TOPICAL, ReasonKind.PHRASES})
# A chosen paper can't be its own reason.
_TAUGHT = frozenset({ReasonKind.LEARNED, ReasonKind.LIKED})
_OWN_PAPERS_CITED = "cites a paper of yours"
_UNCOVERED_SHOWN = 3
# Approach and result, without the background.
_SENTENCES_OF_POSSIBLE = 2


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score with its terms, the reader's reasons, and the terms as rows of phrases."""

    score: Score
    reasons: tuple[Reason, ...]
    rows: Sequence[Row]


# Reads a paper by title and abstract, once for all readers.
TextReader = Callable[[str, str, Spellings], PaperText]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One reader's ranking, with the papers by id and the evidence for reasons."""

    ranking: Ranking
    papers: Mapping[PaperId, Paper]
    read: TextReader
    evidence: Evidence
    reader: Interest
    cites: Mapping[PaperId, Sequence[Reason]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        interest: Interest,
        papers: Mapping[PaperId, Paper],
        profile: Profile,
        read: TextReader,
        *,
        cites: Mapping[PaperId, Sequence[Reason]],
    ) -> Ranked:
        """Return the ranking with the bonus of trending papers."""
        scores = with_trending(ranking.scores, papers, profile.edition.trending)
        evidence = Evidence(
            ranking.model.text.reasons,
            ranking.pool.corpus.meaning_,
            ranking.model.votes,
            {paper.id: paper.title for paper in interest.up},
            interest.ignored,
        )
        return cls(replace(ranking, scores=scores), papers, read, evidence, interest, cites)

    @property
    def scores(self) -> Sequence[Score]:
        return self.ranking.scores

    def text(self, paper: Paper | VotedPaper) -> PaperText:
        return self.read(paper.title, paper.abstract, self.ranking.pool.corpus.spellings_)

    def reasons(self, paper: Paper, choice: Choice) -> tuple[Reason, ...]:
        """Return the reasons of a choice whose score has its terms."""
        reasons = choose(
            self.text(paper),
            choice.score,
            self.evidence,
            self.ranking.close_topics(paper.id),
            choice.alerted_by,
            cites=self.cites.get(paper.id, ()),
            is_near=self.touches(paper.id),
        )
        return tuple(
            replace(reason, kind=ReasonKind.SAVED)
            if reason.kind is ReasonKind.LIKED and reason.paper in self.reader.saved
            else reason
            for reason in reasons
        )

    def touches(self, paper: PaperId) -> bool:
        return self.ranking.touches(paper)

    @property
    def uncovered(self) -> list[str]:
        """The first topics that no source has papers on, if these are most of the reader's."""
        return [topic.text for topic in self.ranking.model.text.uncovered[:_UNCOVERED_SHOWN]]

    @property
    def looks_for_nothing(self) -> bool:
        """Whether all interests have ended, without authors or likes."""
        return not (self.reader.paragraphs or self.reader.rules.authors or self.reader.up)

    def closest(self, most: int) -> list[Paper]:
        if self.looks_for_nothing:
            return []
        shown = [score for score in self.scores if not (score.muted or score.missing_terms)]
        return [self.papers[score.paper] for score in shown[:most]]

    def good(self, profile: Profile) -> list[Score]:
        """Return strong and good matches that rules don't keep out. Before the first like, they also touch the text."""
        limits = _limits(profile, self, profile.edition.size)
        least = max(GOOD, limits.threshold)
        good = [s for s in self.scores if s.probability >= least and not (s.muted or s.missing_terms)]
        return [score for score in good if not limits.by_text or touches_text(score, self.ranking)]

    def named_groups(self, papers: Sequence[PaperId]) -> list[tuple[str, list[PaperId]]]:
        from bot.ranking.groups import named_groups

        texts = {paper_id: self.text(self.papers[paper_id]) for paper_id in papers}
        return named_groups(self.ranking.pool, texts)

    def edition_picks(
        self, profile: Profile, waiting: Collection[PaperId] = (), chosen: Collection[PaperId] = ()
    ) -> list[Pick]:
        """Return an edition's picks. ``waiting`` and ``chosen`` are as in ``Candidates``."""
        return self.picks(self.choices(profile, waiting, chosen), profile.edition.summary_sentences)

    def choices(
        self, profile: Profile, waiting: Collection[PaperId] = (), chosen: Collection[PaperId] = ()
    ) -> list[Choice]:
        choices = choices_of(profile, self, waiting, chosen)
        return [choice for choice in choices if choice.kind is PickKind.ALERT] if self.looks_for_nothing else choices

    def alert_picks(self, profile: Profile) -> list[tuple[Score, Pick]]:
        choices = _alert_choices(profile, self)
        picks = self.picks(choices, profile.edition.summary_sentences)
        return [(choice.score, pick) for choice, pick in zip(choices, picks, strict=True)]

    def picks_of(self, scores: Sequence[Score], summary_sentences: int) -> list[Pick]:
        choices = [Choice(score, PickKind.FOLLOW if score.followed else PickKind.MATCH) for score in scores]
        return self.picks(choices, summary_sentences)

    def picks(self, choices: Sequence[Choice], summary_sentences: int) -> list[Pick]:
        picks = []
        scores = self.ranking.explained([choice.score for choice in choices])
        for choice, score in zip(choices, scores, strict=True):
            paper = self.papers[score.paper]
            explained = replace(choice, score=score)
            reasons = self.reasons(paper, explained)
            if choice.kind is PickKind.CHOSEN:
                reasons = tuple(reason for reason in reasons if reason.kind not in _TAUGHT)
            picks.append(new_pick(paper, explained, reasons, summary_sentences))
        # After the summaries, which highlight the phrases of all reasons.
        of_edition = without_repetition([pick.reasons for pick in picks])
        return [replace(pick, reasons=reasons) for pick, reasons in zip(picks, of_edition, strict=True)]

    def explanation(self, paper: Paper, score: Score, kind: PickKind) -> Explanation:
        rows = breakdown(self.text(paper), score.terms)
        return Explanation(score, self.reasons(paper, Choice(score, kind)), rows)

    def explained(self, paper_id: PaperId) -> Score | None:
        scores = [score for score in self.scores if score.paper == paper_id]
        return next(iter(self.ranking.explained(scores)), None)

    def without(self, papers: Collection[PaperId]) -> Ranked:
        return self._with(score for score in self.scores if score.paper not in papers)

    def without_sent(self, papers: Collection[PaperId]) -> Ranked:
        """Leave out papers that another profile sent to the same address, except those of followed authors."""
        if not papers:
            return self
        return self._with(score for score in self.scores if score.followed or score.paper not in papers)

    def _with(self, scores: Iterable[Score]) -> Ranked:
        return replace(self, ranking=replace(self.ranking, scores=tuple(scores)))


def choices_of(
    profile: Profile, ranked: Ranked, waiting: Collection[PaperId] = (), chosen: Collection[PaperId] = ()
) -> list[Choice]:
    """Return the chosen papers first, all of them, then matches of the alert rule, then the selection."""
    first = [Choice(score, PickKind.CHOSEN) for score in ranked.scores if score.paper in chosen]
    places = max(profile.edition.size - len(first), 0)
    first += [choice for choice in _alert_choices(profile, ranked) if choice.score.paper not in chosen][:places]
    taken = {choice.score.paper for choice in first}
    others = [score for score in ranked.scores if score.paper not in taken]
    places = max(profile.edition.size - len(first), 0)
    return first + select(others, ranked.ranking, _limits(profile, ranked, places), waiting)


def _limits(profile: Profile, ranked: Ranked, places: int) -> SelectionLimits:
    votes = ranked.ranking.model.votes
    return SelectionLimits.of(profile.edition, places, votes.own, votes.disliked, by_text=not votes.liked)


def _alert_choices(profile: Profile, ranked: Ranked) -> list[Choice]:
    from bot.ranking.scoring import Rules

    rule = profile.alerts
    if rule is None:
        return []
    # The profile's own matcher, so "GRPO" means the same in both.
    matcher = Rules(rule.keywords, rule.authors)
    alerted_by: dict[PaperId, list[str]] = {}
    for score in ranked.scores:
        matches = matcher.matches(ranked.papers[score.paper])
        names = [bonus.text for bonus in matches.bonuses]
        if matches.followed:
            names.append(matches.followed)
        if rule.cites and score.paper in ranked.cites:
            names.append(_OWN_PAPERS_CITED)
        if names:
            alerted_by[score.paper] = names
    return [
        Choice(score, PickKind.ALERT, alerted_by.get(score.paper, ()))
        for score in urgent(ranked.scores, alerted_by, rule.min_score)
    ]


def new_pick(paper: Paper, choice: Choice, reasons: Sequence[Reason], summary_sentences: int) -> Pick:
    score = choice.score
    if Match.for_probability(score.probability) in (Match.POSSIBLE, Match.UNLIKELY):
        summary_sentences = min(summary_sentences, _SENTENCES_OF_POSSIBLE)
    phrases = [reason.text for reason in reasons if reason.kind in _PHRASES]
    summary = summarise(paper.abstract, summary_sentences, score.terms, phrases)
    return Pick(
        paper=paper,
        kind=choice.kind,
        probability=score.probability,
        reasons=tuple(reasons),
        summary=summary,
        predictions=score.predictions,
        line=line_of(paper.title, answer(paper.abstract)),
    )
