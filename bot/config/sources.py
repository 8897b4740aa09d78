"""The settings of sources: which keys each kind has, and how often it is polled.

``every`` is the least time between two polls, in minutes; ``_SOURCE_KINDS`` has the default of each kind. How long a
source that fails is left alone is decided in ``bot/ingestion/polling.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from bot.config.addresses import fetch_url
from bot.config.toml import Section
from bot.loopback import is_loopback

FetchUrl = Annotated[str, AfterValidator(fetch_url)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]


@dataclass(frozen=True, slots=True)
class _SourceKind:
    """The keys that sources of a kind must and may have, and the minutes between polls without ``every``."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    minutes: int


_SOURCE_KINDS = {
    "folder": _SourceKind(("path",), ("samples",), 0),
    "feed": _SourceKind(("url",), ("every",), 60),
    "arxiv": _SourceKind(("query",), ("url", "every"), 60),
    "biorxiv": _SourceKind((), ("server", "category", "url", "every"), 180),
    "huggingface": _SourceKind((), ("url", "every"), 120),
    "bounces": _SourceKind(("host", "username"), ("port", "security", "folder", "moved_to", "every"), 5),
    "mailbox": _SourceKind(
        ("host", "username", "sender"), ("port", "security", "folder", "moved_to", "every"), 15
    ),
}


class SourceSection(Section):
    """A source of digests; its kind decides which keys it has."""

    name: Name
    kind: Literal["folder", "feed", "arxiv", "biorxiv", "huggingface", "mailbox", "bounces"]
    path: str = ""
    samples: bool = False
    url: FetchUrl = ""
    query: Annotated[str, StringConstraints(max_length=2_000)] = ""
    server: Literal["biorxiv", "medrxiv"] = "biorxiv"
    category: Annotated[str, StringConstraints(max_length=100)] = ""
    every: int | None = Field(None, ge=1, le=10_080)
    host: str = ""
    port: int = Field(993, ge=1, le=65535)
    security: Literal["tls", "starttls", "none"] = "tls"
    username: str = ""
    sender: str = ""
    folder: str = "INBOX"
    moved_to: str = ""

    @property
    def interval(self) -> timedelta:
        """The least time between two polls."""
        return timedelta(minutes=self.every or _SOURCE_KINDS[self.kind].minutes)

    @model_validator(mode="after")
    def _keys_fit_kind(self) -> SourceSection:
        # A discriminated union of five models would do this too, but its errors name the models, not the keys.
        kind = _SOURCE_KINDS[self.kind]
        if missing := next((key for key in kind.required if not getattr(self, key)), None):
            raise ValueError(f'a source of kind "{self.kind}" needs {missing}; add {missing} = ...')
        allowed = {"name", "kind", *kind.required, *kind.optional}
        if unknown := next(iter(sorted(self.model_fields_set - allowed)), None):
            raise ValueError(
                f'a source of kind "{self.kind}" has no {unknown}; known: {", ".join(sorted(allowed))}'
            )
        return self

    @model_validator(mode="after")
    def _encrypted(self) -> SourceSection:
        if self.security == "none" and not is_loopback(self.host):
            raise ValueError('security = "none" sends the password unencrypted; use "tls" or "starttls"')
        return self
