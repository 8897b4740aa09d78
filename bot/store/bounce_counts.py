"""How many bounces and complaints came back, by what was done with them."""

from __future__ import annotations

from sqlalchemy import select

from bot.store.engine import Aggregate, dialect_insert
from bot.store.shared_schema import bounce_counts


class BounceCounts(Aggregate):
    """A row for each outcome that has occurred."""

    def add(self, outcome: str) -> None:
        """Count one report."""
        with self._database.writing() as connection:
            new = dialect_insert(connection, bounce_counts).values(outcome=outcome, count=1)
            connection.execute(
                new.on_conflict_do_update(
                    index_elements=[bounce_counts.c.outcome], set_={"count": bounce_counts.c.count + 1}
                )
            )

    def all(self) -> dict[str, int]:
        """Return the counts by outcome."""
        with self._database.reading() as connection:
            return dict(connection.execute(select(bounce_counts.c.outcome, bounce_counts.c.count)).all())
