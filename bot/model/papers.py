"""Papers: what a source delivers, one work merged from all of them, readers' libraries, conferences' programmes.

Entity resolution: entries with the same DOI or the same arXiv id (without version) are the same paper, otherwise those
with the same normalised title. Two entries that both have an id of one kind, and different ones, are two papers
whatever their titles.
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

# The lookbehind lets the archive's name ("hep-th") match from its first letter only: without it, a run of n letters
# takes n^2 steps (an id of 2 MB: minutes).
_ARXIV = re.compile(
    r"(?<![\d.])(\d{4}\.\d{4,5}|(?<![a-z-])[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d{1,3}))?(?![\d])", re.ASCII
)
# Older DOIs hold the item of a journal (SICI, ANSI/NISO Z39.56): "10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2".
_DOI = re.compile(r"\b10\.\d{4,9}/(?:[^\s<>\"]|<[\dL:][^\s<>\"]{0,60}>(?=\d))+")
_ARXIV_PREFIX = re.compile(r"arxiv[.:]", re.IGNORECASE)
_AFTER_DOI = re.compile(r"(?:[?#]|v\d{1,3}(?:\.[a-z]|$)|\.pdf$|/(?:full|pdf|abstract|html)\b).*", re.ASCII)
# Journals of Cold Spring Harbor have the first prefix, too ("10.1101/gr.275193.120"): preprints have a number, since
# 2019 behind a date.
_BIORXIV_DOI = re.compile(r"10\.(?:1101|64898)/(?:\d{4}\.\d{2}\.\d{2}\.)?\d{6,8}(?:v\d{1,3})?", re.ASCII)
_LONG_TITLE = 130  # characters; Google Scholar cuts titles after some 135, and not always with a mark
# A whole title of fewer words or letters ("Introduction", "A reply") is that of many papers.
_LEAST_TITLE_WORDS, _LEAST_TITLE_LETTERS = 3, 12
_FULL_NAME = re.compile(
    r"[^\W\d_]{2,}(?<![A-Z]{2})[\w'’-]*[^\w.]+\w"
)  # "Ada Lovelace", not "A. Lovelace" or "AB Lovelace"
_CITED_ID = re.compile(r"(doi|arxiv):(\S+)(?: (.*))?", re.DOTALL)
_LATEX_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\s*|.)")
# Prefixes of preprint servers: bioRxiv and medRxiv, arXiv, PsyArXiv, OSF, Research Square, SSRN, ChemRxiv, TechRxiv,
# Preprints.org, and Zenodo, which keeps anything.
_PREPRINT_DOI = re.compile(r"10\.(?:1101|64898|48550|31234|31219|21203|2139|26434|36227|20944|5281)/", re.ASCII)
_PREPRINT_SERVER = re.compile(r"rxiv|ssrn|preprint|research square|zenodo", re.IGNORECASE)


class FactKind(StrEnum):
    """What a fact states."""

    VENUE = "venue"  # where it is published or accepted, as a digest words it
    PAGES = "pages"  # their number
    CODE = "code"  # the address of its code
    STARS = "stars"  # of that code on GitHub
    PROJECT = "project"  # the address of its page
    PDF = "pdf"  # the address of an open-access PDF
    COMMENT = "comment"  # the authors' own, on arXiv
    CITES = "cites"  # a paper that it cites, as ``cited_paper`` reads it; there may be many of one origin
    REFERENCES = "references"  # how many it cites; an origin that states it is not asked again


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact and the digest format or site that states it. Facts are shown, and raise no score by themselves."""

    kind: FactKind
    value: str
    origin: str


# Ids are assigned in order of arrival: a higher id arrived later, and a watermark is one number. Papers of readers'
# libraries, which only their reader's ranking knows, have negative ids.
PaperId = int
# Title and abstract as one text. A type, so that only ``ranked_text`` makes it: a fitted corpus finds its rows by the
# hash of this text, and would miss those of a text that was put together otherwise.
RankedText = NewType("RankedText", str)
_REF = re.compile(r"p(\d{1,18})")  # 18 digits fit into a column of 64 bits


def is_library_paper(paper_id: PaperId) -> bool:
    """Whether the id is that of a paper in a reader's own library."""
    return paper_id < 0


