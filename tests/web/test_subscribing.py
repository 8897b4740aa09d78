"""Subscribing, unsubscribing and resuming by the pages alone."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from starlette.testclient import TestClient
from support import edit, links_in

from bot.model import StopReason
from bot.readers.subscriptions import TooManyRequestsError
from bot.web.application import make_web

SLUG = "reward-models"

EVE = "eve@example.org"
START = datetime(2025, 5, 7, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(START, tick=False) as clock:
        yield clock


def ask(client, address=EVE, **more):
    return client.post("/subscribe", data={"profile": "reward-models", "email": address, **more})


@pytest.fixture
def deliver(paperbot, clock):
    """Run what the scheduler would run."""

    def run(*arguments):
        return paperbot("run", "--now", datetime.now(UTC).isoformat(), "--json", *arguments).json

    return run


def test_the_start_page_shows_open_profiles_with_todays_papers_and_a_form(client, served):
    page = client.get("/").text
    assert "Reward models" in page
    assert "Stop Summation" in page
    assert '<form method="post" action="/subscribe">' in page
    edit(served / "profiles/reward-models.toml", "open = true", "open = false")
    page = client.get("/").text
    assert "No profile is open for subscriptions" in page
    assert "<code>open = true</code>" in page
    assert client.get("/open/reward-models").status_code == 404
    assert ask(client).status_code == 400


def test_editions_of_own_interests_are_called_after_them(app, client, mails, deliver):
    ask(client, interests="I work on reward models for agents")
    deliver()
    (confirmation,) = mails(EVE)
    assert confirmation["Subject"] == "Please confirm your subscription to “Reward models”"
    (link,) = (link for link in links_in(confirmation) if "/confirm/" in link)
    assert "as typed with the request: “I work on reward models for agents”" in client.get(link).text
    assert "Your editions are named “Reward models for agents”, and go to eve@example.org" in client.post(link).text
    deliver("--force")
    edition = mails(EVE)[-1]
    assert edition.get_body(("plain",)).get_content().startswith("Reward models for agents\r\n")
    (page,) = (link for link in links_in(edition) if "/edition/" in link)
    assert '<h1 dir="auto">Reward models</h1>' in client.get(page).text  # which strangers may see


def test_double_opt_in_subscribes_a_reader(app, client, mails, deliver):
    assert "Check your inbox." in ask(client).text
    assert app.store.readers.get("reward-models", EVE).stopped is StopReason.AWAITING
    assert deliver()["delivered"] == 1
    (mail,) = mails(EVE)
    assert mail["Subject"] == "Please confirm your subscription to “Reward models”"
    (link,) = (link for link in links_in(mail) if "/confirm/" in link)
    assert client.get(link).status_code == client.head(link).status_code == 200
    assert app.store.readers.get("reward-models", EVE).stopped is StopReason.AWAITING
    page = client.post(link).text
    assert "You are subscribed to “Reward models”." in page
    assert client.post(link).status_code == 200
    assert deliver()["editions"] == 1
    assert mails(EVE)[-1]["Subject"].startswith("Stop Summation: ")


def test_the_mail_goes_out_at_once_and_the_first_edition_right_after_confirming(app, mails, deliver, clock):
    """On a Sunday night, when nothing is due by the profile's schedule."""
    clock.move_to(datetime(2025, 5, 11, 23, tzinfo=UTC))
    deliver()  # what had no place in the other reader's edition
    reports = []
    client = TestClient(make_web(app, lambda: reports.append(deliver())), base_url="http://localhost:8000")
    ask(client)
    assert [report["delivered"] for report in reports] == [1]
    ask(client)  # the day's one mail is sent
    assert len(reports) == 1
    (link,) = (link for link in links_in(mails(EVE)[0]) if "/confirm/" in link)
    assert "The first edition is on its way: 5 papers." in client.post(link).text
    assert reports[-1]["editions"] == 1
    assert mails(EVE)[-1]["Subject"].startswith("Stop Summation: ")
    assert "The next edition comes on 13 May 2025." in client.post(link).text, "that of Monday the 12th was sent"
    assert len(reports) == 2
    assert deliver()["editions"] == 0


