"""The categories of arXiv and the subjects of bioRxiv and medRxiv, with spelling suggestions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any


@cache
def arxiv_categories() -> Mapping[str, str]:
    """Return the names of arXiv's categories by code (https://arxiv.org/category_taxonomy)."""
    names: Mapping[str, str] = _read("arxiv_categories.json")
    return names


@cache
def subjects() -> Mapping[str, Sequence[str]]:
    """Return each server's subjects as it writes them, without parentheses."""
    names: Mapping[str, Sequence[str]] = _read("preprint_subjects.json")
    return names


@cache
def arxiv_archives() -> frozenset[str]:
    """Return the prefixes of arXiv's categories: ``cs``, ``hep-th``."""
    return frozenset(code.partition(".")[0] for code in arxiv_categories())


def known_category(text: str) -> str:
    """Return a category in arXiv's spelling. Raises ValueError with the nearest one.

    >>> known_category("cs.lg")
    'cs.LG'
    """
    by_folded_code = {code.casefold(): code for code in arxiv_categories()}
    if code := by_folded_code.get(text.casefold()):
        return code
    near = _nearest(text.casefold(), by_folded_code)
    remedy = f"did you mean {by_folded_code[near]}?" if near else "https://arxiv.org/category_taxonomy lists them"
    raise ValueError(f"{text!r} is not a category of arXiv; {remedy}")


def known_subject(server: str, text: str) -> str:
    """Return a subject in its server's spelling. Raises ValueError with the nearest one.

    >>> known_subject("biorxiv", "cell_biology"), known_subject("medrxiv", "hivaids")
    ('Cell Biology', 'HIV/AIDS')
    """
    by_letters = {_letters(subject): subject for subject in subjects()[server]}
    letters = _letters(text)
    if subject := by_letters.get(letters):
        return subject
    near = _nearest(letters, by_letters)
    remedy = f"did you mean {by_letters[near]!r}?" if near else f"https://www.{server}.org lists them"
    raise ValueError(f"{text!r} is not a subject of {server.replace('rxiv', 'Rxiv')}; {remedy}")


def _nearest(text: str, known: Iterable[str]) -> str:
    """Return the most similar text, or an empty string.

    >>> _nearest("cs.hx", ["cs.hc", "cs.oh"])
    'cs.hc'
    """

    def shared_letters(near: str) -> int:
        return next((n for n, (a, b) in enumerate(zip(near, text, strict=False)) if a != b), len(text))

    return max(get_close_matches(text, known, n=5), key=shared_letters, default="")


def _letters(subject: str) -> str:
    # Addresses write subjects with "_" or without separators.
    return re.sub(r"[^a-z]", "", subject.partition("(")[0].lower())


def _read(name: str) -> Any:
    return json.loads(Path(__file__).with_name(name).read_text("utf-8"))
