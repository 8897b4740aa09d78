"""Pages of subscriptions: preview, subscribing, unsubscribing, and a reader's preferences.

Preferences are three pages: settings, votes with learned phrases, and data.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, time, timedelta
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.channels import is_shared
from bot.config.keys import Purpose
from bot.config.profiles import DAYS, Profile, describe_days, describe_end
from bot.editions.due import last_edition_days
from bot.editions.letters import learned
from bot.model import Override, Paper, RawDigest, Reader, RecordedVote, StopReason, Vote
from bot.model.addresses import mail_address
from bot.model.clock import regional_timezones
from bot.model.errors import DigestError
from bot.model.papers import arxiv_id_in
from bot.model.wording import DEFAULT_LANGUAGE, languages, oneline, plural, shorten
from bot.readers.personal_data import export
from bot.readers.subscriptions import (
    MAX_INTERESTS,
    NotStoppedByReaderError,
    TooManyRequestsError,
    ignore_word,
    may_confirm,
    may_resume,
    reset_preferences,
    restore_word,
    set_preferences,
    show_likes,
    with_own_interests,
)
from bot.web.archive import OpenEditions, attachment
from bot.web.papers import LONGEST_SEARCH, VOTE_MESSAGES, record_vote
from bot.web.site import (
    POLICY,
    Site,
    client_key,
    field,
    fields,
    own_path,
    page_of,
    parse_paper_id,
    parse_vote,
    require_personal,
)

# A preview ranks a week of papers in 100 ms.
_PASTED_WIDTH = 50_000  # characters. Five entries of BibTeX with abstracts have 10,000
_MAX_PASTED_PAPERS = 20
_PREVIEW_PICKS = 5
_ENTRY = re.compile(r"^\s*(?:@\w+\s*\{|TY  - |PMID ?- ?\d|%0 |PT J$)", re.MULTILINE)  # of a library, pasted
# A honeypot: people don't see the field, and programs fill it in.
_HONEYPOT = "homepage"
_LIBRARY_SHOWN = 20
_INTERESTS_WIDTH = 300  # characters on the confirmation page
_VOTES_A_PAGE = 7  # keeps the page short on a telephone
_WEEKS = 12
_CHANGES_A_MINUTE = 60
_USUAL_PAUSE = timedelta(weeks=2)


class ReaderPage:
    """``/me/{token}``, and ``votes``, ``data`` and ``forget`` below it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._subscriptions = site.app.subscriptions

    def show(self, request: Request) -> Response:
        reader = self._site.viewer(request, Purpose.ME)
        return self._page(request, reader)

    def change(self, request: Request) -> Response:
        reader = self._site.reader(request, Purpose.ME)
        # First, because an error must mean that nothing was changed.
        profile = self._site.profile_in_file(reader)
        action = field(request, "do")
        if action in ("show likes", "pause", "resume", "unsubscribe", "remove library"):
            require_personal(reader)
        self._site.limit_rate("changes", str(reader.id), _CHANGES_A_MINUTE)
        try:
            if action == "new interest" and self._site.is_personal(reader):
                texts = field(request, "name"), field(request, "interests")
                now = self._site.now
                added = self._subscriptions.add_interest(reader, self._site.profile_of(reader), *texts, now)
                return RedirectResponse(self._site.me(added), 303)
            message = self._changed(request, reader, profile, action)
        except ValueError as error:
            raise HTTPException(400, f"Not a valid value. {error}") from None
        return self._page(request, self._site.reader_with(reader.id), message)

    def _changed(self, request: Request, reader: Reader, profile: Profile, action: str) -> str:
        """Carry out a form's action and return the message. Raises ValueError and HTTPException."""
        store, subscriptions = self._site.store, self._subscriptions
        match action:
            case "ignore":
                ignore_word(store, reader, field(request, "word"))
                message = f"“{field(request, 'word')}” no longer counts."
            case "restore":
                restore_word(store, reader, field(request, "word"))
                message = f"“{field(request, 'word')}” counts again."
            case "thumb":
                paper = self._site.paper(parse_paper_id(field(request, "paper")))
                vote = parse_vote(field(request, "vote"))
                record_vote(self._site, reader, paper, vote, via="page")
                message = VOTE_MESSAGES[vote]
            case "settings":
                if field(request, "reset"):
                    reset_preferences(store, reader)
                    message = "Your editions follow the profile again."
                else:
                    self._change_settings(request, reader, profile)
                    message = "Your changes count from your next edition on."
            case "show likes" if profile.has_member(reader):
                name = show_likes(store, reader, field(request, "name"))
                message = f"The others see what “{name}” likes." if name else "Nobody sees what you like."
            case "remove library":
                message = f"Your library is removed: {plural(store.library.remove(reader.id), 'paper')}."
            case "unsubscribe":
                subscriptions.unsubscribe(reader)
                message = "You are unsubscribed. Your votes are kept in case you come back."
            case "pause":
                timezone = self._site.profile_of(reader).schedule.timezone
                until = self._day(field(request, "until"))
                readers = self._lists(reader) if field(request, "all") else [reader]
                subscriptions.pause(readers, self._site.now, until, timezone)
                message = "Paused. You can resume at any time."
            case "resume":
                paused = [other for other in self._lists(reader) if other.stopped is StopReason.PAUSED]
                subscriptions.resume([reader, *paused] if field(request, "all") else [reader], self._site.now)
                message = "Resumed: the next edition comes as planned."
            case _:
                raise HTTPException(400, "This form is incomplete.")
        return message

    def _day(self, text: str) -> date | None:
        """Return the day of a form, or None if it is empty. Raises ValueError."""
        try:
            return date.fromisoformat(text) if text else None
        except ValueError:
            raise ValueError("Choose a day, or leave it empty.") from None

    def _lists(self, reader: Reader) -> list[Reader]:
        """Return all subscriptions at a reader's address."""
        profiles = self._site.profiles()
        return [other for other in self._site.store.readers.at_address(reader.address) if other.profile in profiles]

    def _change_settings(self, request: Request, reader: Reader, profile: Profile) -> None:
        def sent(name: str) -> str | None:
            return field(request, name) if name in request.state.form else None

        def lines(name: str) -> tuple[str, ...] | None:
            return None if (text := sent(name)) is None else tuple(text.splitlines())

        chosen = Override(
            title=sent("title"),
            size=int(field(request, "size")),
            at=time.fromisoformat(field(request, "at")),
            days=tuple(fields(request, "day")),
            timezone=sent("timezone") or None,
            interests=sent("interests"),
            keywords=lines("keywords"),
            authors=lines("authors"),
            mute=lines("mute"),
            language=sent("language") or None,
            # The boxes send nothing if they are empty, so a hidden field comes with each.
            catch_up="1" in fields(request, "catch_up") if sent("catch_up") is not None else None,
            weekly="1" in fields(request, "weekly") if sent("weekly") is not None else None,
        )
        set_preferences(self._site.store, reader, profile, chosen, self._site.now)

    def export(self, request: Request) -> Response:
        data = export(self._site.store, require_personal(self._site.viewer(request, Purpose.ME)))
        text = json.dumps(data, ensure_ascii=False, indent=2, default=lambda moment: moment.isoformat())
        return attachment(text, "application/json", "paperbot.json")

    def liked(self, request: Request) -> list[Paper]:
        """Return the liked papers, oldest vote first, so the exported file only grows."""
        reader = self._site.viewer(request, Purpose.LIBRARY)
        votes = self._site.store.feedback.votes(reader.id)
        return [paper for vote, paper in self._with_papers(votes) if vote.vote is Vote.UP]

    def show_forget(self, request: Request) -> Response:
        reader = require_personal(self._site.reader(request, Purpose.ME))
        return self._site.page("forget.html.j2", reader=reader, me=own_path(request), deleted=False)

    def forget(self, request: Request) -> Response:
        reader = require_personal(self._site.reader(request, Purpose.ME))
        remaining = self._site.app.forget(reader, self._site.now)
        file = f"profiles/{remaining.name}" if remaining else ""
        return self._site.page("forget.html.j2", reader=reader, me="", deleted=True, file=file)

    def _page(self, request: Request, reader: Reader, message: str = "") -> Response:
        profile = self._site.profile_of(reader)
        part = request.url.path.removeprefix(own_path(request))
        match part:
            case "/votes":
                template, shown = "votes.html.j2", self._votes(request, reader, profile)
            case "/data":
                library = self._site.store.library
                owned = library.of_readers([reader.id], _LIBRARY_SHOWN).get(reader.id, [])
                today = profile.schedule.day_of(self._site.now)
                template = "data.html.j2"
                shown = {
                    "links": self._site.app.links(reader),
                    "library": owned,
                    "library_size": library.size(reader.id),
                    "tomorrow": today + timedelta(days=1),
                    "in_two_weeks": today + _USUAL_PAUSE,
                }
            case _:
                template, shown = "preferences.html.j2", self._settings(reader, profile)
        return self._site.page(
            template,
            me=own_path(request),
            part=part,
            language=profile.language,
            reader=reader,
            profile=profile,
            message=message,
            is_shared=is_shared(reader),
            may_resume=may_resume(reader) and not is_shared(reader),
            lists=[] if is_shared(reader) else self._lists(reader),
            **shown,
        )

    def _settings(self, reader: Reader, profile: Profile) -> dict[str, Any]:
        override = self._site.store.overrides.get(reader.id)
        in_file = self._site.profile_in_file(reader)
        return {
            "languages": languages(),
            "timezones": regional_timezones(),
            "all_days": DAYS,
            "interests": profile.interests_at(self._site.now).strip(),
            "ends": [
                describe_end(entry, profile.language)
                for entry in profile.interests_with_end(self._site.now, ended=False)
            ],
            "has_own": override != Override(ignored=override.ignored, shown_as=override.shown_as),
            "shown_as": override.shown_as or "",
            "group": in_file.title if in_file.group and not is_shared(reader) else "",
            # None where others read this home too.
            "others": [
                (self._site.title_of(other), self._site.me(other))
                for other in self._site.store.readers.at_address(reader.address)
                if other.id != reader.id and other.profile in self._site.profiles()
            ]
            if self._site.is_personal(reader)
            else None,
            "is_member": in_file.has_member(reader),
        }

    def _votes(self, request: Request, reader: Reader, profile: Profile) -> dict[str, Any]:
        # Imported late: scikit-learn would delay the start of `serve` by a second.
        from bot.operate.evaluation import evaluate
        from bot.web.charts import answer, learning_curve

        store = self._site.store
        with self._site.composer() as composer:
            phrases = learned(composer, reader, profile, now=self._site.now)
            report = evaluate(store, self._site.app.ranker, reader, profile, unseen=0)
        votes = store.feedback.votes(reader.id)
        typed = request.query_params.get("q", "").strip()[:LONGEST_SEARCH]
        matching = votes
        if typed:
            papers = store.papers.voted(vote.paper for vote in votes)
            words = typed.casefold().split()
            matching = [vote for vote in votes if all(word in papers[vote.paper].text.casefold() for word in words)]
        this_monday = self._site.now.date() - timedelta(days=self._site.now.weekday())
        mondays = [this_monday - timedelta(weeks=back) for back in reversed(range(_WEEKS))]
        counts = Counter((vote.at.date() - timedelta(days=vote.at.weekday()), vote.vote) for vote in votes)
        on_page, paging = page_of(request, matching[::-1], _VOTES_A_PAGE)
        return {
            "learned": phrases,
            "answer": answer(report, by_pairs=True) if report.thumbs else "",
            "curve": learning_curve(report, profile.language),
            "ignored": store.overrides.get(reader.id).ignored,
            "weeks": [
                {"monday": monday, "up": counts[monday, Vote.UP], "down": counts[monday, Vote.DOWN]}
                for monday in mondays
            ],
            "votes": len(votes),
            "typed": typed,
            "thumbs": self._with_papers(on_page),
            **paging,
        }

    def _with_papers(self, votes: Sequence[RecordedVote]) -> list[tuple[RecordedVote, Paper]]:
        papers = self._site.store.papers.get(vote.paper for vote in votes)
        return [(vote, papers[vote.paper]) for vote in votes]


