"""Google Scholar's alerts, recognised by the links of their titles, in any language and from any forwarder.

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

from bot.formats.addresses import article_at, unwrap
from bot.formats.credits import joined
from bot.formats.format import author_names, build_digest, reject_reason
from bot.formats.html import HtmlLine, HtmlLink, Item, has_class, items_of
from bot.formats.mail import Mail
from bot.model import Entry, Fact, FactKind, ParsedDigest
from bot.model.papers import arxiv_id_in, citation, is_cut

_SCHOLAR = "Google Scholar"  # as it is named to readers
_REDIRECT = re.compile(r"https?://scholar\.google\.[a-z.]{2,6}/scholar_url\?")
# [PDF], [HTML], [BOOK] in the mail's language. "[Re]" begins titles of replications.
_KIND = re.compile(r"^(?:\[[^\[\]a-z]{1,14}\]\s*)+")
_YEAR = re.compile(r"(?:^|,\s*)((?:19|20)\d\d)(?: - [^,]{1,60})?$")
_PREPRINT = re.compile(r"arxiv preprint|arxiv:|bioRxiv|medRxiv|ssrn", re.IGNORECASE)
_CITED = re.compile(r"\W*(?:cites|cited|zitiert|cita|cite|citiert)\b\s*:?\s*(.{5,300})", re.IGNORECASE)


def is_title(link: HtmlLink) -> bool:
    """Whether a link is a title in Google Scholar's alert."""
    return has_class(link.css_class, "gse_alrt_title") or bool(_REDIRECT.match(link.url) and len(link.text) > 10)


def parse(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest | None:
    """Read one alert. None for other mails."""
    results: list[Entry | str] = []
    for number, item in enumerate(items_of(lines, is_title), 1):
        paper = _paper(item, mail.alert())
        results.append(reject_reason(f"item {number}", paper.title, paper.abstract) or paper)
    return build_digest("google-scholar", _SCHOLAR, mail.date, results) if results else None


def _paper(item: Item, alert: str) -> Entry:
    title = _KIND.sub("", item.title.text)
    url = unwrap(item.title.url)
    article = article_at(url)
    byline = next((line for line in item.lines[:1] if not has_class(line.css_class, "gse_alrt_sni")), None)
    credit_line = byline.text if byline else ""
    names, venue = _credits(credit_line)
    position = credit_line.lower().find("arxiv:")
    preprint = arxiv_id_in(credit_line[position:]) if position >= 0 else None
    rest = item.lines[1:] if byline else item.lines
    snippet = takewhile(lambda line: line.block == rest[0].block and not line.links, rest)
    abstract = joined([line.text for line in snippet])
    # Scholar shows three lines of an abstract, perhaps without marking the end.
    if abstract and not is_cut(abstract):
        abstract += " \u2026"
    cited = [match[1] for line in rest if (match := _CITED.fullmatch(line.text))]
    identifier = (article.arxiv_id if article else None) or preprint
    return Entry(
        title=title,
        abstract=abstract,
        authors=names,
        arxiv_id=identifier,
        doi=article.doi if article else None,
        url=None if identifier else url or None,
        alert=f"{alert}, cites \u201c{cited[0]}\u201d" if cited else alert or None,
        facts=(
            *([Fact(FactKind.VENUE, venue, _SCHOLAR)] if venue else []),
            *(citation(Entry(title), _SCHOLAR) for title in cited[:10]),
        ),
    )


def _credits(byline: str) -> tuple[tuple[str, ...], str]:
    """Return authors and venue of ``A Lovelace, G Hopper… - Journal of Owls, 2026``.

    The year is left out: it is the venue's, not the paper's.
    """
    authors, _, venue = byline.partition(" - ")
    names = author_names(authors.replace("\u2026", ""))
    year = _YEAR.search(venue)
    journal = venue[: year.start()].rstrip(" ,") if year else venue
    if not journal.strip(" \u2026.,") or _PREPRINT.search(journal):
        return names, ""
    return names, f"{journal} {year[1]}" if year and year[1] not in journal else journal
