"""A profile file is read, or refused in one line with the place and the remedy."""

import json
import os
import socket
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tomlkit.exceptions import ParseError

from bot.channels import address_checks
from bot.config.profiles import (
    add_profile,
    add_reader,
    dump_profile,
    load_profile,
    load_profiles,
    parse_profile,
    remove_reader,
    with_override,
)
from bot.model import Override
from bot.model.addresses import mail_address
from bot.model.errors import ConfigError

VALID = 'title = "Reward models"\ninterests = "reward models"\n'


def profile_of(folder: Path, text: str, name: str = "reward-models.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load_profile(path, "Europe/Berlin", address_checks())


def test_a_new_profile_is_written_as_asked_and_replaces_none(tmp_path):
    title, interests = 'Owls & Läuse at "night"', 'Owls that hunt\n\nand """bats""" \\d'
    schedule = {"at": "07:30", "days": ["mon"], "timezone": "Asia/Tokyo"}

    def add(title: str) -> str:
        reader = ("email", "ada@example.org")
        return add_profile(tmp_path, title, interests, reader, address_checks(), schedule=schedule)

    assert [add(title), add(title), add("強化")] == ["owls-lause-at-night", "owls-lause-at-night-2", "papers"]
    profile = load_profile(tmp_path / "owls-lause-at-night-2.toml", "UTC", address_checks())
    assert (profile.title, profile.interests_at(datetime(2025, 5, 6, tzinfo=UTC))) == (title, interests)
    assert (profile.schedule.at, profile.schedule.days) == (time(7, 30), ("mon",))
    assert profile.addresses == [("email", "ada@example.org")]
    with pytest.raises(ConfigError, match="interests"):
        add_profile(tmp_path, "Empty", "", ("email", "ada@example.org"), address_checks())
    assert len(list(tmp_path.iterdir())) == 3


def test_a_title_and_interests_are_enough(tmp_path):
    profile = profile_of(tmp_path, VALID)
    assert (profile.title, [entry.text for entry in profile.interests]) == ("Reward models", ["reward models"])
    assert (profile.edition.size, profile.edition.explore, profile.edition.summary_sentences) == (5, 1, 3)
    assert (profile.schedule.at, profile.schedule.timezone) == (time(8), "Europe/Berlin")
    assert profile.alerts is None


def test_interests_are_a_text_or_a_list_whose_entries_may_have_a_last_day(tmp_path):
    listed = 'title = "x"\ninterests = ["owls", { text = "bats", until = 2027-01-31 }, { text = "mice" }]\n'
    profile = profile_of(tmp_path, listed)
    last, over = (datetime(2027, 1, 31, hour, tzinfo=UTC) for hour in (22, 23))  # in Berlin
    assert [profile.interests_at(now) for now in (last, over)] == ["owls\n\nbats\n\nmice", "owls\n\nmice"]
    assert parse_profile("x", dump_profile(profile)).interests == profile.interests
    own = with_override(profile, Override(interests="bats"))
    assert own.interests_at(over) == "bats"
    assert json.loads(dump_profile(profile_of(tmp_path, VALID)))["interests"] == "reward models"


@pytest.mark.parametrize(
    ("interests", "says"),
    [
        ('[{ text = "x", until = "soon" }]', ":2: interests[1].until: soon is not a date; write it like 2027-01-31"),
        ('["y", { text = "x", until = 2027-01-31T08:00:00 }]', "interests[2].until: 2027-01-31 08:00:00 is not a date"),
        ('[{ text = "x", untill = 2027-01-31 }]', ":2: interests[1].untill: unknown key; did you mean 'until'?"),
        ("[{ until = 2027-01-31 }]", "interests[1].text: is missing; add it"),
        ('["x", 5]', 'interests[2]: is neither a text nor a table; write "tactile sensing" or { text ='),
        ("5", "interests: 5 is not valid; it should be a text of the allowed length, in quotes"),
        ('[""]', "interests[1].text"),
        ("[]", "says nothing to look for"),
    ],
)
def test_a_mistake_in_a_list_of_interests_is_named_with_its_place(tmp_path, interests, says):
    with pytest.raises(ConfigError) as caught:
        profile_of(tmp_path, f'title = "x"\ninterests = {interests}\n')
    assert says in str(caught.value)


def test_an_interest_that_has_ended_is_a_note_of_check_and_of_profiles(home, paperbot):
    (home / "profiles" / "x.toml").write_text(
        'title = "x"\ninterests = [{ text = "owls", until = 2020-01-31 }, { text = "bats", until = 2999-01-31 }]\n'
    )
    checked = paperbot("check")
    assert checked.code == 0
    assert "x: You want: bats." in checked.out
    assert "x: “bats” until 31 Jan 2999" in checked.out
    assert "profiles/x.toml: “owls” until 31 Jan 2020 counts no more; remove it, or set a later day" in checked.out
    assert "nothing left" not in checked.out
    listed = paperbot("profiles").out
    assert "x: “bats” until 31 Jan 2999\n" in listed
    assert "x: “owls” until 31 Jan 2020, which counts no more\n" in listed


def test_every_key_of_the_design_is_read(tmp_path):
    profile = profile_of(
        tmp_path,
        """
        title = "Reward models"
        interests = "Reward models"
        keywords = ["GRPO"]
        authors = ["Natasha Jaques"]
        mute = ["stock trading"]
        sources = ["seeds"]
        open = true
        [edition]
        size = 7
        explore = 2
        threshold = 0.25
        summary_sentences = 0
        when_quiet = "note"
        [schedule]
        at = "18:30"
        days = ["sat"]
        timezone = "Asia/Tokyo"
        [[readers]]
        email = "Ada@Example.org"
        [[readers]]
        slack = "C0123ABC"
        [alerts]
        keywords = ["R1"]
        authors = []
        min_score = 0.95
        """,
    )
    assert profile.addresses == [("email", "Ada@example.org"), ("slack", "C0123ABC")]
    assert (profile.edition.threshold, profile.edition.when_quiet) == (0.25, "note")
    assert (profile.schedule.at, profile.schedule.days) == (time(18, 30), ("sat",))
    assert profile.alerts is not None
    assert profile.alerts.min_score == 0.95


def test_a_toml_local_time_is_accepted(tmp_path):
    assert profile_of(tmp_path, VALID + "[schedule]\nat = 07:15:00\n").schedule.at == time(7, 15)


def test_a_threshold_in_the_file_holds_for_every_pick_and_else_matches_are_good_ones(tmp_path):
    edition = profile_of(tmp_path, VALID).edition
    assert (edition.threshold, edition.fills_from) == (0.15, 0.4)
    edition = profile_of(tmp_path, VALID + "[edition]\nthreshold = 0.15").edition
    assert (edition.threshold, edition.fills_from) == (0.15, 0.15)


MISTAKES = {
    "unknown key of a table": (VALID + "[edition]\nsiz = 3", ":4: edition.siz: unknown key; did you mean 'size'?"),
    "unknown table": (VALID + "[editon]\nsize = 3", ":3: editon: unknown key; did you mean 'edition'?"),
    "nothing like it": (VALID + "xyzzy = 1", "known here: alerts, allow, authors, catch_up, edition"),
    "wrong type": (VALID + 'keywords = "GRPO"', ":3: keywords: 'GRPO' is not valid; it should be a list"),
    "NaN": (VALID + "[edition]\nthreshold = nan", "edition.threshold: nan is not valid; it should be a finite number"),
    "no title": ('interests = "x"', "title: is missing; add it"),
    "explore above size": (VALID + "[edition]\nsize = 1\nexplore = 2", "explore = 2 is more than size = 1"),
    "required terms without groups": (
        VALID + 'require = ["RLHF", "LLM"]',
        ":3: require: required terms are in groups: a paper needs one term of each. Write them like",
    ),
    "an empty group": (VALID + 'require = [["RLHF"], []]', ":3: require: one of its groups is empty"),
    "a number in a group": (VALID + 'require = [["RLHF", 3]]', "require"),
    "10,000 keywords": (VALID + f"keywords = {['k'] * 10_000}", ":3: keywords: "),
    "time of day": (VALID + '[schedule]\nat = "8 o\'clock"', 'is not a time of day; write it like "08:00"'),
    "time zone": (VALID + '[schedule]\ntimezone = "Mars/Base"', "unknown time zone 'Mars/Base'"),
    "time zone outside": (VALID + '[schedule]\ntimezone = "../../etc/passwd"', "unknown time zone"),
    "language": (
        VALID + 'language = "german"',
        ':3: language: unknown language \'german\'; write its BCP 47 tag, like "de", "pt-BR" or "ja"',
    ),
    "weekday": (VALID + '[schedule]\ndays = ["moon"]', "schedule.days[1]: 'moon' is not valid; it should be 'mon'"),
    "no weekday": (VALID + "[schedule]\ndays = []", ":4: schedule.days: "),
    "two addresses": (VALID + '[[readers]]\nemail = "a@b.org"\nslack = "C0123ABC"', "a reader has one address"),
    "no address": (VALID + "[[readers]]", "readers[1]: a reader has one address"),
    "second reader": (
        VALID + '[[readers]]\nemail = "a@b.org"\n[[readers]]\nemial = "c@d.org"',
        ":6: readers[2].emial: unknown key; did you mean 'email'?",
    ),
    "comma": (VALID + '[[readers]]\nemail = "a@b.org,c@d.org"', "is not an email address"),
    "display name": (VALID + '[[readers]]\nemail = "Ada <a@b.org>"', "is not an email address"),
    "line break": (VALID + '[[readers]]\nemail = "a@b.org\\r\\nBcc: c@d.org"', "is not an email address"),
    "address beyond ASCII": (VALID + '[[readers]]\nemail = "jörg@b.org"', "use an ASCII address"),
    "Slack name": (VALID + '[[readers]]\nslack = "#papers"', "is not a Slack id"),
    "duplicate key": (VALID + 'title = "again"', "not valid TOML: Cannot overwrite a value"),
    "broken TOML": (VALID + "keywords = [", "not valid TOML"),
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_reported_in_one_line_with_place_and_remedy(tmp_path, text, says):
    with pytest.raises(ConfigError) as caught:
        profile_of(tmp_path, text)
    assert str(caught.value).startswith("reward-models.toml")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", ["a", "'a'", '"a b"'])
@pytest.mark.parametrize("form", ["{} = 1", "[{}]", "x = {{ {} = 1 }}"])
def test_a_key_of_many_parts_is_refused_before_tomllib_reads_it(tmp_path, monkeypatch, form, part):
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("tomllib takes n^2 steps"))
    key = " . ".join([part] * 1000)
    with pytest.raises(ConfigError, match=r":3: .*more than 20 parts; shorten it"):
        profile_of(tmp_path, VALID + form.format(key))


def test_a_long_unknown_key_is_shown_in_part(tmp_path):
    with pytest.raises(ConfigError) as caught:
        profile_of(tmp_path, f"{VALID}{'a' * 100_000} = 1")
    assert "unknown key" in str(caught.value)
    assert len(str(caught.value)) < 1_000


def test_a_file_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "a.toml").write_bytes(VALID.encode("utf-16"))
    with pytest.raises(ConfigError, match="not UTF-8; save the file as UTF-8"):
        load_profile(tmp_path / "a.toml", "UTC", address_checks())


