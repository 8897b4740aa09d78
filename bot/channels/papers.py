"""What messages show of a paper: its addresses, its category in words, its line of facts, its summary; and its links.

paper's address --> title, or our page of its addresses         category, facts --> the line of facts
summary --> pieces, marked and unmarked, which each channel formats in its own way
reader, paper --> signed links back to Paperbot (``ReaderLinks``)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from urllib.parse import quote, urlsplit

from bot.config.keys import Purpose, Signer
from bot.model import FactKind, Paper, Reader, Role, Sentence, Vote
from bot.model.addresses import is_loopback
from bot.model.categories import arxiv_categories
from bot.model.papers import PaperLink, paper_link
from bot.model.wording import oneline, plural, shorten, wrap
from bot.text.latex import readable

_VENUE_WIDTH = 80
# Shows that sentences, or the first words of a sentence, were omitted.
GAP = "… "
# What the reader should know before reading a sentence: that a language model wrote it, or that it is not what is new.
LABELS: Mapping[Role | None, str] = {Role.TLDR: "TL;DR: ", Role.BACKGROUND: "Background: "}
# The newest likes with a phrase that a letter's button renews; a token has at most 500 characters.
_SHORTEST_CUT = 12  # characters; less of a further sentence is a word or a letter
# RFC 3986's reserved characters, and "%" so that what is encoded already stays as it is.
_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"
# Characters. RFC 5322 recommends lines of 78 at most, and the mail's text part indents by 4.
_LINE_WIDTH = 74


def category_in_words(category: str) -> str:
    """Return the name of one of arXiv's categories; another category as it is, with a capital at its beginning.

    >>> category_in_words("cs.CL"), category_in_words("bioinformatics"), category_in_words("cs.XX")
    ('Computation and Language', 'Bioinformatics', 'cs.XX')
    """
    if name := arxiv_categories().get(category):
        return name
    return category if "." in category else category[:1].upper() + category[1:]


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact in words. ``url`` is empty for one without a link; ``origin`` names who states it, empty if any digest."""

    text: str
    url: str = ""
    origin: str = ""


def facts(paper: Paper, *, with_pdf: bool = True) -> list[ShownFact]:
    """Return what is stated of a paper, in the order of the line; what is not stated is left out.

    ``with_pdf`` is false where the PDF is linked beside the title.
    """
    # Of several origins the first counts: the one that was merged first.
    stated = {fact.kind: fact for fact in reversed(paper.facts)}
    line: list[ShownFact] = []
    if paper.organisation:
        line.append(ShownFact(shorten(readable(paper.organisation), _VENUE_WIDTH)))
    if venue := stated.get(FactKind.VENUE):
        line.append(ShownFact(shorten(readable(venue.value), _VENUE_WIDTH), origin=venue.origin))
    if paper.upvotes:
        line.append(ShownFact(plural(paper.upvotes, "upvote")))
    if (code := stated.get(FactKind.CODE)) and (url := web_address(code.value)):
        stars = stated.get(FactKind.STARS)
        count = int(stars.value) if stars and stars.value.isdecimal() else 0
        line.append(ShownFact(f"Code ({plural(count, 'star')})" if count else "Code", url, code.origin))
    if (project := stated.get(FactKind.PROJECT)) and (url := web_address(project.value)):
        line.append(ShownFact("Project page", url, project.origin))
    if with_pdf and (url := pdf(paper)):
        line.append(ShownFact("PDF", url))
    if paper.categories:
        line.append(ShownFact(shorten(category_in_words(paper.categories[0]), _VENUE_WIDTH)))
    return line


def pdf(paper: Paper) -> str:
    """Return the address of a paper's PDF, stated or derived from what digests name; empty where there is none."""
    if paper.arxiv_id:
        return f"https://arxiv.org/pdf/{quote(paper.arxiv_id)}"
    for fact in paper.facts:
        if fact.kind is FactKind.PDF and (stated := web_address(fact.value)):
            return stated
    url = web_address(paper.url or "")
    return url if url.lower().partition("?")[0].endswith(".pdf") else ""


