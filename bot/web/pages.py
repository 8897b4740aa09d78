"""Thumb and unsubscribe pages: each shows what a press of its button will do, and does it on POST."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bot.domain import Paper, Reader, Vote
from bot.feedback import record
from bot.tokens import Purpose, TokenError

if TYPE_CHECKING:
    from bot.app import App

_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
}
UNSUBSCRIBED = "unsubscribed by its reader"


class _Refused(Exception):  # noqa: N818 - not an error: it becomes a page
    """A request that leads nowhere; becomes a friendly page."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message


class Pages:
    """The handlers, over one open home."""

    def __init__(self, app: App) -> None:
        self._app = app

    def thumb(self, request: Request) -> Response:
        """The paper with a button for the vote; POST records it."""
        reader, paper = self._reader_and_paper(request)
        vote = _vote(request)
        if request.method == "POST":
            record(self._app.store, reader, paper, vote, now=datetime.now(UTC), via="mail")
        return self._page("thumb.html.j2", paper=paper, vote=vote, done=request.method == "POST")

    def unsubscribe(self, request: Request) -> Response:
        """What will stop, with a button; POST stops it (RFC 8058 comes the same way, without cookies)."""
        reader = self._reader(self._read(request, Purpose.UNSUBSCRIBE)[0])
        if request.method == "POST":
            self._app.store.readers.stop(reader.id, UNSUBSCRIBED)
        done = request.method == "POST" or reader.stopped is not None
        return self._page("unsubscribe.html.j2", reader=reader, done=done)

    def refused(self, _request: Request, error: Exception) -> Response:
        """A friendly page for a link that doesn't work."""
        assert isinstance(error, _Refused)  # noqa: S101 - tells the type checker what Starlette promises
        return self._page("refused.html.j2", error.status, message=error.message)

    def _reader_and_paper(self, request: Request) -> tuple[Reader, Paper]:
        reader_id, paper_id = self._read(request, Purpose.THUMB)
        paper = self._app.store.papers.get([paper_id]).get(paper_id)
        if paper is None:
            raise _Refused(404, "That paper is no longer here.")
        return self._reader(reader_id), paper

    def _reader(self, reader_id: int) -> Reader:
        reader = next((r for r in self._app.store.readers.all() if r.id == reader_id), None)
        if reader is None:
            raise _Refused(410, "That subscription no longer exists, and nothing is kept of it.")
        return reader

    def _read(self, request: Request, purpose: Purpose) -> list[int]:
        try:
            return self._app.signer.read(purpose, request.path_params["token"])
        except TokenError as error:
            raise _Refused(410 if error.expired else 404, f"Sorry, {error}.") from None

    def _page(self, template: str, status: int = 200, **context: object) -> Response:
        page = self._app.templates.get_template(f"pages/{template}").render(**context)
        return HTMLResponse(page, status, _HEADERS)


def _vote(request: Request) -> Vote:
    try:
        return Vote(request.query_params.get("vote", "up"))
    except ValueError:
        raise _Refused(400, "That link is not whole; please open it from the mail again.") from None


def make_web(app: App) -> Starlette:
    """The pages as an ASGI application."""
    pages = Pages(app)

    def route(path: str, handler: Callable[[Request], Response]) -> Route:
        return Route(path, handler, methods=["GET", "POST"])

    return Starlette(
        routes=[route("/thumb/{token}", pages.thumb), route("/unsubscribe/{token}", pages.unsubscribe)],
        exception_handlers={_Refused: pages.refused},
    )
