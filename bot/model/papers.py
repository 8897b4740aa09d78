"""Papers from sources, libraries and conference programmes, and their identity.

Entity resolution: entries with the same DOI or arXiv id, or else the same normalised title, are one paper. Different
ids of the same kind mean different papers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple, NewType
from urllib.parse import quote_plus, unquote

from bot.model import limits

# The lookbehind anchors an archive's name ("hep-th") at its first letter, or n letters would take n^2 steps.
_ARXIV = re.compile(
    r"(?<![\d.])(\d{4}\.\d{4,5}|(?<![a-z-])[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d{1,3}))?(?![\d])", re.ASCII
)
# Older DOIs contain a journal's item (SICI, ANSI/NISO Z39.56): "10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2".
_DOI = re.compile(r"\b10\.\d{4,9}/(?:[^\s<>\"]|<[\dL:][^\s<>\"]{0,60}>(?=\d))+")
_ARXIV_PREFIX = re.compile(r"arxiv[.:]", re.IGNORECASE)
_AFTER_DOI = re.compile(r"(?:[?#]|v\d{1,3}(?:\.[a-z]|$)|\.pdf$|/(?:full|pdf|abstract|html)\b).*", re.ASCII)
# Journals of Cold Spring Harbor share the first prefix ("10.1101/gr.275193.120"). Preprints have a number.
_BIORXIV_DOI = re.compile(r"10\.(?:1101|64898)/(?:\d{4}\.\d{2}\.\d{2}\.)?\d{6,8}(?:v\d{1,3})?", re.ASCII)
_LONG_TITLE = 130  # characters; Google Scholar cuts at about 135, sometimes without a mark
_LEAST_TITLE_WORDS, _LEAST_TITLE_LETTERS = 3, 12
# "Ada Lovelace", not "A. Lovelace", "AB Lovelace" or PubMed's "Lovelace A", as many people are called.
_FULL_NAME = re.compile(r"(?!.*[^\w.][A-Z]{1,3}\.?(?:[ -]?[A-Z]\.?)*$)[^\W\d_]{2,}(?<![A-Z]{2})[\w'’-]*[^\w.]+\w")
_CITED_ID = re.compile(r"(doi|arxiv):(\S+)(?: (.*))?", re.DOTALL)
_LATEX_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\s*|.)")
_PREPRINT_DOI = re.compile(r"10\.(?:1101|64898|48550|31234|31219|21203|2139|26434|36227|20944|5281)/", re.ASCII)
_PREPRINT_SERVER = re.compile(r"rxiv|ssrn|preprint|research square|zenodo", re.IGNORECASE)


class FactKind(StrEnum):
    """The kinds of facts."""

    VENUE = "venue"
    PAGES = "pages"
    CODE = "code"  # address
    STARS = "stars"  # of the code on GitHub
    PROJECT = "project"  # address
    PDF = "pdf"  # address, open access
    COMMENT = "comment"  # the authors' own, on arXiv
    CITES = "cites"  # a cited paper, for ``cited_paper``; an origin may state many
    REFERENCES = "references"  # their number


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, and the format or site that states it. Facts raise no score."""

    kind: FactKind
    value: str
    origin: str


# Ids ascend with arrival. Papers of libraries have negative ids.
PaperId = int
RankedText = NewType("RankedText", str)
_REF = re.compile(r"p(\d{1,18})")  # 18 digits fit into 64 bits


def is_library_paper(paper_id: PaperId) -> bool:
    return paper_id < 0


def ranked_text(title: str, abstract: str) -> RankedText:
    return RankedText(f"{title}\n{abstract}")


def parse_ref(text: str) -> PaperId | None:
    """Return the id in a ``Paper.ref``, or None for other text.

    >>> parse_ref("p17"), parse_ref("17")
    (17, None)
    """
    match = _REF.fullmatch(text.strip())
    return int(match[1]) if match else None


SAMPLES = "samples"


