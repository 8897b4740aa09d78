"""Libraries in XML: EndNote's records, and Zotero's RDF.

    EndNote   <xml><records><record><titles><title><style>...</style></title></titles>...</record></records></xml>
    Zotero    <rdf:RDF><bib:Article rdf:about="#item_1"><dc:title>...</dc:title>...</bib:Article></rdf:RDF>

lxml reads them record by record. It expands no entity, opens nothing, and refuses elements deeper than 256.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from bot.formats.libraries.reference import PREAMBLE, Reference, fields, reference
from bot.model.errors import DigestError

_BEGINNINGS = {
    "endnote-xml": re.compile(r"\A\s*(?:<\?xml[^>]{0,200}\?>\s*)?<xml>\s*<records>"),
    "zotero-rdf": re.compile(
        r"\A\s*(?:<\?xml[^>]{0,200}\?>\s*)?<rdf:RDF\s[^>]{0,3000}(?:purl\.org/net/biblio|zotero\.org/namespaces)"
    ),
}
# Elements beside the items or within them.
_NO_ITEMS = frozenset(("Journal", "Memo", "Collection", "Attachment", "Series", "UserItem"))
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_ABOUT, _RESOURCE = f"{_RDF}about", f"{_RDF}resource"
_DOI = re.compile(r"DOI\s{1,9}(10\.\S{1,300})")


def _begins(beginning: re.Pattern[str], text: str) -> int | None:
    return 0 if beginning.match(text[:PREAMBLE]) else None


BEGINS = {name: partial(_begins, beginning) for name, beginning in _BEGINNINGS.items()}


def references(text: str) -> Iterator[Reference | str]:
    """Yield the records of a file, and a sentence on broken XML. Raises DigestError for a document type."""
    from lxml import etree

    if "<!DOCTYPE" in text[:PREAMBLE]:
        raise DigestError("XML with a document type of its own, which no export of a library has")
    is_endnote = BEGINS["endnote-xml"](text) is not None
    # The text is decoded already.
    events = etree.iterparse(
        io.BytesIO(text.encode()), events=("start", "end"), encoding="utf-8", resolve_entities=False, no_network=True,
        load_dtd=False, remove_comments=True, remove_pis=True, recover=True,
    )  # fmt: skip
    depth = 0
    journals: dict[str, Reference] = {}
    items: list[tuple[Reference, str]] = []
    for event, element in events:
        depth += 1 if event == "start" else -1
        if event == "start" or depth != (2 if is_endnote else 1):
            continue
        name = _local(element)
        if is_endnote and name == "record":
            kind = element.find("ref-type")
            kinds = [] if kind is None else [kind.get("name", "")]
            yield reference(_values(element, "endnote-xml") | {"type": kinds}, fields("endnote-xml"))
        elif name == "Journal":
            journals[element.get(_ABOUT, "")] = _zotero(element)
        elif not is_endnote and name not in _NO_ITEMS:
            part_of = element.find("{*}isPartOf")
            items.append((_zotero(element), "" if part_of is None else part_of.get(_RESOURCE, "")))
        element.clear()
    uses = Counter(journal for _, journal in items)
    for item, name in items:
        if journal := journals.get(name):
            # Zotero writes an article's DOI below its journal.
            doi = item.doi or (journal.doi if uses[name] == 1 else "")
            yield replace(item, venue=item.venue or journal.title, doi=doi)
        else:
            yield item
    if errors := events.error_log:
        yield f"line {errors[0].line:,}: broken XML; export the library again"


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _texts(element: Any, path: str) -> list[str]:
    return [text for inner in element.iterfind(path) if (text := "".join(inner.itertext()).strip())]


def _values(element: Any, section: str) -> dict[str, list[str]]:
    return {path: _texts(element, path) for paths in fields(section).values() for path in paths}


def _zotero(item: Any) -> Reference:
    people = item.iterfind("{*}authors/{*}Seq/{*}li/{*}Person")
    names = (
        " ".join(text for part in ("givenName", "surname", "name") for text in _texts(person, f"{{*}}{part}")[:1])
        for person in people
    )
    values = _values(item, "zotero-rdf")
    identifiers = values["{*}identifier"] + _texts(item, "{*}isPartOf/{*}*/{*}identifier")
    doi = _DOI.search(" ".join(identifiers))
    values |= {
        "doi": [doi[1]] if doi else [],
        "address": [text for text in identifiers if text.startswith("http")],
        "{*}itemType": values["{*}itemType"] or [_local(item)],
    }
    return reference(values, fields("zotero-rdf"), authors=filter(None, names))
