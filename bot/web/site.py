"""The basis of all pages: the open home, look-ups, limits, templates and middleware."""

from __future__ import annotations

import threading
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.channels import is_shared
from bot.channels.papers import path
from bot.config.keys import Purpose, TokenError
from bot.config.profiles import Profile, with_override
from bot.model import Paper, PaperId, Reader, Vote, parse_ref
from bot.model.errors import StoreError
from bot.model.wording import DEFAULT_LANGUAGE, storable, visible

if TYPE_CHECKING:
    from bot.app import App
    from bot.editions.composer import EditionComposer


T = TypeVar("T")

VIEWS_A_MINUTE = 30  # of ranking pages, which take 60 ms each
_MAX_DIGITS = 6  # of a page's number
STOPPED_BY_OTHERS = "You did not stop these editions. Only the operator of Paperbot can start them again."
_TOO_MANY = "Too many requests. Please wait a minute."


class Site:
    """One open home, which threads share."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.store = app.store
        # In memory: a view must not write to the database.
        self._views: Counter[object] = Counter()
        self._views_minute = 0
        self._views_lock = threading.Lock()
        # Visits that are recorded already.
        self._visited: set[tuple[int, date]] = set()
        # Handlers run in threads. The composer and the cached profiles are not thread-safe.
        self._ranking_lock = threading.Lock()
        self._refresh_lock = threading.Lock()

    @property
    def now(self) -> datetime:
        return datetime.now(UTC)

    def count_view(self, request: Request, reader: Reader | None = None) -> None:
        """Count a view by a reader or a stranger's client. Raises HTTPException beyond the limit."""
        key = reader.id if reader else client_key(request)
        minute = int(self.now.timestamp()) // 60
        with self._views_lock:
            if minute != self._views_minute:
                self._views_minute = minute
                self._views.clear()
            self._views[key] += 1
            if self._views[key] > VIEWS_A_MINUTE:
                raise HTTPException(429, _TOO_MANY)

    def limit_rate(self, action: str, actor: str, per_minute: int) -> None:
        """Count an action of all processes. Raises HTTPException beyond the limit."""
        if not self.store.rate_limits.allow(action, actor, per_minute, timedelta(minutes=1), self.now):
            raise HTTPException(429, _TOO_MANY)

    @contextmanager
    def composer(self) -> Iterator[EditionComposer]:
        """Lend the current composer to one request at a time, because ranking is CPU-bound."""
        with self._ranking_lock:
            self._refresh()
            yield self.app.composer

    def profiles(self) -> dict[str, Profile]:
        self._refresh()
        return self.app.profiles

    def open_profiles(self) -> dict[str, Profile]:
        return {slug: profile for slug, profile in self.profiles().items() if profile.open}

    def profile_of(self, reader: Reader) -> Profile:
        return with_override(self.profile_in_file(reader), self.store.overrides.get(reader.id))

    def title_of(self, reader: Reader) -> str:
        return self.profile_of(reader).title if reader.profile in self.profiles() else reader.profile

    def language_of(self, reader: Reader | None) -> str:
        if reader is None or reader.profile not in self.profiles():
            return DEFAULT_LANGUAGE
        return self.profile_of(reader).language

    def profile_in_file(self, reader: Reader) -> Profile:
        profile = self.profiles().get(reader.profile)
        if profile is None:
            raise HTTPException(410, "The profile of this subscription no longer exists.")
        return profile

    def note_visit(self, reader: Reader) -> None:
        if reader.profile not in self.profiles():
            return
        profile = self.profile_of(reader)
        visit = (reader.id, profile.schedule.day_of(self.now))
        if not profile.catch_up or visit in self._visited:
            return
        self._visited = {other for other in self._visited if other[1] >= visit[1] - timedelta(days=1)} | {visit}
        # A read-only store must not block reading.
        with suppress(StoreError):
            self.store.visits.note(*visit)

    def reader(self, request: Request, purpose: Purpose) -> Reader:
        reader = self.reader_with(self.payload(request, purpose)[0])
        # Programs fetch the library, and mail programs unsubscribe.
        if purpose is Purpose.ME:
            self.note_visit(reader)
        return reader

    def visitor(self, request: Request) -> Reader | None:
        """Return the reader of a page below ``/me``, or None for a stranger where a profile is open."""
        if "token" in request.path_params:
            return self.reader(request, Purpose.ME)
        if not self.open_profiles():
            raise HTTPException(404, "Nothing here is open to everybody.")
        return None

    def viewer(self, request: Request, purpose: Purpose) -> Reader:
        reader = self.reader(request, purpose)
        self.count_view(request, reader)
        return reader

    def reader_with(self, reader_id: int) -> Reader:
        reader = self.store.readers.by_id(reader_id)
        if reader is None:
            raise HTTPException(410, "This subscription no longer exists, and its data is deleted.")
        return reader

    def paper(self, paper_id: int) -> Paper:
        paper = self.store.papers.get([paper_id]).get(paper_id)
        if paper is None:
            raise HTTPException(404, "This paper no longer exists.")
        return paper

    def me(self, reader: Reader) -> str:
        return path(self.app.links(reader).me())

    def is_personal(self, reader: Reader) -> bool:
        """Return whether this reader is the only one of all profiles, none of which is open."""
        profiles = self.profiles().values()
        addresses = {address.lower() for profile in profiles for _, address in profile.addresses}
        return addresses == {reader.address.lower()} and not is_shared(reader) and not self.open_profiles()

    def own(self, reader: Reader | None, papers: Iterable[Paper], back: str = "") -> dict[str, Any]:
        """Return what lists show of a reader's votes: links, thumbs by paper, and saved papers.

        ``back`` is the page that a vote in a list returns to. A stranger has no ``links``.
        """
        if reader is None:
            return {"links": None}
        ids = list(dict.fromkeys(paper.id for paper in papers))
        feedback = self.store.feedback
        # The members of a channel vote in Slack, and the channel's page has a vote of its own.
        voted = {vote.paper: vote.vote for vote in feedback.votes(reader.id, ids) if not vote.voter}
        saved = {vote.paper for vote in feedback.saved(reader.id, ids)}
        return {"links": self.app.links(reader), "voted": voted, "saved": saved, "back": back}

    def payload(self, request: Request, purpose: Purpose) -> list[int]:
        try:
            return self.app.signer.read(purpose, request.path_params["token"])
        except TokenError as error:
            raise HTTPException(410 if error.expired else 404, f"Sorry, {error}.") from None

    def page(
        self,
        template: str,
        status: int = 200,
        *,
        me: str = "",
        language: str = DEFAULT_LANGUAGE,
        headers: Mapping[str, str] | None = None,
        **context: object,
    ) -> Response:
        context = {"voted": {}, "saved": (), "back": "", "list_page": "", **context}
        # The pages of papers: a reader's own, the public ones, or None.
        papers = me or ("" if self.open_profiles() else None)
        page = self.app.templates.get_template(f"pages/{template}").render(
            me=me, papers=papers, language=language, **context
        )
        # Invisible and bidirectional characters could disguise a page's text.
        return HTMLResponse(visible(page), status, headers)

    def list_page(
        self, request: Request, template: str, reader: Reader | None, papers: Iterable[Paper], **context: Any
    ) -> Response:
        """Return a page of papers for a reader, with their votes, or for a stranger."""
        own = self.own(reader, papers, this_page(request))
        return self.page(template, me=own_path(request), language=self.language_of(reader), **own, **context)

    def _refresh(self) -> None:
        with self._refresh_lock:
            self.app.refresh()


