"""Readers: subscriptions, overrides of a profile's settings, and votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Subquery, bindparam, delete, func, insert, select, update

from bot.model import (
    OPERATOR_KIND,
    OPERATOR_PROFILE,
    STOPPED_BY_READER,
    Kind,
    Origin,
    Override,
    PaperId,
    Reader,
    ReaderId,
    RecordedVote,
    State,
    StopReason,
    Vote,
)
from bot.model.errors import DeletedError
from bot.store.engine import (
    Aggregate,
    AnyRow,
    AnySelect,
    Database,
    Lock,
    from_row,
    in_chunks,
    insert_new,
    replace_rows,
    row_of,
)
from bot.store.schema import (
    editions,
    forgotten,
    outbox,
    outbox_bodies,
    overrides,
    reader_lists,
    readers,
    salts,
    votes,
)
from bot.store.sending import keyed_hash

CONFIRM_WITHIN = timedelta(hours=48)
PAGE = 1_000

_THUMBS = (Vote.UP, Vote.DOWN)

# An address in the profile's file ends these.
_ENDED_BY_FILE = (StopReason.REMOVED, StopReason.OPERATOR, StopReason.AWAITING, StopReason.APPROVAL)


@dataclass(frozen=True, slots=True)
class IdRange:
    """The ids from ``first`` to ``last``, or without end."""

    first: ReaderId = 0
    last: ReaderId | None = None


EVERYONE = IdRange()


class Readers(Aggregate):
    """The readers of all profiles. A reader who leaves a profile keeps id, votes and editions."""

    def __init__(self, database: Database, secrets: Sequence[bytes], until: datetime | None = None) -> None:
        super().__init__(database, until)
        self._secrets = secrets
        self._salt = ""

    def sync(self, profile: str, addresses: Sequence[tuple[Kind, str]], now: datetime) -> list[Reader]:
        """Make the stored readers match the file's addresses, and return those, in order.

        Stops by the reader or the mail server stay, as do subscribers from the web.
        """
        from_file = (readers.c.profile == profile) & (readers.c.origin == Origin.FILE)
        # With the lock of ``forget``, a forgotten reader doesn't return.
        with self._database.writing(Lock.FORGOTTEN) as connection:
            forgotten_addresses = self._forgotten(connection, profile, [address for _, address in addresses])
            listed = [pair for pair in addresses if pair[1] not in forgotten_addresses]
            rows = [{"profile": profile, "kind": kind, "address": address, "since": now} for kind, address in listed]
            if rows:
                connection.execute(insert_new(connection, readers), rows)
            in_file: dict[str, Reader] = {}
            # By address, because an open profile has many readers outside the file.
            for chunk in in_chunks([address for _, address in listed]):
                of_chunk = (readers.c.profile == profile) & readers.c.address.in_(chunk)
                has_ended, is_new = readers.c.stopped.in_(_ENDED_BY_FILE), readers.c.origin != Origin.FILE
                connection.execute(update(readers).where(of_chunk, has_ended).values(_stop(None)))
                connection.execute(update(readers).where(of_chunk, is_new).values(origin=Origin.FILE))
                in_file |= {reader.address: reader for reader in _select(connection, of_chunk)}
            removed = [
                reader.id
                for reader in _select(connection, from_file & readers.c.stopped.is_(None))
                if reader.address not in in_file
            ]
            _set_stopped(connection, removed, StopReason.REMOVED)
            replace_rows(connection, reader_lists, [{"profile": profile, "key": self._list_key(addresses)}])
            return [in_file[address] for _, address in listed]

    def is_synced(self, profile: str, addresses: Sequence[tuple[Kind, str]]) -> bool:
        query = select(reader_lists.c.key).where(reader_lists.c.profile == profile)
        return self._scalar(query) == self._list_key(addresses)

    def drop_unconfirmed(self, now: datetime) -> None:
        unconfirmed = (readers.c.stopped == StopReason.AWAITING) & (readers.c.since < now - CONFIRM_WITHIN)
        with self._database.writing() as connection:
            connection.execute(delete(readers).where(readers.c.origin == Origin.WEB, unconfirmed))

    def end_pauses(self, now: datetime) -> None:
        """Start the readers again whose pause is over. Missed days stay missed."""
        is_over = (readers.c.stopped == StopReason.PAUSED) & (readers.c.paused_until <= now)
        with self._database.writing() as connection:
            connection.execute(update(readers).where(is_over).values({**_stop(None), "since": now}))

    def subscribers(self, since: datetime) -> dict[Reader, datetime]:
        """Return who came by pages or Slack after a time, and when: active readers, and those who await approval.

        Who returns after a pause is none of them.
        """
        is_here = readers.c.stopped.is_(None) | (readers.c.stopped == StopReason.APPROVAL)
        earlier = select(editions.c.id).where(
            editions.c.reader_id == readers.c.id, editions.c.composed_at < readers.c.since
        )
        is_new = (readers.c.origin == Origin.WEB) & (readers.c.since > since) & ~earlier.exists()
        rows = self._rows(select(readers).where(is_new, is_here).order_by(readers.c.since))
        return {reader_of(row, row.id): row.since for row in rows}

    def get(self, profile: str, address: str) -> Reader | None:
        return next(iter(self._where((readers.c.profile == profile) & (readers.c.address == address))), None)

    def by_id(self, reader_id: ReaderId) -> Reader | None:
        return next(iter(self._where(readers.c.id == reader_id)), None)

    def of_profile(self, profile: str) -> list[Reader]:
        return self._where(readers.c.profile == profile)

    def at_address(self, address: str) -> list[Reader]:
        return self._where((readers.c.address == address) & (readers.c.kind != OPERATOR_KIND))

    def all(self) -> list[Reader]:
        return self._where(readers.c.kind != OPERATOR_KIND)

    def pages(self) -> Iterator[list[Reader]]:
        """Yield pages of all readers by id (keyset pagination)."""
        page = select(readers).where(readers.c.kind != OPERATOR_KIND).order_by(readers.c.id).limit(PAGE)
        after = 0
        while True:
            rows = self._rows(page.where(readers.c.id > after))
            if not rows:
                return
            yield [reader_of(row, row.id) for row in rows]
            after = rows[-1].id

    def active_by_kind(self, profiles: Collection[str], origin: Origin) -> Counter[Kind]:
        query = select(readers.c.kind, func.count()).where(
            readers.c.profile.in_(profiles), readers.c.origin == origin, readers.c.stopped.is_(None)
        )
        return Counter(dict(self._rows(query.group_by(readers.c.kind))))

    def first(self, profiles: Collection[str], limit: int) -> list[Reader]:
        query = select(readers).where(readers.c.profile.in_(profiles), readers.c.kind != OPERATOR_KIND)
        return [reader_of(row, row.id) for row in self._rows(query.order_by(readers.c.id).limit(limit))]

    def at_addresses(self, profile: str, addresses: Sequence[str]) -> dict[str, Reader]:
        query = select(readers).where(readers.c.profile == profile)
        return {row.address: reader_of(row, row.id) for row in self._rows_in(query, readers.c.address, addresses)}

    def shared_addresses(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, str]:
        """Return the addresses of those of the readers that other profiles have, too."""
        found: dict[ReaderId, str] = {}
        for chunk in in_chunks(reader_ids):
            is_shared = readers.c.id.in_(select(same_addresses(chunk).c.reader_id))
            found |= {row.id: f"{row.kind} {row.address}" for row in self._rows(select(readers).where(is_shared))}
        return found

    def counts(self) -> tuple[int, int]:
        query = select(
            func.count().filter(readers.c.stopped.is_(None)), func.count().filter(readers.c.stopped.is_not(None))
        ).where(readers.c.kind != OPERATOR_KIND)
        ((active, stopped),) = self._rows(query)
        return active, stopped

    def since(self, reader_id: ReaderId) -> datetime | None:
        return self.since_of([reader_id]).get(reader_id)

    def since_of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, datetime]:
        """Return when readers subscribed or last resumed, as of ``until``."""
        query = select(readers.c.id, readers.c.since).where(self._by_then(readers.c.since))
        rows = self._rows_in(query, readers.c.id, reader_ids)
        return {row.id: row.since for row in rows}

    def operator(self, address: str, now: datetime) -> Reader:
        """Return the row of the operator's address, which other methods leave out."""
        row = {"profile": OPERATOR_PROFILE, "kind": OPERATOR_KIND, "address": address, "since": now}
        same = (readers.c.profile == OPERATOR_PROFILE) & (readers.c.address == address)
        with self._database.writing() as connection:
            connection.execute(insert_new(connection, readers).values(row))
            return _select(connection, same)[0]

    def request_subscription(self, profile: str, kind: Kind, address: str, now: datetime) -> Reader:
        """Return the reader at an address in any case, or add one who awaits confirmation."""
        same = (readers.c.profile == profile) & (func.lower(readers.c.address) == address.lower())
        row = {
            "profile": profile,
            "kind": kind,
            "address": address,
            "since": now,
            "stopped": StopReason.AWAITING,
            "origin": Origin.WEB,
        }
        with self._database.writing() as connection:
            matches = _select(connection, same)
            if not matches:
                connection.execute(insert_new(connection, readers).values(row))
                matches = _select(connection, same)
        return matches[0]

    def confirm(self, reader_id: ReaderId, now: datetime, *, needs_approval: bool = False) -> bool:
        """Subscribe a reader who confirms, or return False if the operator or the server stopped them.

        A new one who ``needs_approval`` waits for it.
        """
        is_new = (readers.c.id == reader_id) & (readers.c.stopped == StopReason.AWAITING)
        values = {**_stop(StopReason.APPROVAL if needs_approval else None), "since": now}
        with self._database.writing() as connection:
            if connection.execute(update(readers).where(is_new).values(values)).rowcount:
                return True
            return _change(connection, reader_id, _stop(None))

    def resubscribe(self, reader_id: ReaderId, now: datetime) -> bool:
        """Subscribe a reader again, or return False if the operator or the server stopped them.

        Missed days stay missed, because ``since`` becomes ``now``.
        """
        has_left = (readers.c.id == reader_id) & readers.c.stopped.in_(STOPPED_BY_READER)
        with self._database.writing() as connection:
            connection.execute(update(readers).where(has_left).values(since=now))
            return _change(connection, reader_id, _stop(None))

    def leave(self, reader_id: ReaderId, why: StopReason, detail: str = "", *, until: datetime | None = None) -> None:
        """Pause or unsubscribe a reader at their request, if they are active or left by themselves.

        Deletes editions without an attempted message, and cancels the unsent rest of others. Their papers come with the
        first one after a pause. A reader who awaits approval becomes unconfirmed: a later link must not start them
        without it.
        """
        unapproved = (readers.c.id == reader_id) & (readers.c.stopped == StopReason.APPROVAL)
        with self._database.writing() as connection:
            connection.execute(update(readers).where(unapproved).values(_stop(StopReason.AWAITING)))
            if not _change(connection, reader_id, _stop(why, detail, until)):
                return
            is_unsent = outbox.c.state.in_((State.PENDING, State.CLAIMED, State.RETRY, State.HELD))
            of_reader = (outbox.c.reader_id == reader_id) & outbox.c.edition_id.is_not(None)
            unsent, others = (select(outbox.c.edition_id).where(of_reader, state) for state in (is_unsent, ~is_unsent))
            connection.execute(delete(editions).where(editions.c.id.in_(unsent), editions.c.id.not_in(others)))
            # A worker that holds a claim finds its token gone.
            cancelled = {"state": State.CANCELLED, "token": None, "detail": "the reader has stopped"}
            rest = update(outbox).where(of_reader, is_unsent).values(cancelled).returning(outbox.c.id)
            if settled := connection.scalars(rest).all():
                connection.execute(delete(outbox_bodies).where(outbox_bodies.c.outbox_id.in_(settled)))

    def stop(self, reader_id: ReaderId, why: StopReason = StopReason.OPERATOR, detail: str = "") -> None:
        """Stop a reader, whatever stopped them before. The operator sees ``detail``."""
        with self._database.writing() as connection:
            _set_stopped(connection, [reader_id], why, detail)

    def resume(self, reader_id: ReaderId) -> None:
        with self._database.writing() as connection:
            _set_stopped(connection, [reader_id], None)

    def forget(self, reader: Reader, now: datetime) -> None:
        """Delete a reader and all their data.

        Keeps a salted hash of a file's address, so ``sync`` doesn't add it again.
        """
        with self._database.writing(Lock.FORGOTTEN) as connection:
            # Every writer of a reader's rows locks the reader first. Two cascades would reach the outbox.
            connection.execute(select(readers.c.id).where(readers.c.id == reader.id).with_for_update())
            connection.execute(delete(outbox).where(outbox.c.reader_id == reader.id))
            connection.execute(delete(readers).where(readers.c.id == reader.id))
            if reader.origin is Origin.FILE:
                key = self._forgotten_key(connection, reader.profile, reader.address)
                connection.execute(insert_new(connection, forgotten).values(key=key, at=now))

    def remember(self, profile: str, address: str) -> None:
        with self._database.writing(Lock.FORGOTTEN) as connection:
            key = self._forgotten_key(connection, profile, address)
            connection.execute(delete(forgotten).where(forgotten.c.key == key))

    def forgotten(self, profile: str, address: str) -> bool:
        with self._database.reading() as connection:
            return bool(self._forgotten(connection, profile, [address]))

    def _where(self, condition: ColumnElement[bool]) -> list[Reader]:
        with self._database.reading() as connection:
            return _select(connection, condition)

    def _forgotten_key(self, connection: Connection, profile: str, address: str) -> str:
        if not self._salt:
            self._salt = connection.scalars(select(salts.c.salt)).one()
        return keyed_hash(bytes.fromhex(self._salt), f"{profile}/{address.lower()}")

    def _list_key(self, addresses: Sequence[tuple[Kind, str]]) -> str:
        return keyed_hash(self._secrets[-1], "\n".join(address for _, address in addresses))

    def _forgotten(self, connection: Connection, profile: str, addresses: Sequence[str]) -> set[str]:
        address_by_key = {self._forgotten_key(connection, profile, address): address for address in addresses}
        stored: set[str] = set()
        for keys in in_chunks(list(address_by_key)):
            stored.update(connection.scalars(select(forgotten.c.key).where(forgotten.c.key.in_(keys))))
        return {address_by_key[key] for key in stored}


