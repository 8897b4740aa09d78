"""Helpers for tests of several packages: the path of the checkout, digests, mails and their links, files, tables."""

import re
import sqlite3
from contextlib import closing
from email import message_from_bytes, policy
from email.message import EmailMessage
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


def edit(file: Path, old: str, new: str) -> None:
    """Put one text in the place of another in a file, which has it."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def parsed(mail: Path | bytes) -> EmailMessage:
    """Return the mail of a file or of bytes."""
    return message_from_bytes(mail.read_bytes() if isinstance(mail, Path) else mail, policy=policy.default)


def text_of(mail: Path | bytes) -> str:
    """Return the text part of a mail on one line."""
    return " ".join(parsed(mail).get_body(("plain",)).get_content().split())


def outbox(home: Path) -> list[Path]:
    """Return the messages that became files, in order of their names."""
    return sorted(path for path in (home / "state" / "outbox").rglob("*") if path.is_file())


def rows(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables of a home's store."""
    with closing(sqlite3.connect(home / "state" / "paperbot.db")) as store:
        names = store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: store.execute(f"SELECT * FROM {name}").fetchall() for (name,) in names}


def use_smtp(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """Send mails by this port of loopback."""
    for key, value in {"HOST": "127.0.0.1", "PORT": str(port), "SECURITY": "none"}.items():
        monkeypatch.setenv(f"PAPERBOT_EMAIL__{key}", value)


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
