"""Words of messages: plurals, enumerations, and dates as people write them in a language (CLDR's data, by Babel)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache


def plural(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "paper"), plural(1200, "paper")
    ('1 paper', '1,200 papers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """Return items as an enumeration.

    >>> listed(["arXiv"]), listed(["arXiv", "seeds", "mail"])
    ('arXiv', 'arXiv, seeds and mail')
    """
    if len(items) < 2:
        return "".join(items)
    # No comma before "and", as everywhere in the messages.
    return f"{', '.join(items[:-1])} and {items[-1]}"


DEFAULT_LANGUAGE = "en"
_LONGEST_TAG = 35  # characters; RFC 5646, 4.4.1


def known_language(tag: str) -> str:
    """Return a BCP 47 tag in its usual spelling if its dates are known; raises ValueError."""
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(tag[:_LONGEST_TAG], sep="-")
    except (ValueError, UnknownLocaleError):
        raise ValueError(
            f'unknown language {tag[:_LONGEST_TAG]!r}; write its BCP 47 tag, like "de", "pt-BR" or "ja"'
        ) from None
    return str(locale).replace("_", "-")


@lru_cache(maxsize=2_000)  # a mail has a date for each paper, and most readers have the same few
def long_date(day: date, language: str = DEFAULT_LANGUAGE) -> str:
    """Return a date with its year: ``6 May 2025``, ``6. Mai 2025``, ``2025年5月6日``.

    English keeps the day first for all its regions: "5/6" means two days.
    """
    if _is_english(language):
        # strftime has no portable code for a day without its leading zero: "%-d" is glibc's.
        return f"{day.day} {day:%b} {day.year}"
    from babel import Locale
    from babel.dates import format_date

    return format_date(day, "long", locale=Locale.parse(language, sep="-"))


def short_date(day: date, language: str = DEFAULT_LANGUAGE) -> str:
    """Return a date without its year, for charts: ``6 May``, ``6. Mai``, ``5月6日``."""
    if _is_english(language):
        return f"{day.day} {day:%b}"
    from babel import Locale
    from babel.dates import format_skeleton

    return format_skeleton("MMMd", day, locale=Locale.parse(language, sep="-"))


@lru_cache(maxsize=1)  # 40 ms to read CLDR's names
def languages() -> tuple[tuple[str, str], ...]:
    """Return the tags of all languages, of few their scripts or regions too, with English names, ordered by these."""
    from babel import Locale
    from babel.localedata import locale_identifiers

    names = Locale("en").languages
    with_dates = ((tag.replace("_", "-"), names[tag]) for tag in locale_identifiers() if tag in names)
    return tuple(sorted(with_dates, key=lambda language: language[1]))


def _is_english(language: str) -> bool:
    return language.partition("-")[0] == "en"
