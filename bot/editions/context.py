"""What the use cases of a day work with: each gets this context, the time, and the readers it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.editions.models import CurrentRanker
from bot.model import Edition, Letter, Message
from bot.store import Store


class Renderer(Protocol):
    """Makes the messages of the reader's channel; ``slot`` identifies the edition in them."""

    def messages(self, edition: Edition, slot: str) -> Sequence[Message]:
        """Return the messages of an edition, in order."""

    def letter(self, letter: Letter, slot: str) -> Sequence[Message]:
        """Return the messages of a weekly letter, in order."""


@dataclass(frozen=True, slots=True)
class Context:
    """The store, the profiles in force by slug, and what ranks, composes and renders.

    Making one loads nothing: ranker, composer and renderer import their libraries with the first reader who is due.
    """

    store: Store
    profiles: Mapping[str, Profile]
    ranker: CurrentRanker
    composer: EditionComposer
    renderer: Renderer
