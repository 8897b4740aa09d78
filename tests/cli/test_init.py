"""``paperbot init`` with options, and its questions on a terminal, before a real mail server."""

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from channels.smtp_servers import MailServer

from bot.app import open_app
from bot.channels import address_checks
from bot.config.home import NewUser, profile_text, settings_text
from bot.config.profiles import Profile
from bot.model import Vote
from bot.model.categories import SUBJECTS, arxiv_categories
from bot.operate import proposals
from bot.operate.proposals import proposed_sources, samples_fit
from bot.sources import source_models


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
    assert profile.interests[0].text == 'Owls, "barn owls" \\ and their prey'
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


def test_sources_of_each_kind_and_those_proposed_are_valid_settings(paperbot, tmp_path):
    home = tmp_path / "papers"
    named = ("proposed", "medrxiv=nursing", "openalex=owls", "mailbox=ada@uni.edu@imap.uni.edu news@nature.com")
    options = [part for source in (*named, "feed=https://example.org/rss") for part in ("--source", source)]
    assert paperbot("init", home, "--interests", "Protein language models", *options).code == 0
    sources = sources_of(home)
    assert {"q-bio.BM", "q-bio.QM"} <= {str(source["url"])[-8:] for source in sources if source["kind"] == "feed"}
    assert {"bioinformatics", "nursing"} <= {source.get("category") for source in sources}
    assert [source["search"] for source in sources if source["kind"] == "openalex"] == ["owls"]
    (mailbox,) = (source for source in sources if source["kind"] == "mailbox")
    assert (mailbox["host"], mailbox["username"]) == ("imap.uni.edu", "ada@uni.edu")
    assert not (home / "samples").exists()
    assert paperbot("--home", home, "check").code == 0
    for wrong in ("owls", "arxiv=owls.barn", "mailbox=ada", "feed=nowhere"):
        assert paperbot("init", tmp_path / "other", "--source", wrong).code == 2


@pytest.mark.parametrize(
    ("interests", "fields"),
    [
        ("Protein language models", {"arXiv q-bio.BM", "arXiv q-bio.QM", "arXiv cs.LG", "bioRxiv: Bioinformatics"}),
        ("Human-computer interaction: accessibility of mobile apps", {"arXiv cs.HC"}),
        ("LLM agents and planning", {"arXiv cs.AI", "arXiv cs.MA", "arXiv cs.CL"}),
        ("Social inequality and migration in Europe", {"arXiv econ.GN", "arXiv cs.SI", "OpenAlex"}),
        ("Type 2 diabetes in adolescents, insulin therapy", {"medRxiv: Endocrinology", "OpenAlex"}),
        ("Quantum error correction with superconducting qubits", {"arXiv quant-ph", "arXiv cond-mat.supr-con"}),
        ("Exoplanet atmospheres", {"arXiv astro-ph.EP"}),
        ("Minimum wages and employment", {"arXiv econ.GN"}),
        ("Populist parties and voters", {"OpenAlex"}),
        ("Perovskite solar cells", {"arXiv cond-mat.mtrl-sci"}),
    ],
)
def test_the_sources_of_a_field_are_proposed(interests, fields):
    proposed = [proposal.about for proposal in proposed_sources(interests)]
    assert all(any(about.startswith(field) for about in proposed) for field in fields), proposed


def test_each_field_that_is_proposed_exists():
    fields = tomllib.loads((Path(proposals.__file__).parent / "fields.toml").read_text())
    assert fields.pop("arxiv").keys() <= arxiv_categories().keys()
    assert all(set(names) <= set(SUBJECTS[server]) for server, names in fields.items())


@pytest.mark.parametrize(
    ("interests", "expected"), [("Reward models for reasoning", True), ("Quantum error correction", False)]
)
def test_samples_are_for_people_of_their_field(interests, expected):
    assert samples_fit(interests) is expected


@pytest.mark.slow
def test_a_library_and_votes_lead_to_a_first_edition(tmp_path):
    (tmp_path / "library.bib").write_text("@article{a, title={Reward models for dogs}, author={Ada Lovelace}}")
    terminal = Terminal(
        *("init", "papers", "--interests", "Reward models for reasoning", "--email", "ada@example.org", "--at", "8:00"),
        *("--timezone", "UTC"),
        cwd=tmp_path,
    )
    terminal.answer("Which do you want?", "none")
    terminal.answer("A library to learn from", "nothing.bib")
    terminal.answer("A library to learn from", "library.bib")
    terminal.answer("Your mail server", "")
    terminal.answer("Fetch papers now", "")
    for answer in ("maybe", "y", "back", "n", "", "y", "done"):
        terminal.answer("Would you read it?", answer)
    assert terminal.finish() == 0
    assert "'maybe' is neither y nor n" in terminal.seen
    assert "ok  1 paper of your library read" in terminal.seen
    assert "</html>" in (tmp_path / "papers" / "state" / "first-edition.html").read_text()
    with open_app(tmp_path / "papers") as app:
        (reader,) = app.store.readers.of_profile("my-papers")
        votes = [vote.vote for vote in app.store.feedback.current(reader.id).values()]
    assert sorted(votes) == sorted([Vote.DOWN, Vote.UP])


