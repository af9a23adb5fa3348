"""`GET /metrics`: the figures of this process and of its store, as Prometheus reads them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.datastructures import Headers

from ..operations.executions import Executing
from ..records.errors import ServiceFault
from ..records.model_rates import ModelRates
from ..records.states import StateRows
from ..records.webhooks import WebhookRows
from .context import Who, service_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .streams import Streams

SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""The bounds between which times of answers are counted."""


@dataclass(slots=True)
class Figures:
    """What a process counts of its requests: they are told apart by the path of their operation,
    of which there are a few dozen."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    requests: Counter = field(init=False)
    seconds: Histogram = field(init=False)

    def __post_init__(self) -> None:
        about = ["method", "path"]
        self.requests = Counter(
            "flowc_requests",
            "Requests that were answered",
            [*about, "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "flowc_request_seconds",
            "Seconds until an answer began",
            about,
            buckets=SECONDS,
            registry=self.registry,
        )

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self.requests.labels(method, path, str(status)).inc()
        self.seconds.labels(method, path).observe(seconds)

    async def text(self, executing: Executing, streams: Streams) -> bytes:
        """Return what this process counted, and what the store holds now."""
        now = CollectorRegistry()
        depth = await executing.due.depth()
        jobs = Gauge("flowc_jobs", "Executions with news, by state", ["state"], registry=now)
        jobs.labels("waits").set(depth.waits)
        jobs.labels("runs").set(depth.runs)
        jobs.labels("failed").set(await StateRows(executing.db).count_faulty())
        shares = Gauge(
            "flowc_team_jobs", "Executions with news, by team", ["team", "state"], registry=now
        )
        for share in await executing.due.shares():
            shares.labels(share.team, "waits").set(share.waits)
            shares.labels(share.team, "runs").set(share.runs)
        waits = Gauge(
            "flowc_model_wait_seconds",
            "Seconds until a call of a model may come",
            ["model"],
            registry=now,
        )
        for model, seconds in (await ModelRates(executing.db, executing.clock).waits()).items():
            waits.labels(model).set(seconds)
        workers = Gauge("flowc_workers", "Workers that live or have jobs", registry=now)
        workers.set(depth.workers)
        deliveries = Gauge(
            "flowc_webhook_deliveries", "Deliveries to webhooks, by state", ["state"], registry=now
        )
        counts = await WebhookRows(executing.db).all_counts()
        for state in ("waits", "dead"):
            deliveries.labels(state).set(counts.get(state, 0))
        listening = Gauge("flowc_event_streams", "Event streams of this process", registry=now)
        listening.set(len(streams.open))
        return bytes(generate_latest(self.registry) + generate_latest(now))


class Measure:
    """Counts the answers of an application."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        self.app = app
        self.figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.monotonic()

        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                path = getattr(scope.get("route"), "path", "")
                passed = time.monotonic() - begun
                self.figures.note(scope["method"], path, message["status"], passed)
                _trace(scope, path, message["status"], passed)
            await send(message)

        await self.app(scope, receive, send_and_count)


def _trace(scope: Scope, path: str, status: int, seconds: float) -> None:
    """Make a span of a request, where somebody collects them."""
    traces = scope["app"].state.service.executing.traces
    if traces is None:
        return
    about = {
        "http.request.method": scope["method"],
        "http.route": path,
        "http.response.status_code": status,
        "flowc.request": scope["state"]["request_id"],
        "flowc.run": scope.get("path_params", {}).get("execution_id"),
    }
    traces.note_request(f"{scope['method']} {path}", Headers(scope=scope), seconds, about)


def add_figures(app: FastAPI) -> None:
    """Count the answers of an application, and add the path where its figures are read."""
    figures = Figures()
    app.add_middleware(Measure, figures=figures)

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request, caller: Who) -> Response:
        """The figures, for a token that sees every team."""
        if caller.owner is not None:
            raise ServiceFault("FORBIDDEN", "this needs a token that sees every team")
        service = service_of(request)
        text = await figures.text(service.executing, service.streams)
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)
