"""An error at start is one line that names its place and one remedy: the command to type, or the key to change."""

import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from channels.smtp_servers import MailServer
from support import use_smtp

Change = Callable[[Path], object]

NOTHING = ("status",)
FEED = (
    '[fetch]\nprivate_hosts = ["127.0.0.1"]\n[[sources]]\nname = "a"\nkind = "feed"\nurl = "http://127.0.0.1:1/rss"\n'
)
MAILBOX = """
[[sources]]
name = "a"
kind = "mailbox"
host = "127.0.0.1"
port = 1
security = "none"
username = "ada"
sender = "list@example.org"
"""


@pytest.fixture
def home(home):
    """A home without a store yet."""
    (home / "state" / "paperbot.db").unlink()
    return home


def settings(text: str) -> Change:
    return lambda home: (home / "paperbot.toml").write_text(text)


def store(url: str) -> Change:
    return settings(f'[store]\nurl = "{url}"\n')


def profile(text: str) -> Change:
    return lambda home: (home / "profiles" / "reward-models.toml").write_text(text)


def template(name: str, text: str) -> Change:
    def change(home: Path) -> None:
        (home / "templates").mkdir()
        (home / "templates" / name).write_text(text)

    return change


def revision_9999(home: Path) -> None:
    with closing(sqlite3.connect(home / "state" / "paperbot.db")) as database, database:
        database.execute("CREATE TABLE alembic_version (version_num)")
        database.execute("INSERT INTO alembic_version VALUES ('9999')")


def no_directory(home: Path) -> None:
    (home / "state" / "secret.key").unlink()
    shutil.rmtree(home / "state")
    (home / "state").write_text("a file where a folder belongs")


ERRORS: dict[str, tuple[Change, tuple[str, ...], str, str]] = {
    "no settings": (lambda home: (home / "paperbot.toml").unlink(), NOTHING, "paperbot.toml: not found", "`paperbot init "),
    "broken settings": (settings("[bot\n"), NOTHING, "paperbot.toml:1: not valid TOML", "quotation marks"),
    "other database": (store("mysql://localhost/papers"), NOTHING, "store.url: no store in mysql", "sqlite:///path"),
    "no database URL": (store("papers.db"), NOTHING, "store.url", "write sqlite:///path"),
    "no PostgreSQL": (store("postgresql://ada:secret@127.0.0.1:1/p"), NOTHING, "postgresql://ada:***@", "start PostgreSQL there"),
    "unknown database host": (store("postgresql://ada@db.invalid/p"), NOTHING, "db.invalid", "correct the host in store.url"),
    "newer store": (revision_9999, NOTHING, "made by a newer Paperbot", "upgrade Paperbot, or use its copy"),
    "not a database": (
        lambda home: (home / "state" / "paperbot.db").write_text("no database " * 99), NOTHING,
        "file is not a database", "name another file in store.url, or put a backup in its place",
    ),
    "database is a folder": (
        lambda home: (home / "state" / "paperbot.db").mkdir(), NOTHING, "paperbot.db: unable to open", "or name another in store.url",
    ),
    "state is a file": (no_directory, NOTHING, "state: is not a folder", "move it elsewhere"),
    "empty keys": (lambda home: (home / "state" / "secret.key").write_text(""), NOTHING, "secret.key: is empty", "`paperbot check --fix`"),
    "empty keys in a check": (lambda home: (home / "state" / "secret.key").write_text(""), ("check",), "signing keys: ", "secret.key: is empty; restore it from a backup, or run `paperbot check --fix`"),
    "replies without a mailbox": (settings("[email]\nreplies = true\n"), ("check",), "email.replies", 'add a source of kind "mailbox"'),
    "broken profile": (profile("= 3\n"), ("run",), "profiles/reward-models.toml:1: not valid TOML", "quotation marks"),
    "profile that is not read": (profile("= 3\n"), ("preview", "reward-models"), "no profile 'reward-models'", "`paperbot check` shows"),
    "template that does not compile": (
        template("mail.html.j2", "{% if x %}"), ("check",), "mail.html.j2:1: Unexpected end of template", "Correct the file, or delete it",
    ),
    "template with a wrong name": (
        template("mail.txt.j2", "{{ editoin.title }}"), ("run", "--force"), "mail.txt.j2:1: 'editoin' is undefined", "Correct the file, or delete it",
    ),
    "no feed": (settings(FEED), ("ingest",), "a: http://127.0.0.1:1/rss: [Errno", "correct the source's url"),
    "no mailbox": (settings(MAILBOX), ("ingest",), "a: 127.0.0.1:1: [Errno", "check host, port, security, username and password"),
    "worker without a broker": (lambda _: None, ("worker",), "queue.url", "such as amqp://localhost"),
    "broker without PostgreSQL": (settings('[queue]\nurl = "amqp://localhost"\n'), ("serve",), "queue.url", "set store.url to postgresql://"),
    "unknown host to listen on": (lambda _: None, ("serve", "--host", "paperbot.invalid"), "can't listen on paperbot.invalid:8000", "`paperbot serve --host 127.0.0.1`"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_one_line_with_its_place_and_one_remedy(home, paperbot, name):
    change, arguments, place, remedy = ERRORS[name]
    change(home)
    answer = paperbot("--home", home, *arguments)
    assert answer.code in (1, 2)
    lines = [line for line in answer.err.splitlines() if place in line]
    assert len(lines) == 1, answer.err
    assert remedy in lines[0]
    assert "mistake in Paperbot" not in answer.err


def test_a_port_that_is_taken_is_reported_with_the_command_for_the_next(home, paperbot):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = paperbot("serve", "--port", port)
    assert answer.code == 2
    assert answer.err == (
        f"paperbot: can't listen on 127.0.0.1:{port}: Address already in use; "
        f"name another, as with `paperbot serve --port {port + 1}`\n"
    )


@pytest.mark.parametrize(
    ("security", "username", "remedy"),
    [
        ("starttls", "", 'STARTTLS extension not supported by server; set email.security = "tls"'),
        ("tls", "", 'set email.security = "starttls"'),
        ("none", "ada", "leave email.username empty, or set the port that takes logins"),
    ],
)
def test_a_mail_server_that_offers_less_is_reported_with_the_key_to_change(
    home, paperbot, monkeypatch, security, username, remedy
):
    monkeypatch.setenv("PAPERBOT_EMAIL__PASSWORD", "secret")
    with MailServer().running() as server:
        values: dict[str, Any] = {"host": "127.0.0.1", "port": server.port, "security": security}
        for key, value in (values | {"username": username}).items():
            monkeypatch.setenv(f"PAPERBOT_EMAIL__{key.upper()}", str(value))
        answer = paperbot("check", "--connect")
    assert answer.code == 2
    assert remedy in answer.err
    assert "secret" not in answer.err


def test_no_mail_server_and_no_slack_are_reported_with_the_key_to_check(home, paperbot, monkeypatch):
    use_smtp(monkeypatch, 1)
    monkeypatch.setenv("PAPERBOT_SLACK__TOKEN", "xoxb-1")
    monkeypatch.setenv("PAPERBOT_SLACK__API_URL", "http://127.0.0.1:1/api")
    answer = paperbot("check", "--connect")
    assert answer.code == 2
    assert "no mail server listens there: check email.host and email.port" in answer.err
    assert "check slack.api_url and this machine's network" in answer.err
