"""What parent and child send each other: length-prefixed frames, and digests and libraries as JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import fields
from datetime import date
from typing import IO, Any

from bot.domain import (
    BounceKind,
    BounceReport,
    Entry,
    Fact,
    FactKind,
    LibraryEntry,
    ParsedDigest,
    ParsedLibrary,
)

# Checked before the frame is read: a compromised child must not make the parent allocate four gigabytes.
MAX_FRAME = 200_000_000  # bytes; a digest of 10 MB in JSON, with every character escaped, has 60 MB
DIGESTS = b"digests"
LIBRARY = b"library"
BOUNCE = b"bounce"
_LENGTH = struct.Struct(">I")


def write_frames(stream: IO[bytes], *frames: bytes) -> None:
    """Write frames and flush; raises OSError if the other end has closed the pipe."""
    for frame in frames:
        stream.write(_LENGTH.pack(len(frame)))
        stream.write(frame)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next frame; None if the stream ends, even within a frame, or announces more than ``MAX_FRAME``."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME:
        return None
    frame = stream.read(length)
    return frame if len(frame) == length else None


def dump_digests(digests: Iterable[ParsedDigest]) -> bytes:
    """Return digests as a JSON array."""
    return json.dumps(list(digests), default=_fields).encode()


def dump_library(library: ParsedLibrary) -> bytes:
    """Return a library as a JSON object."""
    return json.dumps(library, default=_fields).encode()


def load_digests(digests: Any) -> tuple[ParsedDigest, ...]:
    """Return the digests of a parsed JSON array; raises ValueError, TypeError or KeyError if it is malformed."""
    return tuple(
        ParsedDigest(
            format=str(digest["format"]),
            topic=str(digest["topic"]),
            date=_date(digest["date"]),
            entries=tuple(_entry(entry) for entry in digest["entries"]),
            rejected=tuple(map(str, digest["rejected"])),
        )
        for digest in digests
    )


def dump_bounce(report: BounceReport) -> bytes:
    """Return a report as a JSON object."""
    return json.dumps(report, default=_fields).encode()


def load_bounce(report: Any) -> BounceReport:
    """Return the report of a parsed JSON object; raises ValueError, TypeError or KeyError if it is malformed."""
    return BounceReport(BounceKind(report["kind"]), tuple(map(str, report["tags"])), str(report["reason"]))


def load_library(library: Any) -> ParsedLibrary:
    """Return the library of a parsed JSON object; raises ValueError, TypeError or KeyError if it is malformed."""
    return ParsedLibrary(
        format=str(library["format"]),
        entries=tuple(
            LibraryEntry(_entry(item["entry"]), _date(item["added"]), str(item["key"]))
            for item in library["entries"]
        ),
        skipped={str(reason): int(count) for reason, count in library["skipped"].items()},
        problems=tuple(map(str, library["problems"])),
    )


# Not dataclasses.asdict, which copies deeply: digests are frozen and hold nothing but values.
def _fields(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, ParsedDigest | Entry | Fact | ParsedLibrary | LibraryEntry | BounceReport):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(f"no JSON form of {type(value).__name__}")


def _entry(entry: Any) -> Entry:
    return Entry(
        **entry
        | {
            "authors": tuple(entry["authors"]),
            "categories": tuple(entry["categories"]),
            "published": _date(entry["published"]),
            "facts": tuple(
                Fact(FactKind(fact["kind"]), str(fact["value"]), str(fact["origin"]))
                for fact in entry["facts"]
            ),
        }
    )


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
