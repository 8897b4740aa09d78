"""Relevance feedback: an append-only log of votes; the last vote of each voter on a paper counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Subquery, case, func, insert, select

from bot.model import PaperId, Reader, ReaderId, RecordedVote, Vote
from bot.store.engine import AnyRow, AnySelect, HistoricAggregate, in_chunks
from bot.store.readers import reader_of
from bot.store.schema import readers, votes


class Feedback(HistoricAggregate):
    """The readers' votes; ``current``, ``votes`` and ``votes_of`` as of ``until`` if given."""

    def add(
        self, reader_id: ReaderId, paper_id: PaperId, vote: Vote, at: datetime, via: str, *, voter: str = ""
    ) -> None:
        """Record a vote of a reader, or of the member ``voter`` of a channel.

        ``Vote.CLEAR`` takes back the same voter's earlier vote.
        """
        self.add_many([(reader_id, RecordedVote(paper_id, vote, at, via, voter))])

    def add_many(self, new_votes: Sequence[tuple[ReaderId, RecordedVote]]) -> None:
        """Record votes in this order, in one transaction.

        The last on a paper counts by order of recording, not by time: clocks differ between machines.
        """
        rows = [
            {
                "reader_id": reader_id,
                "paper_id": vote.paper,
                "vote": vote.vote,
                "at": vote.at,
                "via": vote.via,
                "voter": vote.voter,
            }
            for reader_id, vote in new_votes
        ]
        if rows:
            with self._database.writing() as connection:
                connection.execute(insert(votes), rows)

    def current(self, reader_id: ReaderId) -> dict[PaperId, RecordedVote]:
        """Return the vote that counts on each paper, in the order recorded, without those that were taken back.

        In a channel the majority of its members decides; a tie is no vote. The result is the majority's last vote.
        """
        by_paper: dict[PaperId, list[RecordedVote]] = {}
        for vote in self.votes(reader_id):
            by_paper.setdefault(vote.paper, []).append(vote)
        current: dict[PaperId, RecordedVote] = {}
        for paper_id, paper_votes in by_paper.items():
            ups = [vote for vote in paper_votes if vote.vote is Vote.UP]
            downs = [vote for vote in paper_votes if vote.vote is Vote.DOWN]
            if len(ups) != len(downs):
                current[paper_id] = max(ups, downs, key=len)[-1]
        return current

    def votes(self, reader_id: ReaderId, paper_id: PaperId | None = None) -> list[RecordedVote]:
        """Return the last vote of each voter on each paper, or on one paper, in the order recorded.

        Votes that were taken back are left out.
        """
        current = current_votes([reader_id], paper_id, until=self._until)
        return self._read(select(current).order_by(current.c.id))

    def votes_of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, list[RecordedVote]]:
        """Return for each reader what ``votes`` returns for all papers."""
        by_reader: dict[ReaderId, list[RecordedVote]] = {reader_id: [] for reader_id in reader_ids}
        with self._database.reading() as connection:
            for chunk in in_chunks(reader_ids):
                current = current_votes(chunk, until=self._until)
                for row in connection.execute(select(current).order_by(current.c.id)):
                    by_reader[row.reader_id].append(_recorded_vote(row))
        return by_reader

    def history(self, reader_id: ReaderId) -> list[RecordedVote]:
        """Return all votes that a reader ever gave, in order, with superseded ones and ``CLEAR``."""
        return self._read(select(votes).where(votes.c.reader_id == reader_id).order_by(votes.c.id))

    def last_ids(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, int]:
        """Return the id of each reader's last vote, ``CLEAR`` included: it changes with every vote.

        Readers who never voted are left out.
        """
        query = select(votes.c.reader_id, func.max(votes.c.id)).group_by(votes.c.reader_id)
        return {row[0]: row[1] for row in self._rows_in(query, votes.c.reader_id, reader_ids)}

    def last_voters(self, newest: int) -> tuple[list[ReaderId], int]:
        """Return who gave the ``newest`` last votes, and the id of the last vote of all, 0 without votes."""
        query = select(votes.c.reader_id, votes.c.id).order_by(votes.c.id.desc()).limit(newest)
        rows = self._rows(query)
        return list(dict.fromkeys(row.reader_id for row in rows)), rows[0].id if rows else 0

    def counts(self, reader_ids: Sequence[ReaderId] | None = None) -> dict[ReaderId, tuple[int, int]]:
        """Return the numbers of current votes up and down, by reader; readers without any are left out.

        ``reader_ids`` limits them to these readers, at most as many as one statement takes.
        """
        current = current_votes(reader_ids)
        query = select(
            current.c.reader_id,
            func.sum(case((current.c.vote == Vote.UP, 1), else_=0)),
            func.sum(case((current.c.vote == Vote.DOWN, 1), else_=0)),
        ).group_by(current.c.reader_id)
        return {reader_id: (ups, downs) for reader_id, ups, downs in self._rows(query)}

    def active_until(self, before: datetime, limit: int) -> list[tuple[Reader, datetime]]:
        """Return the active readers who have not voted since a time, with their last vote, which may be taken back.

        Those whose last vote is the oldest come first, ``limit`` of them; who never voted is left out.
        """
        last = func.max(votes.c.at)
        voters = select(votes.c.reader_id, last.label("last")).group_by(votes.c.reader_id).having(last <= before)
        quiet = voters.subquery()
        query = select(readers, quiet.c.last).join(quiet).where(readers.c.stopped.is_(None))
        rows = self._rows(query.order_by(quiet.c.last, readers.c.id).limit(limit))
        return [(reader_of(row, row.id), row.last) for row in rows]

    def totals(self) -> tuple[int, int]:
        """Return the numbers of current votes up and down of all readers."""
        current = current_votes()
        query = select(*(func.count().filter(current.c.vote == vote) for vote in (Vote.UP, Vote.DOWN)))
        row = self._rows(query)[0]
        return row[0], row[1]

    def _read(self, query: AnySelect) -> list[RecordedVote]:
        return [_recorded_vote(row) for row in self._rows(query)]


def current_votes(
    reader_ids: Collection[ReaderId] | None = None,
    paper_id: PaperId | None = None,
    *,
    until: datetime | None = None,
    lowest: PaperId = 0,
) -> Subquery:
    """Select the votes that count, as of ``until`` if given: each voter's last on each paper, unless taken back.

    With ``lowest``, only votes on papers from this id on, which the index finds without reading a reader's others.
    """
    # The highest id and not the latest time, as ``Feedback.add_many`` says.
    last = select(func.max(votes.c.id)).group_by(votes.c.reader_id, votes.c.paper_id, votes.c.voter)
    if reader_ids is not None:
        last = last.where(votes.c.reader_id.in_(reader_ids))
    if paper_id is not None:
        last = last.where(votes.c.paper_id == paper_id)
    if lowest:
        last = last.where(votes.c.paper_id >= lowest)
    if until is not None:
        last = last.where(votes.c.at <= until)
    # CLEAR is dropped after the grouping: before it, the vote that was taken back would count again.
    return select(votes).where(votes.c.id.in_(last), votes.c.vote != Vote.CLEAR).subquery("current_votes")


def _recorded_vote(row: AnyRow) -> RecordedVote:
    return RecordedVote(row.paper_id, row.vote, row.at, row.via, row.voter)
