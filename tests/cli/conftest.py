"""A home with a few papers, for the commands about votes and libraries."""

import pytest
from support import digest


@pytest.fixture
def papers(home, paperbot):
    """A home with three papers: p1 to p3."""
    (home / "seeds" / "own.txt").write_text(digest("Cats at work", "Dogs at work", "Dogs at rest"))
    assert paperbot("ingest").code == 0
    return home
