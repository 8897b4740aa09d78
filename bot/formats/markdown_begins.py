"""Where the papers of a digest in Markdown begin: at headings, items, bold titles and rows of tables.

A heading or item is a paper's if a link to an article, names or a field such as "Abstract" stand in it or below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from bot.formats.format import (
    LONGEST_TITLE,
)
from bot.formats.markdown_pieces import (
    FRONT_LINES,
    HEADED_FIELDS,
    HEADING,
    LEAST_TITLE,
    Field,
    Text,
    cells_of,
    field_in,
    is_address,
)
from bot.formats.markdown_text import (
    ADDRESS,
    BULLET,
    KINDS,
    LEAST_WORDS,
    LINK,
    LONGEST_ITEM,
    NUMBER,
    PICTURES,
    TITLE_SECTIONS,
    articles_in,
    byline,
    clean_title,
    day_in,
    field_key,
    has_paper_link,
    headline,
    is_label,
    plain_text,
)
from bot.formats.tables import pattern, table
from bot.model import limits

_PROOF = {"authors", "abstract", "translation", "link"}  # the heading or item above them is a paper's
ITEM = re.compile(r"(?:[-*+•●◦▪] |\d{1,4}[.)、] ?(?=\D))\s*(.*)")
_WORD = re.compile(r"[^\W\d_]{2}")
_MARKED = re.compile(r"#{1,6} |(?:[-*+] |\d{1,4}[.)] )?(?:\*\*|__|\[)")
# |---|:--:|
_DELIMITER = re.compile(r"\|?(?: ?:?-+:? ?\|)+(?: ?:?-+:? ?)?\|?")
REPOSITORY = re.compile(r"https?://(?:www\.)?(?:github|gitlab)\.com/", re.IGNORECASE)
_PROGRAM, _PROSE_END, _LISTING = (pattern(name, "markdown") for name in ("program", "prose_end", "listing"))
_NUMBERED = re.compile(r"\d{1,4}[.)] ")
_VENUE_LINE = re.compile(r"[A-Z][\w/&' -]{1,40} (?:19|20)\d\d")  # CVPR Workshops 2026
NUMBERED_PAPER = re.compile(r"(?:paper|论文|論文|논문) ?#?\d{1,4}")
_NEAR = 7  # texts, from a heading down to its fields
_RULE_CHARACTERS = "-*_"
_PAPER_COLUMNS = {"authors", "abstract", "translation", "link", "code", "date", "venue", "categories", "pmid"}
_SEEN_ROWS = 50  # that tell whether a table has papers
_TITLE_COLUMNS, _NAMED_COLUMNS = (tuple(table("markdown")["titles"][name]) for name in ("columns", "named_columns"))
LIST_MARKERS = ("- ", "* ", "+ ", "• ")


class Begin(NamedTuple):
    """The index of a paper's first text, and its kind: heading, item, title or row."""

    at: int
    kind: str
    columns: tuple[str, ...] = ()
    head: int = -1  # the head of a row's table


def begins_in(texts: Sequence[Text]) -> Sequence[Begin]:
    rows = _rows(texts)
    begins: list[Begin] = []
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
            is_number = bool(NUMBERED_PAPER.fullmatch(field_key(heading[1])))
            if (field and (level or begins)) or (_is_no_title(text) and not is_number):
                continue
            near = (field_in(below) for _, _, below in texts[k + 1 : k + _NEAR])
            is_titled = is_number and any(field and field.kind == "title" for field in near)
            if is_titled or (articles_in(text) and clean_title(heading[1])) or (not is_number and _has_proof(texts, k)):
                begins.append(Begin(k, "heading"))
                level = level_of(text)
            elif level_of(text) <= level:
                level = 0
            if not listed or level_of(text) <= listed:
                listed = level_of(text) if _LISTING.fullmatch(clean_title(heading[1])) else 0
        elif is_rule(text):
            level = 0
        elif level or "](#" in text or (is_below_link and not field):
            continue
        elif field and field.kind == "title":
            # Any text may have a plain one, and a paper may repeat its title.
            if (field.is_bold or text.startswith(LIST_MARKERS)) and not _is_repeated(texts, begins, field.value):
                begins.append(Begin(k, "title"))
        elif _is_item(texts, k, field, is_listed=listed > 0):
            begins.append(Begin(k, "item"))
    return _checked(texts, begins)


def _is_item(texts: Sequence[Text], at: int, field: Field | None, *, is_listed: bool) -> bool:
    """Return whether an item or a text in bold is a paper's title. Any bold name may stand before it."""
    text = texts[at].text[:LONGEST_ITEM]
    item = ITEM.fullmatch(text)
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


