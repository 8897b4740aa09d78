"""Put the letters that are due into the outbox: at most one for a reader and a week, whichever process does it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Letter, Message, Problem, Reader
from bot.editions.candidates import Readers
from bot.editions.due import due_letters, letter_day, letter_slot
from bot.errors import PaperbotError, unexpected_error
from bot.store import Store
from bot.store.active_readers import IdRange

if TYPE_CHECKING:  # as in ``bot.editions.daily_job``
    from bot.editions.composer import EditionComposer

log = logging.getLogger("paperbot")


@dataclass(frozen=True, slots=True)
class WeeklyLetters:
    """Composes letters; ``render`` makes the messages of a letter for its slot.

    ``composer`` is called only if a letter is due.
    """

    store: Store
    composer: Callable[[], EditionComposer]
    render: Callable[[Letter, str], Sequence[Message]]
    refit_models: Callable[[Readers, datetime], None]

    def put_due(self, profiles: Mapping[str, Profile], ids: IdRange, now: datetime) -> list[Problem]:
        """Store the letters that are due with their messages; return what failed for a reader.

        A letter with nothing to say takes its slot, and no message goes out.
        """
        problems: list[Problem] = []
        for reader, profile, day in due_letters(self.store, profiles, now, ids):
            try:
                self.refit_models([(reader, profile)], now)
                letter = self._letter(reader, profile, day, now)
                slot = letter_slot(letter.edition.date)
                # Stores nothing where another process has taken the slot.
                self.store.editions.save(
                    letter.edition, slot, [] if letter.is_empty else self.render(letter, slot)
                )
            except Exception as error:
                words = str(error)
                if not isinstance(error, PaperbotError):
                    log.debug("%s", error, exc_info=error)
                    words = unexpected_error(error)
                problems.append(Problem(reader.name, f"weekly letter: {words}"))
        return problems

    def preview(self, reader: Reader, profile: Profile, now: datetime) -> Letter:
        """Return the letter as it would be now, whatever the day; nothing is stored."""
        return self._letter(reader, profile, letter_day(now, profile), now)

    def _letter(self, reader: Reader, profile: Profile, day: date, now: datetime) -> Letter:
        # Imported here: it needs the composer's modules, and most runs have no letter to compose.
        from bot.letters.composing import compose_letter

        return compose_letter(self.store, self.composer(), reader, profile, day=day, now=now)
