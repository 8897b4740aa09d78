"""Which topics grew: phrases that more of the new papers have than of those before, by an exact test.

    texts --stems side by side--> phrases of two to four words, each counted once a paper
    phrases of enough papers --exact test, Holm--> grown ones --without repetition--> as authors write them

The test is Fisher's, one-sided, within strata: for papers of one stratum it is the hypergeometric tail, for several the
tail of the sum. A stratum has the papers of the same sources, so that a source that brings more papers than before, or
that is new, is no growth of its topics.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from scipy.stats import hypergeom

from bot.model import ranked_text
from bot.ranking.phrases import PaperText
from bot.text.tokens import Spellings, names_topic, phrases, shipped_vocabulary, stem_sequence

_ALPHA = 0.05
# Papers, new and earlier, that have a tested phrase: the sum is fixed in the test, so that choosing by it is fair. Of
# fewer, even all in the new ones are no evidence once it is corrected for hundreds of tests.
_LEAST_PAPERS = 8
_LEAST_RATIO = 2.0  # of the shares
_MAX_WORDS = 4
# Of a phrase's new papers: so many are read for how they write it, and in half of them a phrase must end as it does.
_READ = 40
_WHOLE = 0.5
# A longer phrase with nearly all papers of its part is named instead.
_NEARLY_ALL = 0.8
# Two topics with so many papers in common, of those of the smaller, are one.
_IN_COMMON = 0.5


@dataclass(frozen=True, slots=True)
class Growth:
    """A phrase as authors write it, the rows of the new papers that have it, those in whose title it is first.

    ``before`` is how many of the earlier papers have it.
    """

    text: str
    papers: tuple[int, ...]
    before: int


def grown(
    texts: Sequence[tuple[str, str]], is_new: Sequence[bool], strata: Sequence[int], *, most: int
) -> list[Growth]:
    """Return up to ``most`` topics that grew, the strongest evidence first; ``texts`` are titles and abstracts.

    If each paper of a stratum had been as likely to be a new one, the chance to name any topic is at most 5 %.
    ``strata`` are numbers from 0 on.
    """
    groups = 2 * np.asarray(strata, np.int64) + np.asarray(is_new, np.int64)
    sizes = _by_stratum(groups, 2 * max(strata, default=0) + 2)
    papers = phrases_to_test(texts)
    counts = {stems: _by_stratum(groups[rows], sizes.size) for stems, rows in papers.items()}
    # What has not doubled is never named: it stands behind all others in Holm's order, and needs no p.
    p = {stems: tail(count, sizes) for stems, count in counts.items() if _has_grown(count, sizes)}
    order = sorted(p, key=lambda stems: (p[stems], stems))
    kept = order[: holm([p[stems] for stems in order], tests=len(papers))]
    return _named({stems: papers[stems] for stems in kept}, groups % 2 == 1, texts, most)


def _by_stratum(groups: np.ndarray, number: int) -> np.ndarray:
    """Return how many of some papers are earlier and new in each stratum, (strata, 2)."""
    return np.bincount(groups, minlength=number).reshape(-1, 2)


def _has_grown(counts: np.ndarray, sizes: np.ndarray) -> bool:
    (before, after), (all_before, all_new) = counts.sum(0).tolist(), sizes.sum(0).tolist()
    return bool(all_before and after * all_before >= _LEAST_RATIO * before * all_new and after)


def tail(counts: np.ndarray, sizes: np.ndarray) -> float:
    """Return the chance of so many new papers with a phrase or more, given all that have it.

    Both are (strata, 2): papers with the phrase, and all papers, earlier and new.
    """
    chances = np.ones(1)
    for (earlier, later), (papers_before, papers_new) in zip(counts.tolist(), sizes.tolist(), strict=True):
        with_it = earlier + later
        drawn = hypergeom(papers_before + papers_new, with_it, papers_new).pmf(np.arange(with_it + 1))
        chances = np.convolve(chances, drawn)
    return min(float(chances[int(counts[:, 1].sum()) :].sum()), 1.0)


def holm(p: Sequence[float], tests: int) -> int:
    """Return how many of the smallest p, in ascending order, Holm's correction for so many tests rejects.

    >>> holm([0.001, 0.012, 0.03], tests=4), holm([0.02, 0.02], tests=3)
    (2, 0)
    """
    return next((n for n, value in enumerate(p) if value > _ALPHA / (tests - n)), len(p))


def phrases_to_test(texts: Sequence[tuple[str, str]]) -> dict[tuple[str, ...], np.ndarray]:
    """Return the rows of the papers with each phrase of two to four words that is tested, by its stems.

    Which are tested depends on all papers together, not on which of them are new. A part of a longer phrase that has
    nearly all of its papers is not tested beside it.
    """
    stems, words, places, papers = _read(texts)
    side_by_side = (papers[:-1] == papers[1:]) & (places[:-1] + 1 == places[1:])
    parts: list[tuple[str, ...]] = [(stem,) for stem in stems]
    ids = words  # of the part that begins at each place, -1 where there is none
    tested: dict[tuple[str, ...], np.ndarray] = {}
    for _ in range(1, _MAX_WORDS):
        joined = np.flatnonzero(side_by_side[: len(ids) - 1] & (ids[:-1] >= 0) & (ids[1:] >= 0))
        codes, inverse = np.unique(ids[joined] * len(parts) + ids[joined + 1], return_inverse=True)
        pairs = np.unique(inverse * len(texts) + papers[joined])
        ends = np.searchsorted(pairs, np.arange(len(codes) + 1) * len(texts))
        following = np.full(len(codes), -1, np.int64)
        longer: list[tuple[str, ...]] = []
        # A longer phrase is looked for only where its parts are in enough papers.
        for n in np.flatnonzero(np.diff(ends) >= _LEAST_PAPERS).tolist():
            first, second = divmod(int(codes[n]), len(parts))
            phrase = (*parts[first], parts[second][-1])
            if _is_run(phrase):
                following[n] = len(longer)
                longer.append(phrase)
                if names_topic(phrase):
                    tested[phrase] = pairs[ends[n] : ends[n + 1]] - n * len(texts)
        ids, parts = np.full(max(len(ids) - 1, 0), -1, np.int64), longer
        ids[joined] = following[inverse]
    named_by_longer = {
        part
        for phrase, rows in tested.items()
        for part in (phrase[:-1], phrase[1:])
        if part in tested and len(rows) >= _NEARLY_ALL * len(tested[part])
    }
    return {phrase: rows for phrase, rows in tested.items() if phrase not in named_by_longer}


def _read(texts: Sequence[tuple[str, str]]) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Return the stems of all texts, and of each word in order: the number of its stem, its position, its paper."""
    number: dict[str, int] = {}
    words, places, papers = array("q"), array("q"), array("q")
    for paper, (title, abstract) in enumerate(texts):
        sequence = stem_sequence(ranked_text(title, abstract))
        words.extend(number.setdefault(stem, len(number)) for stem in sequence.stems)
        places.extend(sequence.positions)
        papers.extend([paper] * len(sequence.stems))
    return list(number), np.array(words, np.int64), np.array(places, np.int64), np.array(papers, np.int64)


