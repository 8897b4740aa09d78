"""Conferences' programmes in each of their formats, as sites and people write them, and broken."""

import json
from datetime import UTC, date, datetime, timedelta
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


def programme(text):
    return parse(RawDigest("", "conf", text.encode() if isinstance(text, str) else text))


def only(text):
    read = programme(text)
    assert len(read.contributions) == 1, read.problems
    return read.contributions[0]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_tables_with_other_delimiters_and_excels_first_line(delimiter, encoding):
    text = "sep=;\r\nTitle;Room\r\nOwls, at noon;Saal 1\r\n;Saal 2\r\n".replace(";", delimiter)
    read = programme(text.encode(encoding))
    assert [item.room for item in read.contributions] == ["Saal 1"]
    assert read.problems[0].startswith("line 4: has no title")


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


def test_bibtex_has_no_times():
    read = programme("@inproceedings{a, title = {{O}wls}, author = {Lovelace, Ada}, abstract = {We watch.}}\n")
    (owls,) = read.contributions
    assert (read.format, owls.entry.title, owls.day) == ("bibtex", "Owls", None)


def calendar(*events, head=""):
    body = "".join(f"BEGIN:VEVENT\r\n{event}\r\nEND:VEVENT\r\n" for event in events)
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{head}{body}END:VCALENDAR\r\n"


def test_utc_of_a_calendar_becomes_the_calendars_own_zone():
    event = "SUMMARY:Owls\r\nDTSTART:20261202T080000Z\r\nDTEND:20261202T090000Z"
    assert only(calendar(event)).start == datetime(2026, 12, 2, 8, tzinfo=UTC)
    assert only(calendar(event)).is_utc
    owls = only(calendar(event, head="X-WR-TIMEZONE:Europe/Vienna\r\n"))
    assert (owls.start.hour, owls.is_utc) == (9, False)
    # London in winter is a place.
    owls = only(calendar("SUMMARY:Owls\r\nDTSTART;TZID=Europe/London:20261202T080000"))
    assert (owls.start.utcoffset(), owls.is_utc) == (timedelta(0), False)


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
    assert "“America” is not in the IANA database" in read.problems[0]


@pytest.mark.parametrize(
    "rule", ["FREQ=WEEKLY", "FREQ=DAILY;COUNT=999999999", "FREQ=SECONDLY;COUNT=3", "FREQ=DAILY;INTERVAL=0;COUNT=2", "x"]
)
def test_of_an_endless_or_unusual_rule_the_first_time_is_read(rule):
    read = programme(calendar(f"SUMMARY:Owls\r\nDTSTART:20261202T090000Z\r\nRRULE:{rule}"))
    assert (len(read.contributions), len(read.problems)) == (1, 1)
    assert "only its first time" in read.problems[0]


@pytest.mark.parametrize(
    ("lines", "days"),
    [
        ("RDATE:20261203T090000Z,20261207T100000Z\r\nRDATE:20261208T090000Z", [2, 3, 7, 8]),
        ("RDATE;TZID=Europe/Berlin:20261203T100000", [2, 3]),
        ("RDATE;VALUE=PERIOD:20261203T090000Z/PT1H,20261204T090000Z/20261204T100000Z", [2, 3, 4]),
        ("RRULE:FREQ=WEEKLY;COUNT=2\r\nRDATE:20261209T090000Z,20261210T090000Z", [2, 9, 10]),
        ("RDATE:20261203T090000Z,20261204T090000Z\r\nEXDATE:20261203T090000Z", [2, 4]),
    ],
)
def test_a_talk_is_also_held_at_times_beside_its_rule(lines, days):
    read = programme(calendar(f"SUMMARY:Owls\r\nDTSTART:20261202T090000Z\r\nDURATION:PT30M\r\n{lines}"))
    assert [item.start.day for item in read.contributions] == days
    assert all(item.end - item.start == timedelta(minutes=30) for item in read.contributions)


def test_a_time_beside_the_rule_may_be_moved():
    moved = "UID:1\r\nSUMMARY:Owls\r\nRECURRENCE-ID:20261203T090000Z\r\nDTSTART:20261204T120000Z"
    series = "UID:1\r\nSUMMARY:Owls\r\nDTSTART:20261202T090000Z\r\nRDATE:20261203T090000Z"
    assert [item.start.day for item in programme(calendar(series, moved)).contributions] == [2, 4]


