"""Formats in which each field is a line with a tag: RIS, MEDLINE, Ovid, Web of Science and Refer.

They differ in what a tag looks like, where a record begins and ends, and what the tags mean. A row of ``FORMATS`` says
so for each; the reader is one. rispy 0.10 reads RIS, but needs tags that are written exactly and in order. nbib 0.3.2
raises on the first field that it doesn't expect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.formats.libraries.reference import NEXT_URL, PREAMBLE, Reference, first_name_first, initials_first

Record = Mapping[str, Sequence[tuple[int, str]]]  # a tag's values, with their positions in the record
_TITLE_END = re.compile(r"(?<=\w\w[\w)\]\"'])\.\s*$")
_DOI_MARK = re.compile(r"\s*\[doi\]\s*$")
# A citation goes on behind the journal: "Owls. 12(3):1-4, 2019."
_AFTER_VENUE = re.compile(r"\.\s+(?:\d|\(|Vol|Conference:|Date ).*")


@dataclass(frozen=True, slots=True)
class TaggedFormat:
    """One format; ``tag`` matches the beginning of a line, and its first group that took part is the tag.

    A record begins with a second tag of ``starts``, and ends behind a line that ``end`` matches, or ``is_separated`` by
    empty lines. ``fields`` has the tags of each field of a ``Reference``, the best first. Of dates, the year in the
    last one is certain. Of authors all tags of the first group count whose first tag occurs. The lines of a value in
    ``lists`` are values of their own.
    """

    name: str
    beginning: re.Pattern[str]
    tag: re.Pattern[str]
    fields: Mapping[str, Sequence[str]]
    authors: Sequence[Sequence[str]]
    starts: str = ""
    end: re.Pattern[str] = re.compile(r"(?!)")
    is_separated: bool = False
    lists: frozenset[str] = frozenset()
    author_name: Callable[[str], str] = first_name_first
    is_database: bool = False
    has_sentences: bool = False  # a title ends with a full stop
    labels: Mapping[str, str] = field(default_factory=dict)  # tags for words that stand in their place

    def begins(self, text: str) -> int | None:
        match = self.beginning.search(text[:PREAMBLE])
        return match.start() if match else None

    def references(self, text: str) -> Iterator[Reference | str]:
        """Yield the records of a file; what stands before the first one is none."""
        start = self.begins(text) or 0
        for line, record in self._records(text[start:]):
            if record.keys() & {*self.fields["title"], self.starts}:
                yield self._reference(record)
            else:
                yield f"line {text.count(chr(10), 0, start) + line:,}: a record without a title"

    def _records(self, text: str) -> Iterator[tuple[int, Record]]:
        record: list[tuple[str, list[str]]] = []
        begin = 1
        is_after_gap = False
        for number, line in enumerate(text.split("\n"), 1):
            match = self.tag.match(line)
            tag = next(filter(None, match.groups())) if match else ""
            tag = self.labels.get(tag, tag)
            is_next = tag == self.starts and any(known == tag for known, _ in record)
            is_next |= self.is_separated and is_after_gap and bool(tag)
            is_end = bool(self.end.match(line))
            if record and (is_next or is_end):
                yield begin, _by_tag(record)
                record = []
            if match and not is_end:
                begin = begin if record else number
                record.append((tag, [line[match.end() :].strip()]))
            elif record and line.strip():
                if record[-1][0] in self.lists:
                    record.append((record[-1][0], [line.strip()]))
                else:
                    record[-1][1].append(line.strip())
            is_after_gap = not line.strip()
        if record:
            yield begin, _by_tag(record)

    def _reference(self, record: Record) -> Reference:
        def every(name: str) -> list[str]:
            return [value for tag in self.fields.get(name, ()) for _, value in record.get(tag, ()) if value]

        def first(name: str) -> str:
            return next(iter(every(name)), "")

        group = next((tags for tags in self.authors if tags[0] in record), self.authors[-1])
        # In the order of the file: some programs write the first author with a tag of its own.
        authors = sorted(position_and_name for tag in group for position_and_name in record.get(tag, ()))
        title = first("title")
        venue = first("venue")
        abstracts = next((record[tag] for tag in self.fields["abstract"] if tag in record), [])
        return Reference(
            type=";".join(every("type")),
            title=_TITLE_END.sub("", title) if self.has_sentences else title,
            abstract=" ".join(value for _, value in abstracts),
            authors=tuple(dict.fromkeys(map(self.author_name, _names(value for _, value in authors)))),
            published=tuple(every("published")),
            doi=_DOI_MARK.sub("", first("doi")),
            urls=tuple(url for value in every("urls") for url in NEXT_URL.split(value)),
            venue=_AFTER_VENUE.sub("", venue) if self.has_sentences else venue,
            mentions=tuple(_DOI_MARK.sub("", value) for value in every("mentions")),
        )


def _by_tag(record: Sequence[tuple[str, Sequence[str]]]) -> Record:
    values: dict[str, list[tuple[int, str]]] = {}
    for position, (tag, lines) in enumerate(record):
        values.setdefault(tag, []).append((position, " ".join(lines)))
    return values


def _names(values: Iterable[str]) -> Iterator[str]:
    """Yield names; some programs write all of them into one field."""
    for value in values:
        yield from filter(None, (name.strip() for name in value.split(";")))


RIS = TaggedFormat(
    name="ris",
    # A record's first tag may be another one than TY.
    beginning=re.compile(r"^[ \t]*(?:TY {0,4}-|[A-Z][A-Z0-9]  - [^\n]*\n(?:[^\n]*\n){0,200}?TY  ?-)", re.MULTILINE),
    tag=re.compile(r"[ \t]*([A-Z][A-Z0-9]) {0,4}-(?= |$)"),
    starts="TY",
    end=re.compile(r"[ \t]*E[RF] {0,4}-\s*$|EF\s*$"),
    authors=(("AU", "A1"),),
    fields={
        "type": ("TY",),
        "title": ("TI", "T1", "CT", "BT", "ST"),
        "abstract": ("AB", "N2"),
        # Y2 and what Ovid puts there is a date of access, or one more of publication.
        "published": ("DA", "Y1", "PY", "YR"),
        "doi": ("DO", "DI"),
        "urls": ("UR", "LK", "L2", "L1"),
        "venue": ("JF", "T2", "JO", "SO", "JA", "J2", "BT"),
        "mentions": ("L3", "M3", "N1", "M1", "AN", "ID", "C7", "VL", "JF", "JO", "T2", "PB", "SN"),
    },
)
FORMATS = (
    TaggedFormat(
        name="medline",  # .nbib, and PubMed's text
        beginning=re.compile(r"\A\s{0,99}PMID ?- ?\d"),
        tag=re.compile(r"([A-Z]{2,4}) {0,2}-(?= |$)"),
        starts="PMID",
        authors=(("FAU", "CN"), ("AU", "CN")),
        author_name=initials_first,
        is_database=True,
        has_sentences=True,
        fields={
            "type": ("PT",),
            "title": ("TI", "BTI", "TT"),
            "abstract": ("AB", "OAB"),
            "published": ("DP", "DEP"),
            "venue": ("JT", "TA"),
            "mentions": ("LID", "AID", "SO"),
        },
    ),
    TaggedFormat(
        name="ovid",  # Reprint/Medlars, and the complete reference with labels
        beginning=re.compile(
            r"^<\d{1,7}\.? ?>[ \t]*\n\s{0,9}(?:[A-Z][A-Z0-9]{1,3} {0,3}- |(?:[A-Z][a-z]+ ){0,3}[A-Z][a-z]+[ \t]*\n  )",
            re.MULTILINE,
        ),
        tag=re.compile(r"(?:([A-Z][A-Z0-9]{1,3}) {0,3}-(?= |$)|([A-Z][A-Za-z]+(?: [A-Za-z()/]+){0,6})[ \t]*$)"),
        end=re.compile(r"<\d{1,7}\.? ?>"),
        authors=(("FA",), ("AU",)),
        author_name=initials_first,
        is_database=True,
        has_sentences=True,
        labels={
            "Title": "TI",
            "Author": "AU",
            "Authors": "AU",
            "Authors Full Name": "FA",
            "Abstract": "AB",
            "Digital Object Identifier": "DO",
            "Source": "SO",
            "Journal Name": "JN",
            "Publication Type": "PT",
            "Year of Publication": "YR",
            "Date of Publication": "DP",
            "Publication Date": "DP",
            "DOI Number": "DO",
            "Full Author Name": "FA",
        },
        fields={
            "type": ("PT",),
            "title": ("TI",),
            "abstract": ("AB",),
            "published": ("DP", "YR"),
            "doi": ("DO", "DI"),
            "venue": ("JN", "JT", "SO"),
            "mentions": ("LI", "AI"),
        },
    ),
    TaggedFormat(
        name="web-of-science",  # plain text, and .ciw for EndNote
        beginning=re.compile(r"\A\s{0,99}(?:FN [^\n]{1,200}\n\s{0,9})?(?:VR [\d.]+\s+)?PT [A-Z](?:\s|$)"),
        tag=re.compile(r"([A-Z][A-Z0-9])(?: |$)"),
        starts="PT",
        end=re.compile(r"(?:ER|EF)\s*$"),
        lists=frozenset(("AU", "AF", "CA")),
        authors=(("AF", "CA"), ("AU", "CA")),
        author_name=initials_first,
        is_database=True,
        fields={
            "type": ("DT",),
            "title": ("TI",),
            "abstract": ("AB",),
            "published": ("PD", "PY"),
            "doi": ("DI",),
            "venue": ("SO", "JI"),
            "mentions": ("AR",),
        },
    ),
    *(
        TaggedFormat(
            name="endnote",  # .enw and Refer; records of Refer may lack their type
            beginning=beginning,
            tag=re.compile(r"%([0-9A-Z@!#$&^~?+*\[<>(])(?: |$)"),
            starts=starts,
            is_separated=not starts,
            authors=(("A",),),
            fields={
                "type": ("0",),
                "title": ("T",),
                "abstract": ("X",),
                "published": ("8", "D"),
                "doi": ("R",),
                "urls": ("U",),
                "venue": ("J", "B"),
                "mentions": ("M", "Z", "V", "N"),
            },
        )
        for starts, beginning in (
            ("0", re.compile(r"\A\s{0,99}%0 ")),
            ("", re.compile(r"\A\s{0,99}%[A-Z] [^\n]*\n%[A-Z0-9@!#&] ")),
        )
    ),
)