class PreviewPage:
    """``/preview``: a page, or a part of it for the start page's script."""

    def __init__(self, site: Site, open_editions: OpenEditions) -> None:
        self._site = site
        self._open_editions = open_editions

    def show(self, request: Request) -> Response:
        self._site.visitor(request)
        self._site.count_view(request)
        typed = field(request, "wishes").strip()[:_PASTED_WIDTH]
        profiles = self._site.open_profiles()
        slug = field(request, "profile") or next(iter(profiles))
        interests, problem = self._interests(typed)
        edition = None
        if interests:
            profile = profiles.get(slug)
            if profile is None:
                raise HTTPException(400, "Please choose one of the profiles on the start page.")
            edition = self._open_editions.compose(slug, with_own_interests(profile, interests))
        template = "_preview.html.j2" if field(request, "part") else "preview.html.j2"
        return self._site.page(
            template,
            language=edition.language if edition else DEFAULT_LANGUAGE,
            typed=typed,
            slug=slug,
            titles={name: profile.title for name, profile in profiles.items()},
            interests=interests,
            picks=edition.picks[:_PREVIEW_PICKS] if edition else [],
            edition=edition,
            problem=problem,
        )

    def _interests(self, typed: str) -> tuple[str, str]:
        """Return interests and a problem. Pasted entries and arXiv ids become titles."""
        if not typed:
            return "", "Write what interests you, or paste papers."
        if _ENTRY.search(typed):
            try:
                library = self._site.app.page_parser.parse_library(RawDigest("preview", "pasted", typed.encode()))
            except DigestError as error:
                return "", f"These papers can't be read: {error}."
            titles = [item.entry.title for item in library.entries[:_MAX_PASTED_PAPERS]]
            return "\n".join(titles)[:MAX_INTERESTS], "" if titles else "No paper with a title is in it."
        lines = typed.splitlines()
        ids = [arxiv_id_in(line) for line in lines]
        keys = [f"arxiv:{arxiv_id}" for arxiv_id in ids if arxiv_id][:_MAX_PASTED_PAPERS]
        titles_by_id = {paper.arxiv_id: paper.title for paper in self._site.store.papers.with_keys(keys)}
        read = [titles_by_id.get(arxiv_id) if arxiv_id else line for line, arxiv_id in zip(lines, ids, strict=True)]
        unknown = [arxiv_id for arxiv_id in ids if arxiv_id and arxiv_id not in titles_by_id]
        interests = "\n".join(text for text in read if text is not None).strip()[:MAX_INTERESTS]
        if not unknown:
            return interests, ""
        return interests, f"Not known here yet: {', '.join(unknown[:_MAX_PASTED_PAPERS])}. Paste the titles instead."


