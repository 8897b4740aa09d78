"""Time zones have the rules of the pinned package, whatever the system has."""

import ast
import copy
import pickle
import zoneinfo
from datetime import UTC, date, datetime, time, timedelta
from importlib.resources import files

import pytest
from support import ROOT

from bot.config.profiles import known_timezone
from bot.formats import Parser
from bot.model import RawDigest
from bot.model.clock import local_date, local_time, moment, next_moment, timezone_names, zone_named

VANCOUVER = "America/Vancouver"
BEFORE_CHRISTMAS = date(2026, 12, 21)
STANDARD, SUMMER = timedelta(hours=-8), timedelta(hours=-7)


@pytest.fixture
def old_system(tmp_path, monkeypatch):
    """A system whose rules are older: its Vancouver goes back to standard time each autumn, as Los Angeles does."""
    folder = tmp_path / "zoneinfo"
    (folder / "America").mkdir(parents=True)
    rules = files("tzdata.zoneinfo.America").joinpath("Los_Angeles").read_bytes()
    (folder / "America" / "Vancouver").write_bytes(rules)
    (folder / "Middle_Earth").write_bytes(rules)
    monkeypatch.setenv("PYTHONTZPATH", str(folder))
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath([str(folder)])
    zoneinfo.ZoneInfo.clear_cache()
    yield folder
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache()


def test_the_library_takes_the_systems_rules_first(old_system):
    """Python 3.11's ``zoneinfo``: "Data sources" in its manual; the case that the others guard against."""
    assert datetime(2026, 12, 21, tzinfo=zoneinfo.ZoneInfo(VANCOUVER)).utcoffset() == STANDARD


def test_slots_are_due_by_the_packages_rules(old_system):
    due = datetime(2026, 12, 21, 15, tzinfo=UTC)
    assert moment(BEFORE_CHRISTMAS, time(8), VANCOUVER) == due
    assert next_moment(time(8), ("mon",), VANCOUVER, due - timedelta(minutes=1)) == due
    assert local_time(due, VANCOUVER) == time(8)
    assert local_date(datetime(2026, 12, 22, 7, 30, tzinfo=UTC), VANCOUVER) == date(2026, 12, 22)


def test_a_time_keeps_its_rules_in_copies_and_in_other_processes(old_system):
    eight = datetime(2026, 12, 21, 8, tzinfo=zone_named(VANCOUVER))
    for same in (pickle.loads(pickle.dumps(eight)), copy.deepcopy(eight)):
        assert same.tzinfo is zone_named(VANCOUVER)
        assert same.utcoffset() == SUMMER


def test_the_parser_process_reads_programmes_by_the_packages_rules(old_system):
    calendar = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//owls//EN\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20261101T000000Z\r\n"
        f"SUMMARY:Owls\r\nDTSTART;TZID={VANCOUVER}:20261221T080000\r\nDTEND;TZID={VANCOUVER}:20261221T090000\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    with Parser() as parser:
        (talk,) = parser.parse_programme(RawDigest("", "owls.ics", calendar.encode())).contributions
    assert talk.start.utcoffset() == SUMMER


def test_libraries_in_the_parser_process_take_the_packages_rules(old_system, tmp_path):
    (tmp_path / "child_of_test.py").write_text(
        "import sys, zoneinfo\n"
        "from datetime import datetime\n"
        "from bot.formats.child import main\n"
        "def parse(raw):\n"
        f"    raise ValueError(str(datetime(2026, 12, 21, tzinfo=zoneinfo.ZoneInfo({VANCOUVER!r}))))\n"
        "main(sys.argv[1:], parse)\n"
    )
    with Parser(module="child_of_test", path=(tmp_path, ROOT)) as parser, pytest.raises(Exception, match="-07:00"):
        parser.parse(RawDigest("owls", "x.txt", b"x"))


@pytest.mark.parametrize("name", ["Middle_Earth", "America", "localtime", "posix/Europe/Berlin", "../etc/passwd", ""])
def test_a_name_that_the_package_lacks_is_unknown(old_system, name):
    assert name not in timezone_names()
    with pytest.raises(ValueError, match="unknown time zone"):
        zone_named(name)


def test_profiles_know_the_same_names(old_system):
    assert known_timezone("america/vancouver") == VANCOUVER
    with pytest.raises(ValueError, match=r"unknown time zone 'Middle_Earth'; write it like \"Europe/Berlin\""):
        known_timezone("Middle_Earth")


def test_all_names_have_rules():
    for name in timezone_names():
        assert str(zone_named(name)) == name


def test_no_other_module_looks_zones_up():
    importers = set()
    for path in (ROOT / "bot").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in getattr(node, "names", ())] if isinstance(node, ast.Import) else []
            if "zoneinfo" in [*names, getattr(node, "module", None)]:
                importers.add(path.relative_to(ROOT).as_posix())
    # The parser process sets where its libraries look.
    assert importers == {"bot/model/clock.py", "bot/formats/child.py"}
