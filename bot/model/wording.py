"""Words of messages: safe display, wrapping, plurals, enumerations, and dates."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

# Control characters, line separators, the byte order mark, characters outside XML, and bidirectional overrides ("Trojan
# Source", CVE-2021-42574). Emoji and Persian need zero-width joiners.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TRAILING_PUNCTUATION = " ,;:-\u2013\u2014"


DEFAULT_LANGUAGE = "en"
_LONGEST_TAG = 35  # characters; RFC 5646, 4.4.1


def storable(text: str) -> str:
    r"""Remove NUL and lone surrogates, which databases refuse.

    >>> storable("o\0wls")
    'owls'
    """
    return _UNSTORABLE.sub("", text)


def visible(text: str) -> str:
    """Remove control characters and bidirectional overrides. A lone surrogate becomes ``?``."""
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub("", text).encode("utf-8", "replace").decode()


def oneline(text: str) -> str:
    """Return the visible text on one line with single blanks."""
    # Line breaks first: removing those that are control characters would join two words.
    return " ".join(visible(" ".join(text.split())).split())


@lru_cache(maxsize=10_000)
def shorten(text: str, width: int) -> str:
    """Return one line of at most ``width`` characters, cut after a word with ``…``."""
    text = oneline(text)
    if len(text) <= width:
        return text
    cut = textwrap.shorten(text, width, placeholder="…").removesuffix("…")
    return (cut or text[: width - 1]).rstrip(_TRAILING_PUNCTUATION) + "…"


@lru_cache(maxsize=10_000)
def wrap(text: str, indent: str = "", first: str = "", width: int = 72) -> str:
    # Mail programs don't link a URL that is broken at a hyphen.
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def plural(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "paper"), plural(1200, "paper")
    ('1 paper', '1,200 papers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in its two largest units.

    >>> duration(560_580), duration(7_260), duration(59)
    ('6 days and 11 hours', '2 hours and 1 minute', 'less than a minute')
    """
    hours, minutes = divmod(int(seconds // 60), 60)
    days, hours = divmod(hours, 24)
    units = [(days, "day"), (hours, "hour")] if days else [(hours, "hour"), (minutes, "minute")]
    return listed([plural(number, unit) for number, unit in units if number]) or "less than a minute"


def listed(items: Sequence[str]) -> str:
    """Return items as an enumeration.

    >>> listed(["arXiv"]), listed(["arXiv", "seeds", "mail"])
    ('arXiv', 'arXiv, seeds and mail')
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def known_language(tag: str) -> str:
    """Return a BCP 47 tag in its usual spelling. Raises ValueError for an unknown language."""
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(tag[:_LONGEST_TAG], sep="-")
    except (ValueError, UnknownLocaleError):
        raise ValueError(
            f'unknown language {tag[:_LONGEST_TAG]!r}; write its BCP 47 tag, like "de", "pt-BR" or "ja"'
        ) from None
    return str(locale).replace("_", "-")


@lru_cache(maxsize=2_000)  # a mail has a date for each paper, mostly the same few
def long_date(day: date, language: str = DEFAULT_LANGUAGE) -> str:
    """Return a date like ``6 May 2025``, ``6. Mai 2025`` or ``2025年5月6日``.

    English always has the day first, because "5/6" means two days.
    """
    if _is_english(language):  # strftime has no portable code for a day without leading zero
        return f"{day.day} {day:%b} {day.year}"
    from babel.dates import format_date

    return format_date(day, "long", locale=language.replace("-", "_"))


def short_date(day: date, language: str = DEFAULT_LANGUAGE) -> str:
    """Return a date without its year, for charts: ``6 May``, ``6. Mai``, ``5月6日``."""
    if _is_english(language):
        return f"{day.day} {day:%b}"
    from babel.dates import format_skeleton

    return format_skeleton("MMMd", day, locale=language.replace("-", "_"))


@lru_cache(maxsize=1)  # reading CLDR's names takes 40 ms
def languages() -> tuple[tuple[str, str], ...]:
    from babel import Locale
    from babel.localedata import locale_identifiers

    names = Locale("en").languages
    with_dates = ((tag.replace("_", "-"), names[tag]) for tag in locale_identifiers() if tag in names)
    return tuple(sorted(with_dates, key=lambda language: language[1]))


def _is_english(language: str) -> bool:
    return language.partition("-")[0] == "en"
