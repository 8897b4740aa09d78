"""Put the letters that are due into the outbox: at most one for a reader and a week, whichever process does it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from bot.config.profiles import Profile
from bot.domain import Letter, Problem, Reader
from bot.editions.context import Context
from bot.editions.due import due_letters, letter_day, letter_slot
from bot.editions.refitting import refit
from bot.problem_log import in_one_line
from bot.store.active_readers import IdRange


@dataclass(frozen=True, slots=True)
class WeeklyLetters:
    """Composes the letters of the context's profiles."""

    context: Context

    def put_due(self, ids: IdRange, now: datetime) -> list[Problem]:
        """Store the letters that are due with their messages; return what failed for a reader.

        A letter with nothing to say takes its slot, and no message goes out.
        """
        store = self.context.store
        problems: list[Problem] = []
        for reader, profile, day in due_letters(store, self.context.profiles, now, ids):
            try:
                refit(store, self.context.ranker, [(reader, profile)], now)
                letter = self._letter(reader, profile, day, now)
                slot = letter_slot(letter.edition.date)
                # Stores nothing where another process has taken the slot.
                messages = [] if letter.is_empty else self.context.renderer.letter(letter, slot)
                store.editions.save(letter.edition, slot, messages)
            except Exception as error:
                problems.append(Problem(reader.name, f"weekly letter: {in_one_line(error)}"))
        return problems

    def preview(self, reader: Reader, profile: Profile, now: datetime) -> Letter:
        """Return the letter as it would be now, whatever the day; nothing is stored."""
        return self._letter(reader, profile, letter_day(now, profile), now)

    def _letter(self, reader: Reader, profile: Profile, day: date, now: datetime) -> Letter:
        # Imported here: it needs reasons and terms, and most runs have no letter to compose.
        from bot.letters.composing import compose_letter

        return compose_letter(self.context, reader, profile, day, now)
