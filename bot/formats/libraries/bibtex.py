"""BibTeX and biblatex, read by bibtexparser.

Values are LaTeX. Commands for characters are decoded, and formulas stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from bot.formats.libraries.reference import HOMONYM, MISSING, NEXT_URL, Reference, day_in
from bot.formats.names import first_name_first, initials_first, spoken_name
from bot.model import limits
from bot.text import latex

if TYPE_CHECKING:
    from bibtexparser.middlewares import LatexDecodingMiddleware

_BEGINNING = re.compile(r"^[ \t]*@[a-zA-Z]{1,40}[ \t\n]*[{(]", re.MULTILINE)
# The day of addition: BibDesk, BibSonomy, JabRef, and last Zotero's day of access.
_ADDED = ("date-added", "dateadded", "added-at", "creationdate", "timestamp", "urldate")
_EARLY = ("early access date", "earlyaccessdate")  # Web of Science's for a paper without an issue
_MENTIONS = ("journal", "journaltitle", "note", "howpublished", "number", "eprint", "publisher", "volume")
_URLS = ("url", "link", "ee", "bdsk-url-1", "howpublished", "adsurl")
_VENUES = ("journaltitle", "journal", "fjournal", "booktitle", "maintitle")
_MACRO = re.compile(r"\s*\\([a-z]{2,12})\s*")  # ADS writes macros of the AAS for journals: \mnras
# A formula or a quantity of siunitx, a command without text, and another command with the characters that TeX skips.
_LATEX = re.compile(
    r"""(?P<formula>\$[^$\\{}\n]{0,500}(?:\\.[^$\\]{0,500}|\{[^${}]{0,500}\}[^$\\{}]{0,500}){0,50}\$
          |\\(?:[dt]?frac|binom)\{[^{}]{0,100}\}\{[^{}]{0,100}\}|\\sqrt\{[^{}]{0,100}\}
          |\\(?:SI|qty|si|unit|num|ang)(?:range|list)?\s?(?:\[[^][]{0,100}\])?(?:\{[^{}]{0,100}\}){1,3})
      | (?P<raised>\\textsuperscript\s?\{(?:[^{}]|\{[^{}]{0,50}\}){0,100}+\})
      | \\ensuremath\s?\{(?P<ensured>(?:[^{}$]|\{[^{}$]{0,50}\}){1,100}+)\}
      | (?P<dropped>\\(?:cite[a-z]{0,9}|footnote|label|begin|end|c?ref|(?:text)?color|noopsort
            |[hv]space\*?|[hv]?phantom)\s?\{[^{}]{0,200}\})
      | \\[a-zA-Z]{1,40}(?:\{\}|[ \n])?
      | \\[^a-zA-Z]""",
    re.VERBOSE | re.DOTALL,
)
# bibtex-tidy 1.14.0 writes "\not =" and "10\ensuremath{^3}" into text.
_NOT_EQUAL = re.compile(r"\\not\s{0,3}=")
_PARENTHESES = re.compile(r"\\\(((?:[^$\\]|\\[^$()]){1,999}+)\\\)")
_LETTER = r"\\(?:[ijoOlL]|ss|ae|AE|oe|OE|aa|AA)(?![a-zA-Z])|[^\W\d_][\u0300-\u036f]{0,3}"
_ACCENT = re.compile(
    rf"""\\(?:["'`^~=.]|[uvHckrbdt](?![a-zA-Z]))\s?
         (?:\{{[ ]?(?:{_LETTER})[ ]?\}}|(?:{_LETTER})(?:\{{\}})?)""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"\\(?:enquote|mkbibquote)\*?\{([^{}]{1,500})\}")
# A title, and the same for the bookmarks of a PDF.
_FOR_PDF = re.compile(r"\\texorpdfstring\s?(\{(?:[^{}]|\{[^{}]{0,200}\}){0,500}+\})\s?\{[^{}]{0,500}\}")
_NESTED = re.compile(r"""\\["'`^~=.uvHckrbdt]\s?\{\\["'`^~=.uvHckrbdt]""")
# APS and JabRef write an accent for formulas and text: \ifmmode \acute{n}\else \'{n}\fi{}
_IF_FORMULA = re.compile(r"\\ifmmode\b[^\n]{0,60}?\\else\b[ ]?([^\n]{0,60}?)\\fi\b(?:\{\}|[ ])?")
# The decoder lacks these or reads them wrongly. Zotero writes the first two for every "<" and ">".
_OTHER_COMMANDS = {
    "\\textless": "<", "\\textgreater": ">", "\\textasciicircum": "^", "\\LaTeX": "LaTeX", "\\TeX": "TeX", "\\SS": "SS",
    "\\~": "~", "\\^": "^", "\\-": "", "\\ensuremath": "", "\\url": "", "\\href": "",
    "\\glqq": "\u201e", "\\grqq": "\u201c", "\\thinspace": " ", "\\cprime": "\u02b9", "\\slash": "/",
    # Crossref's, until 2022: "$\\less$i$\\greater$Strix$\\less$/i$\\greater$, R{\\&}amp$\\mathsemicolon$D"
    "\\less": "<", "\\greater": ">", "\\mathsemicolon": ";", "\\mathplus": "+", "\\mathequals": "=",
}  # fmt: skip
_WITHOUT_BRACES = str.maketrans({"{": "", "}": ""})
# ADS writes "~5 per cent" for an approximation.
_TIE = re.compile(r"(?<=[\w.,;:)}\]$%])~")
# The "~", "%" and "$" of addresses stay.
_URL_MACRO = re.compile(r"\\(?:url|href|path|nolinkurl)\s?\{([^{}\s]{1,2000})\}(?:\{[^{}]{0,500}\})?")
_IN_ADDRESS = (
    (re.compile(r"\{?\\textasciitilde\s?(?:\{\})?\}?|\\~(?:\{\s?\})?|\$\\sim\$"), "~"),
    (re.compile(r"\{?\\textless\s?(?:\{\})?\}?|\$<\$"), "<"),
    (re.compile(r"\{?\\textgreater\s?(?:\{\})?\}?|\$>\$"), ">"),
    (re.compile(r"\{?\\(?:textunderscore|_)\s?(?:\{\})?\}?|\$\\?_\$"), "_"),
    (re.compile(r"\\([%#&{}$/-])"), r"\1"),
    (re.compile(r"\\(?:url|href|path)\b|[{}]"), ""),
)  # fmt: skip
_PIECE = re.compile(
    r"""  "((?:[^"{}\\]|\\.|\{(?:[^{}]|\{[^{}]*\})*+\})*+)"
        | \{((?:[^{}\\]|\\.|\{(?:[^{}]|\{[^{}]*\})*+\})*+)\}
        | ([^\s#"{}]+)""",
    re.VERBOSE | re.DOTALL,
)
_GROUP = re.compile(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*+\})*+\}")  # an institution: braces around the whole name
_AND = re.compile(r"[{}]|\\[{}]|(?<!\s)\s{1,99}and(?=\s)", re.IGNORECASE)
_WITH_INITIALS = re.compile(r"(?:[^\W\d_]\.[\s-]?){1,4}[^\W\d_][^.,]{2}|[^\s.]{2,30}\s(?:[^\W\d_]\.[\s-]?){1,4}\Z")
# biblatex: family=van Rossum, given=Guido, given-i=G
_NAME_PART = re.compile(
    r"""(?:^|,)[\s"{]{0,9}(family|given|prefix|suffix)\s{0,9}=\s{0,9}("[^"]*"|\{[^{}]*\}|[^,{}"]*)"""
)


