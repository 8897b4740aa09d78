"""Libraries in JSON, YAML and XML.

CSL-JSON, Paperpile   [{"type", "title", "author": [{"family", "given"}], "issued": {"date-parts": [[2026, 5]]}}]
Zotero                [{"key", "data": {"itemType", ...}}], the web API's version 3
Better BibTeX         {"items": [{"itemType", ...}]}
CSL-YAML              references: [{"id", "title", "author", "issued": [{"year": 2026, "month": 5}]}], in YAML's lines
EndNote               <xml><records><record><titles><title><style>...</style></title></titles>...</record></records>
MODS                  <modsCollection><mods><titleInfo><title>...</title></titleInfo>...</mods></modsCollection>
Zotero's RDF          <rdf:RDF><bib:Article rdf:about="#item_1"><dc:title>...</dc:title>...</bib:Article></rdf:RDF>
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

from bot.formats.format import UNWANTED
from bot.formats.libraries.reference import PREAMBLE, Reference, fields, reference
from bot.formats.names import first_name_first, spoken_name
from bot.model.errors import DigestError

# An item, a list of them, or an object that begins with "items" or Better BibTeX's "config".
_FIRST = re.compile(r'\s{0,99}(?:\[\s{0,99}|\{\s{0,99}"(?:items|config)"\s{0,9}:|(?=\{))')
_ITEMS = re.compile(r'"items"\s{0,9}:\s{0,99}\[\s{0,99}')
_EMPTY = re.compile(r"\s*\[\s*\]\s*\Z")
# An item of Better BibTeX's and pandoc's lists. Those within it are indented.
_YAML = re.compile(
    r"\A(?:\s|#[^\n]{0,500}\n|---[ \t]*\n){0,20}(?:references:[ \t]*\n)?"
    r"(?=(?P<indent> {0,4})- (?:id|type|author|title|DOI): )"
    r"(?=[\s\S]{0,4000}?^ *(?:- )?(?:id|issued|container-title): )",  # no reading list of one's own
    re.MULTILINE,
)
_ZOTERO_KEY = re.compile(r"[A-Z0-9]{1,16}")
_CSL_FIELDS = frozenset("issued container-title accessed citation-key title-short citation-label".split())
_GIVEN = "firstName given first".split()
_FAMILY = "dropping-particle non-dropping-particle lastName family last suffix name literal".split()
JSON_FORMATS = ("zotero", "csl-json", "paperpile")
XML_BEGINNINGS = {
    "endnote-xml": re.compile(r"\A\s*(?:<\?xml[^>]{0,200}\?>\s*)?<xml>\s*<records>"),
    "mods": re.compile(
        r"\A\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,999}?-->\s*)?<modsCollection\b", re.DOTALL
    ),  # Zotero, ACL Anthology
    "zotero-rdf": re.compile(
        r"\A\s*(?:<\?xml[^>]{0,200}\?>\s*)?<rdf:RDF\s[^>]{0,3000}(?:purl\.org/net/biblio|zotero\.org/namespaces)"
    ),
}
# Elements beside the items or within them.
_NO_ITEMS = frozenset(("Journal", "Memo", "Collection", "Attachment", "Series", "UserItem"))
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_SCRIPTS = {"superscript": "sup", "subscript": "sub"}
_DOI = re.compile(r"DOI\s{1,9}(10\.\S{1,300})")


def json_begins(name: str, text: str) -> int | None:
    return 0 if _json_format(text) == name else None


def _json_format(text: str) -> str | None:
    """Return the format of the first item, or None. An empty answer is Zotero's."""
    if _EMPTY.match(text[:1000]):
        return "zotero"
    first = _FIRST.match(text)
    if first and first[0].endswith(":"):
        first = _ITEMS.search(text, 0, 1_000_000)  # of Better BibTeX's settings and collections
    try:
        item = json.JSONDecoder().raw_decode(text, first.end())[0] if first else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(item, dict):
        return None
    data = item.get("data", item)
    if isinstance(data, dict) and "itemType" in data:
        return "zotero"
    authors = item.get("author")
    names = [name for name in authors if isinstance(name, dict)] if isinstance(authors, list) else []
    is_named = any("family" in name or "literal" in name for name in names)
    if {"type", "title"} <= item.keys() and (is_named or not _CSL_FIELDS.isdisjoint(item)):
        return "csl-json"
    is_paperpile = {"pubtype", "kind"} & item.keys() and "title" in item and {"citekey", "incomplete"} & item.keys()
    return "paperpile" if is_paperpile else None


def xml_begins(name: str, text: str) -> int | None:
    return 0 if XML_BEGINNINGS[name].match(text[:PREAMBLE]) else None