def ranked_text(title: str, abstract: str) -> RankedText:
    return RankedText(f"{title}\n{abstract}")


def parse_ref(text: str) -> PaperId | None:
    """Return the id in a ``Paper.ref``; None for any other text.

    >>> parse_ref("p17"), parse_ref("17")
    (17, None)
    """
    match = _REF.fullmatch(text.strip())
    return int(match[1]) if match else None


SAMPLES = "samples"  # the source of the sample digests


@dataclass(frozen=True, slots=True)
class Sighting:
    """An occurrence of a paper in a digest."""

    source: str
    topic: str
    date: date | None
    alert: str | None = None  # the reader's own alert that the digest answers


@dataclass(frozen=True, slots=True)
class Paper:
    """One work, merged from all digests that contain it; ``sightings`` are in the order of arrival."""

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
    version: int | None = None  # the newest seen, of the arXiv id
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
    """What counts of a paper once it was voted on: its text, and what it is identified by.

    Each batch of readers has thousands of them; reading whole papers takes 2.7 times as long.
    """

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
    """Bytes as a source delivered them; ``name`` is the file name or URL, for messages to people.

    ``if_refused`` completes the problem if they can't be read: "the mail from a@example.org stays unread".
    """

    source: str
    name: str
    content: bytes
    if_refused: str = ""


