"""The ASGI application with its routes and error pages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.config.keys import Purpose
from bot.model import Paper
from bot.model.errors import DeletedError, PaperbotError
from bot.readers.subscriptions import NotStoppedByReaderError
from bot.web.archive import EditionPages, OpenEditions, papers_file
from bot.web.open_pages import WeekPages
from bot.web.operators import OperatorPages, RequestMetrics
from bot.web.papers import PaperPages, VotePages
from bot.web.readers import PreviewPage, ReaderPage, SubscriptionPages
from bot.web.site import STOPPED_BY_OTHERS, RequestLimits, Site, own_path, traceback_places
from bot.web.slack import SlackPages

if TYPE_CHECKING:
    from bot.app import App


log = logging.getLogger("paperbot")

Handler = Callable[[Request], Response]

_MESSAGES = {"Not Found": "There is no such page.", "Method Not Allowed": "This page can't be used this way."}


def make_web(
    app: App, publish_soon: Callable[[], None] = lambda: None, queue_depths: Callable[[], Mapping[str, int]] = dict
) -> Starlette:
    """Return the application over an open home.

    ``publish_soon`` composes and delivers now.
    """
    site = Site(app)
    operators = OperatorPages(site, queue_depths)
    slack = SlackPages(site)

    @asynccontextmanager
    async def lifespan(_web: Starlette) -> AsyncIterator[None]:
        close = app.slack_interactions.listen(slack.handle) if app.slack_interactions else None
        yield
        if close:
            close()

    web = Starlette(
        routes=[
            *_page_routes(site, publish_soon),
            _route("/slack/actions", post=slack.receive),
            _route("/slack/commands", post=slack.receive),
            # A slow store may block Starlette's 40 workers, and a queued health check would fail.
            _route("/healthz", operators.health, executor=ThreadPoolExecutor(1)),
            _route("/metrics", operators.metrics),
            _route("/status", operators.status),
        ],
        middleware=[Middleware(RequestLimits), Middleware(RequestMetrics, requests=operators.requests)],
        exception_handlers=_error_handlers(site),
        lifespan=lifespan,
    )
    # Starlette would redirect a trailing slash to the request's Host with the token in the path: an open redirect.
    web.router.redirect_slashes = False
    return web


def _page_routes(site: Site, publish_soon: Callable[[], None]) -> list[Route]:
    open_editions = OpenEditions(site)
    subscriptions = SubscriptionPages(site, open_editions, publish_soon)
    votes = VotePages(site)
    editions = EditionPages(site, publish_soon)
    papers = PaperPages(site)
    preview = PreviewPage(site, open_editions)
    weeks = WeekPages(site, open_editions)
    preferences = ReaderPage(site)

    def sample(request: Request) -> Response:
        return site.page("sample.html.j2", link=request.query_params.get("link", ""))

    def addresses(request: Request) -> Response:
        """Show a paper's addresses. No redirect, so an address can't pass as ours."""
        (paper_id,) = site.payload(request, Purpose.GO)
        return site.page("go.html.j2", paper=site.paper(paper_id))

    return [
        _route("/", subscriptions.start),
        _route("/style.css", lambda _request: _static(site, "style.css.j2", "text/css")),
        _route("/icon.svg", lambda _request: _static(site, "icon.svg.j2", "image/svg+xml")),
        _route("/preview.js", lambda _request: _static(site, "preview.js.j2", "text/javascript")),
        _route("/preview", subscriptions.redirect_to_start, preview.show),
        _route("/subscribe", subscriptions.redirect_to_start, subscriptions.request_subscription),
        _route("/search", papers.search),
        _route("/paper/{ref}", papers.show),
        *_export_routes("/paper/{ref}/paper", papers.papers),
        _route("/sample", sample, sample),
        _route("/open/{slug}", open_editions.show),
        _route("/open/{slug}/feed.atom", open_editions.feed),
        _route("/open/{slug}/week", weeks.redirect_to_newest),
        _route("/open/{slug}/week/{week}.png", weeks.picture),
        _route("/open/{slug}/week/{week}", weeks.show),
        *_export_routes("/open/{slug}/papers", open_editions.papers),
        # There are no accounts: a signed token in the path is the only credential.
        _route("/thumb/{token}", votes.show, votes.record),
        _route("/thumb/{token}/save", votes.offer_to_save),
        *_export_routes("/thumb/{token}/paper", votes.papers),
        _route("/go/{token}", addresses),
        _route("/confirm/{token}", subscriptions.show_confirmation, subscriptions.confirm),
        _route("/unsubscribe/{token}", subscriptions.show_unsubscribe, subscriptions.unsubscribe),
        _route("/edition/{token}", editions.show_shared),
        *_export_routes("/edition/{token}/papers", editions.papers),
        _route("/me/{token}", preferences.show, preferences.change),
        _route("/me/{token}/votes", preferences.show, preferences.change),
        _route("/me/{token}/data", preferences.show, preferences.change),
        _route("/me/{token}/edition/{day}", editions.show_own),
        _route("/me/{token}/today", editions.redirect_to_today),
        _route("/me/{token}/archive", editions.archive, editions.catch_up),
        _route("/me/{token}/more/{day}", editions.more),
        _route("/me/{token}/skipped/{day}", editions.skipped),
        _route("/me/{token}/search", papers.search),
        _route("/me/{token}/paper/{ref}", papers.show),
        *_export_routes("/me/{token}/paper/{ref}/paper", papers.papers),
        _route("/me/{token}/saved", papers.saved),
        *_export_routes("/me/{token}/saved", papers.saved_file),
        _route("/me/{token}/export.json", preferences.export),
        *_export_routes("/me/{token}/library", preferences.liked),
        _route("/me/{token}/forget", preferences.show_forget, preferences.forget),
    ]


def _route(
    path: str, get: Handler | None = None, post: Handler | None = None, *, executor: Executor | None = None
) -> Route:
    def handle(request: Request) -> Response:
        if request.state.excess:
            raise HTTPException(413, "This request is too large.")
        handler = post if request.method == "POST" else get
        assert handler is not None  # noqa: S101 - the route has only the methods that have handlers
        try:
            return handler(request)
        except (HTTPException, PaperbotError):
            raise
        except Exception as error:
            # Starlette would log the message, which may contain a reader's data.
            log.error("a page failed with %s: %s", type(error).__name__, traceback_places(error))
            raise HTTPException(500, "Paperbot made an error. Its operator finds it in the log.") from None

    async def handle_in_executor(request: Request) -> Response:
        return await asyncio.get_running_loop().run_in_executor(executor, handle, request)

    endpoint = handle_in_executor if executor else handle
    endpoint.__qualname__ = path  # the label of the route in metrics
    return Route(path, endpoint, methods=[m for m, handler in (("GET", get), ("POST", post)) if handler])


def _export_routes(stem: str, papers: Callable[[Request], Sequence[Paper]]) -> list[Route]:
    return [
        _route(f"{stem}.bib", lambda request: papers_file(papers(request), "bib")),
        _route(f"{stem}.ris", lambda request: papers_file(papers(request), "ris")),
    ]


def _static(site: Site, template: str, media_type: str) -> Response:
    content = site.app.templates.get_template(f"pages/{template}").render()
    return Response(content, media_type=media_type, headers={"Cache-Control": "max-age=3600"})


def _error_handlers(site: Site) -> dict[Any, Callable[[Request, Exception], Response]]:
    def show_error(request: Request, error: Exception) -> Response:
        match error:
            case HTTPException():
                status, message = error.status_code, _MESSAGES.get(error.detail, error.detail)
            case NotStoppedByReaderError():
                status, message = 403, STOPPED_BY_OTHERS
            case DeletedError():
                status, message = 410, "This subscription or paper no longer exists."
            case _:
                log.error("%s", error)
                status, message = 503, "Paperbot is unavailable at the moment. Please try again later."
        # Show links to a reader's own pages only on these pages.
        me = ""
        if request.url.path.startswith("/me/") and "token" in request.path_params:
            with suppress(HTTPException):
                site.payload(request, Purpose.ME)
                me = own_path(request)
        headers = error.headers if isinstance(error, HTTPException) else None
        return site.page("refused.html.j2", status, me=me, message=message, headers=headers)

    return {HTTPException: show_error, PaperbotError: show_error}
