"""What stands below a title in a mail: its authors, where and when it appeared, and its abstract.

    lines below a title --credits_in--> Credits: authors, venue, day
                        --abstract_in--> abstract or TLDR

Mails have no fields. A line is a list of names if each of its parts reads like a name, and a venue if it stands beside
a date, a volume or a number of pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby, islice, takewhile
from operator import attrgetter

from bot.formats.format import (
    LONGEST_TITLE,
    MONTHS,
    author_names,
    calendar_day,
    date_in,
    is_front_matter,
    without_affiliations,
)
from bot.formats.html import HtmlLine
from bot.model import limits

# Words of a name that are not capitalised, in lower case.
_PARTICLES = frozenset(
    "al bin d da das de del della den der des di do dos du e el et la le ter ten van von y zu".split()
)
# A line of these only is a label of the layout.
_SECTION_WORDS = frozenset(
    "abstract access advance advertisement analysis application article articles authors available board brief briefing"
    " case citation code comment commentary communication conference correction correspondence cover data download"
    " early editor editorial editors erratum featured figures free front full highlights html in insight insights issue"
    " journal letter letters masthead material matters arising method methods more new news note notes now obituary on"
    " online open opinion original outlook paper papers pdf perspective policy preprint primer protocol published read"
    " references report research resource review reviews section share short software special spotlight study"
    " suggestion supplementary table technical text the theory this tools trial update version view viewpoint views"
    " volume world".split()
)
_LABEL_WORDS = _SECTION_WORDS | frozenset(
    "a about account add address alert alerts all also an and any as at author back become book browse browser by call"
    " can change check click contact contents copyright current cookie customer details discover display do edit email"
    " expand explore export facebook feedback find follow for forward friend from get go guidelines help here home"
    " homepage image images info information is it join latest learn library like link list log login mail mailing"
    " manage manuscript me member membership message most my next not of offers opt or our out page policy popular post"
    " preferences press previous privacy products profile recommend recommended register related renew s save search"
    " see service services settings shop show sign similar site sponsored stop submissions submit subscribe"
    " subscription subscriptions support tell terms to today top twitter unsubscribe up us use user using video videos visit watch"
    " web website what white whitepaper why with x you your youtube conditions center centre cite cited count".split()
)
# Words of journals and institutions that no name has.
_VENUE = re.compile(
    r"\b(?:journal|reviews?|letters|proceedings|transactions|annals|archives|bulletin|advances|frontiers|conference"
    r"|symposium|workshop|magazine|quarterly|communications|reports|research|science|sciences|nature|studies|physics"
    r"|chemistry|medicine|engineering|technology|international|european|american|arxiv|biorxiv|medrxiv|ssrn|plos|ieee"
    r"|acm|lancet|jama|bmj|cell|neuron|immunity|current|opinion|zeitschrift|revue|revista|rivista|acta|\w{3,20}ology|phys|chem|biol|lett|rev|proc|trans)\b",
    re.IGNORECASE,
)
_AFFILIATION = re.compile(
    r"\b(?:universit\w{1,4}|institut\w{0,3}|schools?|colleges?|departments?|dept|laborator\w{1,3}|hospitals?|cent(?:er|re)"
    r"|faculty|academy|bank|inc|ltd|corp|gmbh|ministry|council|foundation|business|economics|polytechnic"
    r"|nber|cepr|cnrs|inserm|independent|univ)\b",
    re.IGNORECASE,
)
_BY = re.compile(r"(?:written by|by|authors?|author\(s\)|editors?)(?:\s*:\s*|\s+)", re.IGNORECASE)
_ET_AL = re.compile(
    r"[,;&]?\s*(?:et\s+al\.?|\.\.\.|\u2026|(?:and |& |\+ ?)?(?:\d{1,4} (?:more|others?|other authors|authors"
    r"|colleagues|co-?authors)|\d{1,4} more|others)|\+ ?\d{1,4})(?: authors?)?\s*$",
    re.IGNORECASE,
)
_DEGREES = re.compile(
    r",\s*(?:M\.?D\.?|Ph\.?\s?D\.?|D\.?Phil\.?|M\.?P\.?H\.?|M\.?Sc?\.?|M\.?S\.?|B\.?Sc?\.?|B\.?A\.?|M\.?B\.?A\.?|MBBS|MBChB"
    r"|M\.?B\.?B?\.?|B\.?Ch(?:ir)?\.?|Dr\.?P\.?H\.?|Sc\.?D\.?|Pharm\.?D\.?|R\.?N\.?|FACS|FACC|FRCP|M\.?Phil\.?|M\.?A\.?"
    r"|MHS|MAS|D\.?O\.?|J\.?D\.?)(?=[\s,;]|$)"
)
_MARKS = re.compile(
    r"(?<=[^\W\d_])\.?\s?\d{1,2}(?:\s?,\s?\d{1,2}){0,9}(?=\s*(?:[,;&*]|and\b|$))|[*\u2020\u2021\u00a7\u00b6]"
)
_INITIAL = re.compile(r"\b[A-Z]\.$")
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?[\s-]?(?:[a-z]\.)?){1,5}")
_LAST_FIRST = re.compile(r"([^\W\d_][^\d,;]{1,40}?)\s((?:[A-Z]\.[\s-]?){1,4})")  # "Lovelace A.B."
# "Lovelace, A (Lovelace, Ada); Hopper, G (Hopper, Grace)", as Web of Science lists authors.
_FULL_NAMES = re.compile(r"\b(?=([^\W\d_][^();,]{0,60}),)\1, [^();,]{1,40}? \((\1, [^();,]{1,60})\)")
_NAME = re.compile(r"[^\W\d_][^\d_@/:|<>=\[\]!?\u2026\u00b7\u2022\"]{1,59}")
# Addresses and calls to action lead to articles, too, and have as many words as a title.
_ADDRESS = re.compile(r"(?:https?://|www\.|doi:|10\.\d{4,9}/)\S*$|\S+@\S+$", re.IGNORECASE)
_CALL = re.compile(
    r"(?:view|read|download|access|get|save|share|see|open|visit|cite|export|continue|click|go|browse|find|learn)\b"
    r" (?:the|this|full|full-text|abstract|pdf|article|paper|html|it|here|more|on|in|at|to|online|all|related|similar"
    r"|our|your)\b",
    re.IGNORECASE,
)
_MIN_TITLE = 10  # characters
MIN_ABSTRACT = 120  # characters; below it, a sentence is as likely a note of the sender
_MIN_LABELLED = 20  # characters of an abstract that a label announces
_ABSTRACT = re.compile(
    r"(?:tl;?\s?dr\b\s?[:.\u2013\u2014-]?|abstract(?:\s?[:.\u2013\u2014-]|(?=\s+(?-i:[A-Z])))|(?:ai )?summary\s?:)\s*",
    re.IGNORECASE,
)
_ABSTRACT_LABEL = re.compile(r"(?:abstract|tl;?\s?dr|summary)\s?:?", re.IGNORECASE)
# A volume or pages make a long line a citation and no abstract.
_CITATION = re.compile(
    r"\b(?:vol(?:ume|\.)?|issue|pages?|pp\.?|article(?: number| no\.?)?|art\. no\.)\s?:?\s?\d|\b\d{1,4}\s?\(\d{1,3}\)"
    r"|\bdoi\b|available online|published online|published\s?:?\s?\d|in press",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*[\u2022\u00b7|\u25cf\u2219\u22c5\u2027]\s*|\s+[\u2013\u2014-]\s+")
_A_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTH_YEAR = re.compile(rf"\b({'|'.join(MONTHS)})[a-z]{{0,6}}\.?,?\s*((?:19|20)\d\d)\b", re.IGNORECASE)
_YEAR_MONTH = re.compile(rf"\b((?:19|20)\d\d)\s+({'|'.join(MONTHS)})[a-z]{{0,6}}\b(?:\s+(\d{{1,2}})\b)?", re.IGNORECASE)
_ISO_MONTH = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])\b")
_YEAR = re.compile(r"\W*(?:19|20)\d\d\W*")
# What stands beside a venue: kinds of articles, and notes on access.
_KIND = re.compile(
    r"(?:research |original |review |journal |full[- ]text |open access |free |peer[- ]reviewed )*(?:articles?|papers?"
    r"|preprints?|chapters?|reviews?|letters?|full[- ]text available|conference papers?|open access"
    r"|editors?'? suggestion|thesis|book|data(?:set)?|working papers?|technical reports?|posters?|pdf available|letter to editor)",
    re.IGNORECASE,
)
# A journal's name ends where its year, volume or pages begin.
_VENUE_END = re.compile(
    r"[\s,;:(]*(?:\b(?:vol(?:ume|\.)?|issue|iss\.|no\.|number|pages?|pp\.?|article|art\. no|available online|in press"
    r"|published|first published|posted|early (?:view|access)|online|doi|issn|date|epub|e-?pub)\b|\d|\().*",
    re.IGNORECASE,
)
_BEFORE_VENUE = re.compile(
    r"(?:source|published in|journal|publication|in|venue|appeared in)\s*:\s*|published in |\W*\((?:19|20)\d\d\)[\s.,]*"
    r"|(?:19|20)\d\d[a-z]?[.,]?\s+(?=[A-Z])",
    re.IGNORECASE,
)
_NO_VENUE = re.compile(
    r"\W*(?:doi|https?:|www\.|issn|pmid|pages?|pp\b|article|volume|published|publication|version of record|accepted"
    r"|received|first published|available|online|posted|open access|free access|e-?mail|keywords?|cited|citations?"
    r"|by\b|authors?|date|posted|impact factor|\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Credits:
    """What the lines below a title say; empty where they don't say it."""

    authors: tuple[str, ...] = ()
    venue: str = ""
    published: date | None = None


