"""Channels: where messages go, one folder for each kind, and ``registry``, by which everything else finds them.

To add a channel:

1. ``bot/channels/<name>/__init__.py`` with a ``ReaderChannelKind`` (below): its name, which is also the key in
   profiles, the outbox's name for it and the name of its circuit breaker; its addresses, words, server and limits.
2. ``bot/channels/<name>/rendering.py`` with a ``Renderer`` (below): editions, alerts, tests and letters, and the
   message that asks for a confirmation if the channel can't tell who subscribes. Templates are in ``templates/``.
3. ``bot/channels/<name>/transport.py`` with a ``Channel`` (below). Hand it values, never settings. Call
   ``start_data()`` as late as possible: everything that can fail before the message could have arrived comes before it;
   let its exceptions pass. Map foreign exceptions to ``DeliveryError`` in one place, and set ``unknown=True`` where the
   message may have arrived although no answer came: it is not sent again unless a person asks.
4. A line in ``registry``, and a section in ``bot/config/settings.py`` if it has settings.
5. A row in ``docs/settings.md`` for each setting, and one in ``docs/profiles.md`` for its key in profiles. Test it
   against a real server on loopback.

``files`` writes messages to a folder where no server is set. A channel translates one foreign protocol to two results,
a receipt or a ``DeliveryError``, and decides nothing else: ``dispatcher`` says when messages are sent,
``circuit_breaker`` when they are tried again, and the outbox remembers.

Each command imports this module, and few of them send anything: the methods of a kind import what they need when they
are called.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from bot.model import Delivery, Edition, Kind, Letter, Message, OutboxKey, Reader, ReaderId, SendLimit, State
from bot.model.errors import FailureScope

if TYPE_CHECKING:
    from datetime import datetime

    from jinja2 import Environment

    from bot.channels.links import Links, ReaderLinks
    from bot.channels.zotero.api import ZoteroApi


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


class Libraries(Protocol):
    """Readers' Zotero libraries."""

    def open_to_save(self, reader: ReaderId) -> ZoteroApi | None:
        """Open the library in which a reader's papers are saved; None without one."""

    def outcome_of_save(self, outbox_key: str) -> tuple[State, str] | None:
        """Return the state and the receipt of an earlier save."""


@dataclass(frozen=True, slots=True)
class TransportParts:
    """What channels are made of beside their settings.

    ``files`` is the folder for messages that have no server; ``tag`` makes what identifies a message to a reader, by
    both ids.
    """

    files: Path
    tag: Callable[[ReaderId, int], str]
    libraries: Libraries


@dataclass(frozen=True, slots=True)
class RenderingParts:
    """What messages are made of beside their edition: templates, each reader's links, and what signs a Message-ID.

    Without ``has_votes`` nothing would take a vote: the papers are a sample, which the store doesn't have.
    """

    templates: Environment
    links: Callable[[Reader], Links]
    tag: Callable[[ReaderId], str]
    has_votes: bool = True


class Renderer(ABC):
    """Makes the messages of one channel."""

    @abstractmethod
    def edition(self, edition: Edition, slot: str) -> list[Message]:
        """Return the messages of an edition, alert or test, in order.

        ``slot`` tells the reader's editions apart. A message with ``in_thread`` goes into the first one's thread.
        """

    @abstractmethod
    def letter(self, letter: Letter, slot: str) -> list[Message]:
        """Return the messages of a weekly letter."""

    def confirmation(
        self, _reader: Reader, _title: str, _key: OutboxKey, _links: ReaderLinks, _now: datetime
    ) -> Message | None:
        """Return the message that asks a reader to confirm the subscription to a profile, by its title.

        None where the channel knows who subscribes. Nothing that the requester typed may be in it: it would be a way to
        send one's own text to strangers.
        """
        return None

    @abstractmethod
    def preview(self, edition: Edition, form: str) -> str:
        """Return an edition in one of the channel's ``forms``."""

    @abstractmethod
    def preview_letter(self, letter: Letter, form: str) -> str:
        """Return a letter in one of the channel's ``forms``."""


class ChannelKind(ABC):
    """A kind of channel, with its own queue in the outbox and its own circuit breaker."""

    name: ClassVar[Kind]  # as stored in the outbox; at most 16 letters
    section: ClassVar[str] = ""  # of the settings
    is_queued: ClassVar[bool] = True  # with a queue, tasks deliver its messages
    is_exclusive: ClassVar[bool] = False  # one process delivers at a time

    @abstractmethod
    def route(self, settings: Any, parts: TransportParts) -> Route:
        """Return the connections that send, each used by a thread of its own."""

    def send_limit(self, _settings: Any) -> SendLimit:
        """Return how fast messages may go out."""
        return SendLimit()


class ReaderChannelKind(ChannelKind):
    """A channel with addresses; its name is also their key in profiles' ``[[readers]]``."""

    noun: ClassVar[str]  # as in "2 readers by mail"
    messages: ClassVar[str]  # as in "Mails go by smtp.example.org"
    example: ClassVar[str]  # of an address
    pattern: ClassVar[re.Pattern[str]]  # of what is meant to be an address of this kind, valid or not
    suffix: ClassVar[str]  # of messages that are files
    forms: ClassVar[Sequence[str]]  # in which ``paperbot preview`` shows its messages
    # What to do about a refused message, by what the refusal is about.
    remedies: ClassVar[Mapping[FailureScope, str]] = {}

    @abstractmethod
    def check_address(self, address: str) -> str:
        """Return the address in its normal form; raises ValueError, for people, if it is not valid."""

    def is_shared(self, _address: str) -> bool:
        """Tell whether several people read at an address."""
        return False

    @abstractmethod
    def has_server(self, settings: Any) -> bool:
        """Tell whether a server is configured; otherwise messages are files."""

    @abstractmethod
    def describe(self, settings: Any, files: Path) -> str:
        """Return what happens to messages, as a predicate: ``go by smtp.example.org:587 ...``."""

    def notes(self, _settings: Any) -> Iterator[str]:
        """Yield what ``paperbot check`` should note about the settings: valid, but probably not intended."""
        yield from ()

    @abstractmethod
    def renderer(self, settings: Any, parts: RenderingParts) -> Renderer:
        """Return what makes the channel's messages."""
