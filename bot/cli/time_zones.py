"""The time zone that a person names by a zone, a city, a country, an abbreviation or an offset."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from difflib import get_close_matches
from importlib.resources import files

from tzlocal import get_localzone_name

from bot.model.clock import timezone_names, zone_named

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
_HINT = "name a large city nearby, or the country"
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")  # of countries' names
_OFFSET = re.compile(r"(?:utc|gmt)\s*([+-])\s*(\d{1,2})(?::?(00|15|30|45))?")
_MOST_HOURS = {"+": 14, "-": 12}  # of zones without summer time in the database


def time_zone(text: str) -> str:
    """Return a zone of the database. Raises ValueError with the nearest ones.

    >>> [time_zone(said) for said in ("Zürich", "Munich, Germany", "UK", "EST", "UTC+2", "europe/berlin")]
    ['Europe/Zurich', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'Etc/GMT-2', 'Europe/Berlin']
    """
    from babel.core import get_global

    from bot.config.profiles import known_timezone

    said = _folded(text)
    for zone, names in _ABBREVIATIONS.items():
        if said in names:
            return zone
    if offset := _OFFSET.fullmatch(said):
        return _zone_at(text, offset)
    for name in (said, said.partition(",")[0].strip()):
        try:
            return known_timezone(name)
        except ValueError:
            continue
    # A country alone, or after its city.
    countries = _countries()
    country = said.rpartition(",")[2].strip()
    if country not in countries:
        near = get_close_matches(said, [*_cities(), *(name for name in countries if len(name) > 3)], n=3, cutoff=0.8)
        meant = f"did you mean {' or '.join(name.title() for name in near)}?" if near else _HINT
        raise ValueError(f"{text!r} is an unknown time zone; {meant}")
    # CLDR's zones of Windows are the large ones. Others count where their clocks differ from these.
    large = set(get_global("windows_zone_mapping").values())
    clocks: set[object] = set()
    zones: list[str] = []
    for zone in sorted(countries[country], key=lambda zone: zone not in large):
        clock = tuple(_offsets(zone))
        if zone in large or clock not in clocks:
            zones.append(zone)
        clocks.add(clock)
    if len(clocks) > 1:
        raise ValueError(f"{text!r} has several time zones; name one of: {', '.join(zones)}")
    return zones[0]


def local_timezone() -> str:
    """Return this machine's time zone, or UTC if it has no usable name."""
    from bot.config.profiles import known_timezone

    # tzlocal raises several errors if /etc/localtime and TZ conflict or are invalid.
    try:
        return known_timezone(get_localzone_name())
    except (ValueError, LookupError, OSError):
        return "UTC"


def _folded(text: str) -> str:
    """Return text in lower case, without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


def _cities() -> set[str]:
    return {zone.rpartition("/")[2].replace("_", " ").lower() for zone in timezone_names() if "/" in zone}


def _countries() -> dict[str, list[str]]:
    """Return the zones of each country, by its codes and its names in several languages."""
    from babel import Locale
    from babel.core import get_global

    zones: dict[str, list[str]] = {}
    table = files("tzdata.zoneinfo").joinpath("zone.tab").read_text("utf-8")
    for line in table.splitlines():
        if not line.startswith("#"):
            code, _, zone, *_ = line.split("\t")
            zones.setdefault(code, []).append(zone)
    named = {code.lower(): of_country for code, of_country in zones.items()}
    for alias, codes in get_global("territory_aliases").items():
        if len(codes) == 1 and codes[0] in zones:
            named[alias.lower()] = zones[codes[0]]
    for language in _LANGUAGES:
        for code, name in Locale(language).territories.items():
            if code in zones:
                # "Hong Kong SAR China" and "Myanmar (Burma)"
                named[re.sub(r" sar china$| \(.*\)$", "", _folded(name))] = zones[code]
    return named


def _offsets(zone: str) -> Iterator[object]:
    """Yield a zone's offsets of winter and summer, in this year."""
    for month in (1, 7):
        yield zone_named(zone).utcoffset(datetime(datetime.now(UTC).year, month, 1))  # noqa: DTZ001 - a local time


def _zone_at(text: str, offset: re.Match[str]) -> str:
    """Return the zone that is at an offset all year. Raises ValueError."""
    sign, hours, minutes = offset[1], int(offset[2]), offset[3] or "00"
    if minutes == "00" and hours <= _MOST_HOURS[sign]:
        # POSIX counts hours west of Greenwich.
        return f"Etc/GMT{'-' if sign == '+' else '+'}{hours}" if hours else "UTC"
    raise ValueError(f"{text!r} is an unknown time zone; {_HINT}")
