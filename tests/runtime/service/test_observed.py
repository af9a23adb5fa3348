"""What a service tells those who watch it: spans of requests and runs, logs for programs."""

from __future__ import annotations

import gzip
import io
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")
from fleet import until
from flowc.runtime.observe.logs import JsonLines
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from .conftest import Opening, step
from .receivers import receiver
from .test_webhooks import SECRET, allowing, listed, register


@contextmanager
def collector() -> Iterator[tuple[str, list[Any]]]:
    """An address that spans are sent to, and the spans."""
    spans: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    spans.extend(scope.spans)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", spans
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def test_requests_and_runs_are_spans(opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    sender = "0af7651916cd43dd8448eb211c80319c"
    with collector() as (address, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        with opening() as desk:
            id = desk.execution(steps=[step("gather")])
            desk.complete(id, "gather")
            until(lambda: desk.status(id)["workflow_status"] == "completed")
            desk.get("/executions", traceparent=f"00-{sender}-b7ad6b7169203331-01")
        by_name = {span.name: span for span in spans}
        about = {one.key: one.value for one in by_name["POST /v1/executions"].attributes}
        assert about["http.response.status_code"].int_value == 200
        assert about["flowc.request"].string_value
        assert by_name["GET /v1/executions"].trace_id.hex() == sender
        runs = [span for span in spans if span.name.startswith("invoke_workflow")]
        told = {one.key: one.value.string_value for span in runs for one in span.attributes}
        assert told["flowc.run"] == id
        assert "gather" in by_name


def test_a_service_without_a_collector_makes_no_spans(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    with opening() as desk:
        service: Any = desk.client.app.state.service  # type: ignore[attr-defined]
        assert service.executing.traces is None


def test_a_line_of_the_log_says_what_it_is_about(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(JsonLines())
    log = logging.getLogger("flowc.service")
    log.addHandler(handler)
    try:
        with receiver(410) as hears, opening(**allowing(hears.host)) as desk:
            register(desk, hears.url, "waits_for_person")
            desk.execution()
            until(lambda: listed(desk)[0]["undelivered"])
    finally:
        log.removeHandler(handler)
    (told,) = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert told["job"].startswith("dl-")
    assert told["worker"].startswith("worker-")
    assert (told["level"], told["logger"]) == ("warning", "flowc.service")
    assert "given up" in told["message"]
