"""From the store, for a batch of readers in a few queries: what is news to each, and what each is ranked by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Override, Paper, PaperId, Reader, ReaderId, RecordedVote, Vote
from bot.schedule import local_date
from bot.store import Store
from bot.store.editions import StoredEdition
from bot.store.new_papers import NewsCursor

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Interest

# A reader's first edition looks back this far from the newest paper; later ones to the one before.
FIRST_LOOK_BACK = timedelta(days=7)

Readers = Sequence[tuple[Reader, Profile]]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Papers new to a reader, and the highest paper id known when they were gathered."""

    ids: Sequence[PaperId]
    watermark: PaperId


@dataclass(frozen=True, slots=True)
class RankingInputs:
    """What a batch is ranked by: the readers' interests, in their order, and all papers that these name."""

    interests: Sequence[Interest]
    papers: Mapping[PaperId, Paper]


def candidates_of(store: Store, readers: Readers, samples: Collection[str] = ()) -> list[Candidates]:
    """What is new to each reader since their last edition, and later versions of papers that they like.

    New is what was never sent to them or judged by them; once another source has brought papers, what only the
    sources of ``samples`` have is not.
    """
    watermark = store.papers.newest_id()
    last = store.editions.last_by_reader([reader.id for reader, _ in readers])
    begin = _first_look(store) if len(last) < len(readers) else (0, None)
    horizons = [
        NewsCursor(
            reader.id, *(_told(last[reader.id]) if reader.id in last else begin), tuple(profile.sources)
        )
        for reader, profile in readers
    ]
    fresh = store.papers.new_papers_of(horizons, watermark)
    revised = store.papers.revisions_of({reader_id: one.composed_at for reader_id, one in last.items()})
    superseded = store.papers.only_from(samples) if samples and store.sources.has_other(samples) else set()
    return [
        Candidates(
            [
                paper_id
                for paper_id in dict.fromkeys((*fresh[reader.id], *revised.get(reader.id, ())))
                if paper_id not in superseded
            ],
            watermark,
        )
        for reader, _ in readers
    ]


def last_edition_days(store: Store, readers: Readers, now: datetime) -> dict[ReaderId, date]:
    """The newest day that each reader's editions have taken, to today on the reader's own calendar."""
    by_today: dict[date, list[ReaderId]] = defaultdict(list)
    for reader, profile in readers:
        by_today[local_date(now, profile.schedule.timezone)].append(reader.id)
    return {
        reader_id: day
        for today, ids in by_today.items()
        for reader_id, day in store.editions.last_days(ids, today, now).items()
    }


def ranking_inputs(store: Store, readers: Readers, now: datetime) -> RankingInputs:
    """What each reader is ranked by, under today's profile and thumbs."""
    ids = [reader.id for reader, _ in readers]
    thumbs, overrides = store.feedback.votes_of(ids), store.overrides.of(ids)
    papers = store.papers.get(thumb.paper for given in thumbs.values() for thumb in given)
    interests = [
        interest(profile, thumbs[reader.id], papers, now, overrides.get(reader.id, Override()).ignored)
        for reader, profile in readers
    ]
    return RankingInputs(interests, papers)


def interest(
    profile: Profile,
    thumbs: Sequence[RecordedVote],
    papers: Mapping[PaperId, Paper],
    now: datetime,
    ignored: Sequence[str] = (),
) -> Interest:
    """What to rank by: the profile, and thumbs on papers, as old as they are now, without the ignored words."""
    from bot.ranking import Interest, Rules

    return Interest(
        text=profile.interests,
        rules=Rules(profile.keywords, profile.authors, profile.mute),
        up=[papers[thumb.paper] for thumb in thumbs if thumb.vote is Vote.UP],
        down=[papers[thumb.paper] for thumb in thumbs if thumb.vote is Vote.DOWN],
        ages={thumb.paper: max((now - thumb.at) / timedelta(days=1), 0.0) for thumb in thumbs},
        ignored=ignored,
    )


def _told(last: StoredEdition) -> tuple[PaperId, datetime]:
    return last.watermark, last.composed_at


def _first_look(store: Store) -> tuple[PaperId, datetime | None]:
    newest = store.papers.newest_first_seen()
    if newest is None:
        return 0, None
    return store.papers.last_before(newest - FIRST_LOOK_BACK), newest - FIRST_LOOK_BACK
