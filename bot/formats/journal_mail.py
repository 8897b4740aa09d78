"""Tables of contents and alerts, of journals and of search engines: HTML mails read by their structure.

The text of a paper's link reads like a title, and one of these holds:

- The link's address, without tracking, is an article's (``addresses``), with the support of a name, a DOI, a second
  article in the same layout or a title of at least four words.
- The link is an unreadable tracking link, and a DOI or an article's address is below it.
- The same with a name below it, where two links in the same layout have two names, a citation is below it, or it is
  the first and the subject announces articles.

If only "Abstract" or "Read more" below a title is a link to an article, the title is the line above the authors. A
title of one word counts in a layout with the titles of other articles.

All else is left out: a missing paper costs less than an advertisement in an edition. ``mails.toml`` has the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, takewhile

from bot.formats.addresses import Article, Destination, destination
from bot.formats.credits import (
    MIN_ABSTRACT,
    Credits,
    abstract_in,
    credits_in,
    is_label,
    is_venue,
    joined,
    names_in,
    reads_like_title,
)
from bot.formats.format import (
    LONGEST_TITLE,
    Line,
    build_digest,
    facts_of,
    plausible_date,
    prose,
    quoted,
    reject_reason,
)
from bot.formats.html import HtmlLine, HtmlLink, Item, has_class, items_of
from bot.formats.mail import Mail
from bot.formats.names import author_names
from bot.formats.publishers import is_no_paper
from bot.formats.tables import pattern, table
from bot.model import Entry, FactKind, ParsedDigest, limits
from bot.model.papers import arxiv_id_in, citation, doi_in, is_cut

NAME = "journal-mail"
Follow = Callable[[str], Destination]  # ``destination``, once for each address


_HEADER = 20  # lines at the beginning of a forwarded mail, with its header
_NEAR = 5  # lines between a title and its last author and DOI
_BELOW = 30  # lines between a title and the end of its abstract
_MIN_WORDS = 4
_WORD = re.compile(r"\w+")
_QUOTES = ('"', "\u201c", "\u201d")
_NUMBER = re.compile(r"^\s*(?:\d{1,3}[.)]|\[\d{1,3}\])\s+")
_DOI_LABEL = re.compile(r"\bdoi\b|doi\.org/|(?<![\w/.])10\.\d{4,9}/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Candidate:
    item: Item
    destination: Destination
    names: tuple[str, ...]
    other: Article | None  # below the title

    @classmethod
    def read(cls, item: Item, follow: Follow) -> _Candidate:
        def is_of_item(line: HtmlLine) -> bool:
            return not (pattern("footer").search(line.text[:LONGEST_TITLE]) or _NUMBER.match(line.text))

        item = replace(item, lines=tuple(takewhile(is_of_item, item.lines)))
        near = item.lines[:_NEAR]
        dois = [doi_in(line.text) or "" for line in near if _DOI_LABEL.search(line.text)]
        if any(map(pattern("no_article").search, dois)):  # news have DOIs, too
            return cls(item, replace(follow(item.title.url), article=None), (), None)
        texts = (text for line in near for link in line.links for text in (link.url, link.text))
        articles = (follow(text).article for text in texts if "://" in text)
        others = chain((Article("", doi=doi) for doi in dois if doi), articles)
        return cls(item, follow(item.title.url), credits_in(near).authors, next(filter(None, others), None))

    @property
    def articles(self) -> list[Article]:
        return [article for article in (self.destination.article, self.other) if article]

    @property
    def is_supported(self) -> bool:
        """Return whether two names or an article's address prove that the title is a paper's."""
        of_others = (pattern("and_others").search(line.text[:LONGEST_TITLE]) for line in self.item.lines[:2])
        has_names = len(self.names) >= 2 or (bool(self.names) and any(of_others))
        return bool(self.articles) or has_names

    def is_paper(self, *, has_siblings: bool, has_headings: bool, is_announced: bool) -> bool:
        """Return whether the module's conditions hold. ``has_siblings``: the layout has a second such title."""
        title = self.item.title.text
        # With headings, the third and the last line may belong to the next part.
        below = self.item.lines[:-1][:2] if has_headings else self.item.lines[:3]
        labels = (line.text[:LONGEST_TITLE] for line in below)
        if pattern("no_paper").match(title) or is_no_paper(title) or any(map(pattern("news").fullmatch, labels)):
            return False
        if self.destination.article:
            is_long = len(_WORD.findall(title)) >= _MIN_WORDS
            return is_long or has_siblings or bool(self.names or self.other)
        if self.other:
            return bool(self.names) or self.destination.is_opaque
        near = "\n".join(line.text[:LONGEST_TITLE] for line in self.item.lines[:_NEAR])
        is_event = pattern("event").search(title) or pattern("invitation").search(near)
        # Unreadable tracking links have a token of letters and digits, menus and advertisements words and numbers.
        is_cited = has_siblings or is_announced or bool(pattern("citation").search(near))
        return bool(self.names) and self.destination.is_opaque and is_cited and not is_event


