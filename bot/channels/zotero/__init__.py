"""Zotero: save liked papers in readers' libraries by its web API, version 3, and follow libraries.

The outbox row fixes the item's key and the write token, so Zotero refuses duplicates, and a save of unknown outcome can
be looked up.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from bot.channels import Channel, ChannelKind, Route, TransportParts
from bot.channels.zotero.api import Answer, ZoteroApi, ZoteroError, all_collections
from bot.model import Delivery, Entry, FactKind, Paper, ReaderId, State
from bot.model.errors import DeliveryError, FailureScope, PaperbotError
from bot.model.papers import arxiv_id_in, doi_in, is_biorxiv_doi, is_same_paper, paper_link

COLLECTION = "Paperbot"
_MOST_CANDIDATES = 25  # of a search for the paper
_RECEIPT = re.compile(r"(?P<key>[A-Z0-9]{8}) version (?P<version>[0-9]{1,15})")
_ALPHABET = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"
_FIELDS = ("DOI", "url", "archiveID", "extra")
_ARXIV = re.compile(r"arxiv", re.IGNORECASE)


def new_key() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


def item_of(paper: Paper, tags: Sequence[str], key: str) -> dict[str, Any]:
    is_preprint = bool(paper.arxiv_id) or paper.doi is None or is_biorxiv_doi(paper.doi)
    fields = {
        "key": key,
        "version": 0,  # refused if the key exists
        "itemType": "preprint" if is_preprint else "journalArticle",
        "title": paper.title,
        "creators": [{"creatorType": "author", "name": author} for author in paper.authors],
        "abstractNote": paper.abstract,
        "date": paper.published.isoformat() if paper.published else "",
        "DOI": paper.doi or "",
        "url": paper_link(paper).url,
        "tags": [{"tag": tag} for tag in tags],
    }
    venue = next((fact.value for fact in paper.facts if fact.kind is FactKind.VENUE), "")
    if venue and not is_preprint:  # Zotero refuses this field for a preprint
        fields["publicationTitle"] = venue
    if paper.arxiv_id:
        fields |= {"repository": "arXiv", "archiveID": f"arXiv:{paper.arxiv_id}"}
    return fields


def _entry(data: dict[str, Any]) -> Entry:
    texts = [value for name in _FIELDS if isinstance(value := data.get(name), str)]
    doi = next((doi for text in texts if (doi := doi_in(text))), None)
    arxiv_id = next((stated for text in texts if _ARXIV.search(text) and (stated := arxiv_id_in(text))), None)
    title = data.get("title")
    return Entry(title if isinstance(title, str) else "", doi=doi, arxiv_id=arxiv_id)


def save_body(paper: Paper, tags: list[str], item_key: str) -> bytes:
    """Return an outbox row's body that saves a paper, with a link to arXiv's PDF."""
    items = [item_of(paper, tags, item_key)]
    if paper.arxiv_id:
        pdf = {
            "key": new_key(),
            "version": 0,
            "itemType": "attachment",
            "linkMode": "linked_url",
            "parentItem": item_key,
            "title": "PDF",
            "url": f"https://arxiv.org/pdf/{paper.arxiv_id}",
            "contentType": "application/pdf",
        }
        items.append(pdf)
    return json.dumps({"save": items}).encode()


def removal_body(item_key: str, save: str) -> bytes:
    """Return an outbox row's body that trashes the item of the row ``save``."""
    return json.dumps({"trash": item_key, "save": save}).encode()


