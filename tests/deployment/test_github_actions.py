"""The template of a daily GitHub Actions job: its steps are run in a shell, with a mail server and a Git repository."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
import yaml
from channels.smtp_servers import MailServer, server_context
from imap_server import ImapServer
from support import ROOT, parsed
from zotero_server import KEY, ZoteroServer

from bot.app import open_app
from bot.model import StopReason, Vote

TEMPLATE = ROOT / ".github" / "examples" / "daily.yml"
SECRETS = {"MAIL_ADDRESS": "grace@example.org", "MAIL_PASSWORD": "app password", "ZOTERO_KEY": ""}
LOGIN = (SECRETS["MAIL_ADDRESS"].encode(), SECRETS["MAIL_PASSWORD"].encode())


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.stem)
def test_actions_are_named_by_commit(workflow):
    """A tag can be moved to other code."""
    used = re.findall(r"uses: (\S+)", workflow.read_text())
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


@pytest.fixture(scope="module")
def job():
    return yaml.safe_load(TEMPLATE.read_text())["jobs"]["edition"]


def evaluate(text: str) -> str:
    """Replace the expressions of GitHub's that the template has: a secret, or a variable's default."""

    def value(match: re.Match[str]) -> str:
        kind, name, default = match.groups()
        return SECRETS[name] if kind == "secrets" else default

    return re.sub(r"\$\{\{ (secrets|vars)\.(\w+)(?: \|\| '(.*?)')? \}\}", value, text)


class Runner:
    """A fork on a runner: a checkout whose ``origin`` is a bare repository."""

    def __init__(self, folder: Path, job: dict, environment: dict[str, str]) -> None:
        self._folder = folder
        self._job = job
        self.origin = folder / "origin.git"
        git("init", "--quiet", "--bare", self.origin)
        commands = folder / "bin"
        commands.mkdir()
        # What the step "Install" would install.
        (commands / "paperbot").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bot "$@"\n')
        (commands / "paperbot").chmod(0o755)
        (commands / "python").symlink_to(sys.executable)
        self.environment = {
            **os.environ,
            **{name: evaluate(str(value)) for name, value in job["env"].items()},
            **environment,
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }

    def run(self, name: str, cache: Path | None = None) -> tuple[Path, int]:
        """Run the job in a new checkout; return the checkout, and the exit code of the step that sends."""
        checkout = self._folder / name
        git("init", "--quiet", checkout)
        git("-C", checkout, "remote", "add", "origin", self.origin)
        if cache:
            shutil.copy(cache / "state.tar.enc", checkout)
        sent = 0
        for step in self._job["steps"]:
            if "run" in step and step["name"] != "Install":
                # As GitHub runs a step without `shell`, on Linux.
                process = subprocess.run(
                    ["bash", "-e", "-c", step["run"]], cwd=checkout, env=self.environment, check=False
                )
                assert process.returncode == 0 or step["name"] == "Send the edition", step["name"]
                sent = sent or process.returncode
        return checkout, sent


def git(*arguments: object) -> str:
    return subprocess.run(["git", *map(str, arguments)], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def mailbox():
    with ImapServer().running() as running:
        yield running


def make_runner(folder, job, server, mailbox, certificate):
    digests = folder / "digests"
    digests.mkdir()
    shutil.copy(ROOT / "seeds" / "llm-rl-2025-05-06.txt", digests)
    sources = [{"name": "seeds", "kind": "folder", "path": str(digests)}]
    # The mailbox of the file, which this list is read in place of, at its server here.
    replies = {"name": "replies", "kind": "mailbox", "host": "127.0.0.1", "port": mailbox.port, "security": "none"}
    sources.append({**replies, "username": SECRETS["MAIL_ADDRESS"]})
    environment = {
        "PAPERBOT_SOURCES": json.dumps(sources),
        "PAPERBOT_EMAIL__HOST": "127.0.0.1",
        "PAPERBOT_EMAIL__PORT": str(server.port),
        "SSL_CERT_FILE": str(certificate.with_suffix(".crt")),
    }
    return Runner(folder, job, environment)


@dataclass(frozen=True)
class FirstRun:
    """What the first run of a fork left behind."""

    origin: Path
    checkout: Path
    code: int
    server: MailServer


@pytest.fixture(scope="module")
def first(tmp_path_factory, job, certificate):
    """A first run, made once for the tests that look at it or continue it."""
    with (
        MailServer(context=server_context(certificate), login=LOGIN).running() as server,
        ImapServer().running() as mailbox,
    ):
        runner = make_runner(tmp_path_factory.mktemp("first"), job, server, mailbox, certificate)
        return FirstRun(runner.origin, *runner.run("first"), server)


@pytest.fixture
def runner(tmp_path, job, mail_server, mailbox, tls, certificate):
    """A fork without a run, and the mail server that it sends to."""
    server = mail_server(context=tls.server, login=LOGIN)
    return make_runner(tmp_path, job, server, mailbox, certificate), server


@pytest.fixture
def continuing(runner, first):
    """A copy of the fork after its first run, and the mail server that its next run sends to."""
    runner, server = runner
    shutil.copytree(first.origin, runner.origin, dirs_exist_ok=True)
    return runner, server


def test_two_secrets_are_enough_for_a_mail(first):
    assert first.code == 0
    (mail,) = first.server.mails
    assert mail.recipients == [SECRETS["MAIL_ADDRESS"]]
    assert first.server.logins == [LOGIN]
    archive = (first.checkout / "state.tar.enc").read_bytes()
    assert SECRETS["MAIL_ADDRESS"].encode() not in archive
    assert b"SQLite format 3" not in archive
    # The branch has one commit with the same file.
    assert git("-C", first.origin, "rev-list", "--count", "paperbot-state") == "1"
    assert git("-C", first.origin, "ls-tree", "--name-only", "paperbot-state") == "state.tar.enc"


@pytest.mark.parametrize("from_cache", [True, False])
def test_the_next_run_knows_what_was_sent(continuing, first, from_cache):
    runner, server = continuing
    _, code = runner.run("second", cache=first.checkout if from_cache else None)
    assert code == 0
    assert server.mails == []  # no paper is new
    assert git("-C", runner.origin, "rev-list", "--count", "paperbot-state") == "1"


def test_the_state_is_kept_when_sending_fails(runner):
    runner, server = runner
    server.replies["RCPT"] = "550 5.7.1 not today"
    checkout, code = runner.run("first")
    assert code == 1
    assert (checkout / "state.tar.enc").exists()


def html_and_text(mail):
    message = parsed(mail.content)
    return message, *(message.get_body((kind,)).get_content() for kind in ("html", "plain"))


def test_every_link_of_the_mail_works_without_pages(continuing, first, mailbox):
    runner, server = continuing
    message, html, text = html_and_text(first.server.mails[0])
    assert "localhost" not in f"{html} {text} {message['List-Unsubscribe']}"
    links = re.findall(r'href="([^"]*)"', html)
    assert {link.partition(":")[0] for link in links if not link.startswith("#")} == {"https", "mailto"}
    assert len([link for link in links if link.startswith("https:")]) > 1, "papers"
    to_bot = re.findall(r"^ *mailto:grace@example.org\?subject=(\S+)", text, re.MULTILINE)
    up, *_, unsubscribe = map(unquote, to_bot)
    assert len(to_bot) == 3 * html.count("vote%20up") + 1
    assert message["List-Unsubscribe"] == f"<mailto:grace@example.org?subject={quote(unsubscribe)}>"
    assert "List-Unsubscribe-Post" not in message
    settings = tomllib.loads((first.checkout / "papers" / "paperbot.toml").read_text())
    assert [source["name"] for source in settings["sources"]] == ["seeds", "cs-cl", "cs-lg", "replies"]
    assert settings["sources"][-1] == {
        "name": "replies",
        "kind": "mailbox",
        "host": "imap.gmail.com",
        "username": "grace@example.org",
    }

    mailbox.put(f"From: grace@example.org\r\nSubject: {up}\r\n\r\n".encode())
    mailbox.put(f"From: other@example.org\r\nSubject: {unsubscribe}\r\n\r\n".encode())
    mailbox.put(b"From: grace@example.org\r\nSubject: A letter\r\n\r\n")
    # Polled again the next day; of another name, at once.
    sources = runner.environment["PAPERBOT_SOURCES"].replace('"replies"', '"tomorrow"')
    runner.environment |= {"PAPERBOT_SOURCES": sources, "PAPERBOT_PASSWORDS__TOMORROW": SECRETS["MAIL_PASSWORD"]}
    with ZoteroServer().running() as zotero:
        runner.environment |= {"PAPERBOT_ZOTERO_KEY": KEY, "PAPERBOT_ZOTERO__API_URL": zotero.url}
        second, code = runner.run("second", cache=first.checkout)
    assert code == 0
    assert server.mails == []
    with open_app(second / "papers") as app:
        (reader,) = app.store.readers.all()
        (vote,) = app.store.feedback.votes(reader.id)
        assert (vote.vote, vote.via, reader.stopped) == (Vote.UP, "reply", StopReason.UNSUBSCRIBED)
        assert app.store.zotero.get(reader.id).library == "users/1"
    assert KEY.encode() not in (second / "state.tar.enc").read_bytes()
    assert [sorted(mail.flags) for mail in mailbox.folders["INBOX"].values()] == [["\\Seen"], ["\\Seen"], []]


def test_it_says_what_github_switches_off():
    text = " ".join(TEMPLATE.read_text().replace("#", " ").split())
    assert "GitHub switches off those of a fork, schedules included" in text
    assert "ends schedules after sixty days without any activity" in text


def test_the_state_is_saved_whatever_happened_before(job):
    *_, keep, save = job["steps"]
    assert (keep["name"], keep["if"]) == ("Keep what was sent and learned", "always()")
    assert save["uses"].startswith("actions/cache/save@")
    assert save["if"] == "always()"
