"""PubMed's XML, as efetch of NCBI's E-utilities answers it, and as a saved file: articles, and chapters of books.

    <PubmedArticleSet><PubmedArticle><MedlineCitation>...<PubmedData>...</PubmedArticle>...</PubmedArticleSet>

Many articles have no abstract. Dates may be words ("2024 Nov-Dec"). References carry identifiers of other articles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from bot.formats.format import Document, build_digest, decode, plausible_date, prose, read_xml, reject_reason, tidy
from bot.formats.libraries.reference import day_in
from bot.formats.publishers import is_no_paper
from bot.model import Entry, Fact, FactKind, ParsedDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

_MAX_ARTICLES = 5_000
# Entities are declared between brackets, which PubMed's own declaration lacks.
_DOCTYPE = re.compile(r"<!DOCTYPE PubmedArticleSet\b[^<>\[\]]{0,400}>")
_BEGINNING = re.compile(rf"(?:<\?xml[^<>]{{0,200}}>\s*)?(?:{_DOCTYPE.pattern}\s*)?<PubmedArticleSet\b")
_TITLE_END = re.compile(r"(?<=\w[\w)\]\"'])\.$")
_TRANSLATED = re.compile(r"\[(.+?)\.?\]\.?")  # a title that was not in English
_NOT_PAPERS = {
    *("Expression of Concern", "Published Erratum", "Retracted Publication", "Retraction Notice"),
    "Retraction of Publication",
}
_OUTER_TAGS = re.compile(r"\A<[^<>]*>|</[^<>]*>\Z")
# Of most articles, so that they tell nothing.
_COMMON_TYPES = re.compile(r"Journal Article|English Abstract|Research Support, .*")
# Picks show the first category.
_DESIGNS = ("Practice Guideline", "Meta-Analysis", "Systematic Review", "Randomized Controlled Trial")


def parse(content: bytes) -> ParsedDigest:
    """Read one set of articles. Raises DigestError if it is none, or has too many."""
    text = _DOCTYPE.sub("", decode(content), count=1)
    root, problems = read_xml(text, "pubmedarticleset", "XML, but no set of PubMed's articles")
    records = [record for record in root if record.tag in ("PubmedArticle", "PubmedBookArticle")]
    if len(records) > _MAX_ARTICLES:
        raise DigestError(f"{len(records):,} articles, more than the {_MAX_ARTICLES:,} that a digest may have")
    days = [day for record in records if (day := _entered(record))]
    entries = (entry for record in records for entry in _entries(record))
    return build_digest("pubmed", "PubMed", max(days, default=None), [*problems, *entries])


def _entries(record: Any) -> Iterator[Entry | str]:
    """Yield the article, or why it can't be read. Errata, retractions and what they retract are left out."""
    citation = next((child for child in record if child.tag in ("MedlineCitation", "BookDocument")), record)
    article = citation if citation.tag == "BookDocument" else next(citation.iterfind("Article"), citation)
    types = [tidy("".join(name.itertext())) for name in article.iterfind(".//PublicationType")]
    notes = {note.get("RefType") for note in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")}
    names = ("ArticleTitle", "VernacularTitle", "Book/BookTitle")
    title = next(filter(None, (prose(_markup(article, name), limits.MARKUP) for name in names)), "")
    title = _TITLE_END.sub("", match[1] if (match := _TRANSLATED.fullmatch(title)) else title)
    if not _NOT_PAPERS.isdisjoint(types) or "RetractionIn" in notes or is_no_paper(title):
        return
    pmid = tidy(citation.findtext("PMID") or "")
    abstract = _abstract(article, "Abstract") or _abstract(citation, "OtherAbstract")
    if problem := reject_reason(f"PMID {pmid[: limits.ID]}", title, abstract):
        yield problem
        return
    # Not those of ReferenceList, which are of other articles.
    paths = ("ELocationID", "Pagination/MedlinePgn", "ArticleIdList/ArticleId")
    stated = [element for path in paths for element in article.iterfind(path) if element.get("ValidYN") != "N"]
    stated += record.iterfind("PubmedData/ArticleIdList/ArticleId")
    identifiers = [tidy(element.text or "")[: limits.URL] for element in stated]
    of_doi = [text for text, e in zip(identifiers, stated, strict=True) if "doi" in (e.get("EIdType"), e.get("IdType"))]
    doi = next(filter(None, map(doi_in, of_doi)), None)
    arxiv_id = next(filter(None, (arxiv_id_in(text) for text in identifiers if "arxiv" in text.lower())), None)
    majors = (
        heading.findtext("DescriptorName") or ""
        for heading in citation.iterfind("MeshHeadingList/MeshHeading")
        if any(term.get("MajorTopicYN") == "Y" for term in heading)
    )
    telling = sorted((t for t in types if not _COMMON_TYPES.fullmatch(t)), key=lambda name: name not in _DESIGNS)
    venue = prose(_markup(article, "Journal/Title") or _markup(article, "Book/BookTitle"), limits.FACT)
    yield Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, map(_name, _authors(article)))),
        published=plausible_date(_published(article) or _entered(record), _entered(record)) or _issued(article),
        arxiv_id=arxiv_id,
        doi=doi,
        url=None if doi or arxiv_id else f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid.isdecimal() else None,
        categories=tuple(dict.fromkeys(filter(None, (*telling, *map(tidy, majors))))),
        facts=(Fact(FactKind.VENUE, venue, "PubMed"),) if venue and venue != title and not arxiv_id else (),
    )