@dataclass(frozen=True, slots=True)
class Sighting:
    """An occurrence of a paper in a digest."""

    source: str
    topic: str
    date: date | None
    alert: str | None = None  # that the digest answers


@dataclass(frozen=True, slots=True)
class Paper:
    """One work, merged from all digests. ``sightings`` are in order of arrival."""

    id: PaperId
    title: str
    abstract: str
    authors: tuple[str, ...]
    author_count: int | None
    published: date | None
    arxiv_id: str | None
    doi: str | None
    url: str | None
    upvotes: int | None
    organisation: str | None
    first_seen: datetime
    sightings: tuple[Sighting, ...] = ()
    version: int | None = None  # the newest seen of the arXiv id
    categories: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def ref(self) -> str:
        """The id in commands and JSON: ``p17``."""
        return f"p{self.id}"

    @property
    def text(self) -> RankedText:
        return ranked_text(self.title, self.abstract)


class VotedPaper(NamedTuple):
    """The fields of a voted paper that ranking needs, fast to read."""

    id: PaperId
    title: str
    abstract: str
    arxiv_id: str | None
    doi: str | None

    @property
    def text(self) -> RankedText:
        return ranked_text(self.title, self.abstract)


@dataclass(frozen=True, slots=True)
class RawDigest:
    """Bytes as a source delivered them."""

    source: str
    name: str  # a file name or URL, for messages
    content: bytes
    if_refused: str = ""  # completes a problem: "the mail from a@example.org stays unread"


