"""Hugging Face's Daily Papers by their API, one list a day.

A list grows during its day and after it, so the last two days are asked for each time; days that were missed
are made up for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from bot.domain import Problem, RawDigest
from bot.sources import Visit
from bot.sources.http import Fetcher, HttpError

URL = "https://huggingface.co/api/daily_papers"
_STILL_GROWING = timedelta(days=1)
_MOST_MADE_UP_FOR = timedelta(days=7)
_NOT_YET = (400, 404)  # the answer for a day that has not begun where the server is


@dataclass(frozen=True, slots=True)
class HuggingFaceSource:
    """The lists of the last days."""

    name: str
    fetcher: Fetcher
    poll_interval: timedelta
    url: str = URL
    kind: str = "huggingface"
    follows_arxiv_calendar: bool = False

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """A list for each day that may have news, oldest first; raises SourceError."""
        today = visit.now.date()
        last = _day(visit.memory.get("last", "")) or today
        first = max(min(last, today) - _STILL_GROWING, today - _MOST_MADE_UP_FOR)
        for day in (first + timedelta(days=n) for n in range((today - first).days + 1)):
            content = self._list(day, is_today=day == today)
            if content.strip() not in (b"", b"[]"):
                yield RawDigest(self.name, f"{self.url}?date={day}", content)
        visit.memory["last"] = today.isoformat()

    def _list(self, day: date, *, is_today: bool) -> bytes:
        try:
            return self.fetcher.fetch(f"{self.url}?date={day}").content or b""
        except HttpError as error:
            if is_today and error.status in _NOT_YET:
                return b""
            raise


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None
