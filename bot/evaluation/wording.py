"""The answer to "Is it learning my preferences?" in one sentence, for readers who know nothing of rankings."""

from __future__ import annotations

from collections.abc import Sequence

from bot.evaluation.report import MIN_FOLDS, MIN_LIKES, Evaluation, Mean, Verdict
from bot.wording import plural


def answer(evaluation: Evaluation, *, by_pairs: bool = False) -> str:
    """Return the answer for one reader.

    With ``by_pairs`` it is in terms of AUC, as the chart is. The precision of the first places depends on how many
    unseen papers were ranked; AUC doesn't, so page and command give the same figures.
    """
    learned = evaluation.learned
    words = evaluation.words
    chance = evaluation.chance
    if not evaluation.thumbs:
        return "Too early to tell: there are no thumbs yet."
    if learned is None or words is None or chance is None:
        return (
            f"Too early to tell: {plural(evaluation.likes, 'liked paper')} could be predicted from earlier thumbs, "
            f"in {plural(evaluation.folds, 'fold')}; it takes {MIN_LIKES} in {MIN_FOLDS}."
        )
    if learned.auc is None or words.auc is None or evaluation.gain is None:
        seen = evaluation.calibration.papers if evaluation.calibration else evaluation.likes
        return (
            f"Can't tell yet: you liked {evaluation.likes} of {seen} papers that you saw; "
            "too few are left to compare with."
        )
    if evaluation.verdict is Verdict.YES and learned.precision > words.precision and not by_pairs:
        size = evaluation.size
        papers = "the paper" if size == 1 else f"the {size} papers"
        return (
            f"Yes: of {papers} it ranks first, you liked {size * learned.precision:.1f}; by your interest words "
            f"alone {size * words.precision:.1f}, by chance {size * chance.precision:.1f}."
        )
    comparison = (
        f"a paper you liked stood above one you passed over {100 * learned.auc:.0f} times in 100; "
        f"by your interest words alone {100 * words.auc:.0f}, by chance 50"
    )
    if evaluation.verdict is Verdict.UNCLEAR:
        return f"Can't tell yet: {comparison}. The difference may be chance."
    return f"{'Yes' if evaluation.verdict is Verdict.YES else 'Not so far'}: {comparison}."


def answer_for_all(evaluations: Sequence[Evaluation], mean: Mean) -> str:
    """Return the answer for all readers together."""
    measured = [evaluation for evaluation in evaluations if evaluation.verdict is not Verdict.TOO_FEW]
    if not measured:
        readers = plural(len(evaluations), "reader")
        return f"Too early to tell: none of {readers} has given enough thumbs."
    certain = sum(evaluation.verdict is Verdict.YES for evaluation in measured)
    sentence = f"it certainly learns the preferences of {certain} of {plural(len(measured), 'reader')}"
    remaining = len(evaluations) - len(measured)
    if remaining:
        sentence += f"; {plural(remaining, 'other')} gave too few thumbs to tell"
    if mean.verdict is Verdict.YES:
        return f"Yes: {sentence}."
    if mean.verdict is Verdict.NO:
        return f"Not so far: {sentence}."
    return f"{sentence[0].upper()}{sentence[1:]}."
