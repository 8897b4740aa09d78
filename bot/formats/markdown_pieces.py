"""Digests in Markdown as pieces of their lines: without comments, tags and front matter, and the fields in them.

    lines --texts--> Text --field--> Field

Front matter becomes a heading and fields in bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.formats.format import Line
from bot.formats.markdown_text import (
    ADDRESS,
    ANCHOR,
    BLOCK_TAG,
    BOLD_TAG,
    BULLET,
    KINDS,
    LONGEST_ITEM,
    NUMBER,
    PICTURES,
    articles_in,
    field_key,
)
from bot.model import limits

LONG = {"abstract", "translation", "summary", "tldr"}  # fields that go on after an empty line
HEADING = re.compile(r"#{1,6} (.*?)(?: #+)?")
_BOLD_FIELD = re.compile(r"(\*{1,3}|__?)([^*_:：|<>]{1,40}?) ?([:：]?) ?\1 ?([:：]?) ?(.*)")
_PLAIN_FIELD = re.compile(r"([^\W\d_][^:：|\[\]*]{0,30}?) ?[:：] ?(.*)")
_NEXT_FIELD = re.compile(  # in bold, in the middle of a line
    r"(?:(?<=[^\W\d_][.:!?])|(?<=[\w,;)\]`])) (?:[|·•] )?"
    r"(?=(?:\*\*|__)[^*_:：|<>]{1,40}(?:[:：] ?(?:\*\*|__)|(?:\*\*|__) ?[:：]))"
)
# [[PDF]](https://...)
_DOUBLE_BRACKETS = re.compile(r"\[\\?\[([^\[\]\\]{0,200})\\?\]\] ?\(")
# "[Owls [Extended Abstract]](https://...)"
_NESTED = re.compile(r"\[([^\[\]]{0,300})(?<!!)\[([^\[\]]{1,100})\](?!\()([^\[\]]{0,300})\]\((?=https?:)")
SUMMARY = re.compile(r"<summary[^<>]{0,100}>(.{0,1000}?)</summary>", re.IGNORECASE)
BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)
_PIPE = re.compile(r"(?<!\\)\|")
HEADED_FIELDS = {"authors", *LONG}
LEAST_TITLE = 10  # characters
END = "</details>"
_FRONT = {"title": "# {}", "date": "**Date:** {}"}
_FRONT_KEY = re.compile(r"\"?([A-Za-z][\w -]{0,40}?)\"?(?::| =)(?: (.*)|$)")
_FRONT_SIGNS = ("---", "+++")  # of YAML, or JSON in it, and TOML
_ESCAPED = re.compile(r"\\([\"\\/])")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
FRONT_LINES = 120  # at most
_UNDERLINE = re.compile("={3,}")  # of a main heading
_TITLE_LABEL = re.compile(r"#{1,6} ([\w ]{1,40})[:：]")
_REMARK = re.compile(r"#(?: |$)")
_LEAST_BLOCK = 3  # lines
_NUMBERED = re.compile(r"\d{1,4}[.)] [A-Z]")
_LEAST_LIST = 2  # papers
_LONGEST_TITLE = 5  # lines, with that of the address
_SILENT = re.compile(r"={3,}|`{3}\w{0,20}")  # lines without words
_ATTRIBUTES = re.compile(r"\{:[^{}]{0,300}\}")  # of kramdown
# Lovelace, A., & Hopper, G.: <b>Owls by Night</b>
_NAMES_FIRST = re.compile(r"([^<>]{4,500}?)[.:,] ?<(?:b|strong)>([^<>]{10,300})</(?:b|strong)>\W{0,3}", re.IGNORECASE)
_BACK = re.compile(r"\[[^\w\[\]]{0,5}\]\(#[^()\s]{0,100}\)")  # [↑](#contents)
_SHORTCODE = re.compile(r"\{\{[<%]([^{}]{0,300})[>%]\}\}")  # of Hugo
_FRONT_LIST = re.compile(r"(?:\A|, ?)['\"]|['\"](?=, |\Z)")  # the quotation marks in it
# arXiv's feed, an item a file.
_ANNOUNCED = re.compile(r"arXiv:\d{4}\.\d{4,5}\S{0,4} Announce Type: \S{1,20}(?: Abstract:)?\s?", re.IGNORECASE)
_ID_LINK = re.compile(r"\]\((?:[\w.-]{1,60}/){0,5}(\d{4}\.\d{4,5}(?:v\d{1,2})?)(?:\.(?:md|html|pdf))?\)")  # to a file
_ARXIV_LINK = r"](https://arxiv.org/abs/\1)"
_ABSTRACT_TAG = re.compile(r"<(?:details|div|p) class=\"[\w -]{0,60}abstract[\w -]{0,60}\">", re.IGNORECASE)


class Text(NamedTuple):
    """A piece of a line, with the line's index and number."""

    at: int
    number: int
    text: str