def begins(text: str) -> int | None:
    match = _BEGINNING.search(text)
    return match.start() if match else None


def references(text: str) -> Iterator[Reference | str]:
    from bibtexparser.model import Block, Entry, ParsingFailedBlock, String
    from bibtexparser.splitter import Splitter

    strings: dict[str, str] = {}
    entries: list[tuple[str, dict[str, str]]] = []
    by_key: dict[str, dict[str, str]] = {}
    for block in Splitter(text).split().blocks:
        readable: Block | None = block
        # bibtexparser wraps entries with duplicate keys or fields.
        while isinstance(readable, ParsingFailedBlock):
            readable = readable.ignore_error_block
        if isinstance(readable, String):
            # Strings in strings could double with each line.
            strings.setdefault(readable.key.lower(), _value(str(readable.value), {})[: limits.FACT])
        elif isinstance(readable, Entry):
            fields: dict[str, str] = {}
            for field in readable.fields:
                if (value := _value(str(field.value), strings)) not in MISSING:
                    fields.setdefault(field.key.lower(), value)
            entries.append((readable.entry_type.lower(), fields))
            by_key.setdefault(readable.key.lower(), fields)
        elif isinstance(block, ParsingFailedBlock):
            line = (block.start_line or 0) + 1
            yield f"line {line:,}: an entry with unbalanced braces, or without a comma"
    for kind, fields in entries:
        # A paper inherits from its proceedings.
        parent = by_key.get(fields.get("crossref", "-").strip().lower(), {})  # Mendeley's web pages have no key
        inherited = {"booktitle": parent["title"]} if "title" in parent else {}
        inherited |= {name: parent[name] for name in ("booktitle", "journal", "year", "date") if name in parent}
        yield _reference(kind, inherited | fields)


