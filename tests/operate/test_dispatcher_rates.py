"""Workers keep to the rate, and lower it when the server throttles."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from aiosmtpd.smtp import SMTP
from support import counts

from bot.model import SendLimit, State
from bot.model.errors import DeliveryError
from bot.operate.dispatcher import CircuitBreaker


def use(store, now):
    """Messages of the day, and the share of the full rate."""
    return [(use.used_today, round(use.share, 2)) for use in store.send_rates({}).in_use(now)]


def test_as_many_are_sent_as_the_rate_grants_and_the_rest_waits(make_dispatcher, rows, mail, clock, now):
    rows(5)
    dispatcher = make_dispatcher(limit=SendLimit(per_second=1), email=mail)
    assert counts(dispatcher.deliver_due(now)) == (5, 0, 0, 0, 0)
    assert clock.seconds >= 4
    assert mail.sent == [1, 2, 3, 4, 5]


def test_what_a_rate_defers_for_long_is_left_to_a_later_run_unclaimed(make_dispatcher, rows, mail, now):
    waiting = rows(3)
    dispatcher = make_dispatcher(limit=SendLimit(per_second=1 / 3600), email=mail)
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 0, 0, 0)
    assert [row.state for row in waiting[1:]] == [State.PENDING] * 2


def test_a_day_that_is_used_up_is_reported_if_somebody_waits(make_dispatcher, rows, mail, now):
    rows(2)
    dispatcher = make_dispatcher(limit=SendLimit(per_day=2), email=mail)
    assert dispatcher.deliver_due(now).problems == []
    rows(2)
    (problem,) = dispatcher.deliver_due(now).problems
    assert str(problem) == ("email: as many were sent today as email.per_day allows; 2 wait until 2025-05-07 00:00 UTC")


def test_what_is_not_attempted_is_given_back(make_dispatcher, store, rows, mail, now):
    rows(3)
    mail.before[1] = DeliveryError("down", permanent=True, scope="channel")
    make_dispatcher(limit=SendLimit(per_day=10), email=mail).deliver_due(now)
    assert use(store, now) == [(1, 1.0)]


@pytest.mark.parametrize(
    ("reply", "slowed"),
    [
        ("421 4.3.2 closing", 1),
        ("450 4.7.1 slow down", 1),
        ("454 4.7.0 rate", 1),
        # One mailbox's:
        ("450 4.7.1 <ada@example.org>: Recipient address rejected: Greylisted", 0),
        ("450 4.2.0 mailbox busy", 0),
        ("451 later", 0),
    ],
)
def test_a_server_that_throttles_lowers_the_rate(
    make_dispatcher, store, rows, mail_server, connect, monkeypatch, now, reply, slowed
):
    async def refuse(smtp, _arg):
        await smtp.push(reply)

    monkeypatch.setattr(SMTP, "smtp_RCPT", refuse)
    rows(1)
    make_dispatcher(email=connect(mail_server())).deliver_due(now)
    assert use(store, now) == [(0, 0.5)] * slowed


@pytest.mark.parametrize(("refused", "slowed"), [(4, 0), (5, 1)])
def test_a_tenth_of_the_last_50_refused_lowers_the_rate_once(dispatcher, store, rows, mail, now, refused, slowed):
    rows(50)
    for row in range(1, 10 * refused, 10):
        mail.before[row] = DeliveryError("later", permanent=False, code="451")
    dispatcher.deliver_due(now)
    assert [share for _, share in use(store, now)] == [0.5] * slowed


def _simulate(store, seed: int, refused: float, mails: int) -> float:
    """Return what share of 14 a second so many mails were sent at, where a share is refused for now at random."""
    chance, now = random.Random(seed), datetime(2026, 5, 6, tzinfo=UTC) + timedelta(days=seed)
    rates, at = store.send_rates({"email": SendLimit(per_second=14)}), now
    breaker = CircuitBreaker("email", None, store.circuit_breakers, now)
    sent = 0
    while sent < mails:
        grant = rates.take("email", 14, at)
        for _ in range(grant.count):
            is_refused = chance.random() < refused
            sent += not is_refused
            error = DeliveryError("greylisted", permanent=False, code="450") if is_refused else None
            if breaker.are_many_refused(error):
                rates.slow_down("email", at)
        at = grant.next_at or at + timedelta(seconds=1)
    return mails / 14 / (at - now).total_seconds()


@pytest.mark.slow
def test_greylisting_of_two_in_a_hundred_mailboxes_leaves_nine_tenths_of_the_rate(store):
    assert min(_simulate(store, seed, 0.02, mails=6_000) for seed in range(3)) >= 0.9
    # A server that refuses every other mail is sent to more slowly.
    assert _simulate(store, 99, 0.5, mails=1_000) < 0.25
