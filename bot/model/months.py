"""A month of a field: the topics that grew in the papers that its sources brought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bot.model.papers import Paper

# Papers of a month and of the three before: of fewer, nothing is said.
LEAST_OF_MONTH = 200
LEAST_BEFORE = 300


@dataclass(frozen=True, slots=True)
class GrownTopic:
    """A phrase that grew, how many papers of the month and of the three before have it, and two of the month's."""

    text: str
    papers: int
    before: int
    examples: tuple[Paper, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldMonth:
    """What grew in the month that begins on ``first``, the strongest evidence first.

    ``papers`` of the month were compared with ``before`` of the three before. Where very many came, these are some
    of ``came`` and of ``came_before``, which are 0 otherwise.
    """

    first: date
    papers: int
    before: int
    topics: tuple[GrownTopic, ...] = ()
    came: int = 0
    came_before: int = 0

    @property
    def is_enough(self) -> bool:
        """Whether there are enough papers to say anything."""
        return self.papers >= LEAST_OF_MONTH and self.before >= LEAST_BEFORE
