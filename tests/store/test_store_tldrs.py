"""TL;DRs: stored by paper and model, within a budget across processes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta


def test_a_tldr_is_stored_for_its_paper_and_model(samples, store, now):
    first, second = samples.papers(2)
    request = store.tldrs.begin(first, "small-1", now, since=now, budget=9)
    assert store.tldrs.known([first, second], "small-1") == {}, "there is no answer yet"
    store.tldrs.keep(request, "In one sentence.")
    assert store.tldrs.known([first, second], "small-1") == {first: "In one sentence."}
    assert store.tldrs.known([first], "small-2") == {}
    assert store.tldrs.known([], "small-1") == {}


def test_requests_count_until_the_next_day_answered_or_not(samples, store, now):
    (paper,) = samples.papers(1)
    assert store.tldrs.begin(paper, "small-1", now - timedelta(days=1), since=now - timedelta(days=1), budget=1)
    assert store.tldrs.begin(paper, "small-1", now, since=now, budget=1)
    assert store.tldrs.begin(paper, "small-1", now, since=now, budget=1) is None


def test_concurrent_requests_stay_within_the_budget(samples, open_another, now):
    (paper,) = samples.papers(1)

    def ask(_: int) -> list[int | None]:
        tldrs = open_another().tldrs
        return [tldrs.begin(paper, "small-1", now, since=now, budget=7) for _ in range(5)]

    with ThreadPoolExecutor(4) as pool:
        requests = [request for results in pool.map(ask, range(4)) for request in results]
    assert sum(request is not None for request in requests) == 7
