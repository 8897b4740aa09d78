"""What Paperbot knows of a kind of channel: ``ChannelKind``, which each channel's folder fills in.

A kind may have a queue in the outbox and nothing more, such as readers' Zotero libraries. A ``ReaderChannelKind`` also
has addresses, to which editions, alerts and letters go. Methods get the channel's section of the settings, and import
what they need when they are called: each command imports this, and few of them send anything.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bot.model import Edition, Kind, Letter, Message, OutboxKey, Reader, ReaderId, SendLimit, State
from bot.model.errors import FailureScope

if TYPE_CHECKING:
    from datetime import datetime

    from jinja2 import Environment

    from bot.channels import Route
    from bot.channels.links import Links, ReaderLinks
    from bot.channels.zotero.api import ZoteroApi


@dataclass(frozen=True, slots=True)
class TransportParts:
    """What channels are made of beside their settings.

    ``files`` is the folder for messages that have no server; ``tag`` makes what identifies a message to a reader, by
    both ids; ``open_library`` opens a reader's Zotero library; ``outcome`` returns the state and the receipt of an
    outbox row.
    """

    files: Path
    tag: Callable[[ReaderId, int], str]
    open_library: Callable[[ReaderId], ZoteroApi | None]
    outcome: Callable[[str], tuple[State, str] | None]


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