def _value(raw: str, strings: Mapping[str, str]) -> str:
    """Return a field without braces or quotes, its pieces joined and its strings replaced."""
    raw = raw.strip()
    is_one = raw[:1] in ("{", '"') and "#" not in raw
    if is_one or not raw:
        return raw[1:-1]
    if _PIECE.sub("", raw).replace("#", "").strip():
        return raw[1:-1] if raw[0] in '{"' else raw
    pieces = islice(_PIECE.finditer(raw), 50)
    return "".join(
        strings.get(piece[3].lower(), piece[3]) if piece[3] else piece[1] or piece[2] or "" for piece in pieces
    )


def _reference(kind: str, fields: Mapping[str, str]) -> Reference:
    # Older records of ADS name no archive. dblp and Semantic Scholar write "abs/1706.03762" for a volume.
    archive = fields.get("archiveprefix", fields.get("eprinttype", "arxiv" if "adsurl" in fields else ""))
    volume = fields.get("volume", "")
    venue = next(filter(None, map(fields.get, _VENUES)), "")
    # DBLP and BibSonomy stamp changes to their record.
    is_foreign = "biburl" in fields or "bibsource" in fields
    added = (name for name in _ADDED if not (name == "timestamp" and is_foreign))
    published = tuple(fields[name] for name in _EARLY if name in fields)
    year, month = (fields.get(name, "").strip() for name in ("year", "month"))
    if year or "date" in fields:
        day = f"{year}{'-' if month.isdecimal() else ' '}{month} {fields.get('day', '')}"
        published = (plain(fields.get("date", "")), plain(day))
    return Reference(
        type=f"{kind};{fields.get('type', '')}",
        title=plain(fields.get("title", "")),
        abstract=plain(fields.get("abstract", "")),
        authors=tuple(_authors(fields.get("author", ""))),
        published=published,
        doi=_address(fields.get("doi", "")),
        urls=tuple(url for name in _URLS if name in fields for url in NEXT_URL.split(_address(fields[name]))),
        venue=macro[1].upper() if (macro := _MACRO.fullmatch(venue)) else plain(venue),
        arxiv_id=(archive.lower() == "arxiv" and fields.get("eprint"))
        or fields.get("arxivid", volume if volume.startswith("abs/") else ""),
        mentions=tuple(fields[name] for name in _MENTIONS if name in fields),
        added=next(filter(None, (day_in(fields.get(name, "")) for name in added)), None),
    )


def _authors(text: str) -> Iterator[str]:
    # bibtexparser 2.1.0's split_multiple_persons_names eats a command after "and".
    names: list[str] = []
    depth = 0
    start = 0
    text += " "  # behind a last "and"
    for match in _AND.finditer(text):
        if match[0] in "{}":
            depth += 1 if match[0] == "{" else -1
        elif depth <= 0 and match[0][0] != "\\":
            names.append(text[start : match.start()])
            start = match.end()
    names.append(text[start:])
    if len(names) == 1 and not _GROUP.fullmatch(text.strip()):
        names = text.split("; ")  # without a blank it may end an entity
    for name in (HOMONYM.sub("", part.strip()) for part in names if part.strip() != ":"):  # arXiv's, behind a group
        stated = {part[1]: part[2].strip(' "{}') for part in _NAME_PART.finditer(name[:1000])} if "=" in name else {}
        if "family" in stated:
            family = " ".join(stated[part] for part in ("prefix", "family") if stated.get(part))
            spoken = spoken_name(stated.get("given", ""), family)
            yield plain(spoken + (f", {stated['suffix']}" if stated.get("suffix") else ""))
        else:
            spoken = plain(name)
            if _GROUP.fullmatch(name):
                yield spoken
            elif _is_list(spoken, ends="," not in names[-1]):
                yield from filter(None, (initials_first(part.strip()) for part in spoken.split(",")))
            else:
                yield first_name_first(spoken.replace(",,", ","))


