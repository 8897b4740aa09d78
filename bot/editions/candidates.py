"""Candidates for a batch of readers: the papers new to each, and the interests that they are ranked by.

Everything is read for the whole batch in a few queries, whose number does not grow with the number of readers.
Nothing is written: ``bot.editions.models`` stores new models of readers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.model import LibraryPaper, Override, Paper, PaperId, Reader, ReaderId, RecordedVote, Vote, VotedPaper
from bot.model.clock import local_date
from bot.model.identity import keys
from bot.store import Store
from bot.store.papers import NewsCursor

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking.experts import Mixture
    from bot.ranking.learner import Learned
    from bot.ranking.ranker import Interest


# Version of how models are fitted and stored: stored models of another version are stale.
_VERSION = 4
# The first edition of a reader looks back this far from the newest paper. A store that has run for a year would
# otherwise rank a year of papers, and put last winter's best into the first edition.
FIRST_LOOK_BACK = timedelta(days=7)

Readers = Sequence[tuple[Reader, Profile]]


@dataclass(frozen=True, slots=True)
class EditionRequest:
    """An edition to compose: for which reader, under which profile, for which local date."""

    reader: Reader
    profile: Profile
    day: date


@dataclass(frozen=True, slots=True)
class Candidates:
    """Papers new to a reader, and the highest paper id of the store when they were gathered."""

    ids: Sequence[PaperId]
    watermark: PaperId


def candidates_of(store: Store, readers: Readers, samples: Collection[str] = ()) -> list[Candidates]:
    """Return for each reader the papers new since their last edition, and later versions of papers they liked.

    A paper is new if it was never sent to the reader and never voted on by them. Papers that only the sources
    named in ``samples`` have are excluded once another source has delivered papers.
    """
    watermark = store.papers.newest_id()
    last_editions = store.editions.last_by_reader([reader.id for reader, _ in readers])

    # A reader without an edition starts a week before the newest paper, not before today: a home with old sample
    # digests, or one that was switched off for a month, still has a first edition.
    first_id: PaperId = 0
    first_time: datetime | None = None
    if len(last_editions) < len(readers) and (newest := store.papers.newest_first_seen()) is not None:
        first_time = newest - FIRST_LOOK_BACK
        first_id = store.papers.last_before(first_time)

    cursors = []
    for reader, profile in readers:
        last = last_editions.get(reader.id)
        after = last.watermark if last else first_id
        since = last.composed_at if last else first_time
        cursors.append(NewsCursor(reader.id, after, since, tuple(profile.sources)))

    new = store.papers.new_papers_of(cursors, watermark)
    revised = store.papers.revisions_of(
        {reader_id: edition.composed_at for reader_id, edition in last_editions.items()}
    )
    excluded = store.papers.only_from(samples) if samples and store.sources.has_other(samples) else set()
    candidates = []
    for reader, _ in readers:
        # A dict keeps the order and drops a paper that is both new and revised.
        ids = dict.fromkeys((*new[reader.id], *revised.get(reader.id, ())))
        candidates.append(Candidates([paper_id for paper_id in ids if paper_id not in excluded], watermark))
    return candidates


def last_edition_days(store: Store, readers: Readers, now: datetime) -> dict[ReaderId, date]:
    """Return the newest local date that each reader's editions have taken, up to today in the reader's time zone."""
    by_today: dict[date, list[ReaderId]] = defaultdict(list)
    for reader, profile in readers:
        by_today[local_date(now, profile.schedule.timezone)].append(reader.id)
    # There are at most three local dates on earth at a time, so this is at most three queries.
    days: dict[ReaderId, date] = {}
    for today, reader_ids in by_today.items():
        days |= store.editions.last_days(reader_ids, today, now)
    return days


def interests_of(store: Store, readers: Readers, now: datetime) -> list[Interest]:
    """Return the interests of these readers under their current profiles and votes, with the models stored of them."""
    from bot.ranking.matching import MOST_PAPERS

    reader_ids = [reader.id for reader, _ in readers]
    votes = store.feedback.votes_of(reader_ids)
    overrides = store.overrides.of_readers(reader_ids)
    papers = store.papers.voted(vote.paper for reader_votes in votes.values() for vote in reader_votes)
    libraries = store.library.of_readers(reader_ids, MOST_PAPERS)
    learned = learned_of(store, readers)
    mixtures = mixtures_of(store, reader_ids)
    return [
        replace(
            interest(
                profile,
                votes[reader.id],
                papers,
                now,
                ignored=overrides.get(reader.id, Override()).ignored,
                library=libraries.get(reader.id, ()),
            ),
            learned=learned.get(reader.id),
            mixture=mixtures[reader.id],
        )
        for reader, profile in readers
    ]


def interest(
    profile: Profile,
    votes: Sequence[RecordedVote],
    papers: Mapping[PaperId, Paper | VotedPaper],
    now: datetime,
    *,
    ignored: Sequence[str] = (),
    library: Sequence[LibraryPaper] = (),
) -> Interest:
    """Return a reader's interest: the profile's text and rules, the voted papers, and the age of each vote in days.

    ``papers`` must hold every voted paper. ``ignored`` are the words that the reader has excluded. Papers of the
    reader's own ``library`` count as liked, but those that they voted on, by the vote.
    """
    from bot.ranking.matching import library_weights
    from bot.ranking.ranker import Interest
    from bot.ranking.ranking import Rules

    # A vote imported from a machine whose clock is ahead has age 0: a negative age would let time decay raise its
    # weight above that of a vote given just now.
    ages = {vote.paper: max((now - vote.at) / timedelta(days=1), 0.0) for vote in votes}
    voted = {key for vote in votes for key in keys(papers[vote.paper])} if library else set()
    owned = [item for item in library if voted.isdisjoint(keys(item.paper))]
    library_ages = {item.paper.id: max((now - item.added) / timedelta(days=1), 0.0) for item in owned}
    return Interest(
        text=profile.interests,
        rules=Rules(profile.keywords, profile.authors, profile.mute, profile.require),
        up=[*(papers[vote.paper] for vote in votes if vote.vote is Vote.UP), *(item.paper for item in owned)],
        down=[papers[vote.paper] for vote in votes if vote.vote is Vote.DOWN],
        ages=ages | library_ages,
        weights=library_weights(library_ages),
        ignored=ignored,
    )


def signatures(store: Store, readers: Readers) -> dict[ReaderId, str]:
    """Return a key of the votes, library and interests of each reader who ever voted or has a library.

    Readers whose key is unchanged need no new model.
    """
    last_votes = store.feedback.last_ids([reader.id for reader, _ in readers])
    libraries = store.library.last_ids([reader.id for reader, _ in readers])
    hashes: dict[str, str] = {}
    current = {}
    for reader, profile in readers:
        if reader.id not in last_votes and reader.id not in libraries:
            continue
        # The text that is ranked by: keywords stand in for missing interests.
        text = profile.interests or " ".join(profile.keywords)
        if text not in hashes:
            hashes[text] = blake2b(text.encode(), digest_size=8).hexdigest()
        counted = f"{last_votes.get(reader.id, 0)}:{libraries.get(reader.id, 0)}"
        current[reader.id] = f"{_VERSION}:{counted}:{hashes[text]}"
    return current


def learned_of(store: Store, readers: Readers) -> dict[ReaderId, Learned]:
    """Return the stored models of these readers; where they are stale or missing, the ranker fits them in memory."""
    from bot.ranking.learner import load

    stored = store.reader_models.of_readers([reader.id for reader, _ in readers])
    current = signatures(store, readers) if stored else {}
    learned = {}
    for reader_id, model in stored.items():
        if model.signature != current.get(reader_id):
            continue
        try:
            learned[reader_id] = load(model.arrays)
        except ValueError:  # an archive that can't be read is as good as missing
            continue
    return learned


def mixtures_of(store: Store, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Mixture]:
    """Return for each reader their own mixture, else that of all readers, else the shipped one."""
    from bot.ranking.experts import SHIPPED, Mixture

    fitted = store.mixtures.of_readers(reader_ids)
    home = store.mixtures.of_home()
    fits = {reader_id: fitted.get(reader_id, home) for reader_id in reader_ids}
    return {
        reader_id: Mixture.from_stored(fit.weights, fit.offset) if fit else SHIPPED for reader_id, fit in fits.items()
    }
