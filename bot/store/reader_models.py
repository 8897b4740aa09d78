"""The models fitted to readers' votes, as archives of arrays; derived data, at most one for each reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from bot.domain import ReaderId
from bot.store.engine import Aggregate, in_chunks
from bot.store.schema import reader_models

# Read by one statement: a model of 40 votes has 60 KB, of which 200 took up to 138 ms on a busy machine.
_MODELS = 50


@dataclass(frozen=True, slots=True)
class StoredModel:
    """One reader's models: valid for votes of this signature and over this vocabulary."""

    reader_id: ReaderId
    signature: str
    vocabulary: int
    fitted_at: datetime
    arrays: bytes


class ReaderModels(Aggregate):
    """The stored models; reading them writes nothing."""

    def of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredModel]:
        """Return the models of these readers; readers without are left out."""
        with self._database.reading() as connection:
            return {
                row.reader_id: StoredModel(*row)
                for chunk in in_chunks(reader_ids, _MODELS)
                for row in connection.execute(
                    select(reader_models).where(reader_models.c.reader_id.in_(chunk))
                )
            }

    def versions(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, tuple[str, int]]:
        """Return signature and vocabulary of these readers' models, without the models."""
        columns = (reader_models.c.reader_id, reader_models.c.signature, reader_models.c.vocabulary)
        with self._database.reading() as connection:
            return {
                reader_id: (signature, vocabulary)
                for chunk in in_chunks(reader_ids)
                for reader_id, signature, vocabulary in connection.execute(
                    select(*columns).where(reader_models.c.reader_id.in_(chunk))
                )
            }

    def save(self, models: Sequence[StoredModel]) -> None:
        """Store these models in place of earlier ones."""
        # Not durable: after a power failure they are fitted again.
        with self._database.writing(durable=False) as connection:
            for chunk in in_chunks([model.reader_id for model in models]):
                connection.execute(delete(reader_models).where(reader_models.c.reader_id.in_(chunk)))
            if models:
                connection.execute(insert(reader_models), [asdict(model) for model in models])