def test_a_confirmation_mail_holds_nothing_that_the_requester_typed(client, mails, deliver, clock):
    ask(client, name="BUY NOW", interests="BTC, claim at http://evil.example/", homepage="")
    deliver()
    clock.shift(timedelta(hours=25))  # a further request, which finds the interests of the first
    ask(client, name="BUY NOW", homepage="")
    deliver()
    assert len(mails(EVE)) == 2
    for mail in mails(EVE):
        assert mail["Subject"] == "Please confirm your subscription to “Reward models”"
        body = mail.get_body(("html",)).get_content() + mail.get_body(("plain",)).get_content()
        for typed in ("BUY NOW", "BTC", "evil.example"):
            assert typed not in mail.as_string() + body
        assert EVE not in body


def test_the_answer_does_not_reveal_who_is_subscribed(client):
    addresses = ("ada@example.org", "ADA@example.org", "nobody@example.org", EVE, EVE)
    answers = [ask(client, address) for address in addresses]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1


def test_a_subscriber_who_asks_again_gets_a_link_to_the_preferences(app, client, mails, deliver):
    ask(client, "ADA@example.org")
    deliver()
    mail = mails("ada@example.org")[-1]
    assert mail["Subject"] == "You are already subscribed to “Reward models”"
    assert any("/me/" in link for link in links_in(mail))
    assert len(app.store.readers.of_profile("reward-models")) == 1


def test_an_address_gets_one_confirmation_mail_a_day(client, mails, deliver, clock):
    ask(client)
    ask(client, EVE.upper())
    deliver()
    assert len(mails(EVE)) == 1
    clock.shift(timedelta(hours=25))
    ask(client)
    deliver()
    assert len(mails(EVE)) == 2


def test_all_addresses_of_a_mailbox_get_one_mail_together(app, client):
    addresses = [f"victim+{number}@example.org" for number in range(20)] + ["VICTIM@example.org"]
    dotted = ["v.ictim@gmail.com", "vi.ctim+x@googlemail.com"]
    for number, address in enumerate([*addresses, *dotted]):
        app.subscriptions.request(SLUG, app.profiles[SLUG], address, f"client {number}", START)
    assert [reader.address for reader in app.store.readers.all()][1:] == ["victim+0@example.org", "v.ictim@gmail.com"]


