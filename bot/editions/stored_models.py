"""What was learned from readers' votes, as stored: each reader's models, and the weights of the experts (mixture).

Reading only. Models that are stale or missing are left out, and the ranker fits them in memory; ``refitting`` stores
new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Reader, ReaderId
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Learned
    from bot.ranking.mixture import Mixture

# Version of how models are fitted and stored: stored models of another version are stale.
_VERSION = 4


def signatures(store: Store, readers: Sequence[tuple[Reader, Profile]]) -> dict[ReaderId, str]:
    """Return what identifies the votes, library and interests of each reader who ever voted or has a library.

    A new vote changes it, and so does another library.
    """
    last_votes = store.feedback.last_ids([reader.id for reader, _ in readers])
    libraries = store.library.last_ids([reader.id for reader, _ in readers])
    hashes: dict[str, str] = {}
    current = {}
    for reader, profile in readers:
        if reader.id not in last_votes and reader.id not in libraries:
            continue
        # The text that is ranked by: keywords stand in for missing interests.
        text = profile.interests or " ".join(profile.keywords)
        if text not in hashes:
            hashes[text] = blake2b(text.encode(), digest_size=8).hexdigest()
        counted = f"{last_votes.get(reader.id, 0)}:{libraries.get(reader.id, 0)}"
        current[reader.id] = f"{_VERSION}:{counted}:{hashes[text]}"
    return current


def learned_of(store: Store, readers: Sequence[tuple[Reader, Profile]]) -> dict[ReaderId, Learned]:
    """Return the stored models of these readers; readers whose models are stale or missing are left out."""
    from bot.ranking.serialization import load

    stored = store.reader_models.of([reader.id for reader, _ in readers])
    current = signatures(store, readers) if stored else {}
    learned = {}
    for reader_id, model in stored.items():
        if model.signature != current.get(reader_id):
            continue
        try:
            learned[reader_id] = load(model.arrays)
        except ValueError:  # an archive that can't be read is as good as missing
            continue
    return learned


def mixtures_of(store: Store, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Mixture]:
    """Return for each reader their own mixture, else that of all readers, else the shipped one."""
    from bot.ranking.mixture import SHIPPED, Mixture

    fitted = store.mixtures.of(reader_ids)
    home = store.mixtures.of_home()
    fits = {reader_id: fitted.get(reader_id, home) for reader_id in reader_ids}
    return {
        reader_id: Mixture.of(fit.weights, fit.offset) if fit else SHIPPED for reader_id, fit in fits.items()
    }
