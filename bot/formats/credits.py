"""The lines below a title in a mail: authors, venue, day and abstract.

    lines below a title --credits_in--> Credits: authors, venue, day
                        --abstract_in--> abstract or TLDR

A line is a list of names if each part reads like a name, and a venue if it is beside a date, a volume or pages.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby, islice, takewhile

from bot.formats.format import LONGEST_TITLE, MONTHS, calendar_day, date_in
from bot.formats.html import HtmlLine
from bot.formats.names import DEGREE, author_names, initials_first, without_affiliations
from bot.formats.tables import pattern, words
from bot.model import limits

_INITIAL = re.compile(r"\b[A-Z]\.$")
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?[\s-]?(?:[a-z]\.)?){1,5}")
# Web of Science: "Lovelace, A (Lovelace, Ada); Hopper, G (Hopper, Grace)"
_FULL_NAMES = re.compile(r"\b(?=([^\W\d_][^();,]{0,60}),)\1, [^();,]{1,40}? \((\1, [^();,]{1,60})\)")
_NAME = re.compile(r"[^\W\d_][^\d_@/:|<>=\[\]!?\u2026\u00b7\u2022\"]{1,59}")
_ID = re.compile(r"(?:arxiv: ?)?\d{4}\.\d{4,5}(?:v\d{1,2})?", re.IGNORECASE)
_MIN_TITLE = 10
MIN_ABSTRACT = 120  # characters; a shorter sentence may be the sender's
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTH = f"(?:{'|'.join(MONTHS)})[a-z]{{0,6}}"
_SEPARATOR = re.compile(
    r"\s*[\u2022\u00b7|\u25cf\u2219\u22c5\u2027]\s*|\s+[\u2013\u2014-]\s+|(?<=\b\d{4})(?-i:(?=[A-Z][a-z]))"
    rf"|(?<=[a-z])\s(?={_MONTH}\s(?:\d{{1,2}},\s)?(?:19|20)\d\d$)",
    re.IGNORECASE,
)
_DEGREES = re.compile(rf",\s*{DEGREE}(?=[\s,;]|$)|\+ ?\d{{1,4}} (?:more )?(?:authors?|others)\b", re.IGNORECASE)
_DEGREE_LAST = re.compile(rf"(?<=[a-z.]) (?!\S*\.){DEGREE}$")  # of surgeons' journals: "Lovelace, Ada MD"
# "2026-05", "2026 Jan 20", "MAY 2026"
_PARTIAL_DATE = re.compile(
    rf"\b((?:19|20)\d\d)(?:-(0[1-9]|1[0-2])|\s({_MONTH})(?:\s(\d{{1,2}}))?)\b|\b({_MONTH})\.?,?\s?((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
# The end of names: "Lovelace A, Hopper G. J Owls. 2026", "Ada Lovelace et al 2026 J. Owls 12 034".
_AFTER_NAMES = re.compile(r"\.\s+(?=[A-Z](?!\.)|\d)|(?<!\w\w\.),?(?<!\w\w\.,)\s\(?(?=(?:19|20)\d\d\b)")


@dataclass(frozen=True, slots=True)
class Credits:
    """The facts below a title. Missing ones are empty."""

    authors: tuple[str, ...] = ()
    venue: str = ""
    published: date | None = None


def credits_in(lines: Sequence[HtmlLine]) -> Credits:
    """Return the first authors, venue and day in the lines near a title."""
    authors: tuple[str, ...] = ()
    venue = ""
    published: date | None = None
    is_with_affiliations = is_linked = False  # an author a line
    above = ""  # a line that may be the venue of the citation below it
    for _, block in groupby(lines, key=operator.attrgetter("block")):
        rows = [(before_labels(line), bool(line.links)) for line in block]
        if not authors or is_with_affiliations:
            names = _with_affiliations([text for text, _ in rows])
            authors += names
            is_with_affiliations = bool(authors)
            rows = [] if names else rows
        for text, has_links in rows:
            names = names_in(text)
            if names and (not authors or (has_links and is_linked and len(names) == 1)):
                authors += names
                is_linked = has_links
                continue
            is_linked = False
            is_citation = bool(pattern("citation").search(text[:LONGEST_TITLE]))
            is_abstract = pattern("abstract").match(text) or (len(text) > LONGEST_TITLE and not is_citation)
            if not text or is_abstract or pattern("address").match(text):
                continue
            segments = [segment for segment in _SEPARATOR.split(text[: limits.ABSTRACT]) if segment]
            others = [segment for segment in segments if not _is_date_or_kind(segment)]
            if not authors:
                # "A, B \u2022 Journal of Owls \u2022 May 2026", "A \u00b7 B", "A, B. J Owls. 2026"
                each = [names_in(segment) for segment in others] if len(segments) > 1 else []
                if each and all(each) and others == segments:
                    authors, others = tuple(name for names in each for name in names), []
                elif each and each[0]:
                    authors, others = each[0], others[1:]
                elif others and _YEAR.search(text):
                    ends = islice(_AFTER_NAMES.finditer(text[: limits.ABSTRACT]), 20)
                    end = next((end for end in ends if names_in(text[: end.start()])), None)
                    authors = names_in(text[: end.start()]) if end else ()
                    venue = venue or (venue_in(text[end.end() :]) if end else "")
            day = next(filter(None, map(day_in, segments)), None)
            published = published or day
            # "Journal of Owls | Article" has a venue, "Article | ZOOLOGY" has none.
            has_kind, rest = len(others) < len(segments), " ".join(others)
            is_behind = has_kind and segments[0] not in others and not _YEAR.search(text)
            is_subject = is_behind and (rest.isupper() or not is_venue(rest))
            if not venue and ((has_kind and not is_subject) or is_citation or day):
                venues = (venue_in(segment) for segment in others if is_citation or not names_in(segment))
                is_beside = pattern("no_venue").match(text) or is_venue(above)
                venue = next(filter(None, venues), "") or (venue_in(above) if is_beside else "")
            above = text
    return Credits(authors, venue, published)


def before_labels(line: HtmlLine) -> str:
    """Return a line's text up to the first link but those of authors and venues."""
    for link in line.links:
        text = link.text[:LONGEST_TITLE]
        known = pattern("venue").search(text) or pattern("address").match(text) or pattern("and_others").match(text)
        if not (known or names_in(text)):
            return line.text.partition(link.text)[0].strip()
    return line.text


