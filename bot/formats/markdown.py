"""Digests in Markdown: a heading for each paper, and bold field names below it.

    # The Title, perhaps a [link](https://arxiv.org/abs/2505.02693)

    **Authors**: Ada Lovelace, Grace Hopper

    **Link**: [PDF](https://arxiv.org/pdf/2505.02693)

    **Abstract**: In one or more paragraphs.

    ---

Fields may stand in any order, in list items, with the colon inside the stars. A heading without fields above
the first paper is the digest's topic, and its date if it names one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice, pairwise, takewhile

from bot.formats.format import Format, Line, author_names, build_digest, date_in, plausible_date, quoted, reject_reason
from bot.model import Entry, ParsedDigest, limits
from bot.model.papers import arxiv_id_in, arxiv_version_in

# A real Markdown parser would not help: it returns bold text in paragraphs, and where a field begins and ends would
# still be decided here. It would also lose the line numbers.
_HEADING = re.compile(r"#{1,6} (.*?)(?: #+)?")
_FIELD = re.compile(r"(?:[-*+] )?(?:\*\*|__)([A-Za-z][A-Za-z ]{0,30}?) ?:?(?:\*\*|__) ?[:：]? ?(.*)")
# Neither part may reach past the "[" at which another link may begin: with ".*?", a line of "[](" took n^2 steps.
_LINK = re.compile(r"\[([^\[\]]*)\]\([^\s)\[]*\)")
_ADDRESS = re.compile(r"https?://[^\s()<>\"]+")
_RULE_CHARACTERS = "-*_"
_FIELD_NAMES = {
    "author": "authors",
    "authors": "authors",
    "link": "link",
    "links": "link",
    "url": "link",
    "pdf": "link",
    "arxiv": "link",
    "paper": "link",
    "abstract": "abstract",
    "summary": "abstract",
    "date": "date",
    "published": "date",
    "categories": "categories",
}
_NEAR = 3  # lines with text below a heading, within which a field makes it a paper's


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the first paper, or the heading right above it; headings of later papers begin no new digest."""
    first = next((i for i in range(len(lines)) if _begins_paper(lines, i)), None)
    if first is not None:
        above = next((i for i in range(first - 1, -1, -1) if lines[i].text), first)
        yield above if _HEADING.fullmatch(lines[above].text) else first


def _parse(lines: Sequence[Line]) -> ParsedDigest:
    begins = [i for i in range(len(lines)) if _begins_paper(lines, i)]
    if not begins:
        no_papers = f"line {lines[0].number}: no papers follow {quoted(lines[0].text)}; another digest begins below it"
        return build_digest("markdown", "", None, [no_papers])
    heading = _HEADING.fullmatch(lines[0].text) if begins[0] > 0 else None
    topic = heading[1][: limits.TOPIC] if heading else ""
    day = date_in(topic)
    papers = (_paper(lines[begin:end], day) for begin, end in pairwise([*begins, len(lines)]))
    return build_digest("markdown", topic, day, papers)


def _begins_paper(lines: Sequence[Line], at: int) -> bool:
    if not _HEADING.fullmatch(lines[at].text):
        return False
    below = islice((lines[i].text for i in range(at + 1, len(lines)) if lines[i].text), _NEAR)
    return any(map(_field, takewhile(lambda text: not _HEADING.fullmatch(text), below)))


def _field(text: str) -> tuple[str, str] | None:
    """Return name and first line of the field that a line opens."""
    match = _FIELD.fullmatch(text)
    name = _FIELD_NAMES.get(match[1].lower()) if match else None
    return (name, match[2]) if match and name else None


def _paper(lines: Sequence[Line], day: date | None) -> Entry | str:
    fields: defaultdict[str, list[str]] = defaultdict(list)
    name = ""
    for _, text in lines[1:]:
        # A horizontal rule ends a paper, and so does a heading that does not begin another one.
        is_rule = not text.strip(f"{_RULE_CHARACTERS} ") and sum(map(text.count, _RULE_CHARACTERS)) >= 3
        if is_rule or _HEADING.fullmatch(text):
            break
        if field := _field(text):
            name, first_line = field
            fields[name].append(first_line)
        elif text and name:
            fields[name].append(text)
    values = {key: " ".join(parts) for key, parts in fields.items()}

    # Headings and fields are cut before a pattern looks at them: a line may have a megabyte.
    number, heading_text = lines[0]
    heading = _HEADING.fullmatch(heading_text)
    title = _LINK.sub(r"\1", heading[1][: limits.TITLE] if heading else "").strip()
    abstract = values.get("abstract", "")
    if problem := reject_reason(f"line {number}", title, abstract):
        return problem
    links = f"{values.get('link', '')[: 2 * limits.URL]} {heading_text[: 2 * limits.URL]}"
    address = _ADDRESS.search(links)
    is_arxiv = "arxiv.org/" in links.lower()
    return Entry(
        title=title,
        abstract=abstract,
        authors=author_names(_LINK.sub(r"\1", values.get("authors", "")[: limits.BYLINE])),
        published=plausible_date(date_in(values.get("date", "")[: limits.TOPIC]), day),
        arxiv_id=arxiv_id_in(links) if is_arxiv else None,
        url=address[0] if address and not is_arxiv else None,
        version=arxiv_version_in(links) if is_arxiv else None,
        categories=tuple(filter(None, re.split(r"[,;\s`]+", values.get("categories", "")[: limits.URL]))),
    )


MARKDOWN = Format(
    title="Markdown digest",
    hint='a heading such as "# A Title" with "**Authors**: ..." below it',
    starts=_starts,
    parse=_parse,
    specificity=5,
)
