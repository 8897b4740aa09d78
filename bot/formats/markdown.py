"""Digests in Markdown: the output of arXiv bots, lists on GitHub, and lists made by hand.

    ## 1. [The Title](https://arxiv.org/abs/2505.02693)        a heading for each paper, and fields below it

    **Authors**: Ada Lovelace, Grace Hopper                    in list items, in bold, italics or plain
    **Abstract**: In one or more paragraphs.
    - **The Title**                                            an item for each paper, fields below it or
      - Authors: Ada Lovelace                                  authors behind the title
    - [The Title](https://arxiv.org/abs/2505.02693) - Ada Lovelace - *ICLR*

    |Publish Date|Title|Authors|PDF|                           a row for each paper
    |---|---|---|---|
    |2026-05-10|**The Title**|Ada Lovelace et.al.|[2605.00001](http://arxiv.org/abs/2605.00001)|

Other headings are topics. One with a date begins another digest. An unknown field ends the field above it.

A Markdown parser takes formulas for emphasis ("$a*b*c$") and stray tags for markup, and knows no fields.
markdown-it-py 4.3.0 takes 0.7 s for a table of 16 KB with 200 columns.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date

from bot.formats.format import (
    Format,
    Line,
    build_digest,
    digest_without_papers,
    facts_of,
    plausible_date,
    reject_reason,
)
from bot.formats.markdown_begins import (
    ITEM,
    LIST_MARKERS,
    NUMBERED_PAPER,
    REPOSITORY,
    Begin,
    begins_in,
    is_rule,
    level_of,
)
from bot.formats.markdown_pieces import (
    BREAK,
    END,
    HEADED_FIELDS,
    HEADING,
    LEAST_TITLE,
    LONG,
    SUMMARY,
    Text,
    cells_of,
    field_in,
    front_of,
    texts_of,
)
from bot.formats.markdown_text import (
    ACCESSED,
    ADDRESS,
    BULLET,
    CJK_SIGN,
    IMAGE,
    KINDS,
    LEAST_WORDS,
    LINK,
    LONGEST_ITEM,
    NUMBER,
    SECTIONS,
    articles_in,
    byline,
    categories_in,
    citation,
    clean_title,
    day_in,
    field_key,
    headline,
    is_label,
    journal_of,
    names_before,
    names_in,
    plain_text,
    split_venue,
    title_below,
    width,
)
from bot.formats.tables import pattern
from bot.model import Entry, FactKind, ParsedDigest, limits
from bot.model.papers import arxiv_id_in, arxiv_version_in, doi_in

_ABSTRACTS = ("abstract", "translation", "summary", "text", "tldr")  # the best first
_UNKNOWN_FIELD = re.compile(r"[-*+•] ([^\W\d_][^:：|\[\]*]{0,30}) ?[:：](?!//)")  # in an item
_ARXIV_ID = re.compile(r"(?:arxiv(?:\.org/(?:abs|pdf)/|:)? ?)?\d{4}\.\d{4,5}", re.IGNORECASE)
_NAMES_BEHIND = re.compile(r"\*\*([^*]{10,300})\*\* [-\u2013\u2014] (.+)")  # ## **Owls by Night** - Ada Lovelace
_DESCRIBED = re.compile(r"[\s\d.)]{0,9}(\*\*[^*|]{3,300}\*\*) [-\u2013:] (.+)")  # 1) **Owls** - They see by night.
_NO_PAGE = re.compile(r"https?://(?:(?:dx\.)?doi\.org/|arxiv\.org/(?:abs|pdf)/?$)", re.IGNORECASE)
_NO_TOPIC, _UPDATED = (pattern(name, "markdown") for name in ("no_topic", "updated"))
_LONGEST_DAY = 20  # characters of a line with nothing but a day
_THOUGHT = re.compile(r"<think>[^<]{0,20000}</think>\s*")  # of a language model
_DEADLINE = re.compile(r"\b(?:deadline|due|submission|notification|camera|workshop|conference|held)\b", re.IGNORECASE)
# Lovelace, Hopper and Owl (2026).
_NAMES_YEAR = re.compile(
    r"([A-Z][\w'-]{1,20}(?:(?:,? (?:and|&) |, )[A-Z][\w'-]{1,20}){0,3}(?: et al\.?)?),? \((?:19|20)\d\d\)\.?"
)
_YEAR_END = re.compile(r"\((?:19|20)\d\d[a-z]?\)[.,:]?$")
# Added: 2026-05-11
_READ_DAY = re.compile(
    r"\b(?:added|accessed|read|updated|retrieved|generated)\b[^|·]{0,4}\d{4}-\d\d-\d\d", re.IGNORECASE
)
_REMARK = re.compile(r"\([^()]{0,60}\) ?[:：\u2013\u2014-] ?")  # (May 2026, 12 upvotes): Owls see.
_LEVELS = 6  # of headings
_NAMED_FIRST = re.compile(r"([^\W\d_][\w .'-]{1,60}? et al\.?) [\u2013\u2014-] (.+)")  # Lovelace et al. - Owls by Night
_INNER = re.compile(r"[\"“]([^\"“”]{15,300})[\"”]")  # A. Lovelace, "Owls by Night and by Day," 2026
_QUOTED = re.compile(r"\A[\"“]([^\"“”]{1,500})[\"”]\Z")
_LINE_DAY = re.compile(r"(?<![A-Za-z\d/.-])(?:19|20)\d\d-\d\d-\d\d(?!\d)")  # in a line of facts


def starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the heading above the first paper, and each later one with another day."""
    texts = texts_of(lines)
    begins = begins_in(texts)
    if not begins:
        return
    papers = {begin.at for begin in begins}
    first = begins[0].at
    above = (k for k in range(first) if _is_head(texts[k].text))
    start = next(above, begins[0].head if begins[0].head >= 0 else first)
    front = front_of(lines)
    yield front.start if start in front else texts[start].at
    has_papers = False  # since the last start
    for k in range(first, begins[-1].at):
        if k in papers:
            has_papers = True
        elif has_papers and texts[k].text.startswith("#") and _is_head(texts[k].text) and day_in(texts[k].text):
            yield texts[k].at
            has_papers = False


