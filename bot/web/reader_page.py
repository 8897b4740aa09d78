"""A reader's own page: what was learned, thumbs, when and how much; to take along, to pause, to be forgotten."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from starlette.requests import Request
from starlette.responses import Response

from bot.config.profiles import DAYS, Profile
from bot.domain import STOPPED_BY_READER, Override, Paper, Reader, RecordedVote, StopReason, Vote
from bot.feedback.effect import learned
from bot.feedback.export import export
from bot.tokens import Purpose
from bot.web.open_editions import as_bibtex, as_ris
from bot.web.site import Refused, Site, assert_changed, assert_own, field, fields, paper_id_of, vote_of
from bot.web.votes import vote_by_web

_THUMBS_SHOWN = 100
_EDITIONS_SHOWN = 60
_WEEKS = 12
_MOST_IGNORED = 200
_LONGEST_WORD = 200
_CHANGES_A_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Week:
    """How many thumbs of each kind one week had."""

    monday: date
    up: int
    down: int


class ReaderPage:
    """``/me/{token}`` and what lies under it."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def show(self, request: Request) -> Response:
        """The page as it is now."""
        return self._page(request, self._viewer(request))

    def change(self, request: Request) -> Response:
        """One change, as the form's field ``do`` names it; the page says what was done."""
        reader = self._reader(request)
        self._site.profile_in_file(
            reader
        )  # without it the page can't be shown: nothing may have changed by then
        changes = {
            "ignore": self._ignore,
            "restore": self._restore,
            "thumb": self._thumb,
            "settings": self._settings,
            "pause": self._pause,
            "resume": self._resume,
        }
        change = changes.get(field(request, "do"))
        if change is None:
            raise Refused(400, "That form is not whole.")
        if change in (self._pause, self._resume):
            assert_own(reader)
        allow = self._site.app.store.rate_limits.allow
        if not allow("changes", str(reader.id), _CHANGES_A_MINUTE, timedelta(minutes=1), self._site.now):
            raise Refused(429, "That was very much at once; please wait a minute.")
        said = change(request, reader)
        return self._page(request, self._site.reader_with(reader.id), said)

    def export(self, request: Request) -> Response:
        """All that is kept, as a JSON file."""
        kept = export(self._site.app.store, assert_own(self._viewer(request)))
        text = json.dumps(kept, ensure_ascii=False, indent=2, default=_plain)
        headers = {"Content-Disposition": 'attachment; filename="paperbot.json"'}
        return Response(text, media_type="application/json", headers=headers)

    def bibtex(self, request: Request) -> Response:
        """The liked papers as BibTeX."""
        return as_bibtex(self._liked(request))

    def ris(self, request: Request) -> Response:
        """The liked papers as RIS."""
        return as_ris(self._liked(request))

    def ask_to_forget(self, request: Request) -> Response:
        """What will be gone, with a button."""
        reader = assert_own(self._reader(request))
        return self._site.page("forget.html.j2", reader=reader, me=_path(request), done=False)

    def forget(self, request: Request) -> Response:
        """All of it is gone."""
        reader = assert_own(self._reader(request))
        left = self._site.app.forget(reader, self._site.now)
        return self._site.page(
            "forget.html.j2", reader=reader, me="", done=True, file=f"profiles/{left.name}" if left else ""
        )

    def _reader(self, request: Request) -> Reader:
        return self._site.reader(request, Purpose.ME)

    def _viewer(self, request: Request) -> Reader:
        reader = self._reader(request)
        self._site.count_view(reader)
        return reader

    def _page(self, request: Request, reader: Reader, said: str = "") -> Response:
        from bot.evaluation.chart import learning_curve, svg_chart
        from bot.evaluation.service import evaluate
        from bot.evaluation.wording import answer  # with scikit-learn behind it: `serve` is to be up at once

        store, profile = self._site.app.store, self._site.profile_of(reader)
        with self._site.editor() as editor:
            words = learned(store, editor, reader, profile, now=self._site.now)
            found = evaluate(store, lambda: self._site.app.ranker, reader, profile, unseen=0)
        chart = learning_curve(found)
        votes = store.feedback.votes(reader.id)
        editions = store.editions.of_reader(reader.id)
        return self._site.page(
            "reader.html.j2",
            reader=reader,
            profile=profile,
            said=said,
            me=_path(request),
            learned=words,
            answer=answer(found, by_pairs=True) if found.thumbs else "",
            curve=svg_chart(chart) if chart else "",
            override=store.overrides.get(reader.id),
            all_days=DAYS,
            thumbs=self._with_papers(votes[::-1][:_THUMBS_SHOWN]),
            votes=len(votes),
            weeks=_weeks(votes, self._site.now),
            days=list(dict.fromkeys(edition.date for edition in editions))[:_EDITIONS_SHOWN],
            links=self._site.app.links(reader),
            may_resume=reader.stopped in STOPPED_BY_READER and not reader.is_shared,
        )

    def _with_papers(self, given: Sequence[RecordedVote]) -> list[tuple[RecordedVote, Paper]]:
        papers = self._site.app.store.papers.get(thumb.paper for thumb in given)
        return [(thumb, papers[thumb.paper]) for thumb in given]

    def _liked(self, request: Request) -> list[Paper]:
        votes = self._site.app.store.feedback.votes(self._viewer(request).id)
        return [paper for thumb, paper in self._with_papers(votes) if thumb.vote is Vote.UP]

    # --- changes: each returns what was done, in words

    def _ignore(self, request: Request, reader: Reader) -> str:
        overrides = self._site.app.store.overrides
        now, word = overrides.get(reader.id), field(request, "word")
        if not word or len(word) > _LONGEST_WORD or len(now.ignored) >= _MOST_IGNORED:
            raise Refused(400, "That word can't be taken out.")
        overrides.set(reader.id, replace(now, ignored=tuple(dict.fromkeys((*now.ignored, word)))))
        return f"“{word}” counts no more."

    def _restore(self, request: Request, reader: Reader) -> str:
        overrides = self._site.app.store.overrides
        now, word = overrides.get(reader.id), field(request, "word")
        overrides.set(reader.id, replace(now, ignored=tuple(w for w in now.ignored if w != word)))
        return f"“{word}” counts again." if word in now.ignored else ""

    def _thumb(self, request: Request, reader: Reader) -> str:
        paper = self._site.paper(paper_id_of(field(request, "paper")))
        vote = vote_of(field(request, "vote"))
        vote_by_web(self._site, reader, paper, vote, via="page")
        done = {Vote.UP: "More like this", Vote.DOWN: "Less like this", Vote.CLEAR: "Taken back"}
        return f"{done[vote]}: noted."

    def _settings(self, request: Request, reader: Reader) -> str:
        profile = self._site.profile_in_file(reader)
        overrides = self._site.app.store.overrides
        if field(request, "reset"):
            overrides.set(reader.id, Override(ignored=overrides.get(reader.id).ignored))
            return "Everything is as the profile has it."
        chosen = _chosen(request, profile)
        overrides.set(reader.id, replace(chosen, ignored=overrides.get(reader.id).ignored))
        return "Noted. It counts from your next edition on."

    def _pause(self, _request: Request, reader: Reader) -> str:
        if reader.stopped is None:
            self._site.app.store.readers.leave(reader.id, StopReason.PAUSED)
        return "Paused: nothing more comes until you resume."

    def _resume(self, _request: Request, reader: Reader) -> str:
        assert_changed(self._site.app.store.readers.come_back(reader.id))
        return "Welcome back: the next edition comes as planned."


