"""What each constant of the summaries is worth: one at a time, at other values.

    python bench/summary_constants.py ../shared/bench [CONSTANT=VALUE ...]

A constant is written as ``summaries.summary._DOUBT=0.2``; without any, those of the table are measured. Prints
five-fold coverage of marked roles by 2 and 3 sentences; for 200 abstracts the shares with a sentence without its
antecedent, with the background first, and with a bold sentence; and the findings among the bold sentences of part
"report" of the labels. Each row is the difference to the shipped constants.
"""

from __future__ import annotations

import argparse
import importlib
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from summary_report import STRICT, WIDE, coverage, dangling, labelled_findings, out_of_fold
from summary_weights import training_data

from bot.summaries.roles import shipped_weights

# The values that each constant is measured at: about half and twice the shipped one where it isn't a share.
CONSTANTS = {
    "summaries.summary._DOUBT": (0.06, 0.3),
    "summaries.summary._PROPOSAL_WORTH": (0.1, 0.8),
    "summaries.summary._GIST_WORTH": (0, 1),
    "summaries.summary._CONCLUSION_WORTH": (0, 0.5, 1),
    "summaries.summary._EVIDENCE_WORTH": (0, 0.6),
    "summaries.summary._KNOWN_WORTH": (0, 1),
    "summaries.summary._ANSWER_WORTH": (0, 0.5, 2),
    "summaries.summary._MAIN_WORTH": (0, 0.4, 1.6),
    "summaries.summary._FIRST_COST": (0, 0.5),
    "summaries.summary._TASK_WORTH_OF_FEW": (0.1, 0.5, 1),
    "summaries.summary._DANGLING_COST": (0, 0.2, 1),
    "summaries.summary._SAMPLE_WORTH": (0, 1.2),
    "summaries.summary._BACKGROUND_FROM": (0.3, 0.7),
    "summaries.summary._FINDING_BOOST": (0, 0.4, 0.8),
    "summaries.summary._FINDING_WORTH": (0, 0.1, 0.5),
    "summaries.summary._FINDING_FROM": (0.2, 0.5),
    "summaries.summary._COMPARED": (5, 20),
    "summaries.claims._LINK_LENGTH": (110, 440),
    "summaries.claims._PRAISE_WORDS": (12, 50),
}
ABSTRACTS = 200

Figures = dict[str, float]  # by name


class Summaries:
    """Abstracts and labels, and what each abstract says by weights that were learned without it."""

    def __init__(self, bench: Path) -> None:
        _, self.marked, self.unlabelled = training_data(bench)
        self.weights = shipped_weights()
        self.abstracts = [paper["abstract"] for paper in random.Random(1).sample(self.unlabelled, ABSTRACTS)]
        self.reads = out_of_fold(self.marked, self.weights)

    def figures(self, constant: str) -> Figures:
        """Return figures over all abstracts."""
        of_choice = not constant or constant.startswith("summaries.summary")
        reads = self.reads if of_choice else out_of_fold(self.marked, self.weights)
        loose, background, bold = dangling(self.abstracts, self.weights)
        outcomes = labelled_findings(self.unlabelled, self.weights, "report")
        shown = outcomes.total() - outcomes["no finding shown"]
        return {
            "cover 2": coverage(self.marked, reads, 2),
            "cover 3": coverage(self.marked, reads, 3),
            "dangling": loose / ABSTRACTS,
            "background first": background / ABSTRACTS,
            "bold": bold / ABSTRACTS,
            "findings": sum(outcomes[name] for name in STRICT) / max(shown, 1),
            "or borderline": sum(outcomes[name] for name in WIDE) / max(shown, 1),
        }


@contextmanager
def constant_set(name: str, value: float) -> Iterator[None]:
    """Set a constant of ``bot`` for a time; whole numbers stay whole."""
    path, attribute = name.rsplit(".", 1)
    module = importlib.import_module(f"bot.{path}")
    shipped = getattr(module, attribute)
    setattr(module, attribute, type(shipped)(value))
    try:
        yield
    finally:
        setattr(module, attribute, shipped)


def row(name: str, figures: Figures, shipped: Figures | None = None) -> str:
    """Return a line of figures, or of their differences to the shipped ones."""
    cells = [
        f"{figure} {value:.4g}" if shipped is None else f"{figure} {value - shipped[figure]:+.4f}"
        for figure, value in figures.items()
    ]
    return f"{name:52} {'   '.join(cells)}"


def main() -> None:
    """Print the figures of the shipped constants, and a row for each other value."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("constants", nargs="*", metavar="CONSTANT=VALUE")
    args = parser.parse_args()
    settings = [(name, float(value)) for name, value in (each.split("=") for each in args.constants)]
    every = [(name, float(value)) for name, values in CONSTANTS.items() for value in values]
    data = Summaries(args.bench)
    shipped = data.figures("")
    print(row("shipped", shipped), flush=True)
    for name, value in settings or every:
        with constant_set(name, value):
            print(row(f"{name}={value:g}", data.figures(name), shipped), flush=True)


if __name__ == "__main__":
    main()
