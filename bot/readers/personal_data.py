"""Export and erase everything stored about one reader (GDPR, articles 15, 17 and 20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.channels import FilesChannel, address_checks, reader_channel
from bot.config.home import Home
from bot.config.profiles import describe_override, mentions, remove_reader
from bot.model import FactKind, Reader, RecordedVote, Vote
from bot.model.errors import ConfigError
from bot.store import Store


def export(store: Store, reader: Reader) -> dict[str, Any]:
    """Return everything stored about a reader, with dates and times for the JSON encoder.

    ``thumbs`` are the current votes, ``saved`` the saved papers, and ``history`` has all.
    """
    override = store.overrides.get(reader.id)
    return {
        "reader": reader.name,
        "active": reader.stopped is None,
        "stopped": reader.stopped_because,
        "since": store.readers.since(reader.id),
        "kind": reader.kind,
        "origin": reader.origin,
        "settings": {
            **asdict(override),
            "at": override.at.strftime("%H:%M") if override.at else None,
            "in words": describe_override(override),
        },
        "last_visit": store.visits.last([reader.id]).get(reader.id),
        "thumbs": _votes(store, store.feedback.votes(reader.id)),
        "saved": _votes(store, store.feedback.saved(reader.id)),
        "history": _votes(store, store.feedback.history(reader.id)),
        "library": [
            {
                "title": item.paper.title,
                "authors": item.paper.authors,
                "abstract": item.paper.abstract,
                "published": item.paper.published,
                "arxiv_id": item.paper.arxiv_id,
                "doi": item.paper.doi,
                "url": item.paper.url,
                "vote": Vote.UP,
                "via": "library",
                "format": item.origin,
                "at": item.added,
            }
            for item in store.library.all_of(reader.id)
        ],
        "zotero": _zotero(store, reader),
        "editions": _editions(store, reader),
    }


def _votes(store: Store, votes: Sequence[RecordedVote]) -> list[dict[str, Any]]:
    papers = store.papers.get(vote.paper for vote in votes)
    rows = []
    for vote in votes:
        row = {
            "paper": papers[vote.paper].ref,
            "title": papers[vote.paper].title,
            "thumb": Vote(vote.vote),
            "at": vote.at,
            "via": vote.via,
        }
        rows.append({**row, "voter": vote.voter} if vote.voter else row)
    return rows


def _zotero(store: Store, reader: Reader) -> dict[str, Any] | None:
    connection = store.zotero.get(reader.id)
    if connection is None:
        return None
    saves = store.zotero.saves(reader.id)
    papers = store.papers.get(save.paper for save in saves)
    return {
        "library": connection.library,
        "collections": connection.collections,
        "saves": connection.saves,
        "connected_at": connection.connected_at,
        "saved": [{"paper": papers[save.paper].ref, "item": save.item_key} for save in saves],
    }


def _editions(store: Store, reader: Reader) -> list[dict[str, Any]]:
    editions = store.editions.of_reader(reader.id)
    states = store.outbox.states([edition.id for edition in editions])
    catch_ups = {edition_id: catch_up for edition_id, _, catch_up in store.catch_ups.of_reader(reader.id)}
    return [
        {
            "date": edition.date,
            "composed_at": edition.composed_at,
            "considered": edition.considered,
            "quiet": asdict(edition.quiet) if edition.quiet else None,
            "catch_up": asdict(catch_ups[edition.id]) if edition.id in catch_ups else None,
            "messages": list(states.get(edition.id, ())),
            "papers": [
                {
                    "paper": pick.paper.ref,
                    "title": pick.paper.title,
                    "upvotes": pick.paper.upvotes,
                    "organisation": pick.paper.organisation,
                    "categories": pick.paper.categories,
                    # Stored references depend on all readers' libraries.
                    "facts": [asdict(fact) for fact in pick.paper.facts if fact.kind is not FactKind.CITES],
                    "match": pick.probability,
                    "kind": pick.kind,
                    "reasons": [
                        {"term": reason.text, "weight": reason.weight, "kind": reason.kind, "near": reason.near}
                        for reason in pick.reasons
                    ],
                }
                for pick in store.editions.picks_of(edition.id)
            ],
            "follow_ups": [
                {
                    "kind": follow_up.kind,
                    "liked": follow_up.liked.ref,
                    "text": follow_up.text,
                    "paper": follow_up.paper.ref if follow_up.paper else None,
                }
                for follow_up in store.editions.follow_ups_of(edition.id)
            ],
        }
        for edition in reversed(editions)
    ]


def erase(store: Store, home: Home, reader: Reader, now: datetime) -> Path | None:
    """Delete a reader from the store, message files, charts, the page of ``init`` and the profile's file.

    Returns the profile's file if it still contains the address, in a comment or because it can't be edited.
    """
    # The store keeps a hash of the address, so a process that read the file before can't add the reader again.
    store.forget(reader, now)
    FilesChannel(home.outbox_folder, reader_channel(reader.kind).suffix).forget(reader)
    for page in (home.chart_file(reader), home.chart_file(None), home.first_edition_file):
        page.unlink(missing_ok=True)
    profile_file = home.profile_file(reader.profile)
    try:
        if profile_file.exists():
            remove_reader(profile_file, reader.address, address_checks())
    except ConfigError:
        profile = home.profiles.get(reader.profile)
        is_listed = profile is not None and (reader.kind, reader.address) in profile.addresses
        return profile_file if is_listed or mentions(profile_file, reader.address) else None
    return profile_file if mentions(profile_file, reader.address) else None
