"""Untrusted XML as a tree: of schedules and lists of feeds. Feeds have a reader of their own, which repairs more."""

from __future__ import annotations

import re
from typing import Any

from bot.model.errors import DigestError

_DECLARATION = re.compile(r"\A\s{0,20}<\?xml[^>]{0,200}>")
# HTML's entities, and the ampersands of addresses, are none of XML's.
_LONE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});)")

_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # of XML 1.0

Element = Any  # of lxml, which ships no types


def read_xml(text: str, tag: str, otherwise: str) -> tuple[Element, list[str]]:
    """Return the root of a document as far as it can be read, and a sentence on the first place that is not XML.

    A document declares no entities, reads no file and no address, and is at most 256 elements deep. Raises DigestError
    if it has a document type declaration, or with the text ``otherwise`` if it does not begin with this tag.
    """
    from lxml import etree

    if re.search("<!DOCTYPE", text, re.IGNORECASE):
        raise DigestError("XML with a document type declaration; remove that")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, recover=True, remove_comments=True, remove_pis=True
    )
    # The text is decoded already; the declaration's line stays, for the numbers of the others.
    document = _LONE_AMPERSAND.sub("&amp;", _DECLARATION.sub("", _NO_CHARACTERS.sub("", text), count=1))
    try:
        root = etree.fromstring(document.encode(), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None or str(root.tag).lower() != tag:
        raise DigestError(otherwise)
    errors = [error for error in parser.error_log if error.domain_name != "NAMESPACE"]
    return root, [f"line {error.line:,}: {error.message[:200]}" for error in errors[:1]]
