"""Tables of contents and alerts of journals: HTML mails without a format of their own, read by their structure.

A link is a paper's title if its text reads like a title and one of these holds:

- its address, without tracking, is one of an article (``article_addresses``), and names, a DOI, a second article in
  the same layout or a title of at least four words support it;
- its address can't be read off a tracking link, but a DOI or an article's address stands below it;
- likewise, with at least two names below it, and a second such link in the same layout.

Where a title is not a link, but "Abstract" or "Read more" below it leads to an article, the line above the authors'
names is the title.

Everything else is left alone: menus, news and advertisements have titles too, and a missing paper costs less than an
advertisement in an edition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from bot.formats.format import build_digest, quoted, reject_reason
from bot.formats.html import HtmlLine, HtmlLink, Item, abstract_in, items_of, names_in, reads_like_title
from bot.formats.mail import Article, Mail, article_at, unwrap
from bot.model import Entry, ParsedDigest
from bot.model.papers import doi_in

NAME = "journal-mail"
FindArticle = Callable[[str], Article | None]  # by the address of a link
_NEAR = 5  # lines below a title where its authors and DOI stand
_MIN_WORDS = 4
_MIN_NAMES = 2
_CITATION = re.compile(r"\b(?:vol(?:ume)?|issue|pages?|pp)\b\.?\s?\d", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_DOI_LABEL = re.compile(r"\bdoi\b|doi\.org/", re.IGNORECASE)
# Events and jobs have names below them, too, and links like an article's.
_EVENT = re.compile(
    r"\b(?:webinars?|seminars?|workshops?|podcasts?|keynotes?|vacanc(?:y|ies)|professorships?)\b", re.IGNORECASE
)
# Not "Webinars" and "Jobs": below the last paper, they are the headings of what follows.
_INVITATION = re.compile(r"\b(?:register|apply|sign up|hosted by|sponsored by|book your)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Candidate:
    item: Item
    article: Article | None
    names: tuple[str, ...]
    other: Article | None  # an article named below the title

    @property
    def key(self) -> str:
        article = self.article or self.other
        return article.key if article else self.item.title.url

    @classmethod
    def read(cls, item: Item, find_article: FindArticle) -> _Candidate:
        near = item.lines[:_NEAR]
        # "Abstract" may be a link on the line of the authors.
        before_links = (line.text.partition(line.links[0].text)[0] if line.links else line.text for line in near)
        links = (link for line in near for link in line.links)
        texts = (doi_in(line.text) for line in near if _DOI_LABEL.search(line.text))
        addresses = (find_article(link.url) for link in links)
        identifiers = (Article("", doi=identifier) for identifier in texts if identifier)
        return cls(
            item=item,
            article=find_article(item.title.url),
            names=next(filter(None, map(names_in, before_links)), ()),
            other=next((article for article in (*identifiers, *addresses) if article), None),
        )

    def is_paper(self, *, has_siblings: bool) -> bool:
        """Whether the module's conditions hold; ``has_siblings``: the layout has a second such title."""
        if self.article:
            is_long = len(_WORD.findall(self.item.title.text)) >= _MIN_WORDS
            return is_long or has_siblings or bool(self.names or self.other)
        # The address of a tracking link that can't be unwrapped has a token of letters and digits in place of words; a
        # menu's or an advertisement's own address has words and numbers.
        if not any(not run.isalpha() and not run.isdigit() for run in _RUN.findall(self.item.title.url)):
            return False
        if self.other:
            return True
        is_event = bool(_EVENT.search(self.item.title.text)) or any(
            _INVITATION.search(line.text) for line in self.item.lines[:_NEAR]
        )
        return len(self.names) >= _MIN_NAMES and has_siblings and not is_event


def parse(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest | None:
    """Read one mail; None if nothing in it is certainly a paper."""
    # Links near a title are near its neighbours, too.
    find_article = cache(lambda url: article_at(unwrap(url)))
    items = items_of(with_linked_titles(lines, find_article), lambda link: reads_like_title(link.text))
    candidates = [_Candidate.read(item, find_article) for item in items]
    places = Counter(
        candidate.item.title.place
        for candidate in candidates
        if candidate.article or candidate.other or len(candidate.names) >= _MIN_NAMES
    )
    papers: dict[str, Entry | str] = {}
    for candidate in candidates:
        item = candidate.item
        is_paper = candidate.is_paper(has_siblings=places[item.title.place] > 1)
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
    return build_digest(NAME, mail.subject or mail.sender_name, mail.date, papers.values()) if papers else None


def with_linked_titles(lines: Sequence[HtmlLine], find_article: FindArticle) -> list[HtmlLine]:
    """Return the lines with a link on each title whose article is linked by a label below its authors."""
    linked = list(lines)
    titled: set[str] = set()  # keys of articles whose title is a link
    begin = 0  # after the last line with a link
    for number, line in enumerate(lines):
        if not line.links:
            continue
        label: HtmlLink | None = None
        for link in line.links:
            article = find_article(link.url)
            if article and reads_like_title(link.text):
                titled.add(article.key)
            elif article and article.key not in titled:
                label = label or link
        if label:
            above = [place for place in range(max(begin, number - 2 * _NEAR), number) if lines[place].text]
            position = _title_above_names([lines[place].text for place in above])
            if position is not None:
                place = above[position]
                # Not the label's number: the title is not part of that link.
                title = replace(label, text=lines[place].text, element=-label.element)
                linked[place] = replace(lines[place], links=(title,))
        begin = number + 1
    return linked


def _title_above_names(texts: Sequence[str]) -> int | None:
    """The index of the line that reads like a title and has names right below it."""
    for place, (text, below) in enumerate(pairwise(texts)):
        is_long = len(_WORD.findall(text)) >= _MIN_WORDS
        is_citation = _CITATION.search(text) or names_in(text)
        if is_long and not is_citation and reads_like_title(text) and names_in(below):
            return place
    return None
