"""Agents that are asked nothing: they have neither a prompt nor a thread to answer."""

from __future__ import annotations

from collections.abc import Mapping

from .... import ir
from ....diagnostics.diagnostic import Sink
from ....reading.tree import brief
from ....source.source import Span


def check_questions(workflow: ir.Workflow, places: Mapping[str, Span], sink: Sink) -> None:
    """Warn (FC1003) of a node whose agent is asked nothing, in a file without faults; `places` are
    those where nodes name their agents."""
    listening = {agent.id for agent in workflow.agents if agent.thread is not None}
    for node in workflow.nodes if not sink.has_errors else ():
        if not isinstance(node, ir.AgentNode) or node.prompt is not None or node.span is None:
            continue
        if node.agent not in listening:
            message = f"`{brief(node.id)}` asks nothing: it has no `prompt`, its agent no thread"
            help = "write `prompt:` and what the agent is to do"
            place = places.get(node.id, node.span)
            sink.report("FC1003", message, place, severity="warning", help=help)
