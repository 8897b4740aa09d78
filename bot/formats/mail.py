"""Mails: their texts (RFC 5322, MIME), the addresses inside their tracking links, and the articles at these addresses.

    bytes --read_mail--> Mail: plain text and HTML --html.py--> links --unwrap--> address --article_at--> Article

Attachments are ignored, and of several HTML parts all but the first; AMP for Email counts where there is no HTML.
Nothing is fetched: many tracking links hold the address that they lead to.

The standard library's parser has two quadratic costs. It takes n^2 steps for n parameters of one header field, and it
compares each line with the boundaries of all multiparts that are open around it. So fields are cut as they are read,
and parts are counted as they begin.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections import Counter
from dataclasses import dataclass
from datetime import date
from email.errors import HeaderParseError
from email.feedparser import BytesFeedParser
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import parseaddr, parsedate_to_datetime
from functools import partial
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from bot.formats.format import MAX_LINES, charset, decode, tidy
from bot.model import limits
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in, doi_in

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,60}:(?:[ \t].*)?")
# Fields that are specific to mails; two of them are required, because "From: ..." also begins lines of ordinary text.
_MAIL_FIELDS = {"from", "received", "message-id", "return-path", "mime-version", "delivered-to", "dkim-signature"}
_TEXT_TYPES = ("text/plain", "text/html", "text/x-amp-html")
# The prefixes of forwarded mails and replies in several languages.
_FORWARDED = re.compile(r"(?:(?:fwd?|re|wg|aw|tr|rv|i)\s*:\s*)+", re.IGNORECASE)


# Compat32, and not email.policy.default: crafted headers made the header grammar of the latter loop forever
# (bpo-37461), and nothing but content type, disposition and charset is read here.
class _CutFields(Compat32):
    """The standard library's legacy policy, with each header field cut."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name[: limits.ID], value[: limits.HEADER]


class _Part(Message):
    """One part of a mail; raises DigestError if the mail has too many. ``counts`` are those of the whole mail."""

    def __init__(self, counts: Counter[str], policy: _CutFields) -> None:
        super().__init__(policy)
        self._counts = counts
        self._count("parts", limits.PARTS)

    def _count(self, noun: str, most: int) -> None:
        self._counts[noun] += 1
        if self._counts[noun] > most:
            raise DigestError(f"a mail of more than {most} {noun}; save its text as a file")

    def get_boundary(self, failobj: Any = None) -> Any:
        """Return the boundary; the parser asks for it exactly once, before it reads the parts inside."""
        self._count("parts that have parts", limits.MULTIPARTS)
        return super().get_boundary(failobj)

    def get_content_charset(self, failobj: Any = None) -> Any:
        """Return Python's name of the character set, if it is one: decoding "punycode" would take n^2 steps."""
        return charset(str(super().get_content_charset() or "")) or failobj


def is_mail(beginning: str) -> bool:
    """Whether a file begins with a mail's header: at least two fields that are specific to mails."""
    names: set[str] = set()
    for line in beginning.splitlines():
        if line.startswith((" ", "\t")) and names:  # a folded field (RFC 5322, 2.2.3)
            continue
        if not _FIELD.fullmatch(line):
            break
        names.add(line.partition(":")[0].lower())
    return len(names & _MAIL_FIELDS) >= 2


@dataclass(frozen=True, slots=True)
class Mail:
    """What is read of a mail: header fields, and its text in two forms, either of which may be empty."""

    sender: str  # the address
    sender_name: str
    subject: str
    date: date | None
    plain: str
    html: str

    def alert(self) -> str:
        """Return the alert that the subject names, ``Ada Lovelace (new citations)``; the subject if it has no parts.

        >>> Mail("", "", "Fwd: Ada Lovelace - new citations", None, "", "").alert()
        'Ada Lovelace (new citations)'
        """
        subject = _FORWARDED.sub("", self.subject, count=1)
        name, separator, kind = subject.rpartition(" - ")
        return (f"{name} ({kind})" if separator else subject)[: limits.TOPIC]


