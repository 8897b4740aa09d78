"""HTML mails as lines of text with their links, and as lists of papers: a title's link, and the lines below it.

    HTML --html_lines--> HtmlLine with HtmlLink --items_of--> Item --credits.py--> authors, venue, day, abstract

No tree is built: in selectolax's, a million nested elements exceed the memory limit, and HTML5's construction may
repeat formatting elements for every paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from bot.formats.format import tidy
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
# Layouts set "font-size: 0" around everything, and "mso-hide" hides only from Outlook.
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden"
    r"|max-height\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class HtmlLink:
    """A link, or its part on one line."""

    text: str
    url: str
    css_class: str
    place: tuple[str, ...]  # the elements around it as "tag.class", innermost first
    element: int  # the link's number


@dataclass(frozen=True, slots=True)
class HtmlLine:
    """A line of text. An empty one separates paragraphs."""

    text: str
    links: tuple[HtmlLink, ...] = ()
    block: int = 0
    css_class: str = ""  # of the block element


def html_lines(html: str) -> list[HtmlLine]:
    """Return the lines of a document. Raises DigestError if it has too many tags."""
    tags = html.count("<")
    if tags > MAX_TAGS:
        raise DigestError(f"HTML of {tags:,} tags, more than the {MAX_TAGS:,} that a mail may have; save its text")
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
    """Return whether an element has a class, perhaps with a mail program's prefix.

    >>> has_class("a x_docsum-title", "docsum-title"), has_class("docsum-titles", "docsum-title")
    (True, False)
    """
    return any(each.endswith(name) for each in classes.split())


class _Element(NamedTuple):
    tag: str
    css_class: str
    is_hidden: bool


class _Collector:
    """The target of lxml's parser."""

    def __init__(self) -> None:
        self.lines: list[HtmlLine] = []
        self._open: list[_Element] = []
        self._block = 0
        self._text: list[str] = []
        self._links: list[HtmlLink] = []
        self._link_text: list[str] = []
        self._link: HtmlLink | None = None  # the open one
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
            self._link = HtmlLink("", url, css_class[: limits.ID], around, self._elements) if url else None  # an anchor
        self._open.append(_Element(tag, css_class[: limits.ID], is_hidden))

    def end(self, tag: str) -> None:
        if tag == "a":
            self._end_link()
            self._link = None
        elif tag in _BLOCKS:
            self._end_block(tag)
        if self._open:
            self._open.pop()

    def data(self, text: str) -> None:
        if self._open and self._open[-1].is_hidden:
            return
        is_preformatted = any(element.tag == "pre" for element in self._open[-3:])
        for number, row in enumerate(_BREAKS.split(text) if is_preformatted else [text]):
            if number:
                self._end_line(keep_empty=True)
            self._text.append(row)
            self._link_text.append(row)

    def close(self) -> None:
        self._end_line()

    def _end_link(self) -> None:
        if self._link and (text := tidy("".join(self._link_text))):
            self._links.append(replace(self._link, text=text))
        self._link_text.clear()

    def _end_line(self, *, keep_empty: bool = False) -> None:
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


@dataclass(frozen=True, slots=True)
class Item:
    """A title's link, and the lines that follow it."""

    title: HtmlLink
    lines: tuple[HtmlLine, ...]


def items_of(lines: Sequence[HtmlLine], is_title: Callable[[HtmlLink], bool]) -> Iterator[Item]:
    """Yield each title, joined from its lines, with the text behind it and the lines below it."""
    texts: dict[int, list[str]] = {}
    for link in chain.from_iterable(line.links for line in lines):
        texts.setdefault(link.element, []).append(link.text)
    title: HtmlLink | None = None
    below: list[HtmlLine] = []
    for line in lines:
        if not line.text:
            continue
        joined = (replace(link, text=" ".join(texts[link.element])) for link in line.links)
        number, title_link = next(((n, link) for n, link in enumerate(joined) if is_title(link)), (0, None))
        if title_link is None:
            below.append(line)
            continue
        if title and title_link.element != title.element and title_link.url == title.url and not below:
            title = replace(title, text=f"{title.text} {title_link.text}")
        elif title is None or title_link.element != title.element:
            if title:
                yield Item(title, tuple(below))
            title = title_link
            below = []
        rest = line.text.partition(line.links[number].text)[2].strip(" .,:;|-\u2013\u2014\u00b7\u2022")
        if rest:
            # Its block has another number than the paragraph below.
            below.append(replace(line, text=rest, links=line.links[number + 1 :], block=-line.block))
    if title:
        yield Item(title, tuple(below))