class Field(NamedTuple):
    """A field: its kind, empty if nothing reads it, its name in lower case, and its first line."""

    kind: str
    name: str
    is_bold: bool
    value: str


def texts_of(lines: Sequence[Line]) -> list[Text]:
    """Return the pieces of the lines, without comments, tags and quotation signs."""
    texts: list[Text] = []
    comment = ""  # the beginning of an open one
    front = front_of(lines)
    texts += (Text(front.start, lines[front.start].number, text) for text in _front_texts(lines, front))
    title = texts[0].text.lstrip("# ") if texts and texts[0].text.startswith("# ") else ""
    is_paper = len(texts) > len(_FRONT)  # it may repeat its title below
    remarks = _remarks(lines)
    for at, (number, line) in enumerate(lines):
        below = lines[at + 1].text if at + 1 < len(lines) else ""
        text = f"# {line}" if line and _UNDERLINE.fullmatch(below) else line
        if below and (label := _TITLE_LABEL.fullmatch(text)) and KINDS.get(field_key(label[1])) == "title":
            text = f"**{label[1]}**:"  # of the title on the next line
        is_head = bool(title) and text.startswith("# ")
        if is_head and is_paper:
            text, title = "", ""
        elif is_paper and not title and text.startswith("# ") and texts[0].text == "# ":
            texts[0] = texts[0]._replace(text=text)  # the front matter has none
            text = ""
        elif is_head and title in text and (text == f"# {title}" or len(title) > LEAST_TITLE):
            text = f"# {title}"
        if at in front or at in remarks or _SILENT.fullmatch(text):
            continue
        if comment or text.startswith("<!--"):
            parts = (comment + text).split("<!--")
            text = "".join(part.partition("-->")[2] for part in parts)
            comment = "" if "-->" in parts[-1] else "<!--"
        text = text.lstrip("> ") if text.startswith(">") else text
        text = _NESTED.sub(r"[\1(\2)\3](", text) if "](http" in text else text
        pieces = [_ID_LINK.sub(_ARXIV_LINK, text)] if text.startswith("|") else list(_pieces(text))
        texts += (Text(at, number, piece) for piece in pieces)
    return _unwrapped(texts)


def _remarks(lines: Sequence[Line]) -> set[int]:
    """Return the indices of remarks: lines with "#" in blocks, which are no headings."""
    remarks: set[int] = set()
    block: list[int] = []
    for at, (_, line) in enumerate((*lines, Line(0, ""))):
        if _REMARK.match(line):
            block.append(at)
        else:
            remarks |= set(block) if len(block) >= _LEAST_BLOCK else set()
            block = []
    return remarks


def is_address(text: str) -> bool:
    return text.startswith("http") and bool(articles_in(text)) and not ADDRESS.sub("", text[:LONGEST_ITEM]).strip()


def _unwrapped(texts: list[Text]) -> list[Text]:
    """Join the lines of long titles between their numbers and their addresses."""
    numbered = [i for i, text in enumerate(texts[:-1]) if _NUMBERED.match(text.text)]
    if sum(is_address(texts[i + 1].text) for i in numbered) < _LEAST_LIST:
        return texts
    joined: list[Text] = []
    done = 0
    for i in numbered:
        below = (k for k in range(i + 1, min(i + _LONGEST_TITLE, len(texts))) if is_address(texts[k].text))
        end = next(below, i)
        parts = [text.text for text in texts[i:end]]
        if len(parts) > 1 and all(parts) and not any(map(_NUMBERED.match, parts[1:])):
            joined += [*texts[done:i], texts[i]._replace(text=" ".join(parts))]
            done = end
    return [*joined, *texts[done:]]


def front_of(lines: Sequence[Line]) -> range:
    first = next((i for i, line in enumerate(lines) if line.text), 0)
    block = [line.text for line in lines[first : first + FRONT_LINES]]
    is_front = bool(block) and block[0] in _FRONT_SIGNS and block[0] in block[1:]
    return range(first, first + block.index(block[0], 1) + 1 if is_front else first)