def test_a_byte_order_mark_is_accepted(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf" + VALID.encode())
    assert load_profile(tmp_path / "a.toml", "UTC", address_checks()).title == "Reward models"


@pytest.mark.parametrize("name", ["Upper.toml", "two words.toml", "-x.toml", "ä.toml", "x" * 65 + ".toml"])
def test_a_file_name_that_is_not_a_slug_is_refused(tmp_path, name):
    with pytest.raises(ConfigError, match="not a valid name for a profile"):
        profile_of(tmp_path, VALID, name)


def test_a_broken_profile_stops_that_profile_only(tmp_path):
    (tmp_path / "good.toml").write_text(VALID)
    (tmp_path / "bad.toml").write_text("titel = 1\ninterests = 'x'")
    profiles, problems = load_profiles(tmp_path, "UTC", address_checks())
    assert list(profiles) == ["good"]
    assert [problem.source for problem in problems] == ["profiles/bad.toml:1"]


@given(st.text(max_size=200))
def test_any_text_is_a_profile_or_a_config_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("profiles") / "any.toml"
    path.write_text(text, encoding="utf-8", errors="ignore")
    try:
        load_profile(path, "UTC", address_checks())
    except ConfigError as error:
        assert str(error).startswith("any.toml")  # noqa: PT017 - either outcome is right


def test_an_editors_lock_file_is_ignored(home, paperbot):
    """As Emacs makes it: a link that leads nowhere."""
    (home / "profiles" / ".#reward-models.toml").symlink_to("ada@host.example.12345:1")
    answer = paperbot("check")
    assert (answer.code, answer.err) == (0, "")
    assert "1 profile\n" in answer.out


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "socket"])
@pytest.mark.slow
def test_what_is_not_a_regular_file_does_not_stop_other_profiles(home, paperbot, kind):
    path = home / "profiles" / "odd.toml"
    with socket.socket(socket.AF_UNIX) as listener:
        if kind == "link":
            path.symlink_to("nowhere")
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        else:
            listener.bind(os.path.relpath(path))
        answer = paperbot("run", "--now", "2025-05-07T09:00:00+02:00")
    assert answer.code == 1
    assert "profiles/odd.toml: " in answer.out + answer.err
    assert "mistake in Paperbot" not in answer.err
    assert "1 edition, 1 message delivered" in answer.out


