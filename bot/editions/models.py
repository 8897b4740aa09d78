"""Fit models to votes before editions are composed, and read readers' interests.

    newest papers --fit--> corpus: vocabulary and meanings, in a file
    votes since the last fit, or another vocabulary --fit--> models of each reader
    predictions of picks, and the votes that followed --fit--> mixtures: of all readers, and of each reader
    profile, votes, library, stored models --``interests_of``--> interests of a batch of readers

Only ``refit`` stores readers' models. Readers without a new vote cost it two small queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bot.config.files import write_atomically
from bot.config.profiles import Profile
from bot.editions.due import Readers
from bot.model import (
    NOT_STORED,
    LibraryPaper,
    Override,
    Paper,
    PaperId,
    ReaderId,
    RecordedVote,
    Vote,
    VotedPaper,
    ranked_text,
)
from bot.model.papers import keys
from bot.store import Store
from bot.store.derived import Corpora, StoredMixture, StoredModel
from bot.store.papers import Papers

if TYPE_CHECKING:  # scikit-learn takes a second to import
    from bot.ranking.corpus import Corpus
    from bot.ranking.experts import Mixture, Predictions
    from bot.ranking.ranker import Interest, Ranker


# Older papers add little but time.
_CORPUS_PAPERS = 20_000
# Fewer new papers change no noticeable rank.
_REFIT_SHARE = 0.05
# In a smaller store each paper may bring a topic.
_SMALL_STORE = 1_000
# Growth of all readers' votes that refits their mixture.
_NEW_VOTES = 10
_GROWTH = 0.05
# The fit uses the last voters, and the last picks of each.
_LAST_VOTES = 5_000
_READERS = 50
_LAST_PICKS = 1_000
# Models of another version are stale.
_VERSION = 8

Stamp = tuple[int, int, int]  # modification time in ns, size and inode


@dataclass(slots=True)
class CorpusCache:
    """The corpus that all readers are ranked over, as a file of arrays.

    Pages and votes never wait for a fit: ``corpus`` takes a valid file however old. ``renew``, after an ingest, refits
    when 5 % of the papers are new, or any in a small store. The file may be a copy of a ``shared`` store's.
    """

    path: Path
    papers: Papers
    shared: Corpora | None = None
    _kept: tuple[Stamp, Corpus] | None = field(default=None, init=False, repr=False, compare=False)

    def corpus(self) -> Corpus:
        stamp = self.stamp
        if stamp is None or self._newest_fitted() is None:
            return self._fit()
        if self._kept and self._kept[0] == stamp:
            return self._kept[1]
        from bot.ranking.corpus import Corpus

        try:
            with self._file().open("rb") as file:
                corpus, _ = Corpus.load(file)
        except (OSError, ValueError):
            return self._fit()
        self._kept = (stamp, corpus)
        return corpus

    def renew(self) -> None:
        newest = self._newest_fitted()
        if newest is not None:
            total = self.papers.count()
            new = self.papers.newest_id() - newest
            if new <= (_REFIT_SHARE * min(total, _CORPUS_PAPERS) if total >= _SMALL_STORE else 0):
                return
        if self.shared is None:
            self._fit()
            return
        before = self.shared.newest()
        with self.shared.fitting() as has_lock:
            # Another process may have fitted meanwhile.
            if has_lock and self.shared.newest() == before:
                self._fit()

    @property
    def stamp(self) -> Stamp | None:
        """A value that changes with each fit, or None before the first."""
        try:
            stat = self._file().stat()
        except OSError:
            return None
        # Two quick fits may have the same time and size.
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _newest_fitted(self) -> PaperId | None:
        """Return the newest paper of the fit, or None for another store's file."""
        from bot.ranking.corpus import Corpus

        try:
            with self._file().open("rb") as file:
                newest, first_seen = Corpus.load_fitted_on(file)
        except (OSError, ValueError):
            return None
        # Ids repeat in other stores, arrivals to the microsecond don't.
        return newest if first_seen == self._first_seen(newest) else None

    def _file(self) -> Path:
        """Return the file, copied from a shared store if necessary."""
        if self.shared is None:
            return self.path
        version = self.shared.newest()
        path = self.path.with_stem(f"{self.path.stem}-{version}")
        if version and not path.exists() and (content := self.shared.content(version)) is not None:
            self._write(path, lambda file: file.write(content))
            for older in set(self.path.parent.glob(f"{self.path.stem}-*{self.path.suffix}")) - {path}:
                older.unlink(missing_ok=True)
        return path

    def _write(self, path: Path, save: Callable[[BinaryIO], object]) -> None:
        # Ranking continues in a read-only home, and the next process fits again.
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, save)

    def _fit(self) -> Corpus:
        from bot.ranking.corpus import Corpus

        # 20,000 texts would take 30 MB.
        newest, recent = NOT_STORED, self.papers.stream_recent_texts(_CORPUS_PAPERS)

        def texts() -> Iterator[str]:
            nonlocal newest
            for paper_id, title, abstract in recent:
                newest = newest or paper_id
                yield ranked_text(title, abstract)

        corpus = Corpus().learn(texts())
        if (first_seen := self._first_seen(newest)) is None:
            return corpus
        fitted_on = (newest, first_seen)
        if self.shared is None:
            self._write(self.path, lambda file: corpus.save(file, fitted_on))
        else:
            content = BytesIO()
            corpus.save(content, fitted_on)
            self.shared.add(content.getvalue())
        if stamp := self.stamp:
            self._kept = (stamp, corpus)
        return corpus

    def _first_seen(self, paper_id: PaperId) -> int | None:
        """Return a paper's arrival in microseconds since the epoch."""
        paper = self.papers.get([paper_id]).get(paper_id)
        if paper is None:
            return None
        # Integers avoid rounding errors of ``int(timestamp() * 1e6)``.
        return int(paper.first_seen.timestamp()) * 1_000_000 + paper.first_seen.microsecond


