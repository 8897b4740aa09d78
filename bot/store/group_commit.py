"""Shared commits: threads that have something to commit at the same time do it in one transaction.

A commit waits for the disk, and SQLite takes one writer at a time. Whoever comes while another's commit is under
way waits for its end, and then one of those who waited does the work of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Connection

from bot.store.engine import Database

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Order:
    """What one thread wants done, and what came of it."""

    work: Callable[[Connection], Any]
    durable: bool
    result: Any = None
    error: BaseException | None = None
    is_done: bool = False


class GroupCommit:
    """Short pieces of work, each committed before its caller goes on."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._orders: list[_Order] = []
        self._turn = Lock()

    def commit(self, work: Callable[[Connection], T], *, durable: bool) -> T:
        """Do the work in a transaction, perhaps with that of other threads, and return its result.

        Unless ``durable``, a power cut may undo it, as long as nothing durable came after it. Where one piece
        of work fails, none that shared its transaction is done, and each of their callers is told the error.
        """
        order = _Order(work, durable)
        self._orders.append(order)
        with self._turn:
            if not order.is_done:
                self._carry_out()
        if order.error:
            raise order.error
        result: T = order.result
        return result

    def _carry_out(self) -> None:
        """All orders that have come in by now; appending to a list and taking from it need no lock."""
        orders = [self._orders.pop(0) for _ in range(len(self._orders))]
        try:
            with self._database.writing(durable=any(order.durable for order in orders)) as connection:
                for order in orders:
                    order.result = order.work(connection)
        except BaseException as error:  # told to each caller, this one too
            for order in orders:
                order.error = error
        finally:
            for order in orders:
                order.is_done = True