def parse(lines: Sequence[Line]) -> ParsedDigest:
    texts = texts_of(lines)
    begins = begins_in(texts)
    if not begins:
        return digest_without_papers("markdown", "", lines)
    papers = {begin.at for begin in begins}
    first, last = begins[0].at, begins[-1].at
    above = [text.text[: limits.TOPIC] for text in texts[:first]]
    heads = list(filter(_is_head, above))
    short = (text for text in above if len(text) <= 80 and not _DEADLINE.search(text))
    day = next(filter(None, map(day_in, [*heads, *short])), None)
    topics = [topic for text in heads if text.startswith("#") and (topic := clean_title(text.lstrip("#")))]
    # The heading right above the first paper is a section's if another section follows.
    if any(_is_head(texts[k].text) for k in range(first, last) if k not in papers):
        topics = topics[:-1]
    topic = next((topic for topic in topics if not _NO_TOPIC.match(topic)), "")
    results = (
        _paper(texts[begin.at : end], begin, day)
        for begin, end in zip(begins, [*sorted(papers)[1:], None], strict=True)
    )
    return build_digest("markdown", topic, day, results)


def _is_head(text: str) -> bool:
    return bool(HEADING.fullmatch(text[:LONGEST_ITEM]) or _UPDATED.match(text))


def _paper(texts: Sequence[Text], begin: Begin, day: date | None) -> Entry | str:
    _, number, whole = texts[0]
    first = whole[: limits.LINE if begin.kind == "row" else LONGEST_ITEM]
    fields: defaultdict[str, list[str]] = defaultdict(list)
    if begin.kind == "row":
        title, first, body = _row(first, begin.columns, fields)
    else:
        title, body = _titled(first, begin.kind, [text.text for text in texts[1:]], fields)
    _read_fields(body, fields, level_of(first) if begin.kind == "heading" else 0)
    values = defaultdict(str, {kind: " ".join(filter(None, parts)) for kind, parts in fields.items()})

    title = clean_title(values["original"]) or _stated(title_below(title, values["link"]), fields["title"])
    title = _QUOTED.sub(lambda quoted: quoted[1].rstrip(".,"), title)
    if signed := _NAMED_FIRST.fullmatch(title):
        values["authors"], title = values["authors"] or signed[1], signed[2]
    if (inner := _INNER.search(title)) and (names := names_before(title) or byline(title[: inner.start()])):
        title, values["authors"] = inner[1].rstrip(".,"), values["authors"] or names
    title, venue = split_venue(title)
    values["venue"] = values["venue"] or venue
    is_short = len(values["venue"]) <= limits.TOPIC
    values["journal"] = next(filter(None, map(journal_of, [*fields["venue"], venue])), "") if is_short else ""
    abstract = next(filter(None, (_THOUGHT.sub("", plain_text(values[kind])) for kind in _ABSTRACTS)), "")
    if problem := reject_reason(f"line {number}", title, abstract):
        return problem
    pmid = re.match(r"\d{6,9}(?!\d)", values["pmid"])
    pubmed = f"https://pubmed.ncbi.nlm.nih.gov/{pmid[0]}/" if pmid else ""
    places = (values["link"], pubmed, first, *(values[kind] for kind in ("rest", "date", "venue")))
    links = " ".join(place[:LONGEST_ITEM] for place in places)
    return _entry(title, abstract, values, links if articles_in(links) else f"{whole[:LONGEST_ITEM]} {links}", day)


