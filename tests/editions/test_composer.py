"""Composing editions: later versions, upvotes as reasons, sources, and batches of readers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support import digest, text_of

from bot.app import open_app
from bot.editions.due import EditionRequest, active_readers
from bot.model import Edition, Vote
from bot.model.errors import StoreError
from bot.operate import day as running

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)


def feed(*papers: tuple[str, int, str]) -> str:
    items = "".join(
        f"<item><title>{title}</title><guid>oai:arXiv.org:2606.0000{n}v{version}</guid>"
        f"<arxiv:announce_type xmlns:arxiv='http://arxiv.org/schemas/atom'>{kind}</arxiv:announce_type>"
        f"<description>We study {title}.</description></item>"
        for n, (title, version, kind) in enumerate(papers)
    )
    return f"<rss version='2.0'><channel><title>arXiv</title>{items}</channel></rss>"


def profile(home, slug: str, extra: str = "") -> None:
    (home / "profiles" / f"{slug}.toml").write_text(
        f'title = "{slug}"\ninterests = "owls at night"\n[edition]\nexplore = 0\nthreshold = 0\n{extra}\n'
        f'[[readers]]\nemail = "{slug}@example.org"\n'
    )


def titles(paperbot, reader: str) -> list[list[str]]:
    """The titles in each of a reader's editions, the oldest first."""
    return [[paper["title"] for paper in edition["papers"]] for edition in paperbot("export", reader).json["editions"]]


def test_a_later_version_is_sent_to_nobody_again(bare, paperbot):
    profile(bare, "likes")
    profile(bare, "silent")
    (bare / "seeds" / "1.xml").write_text(feed(("Owls at Night", 1, "new")))
    paperbot("run", "--force", "--now", NOW.isoformat())
    paperbot("thumb", "up", "likes", "p1", "--now", NOW.isoformat())
    (bare / "seeds" / "2.xml").write_text(feed(("Owls at Night", 2, "replace"), ("Old Bees", 4, "replace")))
    assert paperbot("run", "--force", "--now", (NOW + timedelta(days=1)).isoformat()).code == 0
    assert titles(paperbot, "likes") == titles(paperbot, "silent") == [["Owls at Night"], []]
    assert paperbot("status", "--json", "--now", NOW.isoformat()).json["papers"] == 1


def test_upvotes_raise_a_score_by_the_profiles_trending_weight_and_why_shows_them(bare, paperbot):
    profile(bare, "calm")
    profile(bare, "trendy", "trending = 0.5")
    (bare / "seeds" / "1.json").write_text(
        '[{"paper": {"title": "Owls at Night", "summary": "Owls at night.", "upvotes": 100}}]'
    )
    (bare / "seeds" / "2.txt").write_text(digest("Bees by Day", "Cats at Home"))
    assert paperbot("run", "--force", "--now", NOW.isoformat()).code == 0
    calm, trendy = (paperbot("why", name, "Owls", "--json").json for name in ("calm", "trendy"))
    assert trendy["log_odds"] == pytest.approx(calm["log_odds"] + 1.0)
    assert [r for r in trendy["reasons"] if r["kind"] == "trending"] == [
        {"term": "100 upvotes", "weight": 1.0, "kind": "trending"}
    ]
    assert trendy["log_odds"] == pytest.approx(trendy["rest"] + sum(r["weight"] for r in trendy["reasons"]))
    (mail,) = (bare / "state" / "outbox").rglob("trendy--*.eml")
    assert "rending: 100 upvotes" in text_of(mail)


def test_a_paper_first_seen_in_another_source_is_new_when_a_source_of_the_profile_has_it(bare, paperbot):
    sources = "".join(f'[[sources]]\nname = "{n}"\nkind = "folder"\npath = "{n}"\n' for n in ("one", "two"))
    (bare / "paperbot.toml").write_text(sources)
    profile(bare, "picky")
    toml = bare / "profiles" / "picky.toml"
    toml.write_text('sources = ["two"]\n' + toml.read_text())
    for folder in ("one", "two"):
        (bare / folder).mkdir()
    (bare / "one" / "1.txt").write_text(digest("Owls at Night", "Owls by Day"))
    days = [(NOW + timedelta(days=n)).isoformat() for n in range(3)]
    assert paperbot("run", "--force", "--now", days[0], "--json").json["skipped"] == 1
    (bare / "two" / "2.txt").write_text(digest("Owls by Day", "Bees"))
    assert paperbot("run", "--force", "--now", days[1], "--json").json["editions"] == 1
    (mail,) = (bare / "state" / "outbox").rglob("picky--*.eml")
    assert "Owls by Day" in mail.read_text()
    assert "Owls at Night" not in mail.read_text()
    assert paperbot("run", "--force", "--now", days[2], "--json").json["skipped"] == 1


