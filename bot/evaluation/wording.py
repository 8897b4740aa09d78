"""Verdicts in one sentence each, for somebody who knows nothing of rankings."""

from __future__ import annotations

from collections.abc import Sequence

from bot.evaluation.report import MIN_FOLDS, MIN_LIKES, Evaluation, Quality, Verdict


def answer(found: Evaluation, *, by_pairs: bool = False) -> str:
    """Is it learning me?

    With ``by_pairs``, in the terms of the chart: they are the same however many unseen papers were looked at.
    """
    if found.learned is None or found.words is None or found.chance is None:
        return _too_few(found)
    compared = _compared(found.learned, found.words)
    match found.verdict:
        case Verdict.YES if found.learned.precision > found.words.precision and not by_pairs:
            return f"Yes: {_first(found.size, found.learned, found.words, found.chance)}."
        case Verdict.YES:
            return f"Yes: {compared}."
        case Verdict.NO:
            return f"Not so far: {compared}."
    if found.gain is None:
        seen = found.calibration.papers if found.calibration else found.likes
        return (
            f"Can't tell yet: you liked {found.likes} of {seen} papers that you saw; "
            "too few are left to compare with."
        )
    return f"Can't tell yet: {compared}. The difference may be chance."


def answer_for_all(evaluations: Sequence[Evaluation], verdict: Verdict) -> str:
    """Is it learning its readers?"""
    told = [one for one in evaluations if one.verdict is not Verdict.TOO_FEW]
    if not told:
        return f"Too early to tell: none of {_count(len(evaluations), 'reader')} has pressed enough thumbs."
    yes = sum(one.verdict is Verdict.YES for one in told)
    begin = {Verdict.YES: "Yes: ", Verdict.NO: "Not so far: "}.get(verdict, "")
    rest = len(evaluations) - len(told)
    left = f"; {_count(rest, 'other')} pressed too few thumbs to tell" if rest else ""
    said = f"{begin}it learns {yes} of {_count(len(told), 'reader')} for certain{left}."
    return said[0].upper() + said[1:]


def _too_few(found: Evaluation) -> str:
    if not found.thumbs:
        return "Too early to tell: there is no thumb yet."
    return (
        f"Too early to tell: {_count(found.likes, 'liked paper')} could be predicted from earlier thumbs, "
        f"in {_count(found.rounds, 'round')}; it takes {MIN_LIKES} in {MIN_FOLDS}."
    )


def _first(size: int, learned: Quality, words: Quality, chance: Quality) -> str:
    liked = [f"{size * one.precision:.1f}" for one in (learned, words, chance)]
    papers = "the paper" if size == 1 else f"the {size} papers"
    return (
        f"of {papers} it puts first, you liked {liked[0]}; by your interest words alone {liked[1]}, "
        f"by chance {liked[2]}"
    )


def _compared(learned: Quality, words: Quality) -> str:
    """None of two is None where the other isn't: both are of the same pairs."""
    if learned.auc is None or words.auc is None:
        return "there is nothing to compare"
    return (
        f"a paper you liked stood above one you passed over {100 * learned.auc:.0f} times in 100; "
        f"by your interest words alone {100 * words.auc:.0f}, by chance 50"
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
