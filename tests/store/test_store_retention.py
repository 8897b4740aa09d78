"""How long rows are kept: what is old goes, and what a later edition needs stays."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from bot.model import Entry, Message, OutboxKey, ParsedDigest, State, Vote, ZoteroSave
from bot.model.papers import TEST_SOURCE
from bot.store import database
from bot.store.database import KeepDays
from bot.store.schema import editions, outbox, papers, picks, votes

FOREVER = KeepDays(bodies=0, editions=0, picks=0, thumbs=0, papers=0)
DAY = timedelta(days=1)


def counts(store):
    with store._database.reading() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table))
            for table in (editions, picks, votes, papers, outbox)
        }


@pytest.fixture
def year(samples, store, now):
    """A reader with an edition of two papers on each of ten days, and a vote on the first and the last paper."""
    reader = samples.reader()
    for day in range(10):
        at = now + day * DAY
        ids = [store.papers.newest_id() + n for n in (1, 2)]
        samples.ingest(f"Paper {day} a", f"Paper {day} b", now=at)
        store.editions.save(samples.edition(reader, *ids, at=at), f"slot {day}", [])
        for paper_id in ids[:1] if day in (0, 9) else ():
            store.feedback.add(reader.id, paper_id, Vote.UP, at, "page")
    return now + 9 * DAY


def test_nothing_is_deleted_where_everything_is_kept_forever(store, year):
    before = counts(store)
    assert store.retention.purge(FOREVER, year + 40_000 * DAY) == 0
    assert counts(store) == before


def test_old_editions_go_with_their_picks_and_the_newest_of_a_reader_stays(store, year):
    keep = KeepDays(bodies=0, editions=5, picks=0, thumbs=0, papers=0)
    store.retention.purge(keep, year)
    assert (counts(store)["editions"], counts(store)["picks"]) == (6, 12)
    store.retention.purge(keep, year + 1_000 * DAY)
    assert (counts(store)["editions"], counts(store)["picks"]) == (1, 2)
    assert store.retention.purge(keep, year + 1_000 * DAY) == 0


def test_old_picks_go_and_their_editions_stay(store, year):
    store.retention.purge(KeepDays(bodies=0, editions=0, picks=5, thumbs=0, papers=0), year)
    assert (counts(store)["editions"], counts(store)["picks"]) == (10, 12)


def test_old_thumbs_go(store, year):
    store.retention.purge(KeepDays(bodies=0, editions=0, picks=0, thumbs=5, papers=0), year)
    assert counts(store)["votes"] == 1


def test_old_papers_go_unless_an_edition_shows_them_or_somebody_voted_on_them(store, year):
    keep = KeepDays(bodies=0, editions=0, picks=0, thumbs=0, papers=5)
    assert store.retention.purge(keep, year) == 0
    store.retention.purge(KeepDays(bodies=0, editions=0, picks=5, thumbs=0, papers=5), year)
    # Four days are older; the first paper of the first has a vote.
    assert counts(store)["papers"] == 20 - 7


def test_a_call_goes_on_where_the_last_one_ended(store, year, monkeypatch):
    monkeypatch.setattr(database, "PAGE", 2)
    monkeypatch.setattr(database, "_PAGES", 1)
    keep = KeepDays(bodies=0, editions=5, picks=0, thumbs=0, papers=0)
    assert [store.retention.purge(keep, year) for _ in range(4)] == [2, 2, 0, 0]
    assert counts(store)["editions"] == 6


def test_messages_without_an_edition_go_once_they_are_settled(samples, store, year, now):
    samples.messages(samples.reader("eve@example.org", "owls"))
    keep = KeepDays(bodies=0, editions=5, picks=0, thumbs=0, papers=0)
    store.retention.purge(keep, year + 1_000 * DAY)
    assert store.outbox.counts()[State.PENDING] == 1


def test_the_paper_of_a_test_mail_goes_after_a_day_with_its_vote_and_save(store, samples, now):
    reader = samples.reader()
    samples.ingest("Owls at Night", now=now)
    store.papers.add_digests(
        TEST_SOURCE, "A test", "0" * 64, [ParsedDigest("programme", "A test", None, (Entry("A test"),))], now=now
    )
    made_up = store.papers.newest_id()
    store.feedback.add(reader.id, made_up, Vote.UP, now, "page")
    save, key = ZoteroSave(made_up, "ABCD2345", "zotero-save"), OutboxKey("zotero-save", reader.id, "zotero")
    store.zotero.put_save(reader.id, save, Message(b"{}", "A test"), key, now)
    assert store.retention.purge(FOREVER, now + DAY) == 0
    assert store.retention.purge(FOREVER, now + 2 * DAY) == 1
    assert [paper.title for paper in store.papers.get([1, made_up]).values()] == ["Owls at Night"]
    assert TEST_SOURCE not in store.sources.activity()
