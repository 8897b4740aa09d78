"""A home without samples, for tests that serve its sources themselves."""

from pathlib import Path

import pytest


@pytest.fixture
def owls_home(home: Path) -> Path:
    """A home with an empty folder ``drop``, and one profile, ``owls``, with one reader."""
    for path in (*home.glob("samples/*"), *home.glob("profiles/*")):
        path.unlink()
    (home / "drop").mkdir()
    (home / "profiles" / "owls.toml").write_text(
        'title = "Owls"\ninterests = "reward models"\n[[readers]]\nemail = "ada@example.org"\n'
        "[edition]\nthreshold = 0\n"
    )
    return home
