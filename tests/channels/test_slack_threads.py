"""An edition's list and the replies in its thread: through the real outbox to a Slack API over HTTP."""

import json
from datetime import timedelta

import pytest
from support import counts

from bot.channels import Route
from bot.channels.slack.transport import SlackChannel
from bot.model import Message, State, StopReason
from bot.operate.dispatcher import LEASE, Dispatcher
from bot.store.outbox import Outbox

from .slack_server import DROP

REPLIES = 3
LIST = "1700000000.000001"  # the ts of the list, the first message posted
MINUTE = timedelta(minutes=1)


class NumberedSlack:
    """Answers each post with the next ``ts``, but for those numbered in ``faults``: an answer, or a refusal's code."""

    def __init__(self, server):
        self.server = server
        self.faults: dict[int, object] = {}
        self.number = 0
        server.methods["chat.postMessage"] = self.answer

    def answer(self, _asked):
        self.number += 1
        self.server.status = 200
        accepted = {"ok": True, "ts": f"1700000000.{self.number:06}"}
        fault = self.faults.pop(self.number, accepted)
        if fault == 500:
            self.server.status = 500
            return {"ok": False, "error": "internal_error"}
        return {"ok": False, "error": fault} if isinstance(fault, str) else fault

    @property
    def texts(self):
        return [post["text"] for post in self.server.posts]


@pytest.fixture
def slack(slack_server):
    return NumberedSlack(slack_server)


@pytest.fixture
def reader(samples):
    return samples.reader("C0123ABC")


@pytest.fixture
def edition(samples, store, reader):
    """Put an edition into the outbox: a list, and replies 2, 3 and 4."""
    messages = [
        Message(json.dumps({"text": f"{part}", "blocks": []}).encode(), "Rewards", part, in_thread=part > 1)
        for part in range(1, REPLIES + 2)
    ]
    store.editions.save(samples.edition(reader), "2026-04-18", messages)
    return store.editions.last(reader.id)


@pytest.fixture
def deliver(store, slack_server, clock, edition):
    """Deliver what is due at a time, by a clock that advances when it is waited on."""

    def deliver(now, spacing=timedelta(seconds=1)):
        channel = SlackChannel("xoxb-test", slack_server.url, timeout_seconds=5)
        routes = {"slack": Route([channel], spacing)}
        rates = store.send_rates({})
        dispatcher = Dispatcher(
            store.outbox, routes, store.readers, store.circuit_breakers, rates, timer=clock, stop=clock
        )
        return dispatcher.deliver_due(now)

    return deliver


def states(store, edition):
    return list(store.outbox.states([edition.id])[edition.id])


def test_the_replies_follow_the_list_in_their_order_a_second_apart(
    deliver, slack, slack_server, store, edition, clock, now
):
    assert states(store, edition) == [State.PENDING] + [State.HELD] * REPLIES
    assert counts(deliver(now)) == (4, 0, 0, 0, 0)
    assert slack.texts == ["1", "2", "3", "4"]
    assert [post.get("thread_ts") for post in slack_server.posts] == [None] + [LIST] * REPLIES
    keys = [post["metadata"]["event_payload"]["key"] for post in slack_server.posts]
    assert [key.rpartition(":")[2] for key in keys] == ["1", "2", "3", "4"]
    assert clock.waits == [1.0] * REPLIES
    assert states(store, edition) == [State.SENT] * 4
    assert counts(deliver(now + MINUTE)) == (0, 0, 0, 0, 0)


# The transport gives each of these faults the same outcome, so that each reply meets one of them.
@pytest.mark.parametrize(("number", "fault"), [(2, 500), (3, b"<html>a proxy's page</html>"), (4, DROP)])
def test_a_reply_without_an_answer_is_unknown_and_the_others_follow_once(
    deliver, slack, store, edition, now, number, fault
):
    slack.faults[number] = fault
    assert counts(deliver(now)) == (3, 0, 1, 0, 0)
    deliver(now + LEASE + MINUTE)
    assert slack.texts == ["1", "2", "3", "4"]
    expected = [State.SENT] * 4
    expected[number - 1] = State.UNKNOWN
    assert states(store, edition) == expected


def test_a_list_without_an_answer_holds_its_replies_until_its_outcome_is_known(deliver, slack, store, edition, now):
    slack.faults[1] = 500
    assert counts(deliver(now)) == (0, 0, 1, 0, 0)
    assert counts(deliver(now + LEASE + MINUTE)) == (0, 0, 0, 0, 0)
    assert (slack.texts, states(store, edition)) == (["1"], [State.UNKNOWN] + [State.HELD] * REPLIES)
    (unknown,) = store.outbox.in_state(State.UNKNOWN)
    assert store.outbox.mark_arrived(unknown.id, "16.5", now)
    assert counts(deliver(now + 2 * LEASE)) == (3, 0, 0, 0, 0)
    assert slack.texts == ["1", "2", "3", "4"]
    assert {post["thread_ts"] for post in slack.server.posts[1:]} == {"16.5"}


