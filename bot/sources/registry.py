"""The kinds of sources: everything that depends on a source's kind goes through this list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bot.config.tables import SourceModels, SourceOptions
from bot.sources import Source, SourceDependencies, SourceKind
from bot.sources.arxiv import ARXIV
from bot.sources.biorxiv import BIORXIV
from bot.sources.feed import FEED
from bot.sources.folder import FOLDER
from bot.sources.huggingface import HUGGING_FACE
from bot.sources.mailbox import BOUNCES, MAILBOX
from bot.sources.openalex import OPENALEX

_KINDS: dict[str, SourceKind[Any]] = {
    kind.name: kind for kind in (FOLDER, FEED, ARXIV, BIORXIV, OPENALEX, HUGGING_FACE, MAILBOX, BOUNCES)
}


def source_models() -> SourceModels:
    """Return the models of the kinds' options by the kinds' names, by which settings are validated."""
    return {name: kind.options for name, kind in _KINDS.items()}


def make_sources(configured: Iterable[SourceOptions], dependencies: SourceDependencies) -> list[Source]:
    """Return the sources with these options; samples come last, because any other source supersedes them."""
    return [
        _KINDS[options.kind].make(options, dependencies)
        for options in sorted(configured, key=lambda options: options.is_sample)
    ]
