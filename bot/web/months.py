"""What grew in the field of an open profile in a month, as a page to show around, with a picture.

``/open/{slug}/month`` leads to the newest month that has ended, ``/open/{slug}/month/2025-05`` stays the same month's.
"""

from __future__ import annotations

from datetime import date
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.channels import months
from bot.config.profiles import Profile
from bot.editions.months import FieldMonths, month_after, month_before
from bot.model import FieldMonth
from bot.model.clock import local_date
from bot.model.wording import month_name, shorten
from bot.web.editions import OpenEditions
from bot.web.site import PageError, Site, client_key

_DESCRIPTION_WIDTH = 200  # characters; what shows previews cuts there
_YEARS = range(1990, 2200)  # the first papers of arXiv are of 1991

# Geometry of the picture in user units, as that of ``bot.operate.charts``: 380 are the width of a phone's screen.
_WIDTH = 380
_BAR_WIDTH = 300.0
_BAR = 11
_TOPIC = 62
_LABEL_CHARACTERS = 44
_LEGEND = 26


class MonthPages:
    """``/open/{slug}/month`` and a month below it."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open_editions = open_editions
        self._months = FieldMonths(site.store)

    def redirect_to_newest(self, request: Request) -> Response:
        slug, profile = self._open_editions.of_request(request)
        month = month_before(self._today(profile))
        newest = self._site.store.papers.newest_first_seen(profile.sources)
        if newest:
            # Where nothing has come for long, the last month with papers.
            month = min(month, local_date(newest, profile.schedule.timezone).replace(day=1))
        return RedirectResponse(f"/open/{slug}/month/{_name(month)}", 303)

    def show(self, request: Request) -> Response:
        slug, profile = self._open_editions.of_request(request)
        first = _month(request.path_params["month"])
        if not self._months.is_kept(profile, first):
            # Only what reads papers is counted.
            self._site.count_view(client_key(request))
        month = self._months.of(profile, first, self._site.now)
        if month is None:
            raise PageError(404, "This month is compared with those before once it has ended.")
        language = profile.language
        sentence = months.compared(month, language)
        topics = "; ".join(f"{months.name(topic)}, {months.counts(topic, month)}" for topic in month.topics)
        later = month_after(first)
        return self._site.page(
            "month.html.j2",
            language=language,
            slug=slug,
            profile_title=profile.title,
            month=month,
            name=month_name(first, language),
            picture=picture(month, language) if month.topics else "",
            address=f"{self._site.app.public_url}/open/{slug}/month/{_name(first)}",
            description=shorten(topics or sentence, _DESCRIPTION_WIDTH),
            # From a month without papers nothing leads on.
            earlier=_name(month_before(first)) if month.papers else "",
            later=_name(later) if later < self._today(profile).replace(day=1) else "",
        )

    def _today(self, profile: Profile) -> date:
        return local_date(self._site.now, profile.schedule.timezone)


def _month(name: str) -> date:
    try:
        year, month = name.split("-")
        first = date(int(year), int(month), 1)
    except ValueError:
        raise PageError(404, "Not a valid month; write it like 2025-05.") from None
    # One address for each month: "2025-5" is none.
    if name != _name(first) or first.year not in _YEARS:
        raise PageError(404, "Not a valid month; write it like 2025-05.")
    return first


def _name(first: date) -> str:
    """Return a month as ISO 8601 has it: ``2025-05``."""
    return f"{first.year:04}-{first.month:02}"


def picture(month: FieldMonth, language: str) -> str:
    """Return the shares of each topic as an ``svg`` element without styles, which the pages' CSP forbids inline."""
    height = _LEGEND + _TOPIC * len(month.topics)
    root = Element("svg", {"class": "chart curve", "viewBox": f"0 0 {_WIDTH} {height}", "role": "img"})
    names = (month_name(month.first, language), "the three months before")
    shares = [months.shares(topic, month) for topic in month.topics]
    largest = max(now for now, _ in shares)
    figures = [
        f"{months.name(topic)} {months.share(now)} and {months.share(before)}"
        for topic, (now, before) in zip(month.topics, shares, strict=True)
    ]
    root.set("aria-label", f"Share of the papers of {names[0]} and of {names[1]}: {'; '.join(figures)}.")
    for kind, x, name in (("now", 0, names[0]), ("before", 170, names[1])):
        SubElement(root, "rect", {"class": kind, "x": f"{x}", "y": "3", "width": "10", "height": "10"})
        SubElement(root, "text", {"x": f"{x + 16}", "y": "13"}).text = name
    for number, (topic, of_topic) in enumerate(zip(month.topics, shares, strict=True)):
        y = _LEGEND + _TOPIC * number
        label = {"class": "topic", "x": "0", "y": f"{y + 18}"}
        SubElement(root, "text", label).text = shorten(months.name(topic), _LABEL_CHARACTERS)
        for row, (kind, value) in enumerate(zip(("now", "before"), of_topic, strict=True)):
            top = y + 25 + (_BAR + 3) * row
            width = round(_BAR_WIDTH * value / largest, 1)
            bar = {"class": kind, "x": "0", "y": f"{top}", "width": f"{width}", "height": f"{_BAR}"}
            SubElement(root, "rect", bar)
            SubElement(root, "text", {"x": f"{width + 6:g}", "y": f"{top + _BAR - 1}"}).text = months.share(value)
    return ET.tostring(root, "unicode")
