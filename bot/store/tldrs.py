"""TL;DRs: requests to a language model and its answers, so that no paper is summarised twice."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, insert, select, update

from bot.domain import PaperId
from bot.store.engine import Aggregate, Lock, in_chunks
from bot.store.schema import tldrs

RequestId = int


class Tldrs(Aggregate):
    """One row for each request; a row without text failed or is in progress."""

    def known(self, papers: Collection[PaperId], model: str) -> dict[PaperId, str]:
        """Return the stored TL;DRs of these papers by a model; papers without one are left out."""
        texts: dict[PaperId, str] = {}
        with self._database.reading() as connection:
            for chunk in in_chunks(list(papers)):
                query = select(tldrs.c.paper_id, tldrs.c.text).where(
                    tldrs.c.paper_id.in_(chunk), tldrs.c.model == model, tldrs.c.text.is_not(None)
                )
                # In order of requests, so that the newest text of a paper is written last.
                texts |= {row.paper_id: row.text for row in connection.execute(query.order_by(tldrs.c.id))}
        return texts

    def begin(
        self, paper: PaperId, model: str, now: datetime, *, since: datetime, budget: int
    ) -> RequestId | None:
        """Record a request; None if ``budget`` requests were recorded since ``since``, answered or not."""
        spent = select(func.count()).where(tldrs.c.asked_at >= since, tldrs.c.asked_at <= now)
        row = {"paper_id": paper, "model": model, "asked_at": now}
        # An advisory lock: without it, processes that count at the same time would exceed the budget together.
        with self._database.writing(Lock.TLDR) as connection:
            if (connection.scalar(spent) or 0) >= budget:
                return None
            request: RequestId | None = connection.scalar(insert(tldrs).values(row).returning(tldrs.c.id))
            return request

    def keep(self, request: RequestId, text: str) -> None:
        """Store the answer to a request."""
        with self._database.writing() as connection:
            connection.execute(update(tldrs).where(tldrs.c.id == request).values(text=text))
