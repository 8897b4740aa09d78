"""Lists of papers in HTML mails: a title that is a link, and the lines between it and the next title."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from bot import limits
from bot.digests.fields import LONGEST_TITLE, author_names, is_front_matter
from bot.digests.html_lines import HtmlLine, HtmlLink

# Words of a name that are not capitalised, in lower case.
_PARTICLES = frozenset(
    "al bin d da das de del della den der des di do dos du e el et la le ter ten van von y zu".split()
)
# A line of these only is a label of the layout.
_SECTION_WORDS = frozenset(
    "abstract access advance advertisement analysis application article articles authors available board brief case"
    " citation code comment communication conference cover data download early editorial editors erratum featured"
    " figures free front full highlights html in issue journal letter letters masthead material method methods more"
    " new news note notes now on online open original paper papers pdf perspective preview published read references"
    " report research resource review reviews section share short software special study supplementary table technical"
    " text the theory this tools trial update version view volume".split()
)
_BY = re.compile(r"(?:by|authors?(?:\(s\))?|author\(s\))\s*:?\s+", re.IGNORECASE)
_ET_AL = re.compile(r"[,;]?\s*(?:et\s+al\.?|\.\.\.|\u2026|and others)\s*$", re.IGNORECASE)
_INITIAL = re.compile(r"\b[A-Z]\.$")
_NAME = re.compile(r"[^\W\d_][^\d_@/:|<>=\[\]!?\u2026\"]{1,59}")
# Addresses and calls to action lead to articles, too, and have as many words as a title.
_ADDRESS = re.compile(r"(?:https?://|www\.|doi:|10\.\d{4,9}/)\S*$|\S+@\S+$", re.IGNORECASE)
_CALL = re.compile(
    r"(?:view|read|download|access|get|save|share|see|open|visit|cite|export|continue|click|go|browse|find|learn)\b"
    r" (?:the|this|full|full-text|abstract|pdf|article|paper|html|it|here|more|on|in|at|to|online|all|related|similar"
    r"|our|your)\b",
    re.IGNORECASE,
)
_MIN_TITLE = 10  # characters
_MIN_ABSTRACT = 120  # characters; below it, a sentence is as likely a note of the sender


@dataclass(frozen=True, slots=True)
class Item:
    """A title's link, and the lines that follow it."""

    title: HtmlLink
    lines: tuple[HtmlLine, ...]


def items_of(lines: Sequence[HtmlLine], is_title: Callable[[HtmlLink], bool]) -> Iterator[Item]:
    """Yield the titles with the lines below each; the parts of a title on several lines are joined."""
    texts: dict[int, list[str]] = {}
    for link in chain.from_iterable(line.links for line in lines):
        texts.setdefault(link.element, []).append(link.text)
    title: HtmlLink | None = None
    below: list[HtmlLine] = []
    for line in lines:
        if not line.text:
            continue
        joined = (replace(link, text=" ".join(texts[link.element])) for link in line.links)
        title_link = next((link for link in joined if is_title(link)), None)
        if title_link is None:
            below.append(line)
        elif title and title_link.element == title.element:
            continue
        elif title and title_link.url == title.url and not below:
            title = replace(title, text=f"{title.text} {title_link.text}")
        else:
            if title:
                yield Item(title, tuple(below))
            title = title_link
            below = []
    if title:
        yield Item(title, tuple(below))


def before_links(line: HtmlLine) -> str:
    """Return the text of a line before its first link: authors, where "Abstract" is on the same line."""
    return line.text.partition(line.links[0].text)[0] if line.links else line.text


def names_in(text: str) -> tuple[str, ...]:
    """Return the authors if a line is a list of names, else nothing.

    >>> names_in("By: Ada Lovelace, Rosa M. van der Berg & Grace Hopper")
    ('Ada Lovelace', 'Rosa M. van der Berg', 'Grace Hopper')
    >>> names_in("Lovelace, A.; Hopper, G. B.")
    ('A. Lovelace', 'G. B. Hopper')
    >>> names_in("Research Article"), names_in("Published online 3 May 2026"), names_in("A new way to see owls")
    ((), (), ())
    """
    text = _ET_AL.sub("", _BY.sub("", text, count=1).rstrip(" ,;"))
    if not _INITIAL.search(text):
        text = text.rstrip(".")
    if ";" in text:  # "Lovelace, A.; Hopper, G." or "Ada Lovelace; Grace Hopper"
        parts = (name.partition(",") for name in text[: limits.BYLINE].split(";", limits.AUTHORS + 1))
        listed = tuple(f"{first} {last}" for last, _, first in parts)
    else:
        listed = author_names(text.replace(" & ", ", ").replace("&", ", "))
    names = tuple(" ".join(name.strip(" *\u2020\u2021").split()) for name in listed)
    return names if names and all(map(_is_name, names)) else ()


def _is_name(text: str) -> bool:
    if not _NAME.fullmatch(text):
        return False
    words = text.replace(".", ". ").split()
    # Names of one word are rarer than lists of subjects.
    if (
        len(words) > 6
        or (len(words) < 2 and text.isascii())
        or all(word.lower() in _SECTION_WORDS for word in words)
    ):
        return False
    capitals = [word for word in words if word.lower().strip(".'\u2019") not in _PARTICLES]
    return bool(capitals) and all(word[0].isupper() or not word[0].isascii() for word in capitals)


def abstract_in(lines: Sequence[HtmlLine]) -> str:
    """Return the first long paragraph without links among the lines; its rows are joined. Empty if there is none."""
    blocks: dict[int, list[HtmlLine]] = {}
    for line in lines:
        blocks.setdefault(line.block, []).append(line)
    for rows in blocks.values():
        text = joined(row.text for row in rows)
        if (
            _MIN_ABSTRACT <= len(text) <= limits.ABSTRACT
            and not any(row.links for row in rows)
            and not names_in(text)
        ):
            return text
    return ""


def joined(rows: Iterator[str] | Sequence[str]) -> str:
    """Join the rows of a paragraph; a hyphen at the end of a row is one of the text.

    >>> joined(["the crowd-", "based approach", "works"])
    'the crowd-based approach works'
    """
    text = ""
    for row in rows:
        text += row if not text or text.endswith("-") else f" {row}"
    return text


def reads_like_title(text: str) -> bool:
    """Return whether the text of a link reads like a title.

    A label, an address and a call such as "View this article on ScienceDirect" don't.
    """
    if _ADDRESS.match(text) or _CALL.match(text):
        return False
    words = re.findall(r"\w+", text.lower())
    is_short = len(words) < 2 or len(text) < _MIN_TITLE
    if is_short or len(text) > LONGEST_TITLE or is_front_matter(text):
        return False
    return not all(word in _LABEL_WORDS for word in words)


_LABEL_WORDS = _SECTION_WORDS | frozenset(
    "a about account add address alert alerts all also an and any as at author back become book browse browser by call"
    " can change check click contact contents copyright current cookie customer details discover display do edit email"
    " explore export facebook feedback find follow for forward friend from get go guidelines help here home homepage"
    " image images info information is it join latest learn library like link list log login mail mailing manage"
    " manuscript member membership message most my next not of offers opt or our out page policy popular post"
    " preferences press previous privacy products profile recommend recommended register related renew s save search"
    " see service services settings shop show sign site sponsored stop submissions submit subscribe subscription"
    " subscriptions support table tell terms to today top twitter unsubscribe up us use user using video videos visit"
    " watch web website what white whitepaper why with x you your youtube conditions center centre".split()
)
