"""The registry of channel kinds, through which everything else knows them."""

from __future__ import annotations

from collections.abc import Callable

from bot.channels import ChannelKind, ReaderChannelKind, Renderer
from bot.channels.email import EMAIL, OPERATOR
from bot.channels.slack import SLACK
from bot.channels.zotero import ZOTERO
from bot.model import Edition, Kind, Letter, Message, Reader
from bot.model.errors import PaperbotError

_KINDS: dict[Kind, ChannelKind] = {kind.name: kind for kind in (EMAIL, SLACK, ZOTERO, OPERATOR)}


def channels() -> list[ChannelKind]:
    return list(_KINDS.values())


def reader_channels() -> list[ReaderChannelKind]:
    return [kind for kind in _KINDS.values() if isinstance(kind, ReaderChannelKind)]


def channel(name: Kind) -> ChannelKind:
    """Return a kind by its name; raises PaperbotError."""
    if name not in _KINDS:
        raise PaperbotError(f"there is no channel {name!r}; known: {', '.join(_KINDS)}")
    return _KINDS[name]


def reader_channel(name: Kind) -> ReaderChannelKind:
    """Return a kind with addresses by its name; raises PaperbotError."""
    kind = channel(name)
    if not isinstance(kind, ReaderChannelKind):
        raise PaperbotError(f"the channel {name!r} has no readers")
    return kind


def address_checks() -> dict[Kind, Callable[[str], str]]:
    return {kind.name: kind.check_address for kind in reader_channels()}


def channel_of(address: str) -> ReaderChannelKind:
    """Return the kind that a typed address is meant for; raises ValueError if it is like none."""
    kinds = reader_channels()
    match = next((kind for kind in kinds if kind.pattern.fullmatch(address)), None)
    if match is None:
        raise ValueError(f"{address!r} is no address; write it like {' or '.join(k.example for k in kinds)}")
    return match


def is_shared(reader: Reader) -> bool:
    """Tell whether several people read at a reader's address, as the kind of the address says."""
    return reader_channel(reader.kind).is_shared(reader.address)


class MessageRenderer:
    """Makes messages, each by the renderer of its reader's channel.

    ``make`` makes a channel's renderer. It is called with the first message, as jinja2 and the templates take a
    twentieth of a second.
    """

    def __init__(self, make: Callable[[ReaderChannelKind], Renderer]) -> None:
        self._make = make
        self._renderers: dict[Kind, Renderer] = {}

    def messages(self, edition: Edition, slot: str) -> list[Message]:
        return self.of_kind(edition.reader.kind).edition(edition, slot)

    def letter(self, letter: Letter, slot: str) -> list[Message]:
        return self.of_kind(letter.edition.reader.kind).letter(letter, slot)

    def of_kind(self, kind: Kind) -> Renderer:
        if kind not in self._renderers:
            self._renderers[kind] = self._make(reader_channel(kind))
        return self._renderers[kind]
