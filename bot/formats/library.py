"""Libraries of reference managers: from the bytes of an export to a reader's papers.

    bytes --decode--> text --BibTeX, RIS or Zotero's JSON, by its content--> raw references --papers--> ParsedLibrary

``bibtex`` and ``ris`` read a format, each by its library, ``zotero`` answers of Zotero's API; they turn every entry
into a ``Reference``; ``references``
decides which of them are papers, and cleans and limits their fields, whatever the format. A broken entry costs itself
alone: it is counted, and named by its line.
"""

from __future__ import annotations

from bot.formats import bibtex, ris, zotero
from bot.formats.references import collect
from bot.model import ParsedLibrary, RawDigest
from bot.model.errors import DigestError
from bot.text.decoding import UNWANTED, decode

# An export of 20,000 entries with their abstracts has some 35 MB.
MAX_BYTES = 60_000_000

_FORMATS = {"bibtex": bibtex, "ris": ris, "zotero": zotero}


def parse(raw: RawDigest) -> ParsedLibrary:
    """Return the papers of a library in BibTeX, RIS or Zotero's JSON; raises DigestError if the bytes are none."""
    text = decode(raw.content, MAX_BYTES, "library")
    text = UNWANTED.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DigestError("empty file")
    # By content: exports are saved as .txt, too. The format that begins first counts, as an abstract may quote another.
    begins = {name: match.start() for name, form in _FORMATS.items() if (match := form.BEGINNING.search(text))}
    if not begins:
        raise DigestError("neither BibTeX nor RIS; export the library as one of them")
    name = min(begins, key=begins.__getitem__)
    return collect(name, _FORMATS[name].references(text))


__all__ = ["MAX_BYTES", "parse"]
