"""Decode untrusted bytes, and clean the text.

People save files with any editor, and mail programs re-encode them: byte-order marks, UTF-16, Windows-1252, control
characters, mojibake. All of that ends here, so that a parser sees clean Unicode only.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from bot.model import limits
from bot.model.errors import DigestError

MAX_BYTES = 10_000_000

_BINARY = (  # magic number, name, remedy
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
# UTF-32's little-endian mark begins with UTF-16's, so it must be tried first.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters, lone surrogates, bidirectional overrides ("Trojan Source"), characters that are invisible
# everywhere (soft hyphen, zero-width space, word joiner, inner byte-order mark), and U+FFFE and U+FFFF, which XML
# excludes. The zero-width joiner stays: several scripts need it.
UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
# A run that may hold too many combining marks: the canonical ordering of Unicode's normalisation takes n^2 steps for
# n of them. All combining marks are at U+0300 or above.
_LONG_RUN = re.compile(rf"[\u0300-\U0010ffff]{{{limits.COMBINING + 1},}}")
# Codecs of Python that are not the character set of any document; punycode and idna also take n^2 steps.
_NOT_CHARSETS = {"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"}


def decode(content: bytes, max_bytes: int = MAX_BYTES, kind: str = "digest") -> str:
    """Return the text of the bytes; DigestError if there are too many bytes or they are a known binary format.

    ``kind`` is what messages call the bytes.
    """
    if len(content) > max_bytes:
        size = f"{len(content) / 1_000_000:.1f} MB"
        raise DigestError(f"{size}, more than the {max_bytes // 1_000_000} MB that a {kind} may have; split it")
    for magic, name, remedy in _BINARY:
        if content.startswith(magic):
            raise DigestError(f"binary data ({name}); {remedy}")
    if encoding := detect_encoding(content):
        return content.decode(encoding, errors="replace")
    # UTF-8 with a few broken characters is still UTF-8: a cut-off download or a single pasted byte must not turn every
    # accent of the digest into two Windows-1252 characters.
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
    """Return the encoding that the first bytes prove: by a byte-order mark, or UTF-16 without one; else None."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return encoding
    # In European text, every other byte of UTF-16 is NUL.
    even = content[0:4096:2]
    odd = content[1:4096:2]
    if odd.count(0) > len(odd) / 2 and even.count(0) < len(even) / 10:
        return "utf-16-le"
    if even.count(0) > len(even) / 2 and odd.count(0) < len(odd) / 10:
        return "utf-16-be"
    return None


def tidy(text: str) -> str:
    """Return one line of a title, name or abstract: no unwanted characters, single blanks, mojibake undone."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():  # most texts; the rest has nothing to do for them
        return line
    # UTF-8 that was decoded as Latin-1 and encoded again ("Ã¼" for "ü"). That all non-ASCII characters of a name or a
    # sentence form valid UTF-8 by chance does not happen.
    if not text.isascii():
        for encoding in ("latin-1", "windows-1252"):
            try:
                text = text.encode(encoding).decode("utf-8")
                break
            except UnicodeError:
                continue
    return " ".join(limit_accents(UNWANTED.sub("", text)).split())


def charset(name: str) -> str:
    """Return Python's name of the character set that a document declares; empty if it is not a character set."""
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    # str.encode asks the same private attribute; "hex" and "zlib" are codecs, too.
    is_text = codec._is_text_encoding
    return codec.name if is_text and codec.name not in _NOT_CHARSETS else ""


def limit_accents(text: str) -> str:
    """Cut each run of combining marks to ``limits.COMBINING``, as the Stream-Safe Text Format of UAX 15 does."""

    def shorten(match: re.Match[str]) -> str:
        characters = []
        run = 0
        for character in match[0]:
            run = run + 1 if unicodedata.combining(character) else 0
            if run <= limits.COMBINING:
                characters.append(character)
        return "".join(characters)

    return text if text.isascii() else _LONG_RUN.sub(shorten, text)
