"""For operators: health check, Prometheus metrics, and status."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.model import State
from bot.model.errors import QueueError, StoreError
from bot.operate.status import inactive_readers, load, status
from bot.web.site import Site, client_key

_CHALLENGE = {"WWW-Authenticate": 'Basic realm="Paperbot, any name; the operator\'s token as password"'}
_WRONG_TOKENS_A_MINUTE = 10  # of one client
_DAYS = 28  # of a source's volume
_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"  # Prometheus' text exposition format


class OperatorPages:
    """``/healthz``, ``/metrics``, ``/status``."""

    def __init__(self, site: Site, queue_depths: Callable[[], Mapping[str, int]]) -> None:
        self._site = site
        self._queue_depths = queue_depths
        self._registry = CollectorRegistry()
        self._registry.register(_StoreCollector(site, queue_depths))
        self.requests = Counter(
            "paperbot_http_requests", "Requests answered.", ["page", "status"], registry=self._registry
        )

    def health(self, _request: Request) -> Response:
        try:
            self._site.store.papers.newest_id()
        except StoreError:
            return PlainTextResponse("the store doesn't answer\n", 503)
        return PlainTextResponse("ok\n")

    def metrics(self, request: Request) -> Response:
        self._require_operator(request)
        return Response(generate_latest(self._registry), media_type=_CONTENT_TYPE)

    def status(self, request: Request) -> Response:
        self._require_operator(request)
        app = self._site.app
        profiles = self._site.profiles()
        now = self._site.now
        problems = app.standing_problems(now)
        report = status(app.store, app.sources, profiles, problems, now, queue=_depths(self._queue_depths))
        volumes = {}
        for source in report.sources:
            counts = [0] * _DAYS
            for arrival in app.store.sources.arrivals(source.name, now - timedelta(days=_DAYS)):
                days_ago = (now.date() - arrival.at.date()).days
                # A clock that was ahead stored arrivals in the future.
                if 0 <= days_ago < _DAYS:
                    counts[-1 - days_ago] += arrival.fresh
            volumes[source.name] = counts
        return self._site.page("status.html.j2", report=report, volumes=volumes, inactive=inactive_readers(app.store))

    def _require_operator(self, request: Request) -> None:
        """Raise HTTPException without the operator's token: 404 if none is set, 401, or 429 after many."""
        token = self._site.app.operator_token
        if token is None:
            raise HTTPException(404, "This page is for operators. PAPERBOT_WEB__OPERATOR_TOKEN enables it.")
        scheme, _, presented = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                presented = base64.b64decode(presented, validate=True).decode().partition(":")[2]
            except ValueError:  # not Base64, or not UTF-8
                presented = ""
        else:
            presented = presented.strip() if scheme.lower() == "bearer" else ""
        # In constant time: a plain comparison reveals how many characters are right.
        if hmac.compare_digest(presented.encode(), token.encode()):
            return
        self._site.limit_rate("wrong operator tokens", client_key(request), _WRONG_TOKENS_A_MINUTE)
        raise HTTPException(401, "This page is for operators.", headers=_CHALLENGE)


class RequestMetrics:
    """Middleware that counts responses by route and status.

    Not by address, which contains a token.
    """

    def __init__(self, app: ASGIApp, requests: Counter) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                page = getattr(scope.get("endpoint"), "__qualname__", "none")
                self._requests.labels(page, str(message["status"])).inc()
            await send(message)

        await self._app(scope, receive, send_and_count)


class _StoreCollector(Collector):
    """Reads the store at each scrape, which covers all processes."""

    def __init__(self, site: Site, queue_depths: Callable[[], Mapping[str, int]]) -> None:
        self._site = site
        self._store = site.store
        self._queue_depths = queue_depths

    def collect(self) -> Iterator[Metric]:
        # Dashboards show the texts. The names are a contract.
        store = self._store
        yield GaugeMetricFamily("paperbot_papers", "Papers known.", value=store.papers.count())
        active, stopped = store.readers.counts()
        yield _gauge("readers", "Readers.", "state", {"active": active, "stopped": stopped})
        up, down = store.feedback.totals()
        yield _gauge("thumbs", "Thumbs that count.", "vote", {"up": up, "down": down})
        counts = store.outbox.counts()
        yield _gauge("outbox", "Messages in the outbox.", "state", counts)
        yield CounterMetricFamily("paperbot_messages_sent", "Messages sent.", value=counts[State.SENT])
        bounces = CounterMetricFamily("paperbot_bounces", "Mails that came back, by outcome.", labels=["outcome"])
        for outcome, count in store.bounce_counts.all().items():
            bounces.add_metric([outcome], count)
        yield bounces
        figures = load(store, self._site.profiles(), _depths(self._queue_depths), self._site.now)
        yield CounterMetricFamily("paperbot_editions", "Editions composed.", value=figures.editions)
        yield GaugeMetricFamily(
            "paperbot_oldest_due_seconds",
            "How long the first due reader has waited for an edition.",
            value=figures.oldest_due_seconds,
        )
        yield GaugeMetricFamily(
            "paperbot_oldest_unsent_seconds",
            "How long the oldest message has waited for a worker.",
            value=figures.oldest_unsent_seconds,
        )
        yield GaugeMetricFamily("paperbot_claims_expired", "Messages whose worker died.", value=figures.expired_claims)
        yield _gauge("queue_depth", "Tasks that wait for a worker.", "task", figures.queue)
        used = {rate.kind: rate.used_today for rate in figures.rates}
        yield _gauge("rate_used", "Messages of today under a limit.", "kind", used)
        share = {rate.kind: rate.share for rate in figures.rates}
        yield _gauge("rate_share", "Share of the full rate.", "kind", share)


def _gauge(name: str, text: str, label: str, values: Mapping[State, int] | Mapping[str, float]) -> Metric:
    gauge = GaugeMetricFamily(f"paperbot_{name}", text, labels=[label])
    for value, number in values.items():
        gauge.add_metric([value], number)
    return gauge


def _depths(queue_depths: Callable[[], Mapping[str, int]]) -> Mapping[str, int]:
    """Return the waiting tasks, or none while the broker is away."""
    try:
        return queue_depths()
    except QueueError:
        return {}
