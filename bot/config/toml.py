"""Reads a TOML file into a pydantic model; every mistake becomes one ConfigError that says where and what to do."""

from __future__ import annotations

import difflib
import os
import re
import stat
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bot.errors import ConfigError

M = TypeVar("M", bound=BaseModel)

_MOST_BYTES = 10_000_000
_HEADER = re.compile(r"\s*\[(?P<array>\[)?\s*(?P<name>[^\[\]]+?)\s*\]")
_ASSIGNED = re.compile(r"\s*(?P<key>[\w.\"'-]+)\s*=")


class Section(BaseModel):
    """A table of a configuration file: unchangeable once read, and without room for unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_strip_whitespace=True)


class MisplacedError(ValueError):
    """A value that doesn't go with another one: ``loc`` says where it stands within the table that was checked."""

    def __init__(self, loc: tuple[int | str, ...], problem: str) -> None:
        super().__init__(problem)
        self.loc = loc


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and its content; raises ConfigError where it can't be read."""
    try:
        text = _content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(path.name, "", f"byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise ConfigError(path.name, "", f"can't be read: {error.strerror}") from None
    return text, parse_toml(text, path.name)


def _content(path: Path) -> bytes:
    """The bytes of a file that is one; raises ConfigError for a pipe, which would never end, and for too much."""
    with os.fdopen(
        os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb"
    ) as file:  # a pipe would wait for a writer
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(path.name, "", "is no regular file; move it elsewhere")
        if status.st_size > _MOST_BYTES:
            raise ConfigError(path.name, "", f"has more than {_MOST_BYTES // 1_000_000} MB; shorten it")
        return file.read(_MOST_BYTES)


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """The content of TOML; raises ConfigError where it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(file, "", "is nested too deeply to be read; take the brackets away") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column \d+\)| \(at end of document\)", str(error))
        problem = str(error).replace(place.group(0), "") if place else str(error)
        line = int(place.group(1)) if place and place.group(1) else None
        raise ConfigError(file, "", f"not valid TOML: {problem}", line=line) from None
    except ValueError:  # Python's own, of a number of thousands of digits
        raise ConfigError(file, "", "holds a number that is too long to be read; shorten it") from None


def write_whole(path: Path, text: str) -> None:
    """Puts text in the place of a file's at once, so that none is ever half written; raises ConfigError.

    The file keeps its mode, and its line ends where it has those of Windows.
    """
    try:
        if b"\r\n" in path.read_bytes():
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(path.stat().st_mode)
        Path(name).replace(path)
    except OSError as error:
        raise ConfigError(path.name, "", f"can't be written: {error.strerror}") from None


def explain(error: ValidationError, model: type[BaseModel], file: str, text: str) -> ConfigError:
    """One of a model's complaints, as people read it: file, line, key, what is wrong, the remedy.

    A misspelt key goes first: it explains the one that is missing.
    """
    details = error.errors(include_url=False)
    first = min(details, key=lambda detail: detail["type"] != "extra_forbidden")
    loc = first["loc"] + getattr(first.get("ctx", {}).get("error"), "loc", ())
    key = _dotted(loc)
    problem = problem_of(first, model)
    if len(details) > 1:
        problem += f" (and {len(details) - 1} more)"
    return ConfigError(file, key, problem, line=line_of(text, loc))


def problem_of(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """What is wrong, and the remedy."""
    if detail["type"] == "extra_forbidden":
        return _unknown_key(str(detail["loc"][-1]), _known_keys(model, detail["loc"]))
    if detail["type"] == "missing":
        return "is missing; add it"
    if detail["type"] == "value_error":
        return detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "too_short" and isinstance(detail["input"], str):
        return f"{_shown(detail, model)} won't do; it should have {detail['ctx']['min_length']} characters or more"
    wanted = _WANTED.get(detail["type"].partition("_")[0]) or detail["msg"].removeprefix("Input should be ")
    return f"{_shown(detail, model)} won't do; it should be {wanted}"


def _shown(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """What stands there, as far as it can't be or hold a secret: a value of a key for values."""
    field: FieldInfo | None = None
    current: type[BaseModel] | None = model
    for step in detail["loc"]:
        if isinstance(step, str):
            field = current.model_fields.get(step) if current else None
            current = _model_in(field.annotation) if field else None
    plain = field is not None and current is None and "Secret" not in str(field.annotation)
    if plain and isinstance(detail["input"], str | int | float | time | date):
        return f"{detail['input']!r:.60}"
    return "what is set there"


# Where pydantic speaks of Python's types, people are told what to type.
_WANTED = {
    "tuple": 'a list, like ["one", "two"]',
    "string": "a text of the allowed length, in quotes",
    "int": "a whole number, without quotes",
    "float": "a number, without quotes",
    "bool": "true or false, without quotes",
    "dict": "a table of its own, [like this], with its keys below",
    "model": "a table of its own, [like this], with its keys below",
}


def _unknown_key(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    remedy = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"
    return f"unknown key; {remedy}"


def _known_keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys of the table that holds the last key of ``loc``."""
    current = model
    for step in loc[:-1]:
        if isinstance(step, str) and step in current.model_fields:
            current = _model_in(current.model_fields[step].annotation) or current
    return sorted(current.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a field's type is made of: ``Section``, ``Section | None``, ``tuple[Section, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((m for m in map(_model_in, get_args(annotation)) if m), None)


def _dotted(loc: tuple[int | str, ...]) -> str:
    """``("readers", 1, "email")`` as ``readers[1].email``; positions count from 1, as people do."""
    text = ""
    for step in loc:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def line_of(text: str, loc: tuple[int | str, ...]) -> int | None:
    r"""The line on which a key stands, found by its table's header and its name; None where it isn't plain.

    >>> line_of('title = "x"\n[edition]\nsize = 0\n', ("edition", "size"))
    3
    """
    path = [step for step in loc if isinstance(step, str)]
    nth = next((step for step in loc if isinstance(step, int)), 0)
    table: list[str] = []
    inside = True  # whether this is the entry of an array of tables that is meant
    entries: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header["name"])
            inside = header["array"] is None or entries[header["name"]] == nth
            entries[header["name"]] += 1
            if table == path and inside:
                return number
        elif inside and (assigned := _ASSIGNED.match(line)):
            key = table + _parts(assigned["key"])
            if key == path[: len(key)]:
                return number
    return None


def _parts(dotted: str) -> list[str]:
    return [part.strip(" \"'") for part in dotted.split(".")]


def validated(model: type[M], values: Mapping[str, Any], file: str, text: str) -> M:
    """The model of a file's values; raises ConfigError."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise explain(error, model, file, text) from None
