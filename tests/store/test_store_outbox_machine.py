"""Whatever workers, crashes, clocks and readers do, no message is accepted twice or wrongly told of."""

from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import delete

from bot.model import State, StopReason
from bot.store.engine import Database, parse_url
from bot.store.schema import outbox as outbox_table

PARTS = 3
LEASE = timedelta(minutes=10)


class Workers(RuleBasedStateMachine):
    """Some workers at one outbox. One that never comes back to its claim has crashed."""

    claimed = Bundle("claimed")
    flying = Bundle("flying")

    def __init__(self, samples, database: Database, now) -> None:
        super().__init__()
        self.samples, self.store, self.database, self.now = samples, samples.store, database, now
        self.accepted: Counter[int] = Counter()

    @initialize()
    def compose(self):
        self.reader = self.samples.reader()
        self.store.readers.resume(self.reader.id)
        self.ids = self.samples.messages(self.reader, PARTS)
        self.edition = self.store.editions.last(self.reader.id).id

    @rule(target=claimed, limit=st.integers(1, PARTS))
    def claim(self, limit):
        return multiple(*self.store.outbox.claim("email", self.now, LEASE, limit))

    @rule(delivery=consumes(claimed), minutes=st.integers(0, 30))
    def no_connection(self, delivery, minutes):
        self.store.outbox.retry(delivery, self.now + timedelta(minutes=minutes), "", "refused", self.now)

    @rule(delivery=consumes(claimed), minutes=st.none() | st.integers(0, 30))
    def given_back(self, delivery, minutes):
        later = None if minutes is None else self.now + timedelta(minutes=minutes)
        self.store.outbox.release([delivery], later, self.now)

    @rule(delivery=consumes(claimed))
    def address_refused(self, delivery):
        self.store.outbox.finish(delivery, State.FAILED, self.now, "550", "no such mailbox")

    @rule(target=flying, delivery=consumes(claimed), accepted=st.booleans())
    def body_goes_out(self, delivery, accepted):
        if not self.store.outbox.start_data(delivery, self.now, LEASE):
            return multiple()
        self.accepted[delivery.id] += accepted
        return (delivery, accepted)

    @rule(flight=consumes(flying), again=st.booleans())
    def answer_comes(self, flight, again):
        delivery, accepted = flight
        if accepted:
            assert self.store.outbox.record_sent(delivery, "250", self.now)
        elif again:
            assert self.store.outbox.retry(delivery, self.now, "451", "later", self.now)
        else:
            assert self.store.outbox.finish(delivery, State.FAILED, self.now, "554", "no")

    @rule(minutes=st.integers(1, 12))
    def time_passes(self, minutes):
        self.now += timedelta(minutes=minutes)

    @rule()
    def reader_stops(self):
        self.store.readers.stop(self.reader.id, StopReason.UNSUBSCRIBED)

    @rule()
    def reader_resumes(self):
        self.store.readers.resume(self.reader.id)

    @rule()
    def overdue_answers_are_given_up(self):
        self.store.outbox.expire(self.now)

    @invariant()
    def at_most_once_and_truly_told(self):
        states = self.store.outbox.states([self.edition])[self.edition]
        for number, state in zip(self.ids, states, strict=True):
            assert self.accepted[number] <= 1
            if state is State.SENT:
                assert self.accepted[number] == 1
            elif state not in (State.DATA_STARTED, State.UNKNOWN):
                assert self.accepted[number] == 0

    def teardown(self):
        with self.database.writing() as connection:
            connection.execute(delete(outbox_table))


@pytest.mark.slow
def test_no_message_is_accepted_twice(samples, store_url, now):
    database = Database(parse_url(store_url))
    run_state_machine_as_test(
        lambda: Workers(samples, database, now),
        settings=settings(max_examples=40, stateful_step_count=30, deadline=None),
    )
    database.close()
