"""Refit what is learned from votes, and store it: in the daily job, before editions are composed.

    votes since the last fit, or another vocabulary --fit--> models of each reader
    predictions of picks, and the votes that followed --fit--> mixtures: of all readers, and of each reader

Readers without a new vote cost two small queries. Everything stored is derived: deleted, it is fitted again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain import ReaderId, Vote
from bot.editions.candidates import Readers, interests_of
from bot.editions.corpus_cache import CurrentRanker
from bot.editions.stored_models import signatures
from bot.store import Store
from bot.store.mixtures import StoredMixture
from bot.store.reader_models import StoredModel

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking.mixture import Mixture, Predictions

# New votes after which a reader's mixture is fitted again: fewer hardly move it.
_NEW_VOTES = 10
# The mixture of all readers is fitted again when their votes have grown by this share, and by ``_NEW_VOTES``.
_GROWTH = 0.05
# It is fitted to the readers who voted last: among this many last votes, at most this many readers.
_LAST_VOTES = 5_000
_READERS = 50
# A reader's last picks that are searched for votes.
_LAST_PICKS = 1_000


def refit(store: Store, ranker: CurrentRanker, readers: Readers, now: datetime) -> None:
    """Fit and store the models and mixtures of the readers who voted since, or whose vocabulary changed."""
    current = signatures(store, readers)
    if not current:
        return
    stored = store.reader_models.versions(list(current))
    vocabulary = ranker.get().vocabulary
    stale = [
        (reader, profile)
        for reader, profile in readers
        if reader.id in current and stored.get(reader.id) != (current[reader.id], vocabulary)
    ]
    if not stale:
        return
    from bot.ranking.serialization import dump

    learned = ranker.get().learn(interests_of(store, stale, now))
    store.reader_models.save(
        [
            StoredModel(reader.id, current[reader.id], vocabulary, now, dump(models))
            for (reader, _), models in zip(stale, learned, strict=True)
            if models
        ]
    )
    _refit_mixtures(store, [reader.id for reader, _ in stale], now)


def _refit_mixtures(store: Store, reader_ids: Sequence[ReaderId], now: datetime) -> None:
    """Fit the mixture of all readers if enough voted, then that of each of these readers, shrunk to it."""
    from bot.ranking.mixture import SHIPPED, Mixture, home_mixture, reader_mixture

    voters, last_vote = store.feedback.last_voters(_LAST_VOTES)
    stored_home = store.mixtures.of_home()
    home = Mixture.of(stored_home.weights, stored_home.offset) if stored_home else SHIPPED
    fits = []
    fitted_votes = stored_home.votes if stored_home else 0
    # Ids of votes grow with their number: counting a million of them would take longer than the fit.
    if last_vote - fitted_votes >= max(_NEW_VOTES, _GROWTH * fitted_votes):
        home = home_mixture(list(_predictions(store, voters[:_READERS]).values()))
        fits.append(_stored(None, home, last_vote, now))

    stored = store.mixtures.of(reader_ids)
    votes = store.feedback.votes_of(reader_ids)
    due = [
        reader_id
        for reader_id in reader_ids
        if len(votes[reader_id]) - (stored[reader_id].votes if reader_id in stored else 0) >= _NEW_VOTES
    ]
    for reader_id, predictions in _predictions(store, due).items():
        fits.append(_stored(reader_id, reader_mixture(predictions, home), len(votes[reader_id]), now))
    store.mixtures.add(fits)


def _predictions(store: Store, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Predictions]:
    """Return each reader's last prediction before each of their votes, and whether it was up, in the votes' order.

    Readers who never voted down are left out: of the picks that they passed over it is not known how many they like.
    """
    from bot.ranking.mixture import Predictions

    predictions = {}
    for reader_id, votes in store.feedback.votes_of(reader_ids).items():
        by_paper = defaultdict(list)
        for prediction in store.editions.predictions(reader_id, _LAST_PICKS):
            by_paper[prediction.paper].append(prediction)
        pairs = []
        for vote in sorted(votes, key=lambda vote: vote.at):
            earlier = [prediction for prediction in by_paper[vote.paper] if prediction.at < vote.at]
            if earlier:
                pairs.append((earlier[-1], vote.vote is Vote.UP))
        if not all(liked for _, liked in pairs):
            predictions[reader_id] = Predictions.of(
                [prediction.log_odds for prediction, _ in pairs], [liked for _, liked in pairs]
            )
    return predictions


def _stored(reader_id: ReaderId | None, mixture: Mixture, votes: int, now: datetime) -> StoredMixture:
    return StoredMixture(reader_id, now, votes, tuple(mixture.weights.tolist()), mixture.offset)
