"""Libraries of reference managers: from the bytes of an export to a reader's papers.

    bytes --decode--> text --LibraryFormat.references--> Reference --_paper--> ParsedLibrary

A format turns every entry into a ``Reference``, or says why it can't be read. Which of them are papers is decided here
for all formats, and their fields are cleaned and limited here. A broken entry costs itself alone: it is counted, and
named by its line.

A new format is a function that yields references and an entry in ``FORMATS``, at the end.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bot.formats.format import MONTHS, UNWANTED, decode, prose, tidy
from bot.model import Entry, LibraryEntry, ParsedLibrary, RawDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

if TYPE_CHECKING:
    from bibtexparser import model as bibtex
    from bibtexparser.middlewares import LatexDecodingMiddleware

# An export of 20,000 entries with their abstracts has some 35 MB.
MAX_BYTES = 60_000_000
NO_PAPER = "books, notes and the like"
NO_TITLE = "without a title"
UNREADABLE = "unreadable"

_ARXIV = re.compile(r"arxiv(?:\.org/[a-z]+/|[:.\s/]|\s*preprint)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?")
_OTHERS = ("others", "et al", "et al.")


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry as a format has it; texts are not cleaned yet.

    ``mentions`` are fields that may hold an arXiv id. ``dates`` are those on which the reader added it, the most
    reliable first. ``key`` identifies it in a library that is followed.
    """

    type: str  # as the format names it
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    doi: str = ""
    url: str = ""
    arxiv_id: str = ""
    mentions: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class LibraryFormat:
    """A format of libraries.

    Entries of the types ``papers`` are papers. Reference managers save web pages and notes, but preprints, too, as one
    of the types ``undecided``. Entries of all other types are no papers.
    """

    name: str
    beginning: re.Pattern[str]  # of an entry
    references: Callable[[str], Iterator[Reference | str]]
    papers: frozenset[str]
    undecided: frozenset[str]


def parse(raw: RawDigest) -> ParsedLibrary:
    """Return the papers of a library, and how many entries are not papers, by reason.

    Raises DigestError if the bytes are in none of the formats.
    """
    text = clean_text(raw.content, "library")
    # By content: exports are saved as .txt, too. The format that begins first counts, as an abstract may quote another.
    begins = [(match.start(), form) for form in FORMATS if (match := form.beginning.search(text))]
    if not begins:
        raise DigestError("neither BibTeX nor RIS; export the library as one of them")
    _, form = min(begins, key=lambda begin: begin[0])
    entries: list[LibraryEntry] = []
    skipped: Counter[str] = Counter()
    problems: list[str] = []
    for reference in form.references(text):
        paper = UNREADABLE if isinstance(reference, str) else _paper(reference, form)
        if isinstance(paper, LibraryEntry):
            entries.append(paper)
            continue
        skipped[paper] += 1
        if isinstance(reference, str) and len(problems) < limits.REJECTED:
            problems.append(reference)
    return ParsedLibrary(form.name, tuple(entries), dict(skipped), tuple(problems))


def clean_text(content: bytes, kind: str) -> str:
    """Return the text of a library or programme; raises DigestError if there is none, or too much."""
    text = UNWANTED.sub("", decode(content, MAX_BYTES, kind)).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DigestError("empty file")
    return text


