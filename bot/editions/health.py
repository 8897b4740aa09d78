"""Assess sources, and tell why an edition is quiet.

The last 24 hours are compared with the median of the same 24 hours on earlier days: on the same weekday, if there are
three, or on all comparable days.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from statistics import median

from bot.model import Quiet, QuietReason, Score, SourceState
from bot.model.clock import Rest, announced_between, local_date, next_visible, rest_between
from bot.model.wording import listed, plural
from bot.sources import Source
from bot.store import Store
from bot.store.sources import Arrival

LOOK_BACK = timedelta(days=36)  # five days of each weekday, and a day for the first to begin
_DAY = timedelta(days=1)
_MIN_COMPARABLE_DAYS = 3  # the median of fewer would follow a single holiday
_SHORT_SHARE = 0.3  # of the usual volume


class Health(StrEnum):
    """The health of a source."""

    OK = "ok"
    NEW = "new"  # too few comparable days
    RESTING = "resting"  # a weekend or holiday of arXiv
    SHORT = "short"  # far fewer papers than usual
    STALE = "stale"  # no new papers
    EMPTY = "empty"  # digests without papers
    FAILING = "failing"  # can't be read


@dataclass(frozen=True, slots=True)
class HealthReport:
    """A source's health with its reason. ``usual`` is the median number of new papers in 24 hours."""

    health: Health
    detail: str = ""
    usual: float | None = None

    @property
    def needs_attention(self) -> bool:
        return self.health not in (Health.OK, Health.NEW, Health.RESTING)

    def __str__(self) -> str:
        return f"{self.health}: {self.detail}" if self.detail else str(self.health)


def check_health(source: Source, store: Store, now: datetime, state: SourceState) -> HealthReport:
    # People fill folders irregularly.
    if not (source.poll_interval and source.delivers_papers):
        return _failing(state) if state.failures else HealthReport(Health.OK)
    arrivals = store.sources.arrivals(source.name, now - LOOK_BACK)
    return assess(state, arrivals, now, follows_arxiv_calendar=source.follows_arxiv_calendar)


def assess(
    state: SourceState, arrivals: Sequence[Arrival], now: datetime, *, follows_arxiv_calendar: bool
) -> HealthReport:
    """Return the health of a source. ``arrivals`` cover the look-back, oldest first."""
    if state.failures:
        return _failing(state)
    if not arrivals:
        return HealthReport(Health.NEW)
    if follows_arxiv_calendar and not announced_between(now - _DAY, now):
        return HealthReport(Health.RESTING, "arXiv has announced nothing in the last 24 hours")
    usual = _usual_volume(arrivals, now, follows_arxiv_calendar)
    if usual is None:
        return HealthReport(Health.NEW)
    today = [arrival for arrival in arrivals if now - _DAY < arrival.at <= now]
    new_papers = sum(arrival.fresh for arrival in today)
    if usual < 1 or new_papers >= _SHORT_SHARE * usual:
        return HealthReport(Health.OK, usual=usual)
    newest = max((arrival.at for arrival in arrivals if arrival.fresh), default=arrivals[0].at)
    detail = f"nothing new since {newest:%Y-%m-%d}, {usual:.0f} papers a day are usual"
    # A feed repeats its papers, so the largest digest counts.
    listed = max((arrival.papers for arrival in today), default=0)
    health = Health.STALE
    if new_papers:
        health = Health.SHORT
        detail = f"{new_papers} new papers in a day, {usual:.0f} are usual"
    elif listed:
        detail = f"the same {listed} papers again; {detail}"
    elif today:
        health = Health.EMPTY
        detail = f"its digests have no papers; {detail}"
    return HealthReport(health, detail, usual)


def _failing(state: SourceState) -> HealthReport:
    times = "" if state.failures == 1 else f" ({state.failures} times in a row)"
    since = f"; it last succeeded on {state.succeeded_at:%Y-%m-%d %H:%M} UTC" if state.succeeded_at else ""
    return HealthReport(Health.FAILING, f"{state.problem}{times}{since}")


