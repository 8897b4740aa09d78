"""Channels: where messages go, one folder for each kind, and ``registry``, by which everything else finds them.

To add a channel:

1. ``bot/channels/<name>/__init__.py`` with a ``ReaderChannelKind`` (``kind``): its name, which is also the key in
   profiles, the outbox's name for it and the name of its circuit breaker; its addresses, words, server and limits.
2. ``bot/channels/<name>/rendering.py`` with a ``Renderer``: what editions, alerts, tests and letters look like, and the
   message that asks for a confirmation if the channel can't tell who subscribes. Templates are in ``templates/``.
3. ``bot/channels/<name>/transport.py`` with a class that has the methods of ``bot.channels.Channel``. Hand it values,
   never settings. Call ``start_data()`` as late as possible: everything that can fail before the message could have
   arrived comes before it; let its exceptions pass. Map foreign exceptions to ``DeliveryError`` in one place, and set
   ``unknown=True`` where the message may have arrived although no answer came: it is not sent again unless a person
   asks.
4. A line in ``registry``, and a section in ``bot/config/settings.py`` if it has settings.
5. A row in README's tables for its settings and for its key in profiles. Test it against a real server on loopback.

``files`` writes messages to a folder where no server is set. When messages are sent is ``bot.channels``.

Delivery of finished messages: the dispatcher, and what it needs of a channel's connection (``bot.channels``).

A channel translates one foreign protocol (a folder, SMTP, Slack) to two results: a receipt, or a ``DeliveryError``
that says what the failure is about. It decides nothing else. When to retry is ``retry_policy``, what to stop is
``worker`` and ``circuit_breaker``, and what is remembered is the outbox.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from bot.model import Delivery


class Cancelled(Exception):  # noqa: N818 - a signal, not an error
    """Raised by ``start_data()``: the reader has stopped, or the lease ran out. Nothing is sent."""


class Channel(Protocol):
    """One connection to the outside, used by one thread at a time."""

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Deliver one message and return the other side's receipt, such as ``250 queued as 17``.

        ``start_data`` commits that the body is about to be sent; call it once, just before that. Raises
        ``DeliveryError`` where the message was not, or may not have been, delivered; what ``start_data`` raises
        (``Cancelled``) passes, and then no body is sent.
        """

    def find_receipt(self, delivery: Delivery) -> str | None:
        """Return the receipt of a message of unknown outcome if the other side can show that it arrived, else None."""

    def check(self) -> None:
        """Do everything but send: connect, log in, write. Raises ``DeliveryError``."""

    def close(self) -> None:
        """Close connections; the next ``send`` opens them again."""


@dataclass(frozen=True, slots=True)
class Route:
    """The channels for one kind of address.

    Each of ``channels`` has a thread of its own; ``spacing`` is the least time between two messages to one address.
    """

    channels: Sequence[Channel]
    spacing: timedelta = timedelta(0)
