"""Which few reasons to give, out of the exact contributions and what the reader wrote and voted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.reasons.evidence import Evidence, JudgedPaper
from bot.reasons.phrasing import PaperText, Phrase, weight_of
from bot.reasons.reason import Reason, ReasonKind
from bot.terms import Topic, names_topic, stem_terms

_TOPICS, _LEARNED, _TOGETHER = 3, 2, 1  # at most so many reasons of a kind
_LEAST_SHARE = 0.05  # of all that speaks for a paper, for a learned phrase to be named
_NEARLY_ALL = 0.9  # of a part's weight, for the whole phrase to be named instead
_LIKE = 0.35  # of all that speaks for a paper, for a liked paper to be like it
_LIKE_TERMS = 3  # topical terms that the two share


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Terms that a tree asks for together, on paths that this paper took: stems or bigrams, and their log-odds."""

    present: tuple[str, ...]
    absent: tuple[str, ...] = ()
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Claims:
    """What else speaks for the paper: by profile rules, selection or trees, not by the weight of single terms."""

    authors: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    trending: str = ""
    exploration: bool = False
    conjunctions: tuple[Conjunction, ...] = ()


def choose(
    paper: PaperText, contributions: Mapping[str, float], evidence: Evidence, claims: Claims | None = None
) -> list[Reason]:
    """The reasons for one pick, the strongest claim first; never empty.

    ``contributions`` are log-odds by stem or bigram, as ``stem_terms`` names them. Named are topics that the reader
    wrote and the paper says, unless the model counts them against it; phrases that votes bear out; the liked paper
    that has most of what speaks for this one. No two reasons name the same words.
    """
    claims = claims or Claims()
    reasons = [Reason(ReasonKind.AUTHOR, name) for name in claims.authors]
    reasons += [Reason(ReasonKind.KEYWORD, keyword) for keyword in claims.keywords]
    close, covered = _wrote(paper, contributions, evidence, claims.keywords)
    if not close:
        close, covered = _near(paper, contributions, evidence)
    if claims.exploration:
        explored = _exploration(paper, close, evidence)
        return reasons + (explored or close) or [_overall(evidence)]
    reasons += close
    reasons += _learned(paper, contributions, evidence, covered)
    reasons += _together(paper, claims.conjunctions, evidence, covered)
    reasons += _liked(paper, contributions, evidence)
    if claims.trending:
        reasons.append(Reason(ReasonKind.TRENDING, claims.trending))
    return reasons or [_overall(evidence)]


def _wrote(
    paper: PaperText, contributions: Mapping[str, float], evidence: Evidence, keywords: Sequence[str]
) -> tuple[list[Reason], set[str]]:
    """The reader's topics that the paper says, the heaviest first, and the terms that they stand for."""
    said: list[tuple[Topic, float]] = []
    covered: set[str] = set()
    named = {keyword.casefold() for keyword in keywords}
    for topic in evidence.topics:
        sources = paper.says(topic.stems)
        if sources is None or topic.text.casefold() in named:
            continue
        weight = weight_of(sorted({*topic.terms, *sources}), contributions)
        if weight >= 0:
            said.append((topic, weight))
            covered |= {*topic.terms, *sources}
    whole = [
        (topic, weight) for topic, weight in said if not any(_is_part(topic.stems, t.stems) for t, _ in said)
    ]
    whole.sort(key=lambda pair: (-pair[1], -len(pair[0].stems)))
    spelled = paper.spellings.of
    return [
        Reason(ReasonKind.WROTE, spelled(topic.text), weight) for topic, weight in whole[:_TOPICS]
    ], covered


def _near(
    paper: PaperText, contributions: Mapping[str, float], evidence: Evidence
) -> tuple[list[Reason], set[str]]:
    """The heaviest phrase that shares a topical stem with a topic of the reader, and its terms."""
    best: tuple[float, Phrase, Topic] | None = None
    for topic in evidence.topics:
        wanted = {stem for stem in topic.stems if names_topic([stem])}
        for phrase in paper.phrases:
            weight = weight_of(phrase.all_terms, contributions)
            if wanted & phrase.topical_stems and weight >= 0 and (best is None or weight > best[0]):
                best = (weight, phrase, topic)
    if best is None:
        return [], set()
    weight, phrase, topic = best
    near = Reason(ReasonKind.NEAR, phrase.text, weight, paper.spellings.of(topic.text))
    return [near], {*phrase.topical_stems, *phrase.all_terms}


