"""Thumbs and /papers in Slack: requests are verified, acknowledged first, and answered to their sender alone."""

import json
import re
import shutil
import time
from itertools import count
from urllib.parse import parse_qs, quote_plus
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slack_sdk.signature import SignatureVerifier
from slack_workspace import Workspace
from starlette.testclient import TestClient

from bot.app import open_app
from bot.channels import is_shared
from bot.cli.main import invoke
from bot.model import Reader, StopReason, Vote
from bot.model.errors import StoreError
from bot.web.application import make_web

SECRET = "a signing secret of the tests"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def workspace():
    with Workspace().running() as workspace:
        yield workspace


@pytest.fixture(scope="module")
def after_a_channels_run(after_a_run, tmp_path_factory):
    """Create a home whose profile goes to a channel as well, with its first edition sent."""
    home = tmp_path_factory.mktemp("channel") / "papers"
    shutil.copytree(after_a_run, home)
    assert invoke(["--home", str(home), "subscribe", "reward-models", "C0123ABC"]) == 0
    assert invoke(["--home", str(home), "run", "--force"]) == 0
    return home


@pytest.fixture
def served(after_a_channels_run, workspace, tmp_path, monkeypatch):
    """Copy that home for a test, with the tests' workspace in its settings."""
    home = tmp_path / "channel"
    shutil.copytree(after_a_channels_run, home)
    monkeypatch.setenv("PAPERBOT_SLACK__SIGNING_SECRET", SECRET)
    monkeypatch.setenv("PAPERBOT_SLACK__API_URL", workspace.api_url)
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def channel(app):
    return app.store.readers.get("reward-models", "C0123ABC")


@pytest.fixture
def paper(app, channel):
    return app.store.editions.picks_of(app.store.editions.last(channel.id).id)[0].paper


@pytest.fixture
def post(client):
    """Post a signed body; each has its own timestamp, as the same body in the same second would be a replay."""
    ago = count()

    def send(body, path="/slack/actions", **changed):
        stamp = str(int(time.time()) - next(ago))
        signature = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=body)
        headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature, "Content-Type": FORM}
        return client.post(path, content=body, headers={**headers, **changed})

    return send


def press(paper, workspace, action="thumb_up", user="U1", **more):
    payload = {
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": user, "team_id": "T1"},
        "channel": {"id": "C0123ABC"},
        "actions": [{"action_id": action, "value": paper.ref}],
        "response_url": workspace.response_url,
        **more,
    }
    return "payload=" + quote_plus(json.dumps(payload))


def papers(text, workspace, user="U9", channel="C0999ZZZ"):
    fields = {"command": "/papers", "text": text, "user_id": user, "team_id": "T1", "channel_id": channel}
    fields["trigger_id"] = uuid4().hex  # no two requests of Slack's are the same
    return "&".join(f"{k}={quote_plus(v)}" for k, v in {**fields, "response_url": workspace.response_url}.items())


def test_a_button_records_the_members_vote_and_answers_that_member_alone(app, post, workspace, channel, paper):
    assert post(press(paper, workspace)).status_code == 200
    (answer,) = workspace.answers
    assert answer["response_type"] == "ephemeral"
    assert answer["replace_original"] is False
    assert answer["text"].startswith("👍 More like “")
    assert "thread_ts" not in answer
    assert "In this channel: 1 👍 0 👎" in answer["text"]
    (thumb,) = app.store.feedback.votes(channel.id)
    assert (thumb.paper, thumb.vote, thumb.via, thumb.voter) == (paper.id, Vote.UP, "slack", "T1/U1")


@pytest.mark.parametrize(
    "place", [{"message": {"thread_ts": "17.1"}}, {"container": {"type": "message", "thread_ts": "17.1"}}]
)
def test_a_press_in_a_thread_is_answered_there(app, post, workspace, channel, paper, place):
    key = {"metadata": {"event_payload": {"key": f"1:{channel.id}:slack:2"}}}
    message = {"message": {**place.get("message", {}), **key}}
    post(press(paper, workspace, **{**place, **message}))
    (answer,) = workspace.answers
    assert (answer["thread_ts"], answer["response_type"]) == ("17.1", "ephemeral")
    assert answer["blocks"][1]["elements"][0]["action_id"] == "thumb_clear"
    assert [vote.vote for vote in app.store.feedback.votes(channel.id)] == [Vote.UP]