class ZoteroChannel(Channel):
    """Saves in the library of a row's reader, opened for each save."""

    def __init__(self, parts: TransportParts) -> None:
        self._parts = parts

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Save or remove one paper. The receipt of a save is the item's key and version."""
        body = json.loads(delivery.body)
        with self._opened(delivery.reader.id) as api:
            if "trash" in body:
                return self._trash(api, body["trash"], body["save"], start_data)
            items = body["save"]
            item = items[0]
            if existing := _existing(api, item):
                return _receipt(api, existing) or "" if existing == item["key"] else f"there already: {existing}"
            item["collections"] = [_collection(api, delivery)]
            start_data()
            try:
                answer = api.post("items", items, token=_token(str(delivery.key)))
                version = _outcome_of_first(answer, "successful").get("version")
                if isinstance(version, int):
                    return f"{item['key']} version {version}"
                refusal = _outcome_of_first(answer, "failed")
                if not refusal:
                    raise ZoteroError("Zotero's answer names no outcome", status=answer.status)
                message = " ".join(str(refusal.get("message", "")).split())[:200]
                code = str(refusal.get("code", ""))
                raise DeliveryError(f"Zotero refuses the item: {message}", permanent=True, code=code)
            except ZoteroError as error:
                if error.status != 412:
                    raise _written(error) from error
            return _receipt(api, item["key"]) or "saved by an earlier attempt, and deleted since"

    def find_receipt(self, delivery: Delivery) -> str | None:
        body = json.loads(delivery.body)
        if "save" not in body or "trash" in body:
            return None
        try:
            with self._opened(delivery.reader.id) as api:
                return _receipt(api, body["save"][0]["key"])
        except DeliveryError:
            return None

    def _trash(self, api: ZoteroApi, item_key: str, save: str, start_data: Callable[[], None]) -> str:
        state, detail = self._parts.outcome_of_save(save) or (State.CANCELLED, "")
        saved = _RECEIPT.fullmatch(detail)
        if state in (State.CLAIMED, State.DATA_STARTED, State.PENDING, State.RETRY):
            raise DeliveryError("the paper is still being saved", permanent=False)
        if state is not State.SENT or saved is None or saved["key"] != item_key:
            return "nothing to remove: it was not saved by Paperbot"
        start_data()
        try:
            # An item that its reader changed stays.
            api.patch(f"items/{item_key}", {"deleted": 1}, version=int(saved["version"]))
        except ZoteroError as error:
            if error.status in (404, 412):
                return "left alone: changed or deleted since it was saved"
            raise _written(error) from error
        return f"{item_key} moved to the trash"

    @contextmanager
    def _opened(self, reader: ReaderId) -> Iterator[ZoteroApi]:
        try:
            api = self._parts.open_library(reader)
        except PaperbotError as error:  # its key can't be decrypted
            raise DeliveryError(str(error), permanent=True, code="key") from error
        if api is None:
            raise DeliveryError("the reader is not connected to Zotero any more", permanent=True, code="disconnected")
        with api:
            try:
                yield api
            except ZoteroError as error:
                raise _before_writing(error) from error


def _existing(api: ZoteroApi, item: dict[str, Any]) -> str | None:
    identifiers = [item["DOI"], item.get("archiveID", "").removeprefix("arXiv:")]
    searches = [(text, "everything") for text in identifiers if text] or [(item["title"], "titleCreatorYear")]
    for text, mode in searches:
        answer = api.get("items/top", q=text, qmode=mode, limit=_MOST_CANDIDATES, format="json")
        for candidate in answer.json(list):
            data = candidate.get("data") if isinstance(candidate, dict) else None
            if isinstance(data, dict) and (data.get("key") == item["key"] or is_same_paper(_entry(data), _entry(item))):
                return str(data.get("key"))
    return None


def _collection(api: ZoteroApi, delivery: Delivery) -> str:
    """Return the key of the collection for liked papers, created if missing."""
    for data in all_collections(api):
        if data["name"] == COLLECTION and not data.get("parentCollection"):
            return str(data["key"])
    new = {"name": COLLECTION, "parentCollection": False}
    answer = api.post("collections", [new], token=_token(f"{delivery.reader.id} {COLLECTION}"))
    if not isinstance(key := _outcome_of_first(answer, "successful").get("key"), str):
        raise ZoteroError(f"Zotero did not make the collection {COLLECTION!r}", is_sent=False)
    return key


def _outcome_of_first(answer: Answer, outcome: str) -> dict[str, Any]:
    of_outcome = answer.json(dict).get(outcome)
    first = of_outcome.get("0") if isinstance(of_outcome, dict) else None
    return first if isinstance(first, dict) else {}


def _receipt(api: ZoteroApi, item_key: str) -> str | None:
    try:
        answer = api.get(f"items/{item_key}")
    except ZoteroError as error:
        if error.status == 404:
            return None
        raise
    return f"{item_key} version {answer.version}"


def _token(write: str) -> str:
    return sha256(write.encode()).hexdigest()[:32]


def _before_writing(error: ZoteroError) -> DeliveryError:
    """Translate a failed request that a repetition can't double."""
    is_unreachable = not error.is_sent and error.status == 0
    return DeliveryError(
        str(error),
        permanent=error.status in (400, 403, 404),
        scope=FailureScope.CHANNEL if is_unreachable else FailureScope.MESSAGE,
        retry_after=error.retry_after,
        throttled=error.status == 429,
        code=str(error.status or "no answer"),
    )


def _written(error: ZoteroError) -> DeliveryError:
    """Translate a failed write. It may have succeeded if the answer is unclear."""
    if not error.is_sent or 400 <= error.status <= 429 or error.status == 503:
        return _before_writing(error)
    return DeliveryError(str(error), permanent=False, unknown=True, code=str(error.status or "no answer"))


class ZoteroKind(ChannelKind):
    """Saves in the library of a row's reader."""

    name = "zotero"

    def route(self, _settings: object, parts: TransportParts) -> Route:
        return Route([ZoteroChannel(parts)])


ZOTERO = ZoteroKind()
