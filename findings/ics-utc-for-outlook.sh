#!/usr/bin/env bash
# ics 0.7.3: times of a zone that the calendar itself defines become UTC.
#
# Outlook and Exchange name zones as Windows does, such as "Eastern Standard Time", and define them in a VTIMEZONE.
# Guess before the run: nine o'clock in New York, read from the definition.
# Seen with ics 0.7.3 on Python 3.11: nine o'clock UTC, so a talk of a conference is four hours early. No error. A zone
# with a name of the IANA, such as "America/New_York", is right.
# Reported as issue 347 of ics-py, which is closed. Undocumented otherwise.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ics==0.7.3
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from ics import Calendar

calendar = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//example.org//Owls//EN
BEGIN:VTIMEZONE
TZID:{zone}
BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:1@example.org
DTSTAMP:20260101T000000Z
DTSTART;TZID={zone}:20260601T090000
DTEND;TZID={zone}:20260601T093000
SUMMARY:A talk on owls
END:VEVENT
END:VCALENDAR
"""
begins = {}
for zone in ("Eastern Standard Time", "America/New_York"):
    (event,) = Calendar(calendar.format(zone=zone).replace("\n", "\r\n")).events
    begins[zone] = event.begin.isoformat()
print("ics", version("ics"), begins)
assert begins["Eastern Standard Time"] == "2026-06-01T09:00:00+00:00", "the behaviour has changed"
assert begins["America/New_York"] == "2026-06-01T09:00:00-04:00"
PYTHON
