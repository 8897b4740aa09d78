"""Tables of contents and alerts of journals: HTML mails without a format of their own, read by their structure.

A link is a paper's title if its text reads like a title and one of these holds:

- its address, without tracking, is one of an article (``article_addresses``), and names, a DOI, a second article in
  the same layout or a title of at least four words support it;
- its address can't be read off a tracking link, but a DOI or an article's address stands below it;
- likewise, with at least two names below it, and a second such link in the same layout.

Everything else is left alone: menus, news and advertisements have titles too, and a missing paper costs less than an
advertisement in an edition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bot.digests.article_addresses import Article, article_at
from bot.digests.fields import quoted, reject_reason
from bot.digests.format import build_digest
from bot.digests.html_items import Item, abstract_in, items_of, names_in, reads_like_title
from bot.digests.html_lines import HtmlLine
from bot.digests.mail import Mail
from bot.digests.trackers import unwrap
from bot.domain import Entry, ParsedDigest
from bot.identity import doi

NAME = "journal-mail"
_NEAR = 5  # lines below a title where its authors and DOI stand
_MIN_WORDS = 4
_MIN_NAMES = 2
_TOKEN = re.compile(r"[A-Za-z0-9_~-]{20,}")
_DOI_LABEL = re.compile(r"\bdoi\b|doi\.org/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Candidate:
    item: Item
    article: Article | None
    names: tuple[str, ...]
    other: Article | None  # an article named below the title

    @property
    def key(self) -> str:
        article = self.article or self.other
        return (article and (article.doi or article.arxiv_id or article.url)) or self.item.title.url


def parse(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest | None:
    """Read one mail; None if nothing in it is certainly a paper."""
    candidates = [_candidate(item) for item in items_of(lines, lambda link: reads_like_title(link.text))]
    places = Counter(
        candidate.item.title.place
        for candidate in candidates
        if candidate.article or candidate.other or len(candidate.names) >= _MIN_NAMES
    )
    papers: dict[str, Entry | str] = {}
    for candidate in candidates:
        item = candidate.item
        is_paper = _is_paper(candidate, has_siblings=places[item.title.place] > 1)
        if not is_paper or candidate.key in papers:
            continue
        title = item.title.text
        abstract = abstract_in(item.lines[: 2 * _NEAR])
        articles = [article for article in (candidate.article, candidate.other) if article]
        identifier = articles[0].arxiv_id if articles else None
        dois = [article.doi for article in articles if article.doi]
        address = articles[0].url if articles else ""
        papers[candidate.key] = reject_reason(quoted(title), title, abstract) or Entry(
            title=title.removesuffix(".") if title.count(".") == 1 else title,
            abstract=abstract,
            authors=candidate.names,
            arxiv_id=identifier,
            doi=dois[0] if dois else None,
            url=None if identifier else address or (None if dois else unwrap(item.title.url) or None),
        )
    return (
        build_digest(NAME, mail.subject or mail.sender_name, mail.date, papers.values()) if papers else None
    )


def _candidate(item: Item) -> _Candidate:
    near = item.lines[:_NEAR]
    links = (link for line in near for link in line.links)
    texts = (doi(line.text) for line in near if _DOI_LABEL.search(line.text))
    addresses = (article_at(unwrap(link.url)) for link in links)
    identifiers = (Article("", doi=identifier) for identifier in texts if identifier)
    return _Candidate(
        item=item,
        article=article_at(unwrap(item.title.url)),
        names=next(filter(None, (names_in(line.text) for line in near if not line.links)), ()),
        other=next((article for article in (*identifiers, *addresses) if article), None),
    )


def _is_paper(candidate: _Candidate, *, has_siblings: bool) -> bool:
    if candidate.article:
        is_long = len(re.findall(r"\w+", candidate.item.title.text)) >= _MIN_WORDS
        return is_long or has_siblings or bool(candidate.names or candidate.other)
    # The address of a tracking link that can't be unwrapped has a token of letters and digits in place of words; a
    # menu's or an advertisement's own address has words.
    url = candidate.item.title.url
    is_opaque = bool(_TOKEN.search(url.partition("//")[2])) and bool(re.search(r"\d", url))
    return is_opaque and (bool(candidate.other) or (len(candidate.names) >= _MIN_NAMES and has_siblings))