def load(text: str) -> object:
    """Return the value of JSON. Raises DigestError for anything else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DigestError("no valid JSON, or it broke off") from None


def json_references(text: str) -> Iterator[Reference | str]:
    loaded = load(text)
    items = loaded.get("items", [loaded]) if isinstance(loaded, dict) else loaded
    for position, item in enumerate(items if isinstance(items, list) else (), 1):
        yield _item_reference(f"item {position:,}", item)


def yaml_begins(text: str) -> int | None:
    return 0 if _YAML.match(text) else None


def yaml_references(text: str) -> Iterator[Reference | str]:
    """Yield the items. Each is read alone: a broken one costs only itself."""
    import yaml

    beginning = _YAML.match(text)
    if beginning is None:
        return
    starts = [match.start() for match in re.finditer(rf"^{beginning['indent']}- ", text, re.MULTILINE)]
    end = re.compile(r"^(?:\.\.\.|---)[ \t]*$", re.MULTILINE).search(text, beginning.end())
    line, last = 1, 0
    for start, stop in pairwise([*starts, end.start() if end else len(text)]):
        line += text.count("\n", last, start)
        place, last = f"line {line:,}", start
        try:
            # The faster loader in C has no limit of depth.
            items = yaml.load(text[start:stop], Loader=yaml.BaseLoader)  # noqa: S506 - it makes only texts, lists and dicts
        except (yaml.YAMLError, RecursionError):
            yield f"{place}: no valid YAML"
            continue
        yield _item_reference(place, items[0] if isinstance(items, list) and items else None)


def _item_reference(place: str, item: object) -> Reference | str:
    data = item.get("data", item) if isinstance(item, dict) else None
    if not (isinstance(item, dict) and isinstance(data, dict) and data.keys() & {"title", "itemType"}):
        return f"{place}: no title, and none of the fields of CSL, Zotero or Paperpile"
    key = item.get("key")
    people = data.get("author", data.get("creators"))
    authors = (
        spoken_name(
            *(" ".join(filter(None, (_json_text(person.get(part)) for part in parts))) for parts in (_GIVEN, _FAMILY))
        )
        for person in (people if isinstance(people, list) else ())
        if isinstance(person, dict) and person.get("creatorType") in (None, "author")
    )
    return reference(
        {name: (_json_text(value),) for name, value in data.items()},
        fields("json"),
        authors=filter(None, authors),
        key=key if isinstance(key, str) and _ZOTERO_KEY.fullmatch(key) else "",
    )


def _json_text(value: object) -> str:
    """Return a text, a number, the first of a list, or a date, else an empty string."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        parts = value.get("date-parts")
        days = parts[0] if isinstance(parts, list) and parts else [value.get(part) for part in ("year", "month", "day")]
        day = "-".join(filter(None, map(_json_text, days[:3] if isinstance(days, list) else ())))
        return day or _json_text(value.get("raw", value.get("literal", "")) if not parts else "")
    if isinstance(value, str):
        return UNWANTED.sub("", value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def xml_references(text: str) -> Iterator[Reference | str]:
    """Yield the records of a file. Raises DigestError for a document type."""
    from lxml import etree

    if "<!DOCTYPE" in text[:PREAMBLE]:
        raise DigestError("XML with a document type of its own, which no export of a library has")
    is_endnote = xml_begins("endnote-xml", text) is not None
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
        elif name == "mods":
            yield _mods(element)
        elif name == "Journal":
            journals[element.get(f"{_RDF}about", "")] = _zotero(element)
        elif not is_endnote and name not in _NO_ITEMS:
            part_of = element.find("{*}isPartOf")
            items.append((_zotero(element), "" if part_of is None else part_of.get(f"{_RDF}resource", "")))
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
    return [text for inner in element.iterfind(path) if (text := "".join(_styled(inner)).strip())]


def _styled(element: Any) -> Iterator[str]:
    """Yield the texts of an element, with EndNote's scripts as HTML."""
    script = next((tag for face, tag in _SCRIPTS.items() if face in (element.get("face") or "")), "")
    yield f"<{script}>" * bool(script) + (element.text or "")
    for inner in element:
        yield from _styled(inner)
        yield inner.tail or ""
    yield f"</{script}>" * bool(script)


def _values(element: Any, section: str) -> dict[str, list[str]]:
    return {path: _texts(element, path) for paths in fields(section).values() for path in paths}


def _mods(item: Any) -> Reference:
    """Return the reference of MODS. Names without another role are authors."""
    authors: list[str] = []
    for person in item.iterfind("{*}name"):
        roles = {role.lower() for role in _texts(person, "{*}role/{*}roleTerm")}
        parts = [_texts(person, f"{{*}}namePart[@type='{kind}']")[:1] for kind in ("given", "family")]
        name = spoken_name(*map("".join, parts)) or first_name_first("".join(_texts(person, "{*}namePart")[:1]))
        if not roles or roles & {"aut", "author", "creator", "cre"}:
            authors.append(name)
    values = _values(item, "mods")
    whole = (values["{*}titleInfo/{*}title"][:1], values["{*}titleInfo/{*}subTitle"][:1])
    values["title"] = [": ".join(chain.from_iterable(whole))]
    if not values["{*}genre"] and values["{*}relatedItem[@type='host']/{*}titleInfo/{*}title"]:
        values["{*}genre"] = ["chapter"]
    return reference(values, fields("mods"), authors=filter(None, authors))


def _zotero(item: Any) -> Reference:
    people = item.iterfind("{*}authors/{*}Seq/{*}li/{*}Person")
    names = (
        spoken_name(
            "".join(_texts(person, "{*}givenName")[:1]),
            " ".join(text for part in ("surname", "name") for text in _texts(person, f"{{*}}{part}")[:1]),
        )
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
