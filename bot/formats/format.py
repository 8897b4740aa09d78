"""The parts that formats share: decoding, XML, CSV, interfaces, limits, and heuristics for names, dates and facts.

bytes --decode, split_lines--> Line --Format.starts, Format.parse--> Entry or the reason of a rejection
bytes --------------------------Document.parse--------------------->   |
                                                 build_digest, within limits --> ParsedDigest
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from itertools import groupby, islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from bot.formats.addresses import without_campaign
from bot.formats.markup import plain
from bot.model import Entry, Fact, FactKind, ParsedDigest, limits
from bot.model.errors import DigestError

MAX_BYTES = 10_000_000

_BINARY = (  # magic number, name, remedy
    (b"PK\x03\x04", "a ZIP archive or an Office document", "unpack it, or save it as text"),
    (b"\x1f\x8b", "a gzip archive", "unpack it"),
    (b"%PDF-", "a PDF", "copy its text into a text file"),
    (b"\xd0\xcf\x11\xe0", "an Office document", "save it as text"),
    (b"\x89PNG", "a PNG picture", "remove it"),
    (b"\xff\xd8\xff", "a JPEG picture", "remove it"),
    (b"GIF8", "a GIF picture", "remove it"),
)
# UTF-32's little-endian mark begins with UTF-16's.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters, lone surrogates, bidirectional overrides ("Trojan Source"), invisible characters but the
# zero-width joiner, which several scripts need, and noncharacters.
UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
# Some programs decode TeX's "\\'\\i" so, and a name then differs from the same name with "í".
_DOTLESS = re.compile("\u0131([\u0300-\u036f])")
FORBIDDEN_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")  # XML 1.0, production [2]
# Unicode's canonical ordering takes n^2 steps for n combining marks. All of them are at U+0300 or above.
_LONG_RUN = re.compile(rf"[\u0300-\U0010ffff]{{{limits.COMBINING + 1},}}")
# Codecs of Python that no document uses. Two take n^2 steps, and the escapes read text as code.
_NOT_CHARSETS = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined", "charmap", "palmos"}


def decode(content: bytes, max_bytes: int = MAX_BYTES, kind: str = "digest") -> str:
    """Return the text of the bytes. Raises DigestError for too many bytes, and for known binary formats."""
    if len(content) > max_bytes:
        size = f"{len(content) / 1_000_000:.1f} MB"
        raise DigestError(f"{size}, more than the {max_bytes // 1_000_000} MB that a {kind} may have; split it")
    for magic, name, remedy in _BINARY:
        if content.startswith(magic):
            raise DigestError(f"binary data ({name}); {remedy}")
    if encoding := detect_encoding(content):
        return content.decode(encoding, errors="replace")
    # A cut-off download or a single pasted byte must not turn every accent into two Windows-1252 characters.
    text = content.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    intact = len(text) - broken - len(text.encode("ascii", errors="ignore"))
    if broken <= intact:
        return text
    try:
        return content.decode("windows-1252")
    except UnicodeDecodeError:  # Windows-1252 leaves five bytes undefined, Latin-1 none
        return content.decode("latin-1")


def detect_encoding(content: bytes) -> str | None:
    """Return the encoding of a byte-order mark, or UTF-16 without one, else None."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return encoding
    # In European text, every other byte of UTF-16 is NUL.
    even, odd = content[0:4096:2], content[1:4096:2]
    for encoding, letters, zeros in (("utf-16-le", even, odd), ("utf-16-be", odd, even)):
        if zeros.count(0) > len(zeros) / 2 and letters.count(0) < len(letters) / 10:
            return encoding
    return None


def tidy(text: str) -> str:
    """Return a text on one line, without unwanted characters and mojibake."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():  # most texts
        return line
    # UTF-8 decoded as Latin-1 and encoded again ("Ã¼" for "ü"). No name or sentence is valid UTF-8 by chance.
    if not text.isascii():
        for encoding in ("latin-1", "windows-1252"):
            try:
                text = text.encode(encoding).decode("utf-8")
                break
            except UnicodeError:
                continue
    text = _DOTLESS.sub(lambda accent: unicodedata.normalize("NFC", f"i{accent[1]}"), text)
    return " ".join(limit_accents(UNWANTED.sub("", text)).split())


def prose(text: str, longest: int) -> str:
    """Return a title or an abstract as one line without markup.

    >>> prose("<i>E. coli</i> &amp; H<sub>2</sub>O, if x < y", 100)
    'E. coli & H2O, if x < y'
    """
    return tidy(plain(text[: limits.MARKUP]))[:longest].rstrip()


def charset(name: str) -> str:
    """Return Python's name of a declared character set, or an empty string."""
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    # str.encode asks the same private attribute; "hex" and "zlib" are codecs, too.
    return codec.name if codec._is_text_encoding and codec.name not in _NOT_CHARSETS else ""


