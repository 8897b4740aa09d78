"""Two processes that compose for one address at the same time, on PostgreSQL."""

from datetime import UTC, datetime, timedelta

import pytest
from support import digest

from bot.app import open_app
from bot.store.readers import EVERYONE

MORNING = datetime(2026, 6, 8, 8, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PROFILE = """
title = "{title}"
interests = "owls"
[edition]
threshold = 0
explore = 0
[schedule]
at = "{at}"
days = ["mon"]
[alerts]
keywords = ["counting"]
[[readers]]
email = "ada@example.org"
[[readers]]
email = "{title}@example.org"
"""


@pytest.mark.parametrize(
    ("at", "title"), [("07:00", "Owls at Night"), ("09:00", "Counting Owls")], ids=["editions", "alerts"]
)
def test_a_paper_comes_once_to_an_address_of_two_profiles(bare, empty_schema_url, monkeypatch, at, title):
    for slug in ("owls", "bats"):
        (bare / "profiles" / f"{slug}.toml").write_text(PROFILE.format(title=slug, at=at))
    (bare / "paperbot.toml").write_text('[[sources]]\nname = "drop"\nkind = "folder"\npath = "drop"\n')
    (bare / "drop").mkdir()
    (bare / "drop" / "day.txt").write_text(digest(title, "Bees"))
    monkeypatch.setenv("PAPERBOT_STORE__URL", empty_schema_url)
    with open_app(bare) as one, open_app(bare) as other:
        one.daily_job.ingest(MORNING)
        one.daily_job.prepare(MORNING)
        owls, bats = (app.daily_job_for({slug: app.profiles[slug]}) for app, slug in ((one, "owls"), (other, "bats")))
        save_all = one.store.editions.save_all

        def save_after_the_other_process(drafts):
            monkeypatch.undo()
            assert bats.compose(EVERYONE, MORNING) == []
            return save_all(drafts)

        def sent():
            """Return the readers who got the paper."""
            (paper,) = one.store.papers.find(title)
            return {
                reader.name for reader in one.store.readers.all() if paper.id in one.store.editions.shown(reader.id)
            }

        monkeypatch.setattr(one.store.editions, "save_all", save_after_the_other_process)
        assert owls.compose(EVERYONE, MORNING) == []
        once = {"owls/ada@example.org", "owls/owls@example.org", "bats/bats@example.org"}
        assert sent() == once
        assert bats.compose(EVERYONE, MORNING + MINUTE) == []
        assert sent() == once
        late = one.store.editions.last(one.store.readers.get("bats", "ada@example.org").id)
        assert (late is not None) == (at == "07:00")
