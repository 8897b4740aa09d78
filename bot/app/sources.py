"""Makes the sources that settings name; the libraries of a kind are imported if a source of it is configured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.home import Home
from bot.config.settings import SourceSection
from bot.sources import Source

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bot.sources.http import Fetcher
    from bot.sources.mailbox import RecordVote


def make_sources(
    home: Home,
    *,
    fetcher: Callable[[], Fetcher],
    samples_superseded: Callable[[], bool],
    record_vote: RecordVote,
) -> list[Source]:
    """Make the sources of a home; samples come last, because any other source supersedes them.

    ``fetcher`` returns the fetcher that all sources share, so that the interval between two requests to a host holds
    across them; it is called for sources on the network only. ``record_vote`` records the votes that mails bring.
    """
    settings = home.settings
    return [
        _make_source(
            section, home.path, fetcher, settings.passwords, samples_superseded, record_vote=record_vote
        )
        for section in sorted(settings.sources, key=lambda section: section.samples)
    ]


def _make_source(  # noqa: PLR0911 - one return for each kind
    section: SourceSection,
    home: Path,
    fetcher: Callable[[], Fetcher],
    passwords: Mapping[str, SecretStr],
    samples_superseded: Callable[[], bool],
    *,
    record_vote: RecordVote,
) -> Source:
    """Make one source; ``passwords`` are by its name, with ``_`` for ``-``: no environment variable has a hyphen."""
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
        case "biorxiv":
            from bot.sources import biorxiv

            return biorxiv.BiorxivSource(
                name,
                fetcher(),
                poll_interval,
                section.server,
                section.category,
                section.url or biorxiv.URL,
            )
        case "huggingface":
            from bot.sources import huggingface

            return huggingface.HuggingFaceSource(
                name, fetcher(), poll_interval, section.url or huggingface.URL
            )
        case "bounces":
            from bot.sources.bounces import BouncesSource

            password = passwords.get(name.replace("-", "_"))
            return BouncesSource(
                name=name,
                host=section.host,
                port=section.port,
                security=section.security,
                username=section.username,
                password=password.get_secret_value() if password else "",
                folder=section.folder,
                moved_to=section.moved_to,
                poll_interval=poll_interval,
            )
        case "mailbox":
            from bot.sources.mailbox import MailboxSource

            password = passwords.get(name.replace("-", "_"))
            return MailboxSource(
                name=name,
                host=section.host,
                port=section.port,
                security=section.security,
                username=section.username,
                password=password.get_secret_value() if password else "",
                sender=section.sender,
                folder=section.folder,
                moved_to=section.moved_to,
                poll_interval=poll_interval,
                record_vote=record_vote,
            )