def reader_of(row: AnyRow, reader_id: ReaderId) -> Reader:
    """Read a reader from a row, whose ``id`` may be another table's."""
    return Reader(reader_id, row.profile, row.kind, row.address, row.stopped, row.origin, row.stop_detail)


def same_addresses(reader_ids: Sequence[ReaderId]) -> Subquery:
    """Select ``other_id``, the readers of other profiles at the address of a ``reader_id``."""
    other = readers.alias()
    # The profiles let the index on profile and address find them.
    has_address = other.c.profile.in_(select(reader_lists.c.profile)) & (other.c.address == readers.c.address)
    is_same = has_address & (other.c.kind == readers.c.kind) & (other.c.id != readers.c.id)
    query = select(readers.c.id.label("reader_id"), other.c.id.label("other_id")).select_from(readers)
    return query.join(other, is_same).where(readers.c.id.in_(reader_ids)).subquery()


def present(connection: Connection, reader_ids: Iterable[ReaderId]) -> set[ReaderId]:
    """Lock readers against deletion until the commit, and return those that exist."""
    stored: set[ReaderId] = set()
    # In order, so two processes don't wait for each other.
    for chunk in in_chunks(sorted(set(reader_ids))):
        query = select(readers.c.id).where(readers.c.id.in_(chunk)).order_by(readers.c.id)
        stored.update(connection.scalars(query.with_for_update(read=True, key_share=True)))
    return stored


