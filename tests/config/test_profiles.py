"""A profile file is read as written, or refused in one line that says where and what to do."""

from datetime import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.profiles import load_profile, load_profiles
from bot.domain import Kind
from bot.errors import ConfigError

SOUND = 'title = "Reward models"\ninterests = "reward models"\n'


def profile_of(folder: Path, text: str, name: str = "reward-models.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load_profile(path, "Europe/Berlin")


def test_a_title_and_interests_are_enough(tmp_path):
    profile = profile_of(tmp_path, SOUND)
    assert (profile.title, profile.interests) == ("Reward models", "reward models")
    assert (profile.edition.size, profile.edition.explore, profile.edition.summary_sentences) == (10, 1, 3)
    assert (profile.schedule.at, profile.schedule.timezone) == (time(8), "Europe/Berlin")
    assert profile.alerts is None


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
    assert profile.addresses == [(Kind.EMAIL, "Ada@example.org"), (Kind.SLACK, "C0123ABC")]
    assert (profile.edition.threshold, profile.edition.when_quiet) == (0.25, "note")
    assert (profile.schedule.at, profile.schedule.days) == (time(18, 30), ("sat",))
    assert profile.alerts is not None
    assert profile.alerts.min_score == 0.95


def test_tomls_own_time_of_day_is_read_too(tmp_path):
    assert profile_of(tmp_path, SOUND + "[schedule]\nat = 07:15:00\n").schedule.at == time(7, 15)


MISTAKES = {
    "unknown key": (SOUND + 'keyword = ["x"]', ":3: keyword: unknown key; did you mean 'keywords'?"),
    "unknown key of a table": (
        SOUND + "[edition]\nsiz = 3",
        ":4: edition.siz: unknown key; did you mean 'size'?",
    ),
    "unknown table": (SOUND + "[editon]\nsize = 3", ":3: editon: unknown key; did you mean 'edition'?"),
    "nothing like it": (SOUND + "xyzzy = 1", "known here: alerts, authors, edition"),
    "wrong type": (SOUND + 'keywords = "GRPO"', ":3: keywords: 'GRPO' won't do; it should be a list"),
    "text for a number": (
        SOUND + '[edition]\nsize = "x"',
        "edition.size: 'x' won't do; it should be a whole number",
    ),
    "size 0": (
        SOUND + "[edition]\nsize = 0",
        "edition.size: 0 won't do; it should be greater than or equal to 1",
    ),
    "NaN": (
        SOUND + "[edition]\nthreshold = nan",
        "edition.threshold: nan won't do; it should be a finite number",
    ),
    "infinite": (SOUND + "[edition]\nthreshold = inf", "edition.threshold: inf won't do"),
    "no title": ('interests = "x"', "title: is missing; add it"),
    "nothing wanted": ('title = "x"', "says nothing to look for; add interests, keywords or authors"),
    "more guesses than places": (
        SOUND + "[edition]\nsize = 1\nexplore = 2",
        "explore = 2 is more than size = 1",
    ),
    "10,000 keywords": (SOUND + f"keywords = {['k'] * 10_000}", ":3: keywords: "),
    "time of day": (SOUND + '[schedule]\nat = "8 o\'clock"', 'is not a time of day; write it like "08:00"'),
    "time zone": (SOUND + '[schedule]\ntimezone = "Mars/Base"', "unknown time zone 'Mars/Base'"),
    "time zone outside": (SOUND + '[schedule]\ntimezone = "../../etc/passwd"', "unknown time zone"),
    "weekday": (
        SOUND + '[schedule]\ndays = ["moon"]',
        "schedule.days[1]: 'moon' won't do; it should be 'mon'",
    ),
    "no weekday": (SOUND + "[schedule]\ndays = []", ":4: schedule.days: "),
    "two addresses": (
        SOUND + '[[readers]]\nemail = "a@b.org"\nslack = "C0123ABC"',
        "a reader has one address",
    ),
    "no address": (SOUND + "[[readers]]", "readers[1]: a reader has one address"),
    "second reader": (
        SOUND + '[[readers]]\nemail = "a@b.org"\n[[readers]]\nemial = "c@d.org"',
        ":6: readers[2].emial: unknown key; did you mean 'email'?",
    ),
    "same reader twice": (
        SOUND + '[[readers]]\nemail="a@b.org"\n[[readers]]\nemail="A@b.org"',
        ":6: readers[2].email: 'A@b.org' stands here twice; take one away",
    ),
    "comma": (SOUND + '[[readers]]\nemail = "a@b.org,c@d.org"', "is not an email address"),
    "display name": (SOUND + '[[readers]]\nemail = "Ada <a@b.org>"', "is not an email address"),
    "line break": (SOUND + '[[readers]]\nemail = "a@b.org\\r\\nBcc: c@d.org"', "is not an email address"),
    "letters few servers take": (SOUND + '[[readers]]\nemail = "jörg@b.org"', "use an ASCII address"),
    "Slack name": (SOUND + '[[readers]]\nslack = "#papers"', "is not a Slack id"),
    "duplicate key": (SOUND + 'title = "again"', "not valid TOML: Cannot overwrite a value"),
    "broken TOML": (SOUND + "keywords = [", "not valid TOML"),
    "broken line": (SOUND + "= 3\n", ":3: not valid TOML"),
}


@pytest.mark.parametrize(("text", "says"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_in_one_line_with_its_place_and_remedy(tmp_path, text, says):
    with pytest.raises(ConfigError) as caught:
        profile_of(tmp_path, text)
    assert str(caught.value).startswith("reward-models.toml")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "a.toml").write_bytes(SOUND.encode("utf-16"))
    with pytest.raises(ConfigError, match="not UTF-8; save the file as UTF-8"):
        load_profile(tmp_path / "a.toml", "UTC")


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf" + SOUND.encode())
    assert load_profile(tmp_path / "a.toml", "UTC").title == "Reward models"


def test_a_directory_in_place_of_a_file_is_refused(tmp_path):
    (tmp_path / "a.toml").mkdir()
    with pytest.raises(ConfigError, match="can't be read"):
        load_profile(tmp_path / "a.toml", "UTC")


@pytest.mark.parametrize("name", ["Upper.toml", "two words.toml", "-x.toml", "ä.toml", "x" * 65 + ".toml"])
def test_a_file_name_that_makes_no_slug_is_refused(tmp_path, name):
    with pytest.raises(ConfigError, match="not a profile's name"):
        profile_of(tmp_path, SOUND, name)


def test_a_broken_profile_stops_that_profile_only(tmp_path):
    (tmp_path / "good.toml").write_text(SOUND)
    (tmp_path / "bad.toml").write_text("titel = 1")
    profiles, problems = load_profiles(tmp_path, "UTC")
    assert list(profiles) == ["good"]
    assert [problem.source for problem in problems] == ["profiles/bad.toml:1"]


@given(st.text(max_size=200))
def test_whatever_a_file_holds_it_is_a_profile_or_a_config_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("profiles") / "any.toml"
    path.write_text(text, encoding="utf-8", errors="ignore")
    try:
        load_profile(path, "UTC")
    except ConfigError as error:
        assert str(error).startswith("any.toml")  # noqa: PT017 - either outcome is right
