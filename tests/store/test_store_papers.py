"""Papers: ingested digest by digest, deduplicated, merged, and new to each reader once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from hashlib import sha256
from threading import Barrier

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from bot.model import Entry, ParsedDigest, Sighting, Vote
from bot.model.papers import keys
from bot.store.papers import NewsCursor, StoredDigest
from bot.store.sources import SourceActivity

COMPLETE = Entry(
    title=r"Pok\'emon & $\epsilon$-Greedy Play 🎲",
    abstract="We play.\n\nThen we play again.",
    authors=("Grace Høpper", "Алан Тьюринг"),
    author_count=2,
    published=date(2026, 4, 15),
    arxiv_id="2604.00001",
    doi="10.1000/Play",
    url="https://example.org/play?x=1&y=2",
    upvotes=0,
    organisation="Example Lab",
)


def test_a_paper_is_read_as_it_was_ingested(samples, store, now):
    assert samples.ingest(COMPLETE) == (1, 0)
    (paper,) = store.papers.find("Pok")
    for field in ("title", "abstract", "authors", "author_count", "published", "arxiv_id", "doi", "url"):
        assert getattr(paper, field) == getattr(COMPLETE, field)
    assert (paper.upvotes, paper.organisation, paper.first_seen) == (0, "Example Lab", now)
    assert paper.sightings == (Sighting("seeds", "Testing", date(2026, 4, 17)),)
    assert store.papers.get([paper.id]) == {paper.id: paper}


def test_times_are_read_in_utc_whatever_their_zone_was(samples, store):
    berlin = datetime(2026, 4, 18, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    samples.ingest("Time", now=berlin)
    first_seen = samples.paper("Time").first_seen
    assert first_seen == berlin
    assert first_seen.tzinfo is UTC


def test_a_time_without_a_zone_is_refused(samples, store, now):
    with pytest.raises(Exception, match="without a time zone"):
        samples.ingest("Time", now=now.replace(tzinfo=None))
    assert store.papers.count() == 0


def test_an_entry_with_a_known_title_is_merged_into_the_paper(samples, store):
    samples.ingest("A Study of Play")
    assert samples.ingest(Entry("a study of  PLAY", "Longer, and about play.", ("A B",), arxiv_id="2604.1")) == (0, 1)
    paper = samples.paper("A Study")
    assert (paper.title, paper.abstract) == ("A Study of Play", "Longer, and about play.")
    assert (paper.authors, paper.arxiv_id) == (("A B",), "2604.1")


def test_an_id_added_later_identifies_the_paper_under_another_title(samples, store):
    samples.ingest("A Study of Play")
    samples.ingest(Entry("A Study of Play", doi="10.1000/PLAY"))
    assert samples.ingest(Entry("Play, Studied", doi="10.1000/play")) == (0, 1)
    assert store.papers.count() == 1


def test_papers_with_one_title_and_different_ids_stay_separate(samples, store):
    samples.ingest(Entry("Editorial", arxiv_id="2604.00001"))
    assert samples.ingest(Entry("Editorial", arxiv_id="2604.00002")) == (1, 0)
    both = [Entry("Editorial", arxiv_id=f"2604.0000{number}") for number in (2, 1)]
    assert samples.ingest(*both) == (0, 2)
    assert [paper.arxiv_id for paper in store.papers.find("Editorial")] == ["2604.00001", "2604.00002"]


def test_a_paper_listed_twice_in_a_digest_is_new_once_with_one_sighting(samples, store):
    assert samples.ingest("Echo", "Other", Entry("ECHO", doi="10.1/e"), Entry("Sound", doi="10.1/e")) == (2, 2)
    echo = samples.paper("Echo")
    assert echo.doi == "10.1/e"
    assert len(echo.sightings) == 1


def test_a_title_too_long_for_an_index_is_recognised(samples, store):
    # Incompressible, since PostgreSQL compresses long values.
    title = "Über " + " ".join(sha256(bytes([n])).hexdigest() for n in range(256))
    samples.ingest(title)
    assert samples.ingest(title) == (0, 1)
    assert samples.ingest(title + " anders") == (1, 0)
    assert [paper.title for paper in store.papers.find(title + " and")] == [title + " anders"]


def test_ingesting_the_same_bytes_again_changes_nothing(store, now):
    parsed = ParsedDigest("daily", "", None, (Entry("One"), Entry("Two")), ("block 3: no title",))
    assert store.papers.digests_with("abc") == []
    both = [replace(parsed, entries=()), parsed]
    assert store.papers.add_digests("seeds", "a.txt", "abc", both, now=now) == [(0, 0), (2, 0)]
    assert store.papers.add_digests("copy", "b.txt", "abc", both, now=now) == [(0, 0), (0, 2)]
    stored = StoredDigest("seeds", "a.txt", "daily", "", None, 2, ("block 3: no title",))
    assert store.papers.digests_with("abc") == [replace(stored, papers=0), stored]
    assert len(store.papers.get([store.papers.newest_id()]).popitem()[1].sightings) == 1


def test_of_voted_papers_text_and_identity_are_read(samples, store):
    samples.ingest(Entry("Voted", abstract="On votes.", arxiv_id="2601.00001", doi="10.1/b"))
    paper = samples.paper("Voted")
    voted = store.papers.voted([99, paper.id])[paper.id]
    assert voted == (paper.id, "Voted", "On votes.", "2601.00001", "10.1/b")
    assert (voted.text, keys(voted)) == (paper.text, keys(paper))
    assert store.papers.voted([99, paper.id]).keys() == {paper.id}


def test_sightings_are_in_order_of_arrival_and_a_longer_copy_of_a_digest_adds_none(samples):
    samples.ingest("Seen", source="zoo")
    samples.ingest("Seen", source="arxiv")
    samples.ingest("Seen", "More", source="zoo")
    assert [sighting.source for sighting in samples.paper("Seen").sightings] == ["zoo", "arxiv"]


def test_a_failed_ingestion_is_rolled_back(samples, store, now):
    good = ParsedDigest("keyword", "", None, (Entry("Better"),))
    wrong = ParsedDigest("keyword", "", None, (Entry("Good"), Entry(title=None)))  # type: ignore[arg-type]
    with pytest.raises((IntegrityError, TypeError)):
        store.papers.add_digests("seeds", "a.txt", "abc", [good, wrong], now=now)
    assert store.papers.count() == 0
    assert store.papers.digests_with("abc") == []


def test_get_keeps_the_order_of_ids_and_leaves_out_unknown_ones(samples, store):
    first, _, third = samples.papers(3)
    assert list(store.papers.get([third, 9_999, first, third])) == [third, first]
    assert store.papers.get([]) == {}


def test_get_takes_more_ids_than_one_query(samples, store):
    ids = samples.papers(2_500)
    assert list(store.papers.get(ids)) == ids
    assert store.papers.count() == 2_500


def test_two_processes_that_ingest_the_same_papers_store_each_once(open_another, now):
    start = Barrier(2)

    def ingest(name: str) -> int:
        papers = open_another().papers
        start.wait()
        new = 0
        for day in range(10):
            entries = tuple(Entry(f"Paper {chr(97 + n)} of day {day}") for n in range(20))
            parsed = ParsedDigest("keyword", "", None, entries)
            new += papers.add_digests(name, name, f"{name} {day}", [parsed], now=now)[0][0]
        return new

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(ingest, ("one", "two"))) == 200
    papers = open_another().papers
    assert papers.count() == 200
    assert {len(paper.sightings) for paper in papers.get(papers.new_to(0)).values()} == {2}


# --- which papers are new to a reader ------------------------------------------------------------------


def test_new_papers_are_those_beyond_the_cursor(samples, store):
    first, second, third, fourth = samples.papers(4)
    assert store.papers.new_to(1) == [first, second, third, fourth]
    assert store.papers.new_papers_of([NewsCursor(1, first)], third) == {1: [second, third]}
    assert store.papers.new_to(1, after=fourth) == []


def test_last_before_excludes_papers_of_the_very_time(samples, store, now):
    assert store.papers.last_before(now) == 0
    samples.ingest("Old", now=now - timedelta(microseconds=1))
    samples.ingest("New")
    assert store.papers.last_before(now) == samples.paper("Old").id


def test_new_papers_from_some_sources_need_any_sighting_in_them(samples, store):
    samples.ingest("Both", "Here", source="here")
    samples.ingest("Both", "There", source="there")
    both, of_here, of_there = (samples.paper(title).id for title in ("Both", "Here", "There"))
    assert store.papers.new_to(1, sources=["there"]) == [both, of_there]
    assert store.papers.new_to(1, sources={"here", "there"}) == [both, of_here, of_there]
    assert store.papers.new_to(1, sources=["nowhere"]) == []


def test_a_paper_with_a_vote_is_not_new_until_the_vote_is_taken_back(samples, store, now):
    first, second = samples.papers(2)
    ada, bob = samples.reader("ada@example.org", "ada"), samples.reader("bob@example.org", "bob")
    store.feedback.add(ada.id, first, Vote.DOWN, now, "cli")
    assert store.papers.new_to(ada.id) == [second]
    assert store.papers.new_to(bob.id) == [first, second]
    store.feedback.add(ada.id, first, Vote.CLEAR, now, "cli")
    assert store.papers.new_to(ada.id) == [first, second]


def test_new_papers_of_many_readers_equal_those_of_each(samples, store, now):
    ids = samples.papers(6)
    samples.ingest("Elsewhere", source="other")
    newest = store.papers.newest_id()
    readers = [samples.reader(f"{name}@example.org", name) for name in "abcd"]
    store.editions.save(samples.edition(readers[0], ids[4]), "2026-04-18", [])
    store.feedback.add(readers[1].id, ids[5], Vote.UP, now, "cli")
    cursors = [
        NewsCursor(readers[0].id, after=ids[1]),
        NewsCursor(readers[1].id, after=ids[3], since=now),
        NewsCursor(readers[2].id, sources=("other",)),
        NewsCursor(readers[3].id, after=newest),
    ]
    fresh = store.papers.new_papers_of(cursors, newest)
    assert fresh == {
        readers[0].id: [ids[2], ids[3], ids[5], newest],
        readers[1].id: [ids[4], newest],
        readers[2].id: [newest],
        readers[3].id: [],
    }
    for cursor in cursors:
        new = store.papers.new_to(cursor.reader_id, cursor.after, sources=cursor.sources)
        assert new == fresh[cursor.reader_id]


def test_a_paper_is_new_when_the_readers_source_delivers_it_after_another_had(samples, store, now):
    """Its id is below the watermark of the last edition."""
    samples.ingest("Late", "Never", "Long known", source="elsewhere", now=now - timedelta(days=3))
    samples.ingest("Long known", "Ours", source="ours", now=now - timedelta(days=3))
    watermark = store.papers.newest_id()
    reader = samples.reader()

    def fresh():
        cursor = NewsCursor(reader.id, after=watermark, since=now, sources=("ours",))
        return store.papers.new_papers_of([cursor], store.papers.newest_id())[reader.id]

    assert fresh() == []
    samples.ingest("Long known", source="ours", now=now + timedelta(hours=1))
    samples.ingest("Late", "New", source="ours", now=now - timedelta(minutes=5))  # was being ingested meanwhile
    late = samples.paper("Late").id
    new = samples.paper("New").id
    assert fresh() == [late, new]
    store.editions.save(samples.edition(reader, late), "2026-04-18", [])
    assert fresh() == [new]


# --- queries -----------------------------------------------------------------------------


def test_recent_texts_are_the_newest_first(samples, store):
    samples.ingest("One", "Two", "Three")
    _, two, three = store.papers.new_to(1)
    assert store.papers.recent_texts(2) == [(three, "Three", "About Three."), (two, "Two", "About Two.")]


def test_newest_id_is_zero_before_the_first_paper(samples, store):
    assert store.papers.newest_id() == 0
    assert samples.papers(3)[-1] == store.papers.newest_id()


def test_newest_first_seen_is_the_arrival_of_the_last_new_paper(samples, store, now):
    assert store.papers.newest_first_seen() is None
    samples.ingest("One", now=now)
    samples.ingest("Two", now=now + timedelta(hours=1))
    samples.ingest("One", now=now + timedelta(hours=2))
    assert store.papers.newest_first_seen() == now + timedelta(hours=1)


def test_activity_is_counted_per_source(samples, store, now):
    samples.ingest("One", "Two", source="here", now=now)
    samples.ingest("Two", source="here", now=now + timedelta(days=1))
    store.papers.add_digests("there", "x", "x", [ParsedDigest("feed", "", None, ())], now=now)
    assert store.sources.activity() == {
        "here": SourceActivity(now + timedelta(days=1), date(2026, 4, 17), digests=2, papers=2),
        "there": SourceActivity(now, None, digests=1, papers=0),
    }


def test_find_returns_at_most_ten_papers_by_title(samples, store):
    samples.ingest(*(f"Study {letter}" for letter in "cbadefghijklm"))
    assert [paper.title for paper in store.papers.find("study", limit=3)] == ["Study a", "Study b", "Study c"]
    assert len(store.papers.find("STUDY")) == 10
    assert [paper.title for paper in store.papers.find("  Study\n M ")] == ["Study m"]
    assert store.papers.find("tudy") == []


TITLES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0") | st.sampled_from("%_\\aA ß"))


@given(titles=st.lists(TITLES, min_size=1, max_size=4), words=TITLES, length=st.integers(0, 6))
@example(titles=["100% a", "100x a", "100_ a"], words="100%", length=4)
@example(titles=["a_b", "aXb"], words="a_", length=3)
@example(titles=["Straße", "STRASSE II"], words="straSSe", length=2)
@example(titles=["a\U0010ffffb", "a\uffff", "aé", "az"], words="A", length=2)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_find_returns_exactly_the_titles_with_the_prefix(samples, store, titles, words, length):
    samples.ingest(*titles)
    texts = store.papers.recent_texts(10_000)
    for sought in (words, titles[0][:length]):
        prefix = " ".join(sought.split()).casefold()
        matching = {n for n, title, _ in texts if " ".join(title.split()).casefold().startswith(prefix)}
        assert {paper.id for paper in store.papers.find(sought, limit=10_000)} == matching


def test_papers_of_a_programme_only_are_found_and_are_no_arrivals(samples, store, now):
    samples.ingest("Owls", now=now - timedelta(hours=2))
    samples.ingest("Bees", "Owls", source="conference: OwlConf", now=now)
    owls, bees = samples.paper("Owls").id, samples.paper("Bees").id
    for sources in ((), ("seeds",)):
        assert store.papers.new_to(0, sources=sources) == [owls]
    assert store.papers.newest_first_seen() == now - timedelta(hours=2)
    assert [paper_id for paper_id, _ in store.papers.arrivals(now - timedelta(days=1), now)] == [owls]
    assert [paper_id for paper_id, _, _ in store.papers.recent_texts(10)] == [owls]
    assert store.sources.has_other(["seeds"]) is False
    assert store.papers.newest_id() == bees


def test_a_paper_of_a_programme_is_new_once_a_source_delivers_it(samples, store, now):
    samples.ingest("Bees", source="conference: OwlConf", now=now - timedelta(days=9))
    samples.ingest("Owls", now=now - timedelta(days=5))
    bees, owls = samples.paper("Bees").id, samples.paper("Owls").id
    # The reader's last edition considered both ids.
    cursor = NewsCursor(0, owls, since=now - timedelta(days=4))
    assert store.papers.new_papers_of([cursor], store.papers.newest_id())[0] == []
    samples.ingest("Bees", now=now)
    assert store.papers.new_papers_of([cursor], store.papers.newest_id())[0] == [bees]


def test_entries_are_identified_without_storing_any(samples, store, now):
    samples.ingest(Entry("Owls", "A whole abstract."))
    entries = [Entry("Owls"), Entry("Bees", arxiv_id="2501.00001"), Entry("Bees at night", arxiv_id="2501.00001")]
    owls, bees, again = store.papers.identified(entries, now)
    assert (owls.id, owls.abstract) == (samples.paper("Owls").id, "A whole abstract.")
    assert bees.id == again.id < 0
    assert store.papers.count() == 1


def test_other_profiles_at_an_address_tell_what_they_sent_and_what_was_disliked_there(samples, store, now):
    first, second, third = samples.papers(3)
    ada, same, bob = samples.reader(), samples.reader(profile="owls"), samples.reader("bob@example.org", "bees")
    store.editions.save(samples.edition(same, first, second), "day", [])
    store.feedback.add(same.id, first, Vote.DOWN, now, "mail")
    store.feedback.add(same.id, third, Vote.UP, now, "mail")
    readers = [ada.id, same.id, bob.id]
    assert store.papers.sent_elsewhere(readers, first) == {ada.id: {first, second}}
    assert store.papers.sent_elsewhere(readers, second) == {ada.id: {second}}
    assert [store.papers.new_to(reader_id) for reader_id in readers] == [[second, third], [], [first, second, third]]


def test_the_majority_of_a_channel_hides_a_paper_from_its_other_profile(samples, store, now):
    channel, same = samples.reader("C0123ABC"), samples.reader("C0123ABC", "owls")
    first, second = samples.papers(2)
    for voter, votes in {"U1": (Vote.DOWN, Vote.DOWN), "U2": (Vote.DOWN, Vote.UP), "U3": (Vote.UP, Vote.UP)}.items():
        for paper, vote in zip((first, second), votes, strict=True):
            store.feedback.add(same.id, paper, vote, now, "slack", voter=voter)
    assert store.papers.new_to(channel.id) == [second]
