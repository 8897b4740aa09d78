"""All that is kept of one reader, for the reader to have."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.config.overrides import describe_override
from bot.domain import Reader, RecordedVote, Vote
from bot.store import Store


def export(store: Store, reader: Reader) -> dict[str, Any]:
    """Everything kept of a reader; times and dates as such, for JSON to write.

    ``thumbs`` are those that count now; ``history`` has all that was ever said, in order.
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
            "in words": describe_override(override),
        },
        "thumbs": _thumbs(store, store.feedback.votes(reader.id)),
        "history": _thumbs(store, store.feedback.history(reader.id)),
        "editions": _editions(store, reader),
    }


def _thumbs(store: Store, given: list[RecordedVote]) -> list[dict[str, Any]]:
    papers = store.papers.get(thumb.paper for thumb in given)
    return [
        {
            "paper": papers[thumb.paper].ref,
            "title": papers[thumb.paper].title,
            "thumb": Vote(thumb.vote),
            "at": thumb.at,
            "via": thumb.via,
            **({"voter": thumb.voter} if thumb.voter else {}),
        }
        for thumb in given
    ]


def _editions(store: Store, reader: Reader) -> list[dict[str, Any]]:
    kept = store.editions.of_reader(reader.id)
    states = store.outbox.states([edition.id for edition in kept])
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
                    "match": pick.probability,
                    "kind": pick.kind,
                    "reasons": [{"term": r.term, "weight": r.weight} for r in pick.reasons],
                }
                for pick in store.editions.picks_of(edition.id)
            ],
        }
        for edition in reversed(kept)
    ]
