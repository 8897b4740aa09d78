"""The few sentences of an abstract that say most to one reader, word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from bot.domain import Role, Sentence
from bot.summaries.highlights import marked
from bot.summaries.roles import Shares, role_shares
from bot.summaries.sentences import sentences
from bot.terms import terms

_ORDER = (Role.TASK, Role.IDEA, Role.RESULT)  # as in Shares
# What it is worth that a sentence holds everything in the abstract that the reader cares about, beside a role
# held for certain, which is worth 1: enough to decide between sentences of equal use, not to lose a role.
_INTEREST_WORTH = 0.15
# How much less a second half of a role adds than the first: 0 would believe every share, 1 none.
_DOUBT = 0.3
# The title names the task already: where there are fewer sentences than roles, the others come first.
_TASK_WORTH_OF_FEW = 0.5
# A sentence that holds a smaller share of a role than this is not said to have it.
_SURE_FROM = 0.4


def summarise(
    abstract: str, how_many: int, weights: Mapping[str, float], phrases: Sequence[str] = ()
) -> tuple[Sentence, ...]:
    """At most ``how_many`` sentences, in the abstract's order; a short abstract is shown whole.

    Each role (task, idea, result) is told by one sentence; a set of sentences covers as many of them, in
    expectation, as the shares of the roles that its sentences hold add up to. So those are chosen that hold most;
    more of one role adds less and less, as shares are estimates, and two results in place of an idea tell little.
    ``weights`` says what each term (``bot.terms``) matters to the reader; ``phrases`` are to be marked.
    """
    told = _read(abstract)
    chosen = _chosen(told.shares, _touches(told.terms, weights), how_many)
    texts = [told.sentences[place] for place in chosen]
    roles = _roles([told.shares[place] for place in chosen])
    return tuple(map(Sentence, texts, roles, marked(texts, phrases)))


class _Told(NamedTuple):
    """What an abstract says, whoever reads it: sentence by sentence, with the shares of roles, and terms."""

    sentences: Sequence[str]
    shares: Sequence[Shares]
    terms: Sequence[Set[str]]


@lru_cache(maxsize=1_000)  # many readers get the same papers on the same day
def _read(abstract: str) -> _Told:
    told = sentences(abstract)
    return _Told(told, role_shares(told), [frozenset(terms(sentence)) for sentence in told])


def _chosen(shares: Sequence[Shares], touches: Sequence[float], how_many: int) -> list[int]:
    """The places of the sentences to keep, found one after another: each time the one that adds most."""
    worths = (1.0 if how_many >= len(_ORDER) else _TASK_WORTH_OF_FEW, 1.0, 1.0)
    left, kept, held = list(range(len(shares))), list[int](), [0.0, 0.0, 0.0]
    while left and len(kept) < how_many:
        gains = {
            place: _gain(shares[place], held, worths) + _INTEREST_WORTH * touches[place] for place in left
        }
        best = max(left, key=gains.__getitem__)
        left.remove(best)
        kept.append(best)
        held = [had + more for had, more in zip(held, shares[best], strict=True)]
    return sorted(kept)


def _gain(share: Shares, held: Sequence[float], worths: Sequence[float]) -> float:
    """What a sentence adds to the worth of those kept, which is ``x - _DOUBT * x * x`` for a share x of a role."""
    triples = zip(share, held, worths, strict=True)
    return sum(worth * more * (1 - _DOUBT * (2 * had + more)) for more, had, worth in triples)


def _touches(said: Sequence[Set[str]], weights: Mapping[str, float]) -> list[float]:
    """For each sentence, by its terms, its part of all that the reader cares about here, 0 to 1."""
    if not weights:
        return [0.0] * len(said)
    touched = [{term for term in some if weights.get(term, 0.0) > 0} for some in said]
    whole = sum(weights[term] for term in set().union(*touched)) or 1.0
    return [sum(weights[term] for term in some) / whole for some in touched]


def _roles(shares: Sequence[Shares]) -> list[Role | None]:
    """One sentence for each role, the surest first; None for those that are left."""
    roles: list[Role | None] = [None] * len(shares)
    claims = [
        (share, place, role)
        for place, row in enumerate(shares)
        for share, role in zip(row, _ORDER, strict=True)
    ]
    for share, place, role in sorted(claims, reverse=True):
        if share >= _SURE_FROM and roles[place] is None and role not in roles:
            roles[place] = role
    return roles
