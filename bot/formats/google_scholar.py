"""Google Scholar's alerts: HTML mails on an author, citations, related research or a query, in any language.

    <h3>[PDF] <a class="gse_alrt_title" href="https://scholar.google.de/scholar_url?url=REAL&...">A title ...</a></h3>
    <div>A Lovelace, G Hopper - Journal of Owls, 2026</div>
    <div class="gse_alrt_sni">The beginning of the abstract, with <br>breaks ...</div>
    <div>links that share the paper</div>

The subject names the alert: "Ada Lovelace - new citations".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from bot.formats.format import author_names, build_digest, reject_reason
from bot.formats.html import HtmlLine, HtmlLink, Item, has_class, items_of, joined
from bot.formats.mail import Mail, article_at, unwrap
from bot.model import Entry, Fact, FactKind, ParsedDigest
from bot.model.identity import arxiv_id, is_cut

NAME = "google-scholar"
TITLE = "Google Scholar"
_TITLE_CLASS = "gse_alrt_title"
_SNIPPET_CLASS = "gse_alrt_sni"
_REDIRECT = re.compile(r"https?://scholar\.google\.[a-z.]{2,6}/scholar_url\?")
# [PDF], [HTML], [BOOK] in the mail's language. "[Re]" begins titles of replications.
_KIND = re.compile(r"(?:\[[^\[\]a-z]{1,14}\]\s*)+")
_YEAR = re.compile(r"(?:^|,\s*)((?:19|20)\d\d)$")
_PREPRINT = re.compile(r"arxiv preprint|arxiv:|bioRxiv|medRxiv|ssrn", re.IGNORECASE)
_CITED = re.compile(r"\W*(?:cites|cited|zitiert|cita|cite|citiert)\b\s*:?\s*(.{5,300})", re.IGNORECASE)


def recognises(lines: Sequence[HtmlLine]) -> bool:
    """Return whether a mail has a title of Google Scholar's."""
    return any(_is_title(link) for line in lines for link in line.links)


def parse(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest:
    """Read one alert."""
    items = items_of(lines, _is_title)
    return build_digest(
        NAME, TITLE, mail.date, [_paper(number, item, mail.alert()) for number, item in enumerate(items, 1)]
    )


def _is_title(link: HtmlLink) -> bool:
    return has_class(link.css_class, _TITLE_CLASS) or bool(_REDIRECT.match(link.url) and len(link.text) > 10)


def _paper(number: int, item: Item, alert: str) -> Entry | str:
    title = _KIND.sub("", item.title.text, count=1) if _KIND.match(item.title.text) else item.title.text
    url = unwrap(item.title.url)
    article = article_at(url)
    byline = next((line for line in item.lines[:1] if not has_class(line.css_class, _SNIPPET_CLASS)), None)
    credit_line = byline.text if byline else ""
    names, venue = _credits(credit_line)
    position = credit_line.lower().find("arxiv:")
    preprint = arxiv_id(credit_line[position:]) if position >= 0 else None
    rest = item.lines[1:] if byline else item.lines
    snippet = takewhile(lambda line: line.block == rest[0].block and not line.links, rest)
    abstract = joined([line.text for line in snippet])
    # Scholar shows three lines of an abstract, whether it marks the end or not.
    if abstract and not is_cut(abstract):
        abstract += " \u2026"
    cited = next(filter(None, (_CITED.fullmatch(line.text) for line in rest)), None)
    identifier = (article.arxiv_id if article else None) or preprint
    return reject_reason(f"item {number}", title, abstract) or Entry(
        title=title,
        abstract=abstract,
        authors=names,
        arxiv_id=identifier,
        doi=article.doi if article else None,
        url=None if identifier else url or None,
        alert=f"{alert}, cites \u201c{cited[1]}\u201d" if cited else alert or None,
        facts=(Fact(FactKind.VENUE, venue, TITLE),) if venue else (),
    )


def _credits(byline: str) -> tuple[tuple[str, ...], str]:
    """Return authors and venue of ``A Lovelace, G Hopper… - Journal of Owls, 2026``.

    The year is left out: it is the venue's, not the paper's.
    """
    authors, _, venue = byline.partition(" - ")
    names = tuple(name for name in author_names(authors.replace("\u2026", "")) if name)
    year = _YEAR.search(venue)
    journal = venue[: year.start()].rstrip(" ,") if year else venue
    if not journal.strip(" \u2026.,") or _PREPRINT.search(journal):
        return names, ""
    return names, f"{journal} {year[1]}" if year and year[1] not in journal else journal