def own_path(request: Request) -> str:
    """Return the path of a reader's own pages, or an empty string for a stranger."""
    return f"/me/{request.path_params['token']}" if "token" in request.path_params else ""


def this_page(request: Request) -> str:
    """Return the path and query of a page."""
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path


def require_personal(reader: Reader) -> Reader:
    """Return the reader. Raises HTTPException for a channel, which all members can open."""
    if is_shared(reader):
        raise HTTPException(403, "All members of a channel share this page. Only the operator of Paperbot can do this.")
    return reader


def field(request: Request, name: str) -> str:
    return next(iter(fields(request, name)), "")


def fields(request: Request, name: str) -> list[str]:
    form: dict[str, list[str]] = request.state.form
    return form.get(name, [])


def parse_vote(text: str) -> Vote:
    try:
        return Vote(text)
    except ValueError:
        raise HTTPException(400, "This link is incomplete. Please open it from the email again.") from None


def parse_paper_id(text: str) -> PaperId:
    paper_id = parse_ref(text if text.startswith("p") else f"p{text}")
    if paper_id is None:
        raise HTTPException(400, "Not a valid paper id.")
    return paper_id


def parse_day(ordinal: int) -> date:
    try:
        return date.fromordinal(ordinal)
    except (ValueError, OverflowError):
        raise HTTPException(404, "Not a valid date.") from None


def page_number(request: Request) -> int:
    text = request.query_params.get("page", "1")
    return max(int(text), 1) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else 1


def page_of(request: Request, items: Sequence[T], size: int) -> tuple[Sequence[T], dict[str, Any]]:
    """Return the items on the requested page, and the variables of its links."""
    page = page_number(request)
    return items[(page - 1) * size : page * size], {"page": page, "more": len(items) > page * size}


def client_key(request: Request) -> str:
    """Return a client's IPv4 address or IPv6 /64, which a household has (RFC 6177)."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((int(address), 64), strict=False))
    return str(address)


def traceback_places(error: Exception) -> str:
    """Return an error's frames without its message, which may contain a reader's data."""
    frames = traceback.extract_tb(error.__traceback__)
    return " > ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)


MAX_BYTES = 1_000_000  # of a body. Slack sends the whole message of a button
MAX_FIELDS = 50
_MAX_LENGTH_DIGITS = 20  # of Content-Length. int() refuses more than 4,300

# No scripts, except the start page's own, and nothing from other sites.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Addresses contain tokens: no-referrer hides them from linked sites, and noindex from search engines.
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex",
}


class RequestLimits:
    """Provides the body as ``state.body`` and its fields as ``state.form``.

    An excessive body sets ``state.excess`` instead.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "")
        is_excessive = announced.isdecimal() and (len(announced) > _MAX_LENGTH_DIGITS or int(announced) > MAX_BYTES)
        body = b""
        try:
            if not is_excessive:
                async for chunk in Request(scope, receive).stream():
                    body += chunk
                    # Content-Length may be absent or wrong.
                    if is_excessive := len(body) > MAX_BYTES:
                        break
        except ClientDisconnect:
            return  # half a form must have no effect
        form: dict[str, list[str]] | None = None if is_excessive else {}
        content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if form is not None and content_type == "application/x-www-form-urlencoded":
            try:
                # Starlette's form parser has no limit on URL-encoded fields.
                typed = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
                # After decoding, because %00 is a NUL too.
                form = {storable(name): [storable(value) for value in values] for name, values in typed.items()}
            except ValueError:
                form = None
        state = scope.setdefault("state", {})
        state["excess"] = form is None
        state["body"] = body
        state["form"] = form or {}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers)