def _front_texts(lines: Sequence[Line], front: range) -> list[str]:
    """Return front matter as a heading and a day. If it has an article, all its fields are that paper's."""
    values: dict[str, str] = {}
    key = ""
    for text in (lines[at].text for at in front):
        if match := _FRONT_KEY.fullmatch(text):
            key = _CAPITAL.sub(" ", match[1]).lower().replace("_", " ")
            value = (match[2] or "").removeprefix(">-").removeprefix("|")
            values[key] = _ESCAPED.sub(r"\1", value) if value.startswith('"') else value
        elif key and text not in (*_FRONT_SIGNS, "}") and not text.startswith("#"):
            values[key] += f", {text[2:]}" if text.startswith("- ") else f" {text}"
    stated = {key: _FRONT_LIST.sub(", ", value.strip("[], ")).strip(", >") for key, value in values.items()}
    # Where the page comes from, and what it cites, is no fact of a paper.
    stated |= dict.fromkeys(("source",) if not articles_in(stated.get("source", "")) else (), "")
    stated = {key: value for key, value in stated.items() if len({each.key for each in articles_in(value)}) < 2}
    kinds = {KINDS.get(key) for key, value in stated.items() if value and key != "author"}  # who wrote a post
    links = " ".join(stated.get(key, "") for key in ("arxiv", "arxiv id", "doi"))
    is_cited = {"title", "authors"} < kinds and kinds & {"abstract", "venue"}
    if not (is_cited or re.search(r"\d{4}", links) or any(map(articles_in, stated.values()))):
        return [form.format(stated[key]) for key, form in _FRONT.items() if stated.get(key)]
    names = [key for key in stated if stated[key] and (KINDS.get(key) == "title" or _is_title(key, stated[key]))]
    names.sort(key=lambda name: name == "title")  # "paper_title" is the paper's, beside the note's
    texts = [f"# {stated[names[0]] if names else ''}"]
    for key, value in stated.items():
        if value and key not in names and field_key(key) in KINDS:
            texts.append(f"**{key}:** {value}")
        elif articles_in(value):
            texts.append(f"**link:** {value}")
    return [*texts, ""]


def _is_title(key: str, value: str) -> bool:
    return key == "paper" and " " in value and not articles_in(value)


def _pieces(text: str) -> Iterator[str]:
    def heading_of_details(match: re.Match[str]) -> str:
        if names := _NAMES_FIRST.fullmatch(match[1].strip()):
            return f"**{names[2]}** {names[1]}\n**Abstract**: \n"
        summary = BOLD_TAG.sub("**", match[1]).strip(" *")
        if KINDS.get(field_key(summary)):
            return f"**{summary}**: \n"
        return f"**{summary}**\n" if len(summary) > 25 or "](http" in summary else ""

    text = _ANNOUNCED.sub("**Abstract**: ", text)
    text = _ATTRIBUTES.sub("", text) if "{:" in text else text
    text = _SHORTCODE.sub(lambda code: " ".join(ADDRESS.findall(code[1])), text) if "{{" in text else text
    text = _ID_LINK.sub(_ARXIV_LINK, _DOUBLE_BRACKETS.sub(r"[\1](", text).removesuffix("\\"))
    if "<" in text:
        text = _ABSTRACT_TAG.sub("\n**Abstract**: \n", text)
        text = BOLD_TAG.sub("**", SUMMARY.sub(heading_of_details, ANCHOR.sub(r"[\2](\1)", text)))
        text = BREAK.sub("\n", text.replace(END, f"\n{END}\n"))
        text = "\n".join(part if part == END else BLOCK_TAG.sub(" ", part) for part in text.split("\n"))
    text = _BACK.sub("", text) if "](#" in text else text
    for piece in (piece for part in text.split("\n") for piece in _NEXT_FIELD.split(part.strip())):
        parts = piece[:LONGEST_ITEM].split(" | ")
        yield from parts if len(parts) > 1 and all(map(field_in, parts)) else [piece]


def field_in(text: str) -> Field | None:
    """Return the field at the beginning of a text. Only one in bold with a colon may have an unknown name."""
    if heading := HEADING.fullmatch(text[: limits.TOPIC]):
        name = field_key(NUMBER.sub("", heading[1], count=1))
        return Field(KINDS[name], name, True, "") if KINDS.get(name) in HEADED_FIELDS else None
    if text.startswith("|") and len(cells := cells_of(text)) == 2:  # a row of one paper's facts, or a table's head
        name, is_head = field_key(cells[0]), field_key(cells[1]) in KINDS
        return Field(KINDS[name], name, True, cells[1].strip()) if name in KINDS and not is_head else None
    body = PICTURES.sub("", BULLET.sub("", text, count=1))
    if match := _BOLD_FIELD.fullmatch(body):
        name = field_key(match[2])
        return Field(KINDS.get(name, ""), name, True, match[5]) if name in KINDS or match[3] or match[4] else None
    if (match := _PLAIN_FIELD.fullmatch(body)) and (name := field_key(match[1])) in KINDS:
        return Field(KINDS[name], name, False, match[2])
    return None


def cells_of(text: str) -> list[str]:
    return _PIPE.split(text.removeprefix("|").removesuffix("|"))