def read_mail(content: bytes) -> Mail:
    """Read a mail; raises DigestError if it can't be read."""
    # Counted before parsing: the parser keeps every line of a header or of a folded field as an object.
    if max(content.count(b"\n"), content.count(b"\r")) > MAX_LINES:
        raise DigestError(f"a mail of more than {MAX_LINES:,} lines; split it")
    parser = BytesFeedParser(policy=_CutFields(message_factory=partial(_Part, Counter())))
    texts: dict[str, list[str]] = {content_type: [] for content_type in _TEXT_TYPES}
    try:
        parser.feed(content)
        message = parser.close()
        for part in message.walk():
            content_type = part.get_content_type()
            if content_type not in texts or part.get_content_disposition() == "attachment":
                continue
            body = part.get_payload(decode=True)
            if not isinstance(body, bytes) or not body.strip():
                continue
            try:
                texts[content_type].append(body.decode(str(part.get_content_charset() or "") or "undefined"))
            except ValueError:  # the declared charset is missing, unknown or wrong
                texts[content_type].append(decode(body))
        name, address = parseaddr(_field(message, "From"))
        return Mail(
            sender=address[: limits.ID],
            sender_name=name[: limits.TOPIC],
            subject=_field(message, "Subject")[: limits.TOPIC],
            date=_date(message),
            plain="\n".join(texts["text/plain"]),
            html=next(iter([*texts["text/html"], *texts["text/x-amp-html"]]), ""),
        )
    # Malformed mails make the standard library raise each of these.
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise DigestError(f"a mail that can't be read ({error})") from None


def _field(message: Message, name: str) -> str:
    """Return a header field in plain Unicode (RFC 2047); as it is if its encoding is broken."""
    value = str(message.get(name) or "")
    try:
        parts = decode_header(value)
        is_readable = all(encoding is None or charset(encoding) for _, encoding in parts)
        return tidy(str(make_header(parts)) if is_readable else value)
    except (HeaderParseError, LookupError, ValueError):
        return tidy(value)


def _date(message: Message) -> date | None:
    try:
        return parsedate_to_datetime(str(message.get("Date") or "")[: limits.ID]).date()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


_MAX_DEPTH = 4  # a mail gateway's link around a newsletter's around Google's
# Amazon's mail service, which Elsevier uses: /CL0/ and the address, percent-encoded, as one segment of the path.
_SES = re.compile(r"/C?L0/([^/]+)")
# Proofpoint, third version: the address between two underscores on both sides; "*" stands for an encoded character.
_PROOFPOINT_3 = re.compile(r"/v3/__(.+?)__;")
# Query parameters that redirectors name the target by.
_TARGETS = ("url", "u", "q", "target", "redirect", "redirect_url", "redirecturl", "dest", "destination", "link", "to")
# Springer Nature, Substack and others: the address inside a query string or JSON in base64.
_BASE64 = re.compile(r"[A-Za-z0-9_-]{24,4000}")
_ENCODED_SCHEMES = ("aHR0c", "h0dH", "dHRw")  # "http" in base64, by its offset modulo 3
_INNER_ADDRESS = re.compile(rb"https?(?::|%3A)(?:/|%2F){2}[^\s\"'&<>\\\x00-\x1f\x7f-\xff]{4,2000}", re.IGNORECASE)
# A link to share an article has its address, too, and leads elsewhere.
_SHARING = re.compile(r"share|sharer|intent/|/submit\b|bookmark|mailto:", re.IGNORECASE)
_TRACKING = re.compile(
    r"utm_.*|mc_[ce]id|wt\.ec_id|wt\.mc_id|dgcid|et_?(?:cid|rid|src)|_hs\w+|sap-outbound-id|elq\w*|ecid|campaign\w*"
    r"|fbclid|gclid|mkt_tok|af|needaccess|cmp|ijkey|source|trk\w*|email_\w+|sfmc_\w+",
    re.IGNORECASE,
)