@dataclass(frozen=True, slots=True)
class SourceState:
    """The history of a source's checks, and the source's own ``memory``.

    ``failures`` counts since the last success, and ``failing_since`` dates the first. ``not_before`` is from
    Retry-After. ``warned`` is the trouble last reported.
    """

    name: str
    checked_at: datetime | None = None
    succeeded_at: datetime | None = None
    failures: int = 0
    problem: str = ""
    not_before: datetime | None = None
    warned: str = ""
    memory: Mapping[str, str] = field(default_factory=dict)
    failing_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper in one digest, without control characters but with LaTeX. Cut texts end in an ellipsis."""

    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    author_count: int | None = None  # where a digest only counts them
    published: date | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    url: str | None = None
    upvotes: int | None = None
    organisation: str | None = field(default=None, metadata={"longest": limits.ORGANISATION})
    version: int | None = None  # of the arXiv id
    categories: tuple[str, ...] = ()
    replacement: bool = False  # a new version of an announced paper
    # "Ada Lovelace (new citations)", if the digest answers a reader's alert.
    alert: str | None = field(default=None, metadata={"longest": limits.ALERT})
    facts: tuple[Fact, ...] = ()


CUT_OFF = "cut off: "  # begins the message on a digest without its end


@dataclass(frozen=True, slots=True)
class ParsedDigest:
    """A digest of one day. ``rejected`` has a message for each unreadable block."""

    format: str
    topic: str
    date: date | None
    entries: tuple[Entry, ...]
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A paper in a library. A followed library has its ``key``."""

    entry: Entry
    added: date | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class ParsedLibrary:
    """A library's papers. ``skipped`` counts others by reason."""

    format: str
    entries: tuple[LibraryEntry, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A stored paper of a reader's library. Its id is negative."""

    paper: Paper
    added: datetime
    origin: str


def arxiv_id_in(text: str) -> str | None:
    """Return the arXiv id in a URL or text, without version: ``2504.08385``, ``hep-th/9901001``."""
    match = _ARXIV.search(text)
    return match.group(1) if match else None


def arxiv_version_in(text: str) -> int | None:
    """Return the version in a URL or text: 2 for ``2504.08385v2``."""
    match = _ARXIV.search(text)
    return int(match.group(2)) if match and match.group(2) else None


def doi_in(text: str) -> str | None:
    """Return the DOI in a URL or text.

    >>> doi_in("https://doi.org/10.1145/3477495.3531992."), doi_in("10.48550/arXiv.2504.08385")
    ('10.1145/3477495.3531992', None)
    >>> doi_in("(doi:10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2)"), doi_in("<b>10.1016/S0140(05)</b>")
    ('10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2', '10.1016/S0140(05)')
    """
    match = _DOI.search(text)
    # arXiv's DOI would separate the preprint from the version with a journal's DOI.
    if match is None or match[0].lower().startswith("10.48550/arxiv."):
        return None
    # Parentheses that the DOI opens belong to it.
    doi = match[0].rstrip(".,;)")
    closings = len(match[0][len(doi) :]) - len(match[0][len(doi) :].lstrip(")"))
    return doi + ")" * min(closings, max(doi.count("(") - doi.count(")"), 0))


def keys_in(text: str) -> list[str]:
    """Return the identity keys of the arXiv id and DOI in pasted text.

    >>> keys_in("arXiv:2504.08385v2"), keys_in("https://doi.org/10.48550/arXiv.2504.08385")
    (['arxiv:2504.08385'], ['arxiv:2504.08385'])
    >>> keys_in("biorxiv.org/content/10.1101%2F2024.01.02.123456v1.full")[-1]
    'doi:10.1101/2024.01.02.123456'
    """
    text = unquote(text)
    arxiv_id = arxiv_id_in(_ARXIV_PREFIX.sub(" ", text))
    doi = doi_in(text)
    # A publisher's address may continue after the DOI.
    dois = dict.fromkeys([doi, _AFTER_DOI.sub("", doi)]) if doi else ()
    return [*([f"arxiv:{arxiv_id}"] if arxiv_id else []), *(f"doi:{known.lower()}" for known in dois)]


def is_biorxiv_doi(text: str) -> bool:
    """Return whether a DOI is a preprint's at bioRxiv or medRxiv.

    >>> is_biorxiv_doi("10.64898/2026.01.20.700468"), is_biorxiv_doi("10.1101/gr.275193.120")
    (True, False)
    """
    return _BIORXIV_DOI.fullmatch(text) is not None


def normalised_title(title: str) -> str:
    r"""Return a title's letters and digits in lower case, without accents and LaTeX commands.

    >>> normalised_title(r"Erd\H{o}s & \textbf{SIM-RAG}:  a Study ")
    'erdossimragastudy'
    """
    # NFKD separates accents, which isalnum drops, and resolves ligatures.
    text = unicodedata.normalize("NFKD", _LATEX_COMMAND.sub("", title)).casefold()
    normalised = "".join(filter(str.isalnum, text))
    # Otherwise all titles without letters and digits ("???") would be one paper.
    return normalised or unicodedata.normalize("NFKC", title).casefold().strip()


def keys(entry: Entry | Paper | VotedPaper) -> tuple[str, ...]:
    """Return a paper's identity keys, strongest first. Papers with a shared key may be the same."""
    doi_keys = (f"doi:{entry.doi.lower()}",) if entry.doi else ()  # case-insensitive (DOI Handbook, 2.4)
    arxiv_keys = (f"arxiv:{entry.arxiv_id}",) if entry.arxiv_id else ()
    return (*doi_keys, *arxiv_keys, f"title:{normalised_title(entry.title)}")


def is_same_paper(entry: Entry | Paper, paper: Entry | Paper) -> bool:
    for entry_id, paper_id in ((entry.doi, paper.doi), (entry.arxiv_id, paper.arxiv_id)):
        if entry_id and paper_id:
            return entry_id.lower() == paper_id.lower()
    return normalised_title(entry.title) == normalised_title(paper.title)


_SHARED = [field.name for field in fields(Entry) if field.name in Paper.__dataclass_fields__]


def new_paper(entry: Entry, paper_id: PaperId, now: datetime) -> Paper:
    values: dict[str, Any] = {name: getattr(entry, name) for name in _SHARED}
    values["author_count"] = entry.author_count or len(entry.authors) or None
    return Paper(id=paper_id, first_seen=now, **values)


def merge(paper: Paper, entry: Entry) -> Paper:
    """Return the paper with an entry's additions in empty fields.

    A complete text replaces a cut one. A later version's abstract wins, or else the longer one. Full names replace
    initials. Dates keep the earliest, upvotes and versions the highest. A fact replaces an earlier one of its kind and
    origin, except citations.
    """
    dates = [day for day in (paper.published, entry.published) if day]
    votes = [count for count in (paper.upvotes, entry.upvotes) if count is not None]
    versions = [version for version in (paper.version, entry.version) if version is not None]
    authors = paper.authors or entry.authors
    # Google Scholar abbreviates first names ("AB Lovelace") and drops the last of many authors.
    names = [name.split() for name in authors]
    is_abbreviated = all(len(name) > 1 and name[0].isupper() and len(name[0]) <= 3 for name in names)
    if is_abbreviated and len(entry.authors) >= len(authors):
        authors = entry.authors
    # Many digests cut without a mark, so the longer text wins.
    abstract = max(paper.abstract, entry.abstract, key=lambda text: (bool(text), not is_cut(text), len(text)))
    is_later = entry.version is not None and entry.version > (paper.version or 1)
    if is_later and entry.abstract and not is_cut(entry.abstract):
        abstract = entry.abstract
    facts = {
        (fact.kind, fact.origin, fact.value if fact.kind is FactKind.CITES else ""): fact
        for fact in paper.facts + entry.facts
    }
    values: dict[str, Any] = {name: getattr(paper, name) or getattr(entry, name) for name in _SHARED}
    values |= {
        "title": entry.title if _is_beginning(paper.title, entry.title) else paper.title,
        "abstract": abstract,
        "authors": authors,
        "author_count": len(authors) or paper.author_count or entry.author_count,
        "published": min(dates, default=None),
        "upvotes": max(votes, default=None),
        "version": max(versions, default=None),
        "categories": tuple(dict.fromkeys(paper.categories + entry.categories)),
        "facts": tuple(facts.values()),
    }
    return replace(paper, **values)


def citation(cited: Entry, origin: str) -> Fact:
    """Return the fact that a paper cites this one, by its strongest id and title.

    >>> citation(Entry("Numbers in nature", doi="10.1000/X"), "OpenAlex").value
    'doi:10.1000/x Numbers in nature'
    """
    key, *_ = keys(cited)
    identifier = "" if key.startswith("title:") else f"{key} "
    return Fact(FactKind.CITES, f"{identifier}{cited.title}", origin)


def cited_paper(fact: Fact) -> Entry:
    match = _CITED_ID.fullmatch(fact.value)
    if not match:
        return Entry(fact.value)
    kind, identifier, title = match.groups(default="")
    return Entry(title, doi=identifier) if kind == "doi" else Entry(title, arxiv_id=identifier)


def is_cited(cited: Entry, paper: Entry | Paper) -> bool:
    """Return whether a citation names this paper, by id or distinctive title."""
    if (cited.doi and paper.doi) or (cited.arxiv_id and paper.arxiv_id):
        return is_same_paper(cited, paper)
    is_distinctive = (
        len(cited.title.split()) >= _LEAST_TITLE_WORDS and len(normalised_title(cited.title)) >= _LEAST_TITLE_LETTERS
    )
    return is_distinctive and not (is_cut(cited.title) or is_cut(paper.title)) and is_same_paper(cited, paper)


def publication(paper: Paper) -> str:
    """Return a paper's venue or its journal's DOI, or an empty string."""
    venues = (fact.value for fact in paper.facts if fact.kind is FactKind.VENUE)
    venue = next((venue for venue in venues if not _PREPRINT_SERVER.search(venue)), "")
    return venue or (paper.doi if paper.doi and not _is_preprint_doi(paper.doi) else "")


def is_preprint(paper: Paper) -> bool:
    return bool(paper.arxiv_id or (paper.doi and _is_preprint_doi(paper.doi))) and not publication(paper)


def _is_preprint_doi(doi: str) -> bool:
    return is_biorxiv_doi(doi) if doi.startswith("10.1101/") else bool(_PREPRINT_DOI.match(doi))


def leading_authors(paper: Paper) -> list[str]:
    """Return the first and last author, normalised. Leaves out names with initials."""
    names = dict.fromkeys((*paper.authors[:1], *paper.authors[-1:]))
    return [normalised_title(name) for name in names if _FULL_NAME.match(name) and normalised_title(name)]


def _is_beginning(title: str, other: str) -> bool:
    if is_cut(other) or not (is_cut(title) or len(title) > _LONG_TITLE):
        return False
    beginning = normalised_title(title)
    complete = normalised_title(other)
    return complete != beginning and complete.startswith(beginning)


def is_cut(text: str) -> bool:
    return text.rstrip("] ").endswith(("\u2026", "..."))


@dataclass(frozen=True, slots=True)
class PaperLink:
    """The link of a paper's title, or of a search for it at a ``site``."""

    url: str
    site: str = ""

    @property
    def is_search(self) -> bool:
        return bool(self.site)


def paper_link(paper: Paper) -> PaperLink:
    """Return the digest's address, arXiv's abstract page, the DOI's, or a search for the title.

    arXiv may not have a journal's paper, so the search is at Google Scholar.
    """
    is_arxiv_pdf = paper.arxiv_id and re.match(r"https?://(www\.|export\.)?arxiv\.org/pdf/", paper.url or "")
    if not is_arxiv_pdf and paper.url and paper.url.startswith(("https://", "http://")):
        return PaperLink(paper.url)
    if paper.arxiv_id:
        return PaperLink(f"https://arxiv.org/abs/{paper.arxiv_id}")
    if paper.doi:
        return PaperLink(f"https://doi.org/{quote_plus(paper.doi, safe='/')}")
    words = re.sub(r"[^\w\s-]", " ", _LATEX_COMMAND.sub("", paper.title))
    query = quote_plus(" ".join(words.split()))
    if publication(paper):
        return PaperLink(f"https://scholar.google.com/scholar?q={query}", "Google Scholar")
    return PaperLink(f"https://arxiv.org/search/?query={query}&searchtype=title", "arXiv")


# Prefixes the source of planned papers. The settings allow no such name.
PROGRAMME_SOURCE = "conference: "
# The source of the made-up paper on which a test mail asks for a thumb.
TEST_SOURCE = f"{PROGRAMME_SOURCE}a test"


@dataclass(frozen=True, slots=True)
class Contribution:
    """A paper at one place of a programme. Times are naive if the file names no time zone."""

    entry: Entry
    day: date | None = None
    start: datetime | None = None
    end: datetime | None = None
    is_utc: bool = False
    room: str = ""
    session: str = ""
    kind: str = ""  # as in the file: "Oral", "poster"


@dataclass(frozen=True, slots=True)
class ParsedProgramme:
    """A programme. ``problems`` has a sentence for each unreadable row."""

    format: str
    contributions: tuple[Contribution, ...]
    withdrawn: int = 0  # or rejected, or cancelled
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedFeed:
    """A feed in a list."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class ParsedFeeds:
    """A list of feeds. ``problems`` has a sentence for each unusable line."""

    format: str
    feeds: tuple[ListedFeed, ...]
    problems: tuple[str, ...] = ()


class InspectedKind(StrEnum):
    """The kinds of files that Paperbot reads."""

    DIGEST = "digest"
    LIBRARY = "library"
    PROGRAMME = "programme"
    FEEDS = "feeds"


@dataclass(frozen=True, slots=True)
class Inspection:
    """A file's content: one result, or several digests."""

    kind: InspectedKind
    results: tuple[ParsedDigest | ParsedLibrary | ParsedProgramme | ParsedFeeds, ...]
