"""Import a reader's library as first feedback: each paper counts like one that they liked, see ``bot.ranking.library``.

    file --parse, in the parser process--> entries --match, keep--> the reader's library --> the next ranking

Nothing of it is mailed to anybody, and a paper that is in the library is not news to its reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain import ParsedLibrary, Problem, RawDigest, Reader, ZoteroChanges
from bot.errors import DigestError, UsageError
from bot.parsing import Parser
from bot.store import Store
from bot.store.library import Additions

# Why an entry was not added, beside the reasons of the parser.
KNOWN = "there already"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: ``read`` entries are ``matched`` with stored papers, otherwise ``new``, or ``skipped``.

    ``skipped`` counts them by the reason.
    """

    read: int
    matched: int
    new: int
    skipped: Mapping[str, int]
    problems: tuple[Problem, ...]

    @classmethod
    def of(cls, name: str, parsed: ParsedLibrary | ZoteroChanges, added: Additions) -> ImportReport:
        """Return what became of parsed entries; ``name`` is the file or service that problems are of."""
        skipped = {**parsed.skipped, **({KNOWN: added.known} if added.known else {})}
        return cls(
            read=len(parsed.entries) + sum(parsed.skipped.values()),
            matched=added.matched,
            new=added.new,
            skipped=skipped,
            problems=tuple(Problem(name, problem) for problem in parsed.problems),
        )


def import_file(
    store: Store, parser: Parser, reader: Reader, *, name: str, content: bytes, now: datetime
) -> ImportReport:
    """Add the papers of a BibTeX or RIS file to a reader's library; raises UsageError if it is neither."""
    try:
        parsed = parser.parse_library(RawDigest("library", name, content))
    except DigestError as error:
        raise UsageError(f"{name}: {error}") from None
    added = store.library.add(reader.id, parsed.entries, parsed.format, now)
    return ImportReport.of(name, parsed, added)