class CurrentRanker:
    """The ranker over the last corpus, created on first use."""

    def __init__(self, corpora: CorpusCache) -> None:
        self._corpora = corpora
        self._ranker: Ranker | None = None
        self._stamp: Stamp | None = None

    def get(self) -> Ranker:
        if self._ranker is None:
            from bot.ranking.ranker import Ranker

            self._ranker = Ranker(self._corpora.corpus())
            # After the corpus, which may have been fitted.
            self._stamp = self._corpora.stamp
        return self._ranker

    def refresh(self) -> None:
        if self._ranker and self._stamp != self._corpora.stamp:
            self._ranker = None


def refit(store: Store, ranker: CurrentRanker, readers: Readers, now: datetime) -> None:
    """Fit and store models and mixtures of readers with new votes or another vocabulary."""
    current = signatures(store, readers, now)
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
    from bot.ranking.experts import SHIPPED, Mixture, dump, home_mixture, reader_mixture

    learned = ranker.get().learn(interests_of(store, stale, now))
    store.reader_models.save(
        [
            StoredModel(reader.id, current[reader.id], vocabulary, now, dump(models))
            for (reader, _), models in zip(stale, learned, strict=True)
            if models
        ]
    )
    voters, last_vote = store.feedback.last_voters(_LAST_VOTES)
    stored_home = store.mixtures.of_home()
    home = Mixture.from_stored(stored_home.weights, stored_home.offset) if stored_home else SHIPPED
    fits = []
    fitted_votes = stored_home.votes if stored_home else 0
    # Ids of votes estimate their number. Counting a million would be slower than the fit.
    if last_vote - fitted_votes >= max(_NEW_VOTES, _GROWTH * fitted_votes):
        home = home_mixture(list(_predictions(store, voters[:_READERS]).values()))
        fits.append(_stored(None, home, last_vote, now))
    for reader_id, predictions in _predictions(store, [reader.id for reader, _ in stale]).items():
        if len(predictions):
            fits.append(_stored(reader_id, reader_mixture(predictions, home), len(predictions), now))
    store.mixtures.add(fits)


def _predictions(store: Store, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Predictions]:
    """Return each reader's last prediction before each vote, and whether it was up.

    Leaves out readers without a down vote, because they may like ignored picks.
    """
    from bot.ranking.experts import Predictions

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
            predictions[reader_id] = Predictions.from_stored(
                [prediction.log_odds for prediction, _ in pairs], [liked for _, liked in pairs]
            )
    return predictions


def _stored(reader_id: ReaderId | None, mixture: Mixture, votes: int, now: datetime) -> StoredMixture:
    return StoredMixture(reader_id, now, votes, tuple(mixture.weights.tolist()), mixture.offset)


