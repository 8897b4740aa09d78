"""Editions: one for each slot, stored with picks and messages in one transaction."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from threading import Barrier

import pytest
from sqlalchemy import make_url, select
from sqlalchemy.exc import IntegrityError

from bot.model import Edition, EditionKind, Message, PickKind, Quiet, QuietReason, Reader, Reason, ReasonKind, State
from bot.model.errors import in_one_line
from bot.store import editions as edition_storage
from bot.store import open_store
from bot.store.editions import NewEdition, StoredEdition
from bot.store.schema import summaries

HELLO = Message(b"\x00Hello\r\n\xff", "Rewards: hello ✓")


def _saved(store, edition: Edition, slot: str) -> StoredEdition:
    assert store.editions.save(edition, slot, [])
    stored = store.editions.last(edition.reader.id)
    assert stored is not None
    return stored


def test_an_edition_and_its_picks_are_read_as_they_were_stored(samples, store, now):
    reader, (first, second) = samples.reader(), samples.papers(2)
    edition = samples.edition(reader, second, first)
    liked = Reason(ReasonKind.LIKED, "Liked", near="near", paper=first)
    follow = replace(edition.picks[1], kind=PickKind.FOLLOW, reasons=(liked,), summary=())
    edition = replace(edition, picks=(edition.picks[0], follow))
    stored = _saved(store, edition, "2026-04-18")
    assert store.editions.picks_of(stored.id) == edition.picks
    places = (stored.id, reader.id, "2026-04-18", now.date(), now, 40, second)
    assert stored == StoredEdition(*places, quiet=None, kind=EditionKind.EDITION, picks=2)


def test_a_quiet_edition_takes_its_slot(samples, store):
    reader = samples.reader()
    quiet = Quiet(QuietReason.WEEKEND, "It is the weekend.")
    stored = _saved(store, samples.edition(reader, quiet=quiet), "2026-04-18")
    assert (stored.quiet, stored.picks) == (quiet, 0)
    assert store.editions.picks_of(stored.id) == ()
    assert store.editions.slots(reader.id, date(2026, 4, 18)) == {"2026-04-18"}
    assert store.editions.slots(reader.id, date(2026, 4, 17)) == set()


def test_a_second_edition_for_a_slot_changes_nothing(samples, store):
    reader, (paper,) = samples.reader(), samples.papers(1)
    assert store.editions.save(samples.edition(reader), "2026-04-18", [HELLO])
    first = store.editions.last(reader.id)
    assert not store.editions.save(samples.edition(reader, paper), "2026-04-18", [HELLO])
    assert store.papers.new_to(reader.id) == [paper]
    (message,) = store.outbox.claim("email", now_of(samples, reader), timedelta(1), 9)
    assert message.key.slot == str(first.id)


def now_of(samples, reader: Reader):
    """Return when the samples' editions are composed."""
    return samples.edition(reader).composed_at


def test_messages_are_put_into_the_outbox_with_their_edition(samples, store, now):
    reader = samples.reader("C0123ABC")
    store.editions.save(samples.edition(reader), "2026-04-18", [HELLO, replace(HELLO, body=b"more", part=2)])
    edition = store.editions.last(reader.id)
    first, second = store.outbox.claim("slack", now, timedelta(minutes=5), 9)
    assert str(first.key) == f"{edition.id}:{reader.id}:slack:1"
    assert str(second.key) == f"{edition.id}:{reader.id}:slack:2"
    assert (first.body, first.reader, first.date, first.attempts) == (HELLO.body, reader, now.date(), 1)
    assert second.body == b"more"


