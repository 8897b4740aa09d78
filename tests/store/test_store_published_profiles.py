"""Published profiles: each change is a version, and what did not change has none."""

from concurrent.futures import ThreadPoolExecutor


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