def _learned(
    paper: PaperText, contributions: Mapping[str, float], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """The heaviest phrases that votes bear out, whole and without overlap; ``covered`` grows by their terms."""
    speaking = sum(weight for weight in contributions.values() if weight > 0)
    weights = {phrase: weight_of(phrase.all_terms, contributions) for phrase in paper.phrases}
    borne_out = [
        phrase
        for phrase, weight in weights.items()
        if weight > max(0, _LEAST_SHARE * speaking)
        and not evidence.ignored & set(phrase.all_terms)
        and not phrase.is_adjective
        and evidence.speaks_for(phrase.terms)
    ]
    reasons: list[Reason] = []
    for phrase in sorted(borne_out, key=lambda p: (-weights[p], -len(p.stems))):
        if len(reasons) == _LEARNED:
            break
        if phrase.overlaps(covered):
            continue
        wholes = [
            other
            for other in borne_out
            if _contains(other.stems, phrase.stems)
            and weights[other] >= _NEARLY_ALL * weights[phrase]
            and not other.overlaps(covered)
        ]
        whole = max(wholes, key=lambda p: (len(p.stems), weights[p]))
        reasons.append(Reason(ReasonKind.LEARNED, whole.text, weights[whole]))
        covered |= {*whole.topical_stems, *whole.all_terms}
    return reasons


def _together(
    paper: PaperText, conjunctions: Sequence[Conjunction], evidence: Evidence, covered: set[str]
) -> list[Reason]:
    """The heaviest conjunction of two terms that name topics; a third is left out, as it would be no plain sentence."""
    spelled = {" ".join(phrase.stems): phrase for phrase in paper.phrases}
    reasons = []
    for conjunction in sorted(conjunctions, key=lambda c: -c.weight):
        named = [spelled[term] for term in conjunction.present if term in spelled]
        apart = [phrase for phrase in named if not phrase.overlaps(covered)]
        if (
            conjunction.weight <= 0
            or len(named) < 2
            or not apart
            or not evidence.speaks_for_all(conjunction.present)
        ):
            continue
        first, second = sorted(named, key=lambda phrase: phrase not in apart)[:2]
        if first.topical_stems & second.topical_stems:
            continue
        absent = [t for t in conjunction.absent if names_topic(t.split()) and evidence.judged_with[t]]
        without = paper.spellings.of_stems(absent[0]) if absent else ""
        reasons.append(Reason(ReasonKind.TOGETHER, first.text, conjunction.weight, second.text, without))
    return reasons[:_TOGETHER]


def _liked(paper: PaperText, contributions: Mapping[str, float], evidence: Evidence) -> list[Reason]:
    """The liked paper that has most of what speaks for this one, if it has enough of it."""
    speaking = {term: w for term, w in contributions.items() if w > 0 and names_topic(term.split())}
    total = sum(speaking.values())
    others = [other for other in evidence.liked if other.title.casefold() != paper.title.casefold()]
    if not total or not others:
        return []

    def likeness(other: JudgedPaper) -> float:
        return sum(weight for term, weight in speaking.items() if term in other.terms) / total

    for closest in sorted(others, key=likeness, reverse=True):
        if likeness(closest) < _LIKE or len(speaking.keys() & closest.terms) < _LIKE_TERMS:
            break
        if speaking.keys() & set(stem_terms(closest.title)):  # the title is all that the reader sees of it
            return [Reason(ReasonKind.LIKED, closest.title)]
    return []


def _exploration(paper: PaperText, close: Sequence[Reason], evidence: Evidence) -> list[Reason]:
    """What the paper is on that no judged paper has: the most repeated phrase, of the title if there is one.

    The name that authors give to their work ("Decipher-MR: ...") is no topic.
    """
    written = {stem for topic in evidence.topics for stem in topic.stems}
    unjudged = [
        phrase
        for phrase in paper.phrases
        if not any(evidence.judged_with[term] for term in phrase.terms)
        and not phrase.topical_stems & (written | paper.own_name)
        and not phrase.is_adjective
        and _repeated(paper, phrase) > 1
    ]
    if not unjudged:
        return []
    most = max(
        unjudged, key=lambda phrase: (phrase.in_title, len(phrase.stems) > 1, _repeated(paper, phrase))
    )
    close_to = (close[0].near or close[0].text) if close else ""
    return [Reason(ReasonKind.EXPLORATION, most.text, 0.0, close_to)]


def _repeated(paper: PaperText, phrase: Phrase) -> int:
    """How often the paper says the rarest word of a phrase."""
    return min(paper.counts[stem] for stem in phrase.stems)


def _overall(evidence: Evidence) -> Reason:
    return Reason(ReasonKind.VOTES_OVERALL if evidence.liked else ReasonKind.PROFILE_OVERALL)


def _contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def _is_part(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return part != whole and _contains(whole, part)
