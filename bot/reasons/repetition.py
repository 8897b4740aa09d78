"""What an edition's reasons say once: which liked paper a pick is like, and which topics are liked together."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import Reason, ReasonKind

_SIMILAR = (ReasonKind.LIKED, ReasonKind.OWNED)


def without_repetition(reasons: Sequence[tuple[Reason, ...]]) -> list[tuple[Reason, ...]]:
    """Return the reasons for an edition's picks, each liked paper and each pair of topics named at the first of them.

    A reader's picks are alike: one liked paper was named for eight of nine. Later picks have their other reasons; a
    pair becomes the two topics that it was made of, and a pick's only reason stays.
    """
    stated: set[tuple[str, str]] = set()
    kept = []
    for of_pick in reasons:
        own: list[Reason] = []
        for reason in of_pick:
            statement = (reason.text, reason.near)
            if statement in stated and reason.kind is ReasonKind.TOGETHER:
                own += [Reason(ReasonKind.WROTE, text) for text in statement]
            elif statement not in stated or reason.kind not in _SIMILAR or len(of_pick) == 1:
                own.append(reason)
            if reason.kind in (*_SIMILAR, ReasonKind.TOGETHER):
                stated.add(statement)
        kept.append(tuple(own))
    return kept
