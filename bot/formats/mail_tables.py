"""The tables of ``mails.toml``: what the readers of mails know of senders, publishers and layouts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def tables() -> Mapping[str, Any]:
    """Return the file."""
    return tomllib.loads(Path(__file__).with_name("mails.toml").read_text("utf-8"))


@cache
def words(name: str) -> frozenset[str]:
    """Return a list of words."""
    return frozenset(tables()["words"][name].split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, of any case."""
    return re.compile("|".join(tables()["patterns"][name]), re.IGNORECASE)