def test_a_broken_line_or_value_costs_itself():
    """vBroken of icalendar 7.3.2 raises another error than AttributeError, so that getattr has no default."""
    broken = "SUMMARY:Owls\r\nno property\r\nDURATION:1 hour\r\nCATEGORIES\r\nDTSTART:20261202T090000Z"
    assert only(calendar(broken)).start == datetime(2026, 12, 2, 9, tzinfo=UTC)


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
    ("row", "start", "problem"),
    [
        ("12/02/2026,9:00,", None, "“12/02/2026” is not a day"),
        (",9:00,", None, "“9:00” has no day"),
        ("2026-12-02,TBA,", None, "“TBA” is not a time"),
        ("2026-12-02,10:00,9:00", datetime(2026, 12, 2, 10), "ends before it starts"),
    ],
)
def test_a_time_that_is_uncertain_is_left_out_with_the_reason(row, start, problem):
    read = programme(f"title,date,start,end\nOwls,{row}\n")
    assert [(item.start, item.end) for item in read.contributions] == [(start, None)]
    assert problem in read.problems[0]


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


SCHEDULE = (
    '<?xml version="1.0"?><schedule><conference><title>OwlCon</title></conference><day index="1" date="2026-12-02">'
    '<room name="Hall A"><event id="1"><title>Owls</title></event></room><room name="B"/></day></schedule>'
)


def test_a_deep_or_cut_off_document_is_read_as_far_as_it_goes():
    read = programme(SCHEDULE.partition("</room>")[0])
    assert [item.entry.title for item in read.contributions] == ["Owls"]
    assert "line 1" in read.problems[0]
    assert "depth" in programme("<schedule>" + "<day>" * 10_000).problems[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Start time,Location,Paper title,Abstract,Authors,Date\n", True),
        (calendar("SUMMARY:Owls"), True),
        (SCHEDULE, True),
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
        (b"<?xml version='1.0'?><rss/>", "no programme"),
        (b"<?xml version='1.0'?><schedule/>", "without a single title"),
        (b'<!DOCTYPE schedule [<!ENTITY a SYSTEM "file:///etc/passwd">]><schedule>&a;</schedule>', "no programme"),
        (b"<?xml version='1.0'?><!DOCTYPE schedule [<!ENTITY a 'b'>]><schedule>&a;</schedule>", "document type"),
    ],
)
def test_what_is_no_programme_is_refused_with_the_reason(content, reason):
    with pytest.raises(DigestError, match=reason):
        programme(content)


def value():
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    names = st.sampled_from(
        "title value content notes name authors start date url x results sessions contributions days rooms speakers"
        " slots slot startDate duration id paper_ids roomId persons schedule timezone".split()
    )
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4))


LINES = st.sampled_from(
    """
    BEGIN:VEVENT END:VEVENT SUMMARY:x DTSTART:20261202T080000Z DTEND;TZID=":20" DURATION:P9W BEGIN:X END:X
    BEGIN:VTIMEZONE END:VTIMEZONE TZID:Here BEGIN:STANDARD END:STANDARD TZOFFSETTO:+0100 TZOFFSETFROM:+2500
    DTSTART;TZID=Here:20261202T080000 DTSTART;VALUE=DATE:20261202 RRULE:FREQ=YEARLY;BYMONTH=13
    RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3 RRULE:FREQ=DAILY;UNTIL=20261209T080000Z EXDATE:20261203T080000Z
    RDATE;VALUE=PERIOD:20261203T080000Z/PT1H RECURRENCE-ID:20261203T080000Z UID:1 CATEGORIES:x X-WR-TIMEZONE:Here
    """.split()
)
TAGS = st.sampled_from(
    """<conference>|<time_zone_name>Here</time_zone_name>|<day date="2026-12-02" start="2026-12-02T10:00:00+25:00">
<room name="A">|<event>|<title>x</title>|<start>25:00</start>|<duration>99:99</duration>|</event>|</room>|</day>
<persons><person>A</person><b/></persons>|<!-- x -->|<?x?>|&x;|<![CDATA[x]]>""".replace("\n", "|").split("|")
)


@given(
    st.binary(max_size=300)
    | value().map(lambda data: json.dumps([data]).encode())
    | value().map(lambda data: json.dumps({"results": data}).encode())
    | st.lists(LINES | st.just(" y") | st.text(max_size=20), max_size=12).map(
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
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\nDTSTART:20261202T090000Z\n", b"RDATE:20261202T090000Z/PT1H\n"),
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


@pytest.mark.parametrize("title", ["Coffee break", "Registration & Breakfast", "Lunch", "Welcome reception (evening)"])
def test_breaks_are_no_talks(title):
    text = f"title,date,start\n{title},2026-12-02,10:30\nBreak junctions of owls,2026-12-02,11:00\n"
    (talk,) = parse(RawDigest("conference", "owls.csv", text.encode())).contributions
    assert talk.entry.title == "Break junctions of owls"
