"""One node of an execution: its facts, its inputs, its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flowc.compiler.editor.about import about_node
from flowc.compiler.ir import Node, TaskNode
from flowc.compiler.source.source import SourceSet

from ...events import RunEvent
from ..operations.executions import Executing
from ..operations.status import ExecutionState
from ..records.prompt_log import Prompts, SentPrompt
from .execution_view import Events, NodeRow
from .words import LogLine, cut_of, log_line


@dataclass(frozen=True, slots=True)
class NodeDetail:
    """`facts` come from the workflow, `given` and `gave` (label, text) are inputs and outputs,
    `prompts` the requests to models, `log` its own lines."""

    row: NodeRow
    kind: str
    facts: Sequence[tuple[str, str, str]]
    given: Sequence[tuple[str, str]]
    gave: Sequence[tuple[str, str]]
    prompts: Sequence[SentPrompt]
    log: Sequence[LogLine]


async def detail_of(
    executing: Executing, standing: ExecutionState, events: Events, row: NodeRow
) -> NodeDetail:
    """Return the details of a node."""
    workflow = standing.workflow
    node = next(n for n in workflow.nodes if n.id == row.id)
    is_run = standing.execution.is_run  # its text is not here
    sources = SourceSet() if is_run else (await executing.result_of(standing.execution)).sources
    facts = [(f.label, f.text, f.form) for f in about_node(node, workflow, sources)]
    own = [(at, e) for at, e in events if e.node == row.id and not e.path]
    return NodeDetail(
        row=row,
        kind=node.kind,
        facts=facts,
        given=_inputs(node, standing, [e for _, e in own]),
        gave=_outputs(node, standing, [e for _, e in own]),
        prompts=await Prompts(executing.db).at(standing.execution.id, row.id),
        log=[line for at, e in own if (line := log_line(at, e))][-50:],
    )


def _inputs(
    node: Node, standing: ExecutionState, events: Sequence[RunEvent]
) -> list[tuple[str, str]]:
    """Return the question to a person, or what the steps before it handed over."""
    questions = [e for e in events if e.kind == "interrupted" and e.data.get("text")]
    if questions:
        return [("question", cut_of(questions[-1].data["text"]))]
    inputs = []
    if isinstance(node, TaskNode):
        steps = {task.into: task for task in standing.workflow.nodes if isinstance(task, TaskNode)}
        for name in node.after:
            before = steps.get(name)
            result = standing.results.get(before.id) if before else None
            if before is not None and isinstance(result, dict):
                inputs.append((before.title or before.id, cut_of(result.get("output", ""))))
    return inputs


def _outputs(
    node: Node, standing: ExecutionState, events: Sequence[RunEvent]
) -> list[tuple[str, str]]:
    result = standing.results.get(node.id)
    if isinstance(result, dict):
        return [
            (str(key), cut_of(value))
            for key, value in result.items()
            if value not in (None, "", {})
        ]
    into = getattr(node, "into", None)
    variables = standing.state.variables if standing.state else {}
    if isinstance(into, str) and variables.get(into) is not None:
        return [(into, cut_of(variables[into]))]
    done = [e for e in events if e.kind == "node_finished" and e.data.get("text")]
    return [("text", cut_of(done[-1].data["text"]))] if done else []
