"""Papers as items of Zotero: what is saved, and whether a library has a paper already."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from typing import Any

from bot import identity
from bot.domain import Entry, FactKind, Paper

# What Zotero's own clients write keys with: without digits and letters that are easily confused.
_ALPHABET = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"
# Where an item may have its identifiers.
_FIELDS = ("DOI", "url", "archiveID", "extra")
_ARXIV = re.compile(r"arxiv", re.IGNORECASE)


def new_key() -> str:
    """Return a key for a new object, as Zotero lets clients choose it."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


def item_of(paper: Paper, tags: Sequence[str], key: str) -> dict[str, Any]:
    """Return a paper as a new item, a preprint if it has no DOI, or arXiv, bioRxiv or medRxiv has it."""
    is_preprint = bool(paper.arxiv_id) or paper.doi is None or identity.is_biorxiv_doi(paper.doi)
    fields = {
        "key": key,
        "version": 0,  # refused if there is an item of this key
        "itemType": "preprint" if is_preprint else "journalArticle",
        "title": paper.title,
        "creators": [{"creatorType": "author", "name": author} for author in paper.authors],
        "abstractNote": paper.abstract,
        "date": paper.published.isoformat() if paper.published else "",
        "DOI": paper.doi or "",
        "url": identity.link(paper).url,
        "tags": [{"tag": tag} for tag in tags],
    }
    venue = next((fact.value for fact in paper.facts if fact.kind is FactKind.VENUE), "")
    if venue and not is_preprint:  # Zotero refuses a preprint that has this field
        fields["publicationTitle"] = venue
    if paper.arxiv_id:
        fields |= {"repository": "arXiv", "archiveID": f"arXiv:{paper.arxiv_id}"}
    return fields


def pdf_of(paper: Paper, parent: str, key: str) -> dict[str, Any] | None:
    """Return a link to the PDF as an attachment; None for a paper whose PDF has no known address."""
    if not paper.arxiv_id:
        return None
    return {
        "key": key,
        "version": 0,
        "itemType": "attachment",
        "linkMode": "linked_url",
        "parentItem": parent,
        "title": "PDF",
        "url": f"https://arxiv.org/pdf/{paper.arxiv_id}",
        "contentType": "application/pdf",
    }


def is_same_item(data: dict[str, Any], item: dict[str, Any]) -> bool:
    """Return whether the data of an item are of the same paper as a new item: by DOI or arXiv id, else by title."""
    return identity.is_same_paper(_entry(data), _entry(item))


def _entry(data: dict[str, Any]) -> Entry:
    texts = [value for name in _FIELDS if isinstance(value := data.get(name), str)]
    doi = next((doi for text in texts if (doi := identity.doi(text))), None)
    arxiv_id = next(
        (stated for text in texts if _ARXIV.search(text) and (stated := identity.arxiv_id(text))), None
    )
    title = data.get("title")
    return Entry(title if isinstance(title, str) else "", doi=doi, arxiv_id=arxiv_id)
