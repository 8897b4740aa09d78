"""Invented papers, picks and editions, and links as long as signed ones."""

from datetime import UTC, date, datetime

from bot.model import Edition, Paper, Pick, PickKind, Reader, Sentence, Sighting, Vote


class LongLinks:
    """Links as long as signed ones."""

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        return f"https://papers.example.org/thumb/{'t' * 80}.{paper.id}?vote={vote}&from=mail"

    def save(self, paper: Paper, via: str = "mail") -> str:
        return f"https://papers.example.org/thumb/{'t' * 34}.{paper.id}/save"

    def edition(self, day: date) -> str:
        return f"https://papers.example.org/edition/{'e' * 70}"

    def skipped(self, day: date) -> str:
        return f"{self.me()}/skipped/{day}"

    def more(self, day: date) -> str:
        return f"{self.me()}/more/{day}"

    def go(self, paper: Paper) -> str:
        return f"https://papers.example.org/go/{'g' * 36}"

    def me(self) -> str:
        return f"https://papers.example.org/me/{'m' * 60}"

    def unsubscribe(self) -> str:
        return f"https://papers.example.org/unsubscribe/{'u' * 60}"


def make_paper(number: int = 17, title: str = "A paper", **fields: object) -> Paper:
    defaults: dict[str, object] = {
        "id": number,
        "title": title,
        "abstract": "",
        "authors": ("Ada Lovelace",),
        "author_count": None,
        "published": date(2025, 5, 5),
        "arxiv_id": None,
        "doi": None,
        "url": "https://example.org/paper",
        "upvotes": None,
        "organisation": None,
        "first_seen": datetime(2025, 5, 6, 6, tzinfo=UTC),
        "sightings": (Sighting("seeds", "LLM-RL", date(2025, 5, 6)),),
    }
    return Paper(**(defaults | fields))  # type: ignore[arg-type]


def make_pick(paper: Paper | None = None, **fields: object) -> Pick:
    defaults: dict[str, object] = {
        "paper": paper or make_paper(),
        "kind": PickKind.MATCH,
        "probability": 0.92,
        "reasons": (),
        "summary": ("We did it.", "It worked."),
    }
    summary = tuple(Sentence(item) if isinstance(item, str) else item for item in (defaults | fields)["summary"])
    return Pick(**(defaults | fields | {"summary": summary}))  # type: ignore[arg-type]


def make_edition(*picks: Pick, **fields: object) -> Edition:
    defaults: dict[str, object] = {
        "reader": Reader(3, "reward-models", "email", "ada@example.org"),
        "profile_title": "Reward models",
        "date": date(2025, 5, 6),
        "composed_at": datetime(2025, 5, 6, 6, tzinfo=UTC),
        "picks": picks,
        "considered": 143,
        "watermark": 177,
    }
    return Edition(**(defaults | fields))  # type: ignore[arg-type]
