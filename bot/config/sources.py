"""The settings of sources: the keys that all kinds share, and how a table is validated by the model of its kind.

The kinds stand in ``bot/sources/``, each with the model of its own keys; whoever reads settings passes these models.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, ValidationError
from pydantic_core import InitErrorDetails

from bot.config.toml import MisplacedError, Section, describe_error, unknown_key
from bot.model.addresses import fetch_url

FetchUrl = Annotated[str, AfterValidator(fetch_url)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Minutes = Annotated[int, Field(ge=1, le=10_080)]


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
    keys = model.model_fields
    keys_of_any_kind = {key for each in models.values() for key in each.model_fields}
    if misspelt := next((key for key in table if key not in keys_of_any_kind), None):
        raise MisplacedError((misspelt,), unknown_key(misspelt, keys))
    required = [key for key in keys if keys[key].is_required() and key not in SourceOptions.model_fields]
    if missing := next((key for key in required if not str(table.get(key, "")).strip()), None):
        raise ValueError(f'a source of kind "{kind}" needs {missing}; add {missing} = ...')
    if unknown := next(iter(sorted(table.keys() - keys.keys())), None):
        raise ValueError(f'a source of kind "{kind}" has no {unknown}; known: {", ".join(sorted(keys))}')
    try:
        return model.model_validate(table)
    except ValidationError as error:
        # Described here, where the model is known: whether a value may be shown depends on its field.
        raise _error(
            *(
                InitErrorDetails(
                    type="value_error",
                    loc=detail["loc"],
                    input=detail["input"],
                    ctx={"error": ValueError(describe_error(detail, model))},
                )
                for detail in error.errors(include_url=False)
            )
        ) from None


def _error(*details: InitErrorDetails) -> ValidationError:
    return ValidationError.from_exception_data("source", list(details))