def credits_in(lines: Sequence[HtmlLine]) -> Credits:
    """Return authors, venue and day from the lines near a title; the first that says something counts."""
    authors: tuple[str, ...] = ()
    venue = ""
    published: date | None = None
    is_with_affiliations = is_linked = False  # an author a line
    above = ""  # a line that may be the venue of the citation below it
    for _, block in groupby(lines, key=attrgetter("block")):
        cut = [(before_labels(line), bool(line.links)) for line in block]
        rows = [text for text, _ in cut]
        if not authors or is_with_affiliations:
            names = _with_affiliations(rows)
            authors += names
            is_with_affiliations = bool(authors)
            if names:
                continue
        for text, has_links in cut:
            if not text or len(text) > limits.BYLINE or _ABSTRACT.match(text):
                continue
            names = names_in(text)
            if names and (not authors or (has_links and is_linked and len(names) == 1)):
                authors += names
                is_linked = has_links  # a linked author a line
                continue
            is_linked = False
            if len(text) > LONGEST_TITLE and not _CITATION.search(text):
                continue
            segments = [segment for segment in _SEPARATOR.split(text[: limits.LINE]) if segment]
            others = [segment for segment in segments if not (_KIND.fullmatch(segment) or _is_date(segment))]
            if not authors and others and len(segments) > 1:
                names = names_in(others[0])
                each = [names_in(segment) for segment in others] if len(others) == len(segments) else []
                authors = tuple(name for part in each for name in part) if each and all(each) else names
                others = others[1:] if names else others
                if each and all(each):
                    continue
            if not authors:
                authors, rest = _names_before(text)
                venue = venue or (venue_in(rest) if authors else "")
            published = published or day_in(text)
            is_citation = bool(_CITATION.search(text))
            if not venue and (len(others) < len(segments) or is_citation or day_in(text)):
                venues = (venue_in(segment) for segment in others if is_citation or not names_in(segment))
                venue = next(filter(None, venues), "") or (venue_in(above) if _NO_VENUE.match(text) else "")
            above = text
    return Credits(authors, venue, published)