@pytest.mark.parametrize(
    "end", ["", "\n", "\n\n", '\n[[readers]]\nemail = "ada@example.org"', "\n[schedule]\nat = 07:30:00\n"]
)
def test_a_new_reader_stands_at_the_end_behind_one_empty_line(home, end):
    path = home / "profiles" / "owls.toml"
    path.write_text(f'title = "owls"\ninterests = "owls"{end}')
    assert add_reader(path, "email", "bob@example.org", address_checks())
    assert add_reader(path, "slack", "C0123ABCD", address_checks())
    added = '[[readers]]\nemail = "bob@example.org"\n\n[[readers]]\nslack = "C0123ABCD"\n'
    assert path.read_text() == f'title = "owls"\ninterests = "owls"{end.rstrip()}\n\n{added}'


def test_concurrent_edits_of_a_profile_are_all_kept(home):
    path = home / "profiles" / "reward-models.toml"
    addresses = [f"reader{n}@example.org" for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda address: add_reader(path, "email", address, address_checks()), addresses))
        assert all(pool.map(lambda address: remove_reader(path, address, address_checks()), addresses[:10]))
    remaining = {address for _, address in load_profile(path, "UTC", address_checks()).addresses}
    assert remaining == {*addresses[10:], "ada@example.org"}
    assert "# " in path.read_text()


