"""Reasons in words: plain text, which the channel has to escape."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from bot.reasons.reason import Reason, ReasonKind


def sentence(reasons: Sequence[Reason]) -> str:
    """All reasons in one sentence; empty without any.

    >>> wrote = [Reason(ReasonKind.WROTE, "reward hacking"), Reason(ReasonKind.WROTE, "LLMs")]
    >>> sentence([*wrote, Reason(ReasonKind.LIKED, "Reward hacking in RLHF")])
    'You wrote “reward hacking” and “LLMs”; like “Reward hacking in RLHF”, which you liked.'
    """
    grouped = [list(group) for _, group in groupby(reasons, key=lambda reason: reason.kind)]
    clauses = [text for group in grouped for text in _clauses(group)]
    joined = "; ".join(clauses)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""


def clause(reason: Reason) -> str:
    """One reason by itself, as a part of a sentence that begins in lower case."""
    return _clauses([reason])[0]


def _clauses(reasons: Sequence[Reason]) -> list[str]:
    """Reasons of one kind, those together that can be said together."""
    match reasons[0].kind:
        case ReasonKind.AUTHOR:
            return [f"by {_listed([r.text for r in reasons])}, whom you follow"]
        case ReasonKind.KEYWORD:
            return [f"your keyword{'' if len(reasons) == 1 else 's'} {_quoted(reasons)}"]
        case ReasonKind.WROTE:
            return [f"you wrote {_quoted(reasons)}"]
        case ReasonKind.LEARNED:
            return [f"papers you liked mention {_quoted(reasons)}"]
    return [_single(reason) for reason in reasons]


def _single(reason: Reason) -> str:
    text, near = f"“{reason.text}”", f"“{reason.near}”"
    match reason.kind:
        case ReasonKind.TOGETHER:
            absent = f", without “{reason.absent}”" if reason.absent else ""
            return f"you like {text} together with {near}{absent}"
        case ReasonKind.LIKED:
            return f"like {text}, which you liked"
        case ReasonKind.NEAR:
            return f"on {text}, close to {near}, which you wrote"
        case ReasonKind.TRENDING:
            return f"trending: {reason.text}"
        case ReasonKind.EXPLORATION:
            close = f"close to {near}" if reason.near else "its wording is close to your topics"
            return f"{close}, but on {text}, of which you have judged nothing"
        case _:
            whose = "resembles papers you liked"
            if reason.kind is ReasonKind.PROFILE_OVERALL:
                whose = "comes close to your profile"
            return f"it names none of your topics; its wording as a whole {whose}"


def _quoted(reasons: Sequence[Reason]) -> str:
    return _listed([f"“{reason.text}”" for reason in reasons])


def _listed(texts: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)
