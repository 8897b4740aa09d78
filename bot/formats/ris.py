"""RIS, read by rispy, one reference at a time.

Exports in the wild have tags with one blank or none before the hyphen, and references without their end; rispy would
lose such a reference or join it with the next one. So the file is cut into references first, and tags are written as
the format wants them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.formats.references import Reference, Unreadable, first_name_first, is_paper

BEGINNING = re.compile(r"^[ \t]*TY {0,4}-", re.MULTILINE)

_TAG = re.compile(r"^[ \t]*([A-Z][A-Z0-9]) {0,4}-(?: |$)", re.MULTILINE)
_PAPERS = frozenset("JOUR EJOUR CONF CPAPER CHAP ECHAP THES RPRT UNPB INPR MANSCPT ABST MGZN".split())
_UNDECIDED = frozenset("GEN ELEC ICOMM WEB BLOG".split())


def references(text: str) -> Iterator[Reference | Unreadable]:
    """Yield the references of a file."""
    import rispy

    starts = [match.start() for match in BEGINNING.finditer(text)]
    line = text.count("\n", 0, starts[0]) + 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        record = _TAG.sub(r"\1  - ", text[start:end])
        try:
            fields = rispy.loads(f"{record}\nER  - \n", skip_unknown_tags=True)[0]
        except (LookupError, TypeError, AttributeError, ValueError):
            # rispy documents no errors: a continuation of a line without a tag raises KeyError, and so forth.
            yield Unreadable(line, "a reference that can't be read")
        else:
            yield _reference(fields, line)
        line += text.count("\n", start, end)


def _reference(fields: Mapping[str, Any], line: int) -> Reference:
    def first(*names: str) -> str:
        values = (fields.get(name) for name in names)
        value = next(filter(None, values), "")
        return " ".join(map(str, value)) if isinstance(value, list) else str(value)

    kind = first("type_of_reference").upper()
    urls = [str(url) for url in fields.get("urls", ())]
    authors = [*fields.get("authors", ()), *fields.get("first_authors", ())]
    return Reference(
        line=line,
        is_paper=is_paper(kind, _PAPERS, _UNDECIDED),
        title=first("title", "primary_title", "translated_title"),
        abstract=first("abstract", "notes_abstract"),
        authors=tuple(first_name_first(str(author)) for author in authors),
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
