"""Readers who are forgotten while a run composes and delivers: each costs their own message only."""

from datetime import datetime

import pytest

from bot.app import open_app
from bot.channels import address_checks
from bot.config.profiles import add_reader
from bot.editions.composer import EditionComposer
from bot.model import State

# A Friday, on which letters are due too.
NOW = datetime.fromisoformat("2025-05-09T09:00:00+02:00")
READERS = [f"reader{number}@example.org" for number in range(16)]
EVERYTHING = """weekly = true
catch_up = true

[alerts]
keywords = ["reward models"]

[edition]"""


@pytest.fixture
def place(home, few_papers, monkeypatch):
    """A home whose profile has many readers, who are composed in batches of four."""
    monkeypatch.setattr("bot.operate.day._BATCH", 4)
    path = home / "profiles" / "reward-models.toml"
    path.write_text(path.read_text().replace("[edition]", EVERYTHING, 1))
    for address in READERS:
        add_reader(path, "email", address, address_checks())
    return home


def test_a_reader_who_is_forgotten_during_a_run_costs_their_own_message_only(place):
    leaving = READERS[::2]
    with open_app(place) as app, open_app(place) as another:

        def forget_the_next(_step, _done, _of):
            stored = [another.store.readers.get("reward-models", address) for address in leaving]
            for reader in [reader for reader in stored if reader][:1]:
                another.forget(reader, NOW)

        report = app.daily_job.run(NOW, progress=forget_the_next)
        assert report.problems == []
        left = {reader.address for reader in app.store.readers.all()}
        assert left == {"ada@example.org", *READERS} - set(leaving)
        # None comes back by the profiles that the run had read before.
        app.daily_job.publish(NOW)
        assert {reader.address for reader in app.store.readers.all()} == left
        states = app.store.outbox.counts()
        assert sum(states.values()) == states[State.SENT]
    by_reader = {address: [*place.glob(f"state/outbox/*/*--{address}*.eml")] for address in left}
    assert {len(mails) for mails in by_reader.values()} == {len(by_reader["ada@example.org"])}
    assert by_reader["ada@example.org"]
    assert [file for address in leaving for file in place.glob(f"state/outbox/*/*--{address}*")] == []


def test_a_reader_whose_edition_cannot_be_composed_costs_the_others_nothing(place, monkeypatch):
    composed = EditionComposer.editions

    def composed_but_one(self, requests, now, candidates=None):
        for request, edition in zip(requests, composed(self, requests, now, candidates), strict=True):
            if request.reader.address == READERS[0]:
                raise AttributeError("'NoneType' object has no attribute 'id'")
            yield edition

    monkeypatch.setattr(EditionComposer, "editions", composed_but_one)
    with open_app(place) as app:
        report = app.daily_job.run(NOW)
        assert [problem.source for problem in report.problems] == [f"reward-models/{READERS[0]}"]
        without = [reader.address for reader in app.store.readers.all() if not app.store.editions.of_reader(reader.id)]
        assert without == [READERS[0]]