def _usual_volume(arrivals: Sequence[Arrival], now: datetime, follows_arxiv_calendar: bool) -> float | None:
    same_weekday: list[int] = []
    comparable: list[int] = []
    for days_ago in range(1, LOOK_BACK // _DAY):
        end = now - days_ago * _DAY
        if end < arrivals[0].at:
            break
        if follows_arxiv_calendar:
            is_comparable = announced_between(end - _DAY, end)
        else:
            both_working_days = max(end.weekday(), now.weekday()) < 5
            is_comparable = end.weekday() == now.weekday() or both_working_days
        if not is_comparable:
            continue
        volume = sum(arrival.fresh for arrival in arrivals if end - _DAY < arrival.at <= end)
        comparable.append(volume)
        if days_ago % 7 == 0:
            same_weekday.append(volume)
    # Weekdays differ, so the same weekday goes first if there are enough.
    volumes = same_weekday if len(same_weekday) >= _MIN_COMPARABLE_DAYS else comparable
    return median(volumes) if len(volumes) >= _MIN_COMPARABLE_DAYS else None


@dataclass(frozen=True, slots=True)
class SourceActivitySince:
    """Activity of a reader's sources since the previous edition."""

    first: bool = False  # no previous edition
    last: date | None = None  # day of the last new paper
    rest: Rest | None = None  # why arXiv announced nothing
    resumes: date | None = None  # when arXiv announces again
    failing: Sequence[str] = ()  # sources that can't be read
    stale: Sequence[str] = ()  # sources that are unusually silent

    def quiet(self) -> Quiet:
        # Faults first: a feed may have broken on Friday.
        last = f" The last one came on {_day(self.last)} {self.last.year}." if self.last else ""
        faults = []
        if self.failing:
            faults.append(f"{listed(self.failing)} can't be read")
        if self.stale:
            have = "has" if len(self.stale) == 1 else "have"
            faults.append(f"{listed(self.stale)} {have} brought nothing new for longer than usual")
        if faults:
            reason = QuietReason.FAILING if self.failing else QuietReason.STALE
            return Quiet(reason, f"No new paper has come in, which may be a fault: {'; '.join(faults)}.{last}")

        if self.rest is None:
            since = "" if self.first else " since your last edition"
            return Quiet(QuietReason.NOTHING_NEW, f"No new paper has come in{since}.{last}")
        resumes = ""
        if self.resumes:
            resumes = f"; its next papers should be here on {self.resumes:%A}, {_day(self.resumes)}"
        if self.rest is Rest.WEEKEND:
            return Quiet(QuietReason.WEEKEND, f"It is the weekend at arXiv{resumes}.")
        return Quiet(QuietReason.HOLIDAY, f"It is a holiday at arXiv{resumes}.")


def quiet_reason(scores: Sequence[Score], activity: SourceActivitySince, uncovered: Sequence[str] = ()) -> Quiet:
    """``uncovered`` are the reader's topics that no source has papers on."""
    if not scores:
        return activity.quiet()
    papers = plural(len(scores), "new paper")
    unmuted = [score for score in scores if not score.muted]
    if not unmuted:
        return Quiet(QuietReason.MUTED, f"{papers} came in, and your mutes hide all of them.")
    ranked = [score for score in unmuted if not score.missing_terms]
    if not ranked:
        words = f"{papers} came in, and none has a term of each group that your profile requires."
        return Quiet(QuietReason.LACKING, words)
    words = f"{papers} came in, and none comes close enough to what you want."
    if uncovered:
        words += f" Your sources have hardly any paper on {listed([f'“{topic}”' for topic in uncovered])}."
    return Quiet(QuietReason.BELOW, words)


def all_sent(papers: int) -> Quiet:
    words = f"{plural(papers, 'new paper')} came in, and you got {'it' if papers == 1 else 'all'} from another profile."
    return Quiet(QuietReason.BELOW, words)


def _day(day: date) -> str:
    # strftime has no portable day without a leading zero.
    return f"{day.day} {day:%B}"


@dataclass(slots=True)
class SourceMonitor:
    """The configured sources. A run (``now``) caches their health."""

    store: Store
    all: Sequence[Source]
    _health: dict[str, Health] = field(default_factory=dict)
    _health_as_of: datetime | None = None

    def activity_since(
        self, names: Collection[str], since: datetime | None, now: datetime, timezone: str
    ) -> SourceActivitySince:
        # At least a day: two editions of a morning would seem to have a holiday between them.
        begin = min(since or now, now - _DAY)
        if self._health_as_of != now:
            states = self.store.sources.states()
            self._health = {}
            for source in self.all:
                state = states.get(source.name) or SourceState(source.name)
                self._health[source.name] = check_health(source, self.store, now, state).health
            self._health_as_of = now

        sources = [source for source in self.all if not names or source.name in names]
        rest = rest_between(begin, now) if any(source.follows_arxiv_calendar for source in sources) else None
        # A resting source is neither failing nor stale.
        expected = [source.name for source in sources if not (rest and source.follows_arxiv_calendar)]
        newest = self.store.papers.newest_first_seen(names)
        return SourceActivitySince(
            first=since is None,
            last=local_date(newest, timezone) if newest else None,
            rest=rest,
            resumes=local_date(next_visible(now), timezone) if rest else None,
            failing=[name for name in expected if self._health[name] is Health.FAILING],
            stale=[name for name in expected if self._health[name] in (Health.STALE, Health.EMPTY)],
        )