def _chosen(request: Request, profile: Profile) -> Override:
    """What the form says, where it differs from the profile; raises Refused."""
    try:
        size = int(field(request, "size"))
        at = time.fromisoformat(field(request, "at"))
    except ValueError:
        raise Refused(400, "A size is a number, and a time looks like 08:00.") from None
    days = tuple(day for day in DAYS if day in fields(request, "day"))
    if not 1 <= size <= 100 or not days or at.tzinfo:
        raise Refused(400, "An edition has 1 to 100 papers, and comes on one day a week at least.")
    at = at.replace(second=0, microsecond=0)
    schedule = profile.schedule
    return Override(
        size=None if size == profile.edition.size else size,
        at=None if at == schedule.at else at,
        days=None if set(days) == set(schedule.days) else days,
    )


def _weeks(votes: Sequence[RecordedVote], now: datetime) -> list[Week]:
    """The last weeks' thumbs, oldest first."""
    this = now.date() - timedelta(days=now.weekday())
    counted = Counter((t.at.date() - timedelta(days=t.at.weekday()), t.vote) for t in votes)
    mondays = (this - timedelta(weeks=back) for back in range(_WEEKS - 1, -1, -1))
    return [Week(day, counted[day, Vote.UP], counted[day, Vote.DOWN]) for day in mondays]


def _path(request: Request) -> str:
    return f"/me/{request.path_params['token']}"


def _plain(value: date | datetime) -> str:
    return value.isoformat()
