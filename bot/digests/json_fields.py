"""Fields of JSON objects, of which any value may be of any type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from bot.decoding import tidy

_MAX_COUNT = 1_000_000_000  # PostgreSQL's integer ends at 2,147,483,647


def json_object(value: Any, key: str | None = None) -> Mapping[str, Any]:
    """Return a value, or what it has under a key, if that is an object; else an empty one."""
    if key is not None:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def text_in(table: Any, key: str) -> str:
    """Return the tidy text under a key; empty if there is none."""
    value = table.get(key) if isinstance(table, Mapping) else None
    return tidy(value) if isinstance(value, str) else ""


def count_in(table: Mapping[str, Any], key: str) -> int | None:
    """Return the number under a key if it is a count."""
    value = table.get(key)
    # In Python, True is an int.
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_COUNT
    return value if is_count else None


def date_in(table: Mapping[str, Any], key: str) -> date | None:
    """Return the date with which the text under a key begins; None if it is not a valid date."""
    value = table.get(key)
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None
