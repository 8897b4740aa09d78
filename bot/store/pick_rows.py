"""Picks as rows: what is the reader's own in ``picks``, the sentences of a summary once for all its readers.

A paper has few different summaries, as few sentences are worth showing; its readers differ in the marks. Values that
are a field's default are left out of the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from hashlib import blake2b
from typing import Any

from sqlalchemy import Connection, insert, select

from bot.domain import Paper, PaperId, Pick, Reason, ReasonKind, Role, Sentence
from bot.store.engine import AnyRow, AnySelect, in_chunks, insert_new
from bot.store.schema import picks, summaries

# Of log-odds: nothing that is shown or fitted to them needs more, and with 17 digits they took a third of a pick.
_DECIMALS = 4
_REASON_DEFAULTS = {field.name: field.default for field in fields(Reason)}
_SENTENCE_DEFAULTS = {field.name: field.default for field in fields(Sentence)}

_Summary = tuple[Sentence, ...]
SummaryIds = Mapping[tuple[PaperId, _Summary], int]  # by paper, and by the summary with its marks


def insert_picks(
    connection: Connection, editions: Sequence[tuple[int, Sequence[Pick]]], ids: SummaryIds
) -> None:
    """Insert the picks of editions that were stored in this transaction, by the editions' ids."""
    rows = [
        {
            "edition_id": edition_id,
            "position": position,
            "paper_id": pick.paper.id,
            "kind": pick.kind,
            "probability": pick.probability,
            "reasons": [_reason_values(reason) for reason in pick.reasons],
            "summary_id": ids.get((pick.paper.id, pick.summary)),
            "marks": [sentence.marks for sentence in pick.summary],
            "predictions": [round(log_odds, _DECIMALS) for log_odds in pick.predictions],
        }
        for edition_id, chosen in editions
        for position, pick in enumerate(chosen, start=1)
    ]
    if rows:
        connection.execute(insert(picks), rows)


def select_picks(edition_id: int) -> AnySelect:
    """Select what ``pick`` reads: an edition's picks in order, with the sentences of their summaries."""
    query = select(picks, summaries.c.sentences).outerjoin(summaries)
    return query.where(picks.c.edition_id == edition_id).order_by(picks.c.position)


def pick(row: AnyRow, papers: Mapping[PaperId, Paper]) -> Pick:
    """Return the pick of a row of ``select_picks``; ``papers`` must hold its paper."""
    sentences = []
    for stored, marks in zip(row.sentences or (), row.marks, strict=True):
        role = stored.get("role")
        sentences.append(Sentence(**stored | {"role": Role(role) if role else None, "marks": tuple(marks)}))
    return Pick(
        paper=papers[row.paper_id],
        kind=row.kind,
        probability=row.probability,
        reasons=tuple(Reason(**reason | {"kind": ReasonKind(reason["kind"])}) for reason in row.reasons),
        summary=tuple(sentences),
        predictions=tuple(row.predictions),
    )


def summary_ids(connection: Connection, chosen: Sequence[Pick]) -> SummaryIds:
    """Return the id of each pick's summary, and store those that are new."""
    digests: dict[tuple[PaperId, _Summary], str] = {}
    rows: dict[tuple[PaperId, str], dict[str, Any]] = {}
    for pick in chosen:
        key = (pick.paper.id, pick.summary)
        if not pick.summary or key in digests:
            continue
        sentences = [_differing(replace(s, marks=()), _SENTENCE_DEFAULTS) for s in pick.summary]
        digest = blake2b(json.dumps(sentences).encode(), digest_size=12).hexdigest()
        digests[key] = digest
        rows[pick.paper.id, digest] = {"paper_id": pick.paper.id, "digest": digest, "sentences": sentences}
    if not rows:
        return {}
    # Most are known from earlier batches: they are selected first, so that SQLite's sequence isn't used up by them.
    ids = _stored_ids(connection, rows)
    if new := [row for key, row in rows.items() if key not in ids]:
        # In one order everywhere: two processes that insert the same two rows would deadlock on PostgreSQL.
        new.sort(key=lambda row: (row["paper_id"], row["digest"]))
        connection.execute(insert_new(connection, summaries), new)
        ids |= _stored_ids(connection, [(row["paper_id"], row["digest"]) for row in new])
    return {key: ids[key[0], digest] for key, digest in digests.items()}


def _stored_ids(
    connection: Connection, keys: Iterable[tuple[PaperId, str]]
) -> dict[tuple[PaperId, str], int]:
    ids = {}
    for chunk in in_chunks(sorted({digest for _, digest in keys})):
        query = select(summaries.c.paper_id, summaries.c.digest, summaries.c.id)
        for paper_id, digest, summary_id in connection.execute(query.where(summaries.c.digest.in_(chunk))):
            ids[paper_id, digest] = summary_id
    return ids


def _reason_values(reason: Reason) -> dict[str, Any]:
    """Return the fields of a reason that differ from their defaults, its weight rounded."""
    values = _differing(reason, _REASON_DEFAULTS)
    if "weight" in values:
        values["weight"] = round(values["weight"], _DECIMALS)
    return values


def _differing(value: Reason | Sentence, defaults: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields that differ from their defaults."""
    values = ((name, getattr(value, name), default) for name, default in defaults.items())
    return {name: held for name, held, default in values if default is MISSING or held != default}