@dataclass(frozen=True, slots=True)
class SourceState:
    """The history of a source's checks, and what the source itself stores between them (``memory``).

    ``failures`` counts those in a row since the last success, the first at ``failing_since``, the last because of
    ``problem``. The source asked not to be called before ``not_before`` (Retry-After). ``warned`` is the problem that
    was last reported for it, empty if there is none.
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
    """One paper as one digest has it; control characters are removed from its text, LaTeX is kept.

    A title or an abstract of which the digest has only the beginning ends in an ellipsis. Texts with ``longest`` are
    cut to so many characters. Fields that a ``Paper`` has, too, are merged by ``bot.model.papers``.
    """

    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    author_count: int | None = None  # where a digest only counts them
    published: date | None = None
    arxiv_id: str | None = None  # without version
    doi: str | None = None
    url: str | None = None
    upvotes: int | None = None
    organisation: str | None = field(default=None, metadata={"longest": limits.ORGANISATION})
    version: int | None = None  # of the arXiv id
    categories: tuple[str, ...] = ()
    replacement: bool = False  # announced because a new version replaces an announced one
    # The reader's own alert that the digest answers: "Ada Lovelace (new citations)".
    alert: str | None = field(default=None, metadata={"longest": limits.ALERT})
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedDigest:
    """One digest of one day. ``rejected`` has a message for each block that could not be parsed."""

    format: str
    topic: str
    date: date | None
    entries: tuple[Entry, ...]
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """One paper as a library has it, and when the reader added it, where the library says so.

    ``key`` names it in a library that is followed; files have none.
    """

    entry: Entry
    added: date | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class ParsedLibrary:
    """A library's papers. ``skipped`` counts its other entries by the reason, ``problems`` names some of them."""

    format: str
    entries: tuple[LibraryEntry, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A paper of one reader's library as stored; ``origin`` is where it came from.

    The paper's id is negative (see ``is_library_paper``): no page, search or digest knows it.
    """

    paper: Paper
    added: datetime
    origin: str


def arxiv_id_in(text: str) -> str | None:
    """Return the arXiv id in a URL or text, without its version: ``2504.08385``, ``hep-th/9901001``."""
    match = _ARXIV.search(text)
    return match.group(1) if match else None


def arxiv_version_in(text: str) -> int | None:
    """Return the version of the arXiv id in a URL or text, 2 for ``2504.08385v2``; None if it has none."""
    match = _ARXIV.search(text)
    return int(match.group(2)) if match and match.group(2) else None


def doi_in(text: str) -> str | None:
    """Return the DOI in a URL or text, if there is one.

    >>> doi_in("https://doi.org/10.1145/3477495.3531992."), doi_in("10.48550/arXiv.2504.08385")
    ('10.1145/3477495.3531992', None)
    >>> doi_in("(doi:10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2)"), doi_in("<b>10.1016/S0140(05)</b>")
    ('10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2', '10.1016/S0140(05)')
    """
    match = _DOI.search(text)
    # arXiv registers a DOI for each arXiv id. As a key it would make the preprint and the published version, which
    # has the journal's DOI and the same arXiv id, two papers.
    if match is None or match[0].lower().startswith("10.48550/arxiv."):
        return None
    # A parenthesis that the DOI opens belongs to it, also at its end.
    doi = match[0].rstrip(".,;)")
    closings = len(match[0][len(doi) :]) - len(match[0][len(doi) :].lstrip(")"))
    return doi + ")" * min(closings, max(doi.count("(") - doi.count(")"), 0))


def keys_in(text: str) -> list[str]:
    """Return the identity keys of the arXiv id and the DOI in what somebody typed or pasted, in any usual form.

    >>> keys_in("arXiv:2504.08385v2"), keys_in("https://doi.org/10.48550/arXiv.2504.08385")
    (['arxiv:2504.08385'], ['arxiv:2504.08385'])
    >>> keys_in("biorxiv.org/content/10.1101%2F2024.01.02.123456v1.full")[-1]
    'doi:10.1101/2024.01.02.123456'
    """
    text = unquote(text)
    arxiv_id = arxiv_id_in(_ARXIV_PREFIX.sub(" ", text))
    doi = doi_in(text)
    # A publisher's address may go on behind the DOI.
    dois = dict.fromkeys([doi, _AFTER_DOI.sub("", doi)]) if doi else ()
    return [*([f"arxiv:{arxiv_id}"] if arxiv_id else []), *(f"doi:{known.lower()}" for known in dois)]


def is_biorxiv_doi(text: str) -> bool:
    """Whether a DOI is that of a preprint at bioRxiv or medRxiv, which share their prefixes.

    >>> is_biorxiv_doi("10.64898/2026.01.20.700468"), is_biorxiv_doi("10.1101/gr.275193.120")
    (True, False)
    """
    return _BIORXIV_DOI.fullmatch(text) is not None


def normalised_title(title: str) -> str:
    r"""Return a title's letters and digits in lower case, without accents and LaTeX commands.

    >>> normalised_title(r"Erd\H{o}s & \textbf{SIM-RAG}:  a Study ")
    'erdossimragastudy'
    """
    # NFKD separates accents from letters (isalnum drops them) and resolves ligatures, which PDFs and mails insert.
    text = unicodedata.normalize("NFKD", _LATEX_COMMAND.sub("", title)).casefold()
    normalised = "".join(character for character in text if character.isalnum())
    # Otherwise all titles without a letter or digit ("???") would be one paper.
    return normalised or unicodedata.normalize("NFKC", title).casefold().strip()


def keys(entry: Entry | Paper | VotedPaper) -> tuple[str, ...]:
    """Return the identity keys of a paper, strongest first; two entries that share a key may be the same paper."""
    doi_keys = (f"doi:{entry.doi.lower()}",) if entry.doi else ()  # case-insensitive (DOI Handbook, 2.4)
    arxiv_keys = (f"arxiv:{entry.arxiv_id}",) if entry.arxiv_id else ()
    return (*doi_keys, *arxiv_keys, f"title:{normalised_title(entry.title)}")


def is_same_paper(entry: Entry | Paper, paper: Entry | Paper) -> bool:
    """Whether an entry that shares a key with a paper is that paper."""
    for entry_id, paper_id in ((entry.doi, paper.doi), (entry.arxiv_id, paper.arxiv_id)):
        if entry_id and paper_id:
            return entry_id.lower() == paper_id.lower()
    return normalised_title(entry.title) == normalised_title(paper.title)


# The fields that entries and papers have in common. One that ``merge`` doesn't name is filled where it is empty.
_SHARED = [field.name for field in fields(Entry) if field.name in Paper.__dataclass_fields__]


def new_paper(entry: Entry, paper_id: PaperId, now: datetime) -> Paper:
    """Return a new paper with the fields of the first entry that mentions it."""
    values: dict[str, Any] = {name: getattr(entry, name) for name in _SHARED}
    values["author_count"] = entry.author_count or len(entry.authors) or None
    return Paper(id=paper_id, first_seen=now, **values)


def merge(paper: Paper, entry: Entry) -> Paper:
    """Return the paper with what another entry adds: empty fields are filled, values are not overwritten.

    A whole title or abstract replaces a cut one; of two whole abstracts a later version's is kept, else the longer one.
    Full names replace initials. The earlier of two dates is kept, the most upvotes and the newest version; categories
    are collected in the order in which they were seen. A fact replaces an earlier one of its kind and origin, but
    citations are collected.
    """
    dates = [day for day in (paper.published, entry.published) if day]
    votes = [count for count in (paper.upvotes, entry.upvotes) if count is not None]
    versions = [version for version in (paper.version, entry.version) if version is not None]
    authors = paper.authors or entry.authors
    # Google Scholar abbreviates all first names ("AB Lovelace"), and leaves out the last of many authors.
    names = [name.split() for name in authors]
    is_abbreviated = all(len(name) > 1 and name[0].isupper() and len(name[0]) <= 3 for name in names)
    if is_abbreviated and len(entry.authors) >= len(authors):
        authors = entry.authors
    values: dict[str, Any] = {name: getattr(paper, name) or getattr(entry, name) for name in _SHARED}
    values |= {
        "title": entry.title if _is_beginning(paper.title, entry.title) else paper.title,
        "abstract": _better_abstract(paper, entry),
        "authors": authors,
        "author_count": len(authors) or paper.author_count or entry.author_count,
        "published": min(dates, default=None),
        "upvotes": max(votes, default=None),
        "version": max(versions, default=None),
        "categories": tuple(dict.fromkeys(paper.categories + entry.categories)),
        "facts": tuple({_fact_key(fact): fact for fact in paper.facts + entry.facts}.values()),
    }
    return replace(paper, **values)


def _better_abstract(paper: Paper, entry: Entry) -> str:
    """Return a later version's abstract, else the one that is not cut, and of two whole ones the longer."""
    is_later = entry.version is not None and entry.version > (paper.version or 1)
    if is_later and entry.abstract and not is_cut(entry.abstract):
        return entry.abstract
    # Many digests cut abstracts without a mark; then the longer one is the complete one.
    return max(paper.abstract, entry.abstract, key=lambda text: (bool(text), not is_cut(text), len(text)))


def _fact_key(fact: Fact) -> tuple[str, str, str]:
    return fact.kind, fact.origin, fact.value if fact.kind is FactKind.CITES else ""


def citation(cited: Entry, origin: str) -> Fact:
    """Return the fact that a paper cites this one, by its strongest id and its title.

    >>> citation(Entry("Numbers in nature", doi="10.1000/X"), "OpenAlex").value
    'doi:10.1000/x Numbers in nature'
    """
    key, *_ = keys(cited)
    identifier = "" if key.startswith("title:") else f"{key} "
    return Fact(FactKind.CITES, f"{identifier}{cited.title}", origin)


def cited_paper(fact: Fact) -> Entry:
    """Return the cited paper of a fact that ``citation`` made; its value may be a title alone."""
    match = _CITED_ID.fullmatch(fact.value)
    if not match:
        return Entry(fact.value)
    kind, identifier, title = match.groups(default="")
    return Entry(title, doi=identifier) if kind == "doi" else Entry(title, arxiv_id=identifier)


def is_cited(cited: Entry, paper: Entry | Paper) -> bool:
    """Whether a citation names this very paper: by an id of both, or by its whole title if it is no common one."""
    if (cited.doi and paper.doi) or (cited.arxiv_id and paper.arxiv_id):
        return is_same_paper(cited, paper)
    is_distinctive = (
        len(cited.title.split()) >= _LEAST_TITLE_WORDS and len(normalised_title(cited.title)) >= _LEAST_TITLE_LETTERS
    )
    return is_distinctive and not (is_cut(cited.title) or is_cut(paper.title)) and is_same_paper(cited, paper)


def publication(paper: Paper) -> str:
    """Return the venue of a paper, or a journal's DOI; empty where neither was seen, as of a preprint."""
    venues = (fact.value for fact in paper.facts if fact.kind is FactKind.VENUE)
    venue = next((venue for venue in venues if not _PREPRINT_SERVER.search(venue)), "")
    return venue or (paper.doi if paper.doi and not _is_preprint_doi(paper.doi) else "")


def is_preprint(paper: Paper) -> bool:
    """Whether all that was seen of a paper is a preprint."""
    return bool(paper.arxiv_id or (paper.doi and _is_preprint_doi(paper.doi))) and not publication(paper)


def _is_preprint_doi(doi: str) -> bool:
    # Journals of Cold Spring Harbor share bioRxiv's first prefix.
    return is_biorxiv_doi(doi) if doi.startswith("10.1101/") else bool(_PREPRINT_DOI.match(doi))


def leading_authors(paper: Paper) -> list[str]:
    """Return the first and the last author, normalised to compare names; none whose first name is an initial."""
    names = dict.fromkeys((*paper.authors[:1], *paper.authors[-1:]))
    return [normalised_title(name) for name in names if _FULL_NAME.match(name) and normalised_title(name)]


def _is_beginning(title: str, other: str) -> bool:
    """Whether a title is cut, and another one whole that begins with it."""
    if is_cut(other) or not (is_cut(title) or len(title) > _LONG_TITLE):
        return False
    beginning = normalised_title(title)
    complete = normalised_title(other)
    return len(complete) > len(beginning) and complete.startswith(beginning)


def is_cut(text: str) -> bool:
    """Whether a digest has only the beginning of a title or an abstract."""
    return text.rstrip("] ").endswith(("\u2026", "..."))


@dataclass(frozen=True, slots=True)
class PaperLink:
    """Where a paper's title leads; ``is_search`` if no digest named an address and a title search stands in."""

    url: str
    is_search: bool = False


def paper_link(paper: Paper) -> PaperLink:
    """Return a paper's best address: the digest's own, arXiv's, the DOI's, else an arXiv title search.

    The page of the abstract instead of arXiv's PDF.
    """
    is_arxiv_pdf = paper.arxiv_id and re.match(r"https?://(www\.|export\.)?arxiv\.org/pdf/", paper.url or "")
    if not is_arxiv_pdf and paper.url and paper.url.startswith(("https://", "http://")):
        return PaperLink(paper.url)
    if paper.arxiv_id:
        return PaperLink(f"https://arxiv.org/abs/{paper.arxiv_id}")
    if paper.doi:
        return PaperLink(f"https://doi.org/{quote_plus(paper.doi, safe='/')}")
    # Punctuation is part of arXiv's query syntax: a colon names a field, a quotation mark opens a phrase.
    words = re.sub(r"[^\w\s-]", " ", _LATEX_COMMAND.sub("", paper.title))
    query = quote_plus(" ".join(words.split()))
    return PaperLink(f"https://arxiv.org/search/?query={query}&searchtype=title", is_search=True)


# Begins the name of the source under which planned papers are stored; no source of the settings can have such a name.
PROGRAMME_SOURCE = "conference: "


@dataclass(frozen=True, slots=True)
class Contribution:
    """One paper at one place of the programme; what the file doesn't say is None or empty.

    ``start`` and ``end`` are naive where the file names no time zone; ``is_utc`` where it states UTC instead of the
    time of a place. ``kind`` is as in the file: "Oral", "poster".
    """

    entry: Entry
    day: date | None = None
    start: datetime | None = None
    end: datetime | None = None
    is_utc: bool = False
    room: str = ""
    session: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ParsedProgramme:
    """A programme. ``withdrawn`` counts what was left out as rejected, withdrawn or cancelled.

    ``problems`` has a sentence for each row, or part of a row, that could not be read.
    """

    format: str
    contributions: tuple[Contribution, ...]
    withdrawn: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedFeed:
    """A feed of a list: its address, and its title there, which may be empty."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class ParsedFeeds:
    """A list of feeds. ``problems`` has a sentence for each of its lines that is no feed that can be added."""

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
    """Everything in a file: one result, or several digests."""

    kind: InspectedKind
    results: tuple[ParsedDigest | ParsedLibrary | ParsedProgramme | ParsedFeeds, ...]