def limit_accents(text: str) -> str:
    """Cut each run of combining marks to ``limits.COMBINING`` (UAX 15, Stream-Safe Text Format)."""

    def shorten(match: re.Match[str]) -> str:
        runs = groupby(match[0], key=lambda character: unicodedata.combining(character) > 0)
        return "".join("".join(islice(run, limits.COMBINING) if is_combining else run) for is_combining, run in runs)

    return text if text.isascii() else _LONG_RUN.sub(shorten, text)


_LONE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});)")  # HTML's entities, too


def read_xml(text: str, tag: str, otherwise: str) -> tuple[Any, list[str]]:
    """Return lxml's root of untrusted XML, up to the first mistake, and a sentence on that.

    It has no entities, opens no file or address, and is at most 256 elements deep. Raises DigestError for a document
    type declaration, and with the text ``otherwise`` if the root is not ``tag``.
    """
    from lxml import etree

    if re.search("<!DOCTYPE", text, re.IGNORECASE):
        raise DigestError("XML with a document type declaration; remove that")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, recover=True, remove_comments=True, remove_pis=True
    )
    # The text is decoded already. The declaration's line stays, so the others keep their numbers.
    document = re.sub(r"\A\s{0,20}<\?xml[^>]{0,200}>", "", FORBIDDEN_IN_XML.sub("", text), count=1)
    try:
        root = etree.fromstring(_LONE_AMPERSAND.sub("&amp;", document).encode(), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None or str(root.tag).lower() != tag:
        raise DigestError(otherwise)
    errors = [error for error in parser.error_log if error.domain_name != "NAMESPACE"]
    return root, [f"line {error.line:,}: {error.message[:200]}" for error in errors[:1]]


def read_csv(text: str, delimiter: str, quote: str = '"') -> Iterator[tuple[int, list[str] | str]]:
    """Yield the first line of each row, and its values or a sentence on a mistake in it."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote, skipinitialspace=True)
    while True:
        line = rows.line_num + 1
        try:
            yield line, next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"line {line:,}: {error}; is a quotation mark missing?"


MAX_LINES = 200_000  # a digest of 10 MB with ordinary abstracts has a third of that
LONGEST_TITLE = 300  # characters; the longest titles on arXiv have some 250
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MAX_UNWANTED = 0.05  # share of all characters; with more of them it isn't text


class Line(NamedTuple):
    """A line of a digest, trimmed and with single blanks. Numbers begin at 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Format:
    """A line-based digest format, recognised by its content alone.

    ``starts(lines)`` yields the indices of the first lines of digests. A digest ends at the next start of any format.
    ``parse(lines)`` reads one digest and never raises. It may get fewer lines than ``starts`` saw.
    """

    title: str
    starts: Callable[[Sequence[Line]], Iterable[int]]
    parse: Callable[[Sequence[Line]], ParsedDigest]
    specificity: int  # the highest one wins where two begin on the same line
    is_rest: Callable[[Sequence[Line]], bool] = lambda _lines: False  # a digest without its first lines


@dataclass(frozen=True, slots=True)
class Document:
    """A digest format that needs the whole file, such as XML or JSON. ``parse`` may raise DigestError."""

    title: str
    beginning: re.Pattern[str]  # of the text without byte-order mark and white space
    parse: Callable[[bytes], ParsedDigest]


def build_digest(format_name: str, topic: str, day: date | None, results: Iterable[Entry | str]) -> ParsedDigest:
    """Return the digest of papers and of sentences on unreadable parts."""
    limited = [within_limits(result) if isinstance(result, Entry) else result for result in results]
    entries = tuple(result for result in limited if isinstance(result, Entry))
    rejected = [result for result in limited if isinstance(result, str)]
    if len(rejected) > limits.REJECTED:
        rejected[limits.REJECTED :] = [f"{len(rejected) - limits.REJECTED:,} more like these"]
    return ParsedDigest(format_name, topic[: limits.TOPIC], day, entries, tuple(rejected))


def digest_without_papers(format_name: str, topic: str, lines: Sequence[Line]) -> ParsedDigest:
    number, text = lines[0]
    problem = f"line {number}: no papers follow {quoted(text)}; another digest begins below it"
    return build_digest(format_name, topic, None, [problem])


_LONGEST = {field.name: field.metadata["longest"] for field in fields(Entry) if field.metadata}


# Not "et al.", "S.A." nor "sp. nov."
_TITLE_END = re.compile(r"(?<=\w\w[\w)\]\"'”’])(?<!\bnov)\.$")


def without_full_stop(title: str) -> str:
    """Return a title without the full stop that some databases write.

    >>> without_full_stop("A study of owls."), without_full_stop("Strix nocturna sp. nov.")
    ('A study of owls', 'Strix nocturna sp. nov.')
    """
    return _TITLE_END.sub("", title)


def within_limits(entry: Entry) -> Entry | str:
    """Return the paper with its fields cut, or a sentence on its authors."""
    if len(entry.authors) > limits.AUTHORS:
        return f"{quoted(entry.title)} has more than the {limits.AUTHORS:,} authors that a paper may have"
    short = (category for category in entry.categories if len(category) <= limits.CATEGORY)
    url = without_campaign(entry.url or "")
    cut: dict[str, Any] = {name: (getattr(entry, name) or "")[:longest] or None for name, longest in _LONGEST.items()}
    return replace(
        entry,
        title=without_full_stop(entry.title),
        authors=tuple(author[: limits.AUTHOR] for author in entry.authors),
        # A cut address would lead elsewhere.
        doi=entry.doi if entry.doi and len(entry.doi) <= limits.DOI else None,
        url=url if url and len(url) <= limits.URL else None,
        categories=tuple(islice(short, limits.CATEGORIES)),
        facts=tuple(replace(fact, value=fact.value[: limits.FACT]) for fact in entry.facts),
        **cut,
    )


def split_lines(decoded: str) -> list[Line]:
    """Return the clean lines of a text. Raises DigestError for empty texts, too many lines, and binary data."""
    cleaned, unwanted = UNWANTED.subn("", decoded)
    if unwanted > len(decoded) * _MAX_UNWANTED:
        raise DigestError("binary data (too many control characters); remove it, or save it as text")
    text = limit_accents(cleaned).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DigestError("empty file")
    if text.count("\n") >= MAX_LINES:
        raise DigestError(f"more than the {MAX_LINES:,} lines that a digest may have; split it")
    cut = (line[: limits.LINE] for line in text.split("\n"))
    return [Line(number, " ".join(line.split())) for number, line in enumerate(cut, start=1)]


# Time zones differ, and some publishers date a day ahead.
_MAX_DAYS_AHEAD = timedelta(days=2)
_AFTER_FULL_STOP = "\"'\u201d\u2019)]"


def calendar_day(day: str, month: str, year: str) -> date | None:
    """Return the date of words such as "6", "May" or "5", "2025", if there is such a day."""
    try:
        return date(int(year), int(month) if month.isdecimal() else MONTHS.index(month[:3].lower()) + 1, int(day))
    except ValueError:
        return None


def is_prose(text: str) -> bool:
    return len(text) > LONGEST_TITLE or text.rstrip(_AFTER_FULL_STOP).endswith(".")


def is_title(text: str) -> bool:
    if len(text) > LONGEST_TITLE or text.startswith(("- ", "* ", "\u2022 ", "\u2013 ")) or "://" in text:
        return False
    return not text.rstrip(_AFTER_FULL_STOP).endswith((".", ":", ";", ","))


def reject_reason(place: str, title: str, abstract: str) -> str | None:
    """Return a sentence if title and abstract can't be a paper's, else None."""
    if not title:
        return f"{place}: a paper without a title"
    if len(title) > limits.TITLE:
        return f"{place}: the title {quoted(title)} has {len(title):,} characters"
    if len(abstract) > limits.ABSTRACT:
        return f"{place}: the abstract of {quoted(title)} has {len(abstract):,} characters"
    return None


def quoted(text: str) -> str:
    return f'"{text}"' if len(text) <= 60 else f'"{text[:57].rstrip()}..."'


def plausible_date(published: date | None, digest: date | None) -> date | None:
    """Return a paper's date, or None if it is after its digest's."""
    if published and digest and published - digest > _MAX_DAYS_AHEAD:
        return None
    return published


_MONTH = rf"(?P<month>{'|'.join(MONTHS)})[a-z]{{0,6}}"
_DAY, _YEAR = r"(?P<day>\d{1,2})", r"(?P<year>(?:19|20)\d\d)"
_YEAR_FIRST = re.compile(
    r"(?<!\d)((?:19|20)\d\d)"
    r"(?: ?[-_./年] ?(0?[1-9]|1[0-2]) ?[-_./月] ?(0?[1-9]|[12]\d|3[01])"
    r"|[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01]))(?!\d)"
)
_WORDED = tuple(
    re.compile(f"(?<![a-z\\d]){parts}(?!\\d)", re.IGNORECASE)
    for parts in (
        f"{_DAY}[-_. ]{{1,2}}{_MONTH}[-_. ,]{{1,2}}{_YEAR}",
        f"{_MONTH}[-_. ]{{1,2}}{_DAY}[-_. ,]{{1,2}}{_YEAR}",
        f"{_YEAR}[-_. ]{_MONTH}[-_. ]{_DAY}",
    )
)
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)\d\d)(?!\d)")
# Words in the file names of most digests.
_STOP_WORDS = frozenset("readme topic related papers paper digest daily arxiv new the of".split())


