"""From the bytes of a digest to clean lines of text.

People save digests with whatever editor they have, and mail programs re-encode them on the way: byte-order
marks, UTF-16, Windows-1252, three kinds of line end, control characters. All of that ends here.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import NamedTuple

from bot import limits
from bot.errors import DigestError

MAX_BYTES = 10_000_000
MAX_LINES = 200_000  # a digest of 10 MB with ordinary abstracts has a third of that

_BINARY = (
    (b"PK\x03\x04", "a ZIP archive or an Office document", "unpack it, or save it as text"),
    (b"\x1f\x8b", "a gzip archive", "unpack it"),
    (b"BZh", "a bzip2 archive", "unpack it"),
    (b"\xfd7zXZ\x00", "an xz archive", "unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it"),
    (b"%PDF-", "a PDF", "copy its text into a text file"),
    (b"\xd0\xcf\x11\xe0", "an Office document", "save it as text"),
    (b"SQLite format 3\x00", "an SQLite database", "remove it"),
    (b"\x89PNG", "a PNG picture", "remove it"),
    (b"\xff\xd8\xff", "a JPEG picture", "remove it"),
    (b"GIF8", "a GIF picture", "remove it"),
)
_BYTE_ORDER_MARKS = (  # UTF-32's begins as UTF-16's does, so it is tried first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters, lone surrogates, bidirectional overrides, and what is invisible wherever it stands (soft
# hyphen, zero-width space, word joiner, inner byte-order mark), and the two that XML can't hold. The zero-width joiner
# stays: scripts need it.
_UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
# What may be too many accents on one letter: ordering n of them takes Unicode's normalisation n^2 steps. All stand
# from U+0300 on; looking for signs that are no letters instead made keyword digests slower (0.10 s for 0.09).
_MANY_SIGNS = re.compile(rf"[\u0300-\U0010ffff]{{{limits.COMBINING + 1},}}")
# Python's codecs that are no character set of any document; the first two need n^2 steps.
_NO_CHARSETS = {"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"}
_MOST_UNWANTED = 0.05  # of all characters; text with more of them isn't text


class Line(NamedTuple):
    """One line of a digest: its number, from 1, and its text, trimmed and with single blanks."""

    number: int
    text: str


def lines(content: bytes) -> list[Line]:
    """The lines of a digest, empty ones included; DigestError where it is empty, too large, or no text."""
    return lines_of(decode(content))


def lines_of(decoded: str) -> list[Line]:
    """The lines of text that was decoded; DigestError as for ``lines``."""
    text = clean(decoded).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DigestError("empty file")
    if text.count("\n") >= MAX_LINES:
        raise DigestError(f"more than the {MAX_LINES:,} lines that a digest may have; split it")
    cut = (line[: limits.LINE] for line in text.split("\n"))
    return [Line(number, " ".join(line.split())) for number, line in enumerate(cut, start=1)]


def decode(content: bytes) -> str:
    """The text that the bytes stand for; DigestError if there are too many of them, or they are no text."""
    if len(content) > MAX_BYTES:
        size, cap = f"{len(content) / 1_000_000:.1f} MB", f"{MAX_BYTES // 1_000_000} MB"
        raise DigestError(f"{size}, more than the {cap} that a digest may have; split it")
    for magic, kind, remedy in _BINARY:
        if content.startswith(magic):
            raise DigestError(f"binary data ({kind}); {remedy}")
    return content.decode(sniffed(content) or _eight_bit(content), errors="replace")


def sniffed(content: bytes) -> str | None:
    """The encoding that the first bytes leave no doubt of: a byte-order mark's, or UTF-16; None for all others."""
    marked = (encoding for mark, encoding in _BYTE_ORDER_MARKS if content.startswith(mark))
    return next(marked, None) or _unmarked_utf16(content)


def clean(text: str) -> str:
    """The text without unwanted characters; DigestError where there are so many that it isn't text."""
    cleaned, unwanted = _UNWANTED.subn("", text)
    if unwanted > len(text) * _MOST_UNWANTED:
        raise DigestError("binary data (too many control characters); remove it, or save it as text")
    return _with_few_accents(cleaned)


def tidy(text: str) -> str:
    """One line of a title, name or abstract: unwanted characters gone, single blanks between words."""
    return " ".join(_with_few_accents(_UNWANTED.sub("", _encoded_once(text))).split())


def charset(name: str) -> str:
    """Python's name for the character set that a document declares; empty where it is none."""
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    is_text = codec._is_text_encoding  # what str.encode asks, too
    return codec.name if is_text and codec.name not in _NO_CHARSETS else ""


def _with_few_accents(text: str) -> str:
    return text if text.isascii() else _MANY_SIGNS.sub(_first_accents, text)


def _first_accents(signs: re.Match[str]) -> str:
    """The signs, of each run of accents the first ones only."""
    chosen, run = [], 0
    for sign in signs[0]:
        run = run + 1 if unicodedata.combining(sign) else 0
        if run <= limits.COMBINING:
            chosen.append(sign)
    return "".join(chosen)


def _encoded_once(text: str) -> str:
    """Text that was taken for Latin-1 and encoded again on its way, as it was: ``Ã¼`` is ``ü``.

    That all of its letters are bytes of valid UTF-8 by chance does not happen in names and sentences.
    """
    if text.isascii():
        return text
    for encoding in ("latin-1", "windows-1252"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return text


def _unmarked_utf16(content: bytes) -> str | None:
    """UTF-16 without a mark: in European text, every other byte is NUL."""
    start = content[:4096]
    low, high = start[0::2], start[1::2]
    if high.count(0) > len(high) / 2 and low.count(0) < len(low) / 10:
        return "utf-16-le"
    if low.count(0) > len(low) / 2 and high.count(0) < len(high) / 10:
        return "utf-16-be"
    return None


def _eight_bit(content: bytes) -> str:
    """UTF-8 if it is, or is but for a few broken characters; else Windows-1252, whose gaps Latin-1 fills."""
    text = content.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    sound = len(text) - broken - len(text.encode("ascii", errors="ignore"))
    if broken <= sound:
        return "utf-8"
    try:
        content.decode("windows-1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "windows-1252"
