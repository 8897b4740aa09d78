"""Read-only commands write nothing: a reader is stored with the first edition or thumb."""

import pytest
from support import rows

from bot.app import open_app

NOW = "2031-05-07T09:00:00+00:00"  # ahead of the clock: it must not become the day on which a reader came

READING = [
    ("preview", "reward-models", "--now", NOW),
    ("why", "reward-models", "TTRL", "--now", NOW),
    ("evaluate", "reward-models", "--now", NOW),
    ("export", "reward-models/ada@example.org", "--now", NOW),
    ("retry", "reward-models", "--now", NOW),
]


@pytest.mark.parametrize("arguments", READING, ids=lambda arguments: arguments[0])
def test_read_only_commands_store_nothing(ingested, paperbot, arguments):
    before = rows(ingested)
    answer = paperbot(*arguments)
    assert (answer.code, answer.err) == (0, "")
    assert before["readers"] == []
    assert rows(ingested) == before


def test_a_thumb_stores_the_reader_with_its_time(ingested, paperbot):
    now = "2025-05-07T09:00:00+00:00"
    assert paperbot("thumb", "up", "reward-models", "TTRL", "--now", now).code == 0
    exported = paperbot("export", "reward-models").json
    assert exported["since"] == now
    assert [thumb["thumb"] for thumb in exported["thumbs"]] == ["up"]


def test_preview_equals_the_next_edition(ingested, paperbot):
    preview = paperbot("preview", "reward-models", "--now", "2025-05-07T09:00:00+02:00").out
    assert paperbot("run", "--now", "2025-05-07T09:00:00+02:00").code == 0
    edition = paperbot("export", "reward-models").json["editions"][0]
    # The last time, as the list at the top names some of them, too.
    places = [preview.rindex(pick["title"].split(":")[0][:40]) for pick in edition["papers"]]
    assert places == sorted(places)
    assert len(places) == 5


def test_a_forgotten_reader_stays_forgotten_while_the_file_has_the_address(ingested, paperbot):
    assert paperbot("thumb", "up", "reward-models", "TTRL").code == 0
    with open_app(ingested) as app:
        # The store alone, as when the profile's file can't be edited: it names the address still.
        app.store.forget(
            app.store.readers.get("reward-models", "ada@example.org"), app.store.papers.newest_first_seen()
        )
    assert "has no readers" in paperbot("preview", "reward-models").err