def parse(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest | None:
    """Read a mail. None if nothing in it is certainly a paper."""
    # The first lines of a forwarded mail tell who sent it.
    is_forwarded = mail.own_subject != mail.subject
    origin = " ".join(line.text for line in lines[:_HEADER]) if is_forwarded else ""
    senders = (row for row in table("mails")["senders"] if row["address"] in f"{mail.sender} {origin}".lower())
    sender = next(senders, {"name": mail.sender_name or mail.sender})
    follow: Follow = cache(destination)
    lines = with_linked_titles(lines, follow)
    news = _links_to_news(lines, follow)
    is_title = _title_test(lines, follow)
    candidates = [_Candidate.read(item, follow) for item in items_of(lines, is_title)]
    places = Counter(candidate.item.title.place for candidate in candidates if candidate.is_supported)
    is_announced = bool(pattern("announced").search(mail.own_subject))
    headings = (pattern("heading").match(line.text) for line in lines[:_HEADER])
    journal = next((heading[1] for heading in headings if heading), "")
    papers: dict[str, Entry | str] = {}
    for candidate in candidates:
        title_link = candidate.item.title
        has_siblings = places[title_link.place] > 1
        is_paper = candidate.is_paper(
            has_siblings=has_siblings, has_headings=news is not None, is_announced=is_announced and not papers
        )
        if not is_paper or title_link.element in (news or ()):
            continue
        title = pattern("after_title").sub("", pattern("before_title").sub("", title_link.text, count=1), count=1)
        title = _unquoted(prose(title, limits.TITLE))
        below = candidate.item.lines[:_BELOW]
        stated = credits_in(below[: 2 * _NEAR])
        abstract = abstract_in(below, title_link.text, stated.authors)
        articles = candidate.articles
        key = articles[0].key if articles else title_link.url
        first = papers.get(key)
        if isinstance(first, Entry):  # a list of titles stands above the abstracts
            papers[key] = replace(first, abstract=first.abstract or abstract, authors=first.authors or stated.authors)
            continue
        venue = stated.venue or _journal_of(mail.own_subject) or journal
        arxiv_id = articles[0].arxiv_id if articles else None
        address = articles[0].url if articles else candidate.destination.public_address
        papers[key] = reject_reason(quoted(title), title, abstract) or Entry(
            title=title,
            abstract=abstract,
            authors=stated.authors,
            published=plausible_date(stated.published, mail.date),
            arxiv_id=arxiv_id,
            doi=next((article.doi for article in articles if article.doi), None),
            url=None if arxiv_id else address or None,
            alert=mail.alert() or None if sender.get("is_search") else None,
            facts=facts_of(sender["name"], {FactKind.VENUE: venue}),
        )
    topic = sender["name"] if "format" in sender else mail.subject or mail.sender_name
    return build_digest(sender.get("format", NAME), topic, mail.date, papers.values()) if papers else None


def _unquoted(title: str) -> str:
    """Return a title without quotation marks around the whole of it.

    >>> _unquoted('"Owls see."'), _unquoted('"Owls see," 150 years on')
    ('Owls see.', '"Owls see," 150 years on')
    """
    inner = title[1:-1]
    is_quoted = title[:1] in _QUOTES and title[-1:] in _QUOTES and not any(mark in inner for mark in _QUOTES)
    return inner.strip() if is_quoted else title


def _journal_of(subject: str) -> str:
    before = pattern("before_journal").match(subject)
    subject = subject[before.end() :] if before else subject
    after = pattern("after_journal").search(subject)
    journal = (subject[: after.start()] if after else subject if before else "").strip(" []")
    return "" if len(journal) > 80 or ":" in journal or "ejournal" in journal.lower() else journal


def _title_test(lines: Sequence[HtmlLine], follow: Follow) -> Callable[[HtmlLink], bool]:
    """Return a test that tells titles from links of authors and journals."""
    inline: set[int] = set()  # links on a few words of a sentence
    certain: Counter[tuple[str, ...]] = Counter()  # places of titles
    named: Counter[tuple[str, ...]] = Counter()  # places of links that may be names, or titles such as "Owl Vision"
    for line in lines:
        for link in line.links:
            is_part = link.text[0].islower() or len(link.text.split()) < _MIN_WORDS
            if is_part and len(line.text.partition(link.text)[0].split()) >= _MIN_WORDS:
                inline.add(link.element)
            if reads_like_title(link.text):
                (named if names_in(link.text) else certain)[link.place] += 1
    links = (link for line in lines for link in line.links)
    titled = {link.place for link in links if link.place in certain and follow(link.url).article}

    def is_title(link: HtmlLink) -> bool:
        if link.element in inline or pattern("issue").match(link.text[:LONGEST_TITLE]):
            return False
        if not reads_like_title(link.text):
            # Among other titles, one may be a single word.
            is_short = link.place in titled and len(link.text) > 2 and not is_label(link.text)
            return (is_short or is_no_paper(link.text)) and bool(follow(link.url).article)
        is_long = len(link.text.split()) >= _MIN_WORDS and link.place in certain
        is_long = is_long or certain[link.place] > 2 * named[link.place] > 0
        return is_long or bool(follow(link.url).article) or not (names_in(link.text) or is_venue(link.text))

    return is_title


def _links_to_news(lines: Sequence[HtmlLine], follow: Follow) -> set[int] | None:
    """Return the links below headings such as "News", up to the next heading.

    None if the first title has no heading above it: then such lines are labels of the titles.
    """
    elements: set[int] = set()
    is_news: bool | None = None  # below no heading
    has_titles = is_part_of_news = False
    for line in filter(lambda line: line.text, lines):
        heading = line.text.strip(" :") if len(line.text) <= 40 and not line.links else ""
        if heading and (pattern("news").fullmatch(heading) or is_label(heading)):
            if not (is_part_of_news and not pattern("paper_part").fullmatch(heading)):
                is_news = bool(pattern("news").fullmatch(heading))
                is_part_of_news = bool(pattern("news_part").fullmatch(heading))
            continue
        if not has_titles and any(
            reads_like_title(link.text) and ((to := follow(link.url)).article or to.is_opaque) for link in line.links
        ):
            has_titles = True
            if is_news is None:
                return None
        elif not has_titles:
            is_news = None
        if is_news:
            elements.update(link.element for link in line.links)
    return elements


_URL = re.compile(r"https?://[^\s<>\"'\])]{4,2000}")
_LINKED = re.compile(
    r"(?P<text>(?:\[[A-Z]{3,5}\]\s)?[^<>\[\]]{3,1000}?)\s?[<\[(](?P<url>https?://[^\s<>\"'\])]{4,2000})[>\])]$"
)
_ADDRESS = re.compile(r"[<(]https?://[^\s<>()]{4,2000}[>)]")
_PMID = re.compile(r"PMID: ?(\d{5,9})\b")  # PubMed's plain text has no addresses
_RULE = re.compile(r"[-=_*~#+ ]+")
_WRAPPED = 60  # characters; a shorter row ends its paragraph


def text_lines(lines: Sequence[Line]) -> list[HtmlLine]:
    """Return a plain text as lines of HTML, with links and joined rows."""
    texts: list[str] = [""]
    is_names = False  # the last row with text
    for line in lines:
        last, text = texts[-1], "" if _RULE.fullmatch(line.text) else line.text
        if last and _ADDRESS.fullmatch(text):  # of the link in the row above
            texts[-1] = f"{last} {text}"[: limits.ABSTRACT]
            continue
        is_more = last.endswith(",") or (len(last) >= _WRAPPED and not is_names and not names_in(text))
        if (
            last
            and text
            and is_more
            and len(last) <= limits.ABSTRACT
            and "://" not in f"{last}{text}"
            and not (pattern("citation").search(text[:LONGEST_TITLE]) or _PMID.match(text))
        ):
            texts[-1] = f"{last} {text}"
        else:
            texts.append(text)
            is_names = len(text) >= _WRAPPED and bool(names_in(text))
    result: list[HtmlLine] = []
    for number, text in enumerate(texts):
        linked = _LINKED.fullmatch(text)
        named = [(linked["text"], linked["url"])] if linked else [(url, url) for url in _URL.findall(text)[:10]]
        links = tuple(HtmlLink(label, url, "", (), number) for label, url in named)
        result.append(HtmlLine(linked["text"] if linked else text, links, number))
    return result


def with_linked_titles(lines: Sequence[HtmlLine], follow: Follow) -> list[HtmlLine]:
    """Return the lines with links on titles alone, also where only "PDF" below the authors has a link."""
    linked: list[HtmlLine] = []
    element = 0  # of the last link
    is_parted = False
    for line in lines:
        # Parts of a title's link may be on authors and abstracts.
        is_more = bool(line.links) and line.links[0].element == element
        is_parted = is_more and (is_parted or len(names_in(line.text)) > 1 or len(line.text) >= MIN_ABSTRACT)
        element = line.links[-1].element if line.links else element
        linked.append(replace(line, links=()) if is_parted else line)
    lines = tuple(linked)
    titled: set[str] = set()  # keys of articles with a link on the title
    begin = 0  # after the last line with a link
    for number, line in enumerate(lines):
        pmid = _PMID.match(line.text)
        doi = doi_in(line.text) if _DOI_LABEL.search(line.text) else None
        stated = f"https://pubmed.ncbi.nlm.nih.gov/{pmid[1]}/" if pmid else f"https://doi.org/{doi}" if doi else ""
        if not line.links and not stated:
            continue
        label: HtmlLink | None = None
        above_label = lines[number - 1].text if number else ""
        for link in line.links or [HtmlLink("PDF", stated, "", ("stated",), number)]:
            article = follow(link.url).article
            if article and reads_like_title(link.text):
                titled.add(article.key)
            elif (article and article.key not in titled) or _is_below_citation(link, above_label, follow):
                label = label or link
        if label:
            above = [place for place in range(max(begin, number - 4 * _NEAR), number) if lines[place].text]
            # The last line that reads like a title and has names below it.
            for at in reversed(range(len(above) - 1)):
                below = [lines[place] for place in above[at : at + _NEAR - 1]]
                text = below[0].text
                is_numbered = bool(_NUMBER.match(text))
                is_title = (is_numbered or len(_WORD.findall(text)) >= _MIN_WORDS) and reads_like_title(text)
                is_title = is_title and not pattern("citation").search(text) and credits_in(below[:1]) == Credits()
                if is_title and (credits_in(below[1:]).authors or (is_numbered and abstract_in(below[1:]))):
                    # Not the label's number: the title is not part of that link.
                    title = replace(label, text=_with_beginning(text, lines, above[at]), element=-label.element)
                    linked[above[at]] = replace(below[0], links=(title,))
                    break
        begin = number + 1
    return linked


def _is_below_citation(link: HtmlLink, above: str, follow: Follow) -> bool:
    """Return whether a link is a tracking address below a citation in plain text."""
    is_address = link.text == link.url and follow(link.url).is_opaque
    return is_address and bool(pattern("citation").search(above[:LONGEST_TITLE]))


def _with_beginning(title: str, lines: Sequence[HtmlLine], at: int) -> str:
    """Return a title with the row above it that ends with a colon."""
    beginning = lines[at - 1] if at else HtmlLine("")
    is_title = beginning.text.endswith(":") and not beginning.links and len(_WORD.findall(beginning.text)) >= _MIN_WORDS
    return f"{beginning.text} {title}" if is_title else title


_SCHOLAR = "Google Scholar"  # as it is named to readers
_REDIRECT = re.compile(r"https?://scholar\.google\.[a-z.]{2,6}/scholar_url\?")
# [PDF], [HTML], [BOOK] in the mail's language. "[Re]" begins titles of replications.
_SCHOLAR_KIND = re.compile(r"^(?:\[[^\[\]a-z]{1,14}\]\s*)+")
_SCHOLAR_YEAR = re.compile(r"(?:^|,\s*)((?:19|20)\d\d)(?: - [^,]{1,60})?$")
_CITED = re.compile(r"\W*(?:cites|cited|zitiert|cita|cite|citiert)\b\s*:?\s*(.{5,300})", re.IGNORECASE)


def parse_scholar(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest | None:
    """Read an alert of Google Scholar in any language. None for other mails.

    <h3>[PDF] <a class="gse_alrt_title" href="https://scholar.google.de/scholar_url?url=REAL&...">A title</a></h3>
    <div>A Lovelace, G Hopper - Journal of Owls, 2026</div>
    <div class="gse_alrt_sni">The beginning of the abstract, with <br>breaks ...</div>
    <div>links that share the paper</div>

    """

    def is_title(link: HtmlLink) -> bool:
        return has_class(link.css_class, "gse_alrt_title") or bool(_REDIRECT.match(link.url) and len(link.text) > 10)

    results: list[Entry | str] = []
    for number, item in enumerate(items_of(lines, is_title), 1):
        title = _SCHOLAR_KIND.sub("", item.title.text)
        to = destination(item.title.url)
        has_byline = bool(item.lines) and not has_class(item.lines[0].css_class, "gse_alrt_sni")
        # "A Lovelace, G Hopper… - Journal of Owls, 2026", where the year is the venue's.
        byline = item.lines[0].text if has_byline else ""
        names, _, journal = byline.partition(" - ")
        year = _SCHOLAR_YEAR.search(journal)
        journal = journal[: year.start()].rstrip(" ,") if year else journal
        is_venue = journal.strip(" \u2026.,") and not pattern("no_journal", "publishers").search(journal)
        venue = f"{journal} {year[1]}" if year and year[1] not in journal else journal
        preprint = arxiv_id_in(byline[byline.lower().find("arxiv:") :]) if "arxiv:" in byline.lower() else None
        identifier = (to.article.arxiv_id if to.article else None) or preprint
        rest = item.lines[1:] if has_byline else item.lines
        is_snippet = [line.block == rest[0].block and not line.links for line in rest] + [False]
        abstract = joined([line.text for line in rest[: is_snippet.index(False)]])
        # Scholar shows three lines of an abstract, perhaps without marking the end.
        if abstract and not is_cut(abstract):
            abstract += " \u2026"
        cited = [match[1] for line in rest if (match := _CITED.fullmatch(line.text))]
        alert = f"{mail.alert()}, cites \u201c{cited[0]}\u201d" if cited else mail.alert()
        paper = reject_reason(f"item {number}", title, abstract) or Entry(
            title=title,
            abstract=abstract,
            authors=author_names(names.replace("\u2026", "")),
            arxiv_id=identifier,
            doi=to.article.doi if to.article else None,
            url=None if identifier else to.address or None,
            alert=alert or None,
            facts=(
                *facts_of(_SCHOLAR, {FactKind.VENUE: venue if is_venue else ""}),
                *(citation(Entry(title), _SCHOLAR) for title in cited[:10]),
            ),
        )
        results.append(paper)
    return build_digest("google-scholar", _SCHOLAR, mail.date, results) if results else None