def date_in(text: str) -> date | None:
    """Return the first day in a text: ``2025-05-06``, ``20250506``, ``6-May-2025``, ``May 6, 2025``, ``2025 May 6``."""
    if year_first := _YEAR_FIRST.search(text):
        return calendar_day(year_first[3] or year_first[5], year_first[2] or year_first[4], year_first[1])
    words = next(filter(None, (days.search(text) for days in _WORDED)), None)
    return calendar_day(words["day"], words["month"], words["year"]) if words else None


def numeric_days(text: str) -> list[date]:
    """Return the possible days of numbers such as 12/02/2026, the American one first."""
    if not (numbers := _NUMERIC.search(text)):
        return []
    first, separator, second, year = numbers.groups()
    american = None if separator == "." else calendar_day(second, first, year)
    return list(dict.fromkeys(filter(None, (american, calendar_day(first, second, year)))))


def topic_in(name: str) -> str:
    """Return a file name without its date and its stop words.

    >>> topic_in("daily/6-May-2025_topic_RAG_related_papers.md")
    'RAG'
    """
    # A feed's digest has the name of its URL, perhaps with a query string.
    stem = PurePosixPath(name).name.partition("?")[0].rpartition(".")[0] or PurePosixPath(name).name
    for pattern in (_YEAR_FIRST, *_WORDED):
        stem = pattern.sub(" ", stem)
    words = (word for word in re.split(r"[\s_-]+", stem) if word.lower() not in _STOP_WORDS)
    return " ".join(filter(None, words))[:60]


