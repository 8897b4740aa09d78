"""Day and topic from a digest's file name, for digests whose text has neither."""

from __future__ import annotations

import re
from datetime import date
from pathlib import PurePosixPath

from bot.digests.fields import MONTHS, calendar_day

_MONTH = rf"({'|'.join(MONTHS)})[a-z]{{0,6}}"
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})[-_. ]{{1,2}}{_MONTH}[-_. ,]{{1,2}}((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)
_MONTH_FIRST = re.compile(
    rf"(?<![a-z]){_MONTH}[-_. ]{{1,2}}(\d{{1,2}})[-_. ,]{{1,2}}((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)
# Words that the names of most digests share, so that they tell no topic.
_STOP_WORDS = frozenset(
    ["readme", "topic", "related", "papers", "paper", "digest", "daily", "arxiv", "new", "the", "of"]
)
_LONGEST_TOPIC = 60


def date_in(text: str) -> date | None:
    """Return the first day that a text names: ``2025-05-06``, ``20250506``, ``6-May-2025``, ``May 6, 2025``."""
    if iso := _ISO.search(text):
        return calendar_day(iso[3], MONTHS[int(iso[2]) - 1], iso[1])
    if day_first := _DAY_FIRST.search(text):
        return calendar_day(day_first[1], day_first[2], day_first[3])
    month_first = _MONTH_FIRST.search(text)
    return calendar_day(month_first[2], month_first[1], month_first[3]) if month_first else None


def topic_in(name: str) -> str:
    """Return what remains of a file name without its date and its stop words.

    >>> topic_in("daily/6-May-2025_topic_RAG_related_papers.md")
    'RAG'
    """
    # A digest from a feed is named by its URL, so a query string may follow the file name.
    stem = PurePosixPath(name).name.partition("?")[0].rpartition(".")[0] or PurePosixPath(name).name
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        stem = pattern.sub(" ", stem)
    words = (word for word in re.split(r"[\s_-]+", stem) if word.lower() not in _STOP_WORDS)
    return " ".join(filter(None, words))[:_LONGEST_TOPIC]
