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
from itertools import takewhile
from typing import NamedTuple

from bot.formats.format import (
    LONGEST_TITLE,
    Format,
    Line,
    build_digest,
    digest_without_papers,
    facts_of,
    plausible_date,
    reject_reason,
)
from bot.formats.markdown_pieces import (
    BREAK,
    END,
    HEADED_FIELDS,
    HEADING,
    LEAST_TITLE,
    LONG,
    SUMMARY,
    Field,
    Text,
    cells_of,
    field_in,
    front_of,
    is_address,
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
    PICTURES,
    SECTIONS,
    TITLE_SECTIONS,
    articles_in,
    byline,
    categories_in,
    citation,
    clean_title,
    day_in,
    field_key,
    has_paper_link,
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

_PROOF = {"authors", "abstract", "translation", "link"}  # the heading or item above them is a paper's
_ABSTRACTS = ("abstract", "translation", "summary", "text", "tldr")  # the best first
_ITEM = re.compile(r"(?:[-*+•●◦▪] |\d{1,4}[.)、] ?(?=\D))\s*(.*)")
_WORD = re.compile(r"[^\W\d_]{2}")
_UNKNOWN_FIELD = re.compile(r"[-*+•] ([^\W\d_][^:：|\[\]*]{0,30}) ?[:：](?!//)")  # in an item
_ARXIV_ID = re.compile(r"(?:arxiv(?:\.org/(?:abs|pdf)/|:)? ?)?\d{4}\.\d{4,5}", re.IGNORECASE)
_MARKED = re.compile(r"#{1,6} |(?:[-*+] |\d{1,4}[.)] )?(?:\*\*|__|\[)")
_DELIMITER = re.compile(r"\|?(?: ?:?-+:? ?\|)+(?: ?:?-+:? ?)?\|?")
_NAMES_BEHIND = re.compile(r"\*\*([^*]{10,300})\*\* [-\u2013\u2014] (.+)")
_DESCRIBED = re.compile(r"[\s\d.)]{0,9}(\*\*[^*|]{3,300}\*\*) [-\u2013:] (.+)")  # 1) **Owls** - They see by night.
_REPOSITORY = re.compile(r"https?://(?:www\.)?(?:github|gitlab)\.com/", re.IGNORECASE)
_NO_PAGE = re.compile(r"https?://(?:(?:dx\.)?doi\.org/|arxiv\.org/(?:abs|pdf)/?$)", re.IGNORECASE)
_NO_TOPIC, _UPDATED, _PROGRAM, _PROSE_END, _LISTING = (
    pattern(name, "markdown") for name in ("no_topic", "updated", "program", "prose_end", "listing")
)
_NUMBERED = re.compile(r"\d{1,4}[.)] ")
_VENUE_LINE = re.compile(r"[A-Z][\w/&' -]{1,40} (?:19|20)\d\d")
_NUMBERED_PAPER = re.compile(r"(?:paper|论文|論文|논문) ?#?\d{1,4}")
_NEAR = 7
_LONGEST_DAY = 20
_THOUGHT = re.compile(r"<think>[^<]{0,20000}</think>\s*")  # of a language model
_DEADLINE = re.compile(r"\b(?:deadline|due|submission|notification|camera|workshop|conference|held)\b", re.IGNORECASE)
_NAMES_YEAR = re.compile(
    r"([A-Z][\w'-]{1,20}(?:(?:,? (?:and|&) |, )[A-Z][\w'-]{1,20}){0,3}(?: et al\.?)?),? \((?:19|20)\d\d\)\.?"
)
_YEAR_END = re.compile(r"\((?:19|20)\d\d[a-z]?\)[.,:]?$")
_READ_DAY = re.compile(
    r"\b(?:added|accessed|read|updated|retrieved|generated)\b[^|·]{0,4}\d{4}-\d\d-\d\d", re.IGNORECASE
)
_REMARK = re.compile(r"\([^()]{0,60}\) ?[:：\u2013\u2014-] ?")  # (May 2026, 12 upvotes): Owls see.
_RULE_CHARACTERS = "-*_"
_PAPER_COLUMNS = {"authors", "abstract", "translation", "link", "code", "date", "venue", "categories", "pmid"}
_SEEN_ROWS = 50
_TITLE_COLUMNS = ("title", "paper", "论文", "标题", "論文")
_NAMED_COLUMNS = ("name", "method", "model", "work", "study", "system", "研究", "方法", "模型", "工作", "名称")
_FRONT_FIELDS = 120  # at most
_LEVELS = 6  # of headings
_LIST_MARKERS = ("- ", "* ", "+ ", "• ")
_NAMED_FIRST = re.compile(r"([^\W\d_][\w .'-]{1,60}? et al\.?) [\u2013\u2014-] (.+)")
_INNER = re.compile(r"[\"“]([^\"“”]{15,300})[\"”]")
_QUOTED = re.compile(r"\A[\"“]([^\"“”]{1,500})[\"”]\Z")
_LINE_DAY = re.compile(r"(?<![A-Za-z\d/.-])(?:19|20)\d\d-\d\d-\d\d(?!\d)")  # in a line of facts


class _Begin(NamedTuple):
    """The index of a paper's first text, and its kind: a heading, item or title, or a row of a table."""

    at: int
    kind: str
    columns: tuple[str, ...] = ()
    head: int = -1  # the head of a row's table


def starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the topmost heading above the first paper, and each later one that names another day."""
    texts = texts_of(lines)
    begins = _begins(texts)
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
    begins = _begins(texts)
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


def _begins(texts: Sequence[Text]) -> Sequence[_Begin]:
    rows = _rows(texts)
    begins: list[_Begin] = []
    level = 0  # of the open paper's heading; its items and lower headings are no papers
    is_below_link = False  # at further addresses of an open paper
    listed = 0  # level of a heading such as "Accepted papers"
    for k, (_, _, whole) in enumerate(texts):
        text = whole[:LONGEST_ITEM]
        if not text or k in rows:
            begins += filter(None, [rows.get(k)])
            continue
        field = field_in(text)
        is_below_link = bool(field and field.kind == "link") or (is_below_link and text.startswith(("[", "http")))
        if heading := HEADING.fullmatch(text):
            is_number = bool(_NUMBERED_PAPER.fullmatch(field_key(heading[1])))
            if (field and (level or begins)) or (_is_no_title(text) and not is_number):
                continue
            near = (field_in(below) for _, _, below in texts[k + 1 : k + _NEAR])
            is_titled = is_number and any(field and field.kind == "title" for field in near)
            if is_titled or (articles_in(text) and clean_title(heading[1])) or (not is_number and _has_proof(texts, k)):
                begins.append(_Begin(k, "heading"))
                level = _level(text)
            elif _level(text) <= level:
                level = 0
            if not listed or _level(text) <= listed:
                listed = _level(text) if _LISTING.fullmatch(clean_title(heading[1])) else 0
        elif _is_rule(text):
            level = 0
        elif level or "](#" in text or (is_below_link and not field):
            continue
        elif field and field.kind == "title":
            # Any text may have a plain one, and a paper may repeat its title.
            if (field.is_bold or text.startswith(_LIST_MARKERS)) and not _is_repeated(texts, begins, field.value):
                begins.append(_Begin(k, "title"))
        elif _is_item(texts, k, field, is_listed=listed > 0):
            begins.append(_Begin(k, "item"))
    return _checked(texts, begins)


def _is_item(texts: Sequence[Text], at: int, field: Field | None, *, is_listed: bool) -> bool:
    """Return whether an item or a text in bold is a paper's title. Any bold name may stand before it."""
    text = texts[at].text[:LONGEST_ITEM]
    item = _ITEM.fullmatch(text)
    if field and (field.kind or not item or len(clean_title(field.value).split()) < LEAST_WORDS):
        return False
    body = item[1] if item else text
    is_candidate = _is_candidate(text) or bool(field and _NUMBERED.match(text))
    if not item and not is_candidate:
        return False
    is_introduced = body.endswith((":", "：")) or _NUMBERED.match(text)
    if is_introduced and at + 1 < len(texts) and is_address(texts[at + 1].text):
        return True
    if _is_linked(text, body) or (is_listed and _is_signed(texts, at, body)):
        return True
    return is_candidate and bool(clean_title(body)) and _has_proof(texts, at)


def _checked(texts: Sequence[Text], begins: list[_Begin]) -> Sequence[_Begin]:
    """Return the note on one paper instead of its section, and no program that links to one."""
    if begins and begins[0].at == 0 and any(not text.text and text.at == texts[0].at for text in texts[:_FRONT_FIELDS]):
        return begins[:1]  # a paper in front matter, whose note may cite others
    is_one = len(begins) == 1 and begins[0].kind == "heading"
    # "## Core" may stand above the fields of the whole note.
    if not begins or (is_one and len(clean_title(texts[begins[0].at].text.lstrip("#")).split()) < LEAST_WORDS):
        note = _note(texts)
        begins = [note] if note else begins
        is_one = is_one or bool(note)
    return [] if is_one and any(_PROGRAM.match(text.lstrip("# ")) for _, _, text in texts if _level(text)) else begins


def _is_repeated(texts: Sequence[Text], begins: Sequence[_Begin], value: str) -> bool:
    title = clean_title(value)
    is_below = bool(begins) and begins[-1].kind == "heading" and len(title) > LEAST_TITLE
    return is_below and title.casefold() in clean_title(texts[begins[-1].at].text.lstrip("#")).casefold()


def _is_linked(text: str, body: str) -> bool:
    """Return whether an item has a title, and a link to an article or one that says so."""
    if articles_in(text):
        return bool(headline(body)[0])
    title = headline(body)[0] if has_paper_link(text) else ""
    return len(title.split()) >= LEAST_WORDS and not _PROSE_END.search(title)


def _is_signed(texts: Sequence[Text], at: int, body: str) -> bool:
    """Return whether an item has a title, and names behind or below it."""
    title, rest = headline(body)
    below = texts[at + 1].text[: limits.URL] if at + 1 < len(texts) else ""
    is_above = not _WORD.search(clean_title(rest)) and bool(byline(below))
    return len(title.split()) >= LEAST_WORDS and (bool(byline(rest)) or is_above)


def _note(texts: Sequence[Text]) -> _Begin | None:
    """Return the only main heading above everything else, if a text tells of one paper and links to it."""
    tops = [k for k, (_, _, text) in enumerate(texts) if text.startswith("# ")]
    if len(tops) != 1 or any(_level(texts[k].text) for k in range(tops[0])) or day_in(texts[tops[0]].text):
        return None
    below = [text[:LONGEST_ITEM] for _, _, text in texts[tops[0] + 1 :]]
    kinds = {field.kind for field in map(field_in, below) if field and (field.is_bold or field.kind == "link")}
    labelled = [text for text in below if text.startswith("|") or field_in(text) or len(text) < limits.TOPIC]
    linked = {article.key for text in labelled for article in articles_in(text)}
    is_known = bool(kinds & HEADED_FIELDS) and (len(linked) == 1 or {"authors", "link"} <= kinds)
    return _Begin(tops[0], "heading") if is_known else None


def _rows(texts: Sequence[Text]) -> dict[int, _Begin | None]:
    rows: dict[int, _Begin | None] = {}
    columns: tuple[str, ...] = ()
    is_sure = False
    head = -1
    for k, (_, _, text) in enumerate(texts):
        is_row = "|" in text
        is_delimiter = is_row and bool(_DELIMITER.fullmatch(text[:LONGEST_ITEM]))
        found, sure = _columns(texts, k) if is_delimiter and k else ((), False)
        if found:
            columns, is_sure, head = found, sure, k - 1
            rows |= {head: None, k: None}
        elif columns and is_row:
            is_paper = not is_delimiter and (is_sure or articles_in(text))
            rows[k] = _Begin(k, "row", columns, head) if is_paper else None
        else:
            columns = ()
    return rows


def _columns(texts: Sequence[Text], at: int) -> tuple[tuple[str, ...], bool]:
    """Return the kinds of columns above a delimiter, and whether they tell that each row is a paper."""
    cells = cells_of(texts[at - 1].text[:LONGEST_ITEM])
    names = [field_key(clean_title(cell) or plain_text(cell)) for cell in cells]  # "DOI" ends titles
    kinds = [KINDS.get(name, "") for name in names]
    if "title" not in kinds:
        known = [i for i, name in enumerate(names) if name in _TITLE_COLUMNS]
        others = [i for i, name in enumerate(names) if not kinds[i] and name.startswith(_TITLE_COLUMNS)]
        named = [i for i, name in enumerate(names) if name in _NAMED_COLUMNS]
        first = cells_of(texts[at + 1].text[:LONGEST_ITEM]) if at + 1 < len(texts) else []
        titles = [i for i in (*known, *others, *named) if i < len(first) and clean_title(first[i])]
        titles.sort(key=lambda i: bool(link := LINK.search(first[i])) and is_label(link[1] if link else ""))
        if not titles:
            return (), False
        kinds[titles[0]] = "title"
    is_sure = bool(_PAPER_COLUMNS & set(kinds)) and names[kinds.index("title")] not in _NAMED_COLUMNS
    rows = takewhile(lambda text: "|" in text.text, texts[at + 1 : at + _SEEN_ROWS])
    return (tuple(kinds), is_sure) if is_sure or any(articles_in(row.text) for row in rows) else ((), False)


def _level(text: str) -> int:
    return len(text) - len(text.lstrip("#")) if HEADING.fullmatch(text[:LONGEST_ITEM]) else 0


def _is_section(text: str) -> bool:
    return text.startswith("#") and field_key(NUMBER.sub("", text.lstrip("# "))) in TITLE_SECTIONS


def _is_no_title(text: str) -> bool:
    key = field_key(NUMBER.sub("", text.lstrip("# ")))
    return key in TITLE_SECTIONS or key in KINDS


def _is_rule(text: str) -> bool:
    return text[0] in _RULE_CHARACTERS and not text.strip(f"{_RULE_CHARACTERS} ") and len(text.replace(" ", "")) >= 3


def _is_candidate(text: str) -> bool:
    body = PICTURES.sub("", BULLET.sub("", text, count=1))
    link = LINK.match(body)
    if link and (_REPOSITORY.match(link[2]) or ("](http" in body and not articles_in(body) and byline(body))):
        return False  # a program or an author
    return bool(NUMBER.match(body)) or (body.startswith(("**", "__", "[")) and not field_in(text))


def _has_proof(texts: Sequence[Text], at: int) -> bool:
    seen = fields = 0
    for k in range(at + 1, len(texts)):
        text = texts[k].text[:LONGEST_ITEM]
        if not text:
            continue
        seen += 1
        if seen > 6:  # lines with text between a paper's heading and such a field
            break
        if field := field_in(text):
            proof = _proves(field, text, texts[at].text, is_first=seen == fields + 1)
            if proof is not None:
                return proof
            fields += 1
        elif _is_links(text, is_heading=_level(texts[at].text) > 0):
            return True
        elif (
            (text.startswith("|") and len(cells_of(text)) > 2)
            or (_ITEM.fullmatch(text) and text.endswith((":", "：")))
            or (HEADING.fullmatch(text) and not _is_section(text))
            or _is_candidate(text)
            or _is_rule(text)
            or len(text) > LONGEST_TITLE
        ):
            return False
    return False


def _proves(field: Field, text: str, head: str, *, is_first: bool) -> bool | None:
    """Return whether a field below a text tells that it is a paper's title. None if it tells nothing."""
    is_other = field.name not in KINDS and _NUMBERED.match(text) and len(field.value.split()) >= LEAST_WORDS
    if 0 < _level(text) <= (_level(head) or text.count("#")) or (is_other and _level(head)):  # 1. **OwlNet**: Owls
        return False
    if field.kind == "title":
        return bool(NUMBER.match(head.lstrip("# ")) and clean_title(head.lstrip("# ")))
    is_linked = field.kind == "line" or (field.kind == "link" and text.startswith("|"))
    is_source = field.kind == "venue" and (field.is_bold or text.startswith(_LIST_MARKERS))
    if not (articles_in(text) if is_linked or is_source else field.kind in _PROOF):
        return None
    # A plain "Authors:" below a plain title or other text belongs to another format.
    return field.is_bold or text.startswith(_LIST_MARKERS) or (is_first and bool(_MARKED.match(head)))


def _is_links(text: str, *, is_heading: bool) -> bool:
    """Return whether a line below a title has its links, such as [PDF](...), perhaps behind the venue."""
    is_linked = bool(articles_in(text)) or (not is_heading and has_paper_link(text))
    if not is_linked or not ("](" in text or is_heading):
        return False
    words = clean_title(ADDRESS.sub("", text)).strip(" .,")
    first = LINK.match(text)
    is_behind = not is_heading and bool(first) and is_label(first[1] if first else "")
    return not _WORD.search(words) or is_behind or bool(_VENUE_LINE.fullmatch(words))


def _paper(texts: Sequence[Text], begin: _Begin, day: date | None) -> Entry | str:
    _, number, whole = texts[0]
    first = whole[: limits.LINE if begin.kind == "row" else LONGEST_ITEM]
    fields: defaultdict[str, list[str]] = defaultdict(list)
    body = [text.text for text in texts[1:]]
    field = field_in(first)
    if begin.kind == "row":
        title, first, body = _row(first, begin.columns, fields)
    elif begin.kind == "heading":
        title = _heading_title(first)
        if described := _NAMES_BEHIND.fullmatch(NUMBER.sub("", first.lstrip("# "))):
            title, body = clean_title(described[1]), [described[2], *body]
    elif begin.kind == "title" and field:
        if not field.value and body:  # it is on the next line
            body = body[1:] if body[0] else body[2:]
        title = clean_title(field.value or next((text.text for text in texts[1:3] if text.text), ""))
    else:
        item = _ITEM.fullmatch(first)
        bare = item[1] if item else first
        if _YEAR_END.search(bare) and body:  # names, and the title below them
            bare, body = f"{bare} {body[0]}", body[1:]
        title, rest, names = citation(bare)
        title, rest = (title, rest) if title else headline(bare)
        body = [rest.strip() if title else "", *body]
        title = title or clean_title(bare).rstrip(":")
        fields["authors"] += filter(None, [names or names_before(bare)])
        fields["date"].append(ACCESSED.sub("", ADDRESS.sub("", first)))
    _read_fields(body, fields, _level(first) if begin.kind == "heading" else 0)
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
    """Return the title in a field, if it is a part of the heading, or in Latin script unlike the heading."""
    field = clean_title(next(iter(stated), ""))
    is_latin = bool(CJK_SIGN.search(title)) and not CJK_SIGN.search(field) and len(field.split()) >= LEAST_WORDS
    is_part = len(field) > LEAST_TITLE and field in title
    return field if is_latin or is_part or (field and _NUMBERED_PAPER.fullmatch(title.lower())) else title


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
    pages = [address for address in addresses if not _REPOSITORY.match(address) and not _NO_PAGE.match(address)]
    codes = ADDRESS.findall(f"{values['code']} {values['rest']}"[:LONGEST_ITEM])
    projects = ADDRESS.findall(values["project"][: limits.URL])
    facts = {
        FactKind.VENUE: values["journal"],
        FactKind.CODE: next(filter(_REPOSITORY.match, codes), ""),
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
    """Add the fields below a title, by kind: "rest" has lines of links, "text" and "names" those without a name."""
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
                is_item, is_unknown = text.startswith(_LIST_MARKERS), field.name not in KINDS
        elif 0 < _level(text) <= (level or _LEVELS):
            break
        elif _is_rule(text):
            name, is_footer = name if name in LONG and not any(fields[name]) else None, True
        elif (
            text == END
            or _level(text)
            or (is_item and (unknown := _UNKNOWN_FIELD.match(text)) and field_key(unknown[1]) not in SECTIONS)
        ):
            is_open = name in LONG and not any(fields[name or ""]) and _level(text)
            name, is_unknown = None if text == END else name if is_open else "", False
            fields["section"] += [text] if _level(text) else []
        elif (is_footer and name is None) or (name == "" and is_unknown):
            continue
        elif text.startswith("|") or ("](" in text and not clean_title(text)):
            fields["link" if name == "link" else "rest"].append(text)
        elif name is not None and (
            name in LONG or not any(fields[name]) or fields[name][-1].endswith(",") or text.startswith(_LIST_MARKERS)
        ):
            bare = text[2:] if text.startswith(_LIST_MARKERS) else text
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
