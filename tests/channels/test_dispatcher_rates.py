"""Workers keep to the rate, and lower it when the server throttles."""

from __future__ import annotations

from datetime import timedelta

import pytest
from aiosmtpd.smtp import SMTP

from bot.model import State
from bot.model.errors import DeliveryError

from .scripted_channels import counts


def test_as_many_are_sent_as_the_rate_grants_and_the_rest_waits(dispatcher, rows, rates, mail, clock, now):
    rows(5)
    rates.left = 2
    assert counts(dispatcher.deliver_due(now)) == (5, 0, 0, 0, 0)
    assert clock.seconds >= 3
    assert mail.sent == [1, 2, 3, 4, 5]


def test_what_a_rate_defers_for_long_is_left_to_a_later_run_unclaimed(dispatcher, rows, rates, now):
    waiting = rows(5)
    rates.left, rates.next_at = 3, now + timedelta(hours=1)
    assert counts(dispatcher.deliver_due(now)) == (3, 0, 0, 0, 0)
    assert [row.state for row in waiting[3:]] == [State.PENDING] * 2


def test_a_day_that_is_used_up_is_reported_if_somebody_waits(dispatcher, rows, rates, now):
    rows(2)
    rates.left, rates.next_at, rates.is_day_over = 2, now + timedelta(hours=1), True
    assert dispatcher.deliver_due(now).problems == []
    rows(2, first=3)
    (problem,) = dispatcher.deliver_due(now).problems
    assert str(problem) == ("email: as many were sent today as email.per_day allows; 2 wait until 2025-05-06 09:00 UTC")


def test_what_is_not_attempted_is_given_back(dispatcher, rows, rates, mail, now):
    rows(3)
    rates.left = 10
    mail.before[1] = DeliveryError("down", permanent=True, scope="channel")
    dispatcher.deliver_due(now)
    assert rates.left == 9


@pytest.mark.parametrize(("reply", "slowed"), [("450 4.7.1 slow down", 1), ("454 4.7.0 rate", 1), ("451 later", 0)])
def test_a_server_that_throttles_lowers_the_rate(
    make_dispatcher, rows, rates, mail_server, connect, monkeypatch, now, reply, slowed
):
    async def refuse(smtp, _arg):
        await smtp.push(reply)

    monkeypatch.setattr(SMTP, "smtp_RCPT", refuse)
    rows(1)
    make_dispatcher(email=connect(mail_server())).deliver_due(now)
    assert rates.slowed == ["email"] * slowed
