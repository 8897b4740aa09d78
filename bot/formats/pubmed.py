"""PubMed's XML, as efetch of NCBI's E-utilities answers it: articles, and chapters of books.

<PubmedArticleSet><PubmedArticle><MedlineCitation>...<PubmedData>...</PubmedArticle>...</PubmedArticleSet>
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from bot.formats.format import (
    Document,
    build_digest,
    decode,
    facts_of,
    plausible_date,
    prose,
    read_xml,
    reject_reason,
    tidy,
)
from bot.formats.libraries.reference import day_in
from bot.formats.publishers import is_no_paper
from bot.model import Entry, FactKind, ParsedDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

_MAX_ARTICLES = 5_000
# Entities are declared between brackets, which PubMed's own declaration lacks.
_DOCTYPE = re.compile(r"<!DOCTYPE PubmedArticleSet\b[^<>\[\]]{0,400}>")
_BEGINNING = re.compile(rf"(?:<\?xml[^<>]{{0,200}}>\s*)?(?:{_DOCTYPE.pattern}\s*)?<PubmedArticleSet\b")
_TRANSLATED = re.compile(r"\[(.+?)\.?\]\.?")  # a title that was not in English
_NOT_PAPERS = {
    *("Expression of Concern", "Published Erratum", "Retracted Publication", "Retraction Notice"),
    "Retraction of Publication",
}
_OUTER_TAGS = re.compile(r"\A<[^<>]*>|</[^<>]*>\Z")
# Most articles have these.
_COMMON_TYPES = re.compile(r"Journal Article|English Abstract|Research Support, .*")
# Picks show the first category.
_DESIGNS = ("Practice Guideline", "Meta-Analysis", "Systematic Review", "Randomized Controlled Trial")
_PUBLISHED = ("ArticleDate", "Journal/JournalIssue/PubDate", "ContributionDate", "Book/PubDate")
_ENTERED = "*/History/PubMedPubDate[@PubStatus='entrez']"


def parse(content: bytes) -> ParsedDigest:
    """Read one set of articles. Raises DigestError if it is none, or has too many."""
    text = _DOCTYPE.sub("", decode(content), count=1)
    root, problems = read_xml(text, "pubmedarticleset", "XML, but no set of PubMed's articles")
    records = [record for record in root if record.tag in ("PubmedArticle", "PubmedBookArticle")]
    if len(records) > _MAX_ARTICLES:
        raise DigestError(f"{len(records):,} articles, more than the {_MAX_ARTICLES:,} that a digest may have")
    days = [day for record in records if (day := _day(record, _ENTERED))]
    entries = (entry for record in records for entry in _entries(record))
    return build_digest("pubmed", "PubMed", max(days, default=None), [*problems, *entries])


def _entries(record: Any) -> Iterator[Entry | str]:
    """Yield the article, or why it can't be read. Errata, retractions and what they retract are left out."""
    citation = next((child for child in record if child.tag in ("MedlineCitation", "BookDocument")), record)
    article = citation if citation.tag == "BookDocument" else next(citation.iterfind("Article"), citation)
    types = [tidy("".join(name.itertext())) for name in article.iterfind(".//PublicationType")]
    is_retracted = citation.find("CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionIn']") is not None
    titles = (article.find(path) for path in ("ArticleTitle", "VernacularTitle", "Book/BookTitle"))
    title = next(filter(None, (prose(_inner(element), limits.MARKUP) for element in titles)), "")
    title = match[1] if (match := _TRANSLATED.fullmatch(title)) else title
    if is_retracted or not _NOT_PAPERS.isdisjoint(types) or is_no_paper(title):
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
    majors = citation.xpath("MeshHeadingList/MeshHeading[*/@MajorTopicYN='Y']/DescriptorName")
    telling = sorted((t for t in types if not _COMMON_TYPES.fullmatch(t)), key=lambda name: name not in _DESIGNS)
    venue = prose(_inner(article.find("Journal/Title")) or _inner(article.find("Book/BookTitle")), limits.FACT)
    # Books also list their editors.
    people = article.xpath("AuthorList[not(@Type='editors')][1]/Author[not(@ValidYN='N')]")
    parts = ("(ForeName | Initials)[1]", "LastName", "Suffix")
    names = (
        person.findtext("CollectiveName") or " ".join(person.xpath(f"string({part})") for part in parts)
        for person in people
    )
    entered = _day(record, _ENTERED)
    published = next((_day(article, path) for path in _PUBLISHED if article.findtext(f"{path}/Day")), None)
    issued = _day(article, "Journal/JournalIssue/PubDate") or _day(article, "Book/PubDate")
    yield Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, map(tidy, names))),
        published=plausible_date(published or entered, entered) or issued,
        arxiv_id=arxiv_id,
        doi=doi,
        url=None if doi or arxiv_id else f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid.isdecimal() else None,
        categories=tuple(dict.fromkeys(filter(None, (*telling, *(tidy(term.text or "") for term in majors))))),
        facts=facts_of("PubMed", {FactKind.VENUE: "" if venue == title or arxiv_id else venue}),
    )


def _abstract(parent: Any, name: str) -> str:
    """Return the sections of the first abstract of this name, each behind its label."""
    sections = []
    for section in parent.iterfind(f"{name}[1]/AbstractText"):
        text = prose(_inner(section), limits.MARKUP)
        label = tidy(section.get("Label") or "")
        sections.append(f"{label}: {text}" if label and text and label != "UNLABELLED" else text)
    return " ".join(filter(None, sections))


def _inner(element: Any) -> str:
    """Return the markup in an element, with the tags of italics, indices and formulas for ``prose``."""
    from lxml import etree

    return "" if element is None else _OUTER_TAGS.sub("", etree.tostring(element, encoding="unicode", with_tail=False))


def _day(parent: Any, path: str) -> date | None:
    """Return the day of a date such as "2024 Nov-Dec", the first if the day or month is missing."""
    stated = parent.find(path)
    return None if stated is None else day_in("-".join(part.text or "" for part in stated))


PUBMED = Document("PubMed XML", _BEGINNING, parse)
