"""A run as OpenTelemetry spans, read from the in-memory exporter."""

from __future__ import annotations

import time
from typing import Any

import pytest
from flowc.compiler.ir import AgentNode, CallNode, ToolNode
from flowc.runtime.events import RunEvent
from flowc.runtime.observe.otel import Spans, open_spans
from specs import SUCCESS, assign, commands, lit, program_of, workflow

pytest.importorskip("opentelemetry.sdk", reason="needs the extra `otel`")


def spans_of(execute: Any, world: Any, *, content: bool) -> dict[str, Any]:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    inner = workflow(ToolNode(id="deep", tool="post"), SUCCESS)
    outer = workflow(
        assign("begin", N=lit(1)),
        AgentNode(id="think", agent="worker", prompt=lit("?"), into="STATUS"),
        commands("run", "echo s3cret"),
        CallNode(id="sub", workflow="inner"),
        SUCCESS,
    )
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans = Spans(provider.get_tracer("test"), content)
    world.models.replies = ["an answer"]
    world.tools.functions = {"post": lambda: 1}
    outcome = execute(program_of(outer, inner=inner), listeners=(spans.listen,))
    assert outcome.status == "success"
    spans.close()
    return {span.name: span for span in exporter.get_finished_spans()}


def test_the_run_its_nodes_and_their_effects_are_a_tree(execute, world) -> None:
    found = spans_of(execute, world, content=False)

    def parent(name: str) -> str:
        at = found[name].parent
        return next(n for n, s in found.items() if s.context.span_id == at.span_id)

    run = "invoke_workflow flow"
    assert found[run].parent is None
    assert found[run].attributes["flowc.status"] == "success"
    assert [parent(n) for n in ("begin", "think", "run", "sub")] == [run] * 4
    assert (parent("chat test"), parent("command")) == ("think", "run")
    assert (parent("deep"), parent("execute_tool post")) == ("sub", "deep")
    chat = found["chat test"].attributes
    assert chat["gen_ai.operation.name"] == "chat"
    assert (chat["gen_ai.usage.input_tokens"], chat["gen_ai.usage.output_tokens"]) == (3, 2)


def test_texts_are_in_them_only_when_asked_for(execute, world) -> None:
    plain = spans_of(execute, world, content=False)
    assert "s3cret" not in str([dict(span.attributes) for span in plain.values()])
    told = spans_of(execute, world, content=True)
    assert told["command"].attributes["flowc.command"] == "echo s3cret"


def test_nothing_is_sent_unless_somebody_wants_it() -> None:
    assert open_spans(False, {}) is None
    spans = open_spans(False, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    assert spans is not None
    spans.close()
    assert not spans.lost, "there was nothing to send"


def test_a_collector_that_is_not_there_is_told_of_once_and_not_waited_for() -> None:
    began = time.monotonic()
    spans = open_spans(False, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    assert spans is not None
    spans.listen(RunEvent("run_started", "r", "", data={"workflow": "w"}))
    spans.close()
    assert spans.lost
    assert time.monotonic() - began < 60
