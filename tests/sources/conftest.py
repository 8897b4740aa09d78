"""What tests of sources share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers import FakeTime, Web

from bot.sources.http import Fetcher


@pytest.fixture
def web() -> Iterator[Web]:
    """A web server of the test's own."""
    with Web().running() as web:
        yield web


@pytest.fixture
def time() -> FakeTime:
    """A clock that only sleeping moves."""
    return FakeTime()


@pytest.fixture
def fetcher(time: FakeTime) -> Fetcher:
    """Fetches from this machine too."""
    return Fetcher(private_hosts=["127.0.0.1"], clock=time.clock, sleep=time.sleep)
