"""Past days again: what the editions would have been under today's profile.

Each day is composed by the ``EditionComposer`` of the daily run, over the store as it was at that day's moment: the
papers known by then, the thumbs given by then, a corpus fitted on those papers alone. The moment is the one at which
that day's edition was really made, else the one that the schedule names: nothing changed, the same editions come out.
Day after day, what one replayed edition shows is no news to the next; before the first stands what was really sent.
Nothing is stored.

What was not written down as it was then is as today: the profile with what the reader has set on a page, papers'
texts and upvotes. Alerts are not replayed by themselves: what an alert rule matches stands first in its edition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Edition, PaperId, Reader, RecordedVote
from bot.editions.composer import EditionComposer
from bot.editions.corpus_cache import CorpusCache
from bot.editions.source_activity import SourceMonitor
from bot.errors import UsageError
from bot.schedule import days_between, moment
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Ranker

MOST_DAYS = 400


@dataclass(frozen=True, slots=True)
class LaterEvents:
    """What became of papers: when the reader first really got one, and the thumb that counts now."""

    sent: Mapping[PaperId, datetime]
    thumbs: Mapping[PaperId, RecordedVote]


def replay(
    store: Store, reader: Reader, profile: Profile, first: date, last: date, *, now: datetime
) -> Iterator[Edition]:
    """The editions of all days on which one was due, oldest first, each as soon as it is composed.

    Both ends included; days that are still to come are left out. Raises UsageError for a range that is none.
    """
    if first > last:
        raise UsageError(f"--from {first} is after --to {last}; turn them round")
    if last - first > timedelta(days=MOST_DAYS):
        raise UsageError(f"{first} to {last} is more than {MOST_DAYS} days; replay fewer at once")
    due = _moments(profile, first, last)
    real = {edition.date: edition.composed_at for edition in store.editions.of_reader(reader.id)[::-1]}
    moments = {day: real.get(day, at) for day, at in due.items()}
    return _replay(store, reader, profile, {day: at for day, at in moments.items() if at <= now})


def later_events(store: Store, reader: Reader) -> LaterEvents:
    """What became of papers that the reader got or judged, by now."""
    sent = {paper: where.at for paper, where in store.editions.shown(reader.id).items()}
    return LaterEvents(sent, store.feedback.current(reader.id))


def _moments(profile: Profile, first: date, last: date) -> dict[date, datetime]:
    """The days on which an edition was due, and when."""
    schedule = profile.schedule
    days = days_between(first, last, schedule.days)
    return {day: moment(day, schedule.at, schedule.timezone) for day in days}


def _ranker(corpora: CorpusCache) -> Ranker:
    from bot.ranking import Ranker

    return Ranker(corpora.corpus())


def _replay(
    store: Store, reader: Reader, profile: Profile, moments: Mapping[date, datetime]
) -> Iterator[Edition]:
    made: list[Edition] = []
    with TemporaryDirectory(prefix="paperbot-") as folder:
        # Fitted again as in real life, when enough is new: of what was known then, so in a file of its own.
        file = Path(folder) / "corpus.npz"
        for day, at in moments.items():
            past = store.as_of(at, next(iter(moments.values())), made)
            corpora = CorpusCache(file, past.papers)
            corpora.renew()
            composer = EditionComposer(past, partial(_ranker, corpora), SourceMonitor(past, ()))
            made.append(composer.edition(reader, profile, day, at))
            yield made[-1]
