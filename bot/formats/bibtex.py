"""BibTeX and biblatex, read by bibtexparser.

It splits 20,000 entries in 2 s. Values are LaTeX: commands that stand for characters are decoded, formulas stay as
they are in abstracts of arXiv, and the braces that protect capitals go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.formats.references import Reference, Unreadable, first_name_first, is_paper

if TYPE_CHECKING:
    from bibtexparser.middlewares import LatexDecodingMiddleware
    from bibtexparser.model import Block, Entry


BEGINNING = re.compile(r"^[ \t]*@[a-zA-Z]{1,40}[ \t\n]*[{(]", re.MULTILINE)

_PAPERS = frozenset(
    "article inproceedings conference incollection inbook techreport report phdthesis mastersthesis thesis "
    "unpublished preprint suppcollection".split()
)
_UNDECIDED = frozenset("misc online electronic www".split())
# Where the reader's program writes when it was added: BibDesk, BibSonomy, JabRef, Zotero's plug-ins. The day of access
# comes last, which Zotero sets when a page is saved.
_ADDED = ("date-added", "dateadded", "added-at", "creationdate", "timestamp", "urldate")
_MENTIONS = ("journal", "journaltitle", "note", "howpublished", "number", "eprint", "publisher", "volume")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# A formula, which is kept; a command with the letter that it puts an accent on; another command, with what TeX skips.
_LATEX = re.compile(
    r"""(?P<formula>\$[^$\\{}\n]{0,500}(?:\\.[^$\\]{0,500}|\{[^${}]{0,500}\}[^$\\{}]{0,500}){0,50}\$)
      | \\["'`^~=.]\s?(?:\{\\?[a-zA-Z]\}|\\[ij](?![a-zA-Z])|[a-zA-Z])
      | \\[uvHckrbdt](?:\s?\{\\?[a-zA-Z]\}|\ [a-zA-Z](?![a-zA-Z]))
      | \\[a-zA-Z]{1,40}(?:\{\}|\ )?
      | \\[^a-zA-Z]""",
    re.VERBOSE | re.DOTALL,
)
# What the decoder lacks or takes for something else; Zotero writes the first two for every "<" and ">".
_OTHER_COMMANDS = {
    "\\textless": "<",
    "\\textgreater": ">",
    "\\textasciicircum": "^",
    "\\LaTeX": "LaTeX",
    "\\TeX": "TeX",
    "\\url": "",
    "\\href": "",
}
_BRACES = str.maketrans("", "", "{}")
_CONCATENATION = re.compile(r"""["}]\s{0,9}#\s{0,9}["{]""")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)


def references(text: str) -> Iterator[Reference | Unreadable]:
    """Yield the entries of a file; duplicated keys and fields are not errors."""
    from bibtexparser.library import Library
    from bibtexparser.middlewares.parsestack import default_parse_stack
    from bibtexparser.model import Entry, ParsingFailedBlock, String
    from bibtexparser.splitter import Splitter

    library = Library()
    for number, block in enumerate(Splitter(text).split().blocks):
        readable: Block | None = block
        if isinstance(block, ParsingFailedBlock):
            # A second entry or field of the same key, which bibtexparser holds to be an error, is in the block.
            readable = block.ignore_error_block
            while isinstance(readable, ParsingFailedBlock):
                readable = readable.ignore_error_block
        if isinstance(readable, Entry):
            readable.key = str(number)
        if isinstance(readable, Entry | String):
            library.add(readable, fail_on_duplicate_key=False)
        elif isinstance(block, ParsingFailedBlock):
            yield Unreadable((block.start_line or 0) + 1, "an entry with unbalanced braces, or without a comma")
    for middleware in default_parse_stack():
        library = middleware.transform(library)
    for entry in library.entries:
        yield _reference(entry)


def _reference(entry: Entry) -> Reference:
    fields: dict[str, str] = {}
    for field in entry.fields:
        value = str(field.value)
        # bibtexparser leaves concatenations ("a" # "b") as they are.
        if _CONCATENATION.search(value):
            value = _CONCATENATION.sub("", value).strip('"')
        fields.setdefault(field.key.lower(), value)
    kind = entry.entry_type.lower()
    year = plain(fields.get("year", "")).strip()
    month = fields.get("month", "").strip().lower()[:3]
    is_arxiv = fields.get("archiveprefix", fields.get("eprinttype", "")).lower() == "arxiv"
    return Reference(
        line=(entry.start_line or 0) + 1,
        is_paper=is_paper(kind, _PAPERS, _UNDECIDED),
        title=plain(fields.get("title", "")),
        abstract=plain(fields.get("abstract", "")),
        authors=tuple(_names(fields.get("author", ""))),
        published=fields.get("date") or (f"{year}-{_MONTHS.index(month) + 1}" if month in _MONTHS else year),
        doi=plain(fields.get("doi", "")),
        url=plain(fields.get("url", "")),
        arxiv_id=fields.get("eprint", "") if is_arxiv else fields.get("arxivid", ""),
        mentions=tuple(fields[name] for name in _MENTIONS if name in fields),
        dates=tuple(fields[name] for name in _ADDED if name in fields),
    )


def _names(text: str) -> Iterator[str]:
    """Yield the authors, first name first; an institution's name in braces may hold "and" and commas."""
    depth = 0
    start = 0
    counted = 0
    for end, following in [*(match.span() for match in _AND.finditer(text)), (len(text), len(text))]:
        depth += text.count("{", counted, end) - text.count("}", counted, end)
        counted = end
        if depth <= 0 or end == len(text):
            name = text[start:end].strip()
            is_institution = name.startswith("{") and name.endswith("}")
            yield plain(name) if is_institution else first_name_first(plain(name))
            start = following


def plain(text: str) -> str:
    r"""Return a value without TeX's markup, with its formulas.

    >>> plain(r"{BERT} of Erd{\H{o}}s: {\textless}1\% for $\{x\}$")
    'BERT of Erdős: <1% for $\\{x\\}$'
    """
    if "\\" not in text and "$" not in text:
        return text.translate(_BRACES).replace("~", " ")
    parts = []
    position = 0
    for match in _LATEX.finditer(text):
        parts.append(text[position : match.start()].translate(_BRACES).replace("~", " "))
        parts.append(match[0] if match["formula"] else _decoded(match[0]))
        position = match.end()
    parts.append(text[position:].translate(_BRACES).replace("~", " "))
    return "".join(parts)


# Each distinct command once: to decode whole entries takes 4 ms each, 90 s for 20,000.
@lru_cache(maxsize=10_000)
def _decoded(command: str) -> str:
    from bibtexparser.library import Library
    from bibtexparser.model import Entry, Field

    name = command.removesuffix("{}").rstrip()
    if name in _OTHER_COMMANDS:
        return _OTHER_COMMANDS[name]
    entry = Entry("misc", "command", [Field("value", command)])
    _decoder().transform_entry(entry, Library())
    return str(entry.fields_dict["value"].value)


@lru_cache(maxsize=1)
def _decoder() -> LatexDecodingMiddleware:
    from bibtexparser.middlewares import LatexDecodingMiddleware

    return LatexDecodingMiddleware()
