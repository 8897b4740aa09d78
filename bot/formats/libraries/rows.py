"""Libraries in rows: tables of databases and reference managers, and formats with a tag on the line of each field.

Python's csv reads tables. The names of columns decide, so products may add some or leave some out.

``fields.toml`` has the tags of RIS, MEDLINE, Ovid, Web of Science and Refer. rispy 0.10 reads RIS, but merges records
without their end and splits addresses at ";". nbib's last release is of 2021.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.formats.format import read_csv
from bot.formats.libraries.reference import MISSING, PREAMBLE, Reference, fields, people_in, reference, simple
from bot.formats.names import BETWEEN_GLUED, DEGREE, author_names, first_name_first, initials_first
from bot.formats.tables import table
from bot.model import limits

_YEARS = frozenset("publicationyear publishedyear pubyear year published publisheddate py anodedefesa".split())
# Columns of programmes.
_PROGRAMME = frozenset(
    "start starttime startsat startdatetime room roomname session sessiontitle track speakers".split()
)
_MANAGERS = frozenset(("itemtype", "dateadded"))  # Zotero has a column "Session", too
# @citation-js/plugin-ris 0.8.2 breaks values after so many signs, also within words, DOIs and addresses.
_CITATION_JS = 70
_RULE = re.compile(r"[|: -]*-[|: -]*")  # below the columns in Markdown
_NUMBER = re.compile(r"\s?\(\d{1,15}\)")  # Scopus'
_PAIR = re.compile(r"([^,]+,[^,]+),")
# A record of Embase's "CSV, fields by row" is a block of rows, each with its name and its values.
_BY_ROW = re.compile(r'\A\s*"?TITLE"?,"[^"]{20,}"\s*\n"?[A-Z][A-Za-z/ -]{3,40}"?,')
# BibTeX of a line in Chinese, "@article{a, title={港口}, year={2024}}", and JSON have fields between commas, too.
_NO_TABLE = re.compile(r"\s{0,99}(?:@|\{|\[\s{0,99}[\[{])")


def table_begins(text: str) -> int | None:
    return None if _NO_TABLE.match(text) or _table(text[:20_000]) is None else 0


def _table(text: str) -> tuple[str, int] | None:
    """Return the delimiter of a table, and the number of lines above its columns."""
    # Dimensions and Excel write a line of their own first.
    lines = text.lstrip("\n").split("\n", 4)[:4]
    for number, line in enumerate(lines[:3]):
        if "|" in line and _RULE.fullmatch("".join(lines[number + 1 : number + 2])[:1000]):
            return None  # a table in Markdown
        delimiter = max("\t,;|", key=line.count)
        try:
            row = next(csv.reader([line[:20_000]], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:
            continue
        names = set(map(simple, row))
        known = {field for field, columns in fields("columns").items() if names & set(columns)} - {"mentions"}
        # Digests in Markdown have tables, too.
        has_abstracts = "abstract" in known and not line.startswith("|")
        is_dated = len(known) > (2 if names & _YEARS else 3) and (names & _YEARS or {"published", "venue"} <= known)
        is_listed = has_abstracts or is_dated or ("arxiv" in known and len(known) > 2)
        if "title" in known and is_listed and (names & _MANAGERS or not names & _PROGRAMME):
            return delimiter, number
    if _BY_ROW.match(text):
        return "", 0
    return None


def table_references(text: str) -> Iterator[Reference | str]:
    text = text.lstrip("\n")
    table = _table(text[:20_000])
    if table is None:
        return
    delimiter, skipped = table
    # Web of Science quotes nothing. No text has this control character.
    quote = "\x01" if text.startswith("PT\t") else '"'
    names: list[str] = []
    block: dict[str, str] = {}  # a record of rows
    for line, values in read_csv(text, delimiter or ",", quote):
        if isinstance(values, str):
            yield values
        elif line <= skipped or not any(value.strip() for value in values):
            continue
        elif not delimiter:
            name = simple(values[0])
            if name == "title" and block:
                yield _reference(block)
                block = {}
            block.setdefault(name, "; ".join(filter(None, values[1:])))
        elif not names:
            names = list(map(simple, values))
        else:
            row: dict[str, str] = {}
            for name, value in zip(names, values, strict=False):
                row.setdefault(name, "" if value in MISSING else value.strip())
            yield _reference(row)
    if block:
        yield _reference(block)


def _reference(row: dict[str, str]) -> Reference:
    people = next(filter(None, map(row.get, fields("columns")["authors"])), "")[: limits.BYLINE]
    people = _NUMBER.sub("", people).strip(" ,;").replace("\n\n", ";")  # Ovid has an author a paragraph
    if "journalbook" in row:  # PubMed's lists of authors are sentences, with groups behind a semicolon
        people = people.removesuffix(".").replace(";", ",")
    if "itemtitle" in row:  # Springer Link
        people = BETWEEN_GLUED.sub(";", people)
    if {"languages", "fulltexturl"} <= row.keys() and people.count(",") % 2:  # SciELO: "Lovelace, Ada, Hopper, Grace"
        people = _PAIR.sub(r"\1;", people)
    if people.startswith(("['", '["')):  # a list as Python writes it
        people = re.sub(r"['\"], ?['\"]", ";", people[2:].rstrip("]'\""))
    if ";" not in people:
        people = people.replace("|", ";")  # OpenAlex's
    parts: Sequence[str] = people_in(people)
    # "Lovelace, Ada" is one, "Lovelace A, Hopper G" are two. Zotero and Scopus separate all by semicolons.
    is_one = people.count(",") < 2 and not all(" " in part.strip() for part in people.split(","))
    if len(parts) == 1 and row.keys().isdisjoint(("abstractnote", "authorfullnames")) and not is_one:
        parts = author_names(people)
    authors = (initials_first(name) if "," not in name else first_name_first(name) for name in parts)
    for prefix in ("", "published"):
        if month := row.get(f"{prefix}month"):
            day = "-".join(filter(None, (row.get(f"{prefix}year"), month, row.get("day"))))
            row.setdefault("publicationdate", day)
    source = row.get("so", "")
    if row.keys().isdisjoint(fields("columns")["published"]):  # Embase's short tables
        source = source or row.get("source", "")
    if cited := _CITED_DATE.match(source):
        row.setdefault("py", cited[1])
    read = reference({name: (value,) for name, value in row.items()}, fields("columns"), authors=authors)
    return _without_citation(read) if read.venue in (source, row.get("source")) else read


# The journal goes on as a citation: "Owls. 12(3):1-4, 2019.", "Owls (2019) 12:3", "Ada Owl [Editor]. Owls.:1-4, 2019."
_BEFORE_VENUE = re.compile(r"\A.*\[Ed[^]]{0,99}\]\.\s")
_AFTER_VENUE = re.compile(r"\.\s+(?:\d|\(|Vol|Conference:|Date ).*|\.:\d.*|\s\((?:19|20)\d\d\)\s.*")
_CITED_DATE = re.compile(r".*(?:Date of Publication: |, )([^.,]{0,20}(?:19|20)\d\d[^.,]{0,10})(?:\.|\Z)", re.DOTALL)
# Journals@Ovid: "Owls by night.[Article]", "Lovelace, Ada MD, PhD *"
_KIND = re.compile(r"(?<=\.)\[[A-Z][A-Za-z ,:-]{2,40}\]$")
_DEGREES = re.compile(rf"(,.{{0,60}}?[a-z.])(?:,? (?!\S*\.){DEGREE}){{0,5}}(?: [*+\d\u2020\u2021\u00a7]{{1,9}})?$")
_FAMILY = re.compile(r"\A((?:(?:van|von|de|der|den|du|la|le|da|di|el|al)\s){0,3}\S+)\s", re.IGNORECASE)


def _without_citation(read: Reference) -> Reference:
    venue = _AFTER_VENUE.sub("", _BEFORE_VENUE.sub("", read.venue), count=1)
    venue = venue.removesuffix(".") if venue.count(".") == 1 else venue  # not "Phys. Rev."
    return replace(read, venue=venue, title=_KIND.sub("", read.title))


def _abbreviates(short: str, title: str) -> bool:
    """Return whether each word has letters of a word of the title, the first one among them.

    >>> _abbreviates("J. Natl. Owl", "Journal of National Owls"), _abbreviates("Birds", "Special Issue on Owls")
    (True, False)
    """

    def is_within(part: str, word: str) -> bool:
        letters = iter(word)
        return part[0] == word[0] and all(letter in letters for letter in part)

    words = iter(title.lower().split())
    return all(any(is_within(part, word) for word in words) for part in short.lower().replace(".", " ").split())


@dataclass(frozen=True, slots=True)
class TaggedFormat:
    """One format, as ``fields.toml`` explains it."""

    name: str
    beginning: re.Pattern[str]
    tag: re.Pattern[str]
    starts: Sequence[str] = ()
    end: re.Pattern[str] = re.compile(r"(?!)")  # never
    is_separated: bool = False
    lists: Sequence[str] = ()
    is_database: bool = False
    has_sentences: bool = False
    has_families_first: bool = False  # "Van Ryswyk Emer"

    def begins(self, text: str) -> int | None:
        match = self.beginning.search(text[:PREAMBLE])
        return match.start() if match else None

    def references(self, text: str) -> Iterator[Reference | str]:
        start = self.begins(text) or 0
        names = fields(self.name)
        for line, rows in self._records(text[start:]):
            record = {tag: list(map(" ".join, values)) for tag, values in rows.items()}
            if not record.keys() & {*names["title"], *self.starts}:
                if len(record) == 1:  # Ovid's field behind the end of a record
                    continue
                yield f"line {text.count(chr(10), 0, start) + line:,}: a record without a title"
                continue
            title, journal = (" ".join(record.get(tag, [])[:1])[: limits.FACT] for tag in ("T2", "JO"))
            if title and self.name == "ris" and not _abbreviates(journal, title):
                del record["T2"]  # ScienceDirect's title of an issue
            read = reference(record, names, author_name=self._author)
            yield _without_citation(read) if self.has_sentences else read

    def _author(self, name: str) -> str:
        name = _DEGREES.sub(r"\1", name) if self.has_sentences else name
        spoken = initials_first(name)
        return first_name_first(_FAMILY.sub(r"\1, ", name)) if self.has_families_first and spoken == name else spoken

    def _records(self, text: str) -> Iterator[tuple[int, Mapping[str, Sequence[Sequence[str]]]]]:
        record: dict[str, list[list[str]]] = {}  # of each tag the values, each as its lines
        begin = 1
        tag = last = ""
        width = 0
        is_after_gap = False
        for number, line in enumerate(text.split("\n"), 1):
            is_end = bool(self.end.match(line))
            match = None if is_end else self.tag.match(line)
            # Some tags are words: "Publication Type".
            name = next(filter(None, match.groups())).replace(" ", "") if match else ""
            is_next = bool(name) and ((name in self.starts and name in record) or (self.is_separated and is_after_gap))
            if record and (is_next or is_end):
                yield begin, record
                record = {}
            if match:
                begin = begin if record else number
                tag = name
                record.setdefault(tag, []).append([line[match.end() :].strip()])
                width = len(line[match.end() :].removeprefix(" "))
            elif record and line.strip():
                if tag in self.lists:
                    record[tag].append([line.strip()])
                elif width == _CITATION_JS and not line[0].isspace():
                    record[tag][-1][-1] += f"{last[len(last.rstrip()) :]}{line.strip()}"
                else:
                    record[tag][-1].append(line.strip())
                width = len(line) if width == _CITATION_JS else 0
            is_after_gap = not line.strip()
            last = line
        if record:
            yield begin, record


TAGGED_FORMATS = tuple(
    TaggedFormat(**row | {key: re.compile(row[key], re.MULTILINE) for key in ("beginning", "tag", "end") if key in row})
    for row in table("libraries/fields")["tagged"]
)