def test_each_channel_member_has_one_vote_per_paper(app, post, workspace, channel, paper):
    for user, action in [("U1", "thumb_up"), ("U2", "thumb_up"), ("U2", "thumb_down"), ("U3", "thumb_up")]:
        post(press(paper, workspace, action, user))
    assert "In this channel: 2 👍 1 👎" in workspace.answers[-1]["text"]
    post(press(paper, workspace, "thumb_clear", "U1"))
    assert sorted(t.voter for t in app.store.feedback.votes(channel.id)) == ["T1/U2", "T1/U3"]


def test_a_channel_has_one_list_for_later(app, post, workspace, channel, paper):
    for user in ("U1", "U2"):
        post(press(paper, workspace, "thumb_save", user))
    assert workspace.answers[-1]["text"].startswith("🔖 Saved: “")
    undo = workspace.answers[-1]["blocks"][1]["elements"][0]["action_id"]
    assert [vote.paper for vote in app.store.feedback.saved(channel.id)] == [paper.id]
    post(press(paper, workspace, undo, "U2"))
    assert app.store.feedback.saved(channel.id) == app.store.feedback.votes(channel.id) == []


def test_a_replayed_request_changes_nothing(app, client, workspace, channel, paper):
    body, stamp = press(paper, workspace), str(int(time.time()))
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=body)
    headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature, "Content-Type": FORM}
    for _ in range(3):
        assert client.post("/slack/actions", content=body, headers=headers).status_code == 200
    assert len(app.store.feedback.history(channel.id)) == 1
    assert len(workspace.answers) == 1


def test_requests_without_a_valid_signature_are_refused(app, client, post, workspace, channel, paper):
    body = press(paper, workspace)
    assert client.post("/slack/actions", content=body, headers={"Content-Type": FORM}).status_code == 401
    for headers in (
        {"X-Slack-Signature": "v0=" + "0" * 64},
        {"X-Slack-Signature": "v0=é".encode()},
        {"X-Slack-Signature": ""},
        {"X-Slack-Request-Timestamp": "yesterday"},
        {"X-Slack-Request-Timestamp": "9" * 400},
        {"X-Slack-Request-Timestamp": str(int(time.time()) - 600)},
    ):
        assert post(body, **headers).status_code == 401
    stamp = {"X-Slack-Request-Timestamp": str(int(time.time())), "X-Slack-Signature": "v0=1"}
    assert client.post("/slack/actions", content=b"\xff\xfe", headers=stamp).status_code == 401
    assert app.store.feedback.history(channel.id) == []
    assert workspace.answers == []


def test_malformed_signed_requests_are_refused(post, workspace):
    for body in ("payload=not+json", "payload=[]", "nothing=1", "", "payload=" + "%5B" * 20_000):
        assert post(body).status_code == 401
    assert workspace.answers == []


IMPOSSIBLE = [
    ({"actions": [{"action_id": "explode", "value": "p1"}]}, "Paperbot doesn't know this button."),
    ({"actions": []}, "Paperbot doesn't know this button."),
    ({"actions": [{"action_id": "thumb_up", "value": "p99999"}]}, "This paper no longer exists."),
    ({"actions": [{"action_id": "thumb_up", "value": "x"}]}, "Not a valid paper id."),
    ({"channel": {"id": "C0000000"}}, "This edition is no longer stored"),
    ({"user": {}}, "Slack did not say who you are"),
    ({"user": {"id": "<@U1>"}}, "Slack did not say who you are"),
    ({"type": "view_submission"}, "Paperbot doesn't know this request."),
]


def test_errors_are_answered_to_the_person_who_asked(app, post, workspace, channel, paper):
    for change, says in IMPOSSIBLE:
        assert post(press(paper, workspace, **change)).status_code == 200
        assert says in workspace.answers[-1]["text"]
    assert len(workspace.answers) == len(IMPOSSIBLE)
    assert app.store.feedback.history(channel.id) == []


