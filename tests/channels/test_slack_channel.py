"""Messages to Slack, to a real HTTP server on loopback."""

import json
import logging
import socket

import pytest

from bot.channels import Cancelled
from bot.channels.slack.transport import SlackChannel, SlackInteractions
from bot.model.errors import ConfigError, DeliveryError, FailureScope

from .slack_server import DROP, SlackServer

TOKEN = "xoxb-not-a-real-token"
PAYLOAD = {"text": "One paper", "blocks": [{"type": "divider"}]}


@pytest.fixture
def channel(slack_server):
    return SlackChannel(TOKEN, slack_server.url, timeout_seconds=5)


@pytest.fixture
def delivery(make_delivery):
    return make_delivery(json.dumps(PAYLOAD).encode(), kind="slack", address="C0123ABC")


def refusal(channel, delivery, started=lambda: None):
    with pytest.raises(DeliveryError) as caught:
        channel.send(delivery, started)
    assert TOKEN not in str(caught.value)
    return caught.value


def test_the_payload_is_posted_to_the_readers_channel(slack_server, channel, delivery, started):
    assert channel.send(delivery, started) == "1700000000.000100"
    channel.close()
    (post,) = slack_server.posts
    assert post | PAYLOAD == post
    assert post["channel"] == "C0123ABC"
    assert slack_server.paths == ["/api/chat.postMessage"]
    assert slack_server.authorizations == [f"Bearer {TOKEN}"]
    assert started.calls == 1


def test_links_are_not_unfurled_and_the_key_goes_along(slack_server, channel, delivery, started):
    channel.send(delivery, started)
    (post,) = slack_server.posts
    assert (post["unfurl_links"], post["unfurl_media"]) == (False, False)
    assert post["metadata"]["event_payload"] == {"key": str(delivery.key)}


def test_a_reply_is_posted_in_its_thread_and_looked_up_there(slack_server, channel, make_delivery, started):
    reply = make_delivery(
        json.dumps(PAYLOAD).encode(), kind="slack", address="C0123ABC", part=2, thread="1700000000.000100"
    )
    assert channel.send(reply, started) == "1700000000.000100"
    assert slack_server.posts[0]["thread_ts"] == "1700000000.000100"
    ours = {"ts": "1700000000.000200", "metadata": {"event_payload": {"key": str(reply.key)}}}
    replies = {"ok": True, "messages": [{"ts": reply.thread}, ours], "has_more": False}
    empty = {"ok": True, "messages": [], "has_more": False}
    slack_server.methods["conversations.history"] = empty
    slack_server.methods["conversations.replies"] = lambda asked: replies if asked["ts"] == reply.thread else empty
    assert channel.find_receipt(reply) == "1700000000.000200"


@pytest.mark.parametrize(
    "case",
    [
        ("invalid_auth", True, FailureScope.CHANNEL),
        ("not_authed", True, FailureScope.CHANNEL),
        ("account_inactive", True, FailureScope.CHANNEL),
        ("token_revoked", True, FailureScope.CHANNEL),
        ("missing_scope", True, FailureScope.CHANNEL),
        ("channel_not_found", True, FailureScope.READER),
        ("not_in_channel", True, FailureScope.READER),
        ("is_archived", True, FailureScope.READER),
        ("msg_too_long", True, FailureScope.MESSAGE),
        ("invalid_blocks", True, FailureScope.MESSAGE),
        ("msg_blocks_too_long", True, FailureScope.MESSAGE),
        ("invalid_arguments", True, FailureScope.MESSAGE),
        ("never_heard_of", True, FailureScope.MESSAGE),
        ("ratelimited", False, FailureScope.MESSAGE),
    ],
)
def test_slacks_own_word_says_whom_a_refusal_is_about(slack_server, channel, delivery, case):
    error, permanent, scope = case
    slack_server.refuse(error)
    caught = refusal(channel, delivery)
    assert (caught.permanent, caught.scope, caught.unknown) == (permanent, scope, False)
    assert caught.code == error
    assert error in str(caught)


@pytest.mark.parametrize(
    ("header", "seconds"), [("30", 30.0), ("0", 0.0), ("soon", None), ("-1", None), ("9" * 400, None)]
)
def test_slack_says_how_long_to_wait(slack_server, channel, delivery, header, seconds):
    slack_server.refuse("ratelimited", 429, Retry_After=header)
    error = refusal(channel, delivery)
    assert (error.permanent, error.unknown, error.retry_after) == (False, False, seconds)
    assert len(slack_server.posts) == 1


