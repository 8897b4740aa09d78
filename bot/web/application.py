"""The pages as one ASGI application: which address leads where."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.errors import PaperbotError
from bot.web.editions import EditionPages, SearchPages
from bot.web.open_editions import OpenEditions
from bot.web.operators import OperatorPages, RequestMetrics
from bot.web.reader_page import ReaderPage
from bot.web.request_limits import Guard
from bot.web.site import Refused, Site, place
from bot.web.slack import SlackPages
from bot.web.subscriptions import SubscriptionPages
from bot.web.votes import VotePages

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("paperbot")

Handler = Callable[[Request], Response]

_MESSAGES = {404: "There is no such page.", 405: "That page can't be used this way."}


def make_web(app: App) -> Starlette:
    """The application over an open home."""
    site = Site(app)
    open_editions, operators = OpenEditions(site), OperatorPages(site)
    slack = SlackPages(site, open_editions)
    web = Starlette(
        routes=[
            *_public(site, open_editions),
            *_personal(site, open_editions),
            _route("/slack/actions", post=slack.receive),
            _route("/slack/commands", post=slack.receive),
            _route("/healthz", operators.health, apart=ThreadPoolExecutor(1)),
            _route("/metrics", operators.metrics),
            _route("/status", operators.status),
        ],
        middleware=[Middleware(Guard), Middleware(RequestMetrics, requests=operators.requests)],
        exception_handlers={
            Refused: _Errors(site).refused,
            HTTPException: _Errors(site).no_such_page,
            PaperbotError: _Errors(site).trouble,
        },
        lifespan=_listening(app, slack),
    )
    # Starlette would send a path with a slash too many, its token included, to whatever host the request names.
    web.router.redirect_slashes = False
    return web


def _public(site: Site, open_editions: OpenEditions) -> list[Route]:
    coming = SubscriptionPages(site, open_editions)
    search = SearchPages(site, open_editions)
    return [
        _route("/", coming.start),
        _route("/style.css", lambda _request: _file(site, "style.css.j2", "text/css")),
        _route("/icon.svg", lambda _request: _file(site, "icon.svg.j2", "image/svg+xml")),
        _route("/subscribe", coming.to_start, coming.subscribe),
        _route("/search", search.for_all),
        _route(
            "/sample", *[lambda _request: site.page("sample.html.j2")] * 2
        ),  # POST: one-click unsubscribing
        _route("/open/{slug}", open_editions.show),
        _route("/open/{slug}/feed.atom", open_editions.feed),
        _route("/open/{slug}/papers.bib", open_editions.bibtex),
        _route("/open/{slug}/papers.ris", open_editions.ris),
    ]


def _personal(site: Site, open_editions: OpenEditions) -> list[Route]:
    """What a token opens."""
    coming = SubscriptionPages(site, open_editions)
    search, thumbs, editions, me = (
        SearchPages(site, open_editions),
        VotePages(site),
        EditionPages(site),
        ReaderPage(site),
    )
    return [
        _route("/thumb/{token}", thumbs.show, thumbs.record),
        _route("/confirm/{token}", coming.ask_to_confirm, coming.confirm),
        _route("/unsubscribe/{token}", coming.ask_to_unsubscribe, coming.unsubscribe),
        _route("/edition/{token}", editions.show),
        _route("/edition/{token}/papers.bib", editions.bibtex),
        _route("/edition/{token}/papers.ris", editions.ris),
        _route("/me/{token}", me.show, me.change),
        _route("/me/{token}/search", search.for_reader),
        _route("/me/{token}/export.json", me.export),
        _route("/me/{token}/liked.bib", me.bibtex),
        _route("/me/{token}/liked.ris", me.ris),
        _route("/me/{token}/forget", me.ask_to_forget, me.forget),
    ]


def _route(
    path: str, get: Handler | None = None, post: Handler | None = None, *, apart: Executor | None = None
) -> Route:
    """GET (and so HEAD) shows, POST does; ``apart`` in a thread that no number of other pages keeps busy."""

    def handle(request: Request) -> Response:
        if request.state.excess:
            raise Refused(413, "That was more than a form of ours can hold.")
        handler = post if request.method == "POST" else get
        assert handler is not None  # noqa: S101 - the methods below are those there are handlers for
        try:
            return handler(request)
        except (Refused, PaperbotError):
            raise
        except Exception as error:
            log.error("a page failed with %s: %s", type(error).__name__, place(error))
            raise Refused(500, "That is a mistake of ours, and noted.") from None

    async def handle_apart(request: Request) -> Response:
        return await asyncio.get_running_loop().run_in_executor(apart, handle, request)

    endpoint = handle_apart if apart else handle
    endpoint.__qualname__ = path  # what the metrics call it
    return Route(path, endpoint, methods=[m for m, handler in (("GET", get), ("POST", post)) if handler])


def _file(site: Site, template: str, media_type: str) -> Response:
    """What pages refer to: the same for everybody, so that browsers may keep it."""
    content = site.app.templates.get_template(f"pages/{template}").render()
    return Response(content, media_type=media_type, headers={"Cache-Control": "max-age=3600"})


class _Errors:
    """Whatever goes wrong, as a friendly page; what is ours to mend is logged, without anybody's token."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def refused(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)  # noqa: S101 - tells the type checker what Starlette promises
        return self._page(error.status, error.message)

    def no_such_page(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        message = _MESSAGES.get(error.status_code, error.detail)
        response = self._page(error.status_code, message)
        response.headers.update(error.headers or {})
        return response

    def trouble(self, _request: Request, error: Exception) -> Response:
        log.error("%s", error)
        return self._page(503, "Something is out of order here; please try again in a while.")

    def _page(self, status: int, message: str) -> Response:
        return self._site.page("refused.html.j2", status, message=message)


def _listening(app: App, slack: SlackPages) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Socket Mode is open as long as the pages are."""

    @asynccontextmanager
    async def lifespan(_web: Starlette) -> AsyncIterator[None]:
        close = app.slack_interactions.listen(slack.act) if app.slack_interactions else None
        yield
        if close:
            close()

    return lifespan
