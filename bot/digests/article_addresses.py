"""Which web addresses lead to one article, and the identifier in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from bot import limits
from bot.identity import arxiv_id, doi

# Characters of host and path, several times what an article has: the patterns below try each part of a path with all
# that follows it.
_MAX_PLACE = 500
_ARXIV = re.compile(r"(?:^|\.)arxiv\.org/(?:abs|pdf|html)/|huggingface\.co/papers/|alphaxiv\.org/abs/")
# Host and path of articles whose address has no DOI. A publisher's news and magazine have other paths.
_ARTICLES = re.compile(
    r"(?:^|\.)(?:"
    r"nature\.com/articles/(?!d41586-|nature-)[a-z0-9._-]+$"  # d41586 is the magazine of Nature
    r"|(?:cell|thelancet)\.com/.*(?:fulltext|abstract|pdf|article)/p?[SP][\w()-]{10,}"
    r"|(?:sciencedirect|elsevier)\.com/.*pii/S\w{10,}"
    r"|ieeexplore\.ieee\.org/(?:abstract/)?(?:document|abstract)/\d{4,}"
    r"|computer\.org/csdl/(?:journal|magazine|proceedings-article)/.*\w{10,}"
    r"|(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed|europepmc\.org/article/\w+)/\d{5,}"
    r"|(?:pmc\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pmc)/articles/PMC\d+"
    r"|openreview\.net/(?:forum|pdf)"
    r"|aclanthology\.org/[A-Z0-9]\w*[.-]\w"
    r"|proceedings\.mlr\.press/v\d+/\w"
    r"|jmlr\.org/papers/"
    r"|openaccess\.thecvf\.com/content"
    r"|(?:proceedings\.neurips|papers\.nips)\.cc/paper"
    r"|academic\.oup\.com/[\w-]+/(?:advance-)?article(?:-abstract|-pdf)?/"
    r"|elifesciences\.org/(?:articles|reviewed-preprints)/\d+"
    r"|mdpi\.com/\d{4}-\d{3}[\dX]/\d+/\d+/\d+"
    r"|jamanetwork\.com/journals/[\w-]+/(?:full|article-)?\w*article\w*/\d+"
    r"|bmj\.com/content/\d+/"
    r"|papers\.ssrn\.com/.*papers\.cfm"
    r"|semanticscholar\.org/paper/"
    r"|ojs\.aaai\.org/.*article/view/\d+"
    r"|usenix\.org/conference/[\w-]+/presentation/\w"
    r")",
    re.IGNORECASE,
)
# With a DOI in their path, these are of an issue, a book or a service.
_NOT_ARTICLES = re.compile(
    r"/(?:toc|loi|journal|proceedings|book|action|topic|author|servlet|subscribe|search|intent)/|/\w*share\w*(?:$|/|\.)"
    r"|/(?:suppl|references)$"
    r"|10\.1126/science\.z",  # the news section of Science
    re.IGNORECASE,
)
# Publishers whose addresses have the end of the DOI.
_DOI_BY_ID = re.compile(
    r"(?:^|\.)(nature|elifesciences)\.(?:com|org)/(?:articles|reviewed-preprints)"
    r"/((?:s\d{5}-|ncomms|srep|nature)[a-z0-9-]+|\d{4,})$"
)
_PREFIXES = {"nature": "10.1038/", "elifesciences": "10.7554/eLife."}
# What publishers add to a DOI in an address.
_AFTER_DOI = re.compile(
    r"(?:v\d+)?(?:[./](?:full(?:text)?|abstract|abs|pdf|e?pdf|epub|html|meta|summary|short|figures|-figures-tables"
    r"|full-text|full\.pdf|full-text\.pdf))*$",
    re.IGNORECASE,
)


# Elsevier's identifier of an article, with or without punctuation.
_PII = re.compile(r"[SP]\d{4}-?\d{3}[\dX]\(?\d{2}\)?\d{5}-?[\dX]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Article:
    """An article's address and the identifiers in it."""

    url: str
    arxiv_id: str | None = None
    doi: str | None = None

    @property
    def key(self) -> str:
        """What all addresses of an article share: an identifier, else the address without its query."""
        pii = _PII.search(unquote(self.url))
        return self.doi or self.arxiv_id or (pii[0] if pii else self.url.partition("?")[0])


def article_at(url: str) -> Article | None:
    """Return the article that an unwrapped address leads to; None if it is of something else, or uncertain.

    >>> article_at("https://www.science.org/doi/full/10.1126/science.abc1234").doi
    '10.1126/science.abc1234'
    >>> article_at("https://www.biorxiv.org/content/10.64898/2026.01.20.700468v1.full.pdf").doi
    '10.64898/2026.01.20.700468'
    >>> article_at("https://www.nature.com/articles/d41586-026-00001-x") is None
    True
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    place = f"{parts.hostname or ''}{unquote(parts.path)}"
    if _ARXIV.search(place):
        identifier = arxiv_id(place)
        return Article(url, arxiv_id=identifier) if identifier else None
    if _NOT_ARTICLES.search(parts.path):
        return None
    if match := _DOI_BY_ID.search(place):
        return Article(url, doi=f"{_PREFIXES[match[1].lower()]}{match[2]}")
    if identifier := _doi_in(place) or _doi_in(unquote(parts.query).partition("&")[0]):
        preprint = re.fullmatch(r"10\.48550/arxiv\.(.+)", identifier, re.IGNORECASE)
        return Article(url, arxiv_id(preprint[1])) if preprint else Article(url, doi=identifier)
    return Article(url) if len(place) <= _MAX_PLACE and _ARTICLES.search(place) else None


def _doi_in(text: str) -> str | None:
    """Return the DOI in a part of an address, without what the publisher adds to it."""
    match = re.search(r"10\.48550/arxiv\.[\d.]+\d", text, re.IGNORECASE)
    if match:
        return match[0]
    identifier = doi(text)
    # What a publisher adds is looked for at each character, which takes n^2 steps.
    if identifier is None or len(identifier) > limits.DOI:
        return None
    return _AFTER_DOI.sub("", identifier, count=1)
