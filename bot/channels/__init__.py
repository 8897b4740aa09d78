"""Channels: the interface that each implements, the list of kinds, and ``FilesChannel``.

Every command imports this module, so the methods of a kind import on call.
"""

from __future__ import annotations

import errno
import json
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bot.config.files import write_atomically
from bot.model import (
    Delivery,
    Edition,
    Kind,
    Letter,
    Message,
    OutboxKey,
    Reader,
    ReaderId,
    SendLimit,
    State,
)
from bot.model.errors import DeliveryError, FailureScope, PaperbotError

if TYPE_CHECKING:
    from jinja2 import Environment

    from bot.channels.papers import Links, ReaderLinks
    from bot.channels.zotero.api import ZoteroApi


class Cancelled(Exception):  # noqa: N818 - a signal, not an error
    """Raised by ``start_data()``: the reader has stopped, or the lease ran out."""


class Channel(ABC):
    """One connection to the outside, used by one thread at a time."""

    @abstractmethod
    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Deliver one message and return the other side's receipt, such as ``250 queued as 17``.

        Call ``start_data`` once, just before the body: it commits that the message may arrive. Its exceptions pass.
        Raises ``DeliveryError`` if the message was not, or may not have been (``unknown``), delivered.
        """

    def find_receipt(self, _delivery: Delivery) -> str | None:
        """Return the receipt of a message of unknown outcome, if there is one."""
        return None

    def check(self) -> None:  # noqa: B027 - a reader's library is checked by polls
        """Connect, log in or write, without sending. Raises ``DeliveryError``."""

    def close(self) -> None:  # noqa: B027 - not every channel keeps connections
        """The next ``send`` opens them again."""


@dataclass(frozen=True, slots=True)
class Route:
    """The channels for one kind of address, each with its own thread.

    ``spacing`` is the least time between two messages to one address.
    """

    channels: Sequence[Channel]
    spacing: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class TransportParts:
    """What channels need to send: ``files`` is the folder for messages without a server."""

    files: Path
    tag: Callable[[ReaderId, int], str]  # identifies a message to a reader
    open_library: Callable[[ReaderId], ZoteroApi | None]
    outcome_of_save: Callable[[str], tuple[State, str] | None]  # state and receipt by outbox key


@dataclass(frozen=True, slots=True)
class RenderingParts:
    """Samples have no votes, because the store lacks their papers."""

    templates: Environment
    links: Callable[[Reader], Links]
    tag: Callable[[ReaderId], str]
    has_votes: bool = True


class Renderer(ABC):
    """Makes the messages of one channel."""

    @abstractmethod
    def messages(self, content: Edition | Letter, slot: str) -> list[Message]:
        """``slot`` identifies the edition."""

    def confirmation(
        self, _reader: Reader, _title: str, _key: OutboxKey, _links: ReaderLinks, _now: datetime
    ) -> Message | None:
        """Return the message that asks a reader to confirm a subscription, if one is needed.

        Nothing that the requester typed may be in it, or people could send their text to strangers.
        """
        return None

    @abstractmethod
    def preview(self, content: Edition | Letter, form: str) -> str:
        """Return an edition or a letter in one of the channel's ``forms``."""


def edition_in(content: Edition | Letter) -> Edition:
    return content.edition if isinstance(content, Letter) else content


class ChannelKind(ABC):
    """A kind of channel, with its own queue in the outbox and its own circuit breaker."""

    name: ClassVar[Kind]  # as stored in the outbox, at most 16 letters
    section: ClassVar[str] = ""  # of the settings
    is_queued: ClassVar[bool] = True  # with a queue, tasks deliver its messages
    is_exclusive: ClassVar[bool] = False  # one process delivers at a time

    @abstractmethod
    def route(self, settings: Any, parts: TransportParts) -> Route: ...

    def send_limit(self, _settings: Any) -> SendLimit:
        return SendLimit()


class ReaderChannelKind(ChannelKind):
    """A channel with addresses. Its name is their key in profiles' ``[[readers]]``."""

    noun: ClassVar[str]  # as in "2 readers by mail"
    messages: ClassVar[str]  # as in "Mails go by smtp.example.org"
    example: ClassVar[str]  # of an address
    pattern: ClassVar[re.Pattern[str]]  # of addresses of this kind, valid or not
    suffix: ClassVar[str]  # of messages that are files
    forms: ClassVar[Sequence[str]]  # of ``paperbot preview``, the default first
    remedies: ClassVar[Mapping[FailureScope, str]] = {}

    @abstractmethod
    def check_address(self, address: str) -> str:
        """Return the normalised address. Raises ValueError, worded for people."""

    def is_shared(self, _address: str) -> bool:
        """Return whether several people read at an address. None may unsubscribe the others."""
        return False

    @abstractmethod
    def has_server(self, settings: Any) -> bool:
        """Return whether a server is configured. Messages are files otherwise."""

    @abstractmethod
    def describe(self, settings: Any, files: Path) -> str:
        """Return a predicate: ``go by smtp.example.org:587 ...``."""

    def notes(self, _settings: Any) -> Iterator[str]:
        """Yield notes for ``paperbot check`` on valid but unlikely settings."""
        yield from ()

    @abstractmethod
    def renderer(self, settings: Any, parts: RenderingParts) -> Renderer: ...


