"""Fills a store for ``scale.py``: papers, profiles that anyone may subscribe to, and their readers with a past.

Of ten readers five have never voted, three have 5 votes, two have 40. Each has twenty days of editions behind them,
with a message for each and the picks of the last; one in twenty has asked for five papers. The models of those who
voted are stored as a morning finds them: fitted earlier, except for one voter in twenty, who has voted since.

The database writes the readers and their past itself. Models are fitted for a few readers of each profile and copied to
those with as many votes; votes are a reader's own, so that no two readers with votes share a ranking.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from daily_run import bring
from sqlalchemy import Connection, text

from bot.app import App
from bot.config.profiles import Profile
from bot.editions.due import publish
from bot.editions.models import refit, signatures
from bot.model import Reader
from bot.store.derived import StoredModel

PROFILES = 20
VOTES_OF_TEN = (0, 0, 0, 0, 0, 5, 5, 5, 40, 40)
VOTED_SINCE = 20  # one voter in so many
DAYS = 20
NEW_PAPERS = 300
FITTED = 5  # readers of each profile and number of votes
PROFILE = """title = "Profile {number}"
interests = "{interests}"
keywords = ["transformer", "reward model"]
mute = ["stock trading"]
open = true
[edition]
threshold = 0
[schedule]
at = "00:00"
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
"""

# ``turn`` is a reader's place among those of the same profile.
_READERS = """
INSERT INTO readers (profile, kind, address, since, origin)
SELECT 'p' || n % :profiles, 'email', 'r' || n || '@example.org', :since, 'web'
FROM generate_series(0, :readers - 1) AS n ORDER BY n
"""
_EDITIONS = """
INSERT INTO editions (reader_id, slot, date, composed_at, considered, watermark, kind)
SELECT id, CAST(:day AS text), CAST(:day AS date), :at, 300, :newest, 'edition' FROM readers ORDER BY id
"""
_MESSAGES = """
INSERT INTO outbox (key, edition_id, reader_id, kind, part, subject, date, state, attempts, code, detail,
                    created_at, updated_at)
SELECT id || ':' || reader_id || ':email:1', id, reader_id, 'email', 1, 'Papers', date, 'sent', 1, '', '250 accepted',
       composed_at, composed_at
FROM editions ORDER BY id
"""
_PICKS = """
INSERT INTO picks (edition_id, position, paper_id, kind, probability, reasons)
SELECT id, position, 1 + (reader_id * 7 + position * 467) % :newest, 'match', .5, '[]'
FROM editions CROSS JOIN generate_series(1, 10) AS position WHERE date = :day ORDER BY id, position
"""
_OVERRIDES = "INSERT INTO overrides (reader_id, size, ignored) SELECT id, 5, '[]' FROM readers WHERE id % 20 = 7"
_VOTES = """
INSERT INTO votes (reader_id, paper_id, vote, at, via)
SELECT r.id, 1 + (r.id * 31 + n * 97) % :newest, CASE WHEN n % 3 = 0 THEN 'down' ELSE 'up' END, :at, 'mail'
FROM readers AS r CROSS JOIN generate_series(1, :votes) AS n
WHERE (r.id - 1) / :profiles % 10 = :turn ORDER BY r.id, n
"""


def write_profiles(folder: Path, entries: Sequence[dict[str, Any]]) -> None:
    """Write the files of the profiles; their interests are titles of papers."""
    chance = random.Random(7)
    for number in range(PROFILES):
        interests = " ".join(chance.choice(entries)["title"].split()).replace("\\", "").replace('"', "")
        (folder / f"p{number}.toml").write_text(PROFILE.format(number=number, interests=interests))


def fill(app: App, home: Path, entries: Sequence[dict[str, Any]], readers: int, now: datetime) -> None:
    """Store the papers, of which the last ``NEW_PAPERS`` arrived today, and the readers with their past."""
    bring(app, home / "old", list(entries[:-NEW_PAPERS]), now - timedelta(days=2))
    newest = app.store.papers.newest_id()
    days = [now.date() - timedelta(days=back) for back in range(DAYS, 0, -1)]
    with app.store._database.writing() as connection:
        _write_past(connection, readers, newest, days, now)
    bring(app, home / "new", list(entries[-NEW_PAPERS:]), now - timedelta(hours=3))
    publish(app.store, app.profiles, now)
    _store_models(app, now)


def _write_past(connection: Connection, readers: int, newest: int, days: Sequence[date], now: datetime) -> None:
    values = {"readers": readers, "profiles": PROFILES, "newest": newest}

    def execute(sql: str, **more: object) -> None:
        connection.execute(text(sql), values | more)

    execute(_READERS, since=now - timedelta(days=30))
    for day in days:
        at = now - (now.date() - day)
        execute(_EDITIONS, day=day, at=at)
    execute(_MESSAGES)
    execute(_PICKS, day=days[-1])
    execute(_OVERRIDES)
    for turn, votes in enumerate(VOTES_OF_TEN):
        if votes:
            execute(_VOTES, turn=turn, votes=votes, at=now - timedelta(days=1))


def _store_models(app: App, now: datetime) -> None:
    """Fit the models of a few readers, and store them as those of all readers of their profile with as many votes."""
    assert app.ranker.get()  # fits the corpus
    for slug, profile in app.profiles.items():
        models: dict[int, list[StoredModel]] = {}
        for page in app.store.active_readers.all(slug):
            votes = {reader.id: VOTES_OF_TEN[(reader.id - 1) // PROFILES % 10] for reader in page}
            voters = [reader for reader in page if votes[reader.id]]
            if not models:
                models = _fitted(app, profile, voters, votes, now)
            current = signatures(app.store, [(reader, profile) for reader in voters], now)
            app.store.reader_models.save(
                [
                    replace(
                        models[votes[reader.id]][reader.id % len(models[votes[reader.id]])],
                        reader_id=reader.id,
                        signature=current[reader.id],
                    )
                    for number, reader in enumerate(voters)
                    if number % VOTED_SINCE
                ]
            )


def _fitted(
    app: App, profile: Profile, voters: Sequence[Reader], votes: dict[int, int], now: datetime
) -> dict[int, list[StoredModel]]:
    """Return the models of the first voters, by their number of votes."""
    fitted = {}
    for number in sorted(set(VOTES_OF_TEN) - {0}):
        alike = [reader for reader in voters if votes[reader.id] == number][:FITTED]
        refit(app.store, app.ranker, [(reader, profile) for reader in alike], now)
        fitted[number] = list(app.store.reader_models.of_readers([reader.id for reader in alike]).values())
    return fitted