def _select(connection: Connection, condition: ColumnElement[bool]) -> list[Reader]:
    rows = connection.execute(select(readers).where(condition).order_by(readers.c.id))
    return [reader_of(row, row.id) for row in rows]


def _stop(why: StopReason | None, detail: str = "", until: datetime | None = None) -> dict[str, object]:
    return {"stopped": why, "stop_detail": detail, "paused_until": until}


def _set_stopped(connection: Connection, ids: Iterable[ReaderId], why: StopReason | None, detail: str = "") -> None:
    statement = update(readers).where(readers.c.id == bindparam("reader_id"))
    if values := [{"reader_id": reader_id} for reader_id in ids]:
        connection.execute(statement.values(_stop(why, detail)), values)


def _change(connection: Connection, reader_id: ReaderId, values: Mapping[str, object]) -> bool:
    """Start or stop a reader who is active or left by themselves. Return whether they are one."""
    # A separate read could undo an operator's stop.
    changeable = readers.c.stopped.is_(None) | readers.c.stopped.in_(STOPPED_BY_READER)
    return connection.execute(update(readers).where(readers.c.id == reader_id, changeable).values(values)).rowcount == 1


class Overrides(Aggregate):
    """Readers' own settings, at most one override each."""

    def get(self, reader_id: ReaderId) -> Override:
        return self.of_readers([reader_id]).get(reader_id, Override())

    def of_readers(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Override]:
        rows = self._rows_in(select(overrides), overrides.c.reader_id, reader_ids)
        return {row.reader_id: from_row(Override, row) for row in rows}

    def has_letters(self) -> bool:
        return bool(self._scalar(select(overrides.c.reader_id).where(overrides.c.weekly.is_(True)).limit(1)))

    def set(self, reader_id: ReaderId, override: Override) -> None:
        self.change(reader_id, lambda _: override)

    def change(
        self, reader_id: ReaderId, change: Callable[[Override], Override], *, of_stopped: StopReason | None = None
    ) -> None:
        """Change a reader's override, if they are stopped ``of_stopped``. Raises DeletedError."""
        # There may be no override to lock. ``forget`` deletes the reader's row too.
        reader = select(readers.c.stopped).where(readers.c.id == reader_id).with_for_update(key_share=True)
        of_reader = overrides.c.reader_id == reader_id
        with self._database.writing() as connection:
            locked = connection.execute(reader).one_or_none()
            if locked is None:
                raise DeletedError
            if of_stopped and locked.stopped is not of_stopped:
                return
            row = connection.execute(select(overrides).where(of_reader)).one_or_none()
            changed = change(from_row(Override, row) if row else Override())
            connection.execute(delete(overrides).where(of_reader))
            if changed != Override():
                connection.execute(insert(overrides), {"reader_id": reader_id, **asdict(changed)})


