"""Validate TOML tables and environment variables, and translate errors of pydantic, which name no line."""

from __future__ import annotations

import difflib
import fcntl
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, time, timedelta
from pathlib import Path
from time import sleep
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails

from bot.config.files import write_atomically
from bot.model.addresses import fetch_url
from bot.model.errors import ConfigError

M = TypeVar("M", bound=BaseModel)

Location = tuple[int | str, ...]  # pydantic's ``loc``: keys and positions from the top of the file

_MAX_BYTES = 10_000_000
_NEAR = 0.5  # similarity of a misspelt key to the intended one
_MAX_MISTAKES = 100  # of a file, because finding each line reads the whole file
_MAX_KEY = 200  # characters of a key in a message
_MAX_PARTS = 20  # of a dotted key; tomllib takes n^2 steps for n of them (200 KB: minutes)
# Possessive: giving back characters never makes a key longer.
_LONG_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_MAX_PARTS}}}""")
_TABLE_HEADER = re.compile(r"\s*\[(?P<array>\[)?\s*(?P<name>[^\[\]]+?)\s*\]")
_ASSIGNMENT = re.compile(r"\s*(?P<key>[\w.\"'-]+)\s*=")


class Section(BaseModel):
    """A table of a configuration file: immutable, and an unknown key in it is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_strip_whitespace=True)


