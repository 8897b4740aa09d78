"""Votes: an append-only log in which the last vote on a paper counts."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model import RecordedVote, Vote
from bot.model.errors import DeletedError


def test_the_last_vote_on_a_paper_counts_and_all_are_stored(samples, store, now):
    reader, (paper, other) = samples.reader(), samples.papers(2)
    later = now + timedelta(minutes=1)
    store.feedback.add(reader.id, paper, Vote.UP, later, "mail")
    store.feedback.add(reader.id, other, Vote.UP, later, "slack")
    store.feedback.add(reader.id, paper, Vote.DOWN, now, "cli")  # recorded later, by a clock that was behind
    assert store.feedback.current(reader.id) == {
        other: RecordedVote(other, Vote.UP, later, "slack"),
        paper: RecordedVote(paper, Vote.DOWN, now, "cli"),
    }
    assert [vote.vote for vote in store.feedback.history(reader.id)] == [Vote.UP, Vote.UP, Vote.DOWN]


def test_votes_are_per_reader(samples, store, now):
    (paper,) = samples.papers(1)
    ada, bob = samples.reader("ada@example.org", "ada"), samples.reader("bob@example.org", "bob")
    store.feedback.add(ada.id, paper, Vote.UP, now, "cli")
    store.feedback.add(bob.id, paper, Vote.CLEAR, now, "cli")
    assert list(store.feedback.current(ada.id)) == [paper]
    assert store.feedback.current(bob.id) == {}
    assert store.feedback.counts() == {ada.id: (1, 0)}
    assert store.feedback.votes_of([ada.id, bob.id]) == {ada.id: store.feedback.votes(ada.id), bob.id: []}


def test_a_vote_on_an_unknown_paper_is_refused(samples, store, now):
    reader = samples.reader()
    with pytest.raises(DeletedError, match="the reader or the paper was deleted meanwhile"):
        store.feedback.add(reader.id, 9_999, Vote.UP, now, "cli")


@given(actions=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(Vote)), max_size=8))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_current_votes_equal_a_replay_of_the_history(samples, store, now, actions):
    papers = samples.papers(3)
    reader = samples.reader(f"reader{papers[0]}@example.org")
    expected: dict[int, Vote] = {}
    saved: dict[int, Vote] = {}
    for index, vote in actions:
        store.feedback.add(reader.id, papers[index], vote, now, "cli")
        # The list for later stands beside the thumbs.
        (saved if vote in (Vote.SAVE, Vote.UNSAVE) else expected)[papers[index]] = vote
    on_list = {paper for paper, vote in saved.items() if vote is Vote.SAVE}
    assert {vote.paper for vote in store.feedback.saved(reader.id)} == on_list
    both = store.feedback.votes_of([reader.id], (Vote.UP, Vote.DOWN, Vote.SAVE))[reader.id]
    expected = {paper: vote for paper, vote in expected.items() if vote is not Vote.CLEAR}
    assert {paper: vote.vote for paper, vote in store.feedback.current(reader.id).items()} == expected
    assert len(both) == len(on_list) + len(expected)
    votes = list(expected.values())
    counted = (votes.count(Vote.UP), votes.count(Vote.DOWN))
    assert store.feedback.counts().get(reader.id, (0, 0)) == counted
    assert [vote.vote for vote in store.feedback.history(reader.id)] == [vote for _, vote in actions]


def test_who_has_not_voted_for_longest_comes_first(samples, store, now):
    (paper,) = samples.papers(1)
    addresses = [f"r{n}@example.org" for n in range(5)]
    voters = store.readers.sync("rewards", [("email", address) for address in addresses], now)
    for hours, reader in zip((3, 5, 1, 4), voters[:4], strict=True):
        store.feedback.add(reader.id, paper, Vote.UP, now - timedelta(hours=hours), "mail")
    store.readers.stop(voters[3].id)
    store.feedback.add(voters[0].id, paper, Vote.CLEAR, now - timedelta(hours=2), "mail")
    last = [(voters[1], now - timedelta(hours=5)), (voters[0], now - timedelta(hours=2))]
    assert store.feedback.active_until(now - timedelta(hours=2), 9) == last
    assert store.feedback.active_until(now - timedelta(hours=2), 1) == last[:1]
