"""A person subscribes, votes, sees the effect and unsubscribes, in a browser on a phone and on a desktop."""

import socket
import threading
from urllib.parse import urlsplit

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from support import digest, links_in

from bot.app import open_app
from bot.model import Vote
from bot.web.application import make_web

from .conftest import OPERATOR

EVE = "eve@example.org"
AXE = Axe()
# What axe looks for on a desktop in the dark, and on a phone by day. Colours alone depend on the scheme.
VIEWS = {
    (1280, "dark"): {"runOnly": ["color-contrast"], "resultTypes": ["violations"]},
    (320, "light"): {"resultTypes": ["violations"]},
}


@pytest.fixture
def base(served, monkeypatch):
    """Return the address of a running server."""
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", url)
    with open_app(served) as app:
        config = uvicorn.Config(make_web(app), log_level="warning", access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield url
        server.should_exit = True
        thread.join()


@pytest.fixture
def page(browser, base):
    """Open a page on a phone; it may send no request to another server."""
    requested = set()
    operator = {"username": "operator", "password": OPERATOR}
    with browser.new_context(viewport={"width": 390, "height": 800}, http_credentials=operator) as context:
        page = context.new_page()
        page.on("request", lambda request: requested.add(request.url))
        yield page
    assert all(url.startswith(base) for url in requested)


def in_each_view(page):
    """Show the page on a desktop, and then on a phone; yield what axe looks for there."""
    for (width, scheme), options in VIEWS.items():
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        yield options


def check(page):
    """Check that nothing scrolls sideways, and that axe finds no violation of WCAG."""
    page.wait_for_load_state("load")  # after a click the style sheet may be on its way
    page.evaluate(AXE.axe_script)
    for options in in_each_view(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
        violations = page.evaluate("options => axe.run(options).then(results => results.violations)", options)
        assert [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in violations] == []


def test_from_subscribing_to_unsubscribing(base, page, served, mails, paperbot):
    """The tests below check each of these pages."""
    page.goto(base)
    page.get_by_label("Your email address").fill(EVE)
    page.get_by_role("button", name="Subscribe").click()
    assert page.get_by_role("heading").inner_text() == "Check your inbox."

    paperbot("run")  # as the scheduler would
    (confirm,) = (link for link in links_in(mails(EVE)[0], base) if "/confirm/" in link)
    page.goto(confirm)
    page.get_by_role("button", name="Yes, subscribe me").click()
    assert page.get_by_role("heading").inner_text().startswith("You are subscribed to ")

    paperbot("run", "--force")
    first = mails(EVE)[-1]
    assert first["Subject"].startswith("Stop Summation: ")
    text = first.get_body(("plain",)).get_content()
    up = next(line.strip() for line in text.splitlines() if "vote=up" in line)
    page.goto(up)
    page.get_by_role("button", name="👍 More like this").click()
    assert "More like this." in page.get_by_role("status").inner_text()
    assert "credit" in page.locator(".changes").inner_text()

    (served / "seeds" / "new.txt").write_text(
        digest("Min-form credit assignment of rewards", "Reward models of another kind")
    )
    paperbot("run", "--force")

    def match(reader: str) -> float:
        return paperbot("why", f"reward-models/{reader}", "Min-form credit", "--json").json["score"]

    assert match(EVE) > match("ada@example.org")

    (me,) = (link for link in links_in(first, base) if "/me/" in link and "/more/" not in link)
    page.goto(f"{me}/votes")
    assert page.get_by_role("listitem").filter(has_text="👍 Stop Summation").count() == 1

    leave = next(link for link in links_in(first, base) if "/unsubscribe/" in link)
    page.goto(leave)
    page.get_by_role("button", name="Unsubscribe").click()
    assert page.get_by_role("heading").inner_text() == "You are unsubscribed."
    assert page.get_by_role("button", name="Subscribe again").is_visible()
    before = len(mails(EVE))
    paperbot("run", "--force")
    assert len(mails(EVE)) == before


@pytest.fixture
def every_page(base, served, paperbot):
    """Return the address of every page, each with content."""
    with open_app(served) as app:
        reader = app.store.readers.all()[0]
        edition = app.store.editions.last(reader.id)
        picks = app.store.editions.picks_of(edition.id)
        for number, pick in enumerate(picks):
            vote = Vote.DOWN if number % 3 else Vote.UP
            app.store.feedback.add(reader.id, pick.paper.id, vote, edition.composed_at, "mail")
        links = app.links(reader)
        me = links.me()
        own = [
            me,
            f"{me}/votes",
            f"{me}/data",
            f"{me}/edition/{edition.date}",
            f"{me}/search?q=agents",
            f"{me}/forget",
            links.edition(edition.date),
            links.unsubscribe(),
        ]
        paper = picks[0].paper.ref
        own += [f"{me}/archive", f"{me}/paper/{paper}", f"{base}/paper/{paper}", f"{me}/search?q=rewrad"]
        own += [links.thumb(picks[0].paper, Vote.UP), links.confirm(), links.go(picks[0].paper)]
        own += [links.save(picks[0].paper, "page"), f"{me}/search", f"{me}/search?q=zzzzqqq", f"{me}/nowhere"]
    open_profile = "/open/reward-models"
    everybodys = ["", open_profile, f"{open_profile}/week", "/search?q=reward", "/nowhere", "/sample", "/status"]
    return [*own, *(base + path for path in everybodys)]


def test_every_page_is_accessible_and_its_buttons_are_large_enough_to_touch(every_page, page):
    for url in every_page:
        page.goto(url)
        page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
        check(page)
        for _ in in_each_view(page):
            sizes = page.evaluate(
                "[...document.querySelectorAll('button, .button')].map(each => each.getBoundingClientRect())"
                ".map(box => [box.width, box.height])"
            )
            assert [size for size in sizes if min(size) < 44] == [], url


def test_what_a_form_leads_to_is_accessible(base, served, page):
    with open_app(served) as app:
        reader = app.store.readers.all()[0]
        links = app.links(reader)
        (paper, *_) = (pick.paper for pick in app.store.editions.picks_of(1))

    def press(url, button, heading):
        page.goto(url)
        page.get_by_role("button", name=button, exact=True).click()
        page.get_by_role("heading", name=heading, level=1).wait_for()
        check(page)

    press(links.thumb(paper, Vote.UP), "👍 More like this", paper.title)
    press(links.thumb(paper, Vote.UP), "👍 More like this", paper.title)
    page.get_by_role("button", name="Undo").click()
    check(page)
    press(links.me(), "Save", "Your preferences")
    press(f"{links.me()}/data", "Pause", "Your preferences")
    press(f"{links.me()}/data", "Resume", "Your preferences")
    press(links.unsubscribe(), "Unsubscribe", "You are unsubscribed.")
    page.get_by_role("button", name="Subscribe again").click()
    check(page)
    page.goto(base)
    page.evaluate("document.querySelectorAll('form').forEach(form => form.noValidate = true)")
    page.get_by_label("Your email address").fill("eve")
    page.get_by_role("button", name="Subscribe", exact=True).click()
    page.get_by_role("alert").wait_for()
    check(page)
    page.get_by_label("Your email address").fill(EVE)
    page.get_by_role("button", name="Subscribe", exact=True).click()
    page.get_by_role("heading", name="Check your inbox.", level=1).wait_for()
    check(page)
    with open_app(served) as app:
        confirm = app.links(app.store.readers.get("reward-models", EVE)).confirm()
    press(confirm, "Yes, subscribe me", "You are subscribed to")
    press(f"{links.me()}/forget", "Delete my data", "Your data is deleted.")


def test_a_newcomer_chooses_among_open_profiles_and_keeps_the_interests(base, page, served):
    first = (served / "profiles" / "reward-models.toml").read_text()
    (served / "profiles" / "agents.toml").write_text(
        first.replace("Reward models", "Agents", 1).replace("ada@example.org", "bob@example.org")
    )
    page.goto(base)
    check(page)
    page.get_by_label("Your field").select_option("reward-models")
    page.get_by_label("Your interests").type("Reward models of agents")
    page.get_by_role("heading", name="Get it by email").wait_for()
    check(page)
    # The form below, which would subscribe to the profile without the interests, gives way to that of the edition.
    assert page.get_by_role("heading", name="Subscribe", exact=True).is_hidden()
    page.get_by_label("Your email address").locator("visible=true").fill(EVE)
    page.get_by_role("button", name="Subscribe").locator("visible=true").click()
    assert page.get_by_role("heading").inner_text() == "Check your inbox."
    with open_app(served) as app:
        reader = app.store.readers.get("reward-models", EVE)
        assert app.store.overrides.get(reader.id).interests == "Reward models of agents"


def test_the_learning_curve_is_accessible(base, experienced, links, page):
    page.goto(f"{base}{urlsplit(links.me()).path}/votes")
    page.get_by_text("Is it learning my preferences?").click()
    check(page)
    curve = page.get_by_role("img", name="With thumbs")
    for _ in in_each_view(page):
        box = curve.bounding_box()
        assert 250 < box["width"] <= 480
        for text in curve.locator("text").all():
            inside = text.bounding_box()
            assert inside["x"] + inside["width"] <= box["x"] + box["width"] + 0.5


def test_the_preview_is_shown_while_one_types_and_leads_to_a_subscription(base, page):
    page.goto(base)
    page.get_by_label("Your interests").type("Reward models")
    page.get_by_role("heading", name="Your edition", exact=True).wait_for()
    assert page.locator("#preview .picks li").count() > 0
    check(page)
    page.get_by_role("button", name="Show my edition").click()
    page.get_by_role("heading", name="What you would get").wait_for()
    check(page)
    page.get_by_label("Your email address").fill(EVE)
    page.get_by_role("button", name="Subscribe").click()
    assert page.get_by_role("heading").inner_text() == "Check your inbox."


def test_the_start_page_works_with_the_keyboard_alone(base, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(base)
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "email":
            break
    page.keyboard.type(EVE)
    page.keyboard.press("Enter")
    assert page.get_by_role("heading").inner_text() == "Check your inbox."