@pytest.mark.parametrize("shown", [True, False])
def test_after_a_kill_behind_the_list_the_replies_follow_if_slack_shows_the_list(
    deliver, slack, slack_server, store, edition, now, shown
):
    (first,) = store.outbox.claim("slack", now, LEASE, 9)
    assert store.outbox.start_data(first, now, LEASE)
    store.outbox = Outbox(store._database)  # killed before the receipt was committed
    key = {"key": str(first.key)} if shown else {"key": "another"}
    listed = {"ts": "16.5", "metadata": {"event_payload": key}}
    slack_server.methods["conversations.history"] = {"ok": True, "messages": [listed], "has_more": False}
    report = deliver(now + LEASE + MINUTE)
    assert (report.counts[State.UNKNOWN], report.counts[State.SENT]) == (1, REPLIES if shown else 0)
    assert slack.texts == (["2", "3", "4"] if shown else [])
    assert states(store, edition)[0] is (State.SENT if shown else State.UNKNOWN)
    slack_server.methods["conversations.history"] = {"ok": True, "messages": [], "has_more": False}
    paths = len(slack_server.paths)
    deliver(now + LEASE + timedelta(hours=2))
    assert slack_server.paths[paths:] == [], "nothing is looked up after an hour"


def test_a_list_that_is_sent_again_at_a_persons_request_brings_its_replies(deliver, slack, store, edition, now):
    slack.faults[1] = "invalid_blocks"
    assert counts(deliver(now)) == (0, 1, 0, 0, 0)
    assert states(store, edition) == [State.FAILED] + [State.HELD] * REPLIES
    (failed,) = store.outbox.in_state(State.FAILED)
    assert store.outbox.requeue(failed.id, now)
    assert counts(deliver(now + MINUTE)) == (4, 0, 0, 0, 0)
    assert slack.texts == ["1", "1", "2", "3", "4"]
    assert slack.server.posts[2]["thread_ts"] == "1700000000.000002"


def test_a_refused_reply_fails_alone(deliver, slack, store, edition, now):
    slack.faults[3] = "invalid_blocks"
    assert counts(deliver(now)) == (3, 1, 0, 0, 0)
    assert states(store, edition) == [State.SENT, State.SENT, State.FAILED, State.SENT]


def test_when_slack_asks_to_wait_no_reply_overtakes_another(deliver, slack, slack_server, store, edition, now):
    slack_server.headers = {"Retry-After": "90"}
    slack.faults[3] = "ratelimited"
    assert counts(deliver(now)) == (2, 0, 0, 1, 0)
    assert slack.texts == ["1", "2", "3"]
    assert counts(deliver(now + timedelta(seconds=80))) == (0, 0, 0, 0, 0)
    assert counts(deliver(now + timedelta(seconds=100))) == (2, 0, 0, 0, 0)
    assert slack.texts == ["1", "2", "3", "3", "4"]
    assert states(store, edition) == [State.SENT] * 4


def test_a_process_killed_between_two_replies_goes_on_with_the_next_one(deliver, slack, store, edition, clock, now):
    send = SlackChannel.send

    class KilledError(BaseException):
        pass

    def killed(channel, delivery, start_data):
        receipt = send(channel, delivery, start_data)
        if delivery.key.part == 3:
            raise KilledError
        return receipt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SlackChannel, "send", killed)
        with pytest.raises(KilledError):
            deliver(now)
    assert slack.texts == ["1", "2", "3"]
    report = deliver(now + 2 * LEASE)
    assert (report.counts[State.SENT], report.counts[State.UNKNOWN]) == (1, 1)
    assert slack.texts == ["1", "2", "3", "4"]
    assert states(store, edition) == [State.SENT, State.SENT, State.UNKNOWN, State.SENT]


def test_a_receipt_of_the_list_and_the_release_of_its_replies_are_one_commit(store, edition, now):
    (first,) = store.outbox.claim("slack", now, LEASE, 9)
    assert store.outbox.start_data(first, now, LEASE)
    assert states(store, edition) == [State.DATA_STARTED] + [State.HELD] * REPLIES
    assert store.outbox.record_sent(first, LIST, now)
    assert states(store, edition) == [State.SENT] + [State.PENDING] * REPLIES
    assert [reply.thread for reply in store.outbox.claim("slack", now, LEASE, 9)] == [LIST] * REPLIES


def test_a_reader_who_stops_gets_neither_the_list_nor_its_replies(deliver, slack, store, edition, reader, now):
    store.readers.stop(reader.id, StopReason.UNSUBSCRIBED)
    deliver(now)
    assert (slack.texts, states(store, edition)) == ([], [State.CANCELLED] * 4)


def test_the_replies_of_one_edition_wait_for_their_own_list(deliver, slack, samples, store, edition, reader, now):
    other = samples.edition(reader)
    parts = [Message(b'{"text": "other"}', "Rewards", part, in_thread=part > 1) for part in (1, 2)]
    store.editions.save(other, "2026-04-19", parts)
    slack.faults[5] = 500
    deliver(now)
    assert slack.texts == ["1", "2", "3", "4", "other"]
    assert list(store.outbox.states([edition.id + 1])[edition.id + 1]) == [State.UNKNOWN, State.HELD]
