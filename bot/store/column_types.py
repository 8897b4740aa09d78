"""Types of columns that mean the same on SQLite and PostgreSQL: times, enums, ids, compressed bytes, ordered text."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import BigInteger, DateTime, Dialect, Enum, Integer, LargeBinary, String, Text, TypeDecorator

# A mail of ten papers, 37 KB: level 1 makes 4.1 KB of it in .08 ms, level 6 makes 3.4 KB in .18 ms; most are kept for
# minutes only.
_COMPRESSION_LEVEL = 1


class UtcDateTime(TypeDecorator[datetime]):
    """Aware UTC in, aware UTC out, on databases with and without time zones; a naive datetime is an error."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC for the driver; raise ValueError for a datetime without a time zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a datetime without a time zone can't be stored: {value}")
        utc = value.astimezone(UTC)
        # SQLite stores text without an offset; with all values in UTC, text order is time order.
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert the driver's value to aware UTC."""
        if value is None:
            return None
        # PostgreSQL answers in the time zone of the session, whatever was stored.
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


class Compressed(TypeDecorator[bytes]):
    """Bytes, compressed in the database (zlib, RFC 1950)."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, _dialect: Dialect) -> bytes | None:
        """Compress a value."""
        return None if value is None else zlib.compress(value, _COMPRESSION_LEVEL)

    def process_result_value(self, value: bytes | None, _dialect: Dialect) -> bytes | None:
        """Decompress a value; raises zlib.error for one that is damaged."""
        return None if value is None else zlib.decompress(value)


def text_enum(kind: type[StrEnum]) -> Enum:
    """Text in the database, a ``StrEnum`` in Python."""
    # A native enum or a CHECK constraint would need a migration for each new member.
    return Enum(
        kind, native_enum=False, length=16, values_callable=lambda members: [m.value for m in members]
    )


# The name of a channel's kind.
KindName = String(16)
# SQLite's AUTOINCREMENT takes an INTEGER only. PostgreSQL needs 64 bits: a million readers would use up 2^31 ids
# of outbox rows within six years.
Id = BigInteger().with_variant(Integer, "sqlite")
# Byte order is the order in which Python compares strings; the server's locale may order otherwise.
ByteOrdered = Text().with_variant(Text(collation="C"), "postgresql")