def test_where_the_samples_are_about_something_else_a_forced_run_says_what_to_do(paperbot, tmp_path):
    home = tmp_path / "papers"
    paperbot("init", home, "--samples", "--email", "grace@example.org", "--interests", "Barn owls and their prey")
    answer = paperbot("--home", home, "run", "--force")
    assert "So far there are only the sample digests" in answer.out
    assert f"name a source in {home / 'paperbot.toml'}" in answer.out


def test_without_options_the_files_are_as_shipped(home):
    text = (home / "profiles" / "reward-models.toml").read_text()
    assert text.partition("\n")[2] == profile_text(NewUser(email="ada@example.org"), address_checks())
    _, settings = (home / "paperbot.toml").read_text().split("\n", 1)
    assert settings.startswith(settings_text(NewUser(), source_models()))
    assert profile_of(home, "reward-models").keywords == ("reward hacking",)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--email", "ada", "is not an email address"),
        ("--email", "me@uni", "is not an email address: 'uni' lacks an ending"),
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
    terminal.answer("Which do you want?", "q-bio.PX")
    terminal.answer("Which do you want?", "99")
    terminal.answer("Which do you want?", "mail")
    terminal.answer("The IMAP server of that mailbox?", "back")
    terminal.answer("Which do you want?", "1, cs.SD https://example.org/feed.xml")
    terminal.answer("A library to learn from", "")
    terminal.answer("Your mail address?", "not an address")
    terminal.answer("Your mail address?", "grace@example.org")
    terminal.answer("When should editions come", "back")
    terminal.answer("Your mail address?", "")
    terminal.answer("When should editions come", "BACK")
    terminal.answer("Your mail address?", "me@uni")
    terminal.answer("Your mail address?", "grace@example.org")
    terminal.answer("When should editions come", "07:15")
    terminal.answer("In which time zone? [Europe/Rome]", "")
    terminal.answer("Your mail server", "127.0.0.1")
    terminal.answer("Its port?", "0")
    terminal.answer("Its port?", str(port))
    terminal.answer("Fetch papers now", "n")


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
    assert "there is no number 99 in the list" in terminal.seen
    assert "The sample digests are about reinforcement learning and language models, not your field" in terminal.seen
    assert sources_of(tmp_path / "papers")[1:] == [
        {"name": f"arxiv-{name}", "kind": "feed", "url": f"https://rss.arxiv.org/rss/{category}"}
        for name, category in (("q-bio-pe", "q-bio.PE"), ("cs-sd", "cs.SD"))
    ] + [{"name": "example-org", "kind": "feed", "url": "https://example.org/feed.xml"}]
    assert "'me@uni' is not an email address: 'uni' lacks an ending" in terminal.seen
    assert "'0' is not a port" in terminal.seen
    assert "ok  127.0.0.1 accepts mail." in terminal.seen
    assert "paperbot --home papers run --force" in terminal.seen
    profile = profile_of(tmp_path / "papers", "my-papers")
    assert profile.interests[0].text == "Owls and other birds of prey"
    assert (f"{profile.schedule.at:%H:%M}", profile.schedule.timezone) == ("07:15", "Europe/Rome")


@pytest.mark.slow
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
    profile = profile_of(tmp_path / "papers", "reward-models")
    assert (profile.schedule.timezone, profile.addresses) == ("Europe/Rome", [])


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")  # as mail bridges on a machine do
@pytest.mark.slow
def test_a_login_is_asked_for_wherever_the_server_takes_one(tmp_path):
    with MailServer(login=(b"ada", b"secret"), implicit=True).running() as server:
        terminal = Terminal(
            *("init", "papers", "--no-samples", "--interests", "Owls", "--arxiv", "q-bio.PE", "--at", "8:00"),
            *("--email", "ada@example.org", "--timezone", "europe/berlin", "--mail-host", "127.0.0.1"),
            cwd=tmp_path,
        )
        terminal.answer("A library to learn from", "")
        terminal.answer("Its port?", str(server.port))
        terminal.answer("Your login there? [ada@example.org]", "ada")
        terminal.answer("Fetch papers now", "n")
        terminal.answer("Its password", "secret")
        terminal.answer("Send a test mail", "n")
        assert terminal.finish() == 0
        assert server.logins == [(b"ada", b"secret")]
    assert "ok  127.0.0.1 lets you log in." in terminal.seen
    assert "sample" not in terminal.seen
    assert profile_of(tmp_path / "papers", "my-papers").schedule.timezone == "Europe/Berlin"


@pytest.mark.slow
def test_a_mail_server_of_the_environment_is_not_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERBOT_EMAIL__HOST", "mail.example.org")
    terminal = Terminal("init", "papers", "--interests", "Owls", "--at", "8:00", "--arxiv", "q-bio.PE", cwd=tmp_path)
    terminal.answer("A library to learn from", "")
    terminal.answer("Your mail address?", "ada@example.org")
    terminal.answer("In which time zone?", "europe/rome")
    terminal.answer("Fetch papers now", "n")
    assert terminal.finish() == 0
    assert "Mails go by mail.example.org, as PAPERBOT_EMAIL__HOST says." in terminal.seen
    assert "mail.example.org" not in (tmp_path / "papers" / "paperbot.toml").read_text()
