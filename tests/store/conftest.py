"""An empty store on each database for each test, and helpers that fill it."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest

from bot.model import (
    Edition,
    Entry,
    Message,
    Paper,
    PaperId,
    ParsedDigest,
    Pick,
    PickKind,
    Quiet,
    Reader,
    Reason,
    ReasonKind,
    Role,
    Sentence,
    State,
)
from bot.store import Store, open_store

NOW = datetime(2026, 4, 18, 6, 0, tzinfo=UTC)


class Samples:
    """Invented papers, readers and editions in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._numbers = count(1)

    def ingest(self, *papers: str | Entry, source: str = "seeds", now: datetime = NOW) -> tuple[int, int]:
        """Ingest a digest of these papers; a string is the title of an entry."""
        entries = tuple(Entry(title=p, abstract=f"About {p}.") if isinstance(p, str) else p for p in papers)
        parsed = ParsedDigest("keyword", "Testing", date(2026, 4, 17), entries)
        return self.store.papers.add_digests(source, "a.txt", uuid4().hex, [parsed], now=now)[0]

    def papers(self, number: int) -> list[PaperId]:
        """Add papers; return their ids."""
        before = self.store.papers.newest_id()
        self.ingest(*(f"Sample {next(self._numbers)} of {uuid4().hex}" for _ in range(number)))
        return self.store.papers.new_to(0, after=before)

    def paper(self, title: str) -> Paper:
        """Return the only paper whose title begins with ``title``."""
        (paper,) = self.store.papers.find(title)
        return paper

    def reader(self, address: str = "ada@example.org", profile: str = "rewards") -> Reader:
        """Add the only reader of a profile."""
        kind = "email" if "@" in address else "slack"
        (reader,) = self.store.readers.sync(profile, [(kind, address)], NOW)
        return reader

    def edition(self, reader: Reader, *papers: PaperId, at: datetime = NOW, quiet: Quiet | None = None) -> Edition:
        """Compose an edition with these picks; nothing is stored."""
        stored = self.store.papers.get(papers)
        reasons = (Reason(ReasonKind.WROTE, "reward", 0.3125), Reason(ReasonKind.KEYWORD, "GRPO", -1.5))
        picks = tuple(
            Pick(
                stored[paper_id],
                PickKind.MATCH,
                1 / 3,  # a fraction that only a double stores exactly
                reasons,
                (Sentence("One."), Sentence("Two.", Role.RESULT, ("Two",))),
            )
            for paper_id in papers
        )
        return Edition(reader, "Rewards", at.date(), at, picks, 40, self.store.papers.newest_id(), quiet)

    def messages(self, reader: Reader, parts: int = 1) -> list[int]:
        """Put an edition with ``parts`` messages into the outbox; return their ids."""
        messages = [Message(f"body {n}".encode(), f"Subject {n}", n) for n in range(1, parts + 1)]
        assert self.store.editions.save(self.edition(reader), f"slot {next(self._numbers)}", messages)
        pending = self.store.outbox.in_state(State.PENDING)
        return [delivery.id for delivery in pending if delivery.reader.id == reader.id][-parts:]


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, empty_store: Path, tmp_path: Path) -> str:
    """The URL of an empty store, once on each database."""
    if request.param == "postgresql":
        url: str = request.getfixturevalue("empty_schema_url")
        return url
    return f"sqlite:///{shutil.copy(empty_store, tmp_path)}"


@pytest.fixture
def open_another(store_url: str) -> Iterator[Callable[[], Store]]:
    """Open the test's store again, as another process would; closed after the test."""
    opened: list[Store] = []

    def open_again() -> Store:
        opened.append(open_store(store_url))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_another: Callable[[], Store]) -> Store:
    """The test's store."""
    return open_another()


@pytest.fixture
def samples(store: Store) -> Samples:
    """Helpers that fill the test's store."""
    return Samples(store)


@pytest.fixture
def now() -> datetime:
    """The time of the test."""
    return NOW