def test_a_taken_slot_in_a_batch_costs_only_its_reader(samples, store, now):
    ada, bob, eve = (samples.reader(f"{name}@example.org", name) for name in ("ada", "bob", "eve"))
    papers = samples.papers(2)
    assert store.editions.save(samples.edition(bob), "day", [])
    batch = [
        NewEdition(samples.edition(eve, *papers), "day", [HELLO, replace(HELLO, part=2)]),
        NewEdition(samples.edition(bob, *papers), "day", [HELLO]),
        NewEdition(samples.edition(ada, *papers), "day", [HELLO], [date(2026, 4, 17)]),
        NewEdition(samples.edition(ada, *papers), "day", [HELLO]),
    ]
    assert store.editions.save_all(batch) == [True, False, True, False]
    claimed = store.outbox.claim("email", now, timedelta(minutes=5), 9)
    slots = {reader: str(store.editions.last(reader.id).id) for reader in (eve, ada)}
    assert sorted((message.key.slot, message.reader, message.key.part) for message in claimed) == sorted(
        [(slots[eve], eve, 1), (slots[eve], eve, 2), (slots[ada], ada, 1)]
    )
    for reader, picks in ((eve, batch[0].edition.picks), (ada, batch[2].edition.picks), (bob, ())):
        assert store.editions.picks_of(store.editions.last(reader.id).id) == picks
    assert store.editions.slots(ada.id, date(2026, 4, 17)) == {"2026-04-17"}
    assert store.editions.save_all([]) == []


def test_what_editions_say_of_a_paper_is_stored_once(samples, store):
    readers = [samples.reader(f"r{number}@example.org", f"r{number}") for number in range(3)]
    first, second = samples.papers(2)
    new = [NewEdition(samples.edition(reader, first, second), "day") for reader in readers]
    marked = replace(new[2].edition.picks[0].summary[0], marks=("One",))
    pick = replace(new[2].edition.picks[0], summary=(marked, *new[2].edition.picks[0].summary[1:]))
    new[2] = replace(new[2], edition=replace(new[2].edition, picks=(pick, new[2].edition.picks[1])))
    store.editions.save_all(new[:1])
    store.editions.save_all(new[1:])
    with store._database.reading() as connection:
        assert sorted(connection.scalars(select(summaries.c.paper_id))) == [first, second]
    for reader, saved in zip(readers, new, strict=True):
        assert store.editions.picks_of(store.editions.last(reader.id).id) == saved.edition.picks


def test_a_failed_transaction_leaves_the_slot_free(samples, store):
    reader, (paper,) = samples.reader(), samples.papers(1)
    with pytest.raises(IntegrityError) as caught:
        store.editions.save(samples.edition(reader, paper), "2026-04-18", [HELLO, HELLO])  # part 1 twice
    # SQLAlchemy 2.1's own message has the whole statement and its values.
    assert "INSERT" in str(caught.value)
    assert "INSERT" not in in_one_line(caught.value)
    assert "ada@example.org" not in in_one_line(caught.value)
    assert store.editions.slots(reader.id, date(2026, 4, 18)) == set()
    assert store.papers.new_to(reader.id) == [paper]
    assert sum(store.outbox.counts().values()) == 0


def test_one_of_several_racing_processes_takes_a_slot(samples, open_another):
    reader = samples.reader()
    edition = samples.edition(reader)
    start = Barrier(4)

    def save_all(_: int) -> set[int]:
        editions = open_another().editions
        start.wait()
        return {n for n in range(25) if editions.save(edition, f"slot {n}", [HELLO])}

    with ThreadPoolExecutor(4) as pool:
        saved = list(pool.map(save_all, range(4)))
    assert sorted(n for slots in saved for n in slots) == list(range(25))
    assert sum(open_another().outbox.counts().values()) == 25


def test_the_last_edition_is_the_last_stored_even_if_a_clock_was_wrong(samples, store, now):
    reader = samples.reader()
    assert store.editions.last(reader.id) is None
    for days, slot in ((-2, "before"), (-1, "yesterday"), (3, "clock ahead"), (0, "today")):
        store.editions.save(samples.edition(reader, at=now + timedelta(days=days)), slot, [])
    assert store.editions.last(reader.id).slot == "today"
    assert store.editions.last(reader.id, before=now).slot == "yesterday"
    assert store.editions.last(reader.id, before=now - timedelta(days=2)) is None


def test_the_last_edition_of_each_reader(samples, store, now):
    ada, bob, eve = (samples.reader(f"{name}@example.org", name) for name in ("ada", "bob", "eve"))
    for reader, days in ((ada, 0), (bob, -1), (ada, -2)):
        store.editions.save(samples.edition(reader, at=now + timedelta(days=days)), f"{days}", [])
    last = store.editions.last_by_reader([ada.id, bob.id, eve.id])
    assert {reader: edition.slot for reader, edition in last.items()} == {ada.id: "-2", bob.id: "-1"}
    assert [edition.slot for edition in store.editions.of_reader(ada.id)] == ["-2", "0"]


