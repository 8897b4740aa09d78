"""Read the addresses inside tracking links, and name the articles at these addresses. Nothing is fetched.

    a link --destination--> address --article_at--> Article

Nothing that identifies a mailbox leaves this module in ``Article.url`` or ``public_address``.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from bot.formats.tables import pattern, table
from bot.model import limits
from bot.model.papers import arxiv_id_in, doi_in

_MAX_DEPTH = 4  # a mail gateway's link around a newsletter's around Google's
# Amazon's mail service (Elsevier) and ResearchGate: the address is one segment of the path.
_SEGMENT = re.compile(r"/(?:C?L0|deref)/([^/]+)")
# Proofpoint, third version: two underscores on both sides of the address, and "*" for an encoded character.
_PROOFPOINT_3 = re.compile(r"/v3/__(.+?)__;")
# Query parameters that hold the target of a redirect.
_TARGETS = "url qurl u q target redirect redirect_url redirecturl dest destination link to".split()
# Springer Nature, Substack and others: the address inside a query string or JSON in base64.
_BASE64 = re.compile(r"[A-Za-z0-9_-]{24,4000}")
_ENCODED_SCHEMES = ("aHR0c", "h0dH", "dHRw")  # "http" in base64, by its offset modulo 3
_INNER_ADDRESS = re.compile(rb"https?(?::|%3A)(?:/|%2F){2}[^\s\"'&<>\\\x00-\x1f\x7f-\xff]{4,2000}", re.IGNORECASE)
# Letters and digits mixed, unlike any word or number.
_TOKEN = re.compile(r"(?=[A-Za-z]{0,40}\d)(?=\d{0,40}[A-Za-z])[A-Za-z0-9]{16,}")
_CAMPAIGN = re.compile(r"utm_\w{1,40}|mc_[ce]id|fbclid|gclid|dgcid", re.IGNORECASE)
_PUBMEDS = re.compile(rf"{_CAMPAIGN.pattern}|fc|ff|v", re.IGNORECASE)
_LONGEST_VALUE = 24  # characters of a parameter; a longer one with a token in it is personal


def without_campaign(url: str) -> str:
    """Return an address without the parameters that campaigns and PubMed's feeds add.

    >>> without_campaign("https://pubmed.ncbi.nlm.nih.gov/123/?utm_source=x&fc=2024&ff=2025&v=2.18.0")
    'https://pubmed.ncbi.nlm.nih.gov/123/'
    >>> without_campaign("https://owls.example.org/?v=2&utm_medium=rss#top")
    'https://owls.example.org/?v=2#top'
    """
    parts = _split(url)
    added = _PUBMEDS if parts.hostname == "pubmed.ncbi.nlm.nih.gov" else _CAMPAIGN
    fields = parts.query.split("&")
    kept = [field for field in fields if not added.fullmatch(field.partition("=")[0])]
    return url if len(kept) == len(fields) else urlunsplit(parts._replace(query="&".join(kept)))


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # such as http://[x
        return urlsplit("")


def _target(url: str) -> str:
    """Return the address inside a tracking link, or an empty string."""
    parts = _split(url)
    if pattern("sharing").search(f"{parts.netloc}{parts.path}"):
        return ""
    if match := _SEGMENT.search(parts.path):
        return _web_address(unquote(match[1]))
    if match := _PROOFPOINT_3.search(url):
        return _web_address(match[1])
    values = {name.lower(): value for name, value in reversed(_parameters(parts.query))}
    if (parts.hostname or "").endswith("urldefense.proofpoint.com"):
        # Second version: "-" for "%" and "_" for "/".
        return _web_address(unquote(values.get("u", "").replace("-", "%").replace("_", "/")))
    named = next(filter(None, (_web_address(values.get(name, "")) for name in _TARGETS)), "")
    for token in () if named else _BASE64.findall(f"{parts.path}?{parts.query}"):
        if not any(scheme in token for scheme in _ENCODED_SCHEMES):
            continue
        # Addresses leave out the padding. One character beyond a multiple of four can't be base64.
        encoded = token[:-1] if len(token) % 4 == 1 else token
        decoded = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).replace(b"\\", b"")  # JSON may escape slashes
        if address := _INNER_ADDRESS.search(decoded):
            text = address[0].decode()
            return _web_address(text if "://" in text else unquote(text))
    return named


def _parameters(query: str, *, keep_empty: bool = False) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=keep_empty) if query.count("&") < 100 else []


def _web_address(text: str) -> str:
    # A gateway may merge the two slashes.
    text = re.sub(r"^(https?:/)(?=[^/])", r"\1/", text, count=1)
    return text if re.match(r"https?://[^/\s]", text) else ""


_MAX_PLACE = 500  # characters of host and path: the patterns try each part of it with all that follows
_NEEDS_PARAMETER = re.compile(
    r"(?:\.(?:cfm|jsp|ur[il])|org/n|com/science)$|openreview\.net|gateway|aeaweb", re.IGNORECASE
)
_UT = re.compile(r"(?:\bUT=|KeyUT=|full-record/)((?:[A-Z]{2,9}:)?[A-Z0-9]{8,20})\b", re.IGNORECASE)  # Web of Science
# Publishers whose addresses end like the DOI.
_DOI_BY_ID = re.compile(
    r"(?:^|\.)(nature|elifesciences)\.(?:com|org)/(?:articles|reviewed-preprints)"
    r"/((?:s\d{5}-|ncomms|srep|nature)[a-z0-9-]+|\d{4,})$"
)
_PREFIXES = {"nature": "10.1038/", "elifesciences": "10.7554/eLife."}
# Identifiers of Elsevier, with or without punctuation, and of ResearchGate.
_PII = re.compile(r"[SP]\d{4}-?\d{3}[\dX]\(?\d{2}\)?\d{5}-?[\dX]|(?<=/publication/)\d{6,12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Article:
    """An article's address and the identifiers in it."""

    url: str
    arxiv_id: str | None = None
    doi: str | None = None

    @property
    def key(self) -> str:
        """Return an identifier, the same for all addresses of the article, else the address."""
        pii = _PII.search(unquote(self.url))
        return self.doi or self.arxiv_id or (pii[0] if pii else self.url)


