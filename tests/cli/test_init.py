"""``paperbot init`` with options, and its questions on a terminal, before a real mail server."""

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from channels.smtp_servers import MailServer

from bot.channels.registry import address_checks
from bot.config.new_home import NewUser, profile_text, settings_text
from bot.config.profiles import Profile
from bot.sources.registry import source_models


def profile_of(home: Path, slug: str) -> Profile:
    table = tomllib.loads((home / "profiles" / f"{slug}.toml").read_text())
    return Profile.model_validate(table, context=address_checks())


def sources_of(home: Path) -> list[dict[str, object]]:
    return tomllib.loads((home / "paperbot.toml").read_text())["sources"]


def test_options_fill_in_the_profile_and_the_settings(paperbot, tmp_path):
    home = tmp_path / "papers"
    answer = paperbot(
        *("init", home, "--email", "grace@example.org", "--interests", 'Owls, "barn owls" \\ and their prey'),
        *("--at", "06:45", "--timezone", "Asia/Tokyo"),
        *("--mail-host", "smtp.example.org", "--mail-port", "465", "--mail-username", "grace"),
    )
    assert answer.code == 0
    profile = profile_of(home, "my-papers")
    assert profile.interests.strip() == 'Owls, "barn owls" \\ and their prey'
    assert (profile.keywords, profile.authors, profile.mute) == ((), (), ())
    assert [address for _, address in profile.addresses] == ["grace@example.org"]
    assert (f"{profile.schedule.at:%H:%M}", profile.schedule.timezone) == ("06:45", "Asia/Tokyo")
    email = tomllib.loads((home / "paperbot.toml").read_text())["email"]
    assert email == {
        "host": "smtp.example.org", "port": 465, "security": "tls", "username": "grace",
        "sender": "Paperbot <grace@example.org>",
    }  # fmt: skip
    assert [path.name for path in (home / "profiles").iterdir()] == ["my-papers.toml"]


def test_categories_of_arxiv_become_sources_that_the_settings_accept(paperbot, tmp_path):
    home = tmp_path / "papers"
    assert paperbot("init", home, "--no-samples", "--arxiv", "cs.LG hep-th,cs.lg").code == 0
    assert [source["name"] for source in sources_of(home)] == ["seeds", "arxiv-cs-lg", "arxiv-hep-th"]
    assert paperbot("--home", home, "check").code == 0


def test_where_the_samples_are_about_something_else_a_forced_run_says_what_to_do(paperbot, tmp_path):
    home = tmp_path / "papers"
    paperbot("init", home, "--email", "grace@example.org", "--interests", "Barn owls and their prey")
    answer = paperbot("--home", home, "run", "--force")
    assert "So far there are only the sample digests" in answer.out
    assert f"name a source in {home / 'paperbot.toml'}" in answer.out


def test_without_options_the_files_are_as_shipped(home):
    assert (home / "profiles" / "reward-models.toml").read_text() == profile_text(NewUser(), address_checks())
    assert (home / "paperbot.toml").read_text().startswith(settings_text(NewUser(), source_models()))
    assert profile_of(home, "reward-models").keywords == ("reward hacking",)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--email", "ada", "is not an email address"),
        ("--at", "8 o'clock", "is not a time of day"),
        ("--timezone", "Mars/Olympus", "unknown time zone"),
        ("--arxiv", "cs.LG,owls.barn", "'owls.barn' is not a category of arXiv"),
    ],
)
def test_a_value_that_is_not_valid_leaves_no_half_of_a_home(paperbot, tmp_path, option, value, message):
    answer = paperbot("init", tmp_path / "papers", option, value)
    assert answer.code == 2
    assert message in answer.err
    assert not (tmp_path / "papers").exists()


class Terminal:
    """A command on a terminal of its own; its questions are answered in order."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._leader, follower = pty.openpty()
        command = [sys.executable, "-m", "bot", *arguments]
        environment = os.environ | {"TERM": "dumb", "TZ": "Europe/Rome"}
        self._process = subprocess.Popen(
            command, cwd=cwd, stdin=follower, stdout=follower, stderr=follower, env=environment
        )
        os.close(follower)
        self.seen = ""

    def answer(self, question: str, answer: str) -> None:
        """Wait for a question, then type the answer and Enter."""
        start = len(self.seen)
        while question not in self.seen[start:]:
            self.seen += self._read() or pytest.fail(f"ended before it asked {question!r}: {self.seen}")
        os.write(self._leader, f"{answer}\n".encode())

    def finish(self) -> int:
        while text := self._read():
            self.seen += text
        os.close(self._leader)
        return self._process.wait()

    def _read(self) -> str:
        try:
            return os.read(self._leader, 65536).decode()
        except OSError:  # EIO on Linux, when the other end is closed
            return ""


def answer_all(terminal: Terminal, port: int) -> None:
    terminal.answer("What do you want to read about", "Owls and other birds of prey")
    terminal.answer("Which of arXiv's categories", "q-bio.PX")
    terminal.answer("Which of arXiv's categories", "q-bio.pe, cs.SD")
    terminal.answer("Your mail address?", "not an address")
    terminal.answer("Your mail address?", "grace@example.org")
    terminal.answer("When should editions come", "07:15")
    terminal.answer("In which time zone? [Europe/Rome]", "")
    terminal.answer("Your mail server", "127.0.0.1")
    terminal.answer("Its port?", str(port))


def test_on_a_terminal_it_asks_and_sends_a_test_mail(tmp_path):
    with MailServer().running() as server:
        terminal = Terminal("init", "papers", cwd=tmp_path)
        answer_all(terminal, server.port)
        terminal.answer("Send a test mail to grace@example.org?", "y")
        assert terminal.finish() == 0
        (mail,) = server.mails
    assert mail.recipients == ["grace@example.org"]
    assert "'not an address' is not an email address" in terminal.seen
    assert "'q-bio.PX' is not a category of arXiv; did you mean q-bio.PE?" in terminal.seen
    assert sources_of(tmp_path / "papers")[1:3] == [
        {"name": f"arxiv-{name}", "kind": "feed", "url": f"https://rss.arxiv.org/rss/{category}"}
        for name, category in (("q-bio-pe", "q-bio.PE"), ("cs-sd", "cs.SD"))
    ]
    assert "ok  127.0.0.1 accepts mail." in terminal.seen
    assert "paperbot --home papers run --force" in terminal.seen
    profile = profile_of(tmp_path / "papers", "my-papers")
    assert profile.interests.strip() == "Owls and other birds of prey"
    assert (f"{profile.schedule.at:%H:%M}", profile.schedule.timezone) == ("07:15", "Europe/Rome")


def test_a_refusal_by_the_mail_server_is_reported_and_the_home_is_unchanged(tmp_path):
    with MailServer().running() as server:
        server.replies["RCPT"] = "550 5.1.1 no such user"
        terminal = Terminal("init", "papers", cwd=tmp_path)
        answer_all(terminal, server.port)
        terminal.answer("Send a test mail to grace@example.org?", "")
        assert terminal.finish() == 0
    assert "550" in terminal.seen
    assert "then try `paperbot check --connect`" in terminal.seen
    assert profile_of(tmp_path / "papers", "my-papers").title == "My papers"


def test_with_yes_nothing_is_asked_on_a_terminal(tmp_path):
    terminal = Terminal("init", "papers", "--yes", cwd=tmp_path)
    assert terminal.finish() == 0
    assert "?" not in terminal.seen
    assert "papers is ready." in terminal.seen
