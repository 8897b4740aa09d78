"""For operators: is it alive, how much of what, and the whole status, for holders of the operator's token."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.errors import StoreError
from bot.ingestion.service import unreadable
from bot.operations.status import status
from bot.store import Store
from bot.web.site import Refused, Site

_ASK = {"WWW-Authenticate": 'Basic realm="Paperbot, any name; the operator\'s token as password"'}
_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class OperatorPages:
    """``/healthz``, ``/metrics``, ``/status``."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._registry = CollectorRegistry()
        self._registry.register(_Kept(site))
        self.requests = Counter(
            "paperbot_http_requests", "Requests answered.", ["page", "status"], registry=self._registry
        )

    def health(self, _request: Request) -> Response:
        """200 while the store answers."""
        try:
            self._site.app.store.papers.newest_id()
        except StoreError:
            return PlainTextResponse("the store doesn't answer\n", 503)
        return PlainTextResponse("ok\n")

    def metrics(self, request: Request) -> Response:
        """Figures in Prometheus' text form."""
        if refusal := self._refusal(request):
            return refusal
        return Response(generate_latest(self._registry), media_type=_CONTENT_TYPE)

    def status(self, request: Request) -> Response:
        """What ``paperbot status`` says."""
        if refusal := self._refusal(request):
            return refusal
        app, profiles = self._site.app, self._site.profiles()
        now = self._site.now
        standing = [
            *app.profile_problems,
            *app.room.problems(),
            *unreadable(app.sources, app.store, app.parser.parse, now),
        ]
        found = status(app.store, app.sources, profiles, standing, now)
        return self._site.page("status.html.j2", found=found)

    def _refusal(self, request: Request) -> Response | None:
        """None for a holder of the token."""
        token = self._site.app.operator_token
        if token is None:
            raise Refused(404, "This page is for operators; PAPERBOT_WEB__OPERATOR_TOKEN opens it.")
        if hmac.compare_digest(_shown(request).encode(), token.encode()):
            return None
        return self._site.page("refused.html.j2", 401, message="This page is for operators.", headers=_ASK)


class RequestMetrics:
    """Middleware: counts answers by page and status; a page is named by its handler, never by its address."""

    def __init__(self, app: ASGIApp, requests: Counter) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                endpoint = scope.get("endpoint")
                page = getattr(endpoint, "__qualname__", "none")
                self._requests.labels(page, str(message["status"])).inc()
            await send(message)

        await self._app(scope, receive, counted)


class _Kept(Collector):
    """Reads the store when asked."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def collect(self) -> Iterator[Metric]:
        """Gauges of what is kept."""
        store: Store = self._site.app.store
        yield GaugeMetricFamily("paperbot_papers", "Papers known.", value=store.papers.count())
        readers = GaugeMetricFamily("paperbot_readers", "Readers.", labels=["state"])
        everyone = store.readers.all()
        active = sum(reader.stopped is None for reader in everyone)
        readers.add_metric(["active"], active)
        readers.add_metric(["stopped"], len(everyone) - active)
        yield readers
        thumbs = GaugeMetricFamily("paperbot_thumbs", "Thumbs that count.", labels=["vote"])
        counts = store.feedback.counts().values()
        thumbs.add_metric(["up"], sum(up for up, _ in counts))
        thumbs.add_metric(["down"], sum(down for _, down in counts))
        yield thumbs
        outbox = GaugeMetricFamily("paperbot_outbox", "Messages in the outbox.", labels=["state"])
        for state, count in store.outbox.counts().items():
            outbox.add_metric([state], count)
        yield outbox


def _shown(request: Request) -> str:
    """The token that a request shows: as a bearer's, or as the password of any user."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(given, validate=True).decode().partition(":")[2]
    except ValueError:  # no base64 (also not ASCII), or no UTF-8
        return ""
