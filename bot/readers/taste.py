"""What becomes of a phrase that has faded, by the letter's two buttons: more of it again, or done with it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.model import RENEWED, Paper, PaperId, Reader, RecordedVote, TasteChange, Vote
from bot.readers.subscriptions import ignore_word
from bot.readers.votes import VoteEffect, compared_papers, first_papers
from bot.store import Store
from bot.text.tokens import stem_terms


def liked_votes(store: Store, reader: Reader, papers: Collection[PaperId]) -> list[RecordedVote]:
    """Return the votes up that count on these papers, of each member of a channel."""
    return [vote for vote in store.feedback.votes(reader.id) if vote.paper in papers and vote.vote is Vote.UP]


def names(paper: Paper, phrase: str) -> bool:
    """Return whether a paper has all terms of a phrase."""
    terms = set(stem_terms(phrase))
    return bool(terms) and terms <= set(stem_terms(paper.text))


def change_taste(
    store: Store,
    composer: EditionComposer,
    reader: Reader,
    profile: Profile,
    *,
    change: TasteChange,
    phrase: str,
    papers: Collection[PaperId],
    now: datetime,
) -> VoteEffect:
    """Renew the likes of these papers, or exclude the phrase from ranking; return what changed.

    Likes that were taken back are not renewed. Raises ValueError for a phrase that can't be excluded.
    """
    compared = compared_papers(store, composer, reader, profile)
    before = composer.ranked(reader, profile, compared.ids, now)
    if change is TasteChange.DONE:
        ignore_word(store, reader, phrase)
    else:
        likes = liked_votes(store, reader, papers)
        renewed = [(reader.id, RecordedVote(like.paper, Vote.UP, now, RENEWED, like.voter)) for like in likes]
        store.feedback.add_many(renewed)
    after = composer.ranked(reader, profile, compared.ids, now)
    return VoteEffect(
        before=first_papers(before, profile, compared.earlier) if before else [],
        after=first_papers(after, profile, compared.earlier) if after else [],
        waiting=compared.waiting,
        rise=change is TasteChange.AGAIN,
        phrases=[phrase],
    )