class FilesChannel(Channel):
    """Writes each message to a file of its own: ``<folder>/<date>/<slug>--<address>.eml``.

    Later parts, and other messages with a taken name, end in ``--2`` and so on.
    """

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Write the message atomically, and return its path. Raises ``DeliveryError``, to be retried."""
        with _translated():
            path, body = self._path_and_body(delivery)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, body, durable=True, before_rename=start_data)
        return str(path)

    def find_receipt(self, delivery: Delivery) -> str | None:
        with _translated():
            path, _ = self._path_and_body(delivery)
            return str(path) if path.exists() else None

    def check(self) -> None:
        with _translated():
            self._folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self._folder).close()

    def forget(self, reader: Reader) -> None:
        stem = reader.file_stem
        with _translated():
            for path in self._folder.glob(f"*/{stem}*{self._suffix}"):
                # The pattern also matches longer addresses.
                if re.fullmatch(r"(--\d+)?", path.stem.removeprefix(stem)):
                    path.unlink()

    def _path_and_body(self, delivery: Delivery) -> tuple[Path, bytes]:
        body = delivery.body
        if self._suffix == ".json":
            text = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
            # Valid JSON, and a lone surrogate has no UTF-8 form.
            body = f"{text}\n".encode("utf-8", "backslashreplace")
        folder = self._folder / delivery.date.isoformat()
        stem = delivery.reader.file_stem
        names = (stem + (f"--{n}" if n > 1 else "") + self._suffix for n in count(delivery.key.part))
        paths = (folder / name for name in names)
        return next(path for path in paths if not path.exists() or path.read_bytes() == body), body


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DeliveryError(
            f"can't write the message: {error}; free the disk, or allow writing there",
            permanent=False,
            scope=FailureScope.CHANNEL,
            code=errno.errorcode.get(error.errno or 0, type(error).__name__),
        ) from error


@cache
def _kinds() -> dict[Kind, ChannelKind]:
    """Return all kinds by name, imported here because each imports this module."""
    from bot.channels.email import EMAIL, OPERATOR
    from bot.channels.slack import SLACK
    from bot.channels.zotero import ZOTERO

    return {kind.name: kind for kind in (EMAIL, SLACK, ZOTERO, OPERATOR)}


def channels() -> list[ChannelKind]:
    return list(_kinds().values())


def reader_channels() -> list[ReaderChannelKind]:
    return [kind for kind in _kinds().values() if isinstance(kind, ReaderChannelKind)]


def channel(name: Kind) -> ChannelKind:
    """Raises PaperbotError."""
    if name not in _kinds():
        raise PaperbotError(f"there is no channel {name!r}; known: {', '.join(_kinds())}")
    return _kinds()[name]


def reader_channel(name: Kind) -> ReaderChannelKind:
    """Raises PaperbotError."""
    kind = channel(name)
    if not isinstance(kind, ReaderChannelKind):
        raise PaperbotError(f"the channel {name!r} has no readers")
    return kind


def address_checks() -> dict[Kind, Callable[[str], str]]:
    return {kind.name: kind.check_address for kind in reader_channels()}


def channel_of(address: str) -> ReaderChannelKind:
    """Return the kind that a typed address looks like. Raises ValueError for none."""
    kinds = reader_channels()
    match = next((kind for kind in kinds if kind.pattern.fullmatch(address)), None)
    if match is None:
        raise ValueError(f"{address!r} is no address; write it like {' or '.join(k.example for k in kinds)}")
    return match


def is_shared(reader: Reader) -> bool:
    return reader_channel(reader.kind).is_shared(reader.address)


class MessageRenderer:
    """Makes messages by the renderer of each reader's channel.

    ``make`` is called late, because templates load slowly.
    """

    def __init__(self, make: Callable[[ReaderChannelKind], Renderer]) -> None:
        self._make = make
        self._renderers: dict[Kind, Renderer] = {}

    def messages(self, content: Edition | Letter, slot: str) -> list[Message]:
        return self.of_kind(edition_in(content).reader.kind).messages(content, slot)

    def of_kind(self, kind: Kind) -> Renderer:
        if kind not in self._renderers:
            self._renderers[kind] = self._make(reader_channel(kind))
        return self._renderers[kind]