def unwrap(url: str) -> str:
    """Return the address that a tracking link leads to, without tracking parameters; nothing is fetched.

    A link whose target can't be read off it is returned as it is; an empty string if it is not a web address.

    >>> unwrap("https://click.example.org/CL0/https:%2F%2Fwww.cell.com%2Fcell%2Ffulltext%2FS1%3Fdgcid=x/1/0-0/h=4")
    'https://www.cell.com/cell/fulltext/S1'
    >>> unwrap("http://scholar.google.de/scholar_url?url=https://arxiv.org/pdf/1912.02015&hl=de&sa=X")
    'https://arxiv.org/pdf/1912.02015'
    """
    for _ in range(_MAX_DEPTH):
        has_target = "http" in url[5:] or any(scheme in url for scheme in _ENCODED_SCHEMES)
        target = _target(url[: 2 * limits.URL]) if has_target else ""
        if not target:
            break
        url = target
    parts = _split(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or len(url) > limits.URL:
        return ""
    query = parse_qsl(parts.query, keep_blank_values=True) if parts.query.count("&") < 100 else []
    retained = [(name, value) for name, value in query if not _TRACKING.fullmatch(name)]
    # Without tracking parameters it stays as it is: encoding it again might change it.
    if len(retained) == len(query):
        return url
    return urlunsplit(parts._replace(query=urlencode(retained), fragment=""))


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # such as http://[x
        return urlsplit("")


def _target(url: str) -> str:
    """Return the address inside a link; empty if there is none."""
    parts = _split(url)
    if _SHARING.search(f"{parts.netloc}{parts.path}"):
        return ""
    if match := _SES.search(parts.path):
        return _web_address(unquote(match[1]))
    if match := _PROOFPOINT_3.search(url):
        return _web_address(match[1])
    query = parse_qsl(parts.query, max_num_fields=100) if parts.query.count("&") < 100 else []
    values = {name.lower(): value for name, value in reversed(query)}
    if (parts.hostname or "").endswith("urldefense.proofpoint.com"):
        # Second version: "-" for "%" and "_" for "/".
        return _web_address(unquote(values.get("u", "").replace("-", "%").replace("_", "/")))
    named = next(filter(None, (_web_address(values.get(name, "")) for name in _TARGETS)), "")
    return named or _in_base64(f"{parts.path}?{parts.query}")


def _in_base64(text: str) -> str:
    """Return the first address inside a token of base64; empty if there is none."""
    for token in _BASE64.findall(text):
        if not any(scheme in token for scheme in _ENCODED_SCHEMES):
            continue
        # Padding is left out in addresses. One character beyond a multiple of four can't be base64.
        encoded = token[:-1] if len(token) % 4 == 1 else token
        if address := _INNER_ADDRESS.search(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))):
            text = address[0].decode()
            return _web_address(text if "://" in text else unquote(text))
    return ""


def _web_address(text: str) -> str:
    # A gateway may merge the two slashes.
    text = re.sub(r"^(https?:/)(?=[^/])", r"\1/", text, count=1)
    return text if re.match(r"https?://[^/\s]", text) else ""


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
    parts = _split(url)
    place = f"{parts.hostname or ''}{unquote(parts.path)}"
    if _ARXIV.search(place):
        identifier = arxiv_id_in(place)
        return Article(url, arxiv_id=identifier) if identifier else None
    if _NOT_ARTICLES.search(parts.path):
        return None
    if match := _DOI_BY_ID.search(place):
        return Article(url, doi=f"{_PREFIXES[match[1].lower()]}{match[2]}")
    if identifier := _doi_in(place) or _doi_in(unquote(parts.query).partition("&")[0]):
        preprint = re.fullmatch(r"10\.48550/arxiv\.(.+)", identifier, re.IGNORECASE)
        return Article(url, arxiv_id_in(preprint[1])) if preprint else Article(url, doi=identifier)
    return Article(url) if len(place) <= _MAX_PLACE and _ARTICLES.search(place) else None


def _doi_in(text: str) -> str | None:
    """Return the DOI in a part of an address, without what the publisher adds to it."""
    match = re.search(r"10\.48550/arxiv\.[\d.]+\d", text, re.IGNORECASE)
    if match:
        return match[0]
    identifier = doi_in(text)
    # What a publisher adds is looked for at each character, which takes n^2 steps.
    if identifier is None or len(identifier) > limits.DOI:
        return None
    return _AFTER_DOI.sub("", identifier, count=1)
