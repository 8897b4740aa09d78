"""Hugging Face's Daily Papers by their API, one list a day.

A list grows after its day, so each poll retrieves two days, and earlier ones without a poll.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from http import HTTPStatus

from bot.config.tables import FetchUrl, Minutes, PolledOptions
from bot.model import Problem, RawDigest
from bot.sources import FetchedSource, HttpError, SourceKind, Visit

_GROWS_FOR = timedelta(days=1)  # after its day
_MAX_LOOK_BACK = timedelta(days=7)
# The answer for a day that hasn't begun in the server's time zone.
_NOT_YET_STATUSES = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND)


class HuggingFaceOptions(PolledOptions):
    """The address of the API."""

    url: FetchUrl = "https://huggingface.co/api/daily_papers"
    every: Minutes = 120


class HuggingFaceSource(FetchedSource[HuggingFaceOptions]):
    """The lists of the last days."""

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        today = visit.now.date()
        last = date.fromisoformat(visit.memory.get("last") or today.isoformat())
        first = max(min(last, today) - _GROWS_FOR, today - _MAX_LOOK_BACK)
        for day in (first + timedelta(days=n) for n in range((today - first).days + 1)):
            url = f"{self.options.url}?date={day}"
            try:
                content = self.get(url)
            except HttpError as error:
                if day == today and error.status in _NOT_YET_STATUSES:
                    continue
                raise
            if content.strip() not in (b"", b"[]"):
                yield RawDigest(self.name, url, content)
        visit.memory["last"] = today.isoformat()


HUGGING_FACE = SourceKind("huggingface", HuggingFaceOptions, HuggingFaceSource.make)
