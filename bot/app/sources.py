"""Makes the sources that settings name; the libraries of a kind are imported if a source of it is configured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config.settings import SourceSection
from bot.sources import Source

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bot.sources.http import Fetcher


def make_source(
    section: SourceSection,
    home: Path,
    fetcher: Callable[[], Fetcher],
    passwords: Mapping[str, SecretStr],
    samples_superseded: Callable[[], bool],
) -> Source:
    """Make one source.

    ``fetcher`` returns the fetcher that all sources share, which keeps one host's pace across them; it is called
    for sources on the network only. ``passwords`` are by source name with ``_`` for ``-``, as environment variables
    can't have a hyphen.
    """
    name = section.name
    poll_interval = section.interval
    match section.kind:
        case "folder":
            from bot.sources.folder import FolderSource

            if section.samples:
                return FolderSource(name, home / section.path, superseded=samples_superseded)
            return FolderSource(name, home / section.path)
        case "feed":
            from bot.sources.feed import FeedSource

            return FeedSource(name, section.url, fetcher(), poll_interval)
        case "arxiv":
            from bot.sources import arxiv

            return arxiv.ArxivSource(name, section.query, fetcher(), poll_interval, section.url or arxiv.URL)
        case "huggingface":
            from bot.sources import huggingface

            return huggingface.HuggingFaceSource(
                name, fetcher(), poll_interval, section.url or huggingface.URL
            )
        case "mailbox":
            return _mailbox(section, passwords.get(name.replace("-", "_")))


def _mailbox(section: SourceSection, password: SecretStr | None) -> Source:
    from bot.sources.mailbox import MailboxSource

    return MailboxSource(
        name=section.name,
        host=section.host,
        port=section.port,
        security=section.security,
        username=section.username,
        password=password.get_secret_value() if password else "",
        sender=section.sender,
        folder=section.folder,
        moved_to=section.moved_to,
        poll_interval=section.interval,
    )
