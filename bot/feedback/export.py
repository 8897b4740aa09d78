"""Export everything stored about one reader (GDPR, articles 15 and 20: access and portability)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.config.overrides import describe_override
from bot.domain import Reader, RecordedVote, Vote
from bot.store import Store


def export(store: Store, reader: Reader) -> dict[str, Any]:
    """Return everything stored about a reader; dates and times are left for the JSON encoder.

    ``thumbs`` are the votes that count now; ``history`` has all votes ever given, in order. ``library`` are the papers
    of the reader's own library, each with its date of addition; ``zotero`` is the connection, None without one.
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
            "size": override.size,
            "at": override.at.strftime("%H:%M") if override.at else None,
            "days": override.days,
            "ignored": override.ignored,
            "timezone": override.timezone,
            "interests": override.interests,
            "keywords": override.keywords,
            "authors": override.authors,
            "mute": override.mute,
            "language": override.language,
            "in words": describe_override(override),
        },
        "thumbs": _votes(store, store.feedback.votes(reader.id)),
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
        # Only votes in a shared Slack channel have a voter other than the reader.
        rows.append({**row, "voter": vote.voter} if vote.voter else row)
    return rows


def _zotero(store: Store, reader: Reader) -> dict[str, Any] | None:
    """Return the reader's connection, without its key, and the papers that it saved."""
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
    """Return the reader's editions, oldest first."""
    editions = store.editions.of_reader(reader.id)
    states = store.outbox.states([edition.id for edition in editions])
    return [
        {
            "date": edition.date,
            "composed_at": edition.composed_at,
            "considered": edition.considered,
            "quiet": asdict(edition.quiet) if edition.quiet else None,
            "messages": list(states.get(edition.id, ())),
            "papers": [
                {
                    "paper": pick.paper.ref,
                    "title": pick.paper.title,
                    "upvotes": pick.paper.upvotes,
                    "organisation": pick.paper.organisation,
                    "categories": pick.paper.categories,
                    "facts": [asdict(fact) for fact in pick.paper.facts],
                    "match": pick.probability,
                    "kind": pick.kind,
                    "reasons": [
                        {
                            "term": reason.text,
                            "weight": reason.weight,
                            "kind": reason.kind,
                            "near": reason.near,
                        }
                        for reason in pick.reasons
                    ],
                }
                for pick in store.editions.picks_of(edition.id)
            ],
        }
        for edition in reversed(editions)
    ]