def _checked(texts: Sequence[Text], begins: list[Begin]) -> Sequence[Begin]:
    """Return the note on one paper instead of its section, and no program that links to one."""
    if begins and begins[0].at == 0 and any(not text.text and text.at == texts[0].at for text in texts[:FRONT_LINES]):
        return begins[:1]  # a paper in front matter, whose note may cite others
    is_one = len(begins) == 1 and begins[0].kind == "heading"
    # "## Core" may stand above the fields of the whole note.
    if not begins or (is_one and len(clean_title(texts[begins[0].at].text.lstrip("#")).split()) < LEAST_WORDS):
        note = _note(texts)
        begins = [note] if note else begins
        is_one = is_one or bool(note)
    return [] if is_one and any(_PROGRAM.match(text.lstrip("# ")) for _, _, text in texts if level_of(text)) else begins


def _is_repeated(texts: Sequence[Text], begins: Sequence[Begin], value: str) -> bool:
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


def _note(texts: Sequence[Text]) -> Begin | None:
    """Return the only main heading of a note that has and links one paper."""
    tops = [k for k, (_, _, text) in enumerate(texts) if text.startswith("# ")]
    if len(tops) != 1 or any(level_of(texts[k].text) for k in range(tops[0])) or day_in(texts[tops[0]].text):
        return None
    below = [text[:LONGEST_ITEM] for _, _, text in texts[tops[0] + 1 :]]
    kinds = {field.kind for field in map(field_in, below) if field and (field.is_bold or field.kind == "link")}
    labelled = [text for text in below if text.startswith("|") or field_in(text) or len(text) < limits.TOPIC]
    linked = {article.key for text in labelled for article in articles_in(text)}
    is_known = bool(kinds & HEADED_FIELDS) and (len(linked) == 1 or {"authors", "link"} <= kinds)
    return Begin(tops[0], "heading") if is_known else None


def _rows(texts: Sequence[Text]) -> dict[int, Begin | None]:
    rows: dict[int, Begin | None] = {}
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
            rows[k] = Begin(k, "row", columns, head) if is_paper else None
        else:
            columns = ()
    return rows


def _columns(texts: Sequence[Text], at: int) -> tuple[tuple[str, ...], bool]:
    """Return the kinds of columns, and whether they prove that each row is a paper."""
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


def level_of(text: str) -> int:
    return len(text) - len(text.lstrip("#")) if HEADING.fullmatch(text[:LONGEST_ITEM]) else 0


def _is_section(text: str) -> bool:
    return text.startswith("#") and field_key(NUMBER.sub("", text.lstrip("# "))) in TITLE_SECTIONS


def _is_no_title(text: str) -> bool:
    key = field_key(NUMBER.sub("", text.lstrip("# ")))
    return key in TITLE_SECTIONS or key in KINDS


def is_rule(text: str) -> bool:
    return text[0] in _RULE_CHARACTERS and not text.strip(f"{_RULE_CHARACTERS} ") and len(text.replace(" ", "")) >= 3


def _is_candidate(text: str) -> bool:
    body = PICTURES.sub("", BULLET.sub("", text, count=1))
    link = LINK.match(body)
    if link and (REPOSITORY.match(link[2]) or ("](http" in body and not articles_in(body) and byline(body))):
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
        elif _is_links(text, is_heading=level_of(texts[at].text) > 0):
            return True
        elif (
            (text.startswith("|") and len(cells_of(text)) > 2)
            or (ITEM.fullmatch(text) and text.endswith((":", "：")))
            or (HEADING.fullmatch(text) and not _is_section(text))
            or _is_candidate(text)
            or is_rule(text)
            or len(text) > LONGEST_TITLE
        ):
            return False
    return False


def _proves(field: Field, text: str, head: str, *, is_first: bool) -> bool | None:
    """Return whether a field below a text tells that it is a paper's title. None if it tells nothing."""
    is_other = field.name not in KINDS and _NUMBERED.match(text) and len(field.value.split()) >= LEAST_WORDS
    if 0 < level_of(text) <= (level_of(head) or text.count("#")) or (
        is_other and level_of(head)
    ):  # 1. **OwlNet**: Owls
        return False
    if field.kind == "title":
        return bool(NUMBER.match(head.lstrip("# ")) and clean_title(head.lstrip("# ")))
    is_linked = field.kind == "line" or (field.kind == "link" and text.startswith("|"))
    is_source = field.kind == "venue" and (field.is_bold or text.startswith(LIST_MARKERS))
    if not (articles_in(text) if is_linked or is_source else field.kind in _PROOF):
        return None
    # A plain "Authors:" below a plain title or other text belongs to another format.
    return field.is_bold or text.startswith(LIST_MARKERS) or (is_first and bool(_MARKED.match(head)))


def _is_links(text: str, *, is_heading: bool) -> bool:
    """Return whether a line has a title's links, such as [PDF](...)."""
    is_linked = bool(articles_in(text)) or (not is_heading and has_paper_link(text))
    if not is_linked or not ("](" in text or is_heading):
        return False
    words = clean_title(ADDRESS.sub("", text)).strip(" .,")
    first = LINK.match(text)
    is_behind = not is_heading and bool(first) and is_label(first[1] if first else "")
    return not _WORD.search(words) or is_behind or bool(_VENUE_LINE.fullmatch(words))