@pytest.fixture
def three(home):
    """A home of sample digests, and its readers with thumbs of their own."""
    profile(home, "owls", "summary_sentences = 1")
    profile(home, "bees")
    with open_app(home) as app:
        app.daily_job.ingest(NOW)
        for slug, topic in app.profiles.items():
            app.store.readers.sync(slug, topic.addresses, NOW)
        readers = list(active_readers(app.store, app.profiles))
        assert len(readers) > 2
        for n, (reader, _) in enumerate(readers):
            for paper in app.store.papers.get([3 * n + 1, 3 * n + 2]).values():
                app.store.feedback.add(reader.id, paper.id, Vote.DOWN if n == 1 else Vote.UP, NOW, "cli")
        yield app, [EditionRequest(reader, profile, NOW.date()) for reader, profile in readers]


def test_a_batch_composes_the_editions_that_each_reader_gets_alone(three):
    app, requests = three
    batch = list(app.composer.editions(requests, NOW))
    single = [app.composer.edition(request.reader, request.profile, request.day, NOW) for request in requests]
    assert [edition.reader for edition in batch] == [request.reader for request in requests]
    assert all(edition.picks for edition in batch)
    assert len({tuple(pick.paper.id for pick in edition.picks) for edition in batch}) > 1
    assert [contents(edition) for edition in batch] == [contents(edition) for edition in single]


def test_readers_without_votes_get_what_they_would_alone(three):
    app, requests = three
    addresses = [("email", f"{name}@example.org") for name in ("owls", "ann", "ben", "cid")]
    voter, *new = app.store.readers.sync("owls", addresses, NOW)
    first = EditionRequest(voter, app.profiles["owls"], NOW.date())
    batch = [*requests, *(replace(first, reader=reader) for reader in new)]
    candidates = app.composer.candidates_of([(each.reader, each.profile) for each in batch])
    # Ben was sent the first papers already.
    candidates[-2] = replace(candidates[-2], ids=candidates[-2].ids[5:])
    *voters, ann, ben, cid = app.composer.editions(batch, NOW, candidates)
    assert ann.picks
    assert ann.picks == cid.picks
    assert {pick.paper.id for pick in ben.picks} <= set(candidates[-2].ids)
    for request, edition, own_candidates in zip(batch, [*voters, ann, ben, cid], candidates, strict=True):
        alone = app.composer.edition(request.reader, request.profile, request.day, NOW, own_candidates)
        assert contents(edition) == contents(alone)


def contents(edition: Edition) -> tuple[object, ...]:
    """Everything a reader sees of an edition; weights are rounded, as floating-point sums depend on their order."""
    picks = [
        (
            pick.paper.id,
            pick.kind,
            round(pick.probability, 4),
            [replace(reason, weight=round(reason.weight, 3)) for reason in pick.reasons],
            pick.summary,
        )
        for pick in edition.picks
    ]
    return edition.reader, edition.date, edition.considered, edition.watermark, edition.quiet, picks


def test_small_batches_give_the_same_editions_as_a_large_one(three, monkeypatch):
    app, requests = three
    large = list(app.composer.editions(requests, NOW))
    assert all(edition.picks for edition in large)
    monkeypatch.setattr(running, "_BATCH", 2)
    composed = []
    report = app.daily_job.publish(NOW, force=True, show=composed.append)
    assert (report.editions, report.problems) == (len(requests), [])
    assert [contents(edition) for edition in composed] == [contents(edition) for edition in large]


def test_a_batch_that_fails_is_a_problem_of_its_readers_only(three, monkeypatch):
    app, requests = three
    monkeypatch.setattr(running, "_BATCH", 1)
    votes_of, failing = app.store.feedback.votes_of, requests[1].reader

    def failing_once(reader_ids, *kinds):
        if failing.id in reader_ids:
            raise StoreError("the disk is gone")
        return votes_of(reader_ids, *kinds)

    monkeypatch.setattr(app.store.feedback, "votes_of", failing_once)
    report = app.daily_job.publish(NOW, force=True)
    assert report.editions == len(requests) - 1
    assert [str(problem) for problem in report.problems] == [f"{failing.name}: the disk is gone"]
