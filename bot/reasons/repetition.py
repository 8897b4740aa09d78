"""What an edition's reasons say once: which liked paper a pick is like, and which topics are liked together."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import Reason, ReasonKind

# The kinds that name a paper, and what is said where nothing else can be.
_OVERALL = {
    ReasonKind.LIKED: ReasonKind.VOTES_OVERALL,
    ReasonKind.OWNED: ReasonKind.LIBRARY_OVERALL,
}


def without_repetition(reasons: Sequence[tuple[Reason, ...]]) -> list[tuple[Reason, ...]]:
    """Return the reasons for an edition's picks, each liked paper and each pair of topics named at the first of them.

    A reader's picks are alike: one liked paper was named for eight of nine. Later picks have their other reasons, or
    their wording as a whole; a pair becomes the two topics that it was made of.
    """
    stated: set[Reason] = set()
    result = []
    for of_pick in reasons:
        unrepeated: list[Reason] = []
        for reason in of_pick:
            if reason not in stated:
                unrepeated.append(reason)
            elif reason.kind is ReasonKind.TOGETHER:
                unrepeated += [Reason(ReasonKind.WROTE, text) for text in (reason.text, reason.near)]
            elif len(of_pick) == 1:
                unrepeated.append(Reason(_OVERALL[reason.kind]))
        stated |= {r for r in of_pick if r.kind in _OVERALL or r.kind is ReasonKind.TOGETHER}
        result.append(tuple(unrepeated))
    return result