def _abstract(parent: Any, name: str) -> str:
    """Return the sections of the first abstract of this name, each behind its label."""
    sections = []
    for section in parent.iterfind(f"{name}[1]/AbstractText"):
        text = prose(_inner(section), limits.MARKUP)
        label = tidy(section.get("Label") or "")
        sections.append(f"{label}: {text}" if label and text and label != "UNLABELLED" else text)
    return " ".join(filter(None, sections))


def _authors(article: Any) -> Iterator[Any]:
    lists = article.findall("AuthorList")
    # Books also list their editors.
    chosen = next((names for names in lists if names.get("Type") != "editors"), None)
    return (author for author in (chosen if chosen is not None else ()) if author.get("ValidYN") != "N")


def _name(author: Any) -> str:
    if group := author.findtext("CollectiveName"):
        return tidy(group)
    first = author.findtext("ForeName") or author.findtext("Initials") or ""
    return tidy(f"{first} {author.findtext('LastName') or ''} {author.findtext('Suffix') or ''}")


def _markup(parent: Any, path: str) -> str:
    element = parent.find(path)
    return "" if element is None else _inner(element)


def _inner(element: Any) -> str:
    """Return what is in an element, with the tags of italics, indices and formulas for ``prose``."""
    from lxml import etree

    return _OUTER_TAGS.sub("", etree.tostring(element, encoding="unicode", with_tail=False))


def _published(article: Any) -> date | None:
    """Return the day of publication, if all of it is stated."""
    for path in ("ArticleDate", "Journal/JournalIssue/PubDate", "ContributionDate", "Book/PubDate"):
        parts = [article.findtext(f"{path}/{part}") or "" for part in ("Year", "Month", "Day")]
        if all(parts):
            return day_in("-".join(parts))
    return None


def _issued(article: Any) -> date | None:
    """Return the first day of the month or year that an issue names, such as "2024 Nov-Dec"."""
    for path in ("Journal/JournalIssue/PubDate", "Book/PubDate"):
        if (stated := article.find(path)) is not None:
            return day_in("-".join(part.text or "" for part in stated))
    return None


def _entered(record: Any) -> date | None:
    """Return the day on which PubMed got the record."""
    entered = record.find("*/History/PubMedPubDate[@PubStatus='entrez']")
    return (
        None if entered is None else day_in("-".join(entered.findtext(part) or "" for part in ("Year", "Month", "Day")))
    )


PUBMED = Document("PubMed XML", _BEGINNING, parse)
