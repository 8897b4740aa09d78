"""Facts on a paper beside its text; they are shown and raise no score by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FactKind(StrEnum):
    """What a fact states."""

    VENUE = "venue"  # where it is published or accepted, as a digest words it
    PAGES = "pages"  # their number
    CODE = "code"  # the address of its code
    STARS = "stars"  # of that code on GitHub
    PROJECT = "project"  # the address of its page
    COMMENT = "comment"  # the authors' own, on arXiv


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact and the digest format or site that states it."""

    kind: FactKind
    value: str
    origin: str
