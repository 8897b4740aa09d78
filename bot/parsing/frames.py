"""What parent and child send one another: frames of bytes with a length before them, and digests as JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import fields
from datetime import date
from typing import IO, Any

from bot.domain import Entry, ParsedDigest

MAX_FRAME = 200_000_000  # bytes; a digest of 10 MB in JSON, all of it escaped, has 60 MB
_LENGTH = struct.Struct(">I")


def write_frames(stream: IO[bytes], *frames: bytes) -> None:
    """Writes frames and flushes; raises OSError where nobody reads."""
    for frame in frames:
        stream.write(_LENGTH.pack(len(frame)))
        stream.write(frame)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next frame; None where the stream ends, within a frame too, or announces more than ``MAX_FRAME``."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME:
        return None
    frame = stream.read(length)
    return frame if len(frame) == length else None


def dump_digests(digests: Iterable[ParsedDigest]) -> bytes:
    """Digests as a JSON array."""
    return json.dumps(list(digests), default=_plain).encode()


def load_digests(digests: Any) -> tuple[ParsedDigest, ...]:
    """The digests of a parsed JSON array; raises ValueError, TypeError or KeyError where it is not one."""
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


def _plain(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, ParsedDigest | Entry):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(f"no JSON form of {type(value).__name__}")


def _entry(values: dict[str, Any]) -> Entry:
    return Entry(
        **values
        | {
            "authors": tuple(values["authors"]),
            "categories": tuple(values["categories"]),
            "published": _date(values["published"]),
        }
    )


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
