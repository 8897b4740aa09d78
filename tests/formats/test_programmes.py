"""Conferences' programmes in each of their formats, as sites and people write them, and broken."""

import json
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats import Parser
from bot.formats.programme import parse
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
    names = st.sampled_from(["title", "value", "content", "notes", "name", "authors", "start", "date", "url", "x"])
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
    ]
)


@given(
    st.binary(max_size=300)
    | value().map(lambda data: json.dumps([data]).encode())
    | st.lists(LINES | st.text(max_size=20), max_size=12).map(
        lambda rows: "\n".join(["BEGIN:VCALENDAR", *rows]).encode()
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
