"""Makes the pictures of the documents anew, from a home as ``paperbot init`` makes it: ``make pictures``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email import message_from_bytes, policy
from pathlib import Path

import time_machine
from playwright.sync_api import Browser, sync_playwright
from starlette.testclient import TestClient

from bot.app import App, open_app
from bot.cli.main import invoke
from bot.model import Vote
from bot.web.application import make_web

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
_NOW = datetime(2025, 5, 7, 9, tzinfo=UTC)
_STYLE_SHEET = '<link rel="stylesheet" href="/style.css">'
_EMOJI = ":lang=und-zsye"  # fontconfig's pattern for fonts with emoji
_DISLIKED = "GUI agents"  # words of papers that the reader votes down
_TELEPHONE = 390  # CSS pixels


def main() -> int:
    """Write edition.png, voted.png and me.png; 1 without Chromium or a font with the thumbs."""
    chromium = shutil.which("chromium")
    fonts = shutil.which("fc-list")
    if not chromium or not fonts or not subprocess.check_output([fonts, _EMOJI]):
        print("needs Chromium, fontconfig and an emoji font (Debian: chromium, fontconfig, fonts-noto-color-emoji)")
        return 1
    with _home_with_an_edition() as app, sync_playwright() as playwright:
        # In containers Chromium's sandbox has no permission; all that it shows is our own.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        reader = app.store.readers.get("reward-models", "ada@example.org")
        assert reader
        (path,) = app.home.outbox_folder.rglob("*.eml")
        mail = message_from_bytes(path.read_bytes(), policy=policy.default)
        html = mail.get_body(("html",))
        assert html
        _picture(browser, html.get_content(), "edition.png", 760, 1180)
        (edition,) = app.store.editions.of_reader(reader.id)
        best, *others = (pick.paper for pick in app.store.editions.picks_of(edition.id))
        # The pages go by the clock, and would show votes of that day as faded.
        with time_machine.travel(_NOW):
            for paper in others:
                app.store.feedback.add(reader.id, paper.id, Vote.UP, _NOW, "page")
            for paper in app.store.search.papers(_DISLIKED):
                app.store.feedback.add(reader.id, paper.id, Vote.DOWN, _NOW, "page")
            client = TestClient(make_web(app), base_url="http://localhost:8000")
            style = f"<style>{client.get('/style.css').text}</style>"
            links = app.links(reader)
            voted = client.post(links.thumb(best, Vote.UP)).text.replace(_STYLE_SHEET, style)
            learned = client.get(f"{links.me()}/votes").text.replace(_STYLE_SHEET, style)
        _picture(browser, voted, "voted.png", _TELEPHONE, 720)
        _picture(
            browser, learned.replace("<details", "<details open"), "me.png", _TELEPHONE, 720, top="What was learned"
        )
        browser.close()
    return 0


@contextmanager
def _home_with_an_edition() -> Iterator[App]:
    """Open a new home whose sample digests are read, and their edition written to a file."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        for arguments in (
            ["init", str(home), "--email", "ada@example.org"],
            ["--home", str(home), "run", "--now", _NOW.isoformat()],
        ):
            if invoke(arguments):
                raise RuntimeError(f"paperbot {' '.join(arguments)} failed")
        with open_app(home) as app:
            yield app


def _picture(browser: Browser, html: str, name: str, width: int, height: int, *, top: str = "") -> None:
    """Write a picture of a page, from the heading ``top`` on if there is one."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_content(html)
    if top:
        page.get_by_role("heading", name=top).evaluate("heading => heading.scrollIntoView()")
    page.screenshot(path=PICTURES / name)
    page.close()


if __name__ == "__main__":
    sys.exit(main())