class SubscriptionPages:
    """``/``, ``/subscribe``, ``/confirm/{token}``, ``/unsubscribe/{token}``."""

    def __init__(self, site: Site, open_editions: OpenEditions, publish_soon: Callable[[], None]) -> None:
        self._site = site
        self._publish_soon = publish_soon
        self._open_editions = open_editions
        self._subscriptions = site.app.subscriptions

    def start(self, request: Request) -> Response:
        return self._start_page(chosen=request.query_params.get("profile", ""))

    def request_subscription(self, request: Request) -> Response:
        """Send a confirmation mail. The answer is the same for every valid address."""
        slug = field(request, "profile")
        typed = field(request, "email").strip()
        profile = self._site.open_profiles().get(slug)
        if profile is None:
            raise HTTPException(400, "Please choose one of the profiles on the start page.")
        try:
            address = mail_address(typed)
        except ValueError:
            problem = "Please enter a valid email address, like ada@example.org."
            return self._start_page(status=400, chosen=slug, typed=typed[:200], problem=problem)
        # The same page without a mail: an error would reveal the field to programs.
        if not field(request, _HONEYPOT):
            client = client_key(request)
            interests = field(request, "interests").strip()
            now = self._site.now
            try:
                if self._subscriptions.request(slug, profile, address, client, now, interests=interests):
                    self._publish_soon()
            except TooManyRequestsError as error:
                problem = f"{error} Please try again in an hour."
                return self._start_page(status=429, chosen=slug, typed=typed, problem=problem)
        return self._site.page("check_inbox.html.j2")

    def redirect_to_start(self, _request: Request) -> Response:
        return RedirectResponse("/", 303)

    def show_confirmation(self, request: Request) -> Response:
        reader = self._site.reader(request, Purpose.CONFIRM)
        if not may_confirm(reader) and reader.stopped is not StopReason.APPROVAL:
            raise NotStoppedByReaderError
        return self._confirmation_page(reader, confirmed=reader.stopped in (None, StopReason.APPROVAL))

    def confirm(self, request: Request) -> Response:
        reader = self._site.reader(request, Purpose.CONFIRM)
        now, profile = self._site.now, self._site.profile_of(reader)
        is_subscribed = self._subscriptions.confirm(reader, profile, now)
        first = None
        # A double click publishes once.
        if reader.stopped is not None:
            if is_subscribed and self._site.store.editions.last(reader.id) is None:
                with self._site.composer() as composer:
                    day = profile.schedule.day_of(now)
                    first = len(composer.edition(self._site.reader_with(reader.id), profile, day, now).picks)
            self._publish_soon()
        return self._confirmation_page(self._site.reader_with(reader.id), confirmed=True, first=first)

    def show_unsubscribe(self, request: Request) -> Response:
        reader = require_personal(self._site.reader(request, Purpose.UNSUBSCRIBE))
        return self._unsubscribe_page(reader, unsubscribed=reader.stopped is not None)

    def unsubscribe(self, request: Request) -> Response:
        """Stop or resume the editions.

        Mail programs' one-click POST always gets 200 (RFC 8058).
        """
        reader = require_personal(self._site.reader(request, Purpose.UNSUBSCRIBE))
        resumed = field(request, "do") == "resubscribe"
        if resumed:
            self._subscriptions.resume([reader], self._site.now)
        else:
            self._subscriptions.unsubscribe(reader)
        return self._unsubscribe_page(reader, unsubscribed=not resumed, resumed=resumed)

    def _start_page(self, status: int = 200, **form: str) -> Response:
        editions = self._open_editions.editions()
        return self._site.page(
            "start.html.j2",
            status,
            editions=editions,
            titles={edition.reader.profile: edition.profile_title for edition in editions},
            honeypot=_HONEYPOT,
            form=form,
            headers={"Content-Security-Policy": f"{POLICY}; script-src 'self'; connect-src 'self'"},
        )

    def _confirmation_page(self, reader: Reader, *, confirmed: bool, first: int | None = None) -> Response:
        """``first`` is the number of papers in the edition that follows at once, or None if none does."""
        profile, now = self._site.profile_of(reader), self._site.now
        last = last_edition_days(self._site.store, [(reader, profile)], now).get(reader.id)
        if first is not None:
            last = profile.schedule.day_of(now)
        in_file = self._site.profile_in_file(reader)
        typed = self._site.store.overrides.get(reader.id).interests or ""
        is_new = reader.stopped in (StopReason.AWAITING, StopReason.APPROVAL)
        return self._site.page(
            "confirm.html.j2",
            reader=reader,
            profile=profile,
            # A stranger may have typed the reader's title.
            title=in_file.title,
            group=in_file.group,
            is_member=in_file.has_member(reader),
            first=first,
            interests=shorten(oneline(typed), _INTERESTS_WIDTH),
            days=describe_days(profile.schedule.days),
            next_day=profile.schedule.next_moment(now, last).date(),
            confirmed=confirmed,
            needs_approval=is_new and in_file.needs_approval(reader),
            # Only after the confirmation, because the mailed link must not open preferences.
            me=self._site.me(reader) if confirmed else "",
        )

    def _unsubscribe_page(self, reader: Reader, *, unsubscribed: bool, resumed: bool = False) -> Response:
        return self._site.page(
            "unsubscribe.html.j2",
            reader=reader,
            title=self._site.title_of(reader),
            unsubscribed=unsubscribed,
            resumed=resumed,
            may_resume=reader.stopped is None or may_resume(reader),
        )
