"""Untrusted XML as a tree: of schedules and lists of feeds. Feeds have a reader of their own, which repairs more."""

from __future__ import annotations

import re
from typing import Any

from bot.formats.format import charset, decode, detect_encoding
from bot.model.errors import DigestError

_DECLARED = re.compile(rb"[^<]{0,9}<\?xml[^>]{0,100}?encoding\s?=\s?[\"']([\w.:-]{1,40})")
_DECLARATION = re.compile(r"\A\s{0,20}<\?xml[^>]{0,200}>")
# HTML's entities, and the ampersands of addresses, are none of XML's.
_LONE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});)")

_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # of XML 1.0

Element = Any  # of lxml, which ships no types


def text_of(content: bytes, max_bytes: int, kind: str) -> str:
    """Return the text of a document in the character set that it declares; raises DigestError as ``decode``."""
    text = decode(content, max_bytes, kind)
    declared = _DECLARED.match(content[:200])
    encoding = charset(declared[1].decode("ascii", "replace")) if declared and not detect_encoding(content) else ""
    try:
        return content.decode(encoding) if encoding else text
    except UnicodeError:  # a wrong declaration
        return text


def read_xml(text: str) -> Element | None:
    """Return the root of a document, as far as it can be read; None without one.

    A document declares no entities, reads no file and no address, and is at most 256 elements deep. Raises DigestError
    if it has a document type declaration.
    """
    from lxml import etree

    if re.search("<!DOCTYPE", text, re.IGNORECASE):
        raise DigestError("XML with a document type declaration; remove that")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, recover=True, remove_comments=True, remove_pis=True
    )
    # What the declaration says was heeded when the bytes were decoded; its line stays, for the numbers of the others.
    document = _NO_CHARACTERS.sub("", _LONE_AMPERSAND.sub("&amp;", _DECLARATION.sub("", text, count=1)))
    try:
        return etree.fromstring(document.encode(), parser)
    except etree.XMLSyntaxError:
        return None


def problems_of(root: Element) -> list[str]:
    """Return a sentence on the first place where the document is not well-formed."""
    return [f"line {error.line:,}: {error.message[:200]}" for error in root.getroottree().parser.error_log[:1]]
