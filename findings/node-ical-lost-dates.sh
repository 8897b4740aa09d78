#!/usr/bin/env bash
# node-ical 0.26.1 and icalevents 0.3.1: talks at the times of an RDATE are not in the calendar.
#
# RFC 5545 has RRULE for a rule, and RDATE for times beside it, such as a talk that a series adds.
# Guess before the run: both times of a talk in March, and the added one in May.
# Seen with node-ical 0.26.1 on Node 20 and icalevents 0.3.1 on Python 3.11: a weekly talk lacks its added date. Of a
# talk that has dates only, the first one is left. No error. Left out and moved times are right with both. The reader
# recurring-ical-events 3.8.2 finds all.
# Undocumented for users: a comment in icalparser.py says that RDATE is not yet supported. ical.js of node-ical keeps
# the first value as text.
#
# Installs the pinned packages in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" node-ical@0.26.1
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    icalevents==0.3.1 recurring-ical-events==3.8.2 icalendar==6.3.1
cd "$folder"
cat >talks.ics <<'ICS'
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//owls//talks//EN
BEGIN:VEVENT
UID:weekly@example.org
DTSTAMP:20260101T000000Z
DTSTART:20260302T090000Z
DTEND:20260302T100000Z
RRULE:FREQ=WEEKLY;COUNT=2
RDATE:20260501T090000Z
SUMMARY:Owls
END:VEVENT
BEGIN:VEVENT
UID:dates@example.org
DTSTAMP:20260101T000000Z
DTSTART:20260303T090000Z
DTEND:20260303T100000Z
RDATE:20260304T090000Z,20260305T090000Z
SUMMARY:Bats
END:VEVENT
END:VCALENDAR
ICS
cat >read.cjs <<'NODE'
const ical = require("node-ical");
const assert = require("node:assert");

const calendar = ical.sync.parseFile("talks.ics");
const range = { from: new Date("2026-01-01"), to: new Date("2026-12-31") };
const days = (uid) =>
  ical.expandRecurringEvent(calendar[uid], range).map((talk) => talk.start.toISOString().slice(0, 10));
const [weekly, dates] = [days("weekly@example.org"), days("dates@example.org")];
console.log("node-ical", weekly, dates);
assert.deepEqual(weekly, ["2026-03-02", "2026-03-09"], "the behaviour has changed");
assert.deepEqual(dates, ["2026-03-03"], "the behaviour has changed");
NODE
node read.cjs
"$folder/venv/bin/python" - <<'PYTHON'
from datetime import UTC, datetime
from pathlib import Path

import icalendar
import recurring_ical_events
from icalevents.icalevents import events

content = Path("talks.ics").read_bytes()
begin, end = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 12, 31, tzinfo=UTC)
found = sorted(event.start.date().isoformat() for event in events(string_content=content, start=begin, end=end))
whole = recurring_ical_events.of(icalendar.Calendar.from_ical(content)).between(begin, end)
print("icalevents", found, "of", len(whole))
assert found == ["2026-03-02", "2026-03-03", "2026-03-09"], "the behaviour has changed"
assert len(whole) == 6
PYTHON
