"""The settings of sources: the keys that all kinds share, and how a table is validated by the model of its kind.

The kinds stand in ``bot/sources/``, each with the model of its own keys; whoever reads settings passes these models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, ValidationError
from pydantic_core import InitErrorDetails

from bot.config.toml import Section, describe_error, is_near, unknown_key
from bot.model.addresses import fetch_url

FetchUrl = Annotated[str, AfterValidator(fetch_url)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Minutes = Annotated[int, Field(ge=1, le=10_080)]
FILES = "files"  # the source of what `paperbot ingest PATH` stores


class SourceOptions(Section):
    """The settings of one source; a kind's model adds its keys, and overrides the properties that apply to it."""

    name: Name
    kind: str

    @property
    def interval(self) -> timedelta:
        """The least time between two polls; zero for a source that needs no network and is read each time."""
        return timedelta(0)

    @property
    def is_sample(self) -> bool:
        """Whether its papers count only until another source has brought papers."""
        return False

    @property
    def local_folder(self) -> str:
        """The folder that it reads, relative to the home, which ``check --fix`` creates; empty if it reads none."""
        return ""

    @property
    def votes_login(self) -> str | None:
        """The user name of the mailbox in which it reads readers' votes; None if it reads none."""
        return None

    def mistakes(self) -> Iterator[tuple[str, str]]:
        """Yield keys whose values are valid, but ask for what doesn't exist, with the problem and its remedy."""
        yield from ()


class PolledOptions(SourceOptions):
    """The settings of a source that is polled over the network."""

    every: Minutes = 60

    @property
    def interval(self) -> timedelta:
        """The least time between two polls: ``every``, in minutes."""
        return timedelta(minutes=self.every)


SourceModels = Mapping[str, type[SourceOptions]]  # by the name of the kind


def validate_source(models: SourceModels, table: Any) -> SourceOptions:
    """Return the options in a ``[[sources]]`` table; raises ValueError, whose location is a key of the table.

    A discriminated union of the models would do this too, but the locations of its errors name the models.
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
        # Described here, where the model is known: whether a value may be shown depends on its field. A key that is
        # missing is told already, and an error of the whole table may come from one that is misspelt.
        details += [
            _detail(detail["loc"], describe_error(detail, model), detail["input"])
            for detail in error.errors(include_url=False)
            if detail["type"] != "missing" and (detail["loc"] or not details)
        ]
    if details:
        raise _error(*details)
    return options


def mistakes_of(models: SourceModels, table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the ``mistakes`` of a ``[[sources]]`` table, apart from keys with errors, which its validation reports."""
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
    """Yield an error for each key that the kind doesn't have, and for each that is missing."""
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