class MisplacedError(ValueError):
    """A value that conflicts with another one, with its place within the table."""

    def __init__(self, loc: Location, problem: str) -> None:
        super().__init__(problem)
        self.loc = loc


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return a TOML file's text and values. Raises ConfigError."""
    try:
        # Non-blocking: opening a FIFO would wait for a writer.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ConfigError(path.name, "", "is not a regular file; move it elsewhere")
            if status.st_size > _MAX_BYTES:
                raise ConfigError(path.name, "", f"is larger than {_MAX_BYTES // 1_000_000} MB; shorten it")
            # utf-8-sig: some editors write a byte order mark, which TOML forbids.
            text = file.read(_MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(path.name, "", f"byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        remedy = f"run Paperbot as its owner, or change that: chmod u+r {path}"
        raise ConfigError(path.name, "", f"can't be read ({error.strerror}); {remedy}") from None
    return text, parse_toml(text, path.name)


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """Return the values of TOML. Raises ConfigError."""
    if long_key := _LONG_KEY.search(text):
        number = text.count("\n", 0, long_key.start()) + 1
        raise ConfigError(file, "", f"has a key of more than {_MAX_PARTS} parts; shorten it", line=number)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(file, "", "is nested too deeply to be read; remove the brackets") from None
    except ValueError as error:  # also of int(), for more than 4,300 digits (CVE-2020-10735)
        # tomllib has the line in its message only, until Python 3.14.
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        problem = str(error).replace(place[0], "") if place else str(error)
        remedy = "texts need quotation marks, and each key and section may be there once"
        line = int(place[1]) if place and place[1] else None
        raise ConfigError(file, "", f"not valid TOML: {problem}; {remedy}", line=line) from None


_EDIT_ATTEMPTS = 20
_EDIT_PAUSE = 0.05  # seconds; an editor may have truncated the file before writing


class _EditedMeanwhileError(Exception):
    """Another program has written the file since it was read."""


def edit_text(path: Path, change: Callable[[str], str | None]) -> bool:
    """Replace a file's text with the result of ``change``, or return False if that is None.

    Keeps mode, line ends and links. If somebody saves the file meanwhile, ``change`` runs again. Raises ConfigError.
    """

    def refuse_if_edited() -> None:
        if read_toml(path)[0] != text:
            raise _EditedMeanwhileError

    try:
        target = path.resolve()
        # Lock the folder, because writing replaces the file together with its lock.
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    except (OSError, RuntimeError) as error:  # RuntimeError: a cycle of links, before Python 3.13
        raise ConfigError(path.name, "", f"can't be edited: {error}") from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        for _ in range(_EDIT_ATTEMPTS):
            text, _ = read_toml(path)
            changed = change(text)
            if changed is None:
                return False
            if "\r\n" in text:
                # tomlkit keeps line ends, but writes additions with "\n".
                changed = changed.replace("\r\n", "\n").replace("\n", "\r\n")
            try:
                write_atomically(target, changed.encode(), before_rename=refuse_if_edited)
            except _EditedMeanwhileError:
                sleep(_EDIT_PAUSE)
            except OSError as error:
                raise ConfigError(path.name, "", f"can't be written: {error.strerror}") from None
            else:
                return True
    finally:
        os.close(folder)
    raise ConfigError(path.name, "", "is changed again and again by another program; try again when that has ended")


def validated(model: type[M], values: Mapping[str, Any], file: str, text: str, context: object = None) -> M:
    """Validate a file's values with ``context``. Raises ConfigError."""
    try:
        return model.model_validate(values, context=context)
    except ValidationError as error:
        raise ConfigError.first_of(explain(details_of(error), model, file, text)) from None


def without_conflicts(values: Any, validate: Callable[[Any], M], conflicts: Iterable[MisplacedError]) -> M:
    """Validate a table and add conflicts to its errors, as "after" validators need valid values. Raises them."""
    details = [_detail(conflict.loc, str(conflict)) for conflict in conflicts]
    try:
        result = validate(values)
    except ValidationError as error:
        known = [
            InitErrorDetails(type=detail["type"], loc=detail["loc"], input=detail["input"], ctx=detail.get("ctx", {}))
            for detail in details_of(error)
        ]
        raise ValidationError.from_exception_data(error.title, [*known, *details]) from None
    if details:
        raise ValidationError.from_exception_data("conflicts", details)
    return result


def details_of(error: ValidationError) -> list[ErrorDetails]:
    """Return the errors without missing keys that a misspelling explains."""
    details = error.errors(include_url=False)
    misspelt = [detail for detail in details if detail["type"] == "extra_forbidden"]
    others = [detail for detail in details if detail["type"] != "extra_forbidden"]
    return misspelt + [detail for detail in others if not any(_explains(key, detail) for key in misspelt)]


def _explains(misspelt: ErrorDetails, missing: ErrorDetails) -> bool:
    (*table, key), (*place, name) = misspelt["loc"], missing["loc"] or ("",)
    return missing["type"] == "missing" and table == place and is_near(str(key), str(name))


def is_near(misspelt: str, key: str) -> bool:
    return bool(difflib.get_close_matches(misspelt, [key], cutoff=_NEAR))


def explain(details: Sequence[ErrorDetails], model: type[BaseModel], file: str, text: str) -> list[ConfigError]:
    mistakes = []
    for detail in details[:_MAX_MISTAKES]:
        loc = detail["loc"] + getattr(detail.get("ctx", {}).get("error"), "loc", ())
        # Positions count from 1: ("readers", 1, "email") is readers[2].email.
        key = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in loc)
        problem = describe_error(detail, model)
        line = line_of(text, loc) or line_of(text, loc[:-1])  # of the table, for a missing key
        mistakes.append(ConfigError(file, key.removeprefix(".")[:_MAX_KEY], problem, line=line))
    if more := len(details) - len(mistakes):
        mistakes.append(ConfigError(file, "", f"{more:,} more mistakes; correct these first", line=mistakes[-1].line))
    return mistakes


# Remedies for errors in which pydantic names Python's types.
_EXPECTED = {
    "tuple": 'a list, like ["one", "two"]',
    "string": "a text of the allowed length, in quotes",
    "int": "a whole number, without quotes",
    "float": "a number, without quotes",
    "bool": "true or false, without quotes",
    "dict": "a table of its own, [like this], with its keys below",
    "model": "a table of its own, [like this], with its keys below",
}


def describe_error(detail: ErrorDetails, model: type[BaseModel]) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        *steps, key = map(str, detail["loc"])
        table = model
        for step in steps:
            if step in table.model_fields:
                table = _model_in(table.model_fields[step].annotation) or table
        return unknown_key(key, table.model_fields)
    if kind == "missing":
        return "is missing; add it"
    if kind == "value_error":  # our own validators include the remedy
        return detail["msg"].removeprefix("Value error, ")
    # A table, or a text in place of one, may contain a password.
    field: FieldInfo | None = None
    current: type[BaseModel] | None = model
    for place in detail["loc"]:
        if isinstance(place, str):
            field = current.model_fields.get(place) if current else None
            current = _model_in(field.annotation) if field else None
    is_plain = field is not None and current is None and "Secret" not in str(field.annotation)
    value = _shown(detail["input"] if is_plain else None)
    if kind == "too_short" and isinstance(detail["input"], str):
        return f"{value} is not valid; it should have {detail['ctx']['min_length']} characters or more"
    expected = _EXPECTED.get(kind.partition("_")[0]) or detail["msg"].removeprefix("Input should be ")
    return f"{value} is not valid; it should be {expected}"


def unknown_key(key: str, known: Iterable[str]) -> str:
    keys = sorted(known)
    near = difflib.get_close_matches(key, keys, n=1, cutoff=_NEAR)
    remedy = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(keys)}"
    return f"unknown key; {remedy}"