def test_a_429_without_a_word_or_a_time_is_one_too(slack_server, channel, delivery):
    slack_server.status, slack_server.body = 429, b"slow down"
    error = refusal(channel, delivery)
    assert (error.permanent, error.retry_after) == (False, None)


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"ok": False, "error": "internal_error"}),
        (200, {"ok": False, "error": "fatal_error"}),
        (500, {"ok": False, "error": "invalid_blocks"}),
        (503, b"<html>unavailable</html>"),
        (200, b"<html>a proxy's page</html>"),
        (200, b'{"ok": true, "ts": '),
        (200, b"\xff\xfe"),
        (200, {}),
        (200, {"ok": True}),
        (200, {"ok": True, "ts": None}),
        (200, {"ok": True, "ts": {"a": 1}}),
        (200, [True]),
        (408, b"<html>timeout</html>"),
        (499, b""),
        (200, DROP),
        (500, DROP),
    ],
)
def test_what_slack_may_have_posted_is_unknown_and_posted_once(slack_server, channel, delivery, started, answer):
    slack_server.status, slack_server.body = answer
    error = refusal(channel, delivery, started)
    assert (error.unknown, error.permanent) == (True, False)
    assert (len(slack_server.posts), started.calls) == (1, 1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_with_the_token(slack_server, servers, channel, delivery, started, status):
    """urllib, which slack_sdk 3.47 uses, follows redirects to any host with all headers, and turns POST into GET."""
    other = servers(SlackServer())
    slack_server.status, slack_server.body = status, b""
    slack_server.headers = {"Location": f"{other.url}/chat.postMessage"}
    assert refusal(channel, delivery, started).unknown
    assert (len(slack_server.posts), other.paths) == (1, [])


def test_no_answer_in_time_is_unknown(servers, delivery):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        channel = SlackChannel(TOKEN, f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_seconds=0.05)
        assert refusal(channel, delivery).unknown


def test_no_server_there_is_tried_again(delivery):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        channel = SlackChannel(TOKEN, f"http://localhost:{unused.getsockname()[1]}/api/")
        error = refusal(channel, delivery)
    assert (error.permanent, error.unknown, error.scope) == (False, False, FailureScope.CHANNEL)


def test_a_wrong_address_of_the_api_is_the_operators_to_mend(slack_server, channel, delivery):
    slack_server.status, slack_server.body = 404, b"<html>not found</html>"
    error = refusal(channel, delivery)
    assert (error.permanent, error.scope, error.code) == (True, FailureScope.CHANNEL, "404")


def test_what_start_data_raises_passes_and_nothing_is_posted(slack_server, channel, delivery, make_started):
    with pytest.raises(Cancelled):
        channel.send(delivery, make_started(Cancelled()))
    assert slack_server.posts == []


@pytest.mark.parametrize("body", [DROP, b"nonsense", {"ok": False, "error": "invalid_auth"}])
def test_nothing_is_logged_not_even_the_token(slack_server, delivery, caplog, capfd, body):
    slack_server.body = body
    with caplog.at_level(logging.DEBUG):
        refusal(SlackChannel(TOKEN, slack_server.url), delivery)
    assert (caplog.text, *capfd.readouterr()) == ("", "", "")


@pytest.mark.parametrize("token", ["", "xoxb-1\nxoxb-2", "xoxb 1", "xoxb-é"])
def test_what_can_not_be_a_token_is_refused_without_showing_it(token):
    with pytest.raises(ConfigError, match="PAPERBOT_SLACK__TOKEN") as caught:
        SlackChannel(token, "https://slack.com/api/")
    assert "xoxb" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://slack.com/api/", "http://10.0.0.1/api", "ftp://localhost", "slack.com", ""])
def test_the_token_never_goes_over_a_network_in_plain_text(url):
    with pytest.raises(ConfigError, match=r"slack\.api_url"):
        SlackChannel(TOKEN, url)


def test_a_check_asks_whether_the_token_is_good_and_posts_nothing(slack_server, channel):
    channel.check()
    assert slack_server.paths == ["/api/auth.test"]


@pytest.mark.parametrize(
    "url", ["https://[x", "https://", "http://hooks.slack.com/x", "https://hooks.slack.com.example.org/x", ""]
)
def test_an_address_that_is_not_slacks_is_sent_nothing(url, caplog):
    SlackInteractions("secret", None, "https://slack.com/api").answer(url, {"text": "hello"})
    assert "its address is not one of Slack's" in caplog.text