# Where names may end in a citation: "Lovelace A, Hopper G. J Owls. 2026", "Ada Lovelace et al 2026 J. Owls 12 034".
_AFTER_NAMES = re.compile(r"\.\s+(?=[A-Z](?!\.)|\d)|,?\s\(?(?=(?:19|20)\d\d\b)")
_MAX_ENDS = 20


def _names_before(text: str) -> tuple[tuple[str, ...], str]:
    """Return the authors that a citation begins with, and what follows them; nothing if it doesn't."""
    if not _A_YEAR.search(text[: limits.ABSTRACT]):
        return (), ""
    for end in islice(_AFTER_NAMES.finditer(text[: limits.ABSTRACT]), _MAX_ENDS):
        if names := names_in(text[: end.start()]):
            return names, text[end.end() :]
    return (), ""


def before_labels(line: HtmlLine) -> str:
    """Return a line's text up to the first link that is a label; authors may be links, too."""
    for link in line.links:
        if not (names_in(link.text) or _VENUE.search(link.text) or _ADDRESS.match(link.text)):
            return line.text.partition(link.text)[0].strip()
    return line.text


def _with_affiliations(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the authors of rows such as "Ada Lovelace, University of Owls"; one at least must have an affiliation."""
    parts = [row.split(",") for row in rows if len(row) <= LONGEST_TITLE and "@" not in row]
    if not any(names_in(first) and any(map(_AFFILIATION.search, others)) for first, *others in parts):
        return ()
    authors: list[str] = []
    for first, *others in parts:
        listed = takewhile(lambda part: names_in(part) and not _AFFILIATION.search(part), [first, *others])
        names = [part.strip() for part in listed]
        authors += names if any(map(_AFFILIATION.search, others)) else names[:1]
    return tuple(authors)


def day_in(text: str) -> date | None:
    """Return the day that a citation names; the first of the month where it has none. A year alone is no day.

    >>> day_in("Published: MAY 2026"), day_in("J Owls. 2026 Jan 20;12(3)"), day_in("(2026) Journal of Owls")
    (datetime.date(2026, 5, 1), datetime.date(2026, 1, 20), None)
    """
    text = text[:LONGEST_TITLE]
    if day := date_in(text):
        return day
    if match := _YEAR_MONTH.search(text):
        return calendar_day(match[3] or "1", match[2], match[1])
    if match := _MONTH_YEAR.search(text):
        return calendar_day("1", match[1], match[2])
    iso = _ISO_MONTH.search(text)
    return calendar_day("1", MONTHS[int(iso[2]) - 1], iso[1]) if iso else None


_DATE_WORDS = frozenset("accepted received posted record st nd rd th mon tue wed thu fri sat sun".split())


def _is_date(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text.lower()) if len(text) <= LONGEST_TITLE else ["?"]
    has_date = bool(day_in(text) or _YEAR.fullmatch(text))
    return has_date and all(word in _LABEL_WORDS or word[:3] in MONTHS or word in _DATE_WORDS for word in words)


def venue_in(text: str) -> str:
    """Return the journal that a citation names.

    >>> venue_in("(2026) Journal of Owls, 12 (3), art. no. 100001.")
    'Journal of Owls'
    >>> venue_in("JOURNAL OF OWLS Volume: 12 Issue: 3 Published: MAY 2026"), venue_in("DOI: 10.1234/owls.5")
    ('JOURNAL OF OWLS', '')
    """
    text = text[:LONGEST_TITLE].strip(" *")
    text = text[before.end() :] if (before := _BEFORE_VENUE.match(text)) else text
    if _NO_VENUE.match(text) or _ADDRESS.match(text):
        return ""
    venue = _VENUE_END.sub("", f" {text}", count=1).strip(" ,;:")
    if _MONTH_YEAR.search(text):
        venue = re.sub(rf"\W*(?:{'|'.join(MONTHS)})[a-z]{{0,6}}$", "", venue, count=1, flags=re.IGNORECASE)
    words = venue.split()
    is_label = all(word.lower().strip(".,:") in _LABEL_WORDS or word.lower().strip(".")[:3] in MONTHS for word in words)
    is_sentence = len(words) > 15 or (len(words) > 4 and venue.endswith("."))
    # The full stop is one of a sentence, and not of "Phys. Rev. Lett." or "Owl Sci., 2026".
    venue = venue.rstrip(".") if venue.count(".") == 1 and f"{venue}," not in text else venue
    return "" if is_label or is_sentence or not venue[:1].isalnum() else venue


def names_in(text: str) -> tuple[str, ...]:
    """Return the authors if a line is a list of names, else nothing.

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
    unlabelled = _BY.sub("", text, count=1)
    is_labelled = unlabelled != text
    if "(" in unlabelled:
        full = _FULL_NAMES.findall(unlabelled)
        unlabelled = (
            "; ".join(name for _, name in full)
            if len(full) == unlabelled.count("(")
            else without_affiliations(unlabelled)
        )
    text = _ET_AL.sub("", _MARKS.sub("", _DEGREES.sub("", unlabelled)).rstrip(" ,;"))
    # The full stop of a list such as "Lovelace A, Hopper G." is no initial's.
    others, _, last = text.rpartition(",")
    if not _INITIAL.search(text) or (others and " " in last.strip() and "." not in others):
        text = text.rstrip(" .")
    listed = [" ".join(name.split()).strip(" ,") for name in _listed(text, is_labelled=is_labelled)]
    if all(_LAST_FIRST.fullmatch(name) for name in listed):
        listed = [_LAST_FIRST.sub(r"\2 \1", name, count=1).strip() for name in listed]
    names = tuple(name for name in listed if name not in ("\u2026", "..."))
    return names if names and all(map(_is_name, names)) else ()


def _listed(text: str, *, is_labelled: bool) -> Sequence[str]:
    """Return the parts of a list of names, each with the first name first."""
    if ";" in text:  # "Lovelace, A.; Hopper, G." or "Ada Lovelace; Grace Hopper"
        pairs = (name.partition(",") for name in text.split(";", limits.AUTHORS + 1) if name.strip())
        return [f"{first} {last}" for last, _, first in pairs]
    joined_by_and = re.split(r"\s(?:&|and)\s", text, maxsplit=limits.AUTHORS + 1)
    if len(joined_by_and) > 1 and all(re.fullmatch(r"[^\s,]{1,60},[^,]{1,60}", part.strip()) for part in joined_by_and):
        return [f"{first} {last}" for last, _, first in (part.strip().partition(",") for part in joined_by_and)]
    parts = author_names(text.replace(" & ", ", ").replace("&", ", "))
    initials = parts[1::2]
    is_inverted = len(parts) % 2 == 0 and all(map(_INITIALS.fullmatch, initials))
    if is_inverted or (is_labelled and len(parts) == 2 and not any(" " in part for part in parts)):
        return [f"{first} {last}" for last, first in zip(parts[::2], initials, strict=True)]
    return parts


def _is_name(text: str) -> bool:
    if not _NAME.fullmatch(text) or _VENUE.search(text):
        return False
    words = text.replace(".", ". ").split()
    # Names of one word are rarer than lists of subjects.
    if len(words) > 6 or (len(words) < 2 and text.isascii()) or all(word.lower() in _SECTION_WORDS for word in words):
        return False
    capitals = [word for word in words if word.lower().strip(".'\u2019") not in _PARTICLES]
    return bool(capitals) and all(word[0].isupper() or not word[0].isascii() for word in capitals)


def abstract_in(lines: Sequence[HtmlLine], title: str = "") -> str:
    """Return the abstract among the lines: one with a label, else the first long paragraph. Empty if there is none.

    Links at its end, such as "Read more", are cut; other links, a citation, and the title again are no abstract.
    """
    first = ""
    is_labelled = False  # the paragraph above is only a label
    for rows in _paragraphs(lines):
        texts = [row.text for row in rows]
        if rows[-1].links:
            texts[-1] = before_labels(rows[-1])
        has_links = any(row.links for row in rows[:-1]) or any(link.text in texts[-1] for link in rows[-1].links)
        text = joined(filter(None, texts))
        label = _ABSTRACT.match(text)
        if (label or is_labelled) and _MIN_LABELLED <= len(text) <= limits.ABSTRACT:
            return text[label.end() :] if label else text
        is_labelled = bool(_ABSTRACT_LABEL.fullmatch(text))
        is_other = text == title or names_in(text) or (len(text) <= LONGEST_TITLE and _CITATION.search(text))
        if not first and MIN_ABSTRACT <= len(text) <= limits.ABSTRACT and not has_links and not is_other:
            first = text
    return first


def _paragraphs(lines: Sequence[HtmlLine]) -> Iterator[list[HtmlLine]]:
    """Yield the rows of each block; a row with a label, or as long as an abstract, begins another paragraph."""
    for _, block in groupby(lines, key=attrgetter("block")):
        rows: list[HtmlLine] = []
        for row in block:
            if rows and (len(row.text) >= MIN_ABSTRACT or _ABSTRACT.match(row.text)):
                yield rows
                rows = []
            rows.append(row)
        yield rows


def joined(rows: Iterable[str]) -> str:
    """Join the rows of a paragraph; a hyphen at the end of a row is one of the text.

    >>> joined(["the crowd-", "based approach", "works"])
    'the crowd-based approach works'
    """
    text = ""
    for row in rows:
        text += row if not text or text.endswith("-") else f" {row}"
    return text


def is_venue(text: str) -> bool:
    """Whether a short text has a word of journals' names."""
    return len(text.split()) <= 8 and bool(_VENUE.match(text) or re.search(r"\bjournal\b", text, re.IGNORECASE))


def is_label(text: str) -> bool:
    """Whether a link's text is an address, a call such as "View this article", or made of words of the layout only."""
    words = re.findall(r"\w+", text.lower())
    return bool(_ADDRESS.match(text) or _CALL.match(text)) or all(
        word in _LABEL_WORDS or word.removesuffix("s") in _LABEL_WORDS for word in words
    )


def reads_like_title(text: str) -> bool:
    """Whether the text of a link is a title, and no label, address or call such as "View this article"."""
    is_short = len(text) < _MIN_TITLE or len(re.findall(r"\w+", text[:LONGEST_TITLE])) < 2
    return not (is_short or len(text) > LONGEST_TITLE or is_label(text) or is_front_matter(text))