def _is_run(stems: Sequence[str]) -> bool:
    """Whether no word between others is one that names no topic, such as "show", unless the two are a listed term."""
    vocabulary = shipped_vocabulary()
    return all(
        f"{a} {b}" in vocabulary.phrases or not (a in vocabulary.filler or b in vocabulary.filler)
        for a, b in pairwise(stems)
    )


def _named(
    grown: Mapping[tuple[str, ...], np.ndarray], is_new: np.ndarray, texts: Sequence[tuple[str, str]], most: int
) -> list[Growth]:
    """Return the first topics as authors write them; one of the same papers as an earlier one is left out."""
    reader = _Reader(texts)
    topics: list[Growth] = []
    chosen: list[set[int]] = []
    for stems, rows in grown.items():
        if len(topics) == most:
            break
        papers = rows[is_new[rows]].tolist()
        if any(_is_same(set(papers), others) for others in chosen):
            continue
        if text := reader.spelling(stems, papers):
            chosen.append(set(papers))
            topics.append(Growth(text, reader.ordered(stems, papers), len(rows) - len(papers)))
    return topics


def _is_same(papers: set[int], others: set[int]) -> bool:
    return len(papers & others) > _IN_COMMON * min(len(papers), len(others))


class _Reader:
    """How papers write phrases; each paper is read once."""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        self._texts = texts
        self._spellings = Spellings()
        self._read: dict[int, PaperText] = {}

    def spelling(self, stems: tuple[str, ...], papers: Sequence[int]) -> str:
        """Return how most of these papers write a phrase; empty if it is only a part of phrases of theirs."""
        read = papers[-_READ:]
        whole = sum(
            phrase.stems == stems and not phrase.is_adjective
            for paper in read
            for phrase in self._text(paper).whole_phrases
        )
        if whole < _WHOLE * len(read):
            return ""
        # In titles most words are capitalised.
        written = Counter(chain.from_iterable(_written(stems, self._texts[paper][1]) for paper in read))
        written = written or Counter(chain.from_iterable(_written(stems, self._texts[paper][0]) for paper in read))
        return written.most_common(1)[0][0]

    def ordered(self, stems: tuple[str, ...], papers: Sequence[int]) -> tuple[int, ...]:
        """Return the papers with the phrase in their title first, then those that have it most often."""
        return tuple(sorted(papers, key=lambda paper: (not self._has_title(paper, stems), -self._times(paper, stems))))

    def _has_title(self, paper: int, stems: tuple[str, ...]) -> bool:
        return any(phrase.stems == stems and phrase.in_title for phrase in self._text(paper).phrases)

    def _times(self, paper: int, stems: tuple[str, ...]) -> int:
        return sum(1 for _ in _written(stems, self._texts[paper][1]))

    def _text(self, paper: int) -> PaperText:
        if paper not in self._read:
            self._read[paper] = PaperText(*self._texts[paper], self._spellings)
        return self._read[paper]


def _written(stems: tuple[str, ...], text: str) -> Iterator[str]:
    """Yield each occurrence of a phrase as the text has it."""
    for run in phrases(text):
        for start in range(len(run) - len(stems) + 1):
            part = run[start : start + len(stems)]
            if tuple(token.stem for token in part) == stems:
                yield " ".join(text[part[0].start : part[-1].end].split())