def test_the_metadata_of_a_message_names_its_reader_in_a_channel_with_several(app, post, workspace, channel, paper):
    other = app.store.readers.request_subscription("other", "slack", "C0123ABC", app.store.readers.since(channel.id))
    key = {"metadata": {"event_payload": {"key": f"1:{channel.id}:slack:1"}}}
    post(press(paper, workspace, message=key))
    assert len(app.store.feedback.votes(channel.id)) == 1
    assert app.store.feedback.votes(other.id) == []


def test_answers_go_only_to_slack(app, post, workspace, channel, paper, caplog):
    post(press(paper, workspace, response_url="http://127.0.0.1:1/elsewhere"))
    post(press(paper, workspace, response_url=""))
    assert len(app.store.feedback.history(channel.id)) == 2
    assert caplog.messages == ["no answer to Slack: its address is not one of Slack's"] * 2


def test_an_answer_that_fails_is_logged(app, post, workspace, channel, paper, caplog):
    workspace._server.shutdown()
    workspace._server.socket.close()
    post(press(paper, workspace))
    assert len(app.store.feedback.history(channel.id)) == 1
    assert caplog.messages == ["no answer to Slack: URLError"]


@pytest.mark.parametrize(
    ("error", "logged"), [(StoreError("paperbot.db: disk full"), "slack: paperbot.db: disk full"), (ValueError(), "")]
)
def test_a_failure_is_reported_to_person_and_log(app, post, workspace, paper, monkeypatch, caplog, error, logged):
    def broken(_address):
        raise error

    monkeypatch.setattr(app.store.readers, "at_address", broken)
    post(press(paper, workspace))
    assert workspace.answers[0]["text"].startswith("Sorry, that did not work")
    assert caplog.messages[0].startswith(logged or "slack: ValueError")


def test_the_papers_command_shows_the_channels_latest_edition(post, workspace):
    assert post(papers("", workspace, channel="C0123ABC"), "/slack/commands").status_code == 200
    assert workspace.answers[0]["blocks"][0]["text"]["text"] == "Reward models"
    blocks = [block for answer in workspace.answers for block in answer["blocks"]]
    assert sum(len(block["elements"]) for block in blocks if block["type"] == "actions") == 15


def test_a_person_subscribes_votes_pauses_and_resumes_by_command(app, post, workspace, paperbot):
    post(papers("", workspace), "/slack/commands")
    assert "You can subscribe to `reward-models`" in workspace.answers[-1]["text"]
    post(papers("subscribe nothing", workspace), "/slack/commands")
    assert "You can subscribe to `reward-models`" in workspace.answers[-1]["text"]
    post(papers("pause", workspace), "/slack/commands")
    assert "You have no subscription of your own" in workspace.answers[-1]["text"]
    post(papers("subscribe reward-models", workspace), "/slack/commands")
    assert "You are subscribed to “Reward models”" in workspace.answers[-1]["text"]
    paperbot("run", "--force")
    mine = app.store.readers.get("reward-models", "U9")
    paper = app.store.editions.picks_of(app.store.editions.last(mine.id).id)[0].paper
    post(press(paper, workspace, user="U9", channel={"id": "D0001"}))
    assert [(t.via, t.voter) for t in app.store.feedback.votes(mine.id)] == [("slack", "")]
    assert "In this channel" not in workspace.answers[-1]["text"]
    post(papers("pause", workspace), "/slack/commands")
    assert app.store.readers.by_id(mine.id).stopped is StopReason.PAUSED
    post(papers("resume", workspace), "/slack/commands")
    assert app.store.readers.by_id(mine.id).stopped is None
    post(papers("sing", workspace), "/slack/commands")
    assert "/papers subscribe NAME" in workspace.answers[-1]["text"]


def test_slack_markup_in_a_title_is_escaped(app, post, workspace, channel, paperbot, served):
    from support import digest

    (served / "seeds" / "new.txt").write_text(digest("<!channel> *free* reward models & reward hacking"))
    paperbot("run", "--force")
    hostile = app.store.papers.find("<!channel>")[0]
    post(press(hostile, workspace))
    assert "<!channel>" not in workspace.answers[0]["text"]
    assert "&lt;!channel&gt;" in workspace.answers[0]["text"]


