"""An open profile's best papers of a week, with a picture for previews.

Strangers see these pages, so they show no reasons, matches or marked words.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from io import BytesIO

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot import wording
from bot.channels.email import EMAIL
from bot.config.profiles import Profile
from bot.editions.due import Candidates, superseded
from bot.model import NOT_STORED, Edition, PaperId, Reader
from bot.model.clock import moment
from bot.model.wording import long_date, oneline, shorten
from bot.web.archive import EditionCache, OpenEditions, public_edition
from bot.web.site import Site

_MOST_PAPERS = 5
_WEEK = timedelta(days=7)
_DESCRIPTION_WIDTH = 200  # characters that previews show
_NO_WEEK = "No paper of this week is here."


class WeekPages:
    """``/open/{slug}/week``, its weeks, and their pictures."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open_editions = open_editions
        self._cache = EditionCache(site)

    def redirect_to_newest(self, request: Request) -> Response:
        slug = request.path_params["slug"]
        profile = self._open_editions.profile(slug)
        newest = self._site.store.papers.newest_first_seen(profile.sources)
        if newest is None:
            raise HTTPException(404, _NO_WEEK)
        day = profile.schedule.day_of(newest)
        return RedirectResponse(f"/open/{slug}/week/{_week_name(day)}", 303)

    def show(self, request: Request) -> Response:
        edition = self._edition(request)
        slug, monday = edition.reader.profile, edition.date
        profile = self._open_editions.profile(slug)
        address = f"{self._site.app.public_url}/open/{slug}/week/{_week_name(monday)}"
        return self._site.page(
            "week.html.j2",
            language=edition.language,
            slug=slug,
            edition=edition,
            dates=_dates(monday, edition.language),
            address=address,
            description=shorten("; ".join(wording.news(pick) for pick in edition.picks), _DESCRIPTION_WIDTH),
            earlier=self._name_if_any(profile, monday - _WEEK),
            later=self._name_if_any(profile, monday + _WEEK),
        )

    def picture(self, request: Request) -> Response:
        edition = self._edition(request)
        lines = [wording.news(pick) for pick in edition.picks]
        content = draw(edition.profile_title, _dates(edition.date, "en"), lines)
        # Previews load it from other sites.
        headers = {"Cache-Control": "max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"}
        return Response(content, media_type="image/png", headers=headers)

    def _edition(self, request: Request) -> Edition:
        """Return the edition of a week, dated on its Monday."""
        slug, monday = request.path_params["slug"], _monday(request.path_params["week"])
        profile = self._open_editions.profile(slug)

        def compose() -> Edition:
            # Counted here, because a preview requests page and picture at once.
            self._site.count_view(request)
            section = profile.edition.model_copy(update={"size": _MOST_PAPERS, "explore": 0})
            of_week = profile.model_copy(update={"edition": section, "alerts": None, "group": False})
            reader = Reader(NOT_STORED, slug, EMAIL.name, "")
            _, end = _bounds(profile, monday)
            candidates = Candidates(self._papers(profile, monday), self._site.store.papers.newest_id())
            with self._site.composer() as composer:
                edition = composer.edition(reader, of_week, monday, min(end, self._site.now), candidates)
            if not edition.picks:
                raise HTTPException(404, _NO_WEEK)
            return public_edition(edition, is_open=False)

        return self._cache.get((slug, monday), profile, compose)

    def _papers(self, profile: Profile, monday: date) -> list[PaperId]:
        hidden = superseded(self._site.store, self._site.app.composer.samples)
        start, end = _bounds(profile, monday)
        arrivals = self._site.store.papers.arrivals(start, end - timedelta(microseconds=1), profile.sources)
        return [paper_id for paper_id, _ in arrivals if paper_id not in hidden]

    def _name_if_any(self, profile: Profile, monday: date) -> str:
        return _week_name(monday) if self._papers(profile, monday) else ""


def _monday(name: str) -> date:
    try:
        year, week = name.split("-W")
        monday = date.fromisocalendar(int(year), int(week), 1)
    except ValueError:
        raise HTTPException(404, "Not a valid week. Write it like 2025-W19.") from None
    # Each week has one address, so "2025-W5" is invalid.
    if name != _week_name(monday):
        raise HTTPException(404, f"Not a valid week. Write it like {_week_name(monday)}.")
    return monday


def _week_name(day: date) -> str:
    """Return the week of a day in ISO 8601: ``2025-W19``."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def _bounds(profile: Profile, monday: date) -> tuple[datetime, datetime]:
    """Return the week's bounds in the profile's time zone. Raises HTTPException."""
    timezone = profile.schedule.timezone
    try:
        return moment(monday, time(), timezone), moment(monday + _WEEK, time(), timezone)
    except OverflowError:
        raise HTTPException(404, _NO_WEEK) from None


def _dates(monday: date, language: str) -> str:
    return f"{long_date(monday, language)} – {long_date(monday + timedelta(days=6), language)}"


# --- the picture

PICTURE_SIZE = (1200, 630)  # pixels, as previews of Open Graph crop it
_MARGIN = 72
_PAPER, _INK, _SOFT, _LINK = "#fdfcfa", "#22201d", "#68625a", "#1f4e79"
# Of 100 titles in English, 99 are narrower.
_HEADING_COLUMNS, _COLUMNS = 34, 58
_BOTTOM = 570
# Letters that Pillow's font lacks and NFKD keeps.
_REPLACED = str.maketrans("øØłŁı–—×“”‘’", "oOlLi--x\"\"''") | str.maketrans({"ß": "ss", "æ": "ae"})
_GREEK = re.compile(r"GREEK (?:SMALL|CAPITAL) LETTER (\w+)$")


def draw(title: str, dates: str, lines: Sequence[str]) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", PICTURE_SIZE, _PAPER)
    canvas = ImageDraw.Draw(picture)
    large, medium, small = (ImageFont.load_default(size) for size in (58, 34, 28))

    y = 62
    heading = f"Best of the week: {drawable(title) or 'new papers'}"
    for row in textwrap.wrap(heading, _HEADING_COLUMNS, max_lines=2, placeholder="..."):
        canvas.text((_MARGIN, y), row, _INK, large)
        y += 70
    canvas.text((_MARGIN, y + 4), drawable(dates), _SOFT, small)
    y += 74
    for line in filter(None, map(drawable, lines)):
        rows = textwrap.wrap(line, _COLUMNS, max_lines=2, placeholder="...")
        if y + 44 * len(rows) > _BOTTOM:
            break
        canvas.ellipse((_MARGIN, y + 14, _MARGIN + 10, y + 24), _LINK)
        for row in rows:
            canvas.text((_MARGIN + 30, y), row, _LINK, medium)
            y += 44
        y += 14
    content = BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()


def drawable(text: str) -> str:
    """Return a text in ASCII for Pillow's font, or an empty string if a tenth would be lost.

    >>> drawable("β-amyloid in Ångström – a café"), drawable("强化学习")
    ('beta-amyloid in Angstrom - a cafe', '')
    """
    plain = ""
    for letter in unicodedata.normalize("NFKD", oneline(text).translate(_REPLACED)):
        if letter.isascii():
            plain += letter
        elif greek := _GREEK.match(unicodedata.name(letter, "")):
            plain += greek[1].lower()
    return plain if len(plain) >= 0.9 * len(text) else ""
