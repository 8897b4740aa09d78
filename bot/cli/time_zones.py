"""The time zone that a person names by a zone, a city, a country, an abbreviation or an offset."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from difflib import get_close_matches

from tzlocal import get_localzone_name

from bot.config.profiles import known_timezone
from bot.model.clock import folded, large_timezones, timezone_names, zone_named, zones_by_country

# The database's own EST, MST and HST have no summer time, and it lacks the others.
_ABBREVIATIONS = {
    "America/New_York": ("et", "est", "edt", "eastern"),
    "America/Chicago": ("ct", "cst", "cdt", "central"),
    "America/Denver": ("mt", "mst", "mdt", "mountain"),
    "America/Los_Angeles": ("pt", "pst", "pdt", "pacific"),
    "Pacific/Honolulu": ("hst",),
    "Europe/London": ("bst",),
    "Europe/Lisbon": ("west",),
    "CET": ("cest", "mez", "mesz"),
    "EET": ("eest",),
    "Asia/Kolkata": ("ist",),
    "Asia/Tokyo": ("jst",),
    "Asia/Seoul": ("kst",),
    "Australia/Sydney": ("aest", "aedt"),
}
_HINT = (
    'add the country, as in "Munich, Germany", or write a zone: Europe/Berlin, Europe/London, America/New_York, '
    "America/Los_Angeles, Asia/Kolkata, Asia/Shanghai"
)
_LONGEST_CODE = 3  # letters
_OFFSET = re.compile(r"(?:utc|gmt)\s*([+-])\s*(\d{1,2})(?::?(00|15|30|45))?")
_MOST_HOURS = {"+": 14, "-": 12}  # of zones without summer time in the database


def time_zone(text: str) -> str:
    """Return a zone of the database. Raises ValueError with the nearest ones.

    >>> [time_zone(said) for said in ("Zürich", "Munich, Germany", "UK", "EST", "UTC+2", "europe/berlin")]
    ['Europe/Zurich', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'Etc/GMT-2', 'Europe/Berlin']
    """
    said = folded(text)
    for zone, abbreviations in _ABBREVIATIONS.items():
        if said in abbreviations:
            return zone
    if offset := _OFFSET.fullmatch(said):
        sign, hours, minutes = offset[1], int(offset[2]), int(offset[3] or 0)
        if minutes or hours > _MOST_HOURS[sign]:
            raise ValueError(f"{text!r} is an unknown time zone; {_HINT}")
        # POSIX counts hours west of Greenwich.
        return f"Etc/GMT{'-' if sign == '+' else '+'}{hours}" if hours else "UTC"
    for name in (said, said.partition(",")[0].strip()):
        try:
            return known_timezone(name)
        except ValueError:
            continue
    # A country alone, or after its city.
    countries = zones_by_country()
    country = said.rpartition(",")[2].strip()
    if country not in countries:
        cities = {zone.rpartition("/")[2].replace("_", " ").lower() for zone in timezone_names()}
        names = [*cities, *(name for name in countries if len(name) > _LONGEST_CODE)]
        near = get_close_matches(country, names, n=3, cutoff=0.8)
        meant = f"did you mean {' or '.join(name.title() for name in near)}?" if near else _HINT
        raise ValueError(f"{text!r} is an unknown time zone; {meant}")
    # Small zones count where their clocks differ from the large ones.
    large = large_timezones()
    seasons = [datetime(datetime.now(UTC).year, month, 1) for month in (1, 7)]  # noqa: DTZ001 - local times
    clocks: set[object] = set()
    zones: list[str] = []
    for zone in sorted(countries[country], key=lambda zone: zone not in large):
        clock = tuple(zone_named(zone).utcoffset(day) for day in seasons)
        if zone in large or clock not in clocks:
            zones.append(zone)
        clocks.add(clock)
    if len(clocks) > 1:
        raise ValueError(f"{text!r} has several time zones; name one of: {', '.join(zones)}")
    return zones[0]


def local_timezone() -> str:
    """Return this machine's time zone, or UTC if it has no usable name."""
    # tzlocal raises several errors if /etc/localtime and TZ conflict or are invalid.
    try:
        return known_timezone(get_localzone_name())
    except (ValueError, LookupError, OSError):
        return "UTC"
