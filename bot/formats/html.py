"""HTML mails as lines of text with their links, and as lists of papers: a title's link, and the lines below it.

    HTML --html_lines--> HtmlLine with HtmlLink --items_of--> Item --names_in, abstract_in--> authors, abstract

lxml's parser hands each tag to ``_Collector`` as it comes, and no tree is built: a tree of a million nested elements
ends a process with the parser's memory limit (selectolax), and the tree construction of HTML5 may repeat formatting
elements for every paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple

from bot.formats.format import LONGEST_TITLE, author_names, is_front_matter, tidy
from bot.model import limits
from bot.model.errors import DigestError

MAX_TAGS = 100_000  # a newsletter of 100 KB has some 3,000
_PLACE = 4  # elements around a link that identify its place in the layout
_PARAGRAPHS = frozenset(
    "address article aside blockquote body center dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p"
    " pre section table ul".split()
)
_BLOCKS = _PARAGRAPHS | frozenset("caption dd div dt figcaption figure li tbody td tfoot th thead tr".split())
_INVISIBLE = frozenset("head script style template title".split())
# Preview texts, which mail programs show beside the subject, are hidden in the mail itself.
_HIDDEN_STYLE = re.compile(
    # Not "font-size: 0", which layouts set around everything to close gaps, and not "mso-hide", which hides from
    # Outlook what all others show.
    r"display\s*:\s*none|visibility\s*:\s*hidden"
    r"|max-height\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class HtmlLink:
    """A link, or the part of it that is on one line.

    ``element`` is the number of its element: the parts of a link on several lines share it.
    ``place`` has the elements around it, innermost first, each as ``tag.class``: links of one list share it.
    """

    text: str
    url: str
    css_class: str
    place: tuple[str, ...]
    element: int


@dataclass(frozen=True, slots=True)
class HtmlLine:
    """A line of text; lines of one block are separated by ``<br>`` only. Empty lines are between paragraphs."""

    text: str
    links: tuple[HtmlLink, ...] = ()
    block: int = 0
    css_class: str = ""  # of the block element


def html_lines(html: str) -> list[HtmlLine]:
    """Return the lines of an HTML document; raises DigestError if it has too many tags."""
    tags = html.count("<")
    if tags > MAX_TAGS:
        raise DigestError(f"HTML of {tags:,} tags, more than the {MAX_TAGS:,} that a mail may have; save its text")
    # Imported here, so that commands that read no HTML don't import lxml.
    from lxml import etree

    collector = _Collector()
    parser = etree.HTMLParser(target=collector, encoding="utf-8")
    try:
        parser.feed(html.encode("utf-8", errors="replace"))
        parser.close()
    except etree.LxmlError as error:
        raise DigestError(f"HTML that can't be read ({tidy(str(error)[:200])})") from None
    return collector.lines


def has_class(classes: str, name: str) -> bool:
    """Whether an element has a class; mail programs put a prefix before the classes of what they forward.

    >>> has_class("a x_docsum-title", "docsum-title"), has_class("docsum-titles", "docsum-title")
    (True, False)
    """
    return any(each.endswith(name) for each in classes.split())


class _Element(NamedTuple):
    tag: str
    css_class: str
    is_hidden: bool


class _Collector:
    """The target of lxml's parser: called for each tag and text, in the order of the document."""

    def __init__(self) -> None:
        self.lines: list[HtmlLine] = []
        self._open: list[_Element] = []
        self._block = 0
        self._text: list[str] = []
        self._links: list[HtmlLink] = []
        self._link_text: list[str] = []
        self._make_link: partial[HtmlLink] | None = None  # while a link is open
        self._elements = 0  # links so far

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        css_class = attributes.get("class") or ""
        style = attributes.get("style")
        is_hidden = (
            (bool(self._open) and self._open[-1].is_hidden)
            or tag in _INVISIBLE
            or "hidden" in attributes
            or bool(style and _HIDDEN_STYLE.search(style[: limits.URL]))
        )
        if tag == "br":
            self._end_line(keep_empty=True)
        elif tag in _BLOCKS:
            self._end_block(tag)
        elif tag == "a":
            self._end_link()
            around = tuple(f"{element.tag}.{element.css_class}" for element in self._open[: -_PLACE - 1 : -1])
            url = "".join((attributes.get("href") or "")[: limits.MARKUP].split())
            self._elements += 1
            self._make_link = partial(
                HtmlLink, url=url, css_class=css_class[: limits.ID], place=around, element=self._elements
            )
        self._open.append(_Element(tag, css_class[: limits.ID], is_hidden))

    def end(self, tag: str) -> None:
        if tag == "a":
            self._end_link()
            self._make_link = None
        elif tag in _BLOCKS:
            self._end_block(tag)
        if self._open:
            self._open.pop()

    def data(self, text: str) -> None:
        if self._open and self._open[-1].is_hidden:
            return
        is_preformatted = any(element.tag == "pre" for element in self._open[-3:])
        first, *others = _BREAKS.split(text) if is_preformatted else [text]
        self._add(first)
        for row in others:
            self._end_line(keep_empty=True)
            self._add(row)

    def close(self) -> None:
        self._end_line()

    def _add(self, text: str) -> None:
        self._text.append(text)
        if self._make_link:
            self._link_text.append(text)

    def _end_link(self) -> None:
        text = tidy("".join(self._link_text))
        if self._make_link and text:
            self._links.append(self._make_link(text))
        self._link_text.clear()

    def _end_line(self, *, keep_empty: bool = False) -> None:
        # A link may hold several lines; each gets its part.
        self._end_link()
        text = tidy("".join(self._text))
        if text or keep_empty:
            around = reversed(self._open[-_PLACE:])
            css_class = next((element.css_class for element in around if element.tag in _BLOCKS), "")
            self.lines.append(HtmlLine(text, tuple(self._links), self._block, css_class))
        self._text.clear()
        self._links.clear()

    def _end_block(self, tag: str) -> None:
        self._end_line()
        self._block += 1
        if tag in _PARAGRAPHS and self.lines and self.lines[-1].text:
            self.lines.append(HtmlLine("", block=self._block))


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
    if len(words) > 6 or (len(words) < 2 and text.isascii()) or all(word.lower() in _SECTION_WORDS for word in words):
        return False
    capitals = [word for word in words if word.lower().strip(".'\u2019") not in _PARTICLES]
    return bool(capitals) and all(word[0].isupper() or not word[0].isascii() for word in capitals)


def abstract_in(lines: Sequence[HtmlLine]) -> str:
    """Return the first long paragraph without links among the lines; its rows are joined. Empty if there is none."""
    for _, block in groupby(lines, key=attrgetter("block")):
        rows = list(block)
        text = joined(row.text for row in rows)
        if _MIN_ABSTRACT <= len(text) <= limits.ABSTRACT and not any(row.links for row in rows) and not names_in(text):
            return text
    return ""


def joined(rows: Iterable[str]) -> str:
    """Join the rows of a paragraph; a hyphen at the end of a row is one of the text.

    >>> joined(["the crowd-", "based approach", "works"])
    'the crowd-based approach works'
    """
    text = ""
    for row in rows:
        text += row if not text or text.endswith("-") else f" {row}"
    return text


def reads_like_title(text: str) -> bool:
    """Whether the text of a link is a title, and no label, address or call such as "View this article"."""
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