def _paper(reference: Reference, form: LibraryFormat) -> LibraryEntry | str:
    is_undecided = reference.type in form.undecided
    if not is_undecided and reference.type not in form.papers:
        return NO_PAPER
    title = prose(reference.title, limits.TITLE)
    if not title:
        return NO_TITLE
    abstract = prose(reference.abstract, limits.ABSTRACT)
    doi = doi_in(reference.doi) or (doi_in(reference.url) if "doi.org/" in reference.url else None)
    arxiv_id = _arxiv_id(reference)
    if is_undecided and not (doi or arxiv_id or abstract):
        return NO_PAPER
    url = reference.url.strip()
    is_address = url.startswith(("https://", "http://")) and len(url) <= limits.URL and len(url.split()) == 1
    entry = Entry(
        title=title,
        abstract=abstract,
        authors=tuple(
            name[: limits.AUTHOR]
            for author in reference.authors[: limits.AUTHORS]
            if (name := tidy(author)) and name.lower() not in _OTHERS
        ),
        published=_date(reference.published),
        arxiv_id=arxiv_id,
        doi=doi if doi and len(doi) <= limits.DOI else None,
        url=url if is_address else None,
    )
    return LibraryEntry(entry, next(filter(None, map(_date, reference.dates)), None), reference.key)


def _arxiv_id(reference: Reference) -> str | None:
    if stated := arxiv_id_in(reference.arxiv_id[: limits.ID]):
        return stated
    for text in (reference.doi, reference.url, *reference.mentions):
        for match in _ARXIV.finditer(text[: limits.URL]):
            # A journal's page numbers look like an arXiv id, so only what follows the word is taken for one.
            if mentioned := arxiv_id_in(text[match.end() : match.end() + limits.ID]):
                return mentioned
    return None


def _date(text: str) -> date | None:
    """Return the day at the beginning of a text; month and day are 1 where the text has none.

    >>> _date("2019/05/03/11:02"), _date("2019"), _date("May 2019")
    (datetime.date(2019, 5, 3), datetime.date(2019, 1, 1), None)
    """
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, month, day = (int(part or 1) for part in match.groups())
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _first_name_first(name: str) -> str:
    """Return a name as it is spoken, from "Lovelace, Ada" or "King, Jr., Martin".

    >>> _first_name_first("King, Jr., Martin")
    'Martin King, Jr.'
    """
    match [part.strip() for part in name.split(",")]:
        case [last, first]:
            return f"{first} {last}".strip()
        case [last, suffix, first]:
            return f"{first} {last}, {suffix}"
    return name.strip()


# BibTeX and biblatex, read by bibtexparser. Values are LaTeX: commands that stand for characters are decoded, formulas
# stay as they are in abstracts of arXiv, and the braces that protect capitals are removed.

# Where programs write when an entry was added: BibDesk, BibSonomy, JabRef, Zotero's plug-ins. The day of access comes
# last, which Zotero sets when a page is saved.
_BIBTEX_ADDED = ("date-added", "dateadded", "added-at", "creationdate", "timestamp", "urldate")
_BIBTEX_MENTIONS = ("journal", "journaltitle", "note", "howpublished", "number", "eprint", "publisher", "volume")
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
_WITHOUT_BRACES = str.maketrans({"{": "", "}": "", "~": " "})
_CONCATENATION = re.compile(r"""["}]\s{0,9}#\s{0,9}["{]""")


def _bibtex_references(text: str) -> Iterator[Reference | str]:
    """Yield the entries of a file; duplicated keys and fields are not errors."""
    from bibtexparser.library import Library
    from bibtexparser.middlewares.parsestack import default_parse_stack
    from bibtexparser.model import Block, Entry, ParsingFailedBlock, String
    from bibtexparser.splitter import Splitter

    library = Library()
    for number, block in enumerate(Splitter(text).split().blocks):
        readable: Block | None = block
        # A second entry or field of the same key, which bibtexparser holds to be an error, is in the block.
        while isinstance(readable, ParsingFailedBlock):
            readable = readable.ignore_error_block
        if isinstance(readable, Entry):
            readable.key = str(number)
        if isinstance(readable, Entry | String):
            library.add(readable, fail_on_duplicate_key=False)
        elif isinstance(block, ParsingFailedBlock):
            line = (block.start_line or 0) + 1
            yield f"line {line:,}: an entry with unbalanced braces, or without a comma"
    for middleware in default_parse_stack():
        library = middleware.transform(library)
    yield from map(_bibtex_reference, library.entries)


