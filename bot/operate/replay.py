"""Past days again: what the editions would have been under today's profile.

Each day is composed by the ``EditionComposer`` of the daily job, over the store as of that day: the papers, votes and
digests known by then, and a corpus fitted on those papers alone. A day's time is that at which its edition was really
composed, otherwise that of the schedule; so an unchanged profile gives the editions that were sent. Papers of one
replayed edition are not new to the next; before the first one, what was really sent counts. Nothing is stored.

Values without a history are today's: the profile with the reader's own preferences, the texts and upvotes of papers,
and which sources are samples. Alerts are not replayed separately: papers that match an alert rule come first in their
edition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.editions.health import SourceMonitor
from bot.editions.models import CorpusCache, CurrentRanker
from bot.model import Edition, PaperId, Reader, RecordedVote
from bot.model.clock import days_between, moment
from bot.model.errors import UsageError
from bot.store import Store

MAX_DAYS = 400


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of papers: when the reader first received each, and the vote that counts now."""

    sent: Mapping[PaperId, datetime]
    votes: Mapping[PaperId, RecordedVote]


def replay(
    store: Store,
    reader: Reader,
    profile: Profile,
    first: date,
    last: date,
    *,
    now: datetime,
    samples: Collection[str] = (),
) -> Iterator[Edition]:
    """Return an iterator over the editions from ``first`` to ``last``, both included; each is composed when asked for.

    Only days of the schedule whose time has come count. ``samples`` names the sources that are excluded once another
    source has delivered papers. Raises UsageError if ``first`` is after ``last``, or for more than ``MAX_DAYS`` days.
    """
    if first > last:
        raise UsageError(f"--from {first} is after --to {last}; exchange them")
    if last - first > timedelta(days=MAX_DAYS):
        raise UsageError(f"{first} to {last} is more than {MAX_DAYS} days; replay fewer at once")
    composed = {edition.date: edition.composed_at for edition in store.editions.of_reader(reader.id)[::-1]}
    schedule = profile.schedule
    times: dict[date, datetime] = {}
    for day in days_between(first, last, schedule.days):
        at = composed.get(day, moment(day, schedule.at, schedule.timezone))
        if at <= now:
            times[day] = at
    # A generator of its own, so that a mistaken range is refused by the call and not by its first use.
    return _editions(store, reader, profile, times, samples)


def outcomes(store: Store, reader: Reader) -> Outcomes:
    """Return what became of the papers that the reader received or voted on, until now."""
    sent = {paper: place.at for paper, place in store.editions.shown(reader.id).items()}
    return Outcomes(sent, store.feedback.current(reader.id))


def _editions(
    store: Store, reader: Reader, profile: Profile, times: Mapping[date, datetime], samples: Collection[str]
) -> Iterator[Edition]:
    editions: list[Edition] = []
    with TemporaryDirectory(prefix="paperbot-") as folder:
        # In a file of its own: this corpus is fitted on the papers of the past, and again as they become more.
        file = Path(folder) / "corpus.npz"
        for day, at in times.items():
            past = store.as_of(at, next(iter(times.values())), editions)
            corpora = CorpusCache(file, past.papers)
            corpora.renew()
            composer = EditionComposer(past, CurrentRanker(corpora), SourceMonitor(past, ()), samples=samples)
            edition = composer.edition(reader, profile, day, at)
            editions.append(edition)
            yield edition
