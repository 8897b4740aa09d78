"""Alerts: a message at once for a paper that a profile's alert rule matches.

    papers new since the last check --rank--> scores --alert rule--> a message each, up to the daily limit --> outbox

Matches above the daily limit go first into the next edition. In quiet hours nothing is checked and the mark stays
where it is, so that the first check after them covers all papers that arrived meanwhile.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.config.profiles import Profile
from bot.domain import Edition, Reader
from bot.editions.context import Context
from bot.schedule import local_date, local_time
from bot.selection.alert_rules import is_quiet


def alert(context: Context, reader: Reader, profile: Profile, now: datetime) -> list[Edition]:
    """Put a reader's due alerts into the outbox, at most one for each paper, and return them."""
    store = context.store
    rule = profile.alerts
    timezone = profile.schedule.timezone
    if rule is None or is_quiet(local_time(now, timezone), rule.quiet):
        return []
    mark = store.alert_marks.get(reader.id) or 0
    newest = store.papers.newest_id()
    if mark >= newest:
        # Nothing arrived: most of the ticks, one a minute, end here without gathering candidates.
        if mark > newest:  # a restored backup has fewer papers: the next ones get ids below the mark
            store.alert_marks.move(reader.id, newest)
        return []

    # The first check has no mark, and covers what is new since the last edition.
    candidates = context.composer.candidates(reader, profile)
    candidates = replace(candidates, ids=[paper_id for paper_id in candidates.ids if paper_id > mark])
    day = local_date(now, timezone)
    remaining = max(rule.per_day - store.editions.alerts_on(reader.id, day), 0)
    saved: list[Edition] = []
    if candidates.ids and remaining:
        for edition in context.composer.alerts(reader, profile, day, now, candidates)[:remaining]:
            slot = f"alert-{edition.picks[0].paper.ref}"
            # The slot is unique to reader and paper: a second process saves nothing, and so sends nothing.
            if store.editions.save(edition, slot, context.renderer.messages(edition, slot)) is not None:
                saved.append(edition)
    # Moved last: after a crash in between the papers are checked again, and the slots prevent a second alert.
    store.alert_marks.move(reader.id, candidates.watermark)
    return saved
