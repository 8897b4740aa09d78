"""What a digest's name says of it, where its text says nothing: a day, a topic."""

from __future__ import annotations

import re
from datetime import date
from pathlib import PurePosixPath

from bot.digests.wording import calendar_day

_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})[-_. ]{{1,2}}{_MONTH}[-_. ,]{{1,2}}((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)
_MONTH_FIRST = re.compile(
    rf"(?<![a-z]){_MONTH}[-_. ]{{1,2}}(\d{{1,2}})[-_. ,]{{1,2}}((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)
_SAYS_NOTHING = {
    "readme",
    "topic",
    "related",
    "papers",
    "paper",
    "digest",
    "daily",
    "arxiv",
    "new",
    "the",
    "of",
}
_LONGEST_TOPIC = 60


def day_in(text: str) -> date | None:
    """The first day that a text names: ``2025-05-06``, ``20250506``, ``6-May-2025``, ``May 6, 2025``."""
    if found := _ISO.search(text):
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return None
    if found := _DAY_FIRST.search(text):
        return calendar_day(found[1], found[2], found[3])
    found = _MONTH_FIRST.search(text)
    return calendar_day(found[2], found[1], found[3]) if found else None


def topic_in(name: str) -> str:
    """What is left of a file's name without its date and words that every digest has.

    >>> topic_in("daily/6-May-2025_topic_RAG_related_papers.md")
    'RAG'
    """
    stem = PurePosixPath(name).name.partition("?")[0].rpartition(".")[0] or PurePosixPath(name).name
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        stem = pattern.sub(" ", stem)
    words = (word for word in re.split(r"[\s_-]+", stem) if word.lower() not in _SAYS_NOTHING)
    return " ".join(filter(None, words))[:_LONGEST_TOPIC]
