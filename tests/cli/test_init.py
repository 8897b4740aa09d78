"""``paperbot init`` with options, and its questions on a terminal, before a real mail server."""

import io
import os
import pty
import re
import shlex
import subprocess
import sys
import tomllib
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
from channels.smtp_servers import MailServer
from imap_server import ImapServer
from servers import Page, Web
from support import parsed

from bot.app import open_app
from bot.channels import address_checks
from bot.cli.first_edition import papers_to_judge
from bot.cli.questions import chosen_sources
from bot.config.home import NewUser, make_home, profile_text, settings_text
from bot.config.profiles import Profile
from bot.editions.due import JUDGED
from bot.model import PickKind, Vote
from bot.model.categories import arxiv_categories, subjects
from bot.model.errors import SourceError
from bot.operate import proposals
from bot.operate.proposals import (
    Proposal,
    openalex_search,
    papers_last_week,
    proposed_sources,
    samples_fit,
    source_table,
)
from bot.readers import stored_reader
from bot.sources import source_models
from bot.sources.http import Fetcher


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


@pytest.mark.parametrize("options", [(), ("--email", "ada@example.org")])
def test_without_a_terminal_init_says_that_it_asks_nothing(paperbot, tmp_path, monkeypatch, options):
    monkeypatch.setattr("sys.stdin", io.StringIO("plant ecology\n"))
    note = "note: this is no terminal, so nothing was asked, and "
    profile = tmp_path / "asked" / "profiles" / "reward-models.toml"
    assert f"{note}{profile} is a sample;" in paperbot("init", tmp_path / "asked", *options).err
    assert paperbot("init", tmp_path / "yes", *options, "--yes").err == ""
    assert note not in paperbot("init", tmp_path / "named", *options, "--interests", "Plant ecology").err


def test_a_shell_takes_the_commands_that_init_prints(paperbot, tmp_path):
    home = tmp_path / "my papers"
    first, second = paperbot("init", home, "--interests", "Plant ecology"), paperbot("init", home)
    commands = re.findall(r"paperbot --home [^`\n]+", first.out + second.err)
    assert len(commands) == 6
    assert {shlex.split(command)[2] for command in commands} == {str(home)}
    assert "sources add" in first.out


def test_a_profile_begins_with_its_interests_and_is_named_after_the_first(paperbot, tmp_path):
    home = tmp_path / "papers"
    paperbot("init", home, "--yes", "--interests", "My thesis is about deer in forests; also mosses")
    text = (home / "profiles" / "my-papers.toml").read_text()
    assert 'interests = """\nMy thesis is about deer in forests; also mosses\n"""\n' in text
    assert profile_of(home, "my-papers").title == "Deer in forests"


@pytest.mark.parametrize("has_papers", [True, False])
def test_a_source_is_asked_for_only_where_there_are_no_papers(paperbot, tmp_path, has_papers):
    (tmp_path / "seeds").mkdir()
    if has_papers:
        (tmp_path / "seeds" / "today.txt").write_text("Barn owls")
    answer = paperbot("init", tmp_path, "--yes", "--interests", "Barn owls")
    assert "None is used." in answer.out
    assert ("Papers need a source." in answer.out) is not has_papers


def test_sources_of_each_kind_and_those_proposed_are_valid_settings(paperbot, tmp_path):
    home = tmp_path / "papers"
    named = ("proposed", "medrxiv=nursing", "openalex=owls", "mailbox=ada@uni.edu@imap.uni.edu news@nature.com")
    (drop := tmp_path / "my drop").mkdir()
    addresses = ("feed=https://example.org/rss", "https://example.com/feed?a=b", f"folder={drop}")
    options = [part for source in (*named, *addresses) for part in ("--source", source)]
    assert paperbot("init", home, "--interests", "Protein language models", *options).code == 0
    sources = sources_of(home)
    assert {"q-bio.BM", "q-bio.QM"} <= {str(source["url"])[-8:] for source in sources if source["kind"] == "feed"}
    assert {"bioinformatics", "nursing"} <= {source.get("category") for source in sources}
    assert [source["search"] for source in sources if source["kind"] == "openalex"] == ["owls"]
    (mailbox,) = (source for source in sources if source["kind"] == "mailbox")
    assert (mailbox["host"], mailbox["username"]) == ("imap.uni.edu", "ada@uni.edu")
    assert "https://example.com/feed?a=b" in [source.get("url") for source in sources]
    assert str(drop) in [source.get("path") for source in sources]
    assert not (home / "samples").exists()
    assert paperbot("--home", home, "check").code == 0


