"""Words of messages: safe to display, wrapped; plurals, enumerations, and dates in a language (CLDR's, by Babel)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

# Control characters, line separators, the byte order mark, two characters that XML can't represent, and bidirectional
# overrides, which display text in another order than it has ("Trojan Source", CVE-2021-42574). Zero-width joiners stay:
# emoji and Persian need them.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TRAILING_PUNCTUATION = " ,;:-\u2013\u2014"


DEFAULT_LANGUAGE = "en"
_LONGEST_TAG = 35  # characters; RFC 5646, 4.4.1


def storable(text: str) -> str:
    r"""Return the text without what no database takes: PostgreSQL refuses NUL, both refuse half a surrogate pair.

    >>> storable("o\0wls")
    'owls'
    """
    return _UNSTORABLE.sub("", text)


def visible(text: str) -> str:
    """Return the text without control characters and bidirectional overrides; a lone surrogate becomes ``?``."""
    if text.isascii() and text.isprintable():
        return text
    # JSON can hold a lone surrogate ("\ud800"), which UTF-8 can't encode: sending it would raise UnicodeEncodeError.
    return _INVISIBLE.sub("", text).encode("utf-8", "replace").decode()


def oneline(text: str) -> str:
    """Return the visible text on one line with single blanks."""
    # First the line breaks: some of them are control characters, whose removal would join two words.
    return " ".join(visible(" ".join(text.split())).split())


# The readers of a batch have the same titles, in the same widths.
@lru_cache(maxsize=10_000)
def shorten(text: str, width: int) -> str:
    """Return the text on one line of at most ``width`` characters; longer text is cut after a word, with ``…``."""
    text = oneline(text)
    if len(text) <= width:
        return text
    cut = textwrap.shorten(text, width, placeholder="…").removesuffix("…")
    # textwrap returns the placeholder alone if the first word is too long.
    return (cut or text[: width - 1]).rstrip(_TRAILING_PUNCTUATION) + "…"


# Mails to many readers have the same titles and reasons; wrapping them anew took a tenth of an edition's time.
@lru_cache(maxsize=10_000)
def wrap(text: str, indent: str = "", first: str = "", width: int = 72) -> str:
    """Return a paragraph in lines of at most ``width`` characters; a longer word, such as a URL, stays whole.

    ``first`` begins the first line and ``indent`` all others.
    """
    # A URL broken at a hyphen would no longer be a link in the mail program.
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
    # No comma before "and", as everywhere in the messages.
    return f"{', '.join(items[:-1])} and {items[-1]}"


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
    from babel.dates import format_date

    return format_date(day, "long", locale=language.replace("-", "_"))


def short_date(day: date, language: str = DEFAULT_LANGUAGE) -> str:
    """Return a date without its year, for charts: ``6 May``, ``6. Mai``, ``5月6日``."""
    if _is_english(language):
        return f"{day.day} {day:%b}"
    from babel.dates import format_skeleton

    return format_skeleton("MMMd", day, locale=language.replace("-", "_"))


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