def facts_text(paper: Paper) -> str:
    """Return the facts on one line, addresses left out: ``ICLR 2026 · 12 upvotes · Code (34 stars)``."""
    return " · ".join(fact.text for fact in facts(paper))


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of plain text, marked or not; the channel has to escape it."""

    text: str
    marked: bool = False


# In both parts of a mail, and readers of a paper have few different summaries.
@lru_cache(maxsize=10_000)
def pieces(sentence: Sentence) -> tuple[Piece, ...]:
    """Return the sentence in plain Unicode, with the first occurrence of each mark as a piece of its own."""
    text = oneline(readable(sentence.text))
    spans: list[tuple[int, int]] = []
    for mark in sentence.marks:
        # Both sides go through the same conversion, so that a mark with LaTeX in it still matches. No \b: a mark may
        # begin or end with a character that is not a word character, such as "C++". No match right after a hyphen, in
        # a system's name ("HALT-RAG"), nor of several words right before one ("reward model-free").
        words = re.escape(oneline(readable(mark)))
        no_more = r"(?![\w-])" if " " in mark else r"(?!\w)"
        match = re.search(rf"(?<![\w-]){words}{no_more}", text)
        overlaps = match and any(start < match.end() and match.start() < end for start, end in spans)
        if match and match.group() and not overlaps:
            spans.append(match.span())
    split: list[Piece] = []
    position = 0
    for start, end in sorted(spans):
        split.append(Piece(text[position:start]))
        split.append(Piece(text[start:end], marked=True))
        position = end
    split.append(Piece(text[position:]))
    return tuple(piece for piece in split if piece.text)


def shortened(summary: Sequence[Sentence], width: int) -> tuple[Sentence, ...]:
    """Return the sentences that fit into ``width`` characters of plain text; the last of them may be cut."""
    fitting: list[Sentence] = []
    for sentence in summary:
        full_text = readable(sentence.text)
        if width <= 1 or (fitting and len(full_text) > width and width < _SHORTEST_CUT):
            break
        text = shorten(full_text, width)
        fitting.append(replace(sentence, text=text))
        # A blank separates it from the next sentence.
        width -= len(text) + 1
    return tuple(fitting)


def paragraphs(summary: Sequence[Sentence]) -> list[str]:
    """Return the summary as plain text: marks between asterisks, the result after an arrow in its own paragraph.

    An ellipsis shows an omission.
    """
    groups: list[list[str]] = [[]]
    for sentence in summary:
        text = "".join(f"*{piece.text}*" if piece.marked else piece.text for piece in pieces(sentence))
        gap = GAP if sentence.after_gap else ""
        if sentence.role is Role.RESULT:
            groups += [[f"→ {gap}{text}"], []]
        else:
            label = LABELS.get(sentence.role, "")
            groups[-1].append(f"{gap}{label}{text}")
    return [" ".join(texts) for texts in groups if texts]


def summary_text(summary: Sequence[Sentence], indent: str = "") -> str:
    """Return the summary's paragraphs in lines, each of which begins with ``indent``."""
    return "\n".join(wrap(paragraph, indent, indent) for paragraph in paragraphs(summary))


def title_link(paper: Paper) -> PaperLink:
    """Return the link of a paper's title: http or https only, percent-encoded."""
    # Digests can hold any text as an address: a quotation mark or blank in it would end the attribute or Slack's link.
    link = paper_link(paper)
    return PaperLink(quote(link.url, safe=_URL_CHARACTERS, errors="replace"), link.is_search)


def short(url: str, paper: Paper, links: Links) -> str:
    """Return an address of a paper if it fits on a line of plain text, else our page of its addresses if that does."""
    if len(url) <= _LINE_WIDTH:
        return url
    page = links.go(paper)
    # A page on this machine can't be opened on a telephone, where the paper's own address can.
    is_reachable = page and not is_loopback(urlsplit(page).hostname or "")
    return page if is_reachable and len(page) <= _LINE_WIDTH else url


def web_address(text: str) -> str:
    """Return a digest's text as an address that is safe in an attribute, percent-encoded; empty if it is not one."""
    if not text.startswith(("https://", "http://")):
        return ""
    return quote(text, safe=_URL_CHARACTERS, errors="replace")


def host(url: str) -> str:
    """Return where a link leads, as people name it.

    >>> host("https://www.nature.com/articles/1")
    'nature.com'
    """
    return (urlsplit(url).hostname or "").removeprefix("www.")


def path(url: str) -> str:
    """Return the path and query of one of our links: a page links within the host under which it was opened.

    >>> path("https://papers.example.org/thumb/WzFd?vote=up")
    '/thumb/WzFd?vote=up'
    """
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


