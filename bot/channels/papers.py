"""Link, facts and summary of a paper in messages, and signed links for its reader."""

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
GAP = "… "
LABELS: Mapping[Role | None, str] = {Role.TLDR: "TL;DR: "}
_SHORTEST_CUT = 12  # characters
# RFC 3986, and "%" against double encoding.
_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"
# RFC 5322 recommends 78 characters, and the text is indented by 4.
_LINE_WIDTH = 74


def category_in_words(category: str) -> str:
    """Return the name of an arXiv category, or another one with a capital.

    >>> category_in_words("cs.CL"), category_in_words("bioinformatics"), category_in_words("cs.XX")
    ('Computation and Language', 'Bioinformatics', 'cs.XX')
    """
    if name := arxiv_categories().get(category):
        return name
    return category if "." in category else category[:1].upper() + category[1:]


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact in words, with its link and its origin, if any."""

    text: str
    url: str = ""
    origin: str = ""


def facts(paper: Paper, *, with_pdf: bool = True, beside_seen: bool = True) -> list[ShownFact]:
    """Return a paper's facts in words. ``beside_seen`` leaves out a venue that the paper's feed is named after."""
    stated = {fact.kind: fact for fact in reversed(paper.facts)}
    line: list[ShownFact] = []
    if paper.organisation:
        line.append(ShownFact(shorten(readable(paper.organisation), _VENUE_WIDTH)))
    if (venue := stated.get(FactKind.VENUE)) and not (beside_seen and _is_feed(venue.value, paper)):
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


def _is_feed(venue: str, paper: Paper) -> bool:
    """Return whether a paper was seen in a venue's feed: "Owl Letters", "Wiley: Owl Letters: Table of Contents"."""
    named = re.compile(rf"(?:^|[:|(\u2013-]\s*){re.escape(oneline(venue))}\b", re.IGNORECASE)
    return any(named.search(oneline(sighting.topic)) for sighting in paper.sightings[:1])


def pdf(paper: Paper) -> str:
    """Return the address of a paper's PDF, stated or derived, or an empty string."""
    if paper.arxiv_id:
        return f"https://arxiv.org/pdf/{quote(paper.arxiv_id)}"
    for fact in paper.facts:
        if fact.kind is FactKind.PDF and (stated := web_address(fact.value)):
            return stated
    url = web_address(paper.url or "")
    return url if url.lower().partition("?")[0].endswith(".pdf") else ""