def _is_list(name: str, *, ends: bool) -> bool:
    """Return whether authors stand between commas, unlike in BibTeX.

    In "Ada Lovelace, Grace Hopper, and Bo Owl" only the last is behind "and", and a comma ``ends`` the others.

    >>> _is_list("A. Lovelace, G. Hopper", ends=False), _is_list("Ada Lovelace, Grace Hopper, Bo Owl", ends=False)
    (True, True)
    >>> _is_list("van der Berg, Jan Pieter", ends=True), _is_list("Ada Lovelace, Grace Hopper,", ends=True)
    (False, True)
    """
    names = [part.strip() for part in name.split(",")]
    people = list(filter(None, names))
    if len(people) < 2 or not all(" " in person for person in people):
        return False
    is_closed = ends and not names[-1]
    return len(people) > 2 or is_closed or all(map(_WITH_INITIALS.match, people))


def plain(text: str) -> str:
    r"""Return a value without TeX's markup, with its formulas.

    >>> plain(r"{BERT} of Erd{\H{o}}s: {\textless}1\% for $\{x\}$")
    'BERT of Erdős: <1% for $\\{x\\}$'
    """
    if "~" in text:
        text = _TIE.sub(" ", text)
    if "\\" not in text and "$" not in text:
        return text.translate(_WITHOUT_BRACES)
    parts = []
    position = 0
    if "\\(" in text:  # as pandoc writes formulas
        text = _PARENTHESES.sub(r"$\1$", text)
    text = _NOT_EQUAL.sub("≠", text)
    if "\\ifmmode" in text:
        text = _IF_FORMULA.sub(r"\1", text)
    if "\\texorpdf" in text:
        text = _FOR_PDF.sub(r"\1", text)
    if "quote" in text:
        text = _QUOTED.sub("\u201c\\1\u201d", text)
    for _ in range(3 if _NESTED.search(text) else 1):  # nested accents from inside: {\~{\^e}}
        text = _ACCENT.sub(lambda match: _decoded(match[0].removesuffix("{}")), text)
    for match in _LATEX.finditer(text):
        parts.append(text[position : match.start()].translate(_WITHOUT_BRACES))
        if dropped := match["dropped"]:
            parts.append(" " * dropped.startswith("\\hspace"))
        elif match["raised"]:
            parts.append(latex.readable(match["raised"]))
        elif match["ensured"]:
            parts.append(f"${match['ensured']}$")
        else:
            command = match[0].strip("$") if match["formula"] else match[0]
            is_sign = len(match[0]) == 3 and command in "<>=+-|"  # "$<$5"
            is_formula = match["formula"] and command not in _OTHER_COMMANDS
            parts.append(command if is_sign else match[0] if is_formula else _decoded(command))
        position = match.end()
    parts.append(text[position:].translate(_WITHOUT_BRACES))
    return "".join(parts)


def _address(text: str) -> str:
    if macro := _URL_MACRO.search(text):
        text = macro[1]
    for pattern, character in _IN_ADDRESS if "\\" in text or "$" in text or "{" in text else ():
        text = pattern.sub(character, text)
    return text.strip()


# Decoding whole entries took 90 s for 20,000.
@lru_cache(maxsize=10_000)
def _decoded(command: str) -> str:
    from bibtexparser.library import Library
    from bibtexparser.model import Entry, Field

    name = command.removesuffix("{}").rstrip()
    if name in _OTHER_COMMANDS:
        return _OTHER_COMMANDS[name]
    entry = Entry("misc", "command", [Field("value", command)])
    _decoder().transform_entry(entry, Library())
    decoded = str(entry.fields_dict["value"].value)
    if not decoded and name.startswith("\\text"):  # bibtexparser 2.1.0 drops \textminus and other signs
        decoded = latex.readable(name).removeprefix(name[1:])
    # pylatexenc 2.11 returns its template for a macro without argument: \ensuremath is "%s".
    return "" if "%s" in decoded or "%(" in decoded else decoded


@lru_cache(maxsize=1)
def _decoder() -> LatexDecodingMiddleware:
    from bibtexparser.middlewares import LatexDecodingMiddleware

    return LatexDecodingMiddleware()
