"""A home without samples; one with an edition on Wednesday and votes on Thursday; servers for its messages."""

import json
import shutil
from pathlib import Path

import pytest
from channels.conftest import certificate, mail_server, servers, slack_server, tls
from store.conftest import store_url
from support import use_smtp

from bot.app import open_app
from bot.cli.main import invoke

__all__ = ["certificate", "mail_server", "servers", "slack_server", "store_url", "tls"]

WEDNESDAY = "2025-05-07T09:00:00+02:00"
THURSDAY = "2025-05-08T09:00:00+02:00"
READER = "reward-models/ada@example.org"


def prepare(home):
    """Make the profile weekly, send Wednesday's edition as a file, and vote on its seven papers.

    There are no editions on Thursday and Friday, which papers without a place would have.
    """
    profile = home / "profiles" / "reward-models.toml"
    text = (
        profile.read_text().replace("size = 5", "size = 7").replace('"mon", "tue", "wed", "thu", "fri"', '"tue", "wed"')
    )
    profile.write_text(f"weekly = true\n{text}")
    assert invoke(["--home", str(home), "run", "--now", WEDNESDAY]) == 0
    vote(home)


def vote(home, downs=1, at=THURSDAY):
    """Vote down on the last papers of the newest edition, and up on the others."""
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        picks = app.store.editions.picks_of(app.store.editions.last(reader.id).id)
    lines = [
        {"reader": reader.name, "paper": pick.paper.ref, "vote": vote, "at": at}
        for number, pick in enumerate(picks)
        for vote in ["up" if number < len(picks) - downs else "down"]
    ]
    file = home / "votes.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert invoke(["--home", str(home), "thumb", "--from", str(file)]) == 0


@pytest.fixture(scope="session")
def after_votes(tmp_path_factory):
    """The prepared home on SQLite, made once."""
    home = tmp_path_factory.mktemp("letters") / "papers"
    assert invoke(["init", str(home), "--email", "ada@example.org", "--timezone", "Europe/Berlin"]) == 0
    prepare(home)
    return home


@pytest.fixture
def voted(after_votes, tmp_path, paperbot, monkeypatch):
    """A copy of the prepared home."""
    home = tmp_path / "papers"
    shutil.copytree(after_votes, home)
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def by_smtp(mail_server, monkeypatch):
    """A mail server to which homes send from now on."""
    server = mail_server()
    use_smtp(monkeypatch, server.port)
    return server


@pytest.fixture
def owls_home(bare: Path) -> Path:
    """A home with an empty folder ``drop`` as its source, and one profile, ``owls``, with one reader."""
    (bare / "drop").mkdir()
    (bare / "paperbot.toml").write_text('[[sources]]\nname = "drop"\nkind = "folder"\npath = "drop"\n')
    (bare / "profiles" / "owls.toml").write_text(
        'title = "Owls"\ninterests = "reward models"\n[[readers]]\nemail = "ada@example.org"\n'
        "[edition]\nthreshold = 0\n"
    )
    return bare
