"""How a finished message leaves the house: one file a channel, and the dispatcher that orders their work.

A channel translates one outside world (a folder, a mail server, Slack) to two results: a receipt, or a
``DeliveryError`` that says what the failure is about. It decides nothing else: when to try again, whom to
stop, and what the outbox remembers is the dispatcher's matter.

To add a channel:

1. Write ``bot/deliver/<name>.py`` with a class that has the methods of ``Channel`` below. Hand it values,
   never settings.
2. Call ``start_data()`` as late as you can: everything that may fail before the message can have arrived
   (connecting, logging in, naming the recipient) comes before it. Let what it raises pass.
3. Map the other side's errors to ``DeliveryError`` in one function, ``_translate``. Where the message may
   have arrived although no answer came, ``unknown=True``; nobody sends it again without being asked.
4. If it serves a new kind of address, add it to ``bot.domain.Kind``; name the channel for its kind where the
   application is composed. Test it in ``tests/delivery/`` against a real server on loopback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from bot.domain import Delivery


class Cancelled(Exception):  # noqa: N818 - a signal, not an error
    """``start_data()`` says no: the reader stopped, or the row is another worker's now. Nothing is sent."""


class Channel(Protocol):
    """One way out of the house. One thread uses it at a time."""

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Deliver one message and return the other side's receipt, such as ``250 queued as 17``.

        ``start_data`` commits that the body is about to go out; it is called once, just before that.
        Raises ``DeliveryError`` where the message did not, or may not, go out, and lets pass what
        ``start_data`` raises (``Cancelled``) without the body having left.
        """

    def found(self, delivery: Delivery) -> str | None:
        """The receipt of a message of unknown fate, where the other side can show that it arrived.

        None where it did not arrive, and where the other side can't tell.
        """

    def check(self) -> None:
        """Go as far as one can without sending anything: connect, log in, write. Raises ``DeliveryError``."""

    def close(self) -> None:
        """Let go of connections; the next ``send`` would open them again."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way out for one kind of address.

    ``channels`` work side by side, each in a thread of its own; ``spacing`` is the least time between two
    messages to one address.
    """

    channels: Sequence[Channel]
    spacing: timedelta = timedelta(0)