@dataclass(frozen=True, slots=True)
class ShownLike:
    """A like that the reader shows to the group under a name."""

    reader: Reader
    name: str
    paper: PaperId
    at: datetime


class Feedback(Aggregate):
    """The votes, an append-only log: each voter's last thumb on a paper counts, and beside it their last ``SAVE``.

    ``current``, ``votes``, ``votes_of`` and ``saved`` are as of ``until`` if given.
    """

    def add(
        self, reader_id: ReaderId, paper_id: PaperId, vote: Vote, at: datetime, via: str, *, voter: str = ""
    ) -> None:
        """Record a vote of a reader, or of the member ``voter`` of a channel."""
        self.add_many([(reader_id, RecordedVote(paper_id, vote, at, via, voter))])

    def add_many(self, new_votes: Sequence[tuple[ReaderId, RecordedVote]]) -> None:
        """Record all votes in one transaction, or raise DeletedError.

        The order of recording decides, because clocks differ.
        """
        rows = [row_of(votes, vote, reader_id=reader_id, paper_id=vote.paper) for reader_id, vote in new_votes]
        if rows:
            with self._database.writing() as connection:
                connection.execute(insert(votes), rows)

    def current(self, reader_id: ReaderId) -> dict[PaperId, RecordedVote]:
        """Return the deciding vote on each paper, in order of recording.

        In a channel the majority decides, and a tie is no vote.
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

    def votes(self, reader_id: ReaderId, papers: Collection[PaperId] | None = None) -> list[RecordedVote]:
        """Return each voter's last vote on each paper, or on these, in order of recording."""
        current = current_votes([reader_id], papers, until=self._until)
        return self._read(select(current).order_by(current.c.id))

    def saved(self, reader_id: ReaderId, papers: Collection[PaperId] | None = None) -> list[RecordedVote]:
        """Return the papers saved for later, or which of these are, in order of saving."""
        current = current_votes([reader_id], papers, until=self._until, kinds=(Vote.SAVE,))
        return self._read(select(current).order_by(current.c.id))

    def votes_of(
        self, reader_ids: Sequence[ReaderId], kinds: Collection[Vote] = _THUMBS
    ) -> dict[ReaderId, list[RecordedVote]]:
        by_reader: dict[ReaderId, list[RecordedVote]] = {reader_id: [] for reader_id in reader_ids}
        with self._database.reading() as connection:
            for chunk in in_chunks(reader_ids):
                current = current_votes(chunk, until=self._until, kinds=kinds)
                for row in connection.execute(select(current).order_by(current.c.id)):
                    by_reader[row.reader_id].append(_recorded_vote(row))
        return by_reader

    def shown_likes(self, profile: str, since: datetime) -> list[ShownLike]:
        """Return the likes of active readers who show theirs, oldest first."""
        shows = (readers.c.profile == profile) & readers.c.stopped.is_(None) & overrides.c.shown_as.is_not(None)
        query = select(readers, overrides.c.shown_as).join(overrides).where(shows)
        members = {row.id: row for row in self._rows(query)}
        of_members = self.votes_of(list(members)) if members else {}
        likes = [
            ShownLike(reader_of(members[reader_id], reader_id), members[reader_id].shown_as, vote.paper, vote.at)
            for reader_id, votes_ in of_members.items()
            for vote in votes_
            if vote.vote is Vote.UP and vote.at > since
        ]
        return sorted(likes, key=lambda like: like.at)

    def history(self, reader_id: ReaderId) -> list[RecordedVote]:
        """Return all votes of a reader in order, including superseded ones and ``CLEAR``."""
        return self._read(select(votes).where(votes.c.reader_id == reader_id).order_by(votes.c.id))

    def last_ids(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, int]:
        return self._greatest(votes.c.id, reader_ids)

    def last_times(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, datetime]:
        return self._greatest(votes.c.at, reader_ids)

    def last_voters(self, newest: int) -> tuple[list[ReaderId], int]:
        """Return the readers of the ``newest`` last votes, and the last id, or 0 without votes."""
        rows = self._rows(select(votes.c.reader_id, votes.c.id).order_by(votes.c.id.desc()).limit(newest))
        return list(dict.fromkeys(row.reader_id for row in rows)), rows[0].id if rows else 0

    def counts(self, reader_ids: Sequence[ReaderId] | None = None) -> dict[ReaderId, tuple[int, int]]:
        current = current_votes(reader_ids)
        query = select(current.c.reader_id, *_ups_and_downs(current)).group_by(current.c.reader_id)
        return {reader_id: (ups, downs) for reader_id, ups, downs in self._rows(query)}

    def active_until(self, before: datetime, limit: int) -> list[tuple[Reader, datetime]]:
        """Return active readers whose last vote was before a time, with its time, longest quiet first."""
        last = func.max(votes.c.at)
        voters = select(votes.c.reader_id, last.label("last")).group_by(votes.c.reader_id).having(last <= before)
        quiet = voters.subquery()
        query = select(readers, quiet.c.last).join(quiet).where(readers.c.stopped.is_(None))
        rows = self._rows(query.order_by(quiet.c.last, readers.c.id).limit(limit))
        return [(reader_of(row, row.id), row.last) for row in rows]

    def count_via(self, via: str) -> int:
        return int(self._scalar(select(func.count()).where(votes.c.via == via)) or 0)

    def totals(self) -> tuple[int, int]:
        row = self._rows(select(*_ups_and_downs(current_votes())))[0]
        return row[0], row[1]

    def _read(self, query: AnySelect) -> list[RecordedVote]:
        return [_recorded_vote(row) for row in self._rows(query)]