def _bibtex_reference(entry: bibtex.Entry) -> Reference:
    fields: dict[str, str] = {}
    for field in entry.fields:
        value = str(field.value)
        # bibtexparser leaves concatenations ("a" # "b") as they are.
        if _CONCATENATION.search(value):
            value = _CONCATENATION.sub("", value).strip('"')
        fields.setdefault(field.key.lower(), value)
    year = plain(fields.get("year", "")).strip()
    month = fields.get("month", "").strip().lower()[:3]
    is_arxiv = fields.get("archiveprefix", fields.get("eprinttype", "")).lower() == "arxiv"
    return Reference(
        type=entry.entry_type.lower(),
        title=plain(fields.get("title", "")),
        abstract=plain(fields.get("abstract", "")),
        authors=tuple(_bibtex_authors(fields.get("author", ""))),
        published=fields.get("date") or (f"{year}-{MONTHS.index(month) + 1}" if month in MONTHS else year),
        doi=plain(fields.get("doi", "")),
        url=plain(fields.get("url", "")),
        arxiv_id=fields.get("eprint", "") if is_arxiv else fields.get("arxivid", ""),
        mentions=tuple(fields[name] for name in _BIBTEX_MENTIONS if name in fields),
        dates=tuple(fields[name] for name in _BIBTEX_ADDED if name in fields),
    )


def _bibtex_authors(text: str) -> Iterator[str]:
    """Yield the authors, first name first; an institution's name in braces may hold "and" and commas."""
    from bibtexparser.middlewares.names import split_multiple_persons_names

    for name in split_multiple_persons_names(text):
        is_institution = name.startswith("{") and name.endswith("}")
        yield plain(name) if is_institution else _first_name_first(plain(name))


def plain(text: str) -> str:
    r"""Return a value without TeX's markup, with its formulas.

    >>> plain(r"{BERT} of Erd{\H{o}}s: {\textless}1\% for $\{x\}$")
    'BERT of Erdős: <1% for $\\{x\\}$'
    """
    if "\\" not in text and "$" not in text:
        return text.translate(_WITHOUT_BRACES)
    parts = []
    position = 0
    for match in _LATEX.finditer(text):
        parts.append(text[position : match.start()].translate(_WITHOUT_BRACES))
        parts.append(match[0] if match["formula"] else _decoded(match[0]))
        position = match.end()
    parts.append(text[position:].translate(_WITHOUT_BRACES))
    return "".join(parts)


# Each distinct command once: to decode whole entries took 90 s for 20,000.
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


# RIS, read by rispy, one reference at a time. Exports in the wild have tags with one blank or none before the hyphen,
# and references without their end; rispy would lose such a reference or join it with the next one. So the file is cut
# into references first, and tags are written as the format wants them.

_RIS_BEGINNING = re.compile(r"^[ \t]*TY {0,4}-", re.MULTILINE)
_RIS_TAG = re.compile(r"^[ \t]*([A-Z][A-Z0-9]) {0,4}-(?: |$)", re.MULTILINE)


def _ris_references(text: str) -> Iterator[Reference | str]:
    import rispy

    starts = [match.start() for match in _RIS_BEGINNING.finditer(text)]
    line = text.count("\n", 0, starts[0]) + 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        record = _RIS_TAG.sub(r"\1  - ", text[start:end])
        try:
            fields = rispy.loads(f"{record}\nER  - \n", skip_unknown_tags=True)[0]
        except (LookupError, TypeError, AttributeError, ValueError):
            # rispy documents no errors: a continuation of a line without a tag raises KeyError, and so forth.
            yield f"line {line:,}: a reference that can't be read"
        else:
            yield _ris_reference(fields)
        line += text.count("\n", start, end)


