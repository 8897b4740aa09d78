"""Helpers for tests of several packages: the path of the checkout, digests, and the links of a mail."""

import re
from pathlib import Path

import pytest

from bot.model import State
from bot.sources.folder import FolderOptions, FolderSource

ROOT = Path(__file__).parent.parent
# For tests that vary what Python decides, beside others that read and write the same tables on each database.
ON_ONE_DATABASE = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)


class ParserBy:
    """A parser that calls a function, in this process."""

    def __init__(self, parse):
        self.parse = parse


def digest(*titles: str, date: str = "2025-05-05 17:00:00", header: str = "LLM-RL - 2025-05-06") -> str:
    """Return a keyword digest of papers with these titles; each abstract repeats its title."""
    blocks = [
        f"{title}\n\nAuthors:Ada Lovelace, Grace Hopper\nDate:{date}\n\n"
        f"Little is known of this. We study {title.lower()} with care. It works in 9 of 10 cases.\n"
        for title in titles
    ]
    return f"{header}\n\n" + "\n".join(blocks)


def links_in(mail, base="http://localhost:8000"):
    """Return all links to Paperbot in a mail, its headers included."""
    text = mail.get_body(("html",)).get_content() + mail["List-Unsubscribe"]
    return {link.replace("&amp;", "&") for link in re.findall(rf"{re.escape(base)}/[^\s\"<>]+", text)}


def drop_folder(name: str, folder: Path) -> FolderSource:
    """Return a source of kind ``folder``."""
    return FolderSource(FolderOptions(name=name, kind="folder", path=str(folder)), folder)


def buttons(page):
    """Return the labels of a page's buttons."""
    return re.findall(r"<button[^>]*>(.*?)</button>", page)


def counts(report):
    """How many were delivered, failed, are unknown, wait for a retry, were cancelled."""
    states = (State.SENT, State.FAILED, State.UNKNOWN, State.RETRY, State.CANCELLED)
    return tuple(report.counts[state] for state in states)