WAYS_TO_SAVE = {
    "in place": lambda path, text: path.write_text(text),
    "by a rename": lambda path, text: (
        path.with_suffix(".new").write_text(text) and path.with_suffix(".new").replace(path)
    ),
}


@pytest.mark.parametrize("save", WAYS_TO_SAVE.values(), ids=WAYS_TO_SAVE)
def test_what_a_person_saves_while_readers_are_added_and_removed_is_kept(home, save):
    path = home / "profiles" / "reward-models.toml"
    comments = iter(["# saved while Bob is added\n", "# saved while Ada is removed\n"])

    def edit(function, *arguments):
        comment = [next(comments)]

        def check_while_a_person_saves(address):
            if comment:  # once, between our reading of the file and our writing
                save(path, comment.pop() + path.read_text())
            return address_checks()["email"](address)

        assert function(path, *arguments, {**address_checks(), "email": check_while_a_person_saves})

    edit(add_reader, "email", "bob@example.org")
    edit(remove_reader, "ada@example.org")
    assert "# saved while Bob is added\n" in path.read_text()
    assert "# saved while Ada is removed\n" in path.read_text()
    assert load_profile(path, "UTC", address_checks()).addresses == [("email", "bob@example.org")]


def test_a_file_that_changes_without_end_is_left_alone(home, monkeypatch):
    path = home / "profiles" / "reward-models.toml"
    monkeypatch.setattr("bot.config.tables._EDIT_PAUSE", 0)

    def check_while_a_program_writes(address):
        path.write_text(path.read_text() + "#\n")
        return address_checks()["email"](address)

    checks = {**address_checks(), "email": check_while_a_program_writes}
    with pytest.raises(ConfigError, match=r"reward-models\.toml: is changed again and again by another program"):
        remove_reader(path, "ada@example.org", checks)
    assert "ada@example.org" in path.read_text()
    assert sorted(file.name for file in path.parent.glob(".*")) == []


def test_a_profile_that_is_a_link_stays_one_and_its_target_is_edited(home, tmp_path):
    path = home / "profiles" / "reward-models.toml"
    target = tmp_path / "elsewhere" / "kept.toml"
    target.parent.mkdir()
    path.rename(target)
    target.chmod(0o640)
    path.symlink_to(Path(os.path.relpath(target, path.parent)))
    assert add_reader(path, "email", "bob@example.org", address_checks())
    assert path.is_symlink()
    assert "bob@example.org" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in target.parent.iterdir()] == ["kept.toml"]
    path.unlink()
    path.symlink_to(path.name)
    with pytest.raises(ConfigError, match=r"reward-models\.toml: "):
        add_reader(path, "email", "eva@example.org", address_checks())


def test_an_address_of_a_million_characters_is_refused_by_its_length(monkeypatch):
    monkeypatch.setattr("email_validator.validate_email", None)
    with pytest.raises(ValueError, match="it is too long") as caught:
        mail_address("a" * 1_000_000 + "@example.org")
    assert len(str(caught.value)) < 200


def test_a_file_that_tomlkit_cannot_parse_is_not_edited(home, monkeypatch):
    def refuses(_text):
        raise ParseError(1, 1)

    monkeypatch.setattr("bot.config.profiles.tomlkit.parse", refuses)
    with pytest.raises(ConfigError, match=r"reward-models\.toml: can't be edited here; change it by hand"):
        remove_reader(home / "profiles" / "reward-models.toml", "ada@example.org", address_checks())


def test_a_reader_is_removed_by_the_normalised_address(home):
    path = home / "profiles" / "reward-models.toml"
    path.write_text(path.read_text() + '\n[[readers]]\nemail = "Eva@Bücher.example"\n')
    (address,) = (a for _, a in load_profile(path, "UTC", address_checks()).addresses if a.lower().startswith("eva"))
    assert not add_reader(path, "email", address, address_checks())
    assert remove_reader(path, address, address_checks())
    assert "cher.example" not in path.read_text()
