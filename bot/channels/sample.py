"""Invented editions that use each feature of the templates, to check them with."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from bot.model import (
    Edition,
    EditionKind,
    Fact,
    FactKind,
    Letter,
    MatchRecord,
    Paper,
    Pick,
    PickKind,
    Quiet,
    QuietReason,
    Reader,
    Reason,
    ReasonKind,
    Role,
    Sentence,
    Sighting,
    Vote,
)

_DAY = date(2025, 5, 6)
_MORNING = datetime(2025, 5, 6, 8, tzinfo=UTC)
_READER = Reader(1, "sample", "email", "ada@example.org")


class SampleLinks:
    """Links to a reserved domain (RFC 2606), where nothing answers."""

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """Return an address with the vote in it."""
        return f"https://paperbot.example.org/thumb/{paper.ref}?from={via}&vote={vote}"

    def save(self, paper: Paper, via: str = "mail") -> str:
        """Return an address like that of the page that offers a paper to reference managers."""
        return f"https://paperbot.example.org/thumb/{paper.ref}/save?from={via}"

    def edition(self, day: date) -> str:
        """Return an address with the day in it."""
        return f"https://paperbot.example.org/edition/{day}"

    def go(self, paper: Paper) -> str:
        """Return an address like that of the page of a paper's addresses."""
        return f"https://paperbot.example.org/go/{paper.ref}"

    def me(self) -> str:
        """Return an address like that of the preferences page."""
        return "https://paperbot.example.org/me/sample"

    def unsubscribe(self) -> str:
        """Return an address like that of the unsubscribe page."""
        return "https://paperbot.example.org/unsubscribe/sample"


def edition() -> Edition:
    """Return an edition of a match, a followed author's paper and an exploratory pick with the fewest fields."""
    full = Pick(
        _paper(
            1,
            r"A made-up paper with \textbf{markup} & an $\epsilon$",
            ("Ada Lovelace", "Mary Somerville"),
            "https://example.org/1",
        ),
        PickKind.MATCH,
        0.92,
        (
            Reason(ReasonKind.KEYWORD, "GRPO"),
            Reason(ReasonKind.WROTE, "known", 1.5),
            Reason(ReasonKind.LEARNED, "emphasis", 0.5),
            Reason(ReasonKind.LIKED, "An older paper"),
        ),
        (
            Sentence("First, what a paper is about, with known words marked.", Role.TASK, ("known",)),
            Sentence("Then its idea."),
            Sentence("Last comes a result, such as 63\\% fewer papers to read.", Role.RESULT),
        ),
    )
    followed = Pick(
        _paper(2, "A paper by an author whom you follow", ("Mary Somerville",), None),
        PickKind.FOLLOW,
        0.4,
        (Reason(ReasonKind.AUTHOR, "Mary Somerville"),),
        (Sentence("A language model may say all of it in one sentence.", Role.TLDR),),
    )
    near = Reason(ReasonKind.EXPLORATION, "graphs", near="known")
    return _edition(
        (full, followed, Pick(_paper(3, "An exploratory pick", (), None), PickKind.EXPLORE, 0.5, (near,), ()))
    )


def quiet_edition() -> Edition:
    """Return an edition without picks, with its reason."""
    return _edition((), Quiet(QuietReason.BELOW, "30 new papers came in, too far off."))


def letters() -> list[Letter]:
    """Return a letter with all its parts, and one with a single vote."""
    pick = edition().picks[0]
    week = replace(_edition((pick,)), kind=EditionKind.LETTER)
    full = Letter(week, (pick.paper,), 2, ("owls", "process rewards"), ("agents",), MatchRecord(12, 9))
    return [full, Letter(replace(week, picks=()), (), 1)]


def _edition(picks: tuple[Pick, ...], quiet: Quiet | None = None) -> Edition:
    return Edition(_READER, "Sample", _DAY, _MORNING, picks, considered=30, watermark=30, quiet=quiet)


def _paper(number: int, title: str, authors: tuple[str, ...], url: str | None) -> Paper:
    return Paper(
        id=number,
        title=title,
        abstract="",
        authors=authors,
        author_count=None,
        published=_DAY,
        arxiv_id=None,
        doi=None,
        url=url,
        upvotes=None,
        organisation=None,
        first_seen=_MORNING,
        sightings=(Sighting("seeds", "Sample topic", _DAY, "An alert"), Sighting("seeds", "Daily Papers", None)),
        categories=("cs.LG",),
        facts=(Fact(FactKind.CODE, "https://example.org/code", "Sample"), Fact(FactKind.VENUE, "A venue", "Sample")),
    )