def facts_text(paper: Paper) -> str:
    """Return one line without addresses: ``ICLR 2026 · 12 upvotes · Code (34 stars)``."""
    return " · ".join(fact.text for fact in facts(paper))


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of plain text. The channel must escape it."""

    text: str
    marked: bool = False


@lru_cache(maxsize=10_000)
def pieces(sentence: Sentence) -> tuple[Piece, ...]:
    """Return plain Unicode, with the first occurrence of each mark as a piece."""
    text = oneline(readable(sentence.text))
    spans: list[tuple[int, int]] = []
    for mark in sentence.marks:
        # \b would miss "C++". No match next to the hyphen of a name ("HALT-RAG", "reward model-free").
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
    """Return the sentences that fit into ``width`` characters. The last may be cut."""
    fitting: list[Sentence] = []
    for sentence in summary:
        full_text = readable(sentence.text)
        if width <= 1 or (fitting and len(full_text) > width and width < _SHORTEST_CUT):
            break
        text = shorten(full_text, width)
        fitting.append(replace(sentence, text=text))
        width -= len(text) + 1
    return tuple(fitting)


def paragraphs(summary: Sequence[Sentence]) -> list[str]:
    """Return plain text: marks between asterisks, the result after an arrow."""
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
    return "\n".join(wrap(paragraph, indent, indent) for paragraph in paragraphs(summary))


def title_link(paper: Paper) -> PaperLink:
    """Return a percent-encoded http or https address."""
    # A quotation mark or blank would end the attribute or Slack's link.
    link = paper_link(paper)
    return PaperLink(quote(link.url, safe=_URL_CHARACTERS, errors="replace"), link.site)


def short(url: str, paper: Paper, links: Links) -> str:
    if len(url) <= _LINE_WIDTH:
        return url
    page = links.go(paper)
    # A telephone can't open a page on this machine.
    is_reachable = page and not is_loopback(urlsplit(page).hostname or "")
    return page if is_reachable and len(page) <= _LINE_WIDTH else url


def web_address(text: str) -> str:
    """Return a percent-encoded web address, or an empty string."""
    if not text.startswith(("https://", "http://")):
        return ""
    return quote(text, safe=_URL_CHARACTERS, errors="replace")


def host(url: str) -> str:
    """Return an address's host without "www".

    >>> host("https://www.nature.com/articles/1")
    'nature.com'
    """
    return (urlsplit(url).hostname or "").removeprefix("www.")


def path(url: str) -> str:
    """Return path and query of our own link. Pages link within the host that opened them.

    >>> path("https://papers.example.org/thumb/WzFd?vote=up")
    '/thumb/WzFd?vote=up'
    """
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


@dataclass(frozen=True, slots=True)
class SampleLinks:
    """The links of a sample edition. Without ``reader``, all lead to a page that tells what they do in an edition.

    With one, the links on stored papers and to the reader's own page are real.
    """

    public_url: str
    reader: ReaderLinks | None = None

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        return self.reader.thumb(paper, vote, via) if self.reader and paper.id > 0 else self.page("thumb")

    def save(self, paper: Paper, via: str = "mail") -> str:
        return self.reader.save(paper, via) if self.reader and paper.id > 0 else self.page("save")

    def go(self, paper: Paper) -> str:
        return self.reader.go(paper) if self.reader and paper.id > 0 else self.page("go")

    def me(self) -> str:
        return self.reader.me() if self.reader else self.page("me")

    def edition(self, _day: date) -> str:
        return self.page("edition")

    def skipped(self, _day: date) -> str:
        return self.page("skipped")

    def more(self, _day: date) -> str:
        return self.page("more")

    def unsubscribe(self) -> str:
        return self.page("unsubscribe")

    def page(self, link: str) -> str:
        return f"{self.public_url}/sample?link={link}" if self.public_url else ""


@dataclass(frozen=True, slots=True)
class ReaderLinks:
    """Links to the web pages at ``public_url``, signed for one reader.

    A GET changes nothing, because mail scanners follow links. Without ``public_url``, only links that open a mail to
    ``reply_to`` are left.
    """

    public_url: str
    signer: Signer
    reader: Reader
    reply_to: str = ""
    _tokens: dict[tuple[Purpose, Sequence[int]], str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def thumb(self, paper: Paper, vote: Vote, via: str = "mail") -> str:
        """Return the page with a button for this vote, or a mail with the vote as its subject.

        ``via`` is the place of the link, mail or page.
        """
        if self.reply_to and via == "mail":
            return self._mail(f"vote {vote} {self._token(Purpose.REPLY, self.reader.id, paper.id)}")
        # Two links per paper stay short in mails.
        origin = "" if via == "mail" else f"from={via}&"
        page = self._page("thumb", Purpose.THUMB, paper.id)
        return page and f"{page}?{origin}vote={vote}"

    def confirm(self) -> str:
        return self._page("confirm", Purpose.CONFIRM)

    def edition(self, day: date) -> str:
        """Return the page of a day's edition, without links to the reader's own pages."""
        return self._page("edition", Purpose.EDITION, day.toordinal())

    def skipped(self, day: date) -> str:
        page = self.me()
        return page and f"{page}/skipped/{day}"

    def more(self, day: date) -> str:
        page = self.me()
        return page and f"{page}/more/{day}"

    def go(self, paper: Paper) -> str:
        return f"{self.public_url}/go/{self._token(Purpose.GO, paper.id)}" if self.public_url else ""

    def save(self, paper: Paper, via: str = "mail") -> str:
        """Return the page that saves or exports a paper, or the mail that saves it."""
        if self.reply_to and via == "mail":
            return self.thumb(paper, Vote.SAVE)
        page = self._page("thumb", Purpose.THUMB, paper.id)
        return page and f"{page}/save"

    def library(self, extension: str, name: str = "library") -> str:
        """Return the address of the liked papers, or of the ``saved`` ones. ``extension`` is ``bib`` or ``ris``."""
        return f"{self.public_url}/me/{self._token(Purpose.LIBRARY, self.reader.id)}/{name}.{extension}"

    def me(self) -> str:
        # Links in mails of the last 400 days need this path.
        return self._page("me", Purpose.ME)

    def unsubscribe(self) -> str:
        if self.reply_to and not self.public_url:
            return self._mail(f"unsubscribe {self._token(Purpose.UNSUBSCRIBE, self.reader.id)}")
        return self._page("unsubscribe", Purpose.UNSUBSCRIBE)

    def _page(self, page: str, purpose: Purpose, *payload: int) -> str:
        return f"{self.public_url}/{page}/{self._token(purpose, self.reader.id, *payload)}" if self.public_url else ""

    def _mail(self, wish: str) -> str:
        """Return a link for ``bot.readers.votes.record_reply``."""
        return f"mailto:{quote(self.reply_to, safe='@')}?subject={quote(f'Paperbot {wish}')}"

    def _token(self, purpose: Purpose, *payload: int) -> str:
        token = self._tokens.get((purpose, payload))
        if token is None:
            token = self._tokens[purpose, payload] = self.signer.sign(purpose, payload)
        return token


Links = ReaderLinks | SampleLinks