def facts_of(origin: str, values: Mapping[FactKind, str]) -> tuple[Fact, ...]:
    """Return the facts that aren't empty."""
    return tuple(Fact(kind, value, origin) for kind, value in values.items() if value)


_PAGES = re.compile(r"\b(\d{1,4})\s*(?:pages|pp\b)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s,;()<>\"']{4,300}", re.IGNORECASE)
_CODE_HOSTS = re.compile(r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/[\w.-]+/[\w.-]", re.IGNORECASE)
_PROJECT = re.compile(r"(?:project|web|home)\s*-?\s*(?:page|site)|website", re.IGNORECASE)
_ACCEPTED = re.compile(
    r"\b(?:accepted (?:at|to|by|for|in)|(?:to appear|published|appeared|presented) (?:at|in)"
    r"|camera[- ]ready (?:for|of))"
    r"\s*:?\s*(?:publication (?:in|at)\s+)?(?:the\s+)?([^,;()]{2,120}?)(?=[,;()]|\.(?:\s|$)|\s+as\s|$)",
    re.IGNORECASE,
)


def from_arxiv(comment: str, journal_ref: str) -> tuple[Fact, ...]:
    """Return the facts in arXiv's fields, with the comment itself.

    >>> [fact.value for fact in from_arxiv("Accepted at ICLR 2026. 12 pages. Code: https://github.com/ada/owls.", "")]
    ['ICLR 2026', '12', 'https://github.com/ada/owls', 'Accepted at ICLR 2026. 12 pages. Code: https://github.com/ada/owls.']
    """
    comment = comment[: limits.FACT]
    journal_ref = journal_ref[: limits.FACT]
    accepted = _ACCEPTED.search(comment)
    pages = _PAGES.search(comment)
    addresses = [address.rstrip(".") for address in _ADDRESS.findall(comment)]
    code = next((address for address in addresses if _CODE_HOSTS.search(address)), "")
    others = [address for address in addresses if address != code]
    is_project = _PROJECT.search(comment) or any(".github.io" in address for address in others)
    values = {
        FactKind.VENUE: journal_ref or (accepted[1].strip() if accepted else ""),
        FactKind.PAGES: pages[1] if pages else "",
        FactKind.CODE: code,
        FactKind.PROJECT: others[0] if others and is_project else "",
        FactKind.COMMENT: comment,
    }
    return facts_of("arXiv", values)