def _with_affiliations(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the authors of rows such as "Ada Lovelace, University of Owls"."""
    parts = [row.split(",") for row in rows if len(row) <= LONGEST_TITLE and "@" not in row]
    if not any(names_in(first) and any(map(pattern("affiliation").search, others)) for first, *others in parts):
        return ()
    authors: list[str] = []
    for first, *others in parts:
        listed = takewhile(lambda part: names_in(part) and not pattern("affiliation").search(part), [first, *others])
        names = [name for part in listed for name in names_in(part)]
        authors += names if any(map(pattern("affiliation").search, others)) else names[:1]
    return tuple(authors)


def day_in(text: str) -> date | None:
    """Return the day in a citation, perhaps the first of a month. A year alone is no day.

    >>> day_in("Published: MAY 2026"), day_in("J Owls. 2026 Jan 20;12(3)"), day_in("(2026) Journal of Owls")
    (datetime.date(2026, 5, 1), datetime.date(2026, 1, 20), None)
    """
    # NEP has other hyphens, and numbers of preprints begin with the day of submission.
    text = re.sub("[\u2010-\u2012]", "-", re.sub(r"\d{4}\.\d\d\.\d\d\.\d{6,8}", "", text[:LONGEST_TITLE]))
    if (day := date_in(text)) or not (match := _PARTIAL_DATE.search(text)):
        return day
    return calendar_day(match[4] or "1", match[2] or match[3] or match[5], match[1] or match[6])


def _is_date_or_kind(text: str) -> bool:
    parts = re.findall(r"[^\W\d_]+", text[:LONGEST_TITLE].lower())
    is_date = len(text) <= LONGEST_TITLE and all(part in words("dates") for part in parts)
    return is_date or bool(pattern("kind").fullmatch(text)) or is_label(text)


def venue_in(text: str) -> str:
    """Return the journal in a citation.

    >>> venue_in("(2026) Journal of Owls, 12 (3), art. no. 100001.")
    'Journal of Owls'
    >>> venue_in("JOURNAL OF OWLS Volume: 12 Issue: 3 Published: MAY 2026"), venue_in("DOI: 10.1234/owls.5")
    ('JOURNAL OF OWLS', '')
    """
    text = text[:LONGEST_TITLE].strip(" *")
    text = text[before.end() :] if (before := pattern("before_venue").match(text)) else text
    if pattern("no_venue").match(text) or pattern("address").match(text):
        return ""
    venue = pattern("after_venue").sub("", f" {text}", count=1).strip(" ,;:")
    if _PARTIAL_DATE.search(text):
        venue = re.sub(rf"\W{{0,3}}\b{_MONTH}$", "", venue, count=1, flags=re.IGNORECASE)
    parts = venue.split()
    labels = words("sections") | words("links") | words("dates")
    is_label = all(part.lower().strip(".,:&") in (labels | {""}) for part in parts)
    # "Proc Natl Acad Sci U S A." is no sentence.
    has_words = any(part[0].islower() for part in parts)
    is_sentence = len(parts) > 15 or (len(parts) > 4 and venue.endswith(".") and has_words)
    # A single full stop ends a sentence, unlike in "Phys. Rev. Lett." or "Owl Sci., 2026".
    venue = venue.rstrip(".") if venue.count(".") == 1 and f"{venue}," not in text else venue
    return "" if is_label or is_sentence or not venue[:1].isalnum() else venue


def names_in(text: str) -> tuple[str, ...]:
    """Return the authors in a line, if it is a list of names.

    >>> names_in("By: Ada Lovelace, Rosa M. van der Berg & Grace Hopper")
    ('Ada Lovelace', 'Rosa M. van der Berg', 'Grace Hopper')
    >>> names_in("Lovelace, A.; Hopper, G. B."), names_in("Lovelace, A., Hopper, G. B.")
    (('A. Lovelace', 'G. B. Hopper'), ('A. Lovelace', 'G. B. Hopper'))
    >>> names_in("Ada Lovelace, MD, PhD; Grace Hopper, MPH; et al")
    ('Ada Lovelace', 'Grace Hopper')
    >>> names_in("Research Article"), names_in("Published online 3 May 2026"), names_in("A new way to see owls")
    ((), (), ())
    """
    text = text[: limits.BYLINE]
    text = text.title().replace(" And ", " and ") if text.isupper() else text
    label = pattern("by").match(text)
    unlabelled = text[label.end() :] if label else text
    if "(" in unlabelled:
        full = [name for _, name in _FULL_NAMES.findall(unlabelled)]
        is_full = len(full) == unlabelled.count("(")
        unlabelled = "; ".join(full) if is_full else without_affiliations(unlabelled)
    unmarked = pattern("mark").sub("", _DEGREES.sub("", unlabelled)).rstrip(" ,;")
    text = pattern("and_others").sub("", unmarked)
    # "Lovelace A, Hopper G." ends with the full stop of the list.
    others, _, last = text.rpartition(",")
    if not _INITIAL.search(text) or (others and " " in last.strip() and "." not in others):
        text = text.rstrip(" .")
    if ";" in text and text.partition(";")[0].count(",") < 2:  # "Lovelace, A.; Hopper, G.", no group behind a list
        pairs = (name.partition(",") for name in text.split(";", limits.AUTHORS + 1) if name.strip())
        parts = [f"{_DEGREE_LAST.sub('', first)} {last}" for last, _, first in pairs]
    else:
        parts = list(author_names(re.sub(r"\s?[&;]|\s\[? ?(?:\u2026|\.{3}) ?\]?,?\s", ",", text)))
        initials = parts[1::2]
        is_inverted = len(parts) % 2 == 0 and all(map(_INITIALS.fullmatch, initials))
        if is_inverted or (label and len(parts) == 2 and not any(" " in part for part in parts)):
            parts = [f"{first} {last}" for last, first in zip(parts[::2], initials, strict=True)]
    listed = [" ".join(name.split()).strip(" ,").lstrip(".\u2026 ") for name in parts]
    turned = [name if name.isupper() else initials_first(name) for name in listed]  # "Lovelace AB, Owl Group"
    are_turned = 2 * sum(map(operator.ne, turned, listed)) > len(listed)
    names = tuple(filter(None, turned if are_turned else listed))
    people = [name for name in names if _is_name(name)]
    return names if people and all(name in people or _is_group(name) for name in names) else ()


def _is_name(text: str) -> bool:
    if not _NAME.fullmatch(text) or pattern("venue").search(text):
        return False
    parts = text.replace(".", ". ").split()
    # Lists of subjects are more frequent than names of one word.
    is_label = all(part.lower() in words("sections") for part in parts)
    if len(parts) > 6 or (len(parts) < 2 and text.isascii()) or is_label:
        return False
    capitals = [part for part in parts if part.lower().strip(".'\u2019") not in words("particles")]
    return bool(capitals) and all(part[0].isupper() or not part[0].isascii() for part in capitals)


def _is_group(text: str) -> bool:
    """Return whether a part of a list of names is a consortium."""
    return len(text) <= LONGEST_TITLE // 2 and text[:1].isupper() and bool(pattern("group").search(text))


def _is_byline(text: str) -> bool:
    """Return whether a paragraph has a list's commas and the capitals of names."""
    parts = text.split()
    return text.count(",") >= 4 and sum(part[0].isupper() for part in parts) > 0.7 * len(parts)


def abstract_in(lines: Sequence[HtmlLine], title: str = "", authors: Sequence[str] = ()) -> str:
    """Return the abstract with a label among the lines, else the first long paragraph without links.

    Links at its end, such as "Read more", are cut, and so are the authors.
    """
    paragraphs: list[list[HtmlLine]] = []
    for _, block in groupby(lines, key=operator.attrgetter("block")):
        for number, row in enumerate(block):
            if number == 0 or len(row.text) >= MIN_ABSTRACT or pattern("abstract").match(row.text):
                paragraphs.append([])
            paragraphs[-1].append(row)
    first = ""
    is_labelled = False  # the paragraph above is only a label
    for rows in paragraphs:
        texts = [row.text for row in rows]
        if rows[-1].links:
            texts[-1] = before_labels(rows[-1])
        if len(texts) > 1 and authors and set(names_in(texts[-1])) == set(authors):
            del texts[-1]
        has_links = any(row.links for row in rows[:-1]) or any(link.text in texts[-1] for link in rows[-1].links)
        text = joined(filter(None, texts))
        label = pattern("abstract").match(text)
        if (label or is_labelled) and 20 <= len(text) <= limits.ABSTRACT:
            return text[label.end() :] if label else text
        is_labelled = bool(pattern("abstract_label").fullmatch(text))
        is_other = (
            any(len(row) < 50 for row in texts[:-1])  # authors with affiliations, one below the other
            or text == title
            or text.startswith("(1)")
            or names_in(text)
            or _is_byline(text)
            or (len(text) <= LONGEST_TITLE and pattern("citation").search(text))
        )
        if not first and MIN_ABSTRACT <= len(text) <= limits.ABSTRACT and not has_links and not is_other:
            first = text
    return first


def joined(rows: Iterable[str]) -> str:
    """Join the rows of a paragraph. A hyphen at the end of a row stays.

    >>> joined(["the crowd-", "based approach", "works"])
    'the crowd-based approach works'
    """
    text = ""
    for row in rows:
        text += row if not text or text.endswith("-") else f" {row}"
    return text


def is_venue(text: str) -> bool:
    return len(text.split()) <= 8 and bool(pattern("venue").search(text))


def is_label(text: str) -> bool:
    """Return whether a link's text is an address, a call such as "View this article", or layout."""
    labels = words("sections") | words("links")
    parts = re.findall(r"\w+", text.lower())
    is_of_words = all(part in labels or part.removesuffix("s") in labels for part in parts)
    return bool(pattern("address").match(text) or pattern("call").match(text)) or is_of_words


def reads_like_title(text: str) -> bool:
    is_short = len(text) < _MIN_TITLE or len(re.findall(r"\w+", text[:LONGEST_TITLE])) < 2 or _ID.fullmatch(text)
    return not (is_short or len(text) > LONGEST_TITLE or is_label(text))
