"""Makes the sources that settings name; the libraries of a kind are imported if a source of it is configured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.home import Home
from bot.config.sources import SourceSection
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
        case "bounces" | "mailbox":
            from bot.sources.mail_folder import MailFolder

            password = passwords.get(name.replace("-", "_"))
            folder = MailFolder(
                host=section.host,
                port=section.port,
                security=section.security,
                username=section.username,
                password=password.get_secret_value() if password else "",
                name=section.folder,
                moved_to=section.moved_to,
            )
            if section.kind == "bounces":
                from bot.sources.bounces import BouncesSource

                return BouncesSource(name, folder, poll_interval)
            from bot.sources.mailbox import MailboxSource

            return MailboxSource(name, folder, section.sender, poll_interval, record_vote=record_vote)
