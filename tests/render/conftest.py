"""Invented editions, and a browser to look at them with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from jinja2 import Environment
from playwright.sync_api import Browser, sync_playwright

from bot.domain import Edition, Kind, Paper, Pick, PickKind, Reader, Sentence, Sighting, Vote
from bot.render.environment import environment

TEMPLATES = Path(__file__).parents[2] / "templates"
_BROWSER_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class TestLinks:
    """Links as long as signed ones are."""

    __test__ = False

    def thumb(self, paper: Paper, vote: Vote) -> str:
        return f"https://papers.example.org/thumb/{'t' * 80}.{paper.id}?vote={vote}&from=mail"

    def unsubscribe(self) -> str:
        return f"https://papers.example.org/unsubscribe/{'u' * 60}"


@pytest.fixture(scope="session")
def links() -> TestLinks:
    return TestLinks()


@pytest.fixture(scope="session")
def templates() -> Environment:
    return environment(TEMPLATES)


@pytest.fixture(scope="session")
def make_paper() -> Callable[..., Paper]:
    return _paper


@pytest.fixture(scope="session")
def make_pick() -> Callable[..., Pick]:
    return _pick


@pytest.fixture(scope="session")
def make_edition() -> Callable[..., Edition]:
    return _edition


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if not chromium and os.environ.get("CI") == "true":
        pytest.fail("chromium is not installed, and a CI run has to look at the mail")
    if not chromium:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=_BROWSER_OPTIONS)
        yield started
        started.close()


def _paper(number: int = 17, title: str = "A paper", **fields: object) -> Paper:
    known: dict[str, object] = {
        "id": number,
        "title": title,
        "abstract": "",
        "authors": ("Ada Lovelace",),
        "author_count": None,
        "published": date(2025, 5, 5),
        "arxiv_id": None,
        "doi": None,
        "url": "https://example.org/paper",
        "upvotes": None,
        "organisation": None,
        "first_seen": datetime(2025, 5, 6, 6, tzinfo=UTC),
        "sightings": (Sighting("seeds", "LLM-RL", date(2025, 5, 6)),),
    }
    return Paper(**(known | fields))  # type: ignore[arg-type]


def _pick(paper: Paper | None = None, **fields: object) -> Pick:
    known: dict[str, object] = {
        "paper": paper or _paper(),
        "kind": PickKind.MATCH,
        "probability": 0.92,
        "reasons": (),
        "summary": ("We did it.", "It worked."),
    }
    summary = tuple(Sentence(said) if isinstance(said, str) else said for said in (known | fields)["summary"])
    return Pick(**(known | fields | {"summary": summary}))  # type: ignore[arg-type]


def _edition(*picks: Pick, **fields: object) -> Edition:
    known: dict[str, object] = {
        "reader": Reader(3, "reward-models", Kind.EMAIL, "ada@example.org"),
        "profile_title": "Reward models",
        "date": date(2025, 5, 6),
        "composed_at": datetime(2025, 5, 6, 6, tzinfo=UTC),
        "picks": picks,
        "considered": 143,
        "watermark": 177,
    }
    return Edition(**(known | fields))  # type: ignore[arg-type]
