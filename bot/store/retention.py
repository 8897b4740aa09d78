"""Deletes what is older than it is to be kept, in pages: no transaction holds many rows, and no call takes long.

Ids are given in the order of time. So each call looks at the lowest ids alone, and ends at the first row that is young
enough; what is kept for another reason (a reader's newest edition) is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Column, ColumnElement, and_, delete, exists, func, or_, select, true

from bot.model import EditionKind, State
from bot.store.engine import Aggregate, in_chunks
from bot.store.schema import (
    editions,
    lookups,
    outbox,
    outbox_bodies,
    paper_keys,
    papers,
    picks,
    revisions,
    sightings,
    summaries,
    tldrs,
    votes,
    zotero_saves,
)

PAGE = 1_000
# Pages of each table in a call: half a minute on a busy server. The next tick continues.
_PAGES = 50
# Each page of papers reads all picks, so that there is one in a call. A day brings a tenth of it.
_PAPERS = 10_000
# A person may ask for a failed or unknown message again; nobody for the others.
_BODY_DROPPED = (State.SENT, State.CANCELLED)
_BODY_KEPT_FOR_A_TIME = (State.FAILED, State.UNKNOWN)
_SETTLED = (*_BODY_DROPPED, *_BODY_KEPT_FOR_A_TIME)


@dataclass(frozen=True, slots=True)
class KeepDays:
    """How many days each is kept; 0: forever. ``picks`` go with their edition at the latest."""

    bodies: int = 30
    editions: int = 400
    picks: int = 400
    thumbs: int = 0
    papers: int = 0


class Retention(Aggregate):
    """Deletes old rows of all tables that grow."""

    def purge(self, keep: KeepDays, now: datetime) -> int:
        """Delete what is too old, as far as one call goes; return how many rows of the tables named in ``KeepDays``."""
        number = 0
        if keep.bodies:
            number += self.bodies(now - timedelta(days=keep.bodies))
        if keep.picks:
            is_old = editions.c.composed_at < now - timedelta(days=keep.picks)
            # An edition's row stays without its picks; those of earlier calls are passed over.
            has_picks = exists().where(picks.c.edition_id == editions.c.id)
            number += self._in_windows(editions.c.id, is_old, has_picks, [picks.c.edition_id])
        if keep.editions:
            number += self._editions(now - timedelta(days=keep.editions))
        if keep.thumbs:
            is_old = votes.c.at < now - timedelta(days=keep.thumbs)
            number += self._in_windows(votes.c.id, is_old, true(), [votes.c.id])
        if keep.papers:
            number += self._papers(now - timedelta(days=keep.papers))
        return number

    def bodies(self, before: datetime) -> int:
        """Delete the bodies of messages that failed or became unknown before a time.

        Also those of messages that were cancelled before they were claimed, or found to have arrived after all.
        """
        is_over = or_(
            outbox.c.state.in_(_BODY_DROPPED),
            and_(outbox.c.state.in_(_BODY_KEPT_FOR_A_TIME), outbox.c.updated_at < before),
        )
        # Few rows have a body at any time, so that none is looked at for each message that was ever sent.
        with_body = select(outbox_bodies.c.outbox_id).join(outbox).where(is_over).limit(PAGE)
        number = 0
        for _ in range(_PAGES):
            with self._database.writing() as connection:
                old = delete(outbox_bodies).where(outbox_bodies.c.outbox_id.in_(with_body))
                deleted = connection.execute(old).rowcount
            number += deleted
            if deleted < PAGE:
                break
        return number

    def _editions(self, before: datetime) -> int:
        """Delete editions with their messages, and settled messages that belong to none."""
        later = editions.alias()
        # The newest of a reader says up to where they have seen papers.
        is_followed = exists().where(
            later.c.reader_id == editions.c.reader_id,
            later.c.id > editions.c.id,
            later.c.kind.not_in((EditionKind.ALERT, EditionKind.LETTER)),
        )
        is_old = editions.c.composed_at < before
        # The outbox first: its rows refer to the reader's editions too.
        number = self._in_windows(editions.c.id, is_old, is_followed, [outbox.c.edition_id, editions.c.id])
        is_mail_alone = and_(outbox.c.edition_id.is_(None), outbox.c.state.in_(_SETTLED))
        is_old = outbox.c.updated_at < before
        return number + self._in_windows(outbox.c.id, is_old, is_mail_alone, [outbox.c.id])

    def _papers(self, before: datetime) -> int:
        """Delete papers that no edition shows, nobody voted on, and no reader has in Zotero by us."""
        used = [exists().where(table.c.paper_id == papers.c.id) for table in (picks, votes, zotero_saves)]
        newest = select(func.max(papers.c.id)).scalar_subquery()
        unused = select(papers.c.id).where(papers.c.first_seen < before, papers.c.id < newest, ~or_(*used))
        number = 0
        with self._database.writing() as connection:
            ids = connection.scalars(unused.order_by(papers.c.id).limit(_PAPERS)).all()
            for chunk in in_chunks(ids):
                for table in (revisions, paper_keys, sightings, lookups, summaries, tldrs):
                    connection.execute(delete(table).where(table.c.paper_id.in_(chunk)))
                number += connection.execute(delete(papers).where(papers.c.id.in_(chunk))).rowcount
        return number

    def _in_windows(
        self,
        key: Column[int],
        is_old: ColumnElement[bool],
        is_droppable: ColumnElement[bool],
        dropped: Sequence[Column[int]],
    ) -> int:
        """Drop what may be dropped of each window of the lowest ids, until a window has a row that is not old.

        ``dropped`` are the columns that hold such an id: their rows are deleted in this order, and the last one's
        are counted.
        """
        number = 0
        after = 0
        for _ in range(_PAGES):
            window = select(key).where(key > after).order_by(key).limit(PAGE)
            with self._database.writing() as connection:
                ids = connection.scalars(window).all()
                if not ids:
                    return number
                old = connection.scalars(select(key).where(key.between(ids[0], ids[-1]), is_old)).all()
                droppable = connection.scalars(select(key).where(key.in_(old), is_droppable)).all()
                if droppable:
                    deletions = [delete(column.table).where(column.in_(droppable)) for column in dropped]
                    number += [connection.execute(deletion).rowcount for deletion in deletions][-1]
            after = ids[-1]
            if len(old) < len(ids):
                return number
        return number
