"""TL;DRs within a budget across processes, and published profiles: each change is a version."""

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


def contents(published):
    return {profile.slug: (profile.version, profile.content) for profile in published}


def test_only_what_changed_gets_the_next_version(store):
    store.published_profiles.publish({"owls": "1", "bees": "1"})
    store.published_profiles.publish({"owls": "1", "bees": "1"})
    assert contents(store.published_profiles.newer_than(0)) == {"bees": (1, "1"), "owls": (1, "1")}
    store.published_profiles.publish({"owls": "2", "bees": "1"})
    assert contents(store.published_profiles.newer_than(1)) == {"owls": (2, "2")}
    assert store.published_profiles.newer_than(2) == []


def test_a_profile_that_is_gone_is_withdrawn_and_may_return(store):
    store.published_profiles.publish({"owls": "1", "bees": "1"})
    store.published_profiles.publish({"bees": "1"})
    store.published_profiles.publish({"bees": "1"})
    assert contents(store.published_profiles.newer_than(1)) == {"owls": (2, None)}
    store.published_profiles.publish({"owls": "1", "bees": "1"})
    assert contents(store.published_profiles.newer_than(2)) == {"owls": (3, "1")}


def test_two_machines_that_publish_the_same_at_once_make_one_version(store):
    files = {f"profile-{n}": "1" for n in range(20)}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: store.published_profiles.publish(files), range(8)))
    assert {profile.version for profile in store.published_profiles.newer_than(0)} == {1}
