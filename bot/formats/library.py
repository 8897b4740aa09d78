"""Libraries of reference managers: from the bytes of an export to a reader's papers.

    bytes --decode--> text --LibraryFormat.references--> Reference --_paper--> ParsedLibrary

A format turns every entry into a ``Reference``, or into a sentence on its fault. This module decides for all formats
which entries are papers, and cleans and limits their fields.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import chain
from urllib.parse import unquote

from bot.formats.addresses import article_at
from bot.formats.format import UNWANTED, decode, facts_of, prose, tidy, without_full_stop
from bot.formats.libraries import bibtex, nested, rows
from bot.formats.libraries.reference import LibraryFormat, Reference, day_in, fields, simple
from bot.formats.markup import plain
from bot.model import Entry, FactKind, LibraryEntry, ParsedLibrary, RawDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

# An export of 20,000 entries with their abstracts has some 35 MB.
MAX_BYTES = 60_000_000
NO_PAPER = "books, notes and the like"
NO_TITLE = "without a title"
UNREADABLE = "unreadable"

FORMATS = (
    *(LibraryFormat(name, partial(nested.json_begins, name), nested.json_references) for name in nested.JSON_FORMATS),
    LibraryFormat("csl-yaml", nested.yaml_begins, nested.yaml_references),
    *(LibraryFormat(name, partial(nested.xml_begins, name), nested.xml_references) for name in nested.XML_BEGINNINGS),
    *(LibraryFormat(form.name, form.begins, form.references, form.is_database) for form in rows.TAGGED_FORMATS),
    LibraryFormat("csv", rows.table_begins, rows.table_references, is_database=True),
    LibraryFormat("bibtex", bibtex.begins, bibtex.references),
)

_KNOWN = (
    "BibTeX (Zotero, Mendeley, JabRef, Google Scholar), RIS (Zotero, EndNote, Scopus, Embase, EBSCO, Ovid, Cochrane), "
    ".nbib (PubMed), .enw or XML (EndNote), plain or tagged text (Web of Science, Ovid, Cochrane, RefWorks, ERIC), "
    "tabs (Web of Science), CSV (Zotero, Scopus, PubMed, Embase, Ovid, IEEE Xplore, Dimensions), "
    "CSL-JSON, CSL-YAML, MODS or RDF (Zotero), NoteExpress (CNKI)"
)
_ARXIV = re.compile(r"arxiv(?:\.org/[a-z]+/|[:.\s/]|\s*preprint)", re.IGNORECASE)
_ONLY_DOI = re.compile(r"\s*(?:doi[:\s]\s?)?(10\.\d{4,9}/\S{1,300}?)[\s.]*(?:\[doi\]\s*)?", re.IGNORECASE)
_OTHERS = re.compile(
    r"others|et al\.?|\.\.\.|\u2026|\[anonymous\]|\[no author name available\]|no authorship indicated", re.IGNORECASE
)
_TITLE_START = re.compile(
    r"[(\[](?:PDF|HTML|BOOK|CITATION)[)\]](?:\[[A-Z]\])?\s+(?=\S)"
)  # ResearchGate, Google Scholar
# Lens.org puts ";" between paragraphs.
_BEFORE_ABSTRACT = re.compile(
    r"(?:Abstract|ABSTRACT|Resum(?:o|en)|RESUM(?:O|EN)|R[\u00e9e]sum[\u00e9e]|Zusammenfassung|(?=;))[:.;]?\s{0,9}(?=[A-Z\u00c0-\u00de])"
)
# Additions of databases, and near the end those of publishers: "© The Author(s) 2024.", "Published by Elsevier Ltd."
_AFTER_ABSTRACT = re.compile(
    r"\A(?:ResearchGate is a network dedicated|Academia\.edu is a platform for academics)\b.*"
    r"|\s?(?:\[?No abstract available\b|\[ABSTRACT FROM (?:AUTHOR|PUBLISHER)|\[Author Abstract\]"
    r"|Competing Interest Statement\s?The |Copyright of .{1,300}? is the property of"
    r"|\(Psyc(?:INFO|Info|ARTICLES) Database Record"
    r"|(?=.{0,500}+\Z)(?:(?:Crown )?Copyright:?\s?\u00a9"
    r"|(?:Copyright|\u00a9|\(C\))[\s,]{0,2}(?:\u00a9|\([cC]\))?\s?(?:19|20)\d\d.{0,250}\Z"
    r"|(?:\u00a9\s?){1,2}(?:[A-Z]|by ).{0,200}?(?:19|20)\d\d(?:\..{0,200})?\Z"
    r"|(?<=[.!?)])\s(?:Published (?:by [A-Z]|(?:19|20)\d\d\.)|This article is protected by copyright).{0,120}\Z"
    r"|(?<=[.!?)])\s[A-Z][^.]{0,60}[.,] All rights reserved\.?\Z)).*"
)
# Before the first entry: comments, and a few short lines of the exporting program.
_COMMENT = re.compile(r"\s*(?:%|//|@(?:comment|preamble|string)\b|(?:provider|database|content):|$)", re.IGNORECASE)
_OF_DIGEST = re.compile(
    r"\s*(?:[#>*|`\[<]|- )|(?:from|to|subject|date|authors?|abstract|title|link|url)\s{0,9}:|.*https?://", re.IGNORECASE
)
_ADDRESSES = 5  # of one entry that may have its DOI


def parse(raw: RawDigest) -> ParsedLibrary:
    """Return the papers of a library, and the number of other entries. Raises DigestError for other bytes."""
    text = clean_text(raw.content, "library")
    form, _ = _format_of(text)
    if form is None:
        if text.lstrip()[:1] in ("[", "{"):
            nested.load(text)
        raise DigestError(f"no library that can be read; export it as one of these: {_KNOWN}")
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


def is_library(text: str) -> bool:
    """Return whether a text begins like a library, unlike a digest or mail that quotes an entry."""
    text = text.lstrip("\ufeff\n\r\t ")
    form, start = _format_of(text[:200_000].replace("\r\n", "\n").replace("\r", "\n"))
    if form is None:
        return False
    lines = [line for line in text[:start].splitlines() if not _COMMENT.match(line)]
    return len(lines) <= 12 and not any(map(_OF_DIGEST.match, lines))


def _format_of(text: str) -> tuple[LibraryFormat | None, int]:
    """Return the format that begins first, and where. Abstracts may quote others."""
    begins = [(start, form) for form in FORMATS if (start := form.begins(text)) is not None]
    start, form = min(begins, key=lambda begin: begin[0], default=(0, None))
    return form, start


def clean_text(content: bytes, kind: str) -> str:
    """Return the text of a library or programme. Raises DigestError for empty or large files."""
    text = UNWANTED.sub("", decode(content, MAX_BYTES, kind)).replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("_x000D_", "")  # Excel's carriage return
    if not text.strip():
        raise DigestError("empty file")
    return text


def _paper(reference: Reference, form: LibraryFormat) -> LibraryEntry | str:
    kinds = {simple(kind) for kind in reference.type[:500].split(";")} - {""}
    types = fields("types")
    if not kinds.isdisjoint(types["others"]):
        return NO_PAPER
    title = without_full_stop(prose(reference.title, limits.TITLE))
    title = title[match.end() :] if (match := _TITLE_START.match(title)) else title
    if not title:
        return NO_TITLE
    abstract = _AFTER_ABSTRACT.sub("", prose(reference.abstract, limits.ABSTRACT))
    doi = _doi(reference)
    texts = (reference.doi, *reference.urls, *reference.mentions)
    # Page numbers of journals look like an arXiv id, so the word must precede it.
    words = (word for text in texts for word in _ARXIV.finditer(text[: limits.URL]))
    stated = (word.string[word.end() : word.end() + limits.ID] for word in words)
    arxiv_id = next(filter(None, map(arxiv_id_in, chain([reference.arxiv_id[: limits.ID]], stated))), None)
    is_known = not kinds or not kinds.isdisjoint(types["papers"])
    is_certain = is_known or (form.is_database and kinds.isdisjoint(types["undecided"]))
    if not (is_certain or doi or arxiv_id or abstract):
        return NO_PAPER
    urls = (url.strip() for url in reference.urls)
    addresses = (url for url in urls if url.startswith(("https://", "http://")) and len(url) <= limits.URL)
    entry = Entry(
        title=title,
        abstract=abstract[match.end() :] if (match := _BEFORE_ABSTRACT.match(abstract)) else abstract,
        authors=tuple(
            name[: limits.AUTHOR]
            for author in reference.authors[: limits.AUTHORS]
            if (name := tidy(author)) and not _OTHERS.fullmatch(name) and "(" not in author[:1]
        ),
        published=day_in(*reference.published),
        arxiv_id=arxiv_id,
        doi=doi,
        url=next((url for url in addresses if len(url.split()) == 1), None),
        facts=facts_of(form.name, {FactKind.VENUE: tidy(plain(reference.venue[: limits.FACT]))}),
    )
    return LibraryEntry(entry, reference.added, reference.key)


def _doi(reference: Reference) -> str | None:
    others = (text for text in reference.mentions if "doi.org/" in text or _ONLY_DOI.fullmatch(text[:400]))
    for text in (reference.doi, *others):
        # No DOI has an escaped character of its own.
        doi = doi_in(unquote(text[: limits.URL]).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        if doi and len(doi) <= limits.DOI:
            return doi
    urls = (url for url in reference.urls[:_ADDRESSES] if url.startswith("http") and len(url) <= limits.URL)
    return next((article.doi for article in map(article_at, urls) if article and article.doi), None)
