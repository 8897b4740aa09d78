"""Reasons in words, the same in every channel; plain text, which the channel has to escape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from bot.domain import Reason, ReasonKind
from bot.rendering.latex import readable
from bot.rendering.text import shorten
from bot.wording import listed

_TITLE_WIDTH = 80
_PHRASE_WIDTH = 60
# Parts of a sentence, which begin in lower case: ``names`` are the texts of all reasons of the kind, ``quoted`` the
# same between quotation marks. What triggered an alert is in its label.
_CLAUSES: Mapping[ReasonKind, str] = {
    ReasonKind.ALERT: "",
    ReasonKind.AUTHOR: "by {names}, whom you follow",
    ReasonKind.KEYWORD: "it has your keyword{s} {quoted}",
    ReasonKind.WROTE: "you wrote {quoted}",
    ReasonKind.MENTIONED: "it mentions {quoted}, which you wrote",
    ReasonKind.NEAR: "on {quoted}, close to “{near}”, which you wrote",
    ReasonKind.NEAR_MENTIONED: "it mentions {quoted}, close to “{near}”, which you wrote",
    ReasonKind.TOGETHER: "you like {quoted} together with “{near}”, rarely without",
    ReasonKind.LEARNED: "papers you liked mention {quoted}",
    ReasonKind.LIKED: "like {quoted}, which you liked",
    ReasonKind.OWNED: "like {quoted}, which is in your library",
    ReasonKind.LEARNED_FROM_LIBRARY: "papers in your library mention {quoted}",
    ReasonKind.LIBRARY_OVERALL: "its wording as a whole resembles your library",
    ReasonKind.TRENDING: "trending: {names}",
    ReasonKind.EXPLORATION: "close to “{near}”, but on {quoted}, of which you have judged nothing",
    ReasonKind.VOTES_OVERALL: "its wording as a whole resembles papers you liked",
    ReasonKind.PROFILE_OVERALL: "its wording as a whole comes close to your profile",
}
_OVERALL = {ReasonKind.LIBRARY_OVERALL, ReasonKind.VOTES_OVERALL, ReasonKind.PROFILE_OVERALL}
_EXPLORATION_OF_NO_TOPIC = (
    "its wording is close to your topics, but it is on {quoted}, of which you have judged nothing"
)


def sentence(reasons: Sequence[Reason]) -> str:
    """Return all reasons in one sentence; empty without any. What triggered an alert is not repeated.

    >>> written = [Reason(ReasonKind.WROTE, "reward hacking"), Reason(ReasonKind.WROTE, "LLMs")]
    >>> sentence([*written, Reason(ReasonKind.LIKED, "Reward hacking in RLHF")])
    'You wrote “reward hacking” and “LLMs”; like “Reward hacking in RLHF”, which you liked.'
    """
    return _sentence(tuple(reasons))


# Both parts of a mail have it, and readers without votes have the same reasons.
@lru_cache(maxsize=10_000)
def _sentence(reasons: tuple[Reason, ...]) -> str:
    named = (reason for reason in reasons if reason.kind is not ReasonKind.ALERT)
    names_none = bool(reasons) and _OVERALL.issuperset(reason.kind for reason in reasons)
    clauses = ["it names none of your topics"] if names_none else []
    for kind, group in groupby(named, key=lambda reason: reason.kind):
        of_kind = list(group)
        width = _TITLE_WIDTH if kind in (ReasonKind.LIKED, ReasonKind.OWNED) else _PHRASE_WIDTH
        texts = [_shown(reason.text, width) for reason in of_kind]
        near = _shown(of_kind[0].near, _PHRASE_WIDTH)
        is_of_no_topic = kind is ReasonKind.EXPLORATION and not near
        clauses.append(
            (_EXPLORATION_OF_NO_TOPIC if is_of_no_topic else _CLAUSES[kind]).format(
                names=listed(texts),
                quoted=listed([f"“{text}”" for text in texts]),
                near=near,
                s="" if len(texts) == 1 else "s",
            )
        )
    joined = "; ".join(clauses)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""


# Many readers have the same reasons for the same papers.
@lru_cache(maxsize=10_000)
def _shown(text: str, width: int) -> str:
    return shorten(readable(text), width)
