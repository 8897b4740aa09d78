"""The composition root over a fresh home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app import App, open_app


@pytest.fixture
def app(home: Path) -> Iterator[App]:
    with open_app(home) as app:
        yield app
