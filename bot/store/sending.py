"""Limits on sending, shared by all processes: rates, circuit breakers, request limits and bounces.

Send rates are token buckets by kind of address. A worker takes tokens before it claims messages. A bucket holds one
second's tokens, so no burst follows a pause. A day (UTC) has its own total. A server that throttles halves the rate,
which recovers by a half in a minute (additive increase, multiplicative decrease, as in TCP).
"""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, time, timedelta

from sqlalchemy import Connection, case, delete, or_, select, update

from bot.model import Kind, SendGrant, SendLimit, SendRateUse
from bot.store.engine import Aggregate, Database, dialect_insert, from_row, insert_new
from bot.store.schema import bounce_counts, circuit_breakers, rate_limits, send_rates

_SLOWEST = 1 / 64
_RECOVERED_AFTER = timedelta(minutes=2)  # from nothing to the full rate
# Parallel connections meet the same throttling.
_SAME_THROTTLING = timedelta(seconds=10)
_UNLIMITED = 64.0  # messages a second, to halve without a limit
# A later time comes from a wrong clock.
_CLOCKS_DIFFER = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class _Bucket:
    """A bucket at a time. ``share`` is of the full rate, ``used`` of the day's total."""

    at: datetime
    tokens: float
    share: float
    slowed_at: datetime | None
    used: int

    def advanced(self, limit: SendLimit, now: datetime) -> _Bucket:
        if self.at > now + _CLOCKS_DIFFER:
            return replace(self, at=now)
        elapsed = max(now - self.at, timedelta(0))
        share = min(self.share + elapsed / _RECOVERED_AFTER, 1.0)
        rate = limit.per_second or _UNLIMITED
        tokens = min(self.tokens + elapsed.total_seconds() * rate * share, max(rate, 1.0))
        used = 0 if now.date() > self.at.date() else self.used
        return replace(self, at=max(self.at, now), tokens=tokens, share=share, used=used)

    def granted(self, limit: SendLimit, most: int, now: datetime) -> SendGrant:
        is_slowed = self.share < 1
        count = min(most, int(self.tokens)) if limit.per_second or is_slowed else most
        if limit.per_day:
            count = min(count, limit.per_day - self.used)
        if count > 0:
            return SendGrant(count)
        if limit.per_day and self.used >= limit.per_day:
            midnight = datetime.combine(self.at.date() + timedelta(days=1), time(), tzinfo=UTC)
            return SendGrant(0, midnight, is_day_over=True)
        rate = (limit.per_second or _UNLIMITED) * self.share
        return SendGrant(0, now + timedelta(seconds=(1 - self.tokens) / rate))


class SendRates(Aggregate):
    """The buckets. A kind has a row once it has a limit or was throttled."""

    def __init__(self, database: Database, limits: Mapping[Kind, SendLimit]) -> None:
        super().__init__(database)
        self._limits = defaultdict(SendLimit, limits)

    def take(self, kind: Kind, most: int, now: datetime) -> SendGrant:
        if self._is_unlimited(kind):
            return SendGrant(most)
        limit = self._limits[kind]
        with self._database.writing() as connection:
            bucket = _locked(connection, kind, now).advanced(limit, now)
            grant = bucket.granted(limit, most, now)
            tokens = max(bucket.tokens - grant.count, 0)
            _store(connection, kind, replace(bucket, tokens=tokens, used=bucket.used + grant.count))
        return grant

    def release(self, kind: Kind, count: int, now: datetime) -> None:
        if not count or self._is_unlimited(kind):
            return
        with self._database.writing() as connection:
            bucket = _locked(connection, kind, now).advanced(self._limits[kind], now)
            _store(connection, kind, replace(bucket, tokens=bucket.tokens + count, used=max(bucket.used - count, 0)))

    def slow_down(self, kind: Kind, now: datetime) -> None:
        """Halve the rate, unless that just happened."""
        with self._database.writing() as connection:
            bucket = _locked(connection, kind, now).advanced(self._limits[kind], now)
            if bucket.slowed_at and abs(now - bucket.slowed_at) < _SAME_THROTTLING:
                return
            share = max(bucket.share / 2, _SLOWEST)
            _store(connection, kind, replace(bucket, share=share, tokens=min(bucket.tokens, 0), slowed_at=now))

    def in_use(self, now: datetime) -> list[SendRateUse]:
        rows = self._rows(select(send_rates).order_by(send_rates.c.kind))
        buckets = [(row.kind, from_row(_Bucket, row).advanced(SendLimit(), now)) for row in rows]
        return [SendRateUse(kind, bucket.used, bucket.share) for kind, bucket in buckets]

    def _is_unlimited(self, kind: Kind) -> bool:
        is_slowed = (send_rates.c.kind == kind) & (send_rates.c.share < 1)
        return self._limits[kind] == SendLimit() and self._scalar(select(send_rates.c.share).where(is_slowed)) is None