def _ris_reference(fields: Mapping[str, Any]) -> Reference:
    def first(*names: str) -> str:
        value = next(filter(None, map(fields.get, names)), "")
        return " ".join(map(str, value)) if isinstance(value, list) else str(value)

    urls = [str(url) for url in fields.get("urls", ())]
    authors = [*fields.get("authors", ()), *fields.get("first_authors", ())]
    return Reference(
        type=first("type_of_reference").upper(),
        title=first("title", "primary_title", "translated_title"),
        abstract=first("abstract", "notes_abstract"),
        authors=tuple(_first_name_first(str(author)) for author in authors),
        published=first("date", "year", "publication_year"),
        doi=first("doi"),
        url=urls[0] if urls else "",
        mentions=(
            *urls[1:],
            *(first(name) for name in ("note", "journal_name", "alternate_title3", "number", "accession_number")),
            *(str(note) for note in fields.get("notes", ())),
        ),
        dates=(first("access_date"),),
    )


# Items of Zotero's web API (version 3, ``format=json``), as ``items/top`` answers them.

_ZOTERO_KEY = re.compile(r"[A-Z0-9]{1,16}")
_ZOTERO_MENTIONS = ("archiveID", "extra", "publicationTitle", "number", "archiveLocation", "callNumber")


def _zotero_references(text: str) -> Iterator[Reference | str]:
    """Yield the items of an answer; raises DigestError if it is no JSON, such as one that broke off."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        raise DigestError("no valid JSON, or it broke off") from None
    for position, item in enumerate(items, 1):
        data = item.get("data") if isinstance(item, Mapping) else None
        if isinstance(data, Mapping):
            key = item.get("key")
            yield _zotero_reference(data, key if isinstance(key, str) and _ZOTERO_KEY.fullmatch(key) else "")
        else:
            yield f"line {position:,}: an item without data"


def _zotero_reference(data: Mapping[str, Any], key: str) -> Reference:
    def text(name: str) -> str:
        value = data.get(name)
        return UNWANTED.sub("", value) if isinstance(value, str) else ""

    creators = data.get("creators")
    authors: list[str] = []
    for creator in creators if isinstance(creators, Sequence) else ():
        if isinstance(creator, Mapping) and creator.get("creatorType") in (None, "author"):
            # First name first; an institution has a single name.
            parts = map(creator.get, ("firstName", "lastName", "name"))
            authors.append(" ".join(part for part in parts if isinstance(part, str) and part))
    return Reference(
        type=text("itemType"),
        title=text("title"),
        abstract=text("abstractNote"),
        authors=tuple(authors),
        published=text("date"),
        doi=text("DOI"),
        url=text("url"),
        mentions=tuple(map(text, _ZOTERO_MENTIONS)),
        dates=(text("dateAdded"),),
        key=key,
    )


FORMATS = (
    LibraryFormat(
        name="bibtex",
        beginning=re.compile(r"^[ \t]*@[a-zA-Z]{1,40}[ \t\n]*[{(]", re.MULTILINE),
        references=_bibtex_references,
        papers=frozenset(
            "article inproceedings conference incollection inbook techreport report phdthesis mastersthesis thesis "
            "unpublished preprint suppcollection".split()
        ),
        undecided=frozenset("misc online electronic www".split()),
    ),
    LibraryFormat(
        name="ris",
        beginning=_RIS_BEGINNING,
        references=_ris_references,
        papers=frozenset("JOUR EJOUR CONF CPAPER CHAP ECHAP THES RPRT UNPB INPR MANSCPT ABST MGZN".split()),
        undecided=frozenset("GEN ELEC ICOMM WEB BLOG".split()),
    ),
    LibraryFormat(
        name="zotero",
        beginning=re.compile(r"\A\s*\[\s*(?:\{\s*\"|\]\s*\Z)"),
        references=_zotero_references,
        papers=frozenset(
            "journalArticle conferencePaper preprint report thesis manuscript bookSection magazineArticle".split()
        ),
        undecided=frozenset(("webpage", "document", "blogPost")),
    ),
)