def wrong_value(value: object, expected: str) -> str:
    return f"{_shown(value)} is not valid; it should be {_EXPECTED[expected]}"


def _shown(value: object) -> str:
    return f"{value!r:.60}" if isinstance(value, str | int | float | time | date) else "what is set there"


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model within ``Section``, ``Section | None`` or ``tuple[Section, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((m for m in map(_model_in, get_args(annotation)) if m), None)


def line_of(text: str, loc: Location) -> int | None:
    r"""Return the line of a key, or None if only a full parser could find it.

    Neither tomllib nor tomlkit gives positions. Inline tables and unusual headers are not resolved.

    >>> line_of('title = "x"\n[edition]\nsize = 0\n', ("edition", "size"))
    3
    """
    path = [step for step in loc if isinstance(step, str)]
    position = next((step for step in loc if isinstance(step, int)), 0)
    table: list[str] = []
    is_table_at_position = True
    entries: Counter[str] = Counter()  # the number of [[name]] headers so far
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE_HEADER.match(line):
            table = _split_key(header["name"])
            is_table_at_position = header["array"] is None or entries[header["name"]] == position
            entries[header["name"]] += 1
            if table == path and is_table_at_position:
                return number
        elif is_table_at_position and (assignment := _ASSIGNMENT.match(line)):
            key = table + _split_key(assignment["key"])
            if key == path[: len(key)]:
                return number
    return None


def _split_key(dotted: str) -> list[str]:
    return [part.strip(" \"'") for part in dotted.split(".")]


PREFIX = "PAPERBOT_"
# Less similar names may belong to another program.
_SIMILAR = 0.85


def unknown_variables(settings: type[BaseModel]) -> Iterator[ConfigError]:
    """Yield a mistake for each variable without a setting, which pydantic-settings would ignore."""
    known_names: set[str] = set()
    for section, field in settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            known_names |= {f"{PREFIX}{section}__{key}".upper() for key in ("", *field.annotation.model_fields)}
    for name in sorted(variables()):
        section, separator, key = name.removeprefix(PREFIX).partition("__")
        # A section as JSON, or one with free keys, such as passwords of sources.
        is_section = section.lower() in settings.model_fields
        if is_section and not (separator and f"{PREFIX}{section}__" in known_names):
            continue
        if f"{PREFIX}{section}__{key.partition('__')[0]}" in known_names:
            continue
        candidates = [variable for variable in known_names if not variable.endswith("__")]
        near = difflib.get_close_matches(name, candidates, n=1, cutoff=_SIMILAR)
        if separator or near:
            remedy = f"did you mean {near[0]}?" if near else "docs/settings.md lists the settings"
            yield ConfigError("environment", name, f"there is no such setting; {remedy}")


def explain_variable(
    detail: ErrorDetails, settings: type[BaseModel], secrets: Collection[tuple[str, str]]
) -> ConfigError | None:
    """Return an error that a variable causes, or None. Never shows secrets."""
    environment = variables()
    section, *keys = (str(step) for step in detail["loc"] or ("",))
    names = [f"{PREFIX}{section}__{keys[0]}".upper()] if keys else []
    name = next((name for name in (*names, f"{PREFIX}{section}".upper()) if name in environment), None)
    if name is None:
        return None
    if detail["type"] in ("too_short", "string_too_short"):
        problem = f"is too short; use {detail['ctx']['min_length']} characters or more"
    elif section == "passwords" or (section, *keys) in secrets:
        problem = "can't be used; set it again, in one piece"
    else:
        problem = describe_error(detail, settings)
    return ConfigError("environment", name, problem)


def variables() -> dict[str, str]:
    # pydantic-settings ignores the case of names.
    return {name.upper(): value for name, value in os.environ.items() if name.upper().startswith(PREFIX)}


# The options of sources. The models of kinds are in ``bot/sources/``, and callers pass them.
FetchUrl = Annotated[str, AfterValidator(fetch_url)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Minutes = Annotated[int, Field(ge=1, le=10_080)]
FILES = "files"  # the source of `paperbot ingest PATH`


class SourceOptions(Section):
    """The settings of one source. A kind's model adds its keys, and overrides the properties that apply to it."""

    name: Name
    kind: str

    @property
    def interval(self) -> timedelta:
        """The least time between polls, or zero for a source without network."""
        return timedelta(0)

    @property
    def is_sample(self) -> bool:
        """Return whether its papers count only until another source has delivered."""
        return False

    @property
    def local_folder(self) -> str:
        """The folder that it reads, relative to the home, or an empty string. ``check --fix`` creates it."""
        return ""

    @property
    def votes_login(self) -> str | None:
        """The user name of a mailbox with readers' votes, or None."""
        return None

    def mistakes(self) -> Iterable[tuple[str, str]]:
        """Return valid keys that find nothing, each with its problem and remedy."""
        return ()


class PolledOptions(SourceOptions):
    """The settings of a source that is polled over the network."""

    every: Minutes = 60

    @property
    def interval(self) -> timedelta:
        return timedelta(minutes=self.every)


SourceModels = Mapping[str, type[SourceOptions]]  # by name of the kind


def validate_source(models: SourceModels, table: Any) -> SourceOptions:
    """Return the options in a ``[[sources]]`` table. Raises ValidationError.

    A discriminated union would put the names of models into locations.
    """
    if not isinstance(table, dict):
        raise _error(InitErrorDetails(type="dict_type", input=table))
    if "kind" not in table:
        raise _error(InitErrorDetails(type="missing", loc=("kind",), input=table))
    kind = table["kind"]
    if not isinstance(kind, str) or kind not in models:
        *others, last = map(repr, models)
        expected = {"expected": f"{', '.join(others)} or {last}"}
        raise _error(InitErrorDetails(type="literal_error", loc=("kind",), input=kind, ctx=expected))
    model = models[kind]
    details = list(_wrong_keys(models, model, table))
    try:
        options = model.model_validate({key: value for key, value in table.items() if key in model.model_fields})
    except ValidationError as error:
        # Described here, because the field decides whether to show a value. Missing keys are reported above.
        details += [
            _detail(detail["loc"], describe_error(detail, model), detail["input"])
            for detail in error.errors(include_url=False)
            if detail["type"] != "missing" and (detail["loc"] or not details)
        ]
    if details:
        raise _error(*details)
    return options


def mistakes_of(models: SourceModels, table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the ``mistakes`` of a table, except keys with validation errors."""
    wrong: set[int | str] = set()
    with suppress(ValidationError):
        try:
            return list(validate_source(models, table).mistakes())
        except ValidationError as error:
            wrong.update(detail["loc"][0] for detail in error.errors(include_url=False) if detail["loc"])
        rest = {key: value for key, value in table.items() if key not in wrong}
        return list(validate_source(models, {"name": "any", **rest}).mistakes())
    return []


def _wrong_keys(
    models: SourceModels, model: type[SourceOptions], table: Mapping[str, Any]
) -> Iterator[InitErrorDetails]:
    kind, keys = table["kind"], model.model_fields
    keys_of_any_kind = {key for each in models.values() for key in each.model_fields}
    unknown = [key for key in table if key not in keys]
    for key in unknown:
        others = f'a source of kind "{kind}" has no {key}; known: {", ".join(sorted(keys))}'
        yield _detail((key,), others if key in keys_of_any_kind else unknown_key(key, keys))
    for key in (key for key in keys if keys[key].is_required() and not str(table.get(key, "")).strip()):
        if any(is_near(misspelt, key) for misspelt in unknown):
            continue
        if key in SourceOptions.model_fields:
            yield _detail((key,), "is missing; add it")
        else:
            yield _detail((), f'a source of kind "{kind}" needs {key}; add {key} = ...')


def _detail(loc: tuple[int | str, ...], problem: str, value: Any = None) -> InitErrorDetails:
    return InitErrorDetails(type="value_error", loc=loc, input=value, ctx={"error": ValueError(problem)})


def _error(*details: InitErrorDetails) -> ValidationError:
    return ValidationError.from_exception_data("source", list(details))