@dataclass(frozen=True, slots=True)
class SampleLinks:
    """The links of a sample edition: all lead to one page at ``public_url``, if any, which changes nothing."""

    public_url: str

    def _page(self, *_: object, **__: object) -> str:
        return f"{self.public_url}/sample" if self.public_url else ""

    thumb = edition = skipped = go = me = unsubscribe = _page

    def save(self, _paper: Paper, _via: str = "mail") -> str:
        return "" if _is_on_this_machine(self.public_url) else self._page()


@dataclass(frozen=True, slots=True)
class ReaderLinks:
    """Links to the web pages at ``public_url``, signed for one reader.

    A GET changes nothing, as mail scanners follow links: the page's button does. A link is empty where nothing would be
    behind it: without ``public_url``, all but those that open a mail to the bot. ``reply_to`` is the bot's mailbox if
    votes in mails are mails to it; empty if not.
    """

    public_url: str
    signer: Signer
    reader: Reader
    reply_to: str = ""
    # A mail has each token several times: in its two parts, and that of a paper in the links of both votes.
    _tokens: dict[tuple[Purpose, Sequence[int]], str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """Return the page with a button for this vote; ``via`` is where the link is: mail or page.

        In mails, a mail with the vote as its subject if votes are mails (``bot.readers.votes``).
        """
        if self.reply_to and via == "mail":
            return self._mail(f"vote {vote} {self._token(Purpose.REPLY, self.reader.id, paper.id)}")
        # No parameter in mails, which have two of these links for each paper.
        origin = "" if via == "mail" else f"from={via}&"
        page = self._page("thumb", Purpose.THUMB, paper.id)
        return page and f"{page}?{origin}vote={vote}"

    def confirm(self) -> str:
        return self._page("confirm", Purpose.CONFIRM)

    def edition(self, day: date) -> str:
        """Return the page of a day's edition, which leads to none of the reader's own."""
        return self._page("edition", Purpose.EDITION, day.toordinal())

    def skipped(self, day: date) -> str:
        page = self.me()
        return page and f"{page}/skipped/{day}"

    def go(self, paper: Paper) -> str:
        """Return the page that shows the paper's addresses, which is shorter than most of them."""
        return f"{self.public_url}/go/{self._token(Purpose.GO, paper.id)}" if self.public_url else ""

    def save(self, paper: Paper, via: str = "mail") -> str:
        """Return the page that offers a paper to reference managers; empty in mails if only this machine reaches it."""
        if via == "mail" and _is_on_this_machine(self.public_url):
            return ""
        page = self._page("thumb", Purpose.THUMB, paper.id)
        return page and f"{page}/save"

    def library(self, extension: str) -> str:
        """Return the liked papers as a file, ``bib`` or ``ris``, for programs that fetch it again and again."""
        return f"{self.public_url}/me/{self._token(Purpose.LIBRARY, self.reader.id)}/library.{extension}"

    def me(self) -> str:
        # The path stays "me": links in mails of the last 400 days lead there.
        return self._page("me", Purpose.ME)

    def unsubscribe(self) -> str:
        """Return the page that unsubscribes the reader; without pages a mail to the bot's mailbox that does."""
        if self.reply_to and not self.public_url:
            return self._mail(f"unsubscribe {self._token(Purpose.UNSUBSCRIBE, self.reader.id)}")
        return self._page("unsubscribe", Purpose.UNSUBSCRIBE)

    def _page(self, page: str, purpose: Purpose, *payload: int) -> str:
        return f"{self.public_url}/{page}/{self._token(purpose, self.reader.id, *payload)}" if self.public_url else ""

    def _mail(self, wish: str) -> str:
        """Return a link that opens a mail to the bot's mailbox (``bot.readers.votes.record_reply``)."""
        return f"mailto:{quote(self.reply_to, safe='@')}?subject={quote(f'Paperbot {wish}')}"

    def _token(self, purpose: Purpose, *payload: int) -> str:
        token = self._tokens.get((purpose, payload))
        if token is None:
            token = self._tokens[purpose, payload] = self.signer.sign(purpose, payload)
        return token


Links = ReaderLinks | SampleLinks


# A mail asks it for each paper.
@lru_cache(maxsize=10)
def _is_on_this_machine(public_url: str) -> bool:
    return is_loopback(urlsplit(public_url).hostname or "")
