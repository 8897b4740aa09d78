"""The lines of a file of votes: one JSON object each, every field checked before it reaches the store."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.domain import Vote

# The clock of another machine may be this far ahead of ours.
_CLOCK_SKEW = timedelta(minutes=5)
_SURROGATE = re.compile("[\ud800-\udfff]")
_FORM = 'write {"reader": "slug/address", "paper": "p17", "vote": "up"}'
_VOTES = tuple(vote.value for vote in Vote)


@dataclass(frozen=True, slots=True)
class VoteLine:
    """A vote as a file gives it; ``paper`` is an id such as ``p17``, or the beginning of a title."""

    reader: str
    paper: str
    vote: Vote
    at: datetime


def parse_line(line: bytes, now: datetime) -> VoteLine:
    """Parse one line; without ``at`` the vote is of ``now``. Raises ValueError for a line that can't be used."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):  # nested 100,000 deep
        raise ValueError(f"not JSON; {_FORM}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"not an object; {_FORM}")
    for key in ("reader", "paper", "vote"):
        value = fields.get(key)
        if not isinstance(value, str):
            raise ValueError(f"{key} is {'not a text' if key in fields else 'missing'}; {_FORM}")
        # JSON's escapes can spell half of a surrogate pair, which neither database stores; PostgreSQL refuses NUL.
        if "\0" in value or _SURROGATE.search(value):
            raise ValueError(f"{key} has an invalid character (NUL or half a surrogate pair); {_FORM}")
    if fields["vote"] not in _VOTES:
        raise ValueError(f"vote is {fields['vote']!r:.40}; write one of: {', '.join(_VOTES)}")
    return VoteLine(fields["reader"], fields["paper"], Vote(fields["vote"]), _time(fields.get("at"), now))


def _time(text: object, now: datetime) -> datetime:
    """Return when a vote was given; raises ValueError."""
    if text is None:
        return now
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
        at = at and (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):  # year 1 in a zone east of UTC has no UTC time
        at = None
    if at is None:
        raise ValueError(f"at is {text!r:.40}; write it like 2025-05-06T08:00+02:00, or leave it out")
    if at > now + _CLOCK_SKEW:
        raise ValueError(f"at is {text}, which is in the future; correct it, or leave it out")
    return min(at, now)