def test_who_comes_too_late_is_told_so_and_may_come_again(app, client, clock):
    answers = [ask(client, f"reader{number}@example.org") for number in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3
    assert "no mail was sent to you. Please try again in an hour." in answers[-1].text
    assert 'value="reader7@example.org"' in answers[-1].text
    assert len(app.store.readers.all()) == 1 + 5
    # The answer is the same for an address that had its mail.
    assert ask(client, "reader0@example.org").status_code == 429
    clock.shift(timedelta(hours=1))
    assert ask(client, "reader7@example.org").status_code == 200
    assert app.store.readers.get("reward-models", "reader7@example.org")


def _requests(app, addresses, clients):
    """Return which requests were mailed; False where the mailbox had its mail, None for those turned away."""
    outcomes = []
    for address, client in zip(addresses, clients, strict=True):
        try:
            outcomes.append(app.subscriptions.request(SLUG, app.profiles[SLUG], address, client, START))
        except TooManyRequestsError:
            outcomes.append(None)
    return outcomes


def test_a_site_of_ipv6_has_so_many_mails_however_many_networks_it_has(app):
    addresses = [f"r{number}@example.org" for number in range(25)]
    assert _requests(app, addresses, [f"2001:db8:1:{n:x}::/64" for n in range(25)]) == [True] * 20 + [None] * 5
    assert _requests(app, ["other@example.org"], ["2001:db8:2::/64"]) == [True]


def test_requests_for_one_mailbox_use_up_nobody_elses_mails(app, paperbot, monkeypatch):
    monkeypatch.setattr("bot.readers.subscriptions.IN_ALL_AN_HOUR", 3)
    clients = [f"client {n}" for n in range(12)]
    assert _requests(app, [EVE] * 12, clients) == [True] + [False] * 11
    assert "! subscriptions: " not in paperbot("status", "--now", START.isoformat()).err
    honest = [f"honest{n}@example.org" for n in range(4)]
    assert _requests(app, honest, clients[:4]) == [True, True, None, None]
    told = "! subscriptions: strangers requested 3 confirmation mails within an hour, the most that are sent; further "
    assert told in paperbot("status", "--now", START.isoformat()).err
    assert "! subscriptions: " not in paperbot("status", "--now", (START + timedelta(hours=1)).isoformat()).err


def test_the_honeypot_field_suppresses_the_mail_silently(app, client):
    human = ask(client, "a@example.org")
    program = ask(client, "b@example.org", homepage="https://spam.example")
    assert human.text == program.text
    assert app.store.readers.get("reward-models", "b@example.org") is None


INVALID_ADDRESSES = ["", "eve", "eve@", "a@b,c@d", "eve@example.org\r\nBcc: x@y.z", "x" * 300 + "@y.z", "<b>"]


def test_an_invalid_address_is_reported_beside_the_field(app, client):
    for typed in INVALID_ADDRESSES:
        answer = ask(client, typed)
        assert answer.status_code == 400, typed
        assert "Please enter a valid email address" in answer.text
        assert "<b>" not in answer.text
    assert len(app.store.readers.all()) == 1


def test_unconfirmed_readers_are_deleted_after_two_days(app, client, mails, deliver, clock):
    ask(client)
    deliver()
    (link,) = (link for link in links_in(mails(EVE)[0]) if "/confirm/" in link)
    clock.shift(timedelta(hours=49))
    deliver()
    assert app.store.readers.get("reward-models", EVE) is None
    assert client.post(link).status_code == 410


def test_unsubscribing_takes_a_button_and_resubscribing_another(app, client, reader, links, deliver):
    assert "Unsubscribe from “Reward models”?" in client.get(links.unsubscribe()).text
    assert app.store.readers.by_id(reader.id).stopped is None
    assert "You are unsubscribed." in client.post(links.unsubscribe()).text
    assert app.store.readers.by_id(reader.id).stopped is StopReason.UNSUBSCRIBED
    assert deliver("--force")["editions"] == 0
    assert "Subscribe again" in client.get(links.unsubscribe()).text
    assert "You are subscribed again." in client.post(links.unsubscribe(), data={"do": "resubscribe"}).text
    report = deliver("--force")
    assert report["editions"] + report["skipped"] == 1


@pytest.mark.parametrize(
    "form", [{"data": {"List-Unsubscribe": "One-Click"}}, {"files": {"List-Unsubscribe": (None, "One-Click")}}]
)
def test_one_click_unsubscribing_works_in_both_form_encodings(app, client, reader, links, form):
    for _ in range(2):
        answer = client.post(links.unsubscribe(), follow_redirects=False, **form)
        assert answer.status_code == 200
    assert app.store.readers.by_id(reader.id).stopped is StopReason.UNSUBSCRIBED


def test_an_unsubscribed_reader_can_subscribe_again_on_the_start_page(app, client, reader, links, mails, deliver):
    client.post(links.unsubscribe())
    ask(client, reader.address)
    deliver()
    (link,) = (link for link in links_in(mails(reader.address)[-1]) if "/confirm/" in link)
    client.post(link)
    assert app.store.readers.by_id(reader.id).stopped is None


def test_an_operator_can_stop_a_reader_who_subscribed_on_the_web(app, client, served, paperbot):
    ask(client)
    before = (served / "profiles" / "reward-models.toml").read_text()
    client.post(app.links(app.store.readers.get("reward-models", EVE)).confirm())
    assert f"reward-models/{EVE}: by web" in paperbot("profiles").out
    assert paperbot("unsubscribe", f"reward-models/{EVE}").code == 0
    assert app.store.readers.get("reward-models", EVE).stopped is StopReason.OPERATOR
    assert (served / "profiles" / "reward-models.toml").read_text() == before
    assert paperbot("status").code == 0


STOPPED_BY_OTHERS = {
    "by the operator's command": lambda app, reader, paperbot: paperbot("unsubscribe", reader.name),
    "by another address that refuses": lambda app, reader, paperbot: app.store.readers.stop(
        reader.id, StopReason.REFUSED
    ),
}


@pytest.mark.parametrize("way", STOPPED_BY_OTHERS)
def test_old_links_do_not_start_a_reader_stopped_by_somebody_else(
    app, client, reader, links, mails, deliver, paperbot, way
):
    ask(client, reader.address)
    deliver()
    before = len(mails(reader.address))
    STOPPED_BY_OTHERS[way](app, reader, paperbot)
    stopped = app.store.readers.by_id(reader.id)
    assert stopped.stopped in (StopReason.REMOVED, StopReason.REFUSED)
    assert "Subscribe again" not in client.get(links.unsubscribe()).text
    assert "Resume" not in client.get(f"{links.me()}/data").text
    for page, form in [
        (links.unsubscribe(), {"do": "resubscribe"}),
        (links.me(), {"do": "resume"}),
        (links.confirm(), {}),
    ]:
        answer = client.post(page, data=form)
        assert answer.status_code == 403
        assert "Only the operator of Paperbot can start them again" in answer.text
    assert client.get(links.confirm()).status_code == 403
    assert client.post(links.unsubscribe()).status_code == 200  # RFC 8058: a one-click request always succeeds
    assert app.store.readers.by_id(reader.id) == stopped
    assert client.post("/subscribe", data={"profile": "reward-models", "email": reader.address}).status_code == 200
    deliver()
    assert len(mails(reader.address)) == before


OUTSIDE = "bob@elsewhere.example"


@pytest.fixture
def allow(served, monkeypatch):
    """Let the profile take readers of one domain at once, and give the home an operator."""
    profile = served / "profiles" / "reward-models.toml"
    profile.write_text(f'allow = ["uni.example"]\n{profile.read_text()}')
    monkeypatch.setenv("PAPERBOT_BOT__OPERATOR", "owner@uni.example")


def confirm(app, client, address):
    """Ask for a subscription, confirm it, and return the page and the reader."""
    ask(client, address)
    page = client.post(app.links(app.store.readers.get(SLUG, address)).confirm()).text
    return page, app.store.readers.get(SLUG, address)


def test_a_subscriber_outside_allow_waits_for_the_operators_command(app, client, allow, deliver, mails, paperbot):
    page, reader = confirm(app, client, OUTSIDE)
    assert "The operator of Paperbot has to approve your subscription to “Reward models”." in page
    assert reader.stopped is StopReason.APPROVAL
    assert "waits for the operator&#39;s approval" in client.get(app.links(reader).me()).text
    assert "Your address is confirmed." in client.post(app.links(reader).confirm()).text
    deliver("--force")
    assert [mail["Subject"] for mail in mails(OUTSIDE)] == ["Please confirm your subscription to “Reward models”"]
    (notice,) = mails("owner@uni.example")
    assert notice["Subject"] == "Paperbot: 1 reader waits for your approval"
    command = next(line for line in notice.get_content().splitlines() if line.startswith("    paperbot"))
    assert paperbot(*command.split()[1:]).code == 0
    deliver("--force")
    assert mails(OUTSIDE)[-1]["Subject"].startswith("Stop Summation: ")


def test_check_says_that_nobody_is_told_who_waits(allow, paperbot, monkeypatch):
    told = "subscribers outside `allow` wait for your approval, and no mail tells you; set bot.operator"
    assert told not in paperbot("check").out
    monkeypatch.delenv("PAPERBOT_BOT__OPERATOR")
    assert told in paperbot("check").out


def test_no_old_link_starts_a_reader_without_approval(app, client, allow):
    _, reader = confirm(app, client, OUTSIDE)
    assert "You are unsubscribed." in client.post(app.links(reader).unsubscribe()).text
    for page, form in [(app.links(reader).unsubscribe(), {"do": "resubscribe"}), (app.links(reader).confirm(), {})]:
        client.post(page, data=form)
        assert app.store.readers.by_id(reader.id).stopped in (StopReason.AWAITING, StopReason.APPROVAL)


def test_the_operator_gets_one_mail_a_day_on_who_joined(app, client, allow, deliver, mails, clock):
    for address in ("eve@uni.example", "fay@cs.uni.example"):
        page, reader = confirm(app, client, address)
        assert "You are subscribed to “Reward models”." in page
        assert reader.stopped is None
        clock.shift(timedelta(minutes=10))
        deliver()
    (first,) = mails("owner@uni.example")
    assert first["Subject"] == "Paperbot: 1 reader joined"
    assert "reward-models/eve@uni.example" in first.get_content()
    clock.shift(timedelta(days=1))
    deliver()
    deliver()
    _, second = mails("owner@uni.example")
    assert "fay@cs.uni.example" in second.get_content()
    assert "eve@uni.example" not in second.get_content()


def test_a_pause_ends_on_its_day(app, client, reader, links, deliver, clock):
    page = client.get(f"{links.me()}/data").text
    assert 'value="2025-05-21" min="2025-05-08"' in page
    client.post(f"{links.me()}/data", data={"do": "pause", "until": "2025-05-09"})
    assert "No editions until 9 May 2025." in client.get(links.me()).text
    clock.move_to(datetime(2025, 5, 8, 21, 59, tzinfo=UTC))  # midnight in Berlin is two hours earlier than in UTC
    deliver()
    assert app.store.readers.by_id(reader.id).stopped is StopReason.PAUSED
    clock.move_to(datetime(2025, 5, 8, 22, 0, tzinfo=UTC))
    deliver()
    assert app.store.readers.by_id(reader.id).stopped is None
    for wrong, remedy in (("2025-05-09", "ends tomorrow"), ("2027-01-01", "within a year"), ("soon", "Choose a day")):
        refused = client.post(links.me(), data={"do": "pause", "until": wrong})
        assert (refused.status_code, remedy in refused.text) == (400, True)


def test_one_button_pauses_all_lists_of_an_address(app, client, served, reader, links):
    profile = served / "profiles" / "reward-models.toml"
    (served / "profiles" / "second.toml").write_text(profile.read_text())
    other = app.store.readers.request_subscription("second", "email", reader.address, START)
    app.store.readers.confirm(other.id, START)
    assert "All my 2 lists" in client.get(f"{links.me()}/data").text
    for action, stopped in (("pause", StopReason.PAUSED), ("resume", None)):
        client.post(links.me(), data={"do": action, "all": "1"})
        assert {app.store.readers.by_id(r.id).stopped for r in (reader, other)} == {stopped}


def test_a_paused_reader_may_unsubscribe_and_resume(app, client, reader, links):
    client.post(links.me(), data={"do": "pause"})
    client.post(links.unsubscribe())
    assert app.store.readers.by_id(reader.id).stopped is StopReason.UNSUBSCRIBED
    client.post(links.me(), data={"do": "resume"})
    assert app.store.readers.by_id(reader.id).stopped is None


def test_no_channel_member_can_unsubscribe_the_channel(app, client, served, paperbot):
    assert paperbot("subscribe", "reward-models", "C0123ABC").code == 0
    channel = app.store.readers.get("reward-models", "C0123ABC")
    page = app.links(channel).unsubscribe()
    assert client.get(page).status_code == 403
    for form in ({}, {"do": "resubscribe"}, {"List-Unsubscribe": "One-Click"}):
        assert client.post(page, data=form).status_code == 403
    assert app.store.readers.by_id(channel.id).stopped is None


def test_reloading_the_forms_address_redirects_to_the_form(client):
    answer = client.get("/subscribe", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
