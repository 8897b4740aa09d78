"""What was learned from votes: fitted in the daily run when votes have come, stored, and only read elsewhere."""

from datetime import UTC, datetime, timedelta

import pytest
from support import digest, edit

from bot.app import open_app

NOW = datetime(2026, 6, 8, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
PROFILE = """title = "Owls"
interests = "owls at night"
[edition]
explore = 0
threshold = 0
[[readers]]
email = "ada@example.org"
"""
ANIMALS = ("Owls", "Bees", "Cats", "Eels", "Newts", "Wasps")


def titles(day: int) -> list[str]:
    return [f"{animal} of day {day}" for animal in ANIMALS]


@pytest.fixture
def owls(bare):
    """A home of one reader, without samples."""
    (bare / "profiles" / "owls.toml").write_text(PROFILE)
    return bare


def run(home, paperbot, day: int, papers: bool = True) -> None:
    if papers:
        (home / "seeds" / f"{day}.txt").write_text(digest(*titles(day)))
    assert paperbot("run", "--force", "--now", (NOW + day * DAY).isoformat()).code == 0


def vote(paperbot, day: int, up: int, down: int = 0) -> None:
    """Vote up on the day's first papers, and down on those after them, an hour after the edition."""
    later = (NOW + day * DAY + timedelta(hours=1)).isoformat()
    for number, title in enumerate(titles(day)[: up + down]):
        paperbot("thumb", "up" if number < up else "down", "owls", title, "--now", later)


def stored_model(home):
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        return app.store.reader_models.of_readers([reader.id]).get(reader.id)


def stored_mixtures(home):
    """The mixture of all readers, and the reader's own."""
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        return app.store.mixtures.of_home(), app.store.mixtures.of_readers([reader.id]).get(reader.id)


def test_models_are_fitted_in_the_run_after_a_vote_and_stored_until_the_next(owls, paperbot):
    run(owls, paperbot, 0)
    assert stored_model(owls) is None
    vote(paperbot, 0, up=1)
    assert stored_model(owls) is None
    run(owls, paperbot, 1)
    assert stored_model(owls).fitted_at == NOW + DAY
    # The sixth digest alone does not bring a paper that a reader is sent: the vocabulary stays.
    run(owls, paperbot, 2, papers=False)
    assert stored_model(owls).fitted_at == NOW + DAY
    vote(paperbot, 1, up=1)
    run(owls, paperbot, 3)
    assert stored_model(owls).fitted_at == NOW + 3 * DAY


def test_a_changed_interest_makes_stored_models_stale(owls, paperbot):
    run(owls, paperbot, 0)
    vote(paperbot, 0, up=1)
    run(owls, paperbot, 1)
    edit(owls / "profiles/owls.toml", "owls at night", "bees by day")
    before = stored_model(owls).signature
    run(owls, paperbot, 2)
    assert stored_model(owls).signature != before


def test_a_stale_model_is_not_used_and_reading_stores_nothing(owls, paperbot):
    run(owls, paperbot, 0)
    vote(paperbot, 0, up=1)
    run(owls, paperbot, 1)
    stored = stored_model(owls)
    score = paperbot("why", "owls", "Owls of day 1", "--json", "--now", (NOW + 2 * DAY).isoformat()).json
    vote(paperbot, 1, up=0, down=1)
    down = paperbot("why", "owls", "Owls of day 1", "--json", "--now", (NOW + 2 * DAY).isoformat()).json
    assert down["score"] < score["score"]
    assert paperbot("preview", "owls", "--now", (NOW + 2 * DAY).isoformat()).code == 0
    assert stored_model(owls) == stored


def test_a_stored_model_ranks_as_one_fitted_in_memory(owls, paperbot):
    run(owls, paperbot, 0)
    vote(paperbot, 0, up=2, down=2)
    run(owls, paperbot, 1)
    with open_app(owls) as app:
        (reader,) = app.store.readers.all()
        profile = app.profiles["owls"]
        ids = [paper_id for paper_id, _, _ in app.store.papers.recent_texts(12)]
        # A month later: the stored model is valid as long as nobody votes.
        with_stored = app.composer.ranked(reader, profile, ids, NOW + 30 * DAY)
        app.store.reader_models.save([])
        with app.store._database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM reader_models")
        fresh = app.composer.ranked(reader, profile, ids, NOW + 30 * DAY)
    assert [(s.paper, s.log_odds) for s in with_stored.scores] == [(s.paper, s.log_odds) for s in fresh.scores]


def test_picks_keep_predictions_and_the_votes_on_them_give_mixtures(owls, paperbot):
    run(owls, paperbot, 0)
    assert stored_mixtures(owls) == (None, None)
    vote(paperbot, 0, up=2, down=2)
    run(owls, paperbot, 1)
    home, ada_mixture = stored_mixtures(owls)
    assert home is None  # four votes are too few
    assert ada_mixture.votes == 3  # one paper was in no edition
    vote(paperbot, 1, up=2, down=4)
    run(owls, paperbot, 2)
    home, ada_mixture = stored_mixtures(owls)
    assert (home.votes, ada_mixture.votes) == (10, 8)
    assert (home.fitted_at, ada_mixture.fitted_at) == (NOW + 2 * DAY, NOW + 2 * DAY)
    # Six of ten were disliked.
    assert ada_mixture.weights != home.weights
    with open_app(owls) as app:
        (reader,) = app.store.readers.all()
        (first, *_) = app.store.editions.predictions(reader.id, 100)
        assert len(first.log_odds) == len(ada_mixture.weights) + 1
        assert app.store.editions.predictions(reader.id, 3)[-1] == app.store.editions.predictions(reader.id, 9)[-1]


def test_votes_up_alone_give_no_mixture(owls, paperbot):
    for day in range(2):
        run(owls, paperbot, day)
        vote(paperbot, day, up=6)
    run(owls, paperbot, 2)
    home, ada_mixture = stored_mixtures(owls)
    assert ada_mixture is None
    assert home.weights == (1.0, 1.0)


def test_forgetting_a_reader_deletes_what_was_learned(owls, paperbot):
    for day in range(2):
        run(owls, paperbot, day)
        vote(paperbot, day, up=2, down=4)
    run(owls, paperbot, 2)
    with open_app(owls) as app:
        (reader,) = app.store.readers.all()
        assert app.store.reader_models.of_readers([reader.id])
        app.store.forget(reader, NOW)
        assert not app.store.reader_models.of_readers([reader.id])
        assert not app.store.mixtures.of_readers([reader.id])