def _locked(connection: Connection, kind: Kind, now: datetime) -> _Bucket:
    query = select(send_rates).where(send_rates.c.kind == kind).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        new = {"kind": kind, "at": now, "tokens": 1.0, "share": 1.0, "day": now.date(), "used": 0}
        connection.execute(insert_new(connection, send_rates).values(new))
        row = connection.execute(query).one()
    return from_row(_Bucket, row)


def _store(connection: Connection, kind: Kind, bucket: _Bucket) -> None:
    row = asdict(bucket) | {"day": bucket.at.date()}
    connection.execute(update(send_rates).where(send_rates.c.kind == kind).values(row))


@dataclass(frozen=True, slots=True)
class OpenBreaker:
    """An open breaker. ``times`` counts consecutive failures."""

    since: datetime
    until: datetime
    times: int
    why: str


class CircuitBreakers(Aggregate):
    """Channels that pause because every message failed, longer with each failure, until the first success."""

    def all(self) -> dict[Kind, OpenBreaker]:
        """Return the records, including half-open ones, whose time is over."""
        return {row.kind: OpenBreaker(*row[1:]) for row in self._rows(select(circuit_breakers))}

    def begin(self, kind: Kind, now: datetime, until: datetime, why: str) -> None:
        reopened = update(circuit_breakers).where(circuit_breakers.c.kind == kind)
        reopened = reopened.values(until=until, times=circuit_breakers.c.times + 1, why=why)
        with self._database.writing() as connection:
            if not connection.execute(reopened).rowcount:
                new = insert_new(connection, circuit_breakers)
                connection.execute(new.values(kind=kind, since=now, until=until, times=1, why=why))

    def end(self, kind: Kind) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(circuit_breakers).where(circuit_breakers.c.kind == kind))


def keyed_hash(secret: bytes, text: str) -> str:
    """Return the HMAC-SHA256 of a text in hexadecimal. A plain hash could be guessed."""
    # Domain separation: each use derives its own key.
    key = hmac.digest(secret, b"addresses.v1", "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


_RETENTION = timedelta(days=2)  # longer than any window in use


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most ``number`` events of an action by an actor in a window of length ``per``."""

    action: str
    actor: str
    number: int
    per: timedelta


class RateLimits(Aggregate):
    """Rate limits with fixed windows, which begin at the first event.

    The keys identify people, so they are hashed and deleted after two days.
    """

    def __init__(self, database: Database, secret: bytes) -> None:
        super().__init__(database)
        self._secret = secret

    def allow(self, action: str, actor: str, limit: int, per: timedelta, now: datetime) -> bool:
        return not self.reached([RateLimit(action, actor, limit, per)], now)

    def reached(self, limits: Sequence[RateLimit], now: datetime) -> list[RateLimit]:
        """Count an event under all limits, unless any is reached. Returns the reached ones."""
        with self._database.writing() as connection, connection.begin_nested() as counts:
            reached = [limit for limit in limits if self._count(connection, limit, now) > limit.number]
            if reached:
                counts.rollback()
        return reached

    def reached_until(self, limit: RateLimit, now: datetime) -> datetime | None:
        """Return when a reached limit ends, or None if it isn't reached. Counts nothing."""
        is_reached = (rate_limits.c.key == self._key(limit)) & (rate_limits.c.count >= limit.number)
        began_at = self._scalar(select(rate_limits.c.began_at).where(is_reached))
        return began_at + limit.per if began_at and now < began_at + limit.per else None

    def _key(self, limit: RateLimit) -> str:
        return f"{limit.action}:{keyed_hash(self._secret, limit.actor)[:32]}"

    def _count(self, connection: Connection, limit: RateLimit, now: datetime) -> int:
        began = rate_limits.c.began_at
        # Or a clock ran ahead.
        is_over = or_(began <= now - limit.per, began > now + limit.per)
        new = dialect_insert(connection, rate_limits).values(key=self._key(limit), began_at=now, count=1)
        # Separate statements would let concurrent requests past the limit.
        upsert = new.on_conflict_do_update(
            index_elements=[rate_limits.c.key],
            set_={
                "count": case((is_over, 1), else_=rate_limits.c.count + 1),
                "began_at": case((is_over, new.excluded.began_at), else_=began),
            },
        )
        count: int = connection.scalars(upsert.returning(rate_limits.c.count)).one()
        connection.execute(delete(rate_limits).where(began < now - _RETENTION))
        return count


class BounceCounts(Aggregate):
    """Bounces and complaints, counted by outcome."""

    def add(self, outcome: str) -> None:
        with self._database.writing() as connection:
            new = dialect_insert(connection, bounce_counts).values(outcome=outcome, count=1)
            connection.execute(
                new.on_conflict_do_update(
                    index_elements=[bounce_counts.c.outcome], set_={"count": bounce_counts.c.count + 1}
                )
            )

    def all(self) -> dict[str, int]:
        return dict(self._rows(select(bounce_counts.c.outcome, bounce_counts.c.count)))