def test_sources_are_added_to_a_home_and_a_second_init_says_so(paperbot, tmp_path):
    home = tmp_path / "papers"
    proposed = ("--source", "proposed", "--interests", "Protein language models")
    assert paperbot("init", tmp_path / "other", *proposed).code == 0
    assert f"--home {home} sources add proposed" in paperbot("init", home, *proposed[2:]).out
    refused = paperbot("init", home, *proposed)
    assert refused.code == 2
    assert f"`paperbot --home {home} sources add proposed` adds sources that fit" in refused.err
    assert sources_of(home) != sources_of(tmp_path / "other")
    assert "arxiv-q-bio-bm" in paperbot("--home", home, "sources", "add", "proposed").out
    assert sources_of(home) == sources_of(tmp_path / "other")
    assert paperbot("--home", home, "sources", "add", "proposed", "arxiv=q-bio.BM").out == "There is nothing to add.\n"
    refused = paperbot("--home", home, "sources", "add", "arxiv=q-bio.PX").err
    assert "Invalid value for 'KIND=VALUE': " in refused
    assert "did you mean q-bio.PE?" in refused


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("owls", "'owls' is no source; write one of arxiv, biorxiv"),
        ("arxv=cs.LG", "did you mean arxiv=cs.LG?"),
        ("cs.lg", "did you mean arxiv=cs.LG?"),
        (str(Path(__file__).parent), f"did you mean folder={Path(__file__).parent}?"),
        ("folder=/no/where", "'/no/where' is no folder; create it, or correct its path"),
        ("https://", "is not a web address"),
        ("arxiv=q-bio.PX", "did you mean q-bio.PE?"),
        ("biorxiv=genetcs", "did you mean 'Genetics'?"),
        ("mailbox=ada", "write LOGIN@HOST SENDER"),
        ("feed=nowhere", "is not a web address"),
    ],
)
def test_a_mistaken_source_is_refused_with_the_nearest_one(paperbot, tmp_path, source, message):
    answer = paperbot("init", tmp_path / "papers", "--source", source)
    assert answer.code == 2
    assert answer.err.startswith("paperbot: Invalid value for '--source': ")
    assert message in answer.err


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("arxiv=cs.LG", ["arxiv-cs-lg"]),
        ("medrxiv=nursing arxiv = cs.LG cs.CL, 1", ["medrxiv-nursing", "arxiv-cs-lg", "arxiv-cs-cl", "first"]),
        ("2 biorxiv=cell biology; feed=https://example.org/?a=b", ["biorxiv-cell-biology", "example-org", "second"]),
        ("https://example.org/?feed=rss proposed", ["example-org", "first"]),
        ("1 openalex=barn owls, and prey, pubmed=owls", ["openalex", "pubmed", "first"]),
        ("mailbox=ada@uni.edu@imap.uni.edu news@nature.com, 1", ["mail-news", "first"]),
    ],
)
def test_the_question_for_sources_takes_what_the_option_takes(answer, names):
    first, second = (Proposal(name, {"name": name}, is_ticked=name == "first") for name in ("first", "second"))
    assert sorted(table["name"] for table in chosen_sources(answer, [first, second])) == sorted(names)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("arxv=cs.LG", "did you mean arxiv=cs.LG"),
        ("biorxiv=genetcs", "did you mean 'Genetics'"),
        ("arxiv=", "'arxiv=' is no source"),
    ],
)
def test_the_question_for_sources_refuses_as_the_option_does(answer, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        chosen_sources(answer, [])


@pytest.mark.parametrize(
    ("interests", "fields"),
    [
        ("Protein language models", {"arXiv q-bio.BM", "arXiv q-bio.QM", "arXiv cs.LG", "bioRxiv: Bioinformatics"}),
        ("Human-computer interaction: accessibility of mobile apps", {"arXiv cs.HC"}),
        ("LLM agents and planning", {"arXiv cs.AI", "arXiv cs.MA", "arXiv cs.CL"}),
        ("Type 2 diabetes in adolescents, insulin therapy", {"medRxiv: Endocrinology", "PubMed", "OpenAlex"}),
        ("Quantum error correction with superconducting qubits", {"arXiv quant-ph", "arXiv cond-mat.supr-con"}),
        ("Minimum wages and employment", {"arXiv econ.GN"}),
        ("Populist parties and voters", {"OpenAlex"}),
    ],
)
def test_the_sources_of_a_field_are_proposed(interests, fields):
    proposed = [proposal.about for proposal in proposed_sources(interests)]
    assert all(any(about.startswith(field) for about in proposed) for field in fields), proposed


@pytest.mark.parametrize(
    ("interests", "query"),
    [
        (
            "I am a child psychiatrist. I want randomised trials of drugs for ADHD in children, compared with placebo.",
            '"ADHD"',
        ),
        ("ADHD medication in children: trials of methylphenidate", '"ADHD medication" OR "methylphenidate"'),
        ("I'm a PhD student working on CRISPR base editing in zebrafish", '"CRISPR base editing" OR "zebrafish"'),
        ("Causal inference and causal discovery, not so much robots", '"Causal inference" OR "causal discovery"'),
        ("Depression in nurses", '("Depression" AND "nurses")'),
        ("Children, placebo, trials", ""),
    ],
)
def test_a_search_is_for_specific_topics(interests, query):
    assert openalex_search(interests) == query


def test_the_papers_of_last_week_are_counted():
    web = Web()
    web.pages["/works"] = Page(b'{"meta":{"count":312,"db_response_time_ms":9},"results":[]}')
    web.pages["/esearch.fcgi"] = Page(b"<?xml version='1.0'?><eSearchResult><Count>48</Count></eSearchResult>")
    fetcher = Fetcher(private_hosts=["127.0.0.1"])
    with web.running():
        asked = [
            {**source_table("openalex", '"barn owls"'), "url": f"{web.url}/works"},
            {**source_table("pubmed", "(barn owls) OR prey"), "url": web.url},
            source_table("arxiv", "cs.LG"),
        ]
        counts = [papers_last_week(table, fetcher, date(2026, 11, 28)) for table in asked]
        with pytest.raises(SourceError, match="404"):
            papers_last_week({**asked[0], "url": f"{web.url}/nothing"}, fetcher, date(2026, 11, 28))
    assert counts == [312, 48, None]
    assert "from_publication_date%3A2026-11-21" in web.requests[0].path
    assert "term=%28barn+owls%29+OR+prey&datetype=edat&reldate=7" in web.requests[1].path


@pytest.mark.parametrize(
    ("interests", "right"),
    [
        ("Code generation and software engineering", r"code|coding|software|program|SWE|verilog|SQL|kernel"),
        ("Reward hacking of reward models", r"reward hack|spurious reward|reward model"),
    ],
)
def test_what_was_judged_as_worth_reading_is_in_the_first_edition(tmp_path, interests, right):
    user = NewUser(interests=interests, email="ada@example.org", timezone="UTC")
    make_home(tmp_path / "papers", source_models(), address_checks(), user=user)
    now = datetime(2026, 11, 28, 9, tzinfo=UTC)
    with open_app(tmp_path / "papers") as app:
        reader, profile = stored_reader(app.store, app.profiles, "my-papers", now)
        app.ingestion.ingest(app.sources, now, at_once=True)
        ranked = app.composer.ranked(reader, profile, app.composer.candidates(reader, profile).ids, now)
        judged = papers_to_judge([ranked.papers[score.paper] for score in ranked.scores])
        is_right = {paper.id: bool(re.search(right, paper.title, re.IGNORECASE)) for paper in ranked.papers.values()}
        for paper in judged:
            app.store.feedback.add(reader.id, paper.id, Vote.UP if is_right[paper.id] else Vote.DOWN, now, JUDGED)
        app.daily_job.run(now, force=True)
        (edition,) = app.store.editions.of_reader(reader.id)
        picks = app.store.editions.picks_of(edition.id)
        later = app.composer.candidates(reader, profile)
    wanted = {paper.id for paper in judged if is_right[paper.id]}
    assert len(judged) == 10
    days = {paper.id: max(sighting.date for sighting in paper.sightings) for paper in ranked.papers.values()}
    assert max(days.values()) not in [days[paper.id] for paper in judged]
    assert {pick.paper.id for pick in picks if pick.kind is PickKind.CHOSEN} == wanted
    assert sum(is_right[pick.paper.id] for pick in picks[:5]) >= 4
    assert not later.chosen


def test_another_profile_is_added_with_the_sources_that_it_needs(home, paperbot):
    more = ("--source", "arxiv=q-bio.PE", "--source", "openalex=owls")
    answer = paperbot("profiles", "add", "--yes", "--interests", "Barn owls; and their prey", "--at", "7pm", *more)
    assert answer.code == 0
    assert "profiles/barn-owls.toml is ready; its reader is ada@example.org." in answer.out
    profile = profile_of(home, "barn-owls")
    assert (profile.title, f"{profile.schedule.at:%H:%M}") == ("Barn owls", "19:00")
    assert [address for _, address in profile.addresses] == ["ada@example.org"]
    names = [source["name"] for source in sources_of(home)]
    assert names[-2:] == ["arxiv-q-bio-pe", "openalex"]
    again = paperbot(
        "profiles", "add", "--interests", "Bats", *more[:2], "--source", "openalex=bats", "--title", "Bats"
    )
    assert "openalex-2 added to" in again.out
    assert [source["name"] for source in sources_of(home)] == [*names, "openalex-2"]
    assert paperbot("check").code == 0
    assert "barn-owls" in paperbot("profiles").out
    assert paperbot("profiles", "add").code == 2


def test_each_field_that_is_proposed_exists():
    fields = tomllib.loads((Path(proposals.__file__).parent / "fields.toml").read_text())
    assert fields.pop("arxiv").keys() <= arxiv_categories().keys()
    assert all(set(names) <= set(subjects()[server]) for server, names in fields.items())


@pytest.mark.parametrize(
    ("interests", "expected"), [("Reward models for reasoning", True), ("Quantum error correction", False)]
)
def test_samples_are_for_people_of_their_field(interests, expected):
    assert samples_fit(interests) is expected


@pytest.mark.slow
def test_a_library_and_votes_lead_to_a_first_edition(tmp_path):
    read = "@article{a, title={Reward models for dogs}, author={Ada Lovelace}}"
    (tmp_path / "library.bib").write_text(f"{read} @book{{b, title={{Owls}}, author={{Ada Lovelace}}}}")
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
    assert "my-papers/ada@example.org: 2 references read, 1 paper added" in terminal.seen
    assert "as one that you liked, all together as 150 votes at most" in terminal.seen
    assert "</html>" in (tmp_path / "papers" / "state" / "first-edition.html").read_text()
    with open_app(tmp_path / "papers") as app:
        (reader,) = app.store.readers.of_profile("my-papers")
        votes = [vote.vote for vote in app.store.feedback.current(reader.id).values()]
    assert sorted(votes) == sorted([Vote.DOWN, Vote.UP])


@pytest.mark.slow
def test_the_end_of_input_while_judging_keeps_the_home_and_the_answers(tmp_path):
    named = ("--interests", "Reward models for reasoning", "--email", "ada@example.org", "--at", "8:00", "--edition")
    terminal = Terminal("init", "papers", *named, "--timezone", "UTC", "--mail-host", "127.0.0.1", cwd=tmp_path)
    terminal.answer("Which do you want?", "none")
    terminal.answer("A library to learn from", "")
    terminal.answer("Its port?", "9")
    terminal.answer("Your login there?", "")
    terminal.answer("The address, such as", "https://papers.example.org")
    terminal.answer("Send a test mail", "n")
    terminal.answer("Would you read it?", "y")
    terminal.answer("Would you read it?", "\x04")
    assert terminal.finish() == 130
    after = terminal.seen[terminal.seen.rindex("Would you read it?") :]
    for words in (
        "Your 1 answer so far is kept.",
        "papers is ready all the same.",
        "paperbot --home papers run --force",
    ):
        assert words in after
    with open_app(tmp_path / "papers") as app:
        (reader,) = app.store.readers.of_profile("my-papers")
        assert len(app.store.feedback.current(reader.id)) == 1


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
    assert settings.startswith(settings_text(NewUser(timezone="Europe/Berlin"), source_models()))
    assert profile_of(home, "reward-models").keywords == ("reward hacking",)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--email", "ada", "is not an email address"),
        ("--email", "me@uni", "is not an email address: 'uni' lacks an ending"),
        ("--at", "half eight", "is not a time of day"),
        ("--at", "13 pm", "is not a time of day"),
        ("--at", "24:00", "is not a time of day"),
        ("--public-url", "papers", "is not a web address"),
        ("--replies", "ada", "is no mailbox; write LOGIN@HOST"),
        ("--library", "nowhere.bib", "'nowhere.bib' is no file; export one from your library"),
        ("--timezone", "Mars/Olympus", "unknown time zone"),
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
        # Wide enough for the longest question, and no network: the proxy is nobody's port.
        environment = os.environ | {"TERM": "dumb", "TZ": "Europe/Rome", "COLUMNS": "400"}
        environment["PAPERBOT_FETCH__PROXY"] = "http://127.0.0.1:9"
        self._process = subprocess.Popen(
            command, cwd=cwd, stdin=follower, stdout=follower, stderr=follower, env=environment
        )
        os.close(follower)
        self.seen = ""
        self._waited_for = 0  # up to here

    def answer(self, question: str, answer: str) -> None:
        """Wait for a question, then type the answer and Enter."""
        self.wait(question)
        os.write(self._leader, f"{answer}\n".encode())

    def wait(self, text: str) -> None:
        while (place := self.seen.find(text, self._waited_for)) < 0:
            self.seen += self._read() or pytest.fail(f"ended before it wrote {text!r}: {self.seen}")
        self._waited_for = place + len(text)

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
    terminal.wait(
        "What do you want to read about, in your own words? [the samples' topic: Reward models and verifiable"
    )
    terminal.answer("preference models, reward hacking]: ", "Owls and other birds of prey")
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
    terminal.answer("When should editions come", "half eight")
    terminal.answer("When should editions come", "7:15 am")
    terminal.answer("In which time zone", "Boston")
    terminal.answer("In which time zone", "USA")
    terminal.answer("In which time zone", "EST")
    terminal.answer("Your mail server", "127.0.0.1")
    terminal.answer("Its port?", "0")
    terminal.answer("Its port?", str(port))
    terminal.answer("Your login there? [none]", "")
    terminal.answer("The address, such as https://papers.example.org? [none: thumbs are mails]", "")
    terminal.answer("The IMAP server of the mailbox that gets these mails", "no")
    terminal.answer("Fetch papers now", "perhaps")
    terminal.answer("Fetch papers now", "back")
    terminal.answer("The IMAP server of the mailbox that gets these mails", "no")
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
    assert (f"{profile.schedule.at:%H:%M}", profile.schedule.timezone) == ("07:15", "America/New_York")
    assert "'half eight' is not a time of day" in terminal.seen
    assert "'Boston' is an unknown time zone; add the country, as in" in terminal.seen
    assert "'USA' has several time zones; name one of: America/New_York, America/Chicago" in terminal.seen
    assert "That is America/New_York." in terminal.seen
    assert "unknown: OpenAlex can't be reached" in terminal.seen
    assert "thumbs work on this computer only" in terminal.seen


@pytest.mark.slow
def test_going_back_shows_each_answer_and_enter_keeps_it(tmp_path):
    answers = {
        "What do you want to read about, in your own words?": "Barn owls and their prey",
        "Which do you want?": "1, cs.SD mail",
        "The IMAP server of that mailbox?": "imap.uni.edu",
        "Your login there?": "ada",
        "The sender of the alerts?": "news@nature.com",
        "A library to learn from": "no",
        "Your mail address?": "ada@example.org",
        "When should editions come": "7:15 am",
        "In which time zone": "Tokyo",
        "Your mail server": "smtp.uni.invalid",
        "Its port?": "465",
        "Your login there?\r": "grace",
        "The address, such as": "https://papers.example.org",
        "The password of the mail server": "secret",
        "The password of the mailbox": "hidden",
        "Fetch papers now": "n",
    }
    terminal = Terminal("init", "papers", "--no-samples", cwd=tmp_path)
    for question, answer in answers.items():
        terminal.answer(question.strip(), answer)
    inner = {*list(answers)[2:5], "The password of the mailbox"}  # asked after another prompt of the same question
    for question in ["Send a test mail", *(question for question in reversed(answers) if question not in inner)]:
        terminal.answer(question.strip(), "back")
    terminal.wait("This is the first question.")
    for question, answer in answers.items():
        shown = "as before" if "password" in question else answer
        terminal.wait(question.strip())
        terminal.answer(f"[{shown}]: ", "")
    terminal.answer("Send a test mail", "n")
    assert terminal.finish() == 0
    profile = profile_of(tmp_path / "papers", "my-papers")
    assert profile.interests[0].text == "Barn owls and their prey"
    assert [address for _, address in profile.addresses] == ["ada@example.org"]
    assert (f"{profile.schedule.at:%H:%M}", profile.schedule.timezone) == ("07:15", "Asia/Tokyo")
    settings = tomllib.loads((tmp_path / "papers" / "paperbot.toml").read_text())
    email = settings["email"]
    assert (email["host"], email["port"], email["username"]) == ("smtp.uni.invalid", 465, "grace")
    assert settings["bot"]["public_url"] == "https://papers.example.org"
    assert [source.get("username") for source in settings["sources"][-2:]] == [None, "ada"]


def test_back_from_the_title_of_another_profile_is_the_question_before(home):
    terminal = Terminal("profiles", "add", cwd=home)
    terminal.answer("What do you want to read about", "Eulen und Mäuse, keine Falken")
    terminal.wait("You want: ")
    terminal.wait("looks like German: write it in English")
    terminal.answer("Which do you want?", "back")
    terminal.answer("What do you want to read about", "Barn owls; prey")
    terminal.answer("Which do you want?", "no")
    terminal.answer("When should editions come", "7 pm")
    terminal.answer("What are its editions called? [Barn owls]", "back")
    terminal.answer("When should editions come, Monday to Friday? [7 pm]", "")
    terminal.answer("What are its editions called? [Barn owls]", "Owls")
    assert terminal.finish() == 0
    profile = profile_of(home, "owls")
    assert (profile.title, f"{profile.schedule.at:%H:%M}") == ("Owls", "19:00")


@pytest.mark.slow
def test_the_test_mail_proves_that_a_thumb_arrives_by_mail(tmp_path):
    with MailServer().running() as server, ImapServer().running() as mailbox:
        terminal = Terminal(
            *("init", "papers", "--interests", "Reward models for reasoning", "--email", "ada@example.org"),
            *("--at", "8", "--timezone", "Berlin", "--mail-host", "127.0.0.1", "--mail-port", str(server.port)),
            cwd=tmp_path,
        )
        terminal.answer("Which do you want?", "no")
        terminal.answer("A library to learn from", "no")
        terminal.answer("Your login there? [none]", "")
        terminal.answer("The address, such as", "")
        terminal.answer("The IMAP server of the mailbox", f"127.0.0.1:{mailbox.port}")
        terminal.answer("Your login there?", "")
        terminal.answer("The password of the mailbox ada@example.org at 127.0.0.1", "secret")
        terminal.answer("Fetch papers now", "y")
        terminal.answer("Send a test mail", "y")
        terminal.answer("Would you read it?", "a")
        terminal.answer("Would you read it?", "y")
        terminal.answer("Would you read it?", "done")
        terminal.answer("Press a thumb in it", "")
        terminal.wait("No thumb has arrived yet")
        press_thumb(server, mailbox)
        terminal.answer("Press a thumb in it", "")
        assert terminal.finish() == 0
    assert "ok  Your thumb down arrived: " in terminal.seen
    assert "export PAPERBOT_PASSWORDS__REPLIES=..." in terminal.seen
    with open_app(tmp_path / "papers") as app:
        (reader,) = app.store.readers.of_profile("my-papers")
        votes = app.store.feedback.current(reader.id).values()
    assert [(vote.vote, vote.via) for vote in votes] == [(Vote.DOWN, "reply")]


def press_thumb(server: MailServer, mailbox: ImapServer) -> None:
    """Send what the first mail's thumb down opens."""
    (mail,) = server.mails
    text = parsed(mail.content).get_body(("plain",)).get_content()
    assert "Please press one thumb below, and send the mail to ada@example.org that it opens." in " ".join(text.split())
    subject = unquote(re.search(r"Less like this:\s+mailto:ada@example\.org\?subject=(\S+)", text)[1])
    mailbox.put(f"From: ada@example.org\r\nSubject: {subject}\r\n\r\n".encode())


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
    assert profile_of(tmp_path / "papers", "my-papers").title == "Owls and other birds of prey"


def test_with_yes_nothing_is_asked_on_a_terminal(tmp_path):
    terminal = Terminal("init", "papers", "--yes", cwd=tmp_path)
    assert terminal.finish() == 0
    assert "?" not in terminal.seen
    assert "papers is ready." in terminal.seen
    profile = profile_of(tmp_path / "papers", "reward-models")
    assert (profile.schedule.timezone, profile.addresses) == ("Europe/Rome", [])


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")  # as mail bridges on a machine do
@pytest.mark.slow
def test_a_login_is_used_and_its_password_asked_for(tmp_path):
    with MailServer(login=(b"ada", b"secret"), implicit=True).running() as server:
        terminal = Terminal(
            *("init", "papers", "--no-samples", "--interests", "Owls", "--source", "arxiv=q-bio.PE", "--at", "8:00"),
            *("--email", "ada@example.org", "--timezone", "europe/berlin", "--mail-host", "127.0.0.1"),
            cwd=tmp_path,
        )
        terminal.answer("A library to learn from", "")
        terminal.answer("Its port?", str(server.port))
        terminal.answer("Your login there? [none]", "ada")
        terminal.answer("The address, such as", "https://papers.example.org")
        terminal.answer("The password of the mail server 127.0.0.1", "back")
        terminal.answer("The address, such as", "http://localhost:8000")
        terminal.answer("The password of the mail server 127.0.0.1", "secret")
        terminal.answer("Fetch papers now", "n")
        terminal.answer("Send a test mail", "back")
        terminal.answer("Fetch papers now", "n")
        terminal.answer("Send a test mail", "n")
        assert terminal.finish() == 0
        assert server.logins == [(b"ada", b"secret")]
    assert "ok  127.0.0.1 lets you log in." in terminal.seen
    assert "note: http://localhost:8000 opens on this computer only, so thumbs don't work on phones" in terminal.seen
    assert "sample" not in terminal.seen
    assert profile_of(tmp_path / "papers", "my-papers").schedule.timezone == "Europe/Berlin"


@pytest.mark.slow
def test_a_mail_server_of_the_environment_is_not_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPERBOT_EMAIL__HOST", "mail.example.org")
    terminal = Terminal(
        "init", "papers", "--interests", "Owls", "--at", "8:00", "--source", "arxiv=q-bio.PE", cwd=tmp_path
    )
    terminal.answer("A library to learn from", "")
    terminal.answer("Your mail address?", "ada@example.org")
    terminal.answer("In which time zone", "europe/rome")
    terminal.answer("The address, such as", "")
    terminal.answer("The IMAP server of the mailbox that gets these mails, or no? [imap.example.org]", "")
    terminal.answer("Your login there? [ada@example.org]", "")
    terminal.answer("The password of the mailbox ada@example.org at imap.example.org", "")
    terminal.answer("Fetch papers now", "n")
    assert terminal.finish() == 0
    assert "Mails go by mail.example.org, as PAPERBOT_EMAIL__HOST says." in terminal.seen
    settings = (tmp_path / "papers" / "paperbot.toml").read_text()
    assert "mail.example.org" not in settings
    assert tomllib.loads(settings)["bot"]["public_url"] == "", "no link of a mail leads to pages of this computer"
    mailbox = {"name": "replies", "kind": "mailbox", "host": "imap.example.org", "username": "ada@example.org"}
    assert mailbox in sources_of(tmp_path / "papers")
