"""Notices to the operator: one mail a day by the outbox, at most once, tried again, and shown by ``status``."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from channels.smtp_servers import DROP, SCRIPT, ScriptedServer
from support import edit, parsed

from bot.app import open_app
from bot.model import State

from .conftest import send_to

NOW = "2025-05-07T09:00:00+02:00"
LATER = "2025-05-07T11:00:00+02:00"
OPERATOR = "op@example.org"
NO_SUCH_USER = "550 5.1.1 no such user"


def operator(home, address=OPERATOR):
    edit(home / "paperbot.toml", "[bot]\n", f'[bot]\noperator = "{address}"\n')


def test_the_operator_gets_one_mail_a_day_when_something_needs_a_person(home, mails, paperbot):
    operator(home)
    mails.replies["ada@example.org"] = NO_SUCH_USER
    for now in (NOW, "2025-05-07T10:00:00+02:00"):
        paperbot("run", "--now", now)
    (mail,) = mails.mails
    assert mail.recipients == [OPERATOR]
    message = parsed(mail.content)
    assert message["Subject"].startswith("Paperbot needs you: reward-models/ada@example.org: failed:")
    assert "no such user" in message.get_content()
    assert not message.defects


def test_a_problem_already_reported_is_not_reported_a_week_later(home, mails, paperbot):
    operator(home)
    mails.replies["ada@example.org"] = NO_SUCH_USER
    paperbot("run", "--now", NOW)
    paperbot("run", "--now", "2025-05-14T09:00:00+02:00")
    assert len(mails.mails) == 1


def test_without_problems_there_is_no_notice(home, mails, paperbot):
    operator(home)
    paperbot("run", "--now", NOW)
    assert [mail.recipients for mail in mails.mails] == [["ada@example.org"]]


def notices(home):
    """The state and the number of attempts of each notice in the outbox."""
    with closing(sqlite3.connect(home / "state" / "paperbot.db")) as store:
        query = "SELECT state, attempts FROM outbox WHERE kind = 'operator' ORDER BY id"
        return store.execute(query).fetchall()


def recipients(server):
    return [mail.recipients[0] for mail in server.mails]


@pytest.fixture
def refused(home, mails):
    """A home with an operator, whose only reader the mail server refuses."""
    operator(home)
    mails.replies["ada@example.org"] = NO_SUCH_USER
    return home


def test_a_notice_that_is_deferred_is_tried_again_and_status_shows_it(refused, mails, paperbot):
    mails.replies[OPERATOR] = "451 4.3.0 try later"
    answer = paperbot("run", "--now", NOW, "--json").json
    assert f"_operator/{OPERATOR}" in [problem["source"] for problem in answer["problems"]]
    assert notices(refused) == [("retry", 1)]
    status = paperbot("status", "--now", NOW, "--json").json
    (problem,) = [p for p in status["problems"] if p["source"] == f"_operator/{OPERATOR}"]
    assert problem["problem"].startswith("retry: naming the recipient: 451 4.3.0 try later")
    assert "Paperbot needs you" in problem["problem"]
    assert status["outbox"]["retry"] == 1
    assert [reader["reader"] for reader in status["readers"]] == ["reward-models/ada@example.org"]
    mails.replies.clear()
    for now in (NOW, LATER, LATER):
        paperbot("run", "--now", now)
    assert recipients(mails) == [OPERATOR]
    assert notices(refused) == [("sent", 2)]


def test_a_refused_notice_is_sent_again_by_retry_and_does_not_cause_another_notice(refused, mails, paperbot):
    mails.replies[OPERATOR] = NO_SUCH_USER
    paperbot("run", "--now", NOW)
    assert notices(refused) == [("failed", 1)]
    # The next day only the notice itself has failed since yesterday; the first run's clock went on meanwhile.
    paperbot("run", "--now", "2025-05-08T09:30:00+02:00")
    assert notices(refused) == [("failed", 1)]
    mails.replies.clear()
    paperbot("retry", "--failed", "--now", "2025-05-08T10:00:00+02:00")
    assert OPERATOR in recipients(mails)
    assert notices(refused) == [("sent", 1)]


def test_a_notice_that_may_have_arrived_is_not_sent_twice(home, paperbot):
    with ScriptedServer(SCRIPT | {".": DROP}).running() as server:
        operator(home)
        send_to(home, server.port)
        for now in (NOW, LATER):
            paperbot("run", "--now", now)
        to_operator = [body for body in server.bodies if b"To: op@example.org" in body]
    assert len(to_operator) == 1
    assert notices(home) == [("unknown", 1)]


def test_a_notice_does_not_wait_for_the_circuit_breaker_of_the_readers_mails(refused, mails, paperbot):
    paperbot("ingest")
    with open_app(refused) as app:
        opened = datetime.fromisoformat(NOW).astimezone(UTC)
        breakers = app.store.circuit_breakers
        breakers.begin("email", opened, opened + timedelta(hours=1), "535 wrong password")
    paperbot("run", "--now", NOW)
    assert recipients(mails) == [OPERATOR]
    with open_app(refused) as app:
        assert app.store.outbox.counts()[State.PENDING] == 1


def test_the_operator_is_not_a_reader(refused, paperbot):
    paperbot("run", "--now", NOW)
    with open_app(refused) as app:
        assert [reader.kind for reader in app.store.readers.all()] == ["email"]
        assert app.store.readers.at_address(OPERATOR) == []
    assert OPERATOR not in paperbot("profiles").out
