"""TL;DRs: what a language model was asked, and what it answered, so that no paper is asked for twice."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, insert, select, update

from bot.domain import PaperId
from bot.store.engine import Database, Lock, in_chunks
from bot.store.schema import tldrs

RequestId = int


class Tldrs:
    """One row a request; one without a text failed, or is under way."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def known(self, papers: Collection[PaperId], model: str) -> dict[PaperId, str]:
        """Return the TL;DRs that a model has written of these papers, by paper."""
        found: dict[PaperId, str] = {}
        with self._database.reading() as connection:
            for some in in_chunks(list(papers)):
                query = select(tldrs.c.paper_id, tldrs.c.text).where(
                    tldrs.c.paper_id.in_(some), tldrs.c.model == model, tldrs.c.text.is_not(None)
                )
                found.update(
                    (row.paper_id, row.text) for row in connection.execute(query.order_by(tldrs.c.id))
                )
        return found

    def begin(
        self, paper: PaperId, model: str, now: datetime, *, since: datetime, budget: int
    ) -> RequestId | None:
        """Note that a paper is asked for; None where ``budget`` requests were begun since then.

        Of several processes that ask at once, none goes over the budget.
        """
        spent = select(func.count()).where(tldrs.c.asked_at >= since, tldrs.c.asked_at <= now)
        row = {"paper_id": paper, "model": model, "asked_at": now}
        with self._database.writing(Lock.TLDR) as connection:
            if (connection.scalar(spent) or 0) >= budget:
                return None
            request: RequestId | None = connection.scalar(insert(tldrs).values(row).returning(tldrs.c.id))
            return request

    def keep(self, request: RequestId, text: str) -> None:
        """Keep the answer to a request."""
        with self._database.writing() as connection:
            connection.execute(update(tldrs).where(tldrs.c.id == request).values(text=text))