def _titled(first: str, kind: str, body: list[str], fields: defaultdict[str, list[str]]) -> tuple[str, list[str]]:
    """Return the title, and the texts below it. Add names and day beside it to the fields."""
    if kind == "heading":
        if described := _NAMES_BEHIND.fullmatch(NUMBER.sub("", first.lstrip("# "))):
            return clean_title(described[1]), [described[2], *body]
        return _heading_title(first), body
    if kind == "title" and (field := field_in(first)):
        if field.value or not body:
            return clean_title(field.value), body
        below = 0 if body[0] else 1  # perhaps an empty line above it
        return clean_title("".join(body[below : below + 1])), body[below + 1 :]
    item = ITEM.fullmatch(first)
    bare = item[1] if item else first
    if _YEAR_END.search(bare) and body:  # names, and the title below them
        bare, body = f"{bare} {body[0]}", body[1:]
    title, rest, names = citation(bare)
    title, rest = (title, rest) if title else headline(bare)
    fields["authors"] += filter(None, [names or names_before(bare)])
    fields["date"].append(ACCESSED.sub("", ADDRESS.sub("", first)))
    return title or clean_title(bare).rstrip(":"), [rest.strip() if title else "", *body]


def _row(text: str, columns: Sequence[str], fields: defaultdict[str, list[str]]) -> tuple[str, str, list[str]]:
    """Add the cells of a row to the fields. Return its title, the title's first line, and the others."""
    cells = cells_of(text)
    # A "|" in a formula or an abstract adds a cell.
    if (surplus := len(cells) - len(columns)) > 0:
        at = columns.index("abstract" if "abstract" in columns else "title")
        cells[at : at + surplus + 1] = ["|".join(cells[at : at + surplus + 1])]
    for kind, cell in zip(columns, cells, strict=False):
        fields[kind].append(BREAK.sub(", " if kind == "authors" else " ", SUMMARY.sub("", cell)))
    pieces = BREAK.split(cells[columns.index("title")] if len(cells) > columns.index("title") else "")
    first, *body = [piece for piece in pieces if clean_title(piece)] or [""]
    if described := _DESCRIBED.fullmatch(first):
        fields["summary"].append(" ".join([described[2], *pieces[1:]]))
        return clean_title(described[1]), described[1], []
    return _heading_title(first, is_cell=True), first, body


def _heading_title(text: str, *, is_cell: bool = False) -> str:
    link = LINK.search(IMAGE.sub("", text))
    if link and not is_label(link[1]) and articles_in(link[2]):
        # A score, a category or another link may follow a linked title.
        sides = (link.string[: link.start()].lstrip("#"), link.string[link.end() :])
        before, after = map(clean_title, sides)
        if not before and (is_cell or len(after.split()) < LEAST_WORDS):
            return clean_title(link[1])
    return clean_title(text.lstrip("#"))


def _stated(title: str, stated: Sequence[str]) -> str:
    """Return the title in a field if it is in the heading or alone in Latin script."""
    field = clean_title(next(iter(stated), ""))
    is_latin = bool(CJK_SIGN.search(title)) and not CJK_SIGN.search(field) and len(field.split()) >= LEAST_WORDS
    is_part = len(field) > LEAST_TITLE and field in title
    return field if is_latin or is_part or (field and NUMBERED_PAPER.fullmatch(title.lower())) else title


