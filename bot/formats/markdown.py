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
from bot.formats.markdown_text import (
    ADDRESS,
    ANCHOR,
    BLOCK_TAG,
    BOLD_TAG,
    BULLET,
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
    clean_title,
    day_in,
    field_key,
    headline,
    is_label,
    names_before,
    names_in,
    plain_text,
)
from bot.formats.tables import pattern
from bot.model import Entry, FactKind, ParsedDigest, limits
from bot.model.papers import arxiv_id_in, arxiv_version_in, doi_in

_PROOF = {"authors", "abstract", "translation", "link"}  # the heading or item above them is a paper's
_LONG = {"abstract", "translation", "summary", "tldr"}  # fields that go on after an empty line
_ABSTRACTS = ("abstract", "translation", "summary", "text", "tldr")  # the best first
_HEADING = re.compile(r"#{1,6} (.*?)(?: #+)?")
_ITEM = re.compile(r"(?:[-*+•●◦▪] |\d{1,4}[.)、] ?(?=\D))\s*(.*)")
_BOLD_FIELD = re.compile(r"(\*{1,3}|__?)([^*_:：|<>]{1,40}?) ?([:：]?) ?\1 ?([:：]?) ?(.*)")
_PLAIN_FIELD = re.compile(r"([^\W\d_][^:：|\[\]*]{0,30}?) ?[:：] ?(.*)")
_WORD = re.compile(r"[^\W\d_]{2}")
_UNKNOWN_FIELD = re.compile(r"[-*+•] ([^\W\d_][^:：|\[\]*]{0,30}) ?[:：](?!//)")  # in an item
_NEXT_FIELD = re.compile(  # in bold, in the middle of a line
    r"(?:(?<=[^\W\d_][.:!?])|(?<=[\w,;)\]`])) (?:[|·•] )?"
    r"(?=(?:\*\*|__)[^*_:：|<>]{1,40}(?:[:：] ?(?:\*\*|__)|(?:\*\*|__) ?[:：]))"
)
_DOUBLE_BRACKETS = re.compile(r"\[\[([^\[\]]{0,200})\]\]\(")
_ARXIV_ID = re.compile(r"(?:arxiv(?:\.org/(?:abs|pdf)/|:)? ?)?\d{4}\.\d{4,5}", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary[^<>]{0,100}>(.{0,1000}?)</summary>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)
_MARKED = re.compile(r"#{1,6} |(?:[-*+] |\d{1,4}[.)] )?(?:\*\*|__|\[)")
_DELIMITER = re.compile(r"\|?(?: ?:?-+:? ?\|)+(?: ?:?-+:? ?)?\|?")
_PIPE = re.compile(r"(?<!\\)\|")
_DESCRIBED = re.compile(r"[\s\d.)]{0,9}(\*\*[^*|]{3,300}\*\*) [-\u2013:] (.+)")  # 1) **Owls** - They see by night.
_REPOSITORY = re.compile(r"https?://(?:www\.)?(?:github|gitlab)\.com/", re.IGNORECASE)
_DOI_SITE = re.compile(r"https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_NO_TOPIC, _NO_VENUE, _UPDATED = (pattern(name, "markdown") for name in ("no_topic", "no_venue", "updated"))
_VENUE_END = re.compile(r"\s?\([^()]{0,60}\)$|\. (?:19|20)\d\d\b.*")
_HEADED_FIELDS = {"authors", *_LONG}
_RULE_CHARACTERS = "-*_"
_TITLE_COLUMNS = ("title", "paper", "论文", "标题", "論文", "name")
_END = "</details>"
_LEVELS = 6  # of headings
_LIST_MARKERS = ("- ", "* ", "+ ", "• ")
_QUOTED = re.compile(r"\A[\"“]([^\"“”]{1,500})[\"”]\Z")
_FRONT = {"title": "# {}", "date": "**Updated:** {}"}
_FRONT_KEY = re.compile(r"([A-Za-z][\w -]{0,40}):(?: (.*)|$)")
_FRONT_LIST = re.compile(r"(?:\A|, ?)['\"]|['\"](?=, |\Z)")  # the quotation marks in it
# arXiv's feed, an item a file.
_ANNOUNCED = re.compile(r"arXiv:\d{4}\.\d{4,5}\S{0,4} Announce Type: \S{1,20}(?: Abstract:)?\s?", re.IGNORECASE)
_ID_LINK = re.compile(r"\]\((?:[\w.-]{1,60}/){0,5}(\d{4}\.\d{4,5}(?:v\d{1,2})?)(?:\.(?:md|html|pdf))?\)")  # to a file
_ABSTRACT_TAG = re.compile(r"<(?:details|div|p) class=\"[\w -]{0,60}abstract[\w -]{0,60}\">", re.IGNORECASE)
_LINE_DAY = re.compile(r"(?<![A-Za-z\d/.-])(?:19|20)\d\d-\d\d-\d\d(?!\d)")  # in a line of facts


class _Text(NamedTuple):
    """A piece of a line, with the line's index and number."""

    at: int
    number: int
    text: str


class _Begin(NamedTuple):
    """The index of a paper's first text, and its kind: a heading, item or title, or a row of a table."""

    at: int
    kind: str
    columns: tuple[str, ...] = ()
    head: int = -1  # the head of a row's table


class _Field(NamedTuple):
    """A field: its kind, empty if nothing reads it, its name in lower case, and its first line."""

    kind: str
    name: str
    is_bold: bool
    value: str


def starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the topmost heading above the first paper, and each later one that names another day."""
    texts = _texts(lines)
    begins = _begins(texts)
    if not begins:
        return
    papers = {begin.at for begin in begins}
    first = begins[0].at
    above = (k for k in range(first) if _is_head(texts[k].text))
    start = next(above, begins[0].head if begins[0].head >= 0 else first)
    front = _front(lines)
    yield front.start if start in front else texts[start].at
    has_papers = False  # since the last start
    for k in range(first, begins[-1].at):
        if k in papers:
            has_papers = True
        elif has_papers and texts[k].text.startswith("#") and _is_head(texts[k].text) and day_in(texts[k].text):
            yield texts[k].at
            has_papers = False


def parse(lines: Sequence[Line]) -> ParsedDigest:
    texts = _texts(lines)
    begins = _begins(texts)
    if not begins:
        return digest_without_papers("markdown", "", lines)
    papers = {begin.at for begin in begins}
    first, last = begins[0].at, begins[-1].at
    above = [text.text[: limits.TOPIC] for text in texts[:first]]
    heads = list(filter(_is_head, above))
    day = next(filter(None, map(day_in, [*heads, *(text for text in above if len(text) <= 80)])), None)
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
    return bool(_HEADING.fullmatch(text[:LONGEST_ITEM]) or _UPDATED.match(text))


def _texts(lines: Sequence[Line]) -> list[_Text]:
    """Return the pieces of the lines, without comments, tags and quotation signs."""
    texts: list[_Text] = []
    comment = ""  # the beginning of an open one
    front = _front(lines)
    texts += (_Text(front.start, lines[front.start].number, text) for text in _front_texts(lines, front))
    title = texts[0].text if len(texts) > len(_FRONT) else None  # of a paper, which repeats it below
    for at, (number, line) in enumerate(lines):
        text = line
        if at in front or text == title:
            continue
        if comment or text.startswith("<!--"):
            parts = (comment + text).split("<!--")
            text = "".join(part.partition("-->")[2] for part in parts)
            comment = "" if "-->" in parts[-1] else "<!--"
        text = text.lstrip("> ") if text.startswith(">") else text
        pieces = [text] if text.startswith("|") else list(_pieces(text))
        texts += (_Text(at, number, piece) for piece in pieces)
    return texts


def _front(lines: Sequence[Line]) -> range:
    first = next((i for i, line in enumerate(lines) if line.text), 0)
    block = [line.text for line in lines[first : first + 40]]
    is_front = block[:1] == ["---"] and "---" in block[1:]
    return range(first, first + block.index("---", 1) + 1 if is_front else first)


def _front_texts(lines: Sequence[Line], front: range) -> list[str]:
    """Return front matter as a heading and a day. If it has an article, all its fields are that paper's."""
    values: dict[str, str] = {}
    key = ""
    for text in (lines[at].text for at in front):
        if match := _FRONT_KEY.fullmatch(text):
            key = match[1].lower().replace("_", " ")
            values[key] = match[2] or ""
        elif key and text != "---":
            values[key] += f", {text[2:]}" if text.startswith("- ") else f" {text}"
    stated = {key: _FRONT_LIST.sub(", ", value.strip("[], ")).strip(", >") for key, value in values.items()}
    links = " ".join(stated.get(key, "") for key in ("arxiv", "arxiv id", "doi"))
    if not (re.search(r"\d{4}", links) or any(map(articles_in, stated.values()))):
        return [form.format(stated[key]) for key, form in _FRONT.items() if stated.get(key)]
    texts = [f"# {stated.pop('title', '')}"]
    for key, value in stated.items():
        if value and field_key(key) in KINDS:
            texts.append(f"**{key}:** {value}")
        elif articles_in(value):
            texts.append(f"**link:** {value}")
    return [*texts, ""]


def _pieces(text: str) -> Iterator[str]:
    def heading_of_details(match: re.Match[str]) -> str:
        summary = match[1].strip(" *")
        if KINDS.get(field_key(summary)):
            return f"**{summary}**: \n"
        return f"**{summary}**\n" if len(summary) > 25 or "](http" in summary else ""

    text = _ANNOUNCED.sub("**Abstract**: ", text)
    text = _ID_LINK.sub(r"](https://arxiv.org/abs/\1)", _DOUBLE_BRACKETS.sub(r"[\1](", text).removesuffix("\\"))
    if "<" in text:
        text = _ABSTRACT_TAG.sub("\n**Abstract**: \n", text)
        text = _SUMMARY.sub(heading_of_details, BOLD_TAG.sub("**", ANCHOR.sub(r"[\2](\1)", text)))
        text = _BREAK.sub("\n", text.replace(_END, f"\n{_END}\n"))
        text = "\n".join(part if part == _END else BLOCK_TAG.sub(" ", part) for part in text.split("\n"))
    for piece in (piece for part in text.split("\n") for piece in _NEXT_FIELD.split(part.strip())):
        parts = piece[:LONGEST_ITEM].split(" | ")
        yield from parts if len(parts) > 1 and all(map(_field, parts)) else [piece]


def _field(text: str) -> _Field | None:
    """Return the field at the beginning of a text. Only one in bold with a colon may have an unknown name."""
    if heading := _HEADING.fullmatch(text[: limits.TOPIC]):
        name = field_key(heading[1])
        return _Field(KINDS[name], name, True, "") if KINDS.get(name) in _HEADED_FIELDS else None
    if text.startswith("|") and len(cells := _cells(text)) == 2:  # a row of one paper's facts, or a table's head
        name, is_head = field_key(cells[0]), field_key(cells[1]) in KINDS
        return _Field(KINDS[name], name, True, cells[1].strip()) if name in KINDS and not is_head else None
    body = PICTURES.sub("", BULLET.sub("", text, count=1))
    if match := _BOLD_FIELD.fullmatch(body):
        name = field_key(match[2])
        return _Field(KINDS.get(name, ""), name, True, match[5]) if name in KINDS or match[3] or match[4] else None
    if (match := _PLAIN_FIELD.fullmatch(body)) and (name := field_key(match[1])) in KINDS:
        return _Field(KINDS[name], name, False, match[2])
    return None


def _begins(texts: Sequence[_Text]) -> list[_Begin]:
    rows = _rows(texts)
    begins: list[_Begin] = []
    level = 0  # of the open paper's heading; its items and lower headings are no papers
    for k, (_, _, whole) in enumerate(texts):
        text = whole[:LONGEST_ITEM]
        if not text or k in rows:
            begins += filter(None, [rows.get(k)])
            continue
        field = _field(text)
        item = _ITEM.fullmatch(text)
        if heading := _HEADING.fullmatch(text):
            if (field and (level or begins)) or _is_section(text):
                continue
            if (articles_in(text) and clean_title(heading[1])) or _has_proof(texts, k):
                begins.append(_Begin(k, "heading"))
                level = _level(text)
            elif _level(text) <= level:
                level = 0
        elif _is_rule(text):
            level = 0
        elif level or "](#" in text:
            continue
        elif field and field.kind == "title":
            if field.is_bold or text.startswith(_LIST_MARKERS):  # any text may have a plain one
                begins.append(_Begin(k, "title"))
        elif not field or (not field.kind and item and len(clean_title(field.value).split()) >= LEAST_WORDS):
            body = item[1] if item else text
            is_candidate = _is_candidate(text)
            has_article = (item or is_candidate) and articles_in(text) and headline(body)[0]
            if has_article or (is_candidate and clean_title(body) and _has_proof(texts, k)):
                begins.append(_Begin(k, "item"))
    return begins


def _rows(texts: Sequence[_Text]) -> dict[int, _Begin | None]:
    rows: dict[int, _Begin | None] = {}
    columns: tuple[str, ...] = ()
    head = -1
    for k, (_, _, text) in enumerate(texts):
        is_row = "|" in text
        is_delimiter = is_row and bool(_DELIMITER.fullmatch(text[:LONGEST_ITEM]))
        kinds: list[str] = []
        if is_delimiter and k:
            names = [field_key(clean_title(cell)) for cell in _cells(texts[k - 1].text[:LONGEST_ITEM])]
            kinds = [KINDS.get(name, "") for name in names]
            titles = [i for i, name in enumerate(names) if name.startswith(_TITLE_COLUMNS)]
            if "title" not in kinds and titles:
                kinds[titles[0]] = "title"
        if "title" in kinds and len(set(filter(None, kinds))) > 1:
            columns, head = tuple(kinds), k - 1
            rows |= {head: None, k: None}
        elif columns and is_row:
            rows[k] = None if is_delimiter else _Begin(k, "row", columns, head)
        else:
            columns = ()
    return rows


def _cells(text: str) -> list[str]:
    return _PIPE.split(text.removeprefix("|").removesuffix("|"))


def _level(text: str) -> int:
    return len(text) - len(text.lstrip("#")) if _HEADING.fullmatch(text[:LONGEST_ITEM]) else 0


def _is_section(text: str) -> bool:
    return text.startswith("#") and field_key(NUMBER.sub("", text.lstrip("# "))) in TITLE_SECTIONS


def _is_rule(text: str) -> bool:
    return text[0] in _RULE_CHARACTERS and not text.strip(f"{_RULE_CHARACTERS} ") and len(text.replace(" ", "")) >= 3


def _is_candidate(text: str) -> bool:
    body = PICTURES.sub("", BULLET.sub("", text, count=1))
    return bool(NUMBER.match(body)) or (body.startswith(("**", "__", "[")) and not _field(text))


def _has_proof(texts: Sequence[_Text], at: int) -> bool:
    seen = fields = 0
    for k in range(at + 1, len(texts)):
        text = texts[k].text[:LONGEST_ITEM]
        if not text:
            continue
        seen += 1
        if seen > 6:  # lines with text between a paper's heading and such a field
            break
        if field := _field(text):
            if 0 < _level(text) <= (_level(texts[at].text) or text.count("#")):
                return False
            if field.kind == "title":
                heading = texts[at].text.lstrip("# ")
                return bool(NUMBER.match(heading) and clean_title(heading))
            is_linked = field.kind == "line" or (field.kind == "link" and text.startswith("|"))
            if articles_in(text) if is_linked else field.kind in _PROOF:
                # A plain "Authors:" below a plain title or other text belongs to another format.
                is_marked = field.is_bold or text.startswith(_LIST_MARKERS)
                return is_marked or (seen == fields + 1 and bool(_MARKED.match(texts[at].text)))
            fields += 1
        elif (
            articles_in(text)
            and ("](" in text or _level(texts[at].text))
            and not _WORD.search(clean_title(ADDRESS.sub("", text)))
        ):  # only links such as [PDF](...), or an address below a heading
            return True
        elif (
            (text.startswith("|") and len(_cells(text)) > 2)
            or (_HEADING.fullmatch(text) and not _is_section(text))
            or _is_candidate(text)
            or _is_rule(text)
            or len(text) > LONGEST_TITLE
        ):
            return False
    return False


def _paper(texts: Sequence[_Text], begin: _Begin, day: date | None) -> Entry | str:
    _, number, whole = texts[0]
    first = whole[: limits.LINE if begin.kind == "row" else LONGEST_ITEM]
    fields: defaultdict[str, list[str]] = defaultdict(list)
    body = [text.text for text in texts[1:]]
    field = _field(first)
    if begin.kind == "row":
        cells = _cells(first)
        # A "|" in a formula or an abstract adds a cell.
        if (surplus := len(cells) - len(begin.columns)) > 0:
            at = begin.columns.index("abstract" if "abstract" in begin.columns else "title")
            cells[at : at + surplus + 1] = ["|".join(cells[at : at + surplus + 1])]
        for kind, cell in zip(begin.columns, cells, strict=False):
            fields[kind].append(_BREAK.sub(", " if kind == "authors" else " ", _SUMMARY.sub("", cell)))
        pieces = _BREAK.split(cells[begin.columns.index("title")] if len(cells) > begin.columns.index("title") else "")
        first, *body = [piece for piece in pieces if clean_title(piece)] or [""]
        if described := _DESCRIBED.fullmatch(first):
            first, body = described[1], []
            fields["summary"].append(" ".join([described[2], *pieces[1:]]))
        title = clean_title(first)
    elif begin.kind == "heading":
        title = clean_title(first.lstrip("#"))
        # A score or category may follow a linked title.
        if (link := LINK.search(IMAGE.sub("", first))) and not is_label(link[1]) and articles_in(link[2]):
            before, after = (
                clean_title(part) for part in (link.string[: link.start()].lstrip("#"), link.string[link.end() :])
            )
            title = clean_title(link[1]) if not before and len(after.split()) < LEAST_WORDS else title
    elif begin.kind == "title" and field:
        title = clean_title(field.value)
    else:
        item = _ITEM.fullmatch(first)
        bare = item[1] if item else first
        title, rest = headline(bare)
        title = title or clean_title(bare)
        body = [rest, *body]
        fields["authors"] += filter(None, [names_before(bare)])
        fields["date"].append(ADDRESS.sub("", first))
    _read_fields(body, fields, _level(first) if begin.kind == "heading" else 0)
    values = defaultdict(str, {kind: " ".join(filter(None, parts)) for kind, parts in fields.items()})

    title = _QUOTED.sub(r"\1", clean_title(values["original"]) or title)
    abstract = next(filter(None, (plain_text(values[kind]) for kind in _ABSTRACTS)), "")
    if problem := reject_reason(f"line {number}", title, abstract):
        return problem
    pmid = re.match(r"\d{6,9}(?!\d)", values["pmid"])
    pubmed = f"https://pubmed.ncbi.nlm.nih.gov/{pmid[0]}/" if pmid else ""
    places = (values["link"], pubmed, first, *(values[kind] for kind in ("rest", "date", "venue")))
    links = " ".join(place[:LONGEST_ITEM] for place in places)
    return _entry(title, abstract, values, links if articles_in(links) else f"{whole[:LONGEST_ITEM]} {links}", day)


def _entry(title: str, abstract: str, values: defaultdict[str, str], links: str, day: date | None) -> Entry:
    """Return a paper from its fields. The first article among the links is the paper's."""
    addresses = ADDRESS.findall(links)
    articles = articles_in(links)
    arxiv = next((article for article in articles if article.arxiv_id), None)
    identifier = arxiv.url if arxiv else values["link"].strip("` [")[: limits.ID]
    is_arxiv = arxiv or _ARXIV_ID.match(identifier)
    doi = next((article.doi for article in articles if article.doi), None) or doi_in(values["link"][: limits.URL])
    pages = [address for address in addresses if not _REPOSITORY.match(address) and not _DOI_SITE.match(address)]
    codes = ADDRESS.findall(f"{values['code']} {values['rest']}"[:LONGEST_ITEM])
    venue = _VENUE_END.sub("", plain_text(values["venue"][: limits.FACT])).strip(" -|,.")
    projects = ADDRESS.findall(values["project"][: limits.URL])
    facts = {
        FactKind.VENUE: "" if _NO_VENUE.search(venue) or len(venue) > limits.TOPIC else venue,
        FactKind.CODE: next(filter(_REPOSITORY.match, codes), ""),
        FactKind.PROJECT: next((address for address in projects if not articles_in(address)), ""),
    }
    dates = f"{values['date'][: limits.TOPIC]} {values['venue'][: limits.TOPIC]}"
    return Entry(
        title=title,
        abstract=abstract,
        authors=names_in(values["authors"]),
        published=plausible_date(day_in(dates), day),
        arxiv_id=arxiv_id_in(identifier) if is_arxiv else None,
        doi=doi,
        url=next(iter(pages), None) if not is_arxiv else None,
        version=arxiv_version_in(identifier) if is_arxiv else None,
        categories=categories_in(values["categories"][: limits.URL]),
        facts=facts_of("Markdown", facts),
    )


def _read_fields(body: Sequence[str], fields: defaultdict[str, list[str]], level: int) -> None:
    """Add the fields below a title, by kind: "rest" has lines of links, "text" paragraphs without a name."""
    name: str | None = None
    is_item = False  # of the field above
    is_footer = False  # below a rule, where only fields are the paper's
    for text in body:
        if not text:
            name = name if name in _LONG or (name and not any(fields[name])) else None
        elif (field := _field(text)) and field.kind != "line":
            first_words = " ".join(fields[name or ""][:3]).lstrip(" *_")[: limits.TOPIC]
            heading = field_key(re.split("[:：]", first_words, maxsplit=1)[0]) or field.name
            is_section = not field.is_bold or {heading, field.name} <= SECTIONS
            if name in ("abstract", "translation") and not field.kind and is_section:
                fields[name].append(text)
            else:
                name = "" if field.kind in _LONG and any(fields[field.kind]) else field.kind
                fields[name].append(field.value)
                is_item = text.startswith(_LIST_MARKERS)
        elif 0 < _level(text) <= (level or _LEVELS):
            break
        elif _is_rule(text):
            name, is_footer = None, True
        elif (
            text == _END
            or _level(text)
            or (is_item and (unknown := _UNKNOWN_FIELD.match(text)) and field_key(unknown[1]) not in SECTIONS)
        ):
            name = None if text == _END else ""
        elif is_footer and name is None:
            continue
        elif "](" in text and not clean_title(text):
            fields["link" if name == "link" else "rest"].append(text)
        elif name is not None and (
            name in _LONG or not any(fields[name]) or fields[name][-1].endswith(",") or text.startswith(_LIST_MARKERS)
        ):
            bare = text[2:] if text.startswith(_LIST_MARKERS) else text
            is_list = name == "authors" and any(fields[name]) and bare != text
            fields[name].append(f", {bare}" if is_list else bare if name in _LONG else text)
        else:
            line = field.value if field else text
            fields["date"] += _LINE_DAY.findall(line)[:1] if len(line) < limits.TOPIC else []
            names = "" if fields["authors"] else byline(line)
            fields["authors"] += filter(None, [names])
            fields["text" if not names and len(line) >= 80 and not articles_in(line) else "rest"].append(line)


MARKDOWN = Format("Markdown digest", starts, parse, specificity=5)
