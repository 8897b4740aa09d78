"""The tables of the formats: toml files, read once. Patterns are lists of alternatives, in any case."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(name: str) -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).parent.joinpath(f"{name}.toml").read_text("utf-8"))


@cache
def pattern(name: str, file: str = "mails") -> re.Pattern[str]:
    return re.compile("|".join(table(file)["patterns"][name]), re.IGNORECASE)


@cache
def words(name: str, file: str = "mails") -> frozenset[str]:
    return frozenset(table(file)["words"][name].split())
