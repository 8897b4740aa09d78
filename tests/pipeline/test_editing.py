"""What goes into an edition beside what is new: later versions, and upvotes as reasons."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from support import digest

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)


def feed(*papers: tuple[str, int, str]) -> str:
    items = "".join(
        f"<item><title>{title}</title><guid>oai:arXiv.org:2606.0000{n}v{version}</guid>"
        f"<arxiv:announce_type xmlns:arxiv='http://arxiv.org/schemas/atom'>{kind}</arxiv:announce_type>"
        f"<description>We study {title}.</description></item>"
        for n, (title, version, kind) in enumerate(papers)
    )
    return f"<rss version='2.0'><channel><title>arXiv</title>{items}</channel></rss>"


@pytest.fixture
def small(home):
    for path in (*home.glob("seeds/*"), *home.glob("profiles/*")):
        path.unlink()
    return home


def profile(home, slug: str, extra: str = "") -> None:
    (home / "profiles" / f"{slug}.toml").write_text(
        f'title = "{slug}"\ninterests = "owls at night"\n[edition]\nexplore = 0\n{extra}\n'
        f'[[readers]]\nemail = "{slug}@example.org"\n'
    )


def editions(answer) -> dict[str, list[str]]:
    return {
        edition["reader"]: [pick["title"] for pick in edition["picks"]] for edition in answer.json["editions"]
    }


def test_a_later_version_comes_to_those_who_liked_the_paper_and_to_nobody_else(small, paperbot):
    profile(small, "likes")
    profile(small, "silent")
    (small / "seeds" / "1.xml").write_text(feed(("Owls at Night", 1, "new")))
    paperbot("run", "--force", "--now", NOW.isoformat())
    paperbot("thumb", "up", "likes", "p1", "--now", NOW.isoformat())
    (small / "seeds" / "2.xml").write_text(feed(("Owls at Night", 2, "replace"), ("Old Bees", 4, "replace")))
    later = [(NOW + timedelta(days=n)).isoformat() for n in (1, 2)]
    second = paperbot("run", "--force", "--now", later[0], "--json")
    told = second.out.count("Owls at Night")
    shown = paperbot("status", "--json", "--now", later[0]).json
    picks = {reader["reader"]: reader["last_picks"] for reader in shown["readers"]}
    assert picks == {"likes/likes@example.org": 1, "silent/silent@example.org": 0}
    assert shown["papers"] == 1
    third = paperbot("run", "--force", "--now", later[1], "--json")
    assert third.out.count("Owls at Night") <= told
    shown = paperbot("status", "--json", "--now", later[1]).json
    assert {reader["last_picks"] for reader in shown["readers"]} == {0}
    mails = "".join(path.read_text() for path in (small / "state" / "outbox").rglob("likes--*.eml"))
    assert "version 2" in mails


def test_upvotes_raise_a_paper_as_far_as_the_profile_wants_and_why_says_so(small, paperbot):
    profile(small, "calm")
    profile(small, "trendy", "trending = 0.5")
    (small / "seeds" / "1.json").write_text(
        '[{"paper": {"title": "Owls at Night", "summary": "Owls at night.", "upvotes": 100}}]'
    )
    (small / "seeds" / "2.txt").write_text(digest("Bees by Day", "Cats at Home"))
    assert paperbot("run", "--force", "--now", NOW.isoformat()).code == 0
    calm, trendy = (paperbot("why", name, "Owls", "--json").json for name in ("calm", "trendy"))
    assert trendy["log_odds"] == pytest.approx(calm["log_odds"] + 1.0)
    assert [r for r in trendy["reasons"] if r["kind"] == "trending"] == [
        {"term": "100 upvotes", "weight": 1.0, "kind": "trending"}
    ]
    assert trendy["log_odds"] == pytest.approx(trendy["rest"] + sum(r["weight"] for r in trendy["reasons"]))
    (mail,) = (small / "state" / "outbox").rglob("trendy--*.eml")
    assert "Trending: 100 upvotes" in mail.read_text()