def current_votes(
    reader_ids: Collection[ReaderId] | None = None,
    papers: Collection[PaperId] | None = None,
    *,
    until: datetime | None = None,
    lowest: PaperId = 0,
    kinds: Collection[Vote] = _THUMBS,
) -> Subquery:
    """Select each voter's last votes of these kinds on each paper, unless taken back."""
    is_save = votes.c.vote.in_((Vote.SAVE, Vote.UNSAVE))
    # The highest id, as in ``Feedback.add_many``.
    last = select(func.max(votes.c.id)).group_by(votes.c.reader_id, votes.c.paper_id, votes.c.voter, is_save)
    if reader_ids is not None:
        last = last.where(votes.c.reader_id.in_(reader_ids))
    if papers is not None:
        last = last.where(votes.c.paper_id.in_(papers))
    if lowest:
        last = last.where(votes.c.paper_id >= lowest)
    if until is not None:
        last = last.where(votes.c.at <= until)
    # Filtered before the grouping, a vote taken back would count.
    return select(votes).where(votes.c.id.in_(last), votes.c.vote.in_(kinds)).subquery("current_votes")


def _ups_and_downs(current: Subquery) -> list[ColumnElement[int]]:
    return [func.count().filter(current.c.vote == vote) for vote in (Vote.UP, Vote.DOWN)]


def _recorded_vote(row: AnyRow) -> RecordedVote:
    return RecordedVote(row.paper_id, row.vote, row.at, row.via, row.voter)
