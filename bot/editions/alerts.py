"""Alerts: a message at once for a paper that a profile's alert rule matches.

new since the last look --rank(reader)--> scores --urgent--> one message a paper, a few a day --> outbox

What is over the day's number goes into the next edition, first of all. In quiet hours nothing is looked at, so
that the look after them finds it all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from bot.config.profiles import Profile
from bot.domain import Edition, Message, Reader
from bot.editions.candidates import Candidates
from bot.editions.composer import EditionComposer
from bot.schedule import local_date, local_time
from bot.selection.alert_rules import is_quiet
from bot.store import Store

Render = Callable[[Edition, str], Sequence[Message]]


def alert(
    reader: Reader, profile: Profile, *, store: Store, editor: EditionComposer, render: Render, now: datetime
) -> list[Edition]:
    """Put the alerts that a reader is to get now into the outbox; each paper and reader has one at most."""
    rule, timezone = profile.alerts, profile.schedule.timezone
    if rule is None or is_quiet(local_time(now, timezone), rule.quiet):
        return []
    candidates = _since_last_look(reader, profile, store, editor)
    day = local_date(now, timezone)
    room = max(rule.per_day - store.editions.alerts_on(reader.id, day), 0)
    made: list[Edition] = []
    if candidates.ids and room:
        for one in editor.alerts(reader, profile, day, now, candidates)[:room]:
            slot = f"alert-{one.picks[0].paper.ref}"
            if store.editions.save(one, slot, render(one, slot)) is not None:
                made.append(one)
    store.alert_marks.move(reader.id, candidates.watermark)
    return made


def _since_last_look(reader: Reader, profile: Profile, store: Store, editor: EditionComposer) -> Candidates:
    """The papers not looked at yet; at first, those that are new since the last edition."""
    mark, newest = store.alert_marks.get(reader.id) or 0, store.papers.newest_id()
    if mark >= newest:
        return Candidates([], newest)
    new = editor.candidates(reader, profile)
    return replace(new, ids=[paper for paper in new.ids if paper > mark])