def _entry(title: str, abstract: str, values: defaultdict[str, str], links: str, day: date | None) -> Entry:
    """Return a paper from its fields. The first article among the links is the paper's."""
    addresses = ADDRESS.findall(links)
    articles = articles_in(links)
    arxiv = next((article for article in articles if article.arxiv_id), None)
    identifier = arxiv.url if arxiv else values["link"].strip("` [")[: limits.ID]
    is_arxiv = arxiv or _ARXIV_ID.match(identifier)
    doi = next((article.doi for article in articles if article.doi), None) or doi_in(
        values["link"][: limits.URL].replace("`", " ")
    )
    pages = [address for address in addresses if not REPOSITORY.match(address) and not _NO_PAGE.match(address)]
    codes = ADDRESS.findall(f"{values['code']} {values['rest']}"[:LONGEST_ITEM])
    projects = ADDRESS.findall(values["project"][: limits.URL])
    facts = {
        FactKind.VENUE: values["journal"],
        FactKind.CODE: next(filter(REPOSITORY.match, codes), ""),
        FactKind.PROJECT: next((address for address in projects if not articles_in(address)), ""),
    }
    dates = _READ_DAY.sub("", f"{values['date'][: limits.TOPIC]} {values['venue'][: limits.TOPIC]}")
    return Entry(
        title=title,
        abstract=abstract,
        authors=names_in(values["authors"] or values["names"]),
        published=plausible_date(day_in(dates), day),
        arxiv_id=arxiv_id_in(identifier) if is_arxiv else None,
        doi=doi,
        url=next(iter(pages), None) if not is_arxiv else None,
        version=arxiv_version_in(identifier) if is_arxiv else None,
        categories=categories_in(values["categories"][: limits.URL]),
        facts=facts_of("Markdown", facts),
    )


def _read_fields(body: Sequence[str], fields: defaultdict[str, list[str]], level: int) -> None:
    """Add the fields below a title, by kind.

    "rest" has lines of links, "text" and "names" have lines without a name.
    """
    name: str | None = None
    is_item = is_unknown = False  # the field above
    is_footer = False  # below a rule, where only fields are the paper's
    for text in body:
        if not text:
            name = name if name in LONG or (name and not any(fields[name])) else None
        elif (field := field_in(text)) and field.kind != "line":
            first_words = " ".join(fields[name or ""][:3]).lstrip(" *_")[: limits.TOPIC]
            heading = field_key(re.split("[:：]", first_words, maxsplit=1)[0]) or field.name
            is_section = not field.is_bold or {heading, field.name} <= SECTIONS
            if name in ("abstract", "translation") and not field.kind and is_section:
                fields[name].append(text)
            else:
                name = "" if field.kind in HEADED_FIELDS and any(fields[field.kind]) else field.kind
                fields[name].append(field.value.lstrip("\u2013\u2014- "))
                is_item, is_unknown = text.startswith(LIST_MARKERS), field.name not in KINDS
        elif 0 < level_of(text) <= (level or _LEVELS):
            break
        elif is_rule(text):
            name, is_footer = name if name in LONG and not any(fields[name]) else None, True
        elif (
            text == END
            or level_of(text)
            or (is_item and (unknown := _UNKNOWN_FIELD.match(text)) and field_key(unknown[1]) not in SECTIONS)
        ):
            is_open = name in LONG and not any(fields[name or ""]) and level_of(text)
            name, is_unknown = None if text == END else name if is_open else "", False
            fields["section"] += [text] if level_of(text) else []
        elif (is_footer and name is None) or (name == "" and is_unknown):
            continue
        elif text.startswith("|") or ("](" in text and not clean_title(text)):
            fields["link" if name == "link" else "rest"].append(text)
        elif name is not None and (
            name in LONG or not any(fields[name]) or fields[name][-1].endswith(",") or text.startswith(LIST_MARKERS)
        ):
            bare = text[2:] if text.startswith(LIST_MARKERS) else text
            is_list = name == "authors" and any(fields[name]) and bare != text
            fields[name].append(f", {bare}" if is_list else bare if name in LONG else text)
        else:
            _read_line(field.value if field else text, fields)


def _read_line(text: str, fields: defaultdict[str, list[str]]) -> None:
    """Add a line without a name: a day, authors, a paragraph or links."""
    bare = BULLET.sub("", text, count=1)
    line = _REMARK.sub("", bare, count=1)
    is_item = bare != text and (bare.startswith("**") or (bare.startswith("[") and headline(bare)[0]))
    if citation(line)[0] or is_item:  # of another list
        return
    is_day = len(line) <= _LONGEST_DAY and day_in(line)
    fields["date"] += [line] if is_day else _LINE_DAY.findall(line)[:1] if len(line) < limits.TOPIC else []
    if year := _NAMES_YEAR.fullmatch(line):
        fields["names"].append(", ".join(names_in(year[1].replace(" and ", ", "))))
        return
    is_list = bool(fields["names"]) and fields["names"][-1].endswith(",")
    names = byline(line) if is_list or not (fields["authors"] or fields["names"]) else ""
    fields["names"] += [f"{names}," if line.endswith(",") else names] if names else []
    if articles_in(line) or not names:  # and not the pages of authors
        size = (len if fields["tldr"] or fields["text"] or fields["section"] else width)(LINK.sub(r"\1", line))
        fields["text" if size >= 80 and not articles_in(line) else "rest"].append(line)


MARKDOWN = Format("Markdown digest", starts, parse, specificity=5)