def test_without_slack_in_the_settings_requests_are_401(served, monkeypatch):
    monkeypatch.delenv("PAPERBOT_SLACK__SIGNING_SECRET")
    with open_app(served) as app:
        client = TestClient(make_web(app))
        assert client.post("/slack/actions", content=b"payload={}").status_code == 401


@pytest.mark.slow
def test_socket_mode_acknowledges_first_and_does_the_same(served, workspace, paper, channel, monkeypatch):
    monkeypatch.delenv("PAPERBOT_SLACK__SIGNING_SECRET")
    monkeypatch.setenv("PAPERBOT_SLACK__APP_TOKEN", "xapp-of-the-tests")
    with open_app(served) as app, TestClient(make_web(app)) as client:
        assert workspace.connected.wait(20)
        assert workspace.tokens == ["Bearer xapp-of-the-tests"]
        payload = json.loads(parse_qs(press(paper, workspace))["payload"][0])
        workspace.send("interactive", payload)
        assert workspace.acknowledged.get(timeout=20) == "e1"
        assert workspace.answered.get(timeout=20)["text"].startswith("👍 More like")
        fields = {name: values[0] for name, values in parse_qs(papers("sing", workspace)).items()}
        workspace.send("slash_commands", fields, "e2")
        assert workspace.acknowledged.get(timeout=20) == "e2"
        assert "/papers subscribe" in workspace.answered.get(timeout=20)["text"]
        workspace.send("events_api", {}, "e3")
        assert workspace.acknowledged.get(timeout=20) == "e3"
        assert len(app.store.feedback.votes(channel.id)) == 1
        assert client.post("/slack/actions").status_code == 401


KEYS = ["type", "user", "id", "channel", "actions", "action_id", "value", "message", "command", "text"]
LEAVES = st.text(max_size=20) | st.sampled_from(["thumb_up", "p1", "U1", "C0123ABC"])
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)


@settings(suppress_health_check=list(HealthCheck))
@given(payload=SHAPES)
def test_no_signed_payload_causes_a_server_error(post, workspace, payload):
    if isinstance(payload, dict):
        payload = {"type": "block_actions", **payload, "response_url": workspace.response_url}
    assert post("payload=" + quote_plus(json.dumps(payload))).status_code in (200, 401)


def test_no_channel_member_can_stop_export_or_undo_for_the_others(app, client, post, workspace, channel, paper, served):
    member = "U0123456789"  # long enough not to occur in a token by chance
    post(press(paper, workspace, user=member))
    messages = "".join(path.read_text() for path in served.glob("state/outbox/*/*--C0123ABC*.json"))
    me = re.search(r"http://localhost:8000(/me/[^|]+)\|Your preferences", messages)[1]
    page = client.get(f"{me}/votes").text + client.get(f"{me}/data").text
    assert "by a member" in page
    assert member not in page
    assert not {"Pause", "Delete my data", "Export my data", "Undo"} & set(re.findall(r">([^<>]+)</", page))
    for answer in (
        client.get(f"{me}/export.json"),
        client.get(f"{me}/forget"),
        client.post(f"{me}/forget"),
        client.post(me, data={"do": "pause"}),
        client.post(me, data={"do": "resume"}),
    ):
        assert answer.status_code == 403
        assert "All members of a channel" in answer.text
    client.post(me, data={"do": "thumb", "paper": paper.ref, "vote": "clear", "voter": f"T1/{member}"})
    assert [t.voter for t in app.store.feedback.votes(channel.id)] == [f"T1/{member}"]
    assert app.store.readers.by_id(channel.id) == channel


def test_a_word_ignored_by_one_member_can_be_restored_by_another(app, client, channel):
    me = app.links(channel).me()
    client.post(me, data={"do": "ignore", "word": "reward"})
    assert app.store.overrides.get(channel.id).ignored == ("reward",)
    client.post(me, data={"do": "restore", "word": "reward"})
    assert app.store.overrides.get(channel.id).ignored == ()


@pytest.mark.parametrize(("address", "shared"), [("C0123ABC", True), ("G0123ABC", True), ("U0123ABC", False)])
def test_a_channel_is_shared_and_a_person_is_not(address, shared):
    assert is_shared(Reader(1, "p", "slack", address)) is shared
    assert not is_shared(Reader(1, "p", "email", "Carl@example.org"))
