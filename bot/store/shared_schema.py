"""The tables by which processes share what each of them would otherwise keep for itself."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Date, Float, Integer, LargeBinary, Table, Text

from bot.store.column_types import KindName, UtcDateTime
from bot.store.schema import metadata

# Profiles for workers without the files; ``content`` is NULL once a profile is withdrawn.
published_profiles = Table(
    "published_profiles",
    metadata,
    Column("slug", Text, primary_key=True),
    Column("version", BigInteger, nullable=False, index=True),
    Column("content", Text),
)

# The addresses that a profile's file had when the readers were last made to match it, as a keyed hash.
reader_lists = Table(
    "reader_lists",
    metadata,
    Column("profile", Text, primary_key=True),
    Column("key", Text, nullable=False),
)

# Token buckets, by which all workers keep to the rates of ``paperbot.toml``.
send_rates = Table(
    "send_rates",
    metadata,
    Column("kind", KindName, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("tokens", Float, nullable=False),
    Column("share", Float, nullable=False),
    Column("slowed_at", UtcDateTime),
    Column("day", Date, nullable=False),
    Column("used", Integer, nullable=False),
)

# Bounces and complaints that came back, by outcome.
bounce_counts = Table(
    "bounce_counts",
    metadata,
    Column("outcome", Text, primary_key=True),
    Column("count", Integer, nullable=False),
)

# The fitted corpus by version, on stores that several machines use.
corpora = Table(
    "corpora",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

circuit_breakers = Table(
    "circuit_breakers",
    metadata,
    Column("kind", KindName, primary_key=True),
    Column("since", UtcDateTime, nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("times", Integer, nullable=False),
    Column("why", Text, nullable=False),
)

rate_limits = Table(
    "rate_limits",
    metadata,
    Column("key", Text, primary_key=True),
    Column("began_at", UtcDateTime, nullable=False, index=True),
    Column("count", Integer, nullable=False),
)
