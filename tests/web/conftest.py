"""A home with a first edition, and its pages."""

import shutil
from datetime import datetime, timedelta

import pytest
from starlette.testclient import TestClient
from support import parsed

from bot.app import open_app
from bot.cli.main import invoke
from bot.model import Vote
from bot.web.application import make_web

NOW = "2025-05-07T09:00:00+02:00"
OPERATOR = "a token that operators hold"


@pytest.fixture(scope="session")
def after_a_run(tmp_path_factory):
    """Create a home with one edition sent; its only profile is open."""
    home = tmp_path_factory.mktemp("served") / "papers"
    assert invoke(["init", str(home), "--email", "ada@example.org", "--timezone", "Europe/Berlin"]) == 0
    profile = home / "profiles" / "reward-models.toml"
    text = profile.read_text().replace("\n[edition]", "\nopen = true\n\n[edition]", 1)
    # Every paper is sent: the digests of these tests are too small for one to stand out.
    profile.write_text(text.replace("# threshold = 0.15", "threshold = 0  #"))
    assert invoke(["--home", str(home), "run", "--now", NOW]) == 0
    return home


@pytest.fixture
def served(after_a_run, tmp_path, monkeypatch):
    """Copy that home for a test, and make it the current directory."""
    home = tmp_path / "papers"
    shutil.copytree(after_a_run, home)
    monkeypatch.setenv("PAPERBOT_WEB__OPERATOR_TOKEN", OPERATOR)
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def app(served):
    with open_app(served) as app:
        yield app


@pytest.fixture
def client(app):
    return TestClient(make_web(app), base_url="http://localhost:8000")


@pytest.fixture
def reader(app):
    return app.store.readers.get("reward-models", "ada@example.org")


@pytest.fixture
def links(app, reader):
    return app.links(reader)


@pytest.fixture
def paper(app):
    return app.store.papers.find("TTRL")[0]


@pytest.fixture
def experienced(app, reader):
    """Let the reader vote on four papers a day for two weeks."""
    papers = [app.store.papers.get([i])[i] for i in app.store.papers.new_to(reader.id)]
    start = datetime.fromisoformat(NOW)
    for n in range(14):
        for k, paper in enumerate(papers[4 * n : 4 * n + 4]):
            vote = Vote.UP if "model" in paper.abstract or k == 0 else Vote.DOWN
            app.store.feedback.add(reader.id, paper.id, vote, start + timedelta(days=n + 1, minutes=k), "cli")
    return reader


@pytest.fixture
def mails(served):
    """Return the mails to an address so far, oldest first."""

    def to(address):
        paths = sorted(served.glob(f"state/outbox/*/*--{address}*.eml"), key=lambda path: path.stat().st_mtime_ns)
        return [parsed(path) for path in paths]

    return to


@pytest.fixture
def me(links):
    return links.me()
