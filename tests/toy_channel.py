"""A channel that is complete and keeps what it sends: editions with a thread, letters, confirmations, no settings."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot import wording
from bot.channels import ReaderChannelKind, Renderer, RenderingParts, Route, TransportParts, _kinds
from bot.channels.papers import ReaderLinks
from bot.model import Delivery, Edition, Letter, Message, OutboxKey, Reader
from bot.model.errors import DeliveryError, FailureScope


class ToyRenderer(Renderer):
    def __init__(self, parts: RenderingParts) -> None:
        self._parts = parts

    def messages(self, content: Edition | Letter, slot: str) -> list[Message]:
        if isinstance(content, Letter):
            texts = [wording.letter_subject(content)]
        else:
            texts = [wording.subject(content), *(wording.title(pick.paper) for pick in content.picks)]
        return [Message(f"toy {text}".encode(), text, part, in_thread=part > 1) for part, text in enumerate(texts, 1)]

    def confirmation(self, reader: Reader, title: str, key: OutboxKey, links: ReaderLinks, now: datetime) -> Message:
        return Message(f"toy Confirm {title}: {links.confirm()}".encode(), f"Confirm {title}")

    def preview(self, content: Edition | Letter, form: str) -> str:
        return "\n".join(message.body.decode() for message in self.messages(content, ""))


class ToyTransport:
    """Keeps each message with its address and thread; refuses all while ``refusal`` is set."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, str]] = []
        self.refusal: FailureScope | None = None

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        if self.refusal:
            raise DeliveryError("no toys today", permanent=True, scope=self.refusal)
        start_data()
        self.sent.append((delivery.reader.address, delivery.body.decode(), delivery.thread))
        return f"toy-{len(self.sent)}"

    def find_receipt(self, delivery: Delivery) -> str | None:
        return None

    def check(self) -> None:
        if self.refusal:
            raise DeliveryError("no toys today", permanent=True, scope=self.refusal)

    def close(self) -> None:
        pass


class ToyKind(ReaderChannelKind):
    name = "toy"
    noun = "toy"
    messages = "Toys"
    example = "toy:ada"
    pattern = re.compile("toy:.*")
    suffix = ".toy"
    forms = ("toy",)
    remedies = {FailureScope.POLICY: "wind it up"}  # noqa: RUF012 - a test's

    def __init__(self) -> None:
        self.transport = ToyTransport()

    def check_address(self, address: str) -> str:
        if not address.removeprefix("toy:"):
            raise ValueError("a toy has a name; write it like toy:ada")
        return address.lower()

    def has_server(self, settings: None) -> bool:
        return True

    def describe(self, settings: None, files: Path) -> str:
        return "go by hand"

    def notes(self, settings: None) -> Iterator[str]:
        yield "toys break"

    def route(self, settings: None, parts: TransportParts) -> Route:
        return Route([self.transport], timedelta(0))

    def renderer(self, settings: None, parts: RenderingParts) -> Renderer:
        return ToyRenderer(parts)


@pytest.fixture
def toy() -> Iterator[ToyKind]:
    """The kind, which is in the registry for the test."""
    kind = ToyKind()
    _kinds()[kind.name] = kind
    yield kind
    del _kinds()[kind.name]
