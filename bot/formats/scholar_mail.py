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

from bot.formats.addresses import article_at, unwrap
from bot.formats.credits import joined
from bot.formats.format import author_names, build_digest, reject_reason
from bot.formats.html import HtmlLine, HtmlLink, has_class, items_of
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
    return has_class(link.css_class, "gse_alrt_title") or bool(_REDIRECT.match(link.url) and len(link.text) > 10)


def parse(mail: Mail, lines: Sequence[HtmlLine]) -> ParsedDigest | None:
    """Read one alert. None for other mails."""
    results: list[Entry | str] = []
    for number, item in enumerate(items_of(lines, is_title), 1):
        title = _KIND.sub("", item.title.text)
        url = unwrap(item.title.url)
        article = article_at(url)
        has_byline = bool(item.lines) and not has_class(item.lines[0].css_class, "gse_alrt_sni")
        # "A Lovelace, G Hopper… - Journal of Owls, 2026", where the year is the venue's.
        byline = item.lines[0].text if has_byline else ""
        names, _, journal = byline.partition(" - ")
        year = _YEAR.search(journal)
        journal = journal[: year.start()].rstrip(" ,") if year else journal
        is_venue = journal.strip(" \u2026.,") and not _PREPRINT.search(journal)
        venue = f"{journal} {year[1]}" if year and year[1] not in journal else journal
        preprint = arxiv_id_in(byline[byline.lower().find("arxiv:") :]) if "arxiv:" in byline.lower() else None
        identifier = (article.arxiv_id if article else None) or preprint
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
            doi=article.doi if article else None,
            url=None if identifier else url or None,
            alert=alert or None,
            facts=(
                *([Fact(FactKind.VENUE, venue, _SCHOLAR)] if is_venue else []),
                *(citation(Entry(title), _SCHOLAR) for title in cited[:10]),
            ),
        )
        results.append(paper)
    return build_digest("google-scholar", _SCHOLAR, mail.date, results) if results else None
