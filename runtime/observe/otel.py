"""A run as OpenTelemetry spans: the run, its nodes, their model calls, tools and commands.

Off unless asked for (`--otel`, or the usual OTEL_EXPORTER_OTLP_ENDPOINT). The spans are made from
the run's events and carry names, numbers and places; what models, tools and commands said only with
FLOWC_OTEL_CONTENT=1.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..config.extras import missing
from ..events import RunEvent

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.trace import Span, Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
CONTENT = "FLOWC_OTEL_CONTENT"
_FLUSH_MILLISECONDS = 3000
_SEND_SECONDS = 2
_LONGEST = 8000
"""Characters of a text that a span carries at most."""

Place = tuple[tuple[str, ...], str]


@dataclass(slots=True)
class Spans:
    """Listens to one run and makes its spans. `content` says that texts go into them."""

    tracer: Tracer
    content: bool = False
    traces: Traces | None = None
    """What they are sent with, where that ends with them."""
    _run: Span | None = None
    _nodes: dict[Place, Span] = field(default_factory=dict)
    _texts: dict[Place, str] = field(default_factory=dict)

    def listen(self, event: RunEvent) -> None:
        """Take an event of the engine."""
        match event.kind:
            case "run_started" | "run_resumed":
                self._begin(event)
            case "run_finished":
                self._end(event)
            case "node_started":
                self._node(event)
            case "node_finished" | "node_failed":
                self._node_over(event)
            case "model_text":
                place = (event.path, event.node)
                self._texts[place] = (self._texts.get(place, "") + str(event.data["text"]))[
                    -_LONGEST:
                ]
            case "model_called":
                self._effect(event, f"chat {event.data.get('model', '')}", self._model(event))
            case "tool_called":
                name = str(event.data.get("tool", ""))
                about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
                self._effect(event, f"execute_tool {name}", about)
            case "request_sent":
                sent, host = str(event.data["method"]), str(event.data["host"])
                about = {"http.request.method": sent, "server.address": host}
                about |= {"http.response.status_code": event.data["status"]}
                self._effect(event, f"{sent} {host}", about)
            case "command_run":
                self._effect(event, "command", self._command(event))
            case _:
                self._note(event)

    def close(self) -> None:
        """End what is open and send it; a collector that does not answer is not waited for long."""
        for span in (*reversed(self._nodes.values()), *([self._run] if self._run else [])):
            span.end()
        self._nodes.clear()
        self._run = None
        if self.traces is not None:
            self.traces.close()

    @property
    def lost(self) -> bool:
        """Whether some spans could not be sent."""
        return self.traces is not None and self.traces.lost

    def _begin(self, event: RunEvent) -> None:
        if self._run is not None:
            return  # a question was answered on the terminal: the same span goes on
        name = str(event.data.get("workflow", ""))
        self._run = self.tracer.start_span(
            f"invoke_workflow {name}",
            attributes={
                "gen_ai.operation.name": "invoke_workflow",
                "gen_ai.conversation.id": event.run,
                "gen_ai.workflow.name": name,
                "flowc.run": event.run,
                "flowc.resumed": event.kind == "run_resumed",
            },
        )

    def _end(self, event: RunEvent) -> None:
        if self._run is None:
            return
        status = str(event.data.get("status", ""))
        self._run.set_attribute("flowc.status", status)
        if status in ("failed", "error"):
            _fail(self._run, status)

    def _node(self, event: RunEvent) -> None:
        about = {"flowc.node": event.node, "flowc.visit": event.data.get("visit")}
        path = "/".join(event.path)
        span = self.tracer.start_span(
            event.node,
            context=self._around(event.path),
            attributes=_clean_attributes({**about, "flowc.path": path or None}),
        )
        self._nodes[event.path, event.node] = span

    def _node_over(self, event: RunEvent) -> None:
        span = self._nodes.pop((event.path, event.node), None)
        self._texts.pop((event.path, event.node), None)
        if span is None:
            return
        if case := event.data.get("case"):
            span.set_attribute("flowc.case", str(case))
        if event.kind == "node_failed":
            _fail(span, str(event.data.get("kind", "failure")))
            if self.content:
                span.set_attribute("error.message", str(event.data.get("message"))[:_LONGEST])
        span.end()

    def _model(self, event: RunEvent) -> dict[str, Any]:
        data, text = event.data, self._texts.pop((event.path, event.node), "")
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.response.model": data.get("model"),
            "gen_ai.request.model": data.get("model"),
            "gen_ai.usage.input_tokens": data.get("input_tokens"),
            "gen_ai.usage.output_tokens": data.get("output_tokens"),
            "gen_ai.usage.cache_read.input_tokens": data.get("cached_tokens"),
            "flowc.cost": data.get("cost"),
            "gen_ai.output.messages": text if text and self.content else None,
        }

    def _command(self, event: RunEvent) -> dict[str, Any]:
        facts = {"process.exit.code": event.data.get("exit_code")}
        texts = {f"flowc.{name}": event.data.get(name) for name in ("command", "output")}
        return facts | texts if self.content else facts

    def _effect(self, event: RunEvent, name: str, about: Mapping[str, Any]) -> None:
        """Add a span for something that is over: it took so many seconds until now."""
        end = time.time_ns()
        span = self.tracer.start_span(
            name,
            context=self._within(event),
            attributes=_clean_attributes(about),
            start_time=end - int(float(event.data.get("seconds", 0)) * 1e9),
        )
        if event.data.get("ok") is False:
            _fail(span, "failure")
        span.end(end)

    def _note(self, event: RunEvent) -> None:
        """Add everything else as an event of the span that it happened in, by its kind alone."""
        span = self._nodes.get((event.path, event.node), self._run)
        if span is not None:
            span.add_event(event.kind)

    def _within(self, event: RunEvent) -> Any:
        span = self._nodes.get((event.path, event.node))
        return _context(span) if span is not None else self._around(event.path)

    def _around(self, path: tuple[str, ...]) -> Any:
        """Return the span of the innermost call around; an element belongs to its foreach node."""
        for depth in range(len(path), 0, -1):
            *outer, call = path[:depth]
            for name in (call, call.rpartition("#")[0]):
                if (tuple(outer), name) in self._nodes:
                    return _context(self._nodes[tuple(outer), name])
        return _context(self._run) if self._run is not None else None


@dataclass(slots=True)
class Traces:
    """The spans of one process, on their way to a collector. `content` says that texts go into
    them, `lost` whether some could not be sent."""

    provider: TracerProvider
    content: bool = False
    lost: bool = False

    def spans(self) -> Spans:
        """Return what listens to one run; this goes on when that is closed."""
        return Spans(self.provider.get_tracer("flowc"), self.content)

    def note_request(
        self, name: str, headers: Mapping[str, str], seconds: float, about: Mapping[str, Any]
    ) -> None:
        """Add the span of a request that was answered just now, after so many seconds; below that
        of its sender where the header `traceparent` names one."""
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        end = time.time_ns()
        span = self.provider.get_tracer("flowc").start_span(
            name,
            context=TraceContextTextMapPropagator().extract(dict(headers)),
            kind=SpanKind.SERVER,
            attributes=_clean_attributes(about),
            start_time=end - int(seconds * 1e9),
        )
        if int(about.get("http.response.status_code", 0)) >= 500:
            _fail(span, str(about["http.response.status_code"]))
        span.end(end)

    def close(self) -> None:
        """Send what is left; a collector that does not answer is not waited for long."""
        self.provider.force_flush(_FLUSH_MILLISECONDS)
        self.provider.shutdown()


def open_spans(requested: bool, env: Mapping[str, str] = os.environ) -> Spans | None:
    """Return spans that go to a collector over OTLP; None when nobody wants them. Raise `RunError`
    when they were asked for and the extra is not installed."""
    traces = open_traces(env, requested=requested)
    if traces is None:
        return None
    return Spans(traces.provider.get_tracer("flowc"), traces.content, traces)


def open_traces(env: Mapping[str, str] = os.environ, *, requested: bool = False) -> Traces | None:
    """Return the same for a process with many runs."""
    if not requested and not any(env.get(name) for name in ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
    except ImportError:
        if not requested:
            return None
        raise missing("otel", "--otel") from None
    resource = Resource.create({"service.name": env.get("OTEL_SERVICE_NAME") or "flowc"})
    provider = TracerProvider(resource=resource)
    traces = Traces(provider, env.get(CONTENT, "") not in ("", "0", "false"))

    class Exporter(OTLPSpanExporter):
        """Says itself when it cannot send, instead of logging each try."""

        def export(self, batch: Sequence[ReadableSpan]) -> SpanExportResult:
            result = super().export(batch)
            traces.lost = traces.lost or result is not SpanExportResult.SUCCESS
            return result

    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    timed = any(env.get(f"OTEL_EXPORTER_OTLP_{name}") for name in ("TIMEOUT", "TRACES_TIMEOUT"))
    exporter = Exporter() if timed else Exporter(timeout=_SEND_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return traces


def _context(span: Span) -> Any:
    from opentelemetry.trace import set_span_in_context

    return set_span_in_context(span)


def _fail(span: Span, kind: str) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_status(Status(StatusCode.ERROR))
    span.set_attribute("error.type", kind)


def _clean_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    cut = {k: v[:_LONGEST] if isinstance(v, str) else v for k, v in attributes.items()}
    return {name: value for name, value in cut.items() if value is not None}