def interests_of(store: Store, readers: Readers, now: datetime) -> list[Interest]:
    """Return each reader's interest, with the stored models that are current. The ranker fits the others."""
    from bot.ranking.experts import MOST_PAPERS, load

    reader_ids = [reader.id for reader, _ in readers]
    votes = store.feedback.votes_of(reader_ids, (Vote.UP, Vote.DOWN, Vote.SAVE))
    overrides = store.overrides.of_readers(reader_ids)
    papers = store.papers.voted(vote.paper for reader_votes in votes.values() for vote in reader_votes)
    libraries = store.library.of_readers(reader_ids, MOST_PAPERS)
    stored = store.reader_models.of_readers(reader_ids)
    current = signatures(store, readers, now) if stored else {}
    learned = {}
    for reader_id, model in stored.items():
        if model.signature == current.get(reader_id):
            with suppress(ValueError):  # an unreadable model counts as missing
                learned[reader_id] = load(model.arrays)
    mixtures = mixtures_of(store, reader_ids)
    interests = []
    for reader, profile in readers:
        ignored = overrides.get(reader.id, Override()).ignored
        library = libraries.get(reader.id, ())
        own = interest(profile, votes[reader.id], papers, now, ignored=ignored, library=library)
        interests.append(replace(own, learned=learned.get(reader.id), mixture=mixtures[reader.id]))
    return interests


def interest(
    profile: Profile,
    votes: Sequence[RecordedVote],
    papers: Mapping[PaperId, Paper | VotedPaper],
    now: datetime,
    *,
    ignored: Sequence[str] = (),
    library: Sequence[LibraryPaper] = (),
) -> Interest:
    """Return a reader's interest, with the age of each vote in days.

    ``papers`` must contain every voted paper. Saved papers, and those of ``library``, count as liked without a thumb.
    """
    from bot.ranking.experts import library_weights
    from bot.ranking.ranker import Interest
    from bot.ranking.scoring import Rules

    thumbs = {vote.paper for vote in votes if vote.vote is not Vote.SAVE}
    saved = [vote.paper for vote in votes if vote.vote is Vote.SAVE and vote.paper not in thumbs]
    votes = [vote for vote in votes if vote.vote is not Vote.SAVE or vote.paper not in thumbs]
    # A clock ahead of ours would give a negative age, and time decay would raise the weight.
    ages = {vote.paper: max((now - vote.at) / timedelta(days=1), 0.0) for vote in votes}
    voted = {key for vote in votes for key in keys(papers[vote.paper])} if library else set()
    owned = [item for item in library if voted.isdisjoint(keys(item.paper))]
    library_ages = {item.paper.id: max((now - item.added) / timedelta(days=1), 0.0) for item in owned}
    return Interest(
        text=profile.interests_at(now),
        rules=Rules(profile.keywords, profile.authors, profile.mute, profile.require),
        up=[*(papers[vote.paper] for vote in votes if vote.vote is not Vote.DOWN), *(item.paper for item in owned)],
        down=[papers[vote.paper] for vote in votes if vote.vote is Vote.DOWN],
        ages=ages | library_ages,
        weights=library_weights(library_ages),
        saved=frozenset(saved),
        ignored=ignored,
    )


def signatures(store: Store, readers: Readers, now: datetime) -> dict[ReaderId, str]:
    """Return a key of each reader's votes, library and interests. The same key needs no new model."""
    last_votes = store.feedback.last_ids([reader.id for reader, _ in readers])
    libraries = store.library.last_ids([reader.id for reader, _ in readers])
    current = {}
    for reader, profile in readers:
        if reader.id not in last_votes and reader.id not in libraries:
            continue
        # Keywords replace missing interests in the ranking.
        text = profile.interests_at(now) or " ".join(profile.keywords)
        counted = f"{last_votes.get(reader.id, 0)}:{libraries.get(reader.id, 0)}"
        current[reader.id] = f"{_VERSION}:{counted}:{blake2b(text.encode(), digest_size=8).hexdigest()}"
    return current


def mixtures_of(store: Store, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Mixture]:
    """Return each reader's mixture, or that of all readers, or the shipped one."""
    from bot.ranking.experts import SHIPPED, Mixture

    fitted = store.mixtures.of_readers(reader_ids)
    home = store.mixtures.of_home()
    fits = {reader_id: fitted.get(reader_id, home) for reader_id in reader_ids}
    return {
        reader_id: Mixture.from_stored(fit.weights, fit.offset) if fit else SHIPPED for reader_id, fit in fits.items()
    }
