"""Conferences' programmes in each of their formats, as sites and people write them, and broken."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats import ParseLimits, Parser
from bot.formats.contributions import MAX_CONTRIBUTIONS
from bot.formats.programme import is_programme, parse
from bot.model import RawDigest
from bot.model.errors import DigestError, LimitError
from bot.model.papers import Contribution

VIENNA = timezone(timedelta(hours=1))


def programme(text):
    return parse(RawDigest("", "conf", text.encode() if isinstance(text, str) else text))


def only(text):
    read = programme(text)
    assert len(read.contributions) == 1, read.problems
    return read.contributions[0]


TABLE = (
    "Start time,Location,Paper title,Abstract,Authors,Date,End time,Type,Session,URL\n"
    '9:30,Hall A,"Owls, by night",We watch owls.,"Ada Lovelace, Grace Hopper",2026-12-02,10:00,Oral,Birds,'
    "https://arxiv.org/abs/2501.00001\n"
)


def test_a_table_is_read_by_its_column_names_in_any_order():
    owls = only(TABLE)
    assert (owls.entry.title, owls.entry.abstract) == ("Owls, by night", "We watch owls.")
    assert owls.entry.authors == ("Ada Lovelace", "Grace Hopper")
    assert owls.entry.arxiv_id == "2501.00001"
    assert (owls.day, owls.start, owls.end) == (
        date(2026, 12, 2),
        datetime(2026, 12, 2, 9, 30),
        datetime(2026, 12, 2, 10),
    )
    assert (owls.room, owls.session, owls.kind) == ("Hall A", "Birds", "Oral")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_tables_with_other_delimiters(delimiter):
    assert only(delimiter.join(["title", "room"]) + "\n" + delimiter.join(["Owls", "Hall A"]) + "\n").room == "Hall A"


@pytest.mark.parametrize(
    ("day", "start", "end", "expected"),
    [
        ("6 May 2025", "2:30 PM", "", ("14:30", None)),
        ("May 6, 2025", "9:00 - 10:30", "", ("09:00", "10:30")),
        ("2025-05-06", "9am", "10:15 am", ("09:00", "10:15")),
        ("", "2025-05-06 09:00", "2025-05-06T10:00:00", ("09:00", "10:00")),
        ("2025-05-06 09:00", "", "10:00", ("09:00", "10:00")),
        ("2025-05-06", "", "", (None, None)),
    ],
)
def test_days_and_times_as_people_write_them(day, start, end, expected):
    owls = only(f'title,date,start,end\nOwls,"{day}","{start}","{end}"\n')
    assert owls.day == date(2025, 5, 6)
    assert tuple(moment and f"{moment:%H:%M}" for moment in (owls.start, owls.end)) == expected


def test_a_stated_offset_is_kept_and_utc_is_told_apart():
    assert only("title,start\nOwls,2025-05-06T09:00:00+01:00\n").start == datetime(2025, 5, 6, 9, tzinfo=VIENNA)
    assert not only("title,start\nOwls,2025-05-06T09:00:00+01:00\n").is_utc
    assert only("title,start\nOwls,2025-05-06T09:00:00Z\n").is_utc


def test_a_wrong_row_costs_itself_and_a_wrong_time_the_time():
    read = programme(
        "title,date,start,room\n"
        "Owls,2025-05-06,09:00,A\n"
        ",2025-05-06,09:00,A\n"
        "Bees,05/06/2025,,A\n"
        "Cats,2025-05-06,25:61,A\n"
        "Dogs, and wolves,2025-05-06,09:00,A\n"
        "\n"
        "Eels,2025-05-06,10:00,A\n"
    )
    assert [(item.entry.title, item.start is not None) for item in read.contributions] == [
        ("Owls", True),
        ("Bees", False),
        ("Cats", False),
        ("Eels", True),
    ]
    assert [problem.partition(":")[0] for problem in read.problems] == ["line 3", "line 4", "line 5", "line 6"]
    assert "has no title" in read.problems[0]
    assert "write 2025-05-06" in read.problems[1]
    assert "quotation marks" in read.problems[3]


def test_an_end_before_the_start_is_left_out():
    read = programme("title,date,start,end\nOwls,2025-05-06,10:00,09:00\n")
    assert read.contributions[0].end is None
    assert "ends before it starts" in read.problems[0]


def note(number, title, venue, **content):
    values = {"title": title, "abstract": "We watch.", "authors": ["Ada Lovelace"], "venue": venue, **content}
    return {"id": f"abcd{number}", "forum": f"abcd{number}", "content": {k: {"value": v} for k, v in values.items()}}


def test_openreview_version_2_without_what_was_rejected_or_withdrawn():
    notes = [
        note(1, "Owls", "ICLR 2026 Oral"),
        note(2, "Bees", "Submitted to ICLR 2026"),
        note(3, "Cats", "ICLR 2026 Conference Withdrawn Submission"),
        note(4, "Dogs", "ICLR 2026 Conference Desk Rejected Submission"),
        note(5, "A review", "") | {"replyto": "abcd1"},
    ]
    read = programme(json.dumps({"notes": notes, "count": 5}))
    (owls,) = read.contributions
    assert (read.format, read.withdrawn) == ("openreview", 3)
    assert (owls.entry.title, owls.entry.authors, owls.kind) == ("Owls", ("Ada Lovelace",), "ICLR 2026 Oral")
    assert owls.entry.url == "https://openreview.net/forum?id=abcd1"


def test_before_the_decisions_all_submissions_are_read():
    read = programme(json.dumps([note(1, "Owls", "Submitted to ICLR 2026"), note(2, "Bees", "Submitted to ICLR 2026")]))
    assert ([item.entry.title for item in read.contributions], read.withdrawn) == (["Owls", "Bees"], 0)


def test_openreview_version_1_has_plain_values():
    notes = {"notes": [{"forum": "abcd1", "content": {"title": "Owls", "authors": ["Ada Lovelace", "Grace Hopper"]}}]}
    assert only(json.dumps(notes)).entry.authors == ("Ada Lovelace", "Grace Hopper")


def test_papercopilots_lists():
    papers = [
        {
            "id": "abcd1",
            "title": "Owls",
            "track": "main",
            "status": "Poster",
            "abstract": "We watch.",
            "author": "Ada Lovelace;Grace Hopper",
            "site": "https://iclr.cc/virtual/2026/poster/1",
            "pdf": "https://openreview.net/pdf?id=abcd1",
            "rating_avg": 6.5,
        },
        {"title": "Bees", "status": "Reject", "author": ""},
        {"title": "Cats", "status": "Withdraw", "author": ""},
    ]
    read = programme(json.dumps(papers))
    (owls,) = read.contributions
    assert read.withdrawn == 2
    assert (owls.kind, owls.session) == ("Poster", "")
    assert owls.entry.authors == ("Ada Lovelace", "Grace Hopper")
    assert owls.entry.url == "https://iclr.cc/virtual/2026/poster/1"


def test_the_json_of_conference_sites():
    event = {
        "name": "Owls",
        "abstract": "We watch.",
        "authors": [{"fullname": "Ada Lovelace", "institution": "X"}],
        "starttime": "2026-12-02T09:00:00-08:00",
        "endtime": "2026-12-02T10:00:00-08:00",
        "room_name": "Hall A",
        "eventtype": "Oral",
        "virtualsite_url": "/virtual/2026/oral/1",
        "paper_url": "https://openreview.net/forum?id=abcd",
    }
    owls = only(json.dumps({"count": 1, "results": [event]}))
    assert owls.entry.authors == ("Ada Lovelace",)
    assert owls.start.utcoffset() == timedelta(hours=-8)
    assert (owls.room, owls.kind, owls.entry.url) == ("Hall A", "Oral", "https://openreview.net/forum?id=abcd")


def test_bibtex_has_no_times():
    read = programme("@inproceedings{a, title = {{O}wls}, author = {Lovelace, Ada}, abstract = {We watch.}}\n")
    (owls,) = read.contributions
    assert (read.format, owls.entry.title, owls.day) == ("bibtex", "Owls", None)


def calendar(*events, head=""):
    body = "".join(f"BEGIN:VEVENT\r\n{event}\r\nEND:VEVENT\r\n" for event in events)
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{head}{body}END:VCALENDAR\r\n"


def test_a_calendar_with_folded_lines_escapes_zones_and_alarms():
    event = (
        "SUMMARY:Oral: Owls\\, by ni\r\n ght\r\nDESCRIPTION:Abstract: We watch.\\nhttps://example.org/owls.\r\n"
        "DTSTART;TZID=Europe/Vienna:20261202T090000\r\nDURATION:PT1H30M\r\nLOCATION:Hall A\r\n"
        "BEGIN:VALARM\r\nDESCRIPTION:Wake up\r\nEND:VALARM"
    )
    owls = only(calendar(event))
    assert (owls.entry.title, owls.kind, owls.room) == ("Owls, by night", "Oral", "Hall A")
    assert owls.entry.abstract == "We watch. https://example.org/owls."
    assert owls.entry.url == "https://example.org/owls"
    assert owls.start == datetime(2026, 12, 2, 9, tzinfo=VIENNA)
    assert owls.end - owls.start == timedelta(minutes=90)


def test_escaped_backslashes_of_formulas_are_no_line_ends():
    """unescape_char of icalendar 7.3.2 makes a line end of the n in an escaped ``\\nu``."""
    assert only(calendar(r"SUMMARY:Owls\, $\\nu$ and $\alpha$")).entry.title == r"Owls, $\nu$ and $\alpha$"


def test_utc_of_a_calendar_becomes_the_calendars_own_zone():
    event = "SUMMARY:Owls\r\nDTSTART:20261202T080000Z\r\nDTEND:20261202T090000Z"
    assert only(calendar(event)).start == datetime(2026, 12, 2, 8, tzinfo=UTC)
    assert only(calendar(event)).is_utc
    owls = only(calendar(event, head="X-WR-TIMEZONE:Europe/Vienna\r\n"))
    assert (owls.start.hour, owls.is_utc) == (9, False)


def test_london_in_winter_is_a_place_and_not_utc():
    owls = only(calendar("SUMMARY:Owls\r\nDTSTART;TZID=Europe/London:20261202T080000"))
    assert (owls.start.utcoffset(), owls.is_utc) == (timedelta(0), False)


def test_a_date_has_no_time_and_what_was_cancelled_is_left_out():
    read = programme(
        calendar(
            "SUMMARY:Owls\r\nDTSTART;VALUE=DATE:20261202",
            "SUMMARY:Bees\r\nSTATUS:CANCELLED\r\nDTSTART:20261202T080000Z",
        )
    )
    (owls,) = read.contributions
    assert (owls.day, owls.start, read.withdrawn) == (date(2026, 12, 2), None, 1)


def test_wrong_events_are_named_by_their_number_and_an_unknown_zone_once():
    read = programme(
        calendar(
            "SUMMARY:Owls\r\nDTSTART;TZID=Middle Earth:20261202T080000",
            "SUMMARY:Bees\r\nDTSTART;TZID=Middle Earth:20261202T080000",
            "SUMMARY:Cats\r\nDTSTART:20261399T080000",
            "DTSTART:20261202T080000Z",
        ).removesuffix("END:VEVENT\r\nEND:VCALENDAR\r\n")
    )
    assert [(item.entry.title, item.start and item.start.hour) for item in read.contributions] == [
        ("Owls", 8),
        ("Bees", 8),
        ("Cats", None),
    ]
    zone, time, cut_off = read.problems
    assert "Middle Earth" in zone
    assert time.startswith("event 3:")
    assert cut_off.startswith("event 4:")


ZONE = (
    "BEGIN:VTIMEZONE\r\nTZID:{0}\r\nBEGIN:STANDARD\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:{1}\r\nTZOFFSETTO:{1}\r\n"
    "END:STANDARD\r\nEND:VTIMEZONE\r\n"
)


@pytest.mark.parametrize(
    ("start", "head", "expected"),
    [
        # Outlook's names, with and without their definition.
        ("TZID=Eastern Standard Time:20260702T143000", "", "2026-07-02T14:30:00-04:00"),
        ('TZID="W. Europe Standard Time":20261202T143000', "", "2026-12-02T14:30:00+01:00"),
        ("TZID=Customized Time Zone:20261202T143000", ZONE.format("Customized Time Zone", "-0330"), "-03:30"),
        # A file's own definition counts, whatever its name is elsewhere. icalendar 7.3.2 ignores it.
        ("TZID=Europe/Berlin:20261202T143000", ZONE.format("Europe/Berlin", "+0900"), "+09:00"),
        ("TZID=/x.example.org/America/Argentina/Salta:20261202T143000", "", "-03:00"),
        # Of one defined zone, and of X-WR-TIMEZONE, are times without a zone.
        ("20261202T143000", ZONE.format("Here", "+0545"), "2026-12-02T14:30:00+05:45"),
        ("20261202T084500Z", ZONE.format("Here", "+0545"), "2026-12-02T14:30:00+05:45"),
        ("20261202T143000", "X-WR-TIMEZONE:America/New_York\r\n", "-05:00"),
        # A definition without offsets, as some programs write it.
        (
            "TZID=Europe/Berlin:20260702T143000",
            "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\n",
            "2026-07-02T14:30:00+02:00",
        ),
        # A rule that could take billions of steps is not followed: the name counts.
        (
            "TZID=Pacific Standard Time:20260702T143000",
            ZONE.format("Pacific Standard Time", "+0900").replace(
                "END:STANDARD", "RRULE:FREQ=SECONDLY\r\nEND:STANDARD"
            ),
            "2026-07-02T14:30:00-07:00",
        ),
        ("2026-12-02T14:30:00+01:00", "", "2026-12-02T13:30:00+00:00"),
    ],
)
def test_a_time_keeps_the_time_zone_that_its_file_states(start, head, expected):
    mark = ";" if start.startswith("TZID") else ":"
    owls = only(calendar(f"SUMMARY:Owls\r\nDTSTART{mark}{start}", head=head))
    assert owls.start.isoformat().endswith(expected)
    assert owls.day == owls.start.date()


def test_time_zones_of_one_file_are_not_those_of_the_next():
    """icalendar 7.3.2 keeps each VTIMEZONE by its name for all later files; the first of a name counts."""
    event = "SUMMARY:Owls\r\nDTSTART;TZID={0}:20261202T143000"
    heads = [
        ("Room 5", ZONE.format("Room 5", "+0300")),
        ("Room 5", ZONE.format("Room 5", "+0400")),
        ("Room 5", ""),
        ("Europe/Vienna", ZONE.format("Europe/Vienna", "+0900")),
        ("Europe/Vienna", ""),
    ]
    files = [RawDigest("", "conf", calendar(event.format(name), head=head).encode()) for name, head in heads]
    with Parser() as parser:  # one process for all files, as the bot has it
        starts = [parser.parse_programme(raw).contributions[0].start for raw in files]
    assert [start.isoformat()[16:] for start in starts] == [":00+03:00", ":00+04:00", ":00", ":00+09:00", ":00+01:00"]


def test_a_zone_that_is_a_folder_of_the_database_costs_nothing_else():
    """Calendar.from_ical of icalendar 7.3.2 raises IsADirectoryError for TZID=America, on Python 3.11."""
    read = programme(calendar("SUMMARY:Owls\r\nDTSTART;TZID=America:20261202T143000", "SUMMARY:Bees"))
    assert [item.entry.title for item in read.contributions] == ["Owls", "Bees"]
    assert "“America” is none of the IANA database" in read.problems[0]


def times(*events, head=""):
    return [f"{item.start or item.day}" for item in programme(calendar(*events, head=head)).contributions]


def test_a_talk_that_is_repeated_is_read_at_each_of_its_times():
    zone = "TZID=America/New_York"
    series = f"UID:1\r\nSUMMARY:Owls\r\nDTSTART;{zone}:20261031T090000\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY;COUNT=4"
    # At nine by the clock, which is set back in between.
    assert times(f"{series}\r\nEXDATE:20261102T140000Z\r\nEXDATE:") == [
        "2026-10-31 09:00:00-04:00",
        "2026-11-01 09:00:00-05:00",
        "2026-11-03 09:00:00-05:00",
    ]
    moved = f"UID:1\r\nSUMMARY:Owls\r\nRECURRENCE-ID:20261101T140000Z\r\nDTSTART;{zone}:20261101T150000"
    assert "2026-11-01 15:00:00-05:00" in times(series, moved)
    assert len(times(series, moved)) == 4
    assert len(times(series, f"{moved}\r\nSTATUS:CANCELLED")) == 3
    days = "SUMMARY:Owls\r\nDTSTART;VALUE=DATE:20261202\r\nRRULE:FREQ=WEEKLY;BYDAY=WE,TH;UNTIL=20261209"
    assert times(days) == ["2026-12-02", "2026-12-03", "2026-12-09"]


@pytest.mark.parametrize(
    "rule", ["FREQ=WEEKLY", "FREQ=DAILY;COUNT=999999999", "FREQ=SECONDLY;COUNT=3", "FREQ=DAILY;INTERVAL=0;COUNT=2", "x"]
)
def test_of_an_endless_or_unusual_rule_the_first_time_is_read(rule):
    read = programme(calendar(f"SUMMARY:Owls\r\nDTSTART:20261202T090000Z\r\nRRULE:{rule}"))
    assert (len(read.contributions), len(read.problems)) == (1, 1)
    assert "only its first time" in read.problems[0]


def test_a_broken_line_or_value_costs_itself():
    """vBroken of icalendar 7.3.2 raises another error than AttributeError, so that getattr has no default."""
    broken = "SUMMARY:Owls\r\nno property\r\nDURATION:1 hour\r\nCATEGORIES\r\nDTSTART:20261202T090000Z"
    assert only(calendar(broken)).start == datetime(2026, 12, 2, 9, tzinfo=UTC)


def test_what_calendars_of_conference_systems_say_of_authors():
    indico = "SUMMARY:Owls\r\nDESCRIPTION:Speakers: Ada Lovelace (X)\\, Grace Hopper\\n\\n<p>We <b>watch</b>.</p>\r\n"
    owls = only(calendar(f"{indico}ATTENDEE;CN=Emmy Noether:mailto:emmy@example.org\r\nORGANIZER:mailto:x@example.org"))
    assert (owls.entry.authors, owls.entry.abstract) == (("Ada Lovelace", "Grace Hopper"), "We watch.")
    pretalx = only(calendar("SUMMARY:Owls - a tale - Ada Lovelace", head="PRODID:-//pretalx//x//owls\r\n"))
    assert (pretalx.entry.title, pretalx.entry.authors) == ("Owls - a tale", ("Ada Lovelace",))


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("Date,Start time (UTC)", "2026-12-02,14:30", "2026-12-02T14:30:00+00:00"),
        ("Date (UTC),Start", "2026-12-02,14:30", "2026-12-02T14:30:00+00:00"),
        ("date,start_time_utc", "2026-12-02,14:30", "2026-12-02T14:30:00+00:00"),
        ("Date,Start Time (America/New_York)", "2 Dec 2026,2:30 PM", "2026-12-02T14:30:00-05:00"),
        ("Date,Start (CET)", "Wed 2 Dec 2026,14h30", "2026-12-02T14:30:00+01:00"),
        ("Date,Start (UTC+5:30)", "02.12.2026,14:30", "2026-12-02T14:30:00+05:30"),
        ("Date,Presentation start", "December 2nd 2026,14:30", "2026-12-02T14:30:00"),
        ("Start,Timezone", "2026-12-02T13:30:00Z,Europe/Berlin", "2026-12-02T14:30:00+01:00"),
        ("Start,Timezone", "2026-12-02 14:30,Eastern Standard Time", "2026-12-02T14:30:00-05:00"),
        ("Date,Time", "25/12/2026,2:30-3:00 PM", "2026-12-25T14:30:00"),
        ("Date,Time", "2026/12/2,11:30 AM EST", "2026-12-02T11:30:00-05:00"),
        ("Start", "2026-12-02 14:30-15:00", "2026-12-02T14:30:00"),
        ("Start", "2026-12-02 14:30:00 +0100", "2026-12-02T14:30:00+01:00"),
        ("Start", "2026-12-02 14:30:00-05:00", "2026-12-02T14:30:00-05:00"),
        ("Datum,Beginn", "02.12.2026,14:30 Uhr", "2026-12-02T14:30:00"),
    ],
)
def test_zones_and_times_in_tables(header, row, expected):
    assert only(f"Title (max. 100),{header}\nOwls,{row}\n").start.isoformat() == expected


@pytest.mark.parametrize(
    "table",
    [
        # Of ConfTool, Whova and Sched.
        '"paperID";"authors";"title";"abstract_plain";"session_title";"session_start";"session_room";'
        '"presentation_start"\n'
        '"1";"Lovelace, Ada (1); Hopper, Grace (1,2)";"Owls";"We watch.";"Birds";"2026-12-25 08:30";"A";'
        '"2026-12-25 09:00"',
        "*Date,*Time Start,*Time End,Tracks (Optional),*Session Title,Room/Location (Optional),Description (Optional),"
        "Speakers (Optional)\n12/25/2026,9:00 AM,9:30 AM,Birds,Owls,A,We watch.,Ada Lovelace; Grace Hopper",
        "Event ID,Status,Start date & time,Event name,Description,Speakers,Venue,Track\n"
        '1,active,2026-12-25 09:00,Owls,We watch.,"Ada Lovelace, Grace Hopper",A,Birds',
    ],
)
def test_tables_as_conference_systems_export_them(table):
    owls = only(table)
    assert (owls.entry.title, owls.entry.abstract, owls.entry.authors) == (
        "Owls",
        "We watch.",
        ("Ada Lovelace", "Grace Hopper"),
    )
    assert (owls.start, owls.room, owls.session) == (datetime(2026, 12, 25, 9), "A", "Birds")


def test_a_time_without_a_certain_day_says_so():
    read = programme("title,date,start\nOwls,12/02/2026,9:00\nBees,,9:00\nCats,2026-12-02,TBA\n")
    assert [item.start for item in read.contributions] == [None, None, None]
    uncertain, missing, unknown = read.problems
    assert "“12/02/2026” is not a day" in uncertain
    assert "“9:00” has no day" in missing
    assert "“TBA” is not a time" in unknown


@pytest.mark.parametrize(
    "names",
    [
        "Ada Lovelace|Grace Hopper",
        "Ada Lovelace; Grace Hopper",
        "Ada Lovelace\nGrace Hopper",
        "Ada Lovelace and Grace Hopper",
        "Ada Lovelace & Grace Hopper",
        "Ada Lovelace / Grace Hopper",
        "Lovelace, Ada; Hopper, Grace",
        "Lovelace, Ada and Hopper, Grace",
        "LOVELACE, Ada; HOPPER, Grace",
        "Ada Lovelace (1), Grace Hopper (1, 2)",
        "Ada Lovelace¹, Grace Hopper²,*",
        "Ada Lovelace [1]; Grace Hopper [2]",
        "Ada Lovelace (Engines, London); Grace Hopper (Navy)",
        "Ada Lovelace, Analytical Engines; Grace Hopper, Navy",
    ],
)
def test_authors_as_people_and_programs_separate_them(names):
    assert only(f'title;authors\nOwls;"{names}"\n').entry.authors == ("Ada Lovelace", "Grace Hopper")


def test_excels_first_line_and_encoding():
    text = "sep=;\r\nTitle;Room\r\nOwls, at noon;Saal 1\r\n"
    for content in (text.encode("utf-8-sig"), text.encode("utf-16")):
        assert only(content).room == "Saal 1"
    read = programme(text + ";Saal 2\r\n")
    assert read.problems[0].startswith("line 4: has no title")


def test_titles_above_and_between_rows_and_merged_cells():
    read = programme(
        "OwlConf 2026,,,\nTime,Title,Speaker,Room\nWednesday 2 December 2026,,,\nSession 1: Birds,,,\n"
        "9:00-9:20,Owls,Ada Lovelace,A\nTime,Title,Speaker,Room\n"
        "Thursday 3 December 2026,,,\n9:00,Bees,Ada Lovelace,A\n"
    )
    owls, bees = read.contributions
    assert (f"{owls.start:%d %H:%M}", owls.session) == ("02 09:00", "Session 1: Birds")
    assert (f"{bees.start:%d %H:%M}", bees.session) == ("03 09:00", "")
    read = programme("Date,Start,Title\n2026-12-02,9:00,Owls\n,9:20,Bees\n2026-12-03,9:00,Cats\n")
    assert [item.day.day for item in read.contributions] == [2, 2, 3]


def in_zurich(clock):
    return {"date": "2026-12-02", "time": f"{clock}:00", "tz": "Europe/Zurich"}


def test_indicos_sessions_give_their_time_to_what_has_none():
    talk = {"_type": "Contribution", "title": "Owls", "type": "Oral", "startDate": in_zurich("09:00"), "duration": 20}
    names = [{"first_name": "Ada", "last_name": "Lovelace", "fullName": "LOVELACE, Ada"}]
    poster = {"title": "Bees", "startDate": None, "primaryauthors": names, "coauthors": [{"fullName": "HOPPER, Grace"}]}
    session = {
        "title": "Birds",
        "room": "Hall A",
        "startDate": in_zurich("09:00"),
        "endDate": in_zurich("12:00"),
        "contributions": [talk, poster],
    }
    event = {"title": "Conference", "startDate": in_zurich("08:00"), "sessions": [session], "contributions": []}
    owls, bees = programme(json.dumps({"count": 1, "results": [event]})).contributions
    assert (owls.session, owls.room, owls.kind) == ("Birds", "Hall A", "Oral")
    assert (owls.start.isoformat(), owls.end - owls.start) == ("2026-12-02T09:00:00+01:00", timedelta(minutes=20))
    assert (bees.end.isoformat(), bees.entry.authors) == ("2026-12-02T12:00:00+01:00", ("Ada Lovelace", "Grace Hopper"))


def test_indicos_timetable_has_objects_by_day_and_id():
    entry = {
        "entryType": "Contribution",
        "presenters": [{"firstName": "Ada", "familyName": "Lovelace", "name": "Lovelace, Ada"}],
        "title": "Owls",
        "startDate": in_zurich("09:00"),
        "endDate": in_zurich("09:20"),
    }
    of_day = {"s1": {"entryType": "Session", "title": "Birds", "entries": {"c1": entry}}, "b": {"entryType": "Break"}}
    owls = only(json.dumps({"results": {"12": {"20261202": of_day, "20261203": {}}}}))
    assert (owls.session, f"{owls.start:%H:%M}", owls.end is not None) == ("Birds", "09:00", True)
    assert owls.entry.authors == ("Ada Lovelace",)


def test_sessionize_names_people_and_rooms_by_their_ids():
    talk = {"title": "Owls", "startsAt": "2026-12-02T09:00:00", "endsAt": "2026-12-02T09:30:00", "roomId": 7}
    speakers = [{"id": "a-1", "fullName": "Ada Lovelace"}, {"id": "b-2", "fullName": "Grace Hopper"}]
    lunch = {"title": "Lunch", "isServiceSession": True}
    rooms = [{"id": 7, "name": "Hall A"}]
    data = {"sessions": [talk | {"speakers": ["a-1", "b-2"]}, lunch], "speakers": speakers, "rooms": rooms}
    owls = only(json.dumps(data))
    assert (owls.room, owls.entry.authors) == ("Hall A", ("Ada Lovelace", "Grace Hopper"))


def test_pretalx_in_its_interfaces():
    slot = {"room": {"en": "Hall A"}, "start": "2026-12-02T09:00:00+01:00", "end": "2026-12-02T09:30:00+01:00"}
    talk = {"title": "Owls", "speakers": [{"code": "A", "name": "Ada Lovelace"}], "submission_type": {"en": "Talk"}}
    withdrawn = {"title": "Bees", "state": "withdrawn", "speakers": []}
    read = programme(json.dumps({"results": [talk | {"state": "confirmed", "slot": slot}, withdrawn]}))
    (owls,) = read.contributions
    assert (owls.room, owls.kind, owls.start.hour, read.withdrawn) == ("Hall A", "Talk", 9, 1)
    slots = [slot, slot | {"start": "2026-12-03T09:00:00+01:00", "end": None}]
    assert len(programme(json.dumps({"results": [talk | {"slots": slots}]})).contributions) == 2


def schedule(event, day='date="2026-12-02"', conference=""):
    return (
        f'<?xml version="1.0"?><schedule><conference><title>OwlCon</title>{conference}</conference>'
        f'<day index="1" {day}><room name="Hall A"><event id="1">{event}</event></room><room name="B"/></day>'
        "</schedule>"
    )


def test_the_xml_of_frab_pretalx_and_pentabarf():
    event = (
        "<start>14:30</start><duration>01:30</duration><title>Owls &amp; mice</title><track>Birds</track>"
        "<type>talk</type>"
        "<abstract>Short.</abstract><description>Long &nbsp; text.</description>"
        '<persons><person id="1">Ada Lovelace</person><person id="2">Grace Hopper</person></persons>'
    )
    owls = only(schedule(event, conference="<time_zone_name>America/New_York</time_zone_name>"))
    assert (owls.entry.title, owls.entry.authors) == ("Owls & mice", ("Ada Lovelace", "Grace Hopper"))
    assert owls.entry.abstract == "Short. Long text."
    assert (owls.start.isoformat(), owls.end.hour, owls.room) == ("2026-12-02T14:30:00-05:00", 16, "Hall A")
    assert (owls.session, owls.kind) == ("Birds", "talk")
    offset = only(schedule(event, day='date="2026-12-02" start="2026-12-02T10:00:00+02:00"'))
    assert offset.start.isoformat() == "2026-12-02T14:30:00+02:00"
    assert only(schedule(event)).start.tzinfo is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('<!DOCTYPE schedule [<!ENTITY a SYSTEM "file:///etc/passwd">]><schedule>&a;</schedule>', "document type"),
        ("<?xml version='1.0'?><rss/>", "no programme"),
        ("<schedule/>", "without a single title"),
    ],
)
def test_xml_that_is_none_or_declares_entities_is_refused(content, reason):
    with pytest.raises(DigestError, match=reason):
        programme("<?xml version='1.0'?>\n" + content.removeprefix("<?xml version='1.0'?>"))


def test_a_deep_or_cut_off_document_is_read_as_far_as_it_goes():
    read = programme(schedule("<title>Owls</title>").partition("</room>")[0])
    assert [item.entry.title for item in read.contributions] == ["Owls"]
    assert "line 1" in read.problems[0]
    assert "depth" in programme("<schedule>" + "<day>" * 10_000).problems[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TABLE, True),
        (calendar("SUMMARY:Owls"), True),
        (schedule("<title>Owls</title>"), True),
        ("sep=;\nTitle;Speakers;Room\n", True),
        ('{"results": [{"_type": "Conference", "contributions": []}]}', True),
        ('{"notes": [{"forum": "abcd1", "content": {"title": {"value": "Owls"}}}]}', True),
        ('[{"title": "Owls", "status": "Poster", "site": "https://openreview.net/forum?id=a"}]', True),
        ('{"schedule": {"conference": {"days": []}}}', True),
        ("title,authors\nOwls,Ada Lovelace\n", False),
        ("Title,Author,Date,DOI\n", False),
        ("Title,Speaker,Date\n", True),
        ('"Authors","Title","Year","Source title","Volume","EID"\n', False),
        ('"Key","Item Type","Publication Year","Author","Title","Date","Place"\n', False),
        ("PMID,Title,Authors,Citation,Journal/Book,Create Date\n", False),
        ('[{"type": "article-journal", "title": "Owls", "issued": {}, "container-title": "x"}]', False),
        ('[{"paper": {"id": "2606.00467", "title": "Owls"}, "publishedAt": "2026-06-12"}]', False),
        ('{"collection": [{"doi": "10.1101/1", "title": "Owls"}], "messages": []}', False),
        ("@article{a, title = {Owls}, date = {2026}}\n", False),
        ("<rss><channel><title>schedule</title></channel></rss>", False),
        ("Owls by night\nAda Lovelace\n", False),
        ("", False),
    ],
)
def test_what_is_a_programme(text, expected):
    assert is_programme(text) is expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty file"),
        (b"\n \n", "empty file"),
        (b"%PDF-1.7", "a PDF"),
        (b"Dear all,\nwelcome to the conference.\n", "title,abstract,authors"),
        (b'{"a": 1}', "no list of papers"),
        (b"[" * 100_000, "can't be read"),
        (b"title\n", "without a single title"),
        (b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "without a single title"),
    ],
)
def test_what_is_no_programme_is_refused_with_the_reason(content, reason):
    with pytest.raises(DigestError, match=reason):
        programme(content)


def test_the_child_process_returns_the_same():
    texts = [TABLE, calendar("SUMMARY:Owls\r\nDTSTART;TZID=Europe/Vienna:20261202T090000")]
    with Parser() as parser:
        for text in texts:
            raw = RawDigest("", "conf", text.encode())
            assert parser.parse_programme(raw) == parse(raw)
        with pytest.raises(DigestError, match="empty file"):
            parser.parse_programme(RawDigest("", "conf", b""))


def value():
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    names = st.sampled_from(
        "title value content notes name authors start date url x results sessions contributions days rooms speakers"
        " slots slot startDate duration id paper_ids roomId persons schedule timezone".split()
    )
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4))


LINES = st.sampled_from(
    [
        "BEGIN:VEVENT",
        "END:VEVENT",
        "SUMMARY:x",
        "DTSTART:20261202T080000Z",
        'DTEND;TZID=":20"',
        "DURATION:P9W",
        " y",
        "BEGIN:X",
        "END:X",
        "BEGIN:VTIMEZONE",
        "END:VTIMEZONE",
        "TZID:Here",
        "BEGIN:STANDARD",
        "END:STANDARD",
        "TZOFFSETTO:+0100",
        "TZOFFSETFROM:+2500",
        "DTSTART;TZID=Here:20261202T080000",
        "DTSTART;VALUE=DATE:20261202",
        "RRULE:FREQ=YEARLY;BYMONTH=13",
        "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3",
        "RRULE:FREQ=DAILY;UNTIL=20261209T080000Z",
        "EXDATE:20261203T080000Z",
        "RDATE;VALUE=PERIOD:20261203T080000Z/PT1H",
        "RECURRENCE-ID:20261203T080000Z",
        "UID:1",
        "CATEGORIES:x",
        "X-WR-TIMEZONE:Here",
    ]
)


TAGS = st.sampled_from(
    [
        "<conference>",
        "<time_zone_name>Here</time_zone_name>",
        '<day date="2026-12-02" start="2026-12-02T10:00:00+25:00">',
        '<room name="A">',
        "<event>",
        "<title>x</title>",
        "<start>25:00</start>",
        "<duration>99:99</duration>",
        "<persons><person>A</person><b/></persons>",
        "</event>",
        "</room>",
        "</day>",
        "<!-- x -->",
        "<?x?>",
        "&x;",
        "<![CDATA[x]]>",
    ]
)


@given(
    st.binary(max_size=300)
    | value().map(lambda data: json.dumps([data]).encode())
    | value().map(lambda data: json.dumps({"results": data}).encode())
    | st.lists(LINES | st.text(max_size=20), max_size=12).map(
        lambda rows: "\n".join(["BEGIN:VCALENDAR", *rows]).encode()
    )
    | st.lists(TAGS, max_size=12).map(lambda tags: f"<schedule>{''.join(tags)}".encode())
    | st.text(alphabet="0123456789:-/.TZ+ apmhPMDecC;,\n", max_size=200).map(
        lambda rows: f"title,start (CET),end,date,duration\n{rows}".encode()
    )
    | st.text(max_size=200).map(lambda rows: f"title,date,start,end,authors\n{rows}".encode(errors="replace"))
)
def test_any_bytes_are_read_or_refused(content):
    try:
        read = programme(content)
    except DigestError:
        return
    for contribution in read.contributions:
        assert isinstance(contribution, Contribution)
        assert contribution.entry.title
        assert contribution.end is None or contribution.start is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("beginning", "part"),
    [
        (b"title,authors\nOwls,", b"A, "),
        (b'title,authors\n"', b'"",'),
        (b"title\n", b"Owls\n"),
        (b'[{"title": "x", "authors": "', b"A;"),
        (b"BEGIN:VCALENDAR\n", b"BEGIN:VEVENT\n"),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:", b"\n "),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY", b";A=B"),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:", b"\\n"),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\n", b"BEGIN:VALARM\n"),
        (b"BEGIN:VCALENDAR\n", b"BEGIN:VTIMEZONE\n"),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT", b" "),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\nDTSTART:20261202T090000Z\nEXDATE:", b"20261202T090000Z,"),
        (b"<schedule>", b"<day><room><event>"),
        (b"<schedule>", b"&"),
        (b'{"results":', b'{"a":'),
        (b'{"results": [', b'{"title": "x", "slots": [{"start": "9:00"}]},'),
        (b"title,start\nOwls,", b"9:00-"),
        (b"title,authors\nOwls,", b"[1"),
        (b"title,authors\nOwls,", b" /"),
    ],
)
def test_a_part_that_repeats_is_read_within_the_parsers_limits(beginning, part):
    """The parser process has 30 seconds of processor time: n² steps for a megabyte would not end in them."""
    raw = RawDigest("", "conf", beginning + part * (1_000_000 // len(part)))
    with Parser() as parser:
        try:
            parser.parse_programme(raw)
        except LimitError:
            raise
        except DigestError:
            return


@pytest.mark.slow
def test_a_third_of_the_largest_calendar_is_read_in_a_third_of_the_parsers_time():
    """Event.from_ical of icalendar 7.3.2 takes .65 ms for each event, more than its lines alone take."""
    zone = "Eastern Standard Time"
    abstract = "".join(
        f"\r\n {line}" for line in ["We watch how owls see by night\\, and mice\\; all of them at once."] * 15
    )
    rest = f"SUMMARY:Owls\r\nDESCRIPTION:{abstract}\r\nLOCATION:A\r\nBEGIN:VALARM\r\nTRIGGER:-PT15M\r\nEND:VALARM"
    starts = [
        f"202612{1 + n % 28:02}T{8 + n // 28 % 10:02}{n // 280 % 60:02}{n // 16_800:02}"
        for n in range(MAX_CONTRIBUTIONS // 3)
    ]
    events = [f"UID:1\r\nDTSTART;TZID={zone}:{start}\r\nDURATION:PT20M\r\n{rest}" for start in starts]
    head = Path(__file__).with_name("made").joinpath("outlook.ics").read_text().partition("BEGIN:VEVENT")[0]
    text = head + calendar(*events)
    with Parser(ParseLimits(seconds=10)) as parser:
        assert len(parser.parse_programme(RawDigest("", "conf", text.encode())).contributions) == MAX_CONTRIBUTIONS // 3


def test_names_in_small_letters_are_read_too():
    """RFC 5545, 3.1: names are case-insensitive."""
    text = "begin:vcalendar\nbegin:vevent\nsummary:Owls at noon\ndtstart:20261202T143000Z\nend:vevent\nend:vcalendar\n"
    (talk,) = parse(RawDigest("conference", "owls.ics", text.encode())).contributions
    assert (talk.entry.title, talk.start) == ("Owls at noon", datetime(2026, 12, 2, 14, 30, tzinfo=UTC))


@pytest.mark.parametrize("title", ["Coffee break", "Registration & Breakfast", "Lunch", "Welcome reception (evening)"])
def test_breaks_are_no_talks(title):
    text = f"title,date,start\n{title},2026-12-02,10:30\nBreak junctions of owls,2026-12-02,11:00\n"
    (talk,) = parse(RawDigest("conference", "owls.csv", text.encode())).contributions
    assert talk.entry.title == "Break junctions of owls"
