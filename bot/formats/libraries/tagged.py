"""Formats with a tag on the line of each field: RIS, MEDLINE, Ovid, Web of Science and Refer.

A row of ``fields.toml`` has a format's tags, the beginning and end of its records, and its fields.
rispy 0.10 reads RIS, but merges records without their end and splits addresses at ";". nbib's last release is of 2021.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.formats.format import initials_first
from bot.formats.libraries.reference import PREAMBLE, Reference, fields, reference, tagged_rows

# A citation goes on behind the journal: "Owls. 12(3):1-4, 2019."
_AFTER_VENUE = re.compile(r"\.\s+(?:\d|\(|Vol|Conference:|Date ).*")


@dataclass(frozen=True, slots=True)
class TaggedFormat:
    """One format. The first matching group of ``tag`` at the beginning of a line is the tag.

    A record ends before the next ``starts``, behind a line like ``end``, or at an empty line if ``is_separated``. Each
    line of a tag in ``lists`` is a value. ``fields.toml`` has a section of the same name.
    """

    name: str
    beginning: re.Pattern[str]
    tag: re.Pattern[str]
    starts: str = ""
    end: re.Pattern[str] = re.compile(r"(?!)")  # never
    is_separated: bool = False
    lists: frozenset[str] = frozenset()
    is_database: bool = False
    has_sentences: bool = False  # the journal's field goes on with its volume

    def begins(self, text: str) -> int | None:
        match = self.beginning.search(text[:PREAMBLE])
        return match.start() if match else None

    def references(self, text: str) -> Iterator[Reference | str]:
        start = self.begins(text) or 0
        for line, record in self._records(text[start:]):
            names = fields(self.name)
            if not record.keys() & {*names["title"], self.starts}:
                yield f"line {text.count(chr(10), 0, start) + line:,}: a record without a title"
                continue
            read = reference(record, names, author_name=initials_first)
            if self.has_sentences:
                read = replace(read, venue=_AFTER_VENUE.sub("", read.venue))
            yield read

    def _records(self, text: str) -> Iterator[tuple[int, Mapping[str, Sequence[str]]]]:
        record: dict[str, list[list[str]]] = {}  # of each tag the values, each as its lines
        begin = 1
        tag = ""
        is_after_gap = False
        for number, line in enumerate(text.split("\n"), 1):
            is_end = bool(self.end.match(line))
            match = None if is_end else self.tag.match(line)
            # Some tags are words: "Publication Type".
            name = next(filter(None, match.groups())).replace(" ", "") if match else ""
            is_next = bool(name) and ((name == self.starts and name in record) or (self.is_separated and is_after_gap))
            if record and (is_next or is_end):
                yield begin, {tag: list(map(" ".join, values)) for tag, values in record.items()}
                record = {}
            if match:
                begin = begin if record else number
                tag = name
                record.setdefault(tag, []).append([line[match.end() :].strip()])
            elif record and line.strip():
                if tag in self.lists:
                    record[tag].append([line.strip()])
                else:
                    record[tag][-1].append(line.strip())
            is_after_gap = not line.strip()
        if record:
            yield begin, {tag: list(map(" ".join, values)) for tag, values in record.items()}


def _formats() -> Iterator[TaggedFormat]:
    for row in tagged_rows():
        patterns = {key: re.compile(row[key], re.MULTILINE) for key in ("beginning", "tag", "end") if key in row}
        yield TaggedFormat(**{**row, **patterns, "lists": frozenset(row.get("lists", ()))})


FORMATS = tuple(_formats())