def article_at(url: str) -> Article | None:
    """Return the article at an address, or None if there is none for certain.

    >>> article_at("https://www.science.org/doi/full/10.1126/science.abc1234").doi
    '10.1126/science.abc1234'
    >>> article_at("https://www.biorxiv.org/content/10.64898/2026.01.20.700468v1.full.pdf").doi
    '10.64898/2026.01.20.700468'
    >>> article_at("https://www.nature.com/articles/d41586-026-00001-x") is None
    True
    """
    parts = _split(url)
    hostname = parts.hostname or ""
    place = f"{hostname}{unquote(parts.path)}"
    if pattern("no_article").search(parts.path):
        return None
    if pattern("arxiv").search(place):
        identifier = arxiv_id_in(place)
        return Article(url, arxiv_id=identifier) if identifier else None
    # A DOI may stand in a parameter: "?id=10.1371/journal.pone.0300001".
    query = _parameters(parts.query.replace(";", "&"))
    identifying = next((names for host, names in table("mails")["parameters"].items() if hostname.endswith(host)), ())
    known = [(name, value) for name, value in query if name.lower() in identifying]
    dois = [(name, value) for name, value in query if value.startswith("10.") and doi_in(value)][:1]
    address = urlunsplit(parts._replace(query=urlencode(known or dois, safe=":/"), fragment=""))
    if known and known[0][0] == "_piikey":  # ScienceDirect's gateway needs more than this parameter
        address = f"https://{hostname}/science/article/pii/{known[0][1]}"
    if match := _DOI_BY_ID.search(place):
        return Article(address, doi=f"{_PREFIXES[match[1].lower()]}{match[2]}")
    if doi := _doi_in(place) or (_doi_in(dois[0][1]) if dois else None):
        preprint = re.fullmatch(r"10\.48550/arxiv\.(.+)", doi, re.IGNORECASE)
        return Article(address, arxiv_id_in(preprint[1])) if preprint else Article(address, doi=doi)
    is_article = len(place) <= _MAX_PLACE and pattern("article").search(place)
    if is_article and (match := _UT.search(unquote(url))):
        record = match[1].upper() if ":" in match[1] else f"WOS:{match[1].upper()}"
        return Article(f"https://www.webofscience.com/wos/woscc/full-record/{record}")
    return Article(address) if is_article and (known or not _NEEDS_PARAMETER.search(place)) else None


def _doi_in(text: str) -> str | None:
    """Return the DOI in a part of an address, without the publisher's suffix."""
    if match := re.search(r"10\.48550/arxiv\.[\d.]+\d", text, re.IGNORECASE):
        return match[0]
    identifier = doi_in(text)
    # The search for a suffix starts at each character, which takes n^2 steps.
    if identifier is None or len(identifier) > limits.DOI:
        return None
    return pattern("after_doi").sub("", identifier, count=1)


@dataclass(frozen=True, slots=True)
class Destination:
    """The end of a link, and the article there."""

    address: str  # without tracking, or empty
    article: Article | None
    is_opaque: bool  # has a token of letters and digits, as tracking links do

    @property
    def public_address(self) -> str:
        """Return the address, or an empty string if it may be personal.

        >>> destination("https://click.email.example.org/?qs=0a1b2c3d4e5f0a1b2c3d4e5f").public_address
        ''
        >>> destination("https://owls.example.org/papers/12?utm_source=x").public_address
        'https://owls.example.org/papers/12'
        """
        if self.article:
            return self.article.url
        return "" if self.is_opaque else self.address


def destination(url: str) -> Destination:
    """Follow a tracking link, a link inside it, and so on.

    >>> destination("https://click.example.org/CL0/https:%2F%2Fwww.cell.com%2Fcell%2Ffulltext%2FS1%3Fdgcid=x/1/h").address
    'https://www.cell.com/cell/fulltext/S1'
    >>> destination("http://scholar.google.de/scholar_url?url=https://arxiv.org/pdf/1912.02015&hl=de&sa=X").address
    'https://arxiv.org/pdf/1912.02015'
    """
    for _ in range(_MAX_DEPTH):
        has_target = "http" in url[5:] or any(scheme in url for scheme in _ENCODED_SCHEMES)
        target = _target(url[: 2 * limits.URL]) if has_target else ""
        if not target:
            break
        url = target
    is_opaque = bool(_TOKEN.search(url))
    parts = _split(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or len(url) > limits.URL:
        return Destination("", None, is_opaque)
    query = _parameters(parts.query, keep_empty=True)
    retained = [
        (name, value)
        for name, value in query
        if not pattern("tracking").fullmatch(name) and not (len(value) >= _LONGEST_VALUE and _TOKEN.search(value))
    ]
    # Encoding an unchanged query again might change it.
    if len(retained) < len(query):
        url = urlunsplit(parts._replace(query=urlencode(retained), fragment=""))
    return Destination(url, article_at(url), is_opaque)