def test_skipped_days_take_their_slots_with_the_edition(samples, store, now):
    reader = samples.reader()
    monday, friday = date(2026, 4, 20), date(2026, 4, 17)
    store.editions.save(samples.edition(reader), "2026-04-18", [HELLO], missed=[monday, friday])
    late = date(2026, 5, 1)
    assert store.editions.last_days([reader.id, 99], late, now) == {reader.id: monday}
    assert store.editions.last_days([reader.id], now.date(), now) == {reader.id: now.date()}
    assert store.editions.last_days([reader.id], date(2026, 4, 17), now) == {reader.id: friday}
    assert store.editions.last_days([reader.id], date(2026, 4, 16), now) == {}
    assert [edition.slot for edition in store.editions.of_reader(reader.id)] == ["2026-04-18"]
    assert store.outbox.counts()[State.PENDING] == 1


def test_days_are_skipped_only_if_the_slot_was_free(samples, store, now):
    reader = samples.reader()
    store.editions.save(samples.edition(reader), "2026-04-18", [])
    assert not store.editions.save(samples.edition(reader), "2026-04-18", [], [date(2026, 4, 17)])
    assert store.editions.last_days([reader.id], date(2026, 4, 17), now) == {}


def test_a_day_skipped_at_a_future_time_is_free_until_then(samples, store, now):
    """A clock ran ahead; of the slots that it took, only that of its edition counts."""
    reader, ahead = samples.reader(), now + timedelta(days=7)
    today, early = now.date(), ahead.date()
    store.editions.save(samples.edition(reader, at=ahead), early.isoformat(), [], missed=[today])
    assert store.editions.last_days([reader.id], today, now) == {}
    assert store.editions.last_days([reader.id], early, ahead) == {reader.id: early}
    assert store.editions.last_days([reader.id], today, ahead) == {reader.id: today}
    assert store.editions.save(samples.edition(reader), today.isoformat(), [HELLO])
    assert not store.editions.save(samples.edition(reader), today.isoformat(), [HELLO])
    assert store.editions.last_days([reader.id], today, now) == {reader.id: today}


def test_an_alert_is_not_an_edition_but_its_paper_is_not_new_any_more(samples, store, now):
    reader = samples.reader()
    paper, other = samples.papers(2)
    alert = replace(samples.edition(reader, paper), kind=EditionKind.ALERT)
    assert store.editions.save(alert, "alert-p1", [HELLO])
    assert not store.editions.save(alert, "alert-p1", [HELLO])
    assert store.editions.last(reader.id) is None
    assert store.editions.last_by_reader([reader.id]) == {}
    assert store.editions.last_days([reader.id], now.date(), now) == {}
    assert store.editions.alerts_on(reader.id, now.date()) == 1
    assert store.editions.alerts_on(reader.id, date(2026, 4, 19)) == 0
    assert store.papers.new_to(reader.id) == [other]
    assert store.editions.newest_composed() == now


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_a_summary_of_an_unfinished_batch_delays_no_other_process(samples, store, store_url, monkeypatch):
    (paper,) = samples.papers(1)
    first, second = samples.reader(profile="rewards"), samples.reader(profile="owls")
    options = make_url(store_url).query["options"]
    impatient = make_url(store_url).update_query_dict({"options": f"{options} -c lock_timeout=1"})
    other = open_store(impatient.render_as_string(hide_password=False))
    insert = edition_storage._insert_editions
    saved = []

    def insert_while_another_saves(connection, new, ids):
        result = insert(connection, new, ids)
        monkeypatch.undo()
        saved.append(other.editions.save(samples.edition(second, paper), "day", []))
        return result

    monkeypatch.setattr(edition_storage, "_insert_editions", insert_while_another_saves)
    saved.append(store.editions.save(samples.edition(first, paper), "day", []))
    other.close()
    assert saved == [True, True]
