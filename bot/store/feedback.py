"""Thumbs. All that a reader ever said is kept, in order; the last word on a paper counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Subquery, case, func, insert, select

from bot.domain import PaperId, ReaderId, RecordedVote, Vote
from bot.store.engine import AnyRow, AnySelect, Database, in_chunks
from bot.store.schema import thumbs


class Feedback:
    """The readers' thumbs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, reader_id: ReaderId, paper_id: PaperId, vote: Vote, at: datetime, via: str, *, voter: str = ""
    ) -> None:
        """Note what a reader, or one ``voter`` of a channel, says of a paper now.

        ``Vote.CLEAR`` takes back what the same voter said before.
        """
        row = {
            "reader_id": reader_id,
            "paper_id": paper_id,
            "vote": vote,
            "at": at,
            "via": via,
            "voter": voter,
        }
        with self._database.writing() as connection:
            connection.execute(insert(thumbs), row)

    def add_many(self, given: Sequence[tuple[ReaderId, RecordedVote]]) -> None:
        """Note votes in this order, all in one transaction; the last on a paper counts, whenever it was given."""
        rows = [
            {"reader_id": reader_id, "paper_id": thumb.paper, **_said(thumb)} for reader_id, thumb in given
        ]
        if rows:
            with self._database.writing() as connection:
                connection.execute(insert(thumbs), rows)

    def current(self, reader_id: ReaderId) -> dict[PaperId, RecordedVote]:
        """Return the thumbs that count, in the order given; none that was taken back.

        Of a channel's members all count: the thumb is that of the majority, and none where they are even.
        """
        said: dict[PaperId, list[RecordedVote]] = {}
        for thumb in self.votes(reader_id):
            said.setdefault(thumb.paper, []).append(thumb)
        agreed = {paper: _majority(given) for paper, given in said.items()}
        return {paper: thumb for paper, thumb in agreed.items() if thumb}

    def votes(self, reader_id: ReaderId, paper_id: PaperId | None = None) -> list[RecordedVote]:
        """Return the last word of each voter on each paper, or on one, in the order given.

        None that was taken back.
        """
        current = self._current([reader_id], paper_id)
        return self._read(select(current).order_by(current.c.id))

    def votes_of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, list[RecordedVote]]:
        """Return for each reader what ``votes`` says of all papers."""
        found: dict[ReaderId, list[RecordedVote]] = {reader_id: [] for reader_id in reader_ids}
        with self._database.reading() as connection:
            for some in in_chunks(reader_ids):
                current = self._current(some)
                for row in connection.execute(select(current).order_by(current.c.id)):
                    found[row.reader_id].append(_thumb(row))
        return found

    def history(self, reader_id: ReaderId) -> list[RecordedVote]:
        """Return all a reader ever said, changes of mind and ``CLEAR`` included, in order."""
        return self._read(select(thumbs).where(thumbs.c.reader_id == reader_id).order_by(thumbs.c.id))

    def counts(self) -> dict[ReaderId, tuple[int, int]]:
        """Return how many thumbs up and down count now, by reader; without readers who have none."""
        current = current_thumbs()
        up, down = (func.sum(case((current.c.vote == vote, 1), else_=0)) for vote in (Vote.UP, Vote.DOWN))
        query = select(current.c.reader_id, up, down).group_by(current.c.reader_id)
        with self._database.reading() as connection:
            return {reader_id: (ups, downs) for reader_id, ups, downs in connection.execute(query)}

    def _current(self, reader_ids: Collection[ReaderId], paper_id: PaperId | None = None) -> Subquery:
        return current_thumbs(reader_ids, paper_id)

    def _read(self, query: AnySelect) -> list[RecordedVote]:
        with self._database.reading() as connection:
            return [_thumb(row) for row in connection.execute(query)]


def current_thumbs(
    reader_ids: Collection[ReaderId] | None = None,
    paper_id: PaperId | None = None,
    *,
    until: datetime | None = None,
) -> Subquery:
    """Select the thumbs that count: the last of each voter on each paper, unless it took one back.

    With ``until``, those that counted at that time.
    """
    last = select(func.max(thumbs.c.id)).group_by(thumbs.c.reader_id, thumbs.c.paper_id, thumbs.c.voter)
    if reader_ids is not None:
        last = last.where(thumbs.c.reader_id.in_(reader_ids))
    if paper_id is not None:
        last = last.where(thumbs.c.paper_id == paper_id)
    if until is not None:
        last = last.where(thumbs.c.at <= until)
    return select(thumbs).where(thumbs.c.id.in_(last), thumbs.c.vote != Vote.CLEAR).subquery("current_thumbs")


def _said(thumb: RecordedVote) -> dict[str, object]:
    return {"vote": thumb.vote, "at": thumb.at, "via": thumb.via, "voter": thumb.voter}


def _thumb(row: AnyRow) -> RecordedVote:
    return RecordedVote(row.paper_id, row.vote, row.at, row.via, row.voter)


def _majority(given: Sequence[RecordedVote]) -> RecordedVote | None:
    """The last thumb of those who are more; None where as many say up as down."""
    ups = [thumb for thumb in given if thumb.vote is Vote.UP]
    downs = [thumb for thumb in given if thumb.vote is Vote.DOWN]
    if len(ups) == len(downs):
        return None
    return max(ups, downs, key=len)[-1]
