"""A workflow as an orchestration contract: tasks become steps, gates stay gates (C1–C16).

{"workflow_name": "Menu", "workflow_type": "sequential",
 "steps": [{"step_id": "cook", "required_role": "cook", "success_criteria": "It is warm."}]}
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from .. import ir
from ..expr.ast import Binary, Call, Expr, ListOf, Literal, Name, Text
from ..expr.walk import names_read, walk
from .manuscript import Manuscript, Rendition
from .prose import bracket, in_order

_FAILURES, _INPUTS = "failures", "input_parameters"
_OTHERWISE = re.compile(r"\nIf that cannot be reached: (?P<text>.*)\nGiven: \Z", re.S)
_Work = ir.TaskNode | ir.AgentNode


def write_contract(manuscript: Manuscript) -> Rendition:
    """The contract. Agents at work are steps too: their role is the agent's, and each depends on
    the one before it."""
    workflow = manuscript.workflow
    work = [node for node in workflow.nodes if isinstance(node, ir.TaskNode | ir.AgentNode)]
    body = {
        "workflow_name": workflow.title or workflow.name,
        "workflow_type": "sequential" if _is_chain(workflow) else "parallel",
        "description": workflow.description or None,
        "input_parameters": _inputs(workflow),
        "steps": list(_steps(workflow, work)),
        "quality_gates": [_gate(n) for n in in_order(workflow) if isinstance(n, ir.GateNode)]
        or None,
        "execution_config": _config(workflow) or None,
    }
    return Rendition(json.dumps(_without_nulls(body), indent=2, ensure_ascii=False) + "\n")


def _without_nulls(body: dict[str, Any]) -> dict[str, Any]:
    """A JSON object without the keys that say nothing."""
    return {key: value for key, value in body.items() if value is not None}


def _is_chain(workflow: ir.Workflow) -> bool:
    """Whether one thing is done after another, so that no node begins or waits for several."""
    targets: dict[str, set[str]] = {}
    for edge in workflow.edges:
        if edge.guard is None:
            targets.setdefault(edge.source, set()).add(edge.target)
    forks = any(len(found) > 1 for found in targets.values())
    return not forks and all(node.join == "any" for node in workflow.nodes)


def _inputs(workflow: ir.Workflow) -> Any:
    given = next((param for param in workflow.params if param.name == _INPUTS), None)
    return given.default if given is not None else None


def _steps(workflow: ir.Workflow, work: list[_Work]) -> Iterator[dict[str, Any]]:
    by_variable = {node.into: node.id for node in work if isinstance(node, ir.TaskNode)}
    reached = [node for node in in_order(workflow) if isinstance(node, ir.TaskNode | ir.AgentNode)]
    before = {later.id: earlier.id for earlier, later in pairwise(reached)}
    for node in _in_file_order(workflow, work, by_variable):
        if isinstance(node, ir.TaskNode):
            needs = [by_variable[name] for name in node.after if name in by_variable]
            form, role, minutes, criteria = node.form, node.role, node.minutes, node.criteria
        else:
            needs = [before[node.id]] if node.id in before else []
            form, role, minutes, criteria = "task", node.agent, None, node.asserts
        yield _without_nulls(
            {
                "step_id": node.id,
                "step_name": node.title if node.title != node.id else None,
                "step_type": form if form != "task" else None,
                "required_role": role,
                "success_criteria": "; ".join(each.text for each in criteria)
                or (bracket(node.prompt) if node.prompt is not None else node.id),
                "failure_handling": _otherwise(node.prompt),
                "estimated_duration": _number(minutes),
                "dependencies": needs or None,
            }
        )


def _in_file_order(
    workflow: ir.Workflow, work: list[_Work], by_variable: dict[str, str]
) -> list[_Work]:
    """The steps in the order in which a contract lists them: that in which its nodes name those
    they depend on, its gates their scores, its end the last ones; else that of the nodes."""
    place = {node.id: number for number, node in enumerate(work)}
    before: dict[str, set[str]] = {id: set() for id in place}
    for names in _orders(workflow):
        for earlier, later in pairwise(
            [by_variable[name] for name in names if name in by_variable]
        ):
            if earlier != later:
                before[later].add(earlier)
    sorter = TopologicalSorter(before)
    try:
        sorter.prepare()
    except CycleError:
        return work
    ready: list[int] = []
    steps: list[_Work] = []
    while sorter.is_active():
        for id in sorter.get_ready():
            heapq.heappush(ready, place[id])
        steps.append(work[heapq.heappop(ready)])
        sorter.done(steps[-1].id)
    return steps


def _orders(workflow: ir.Workflow) -> Iterator[list[str]]:
    """Variables of steps in the order of the file, wherever nodes read several of them."""
    for node in workflow.nodes:
        match node:
            case ir.TaskNode():
                yield list(node.after)
            case ir.GateNode(score=Call(function="mean", args=(ListOf(items=scores),))):
                read = [names_read(score) for score in scores]
                yield [names[-1].name for names in read if names]
            case ir.EndNode():
                for assignment in node.assignments:
                    yield [name.name for name in names_read(assignment.value)]


def _otherwise(prompt: Expr | None) -> str | None:
    """What the prompt says is to be done when the criteria cannot be met."""
    first = prompt.parts[0] if isinstance(prompt, Text) and prompt.parts else None
    match = _OTHERWISE.search(str(first.value)) if isinstance(first, Literal) else None
    return match["text"] if match else None


def _gate(node: ir.GateNode) -> dict[str, Any]:
    return _without_nulls(
        {
            "gate_id": node.id,
            "gate_type": node.form,
            "criteria": node.title or None,
            "required_score": _number(node.required),
        }
    )


def _config(workflow: ir.Workflow) -> dict[str, Any]:
    """How the contract is executed (C16), where the workflow shows it."""
    config: dict[str, Any] = {}
    for node in workflow.nodes:
        if isinstance(node, ir.ChooseNode) and (most := _attempts(node.on)) is not None:
            config["max_iterations"] = most
        elif isinstance(node, ir.GateNode) and node.mode != "strict":
            config["quality_enforcement"] = node.mode
    for limit in workflow.limits:
        if limit.name == "seconds" and isinstance(limit.value, Literal):
            config["timeout_minutes"] = _number(_minutes(limit.value.value))
    if any(field.name == _FAILURES for field in workflow.state):
        config["auto_retry"] = True
    return config


def _attempts(expr: Expr) -> int | None:
    """The greatest number of attempts in a test whether some are left."""
    for part in walk(expr):
        match part:
            case Binary(op="<", left=Name(name="restarts"), right=Literal(value=int(most))):
                return most + 1
    return None


def _minutes(seconds: object) -> float | None:
    return seconds / 60 if isinstance(seconds, int | float) else None


def _number(value: float | None) -> float | None:
    """A number as a person writes it: 5, not 5.0."""
    return int(value) if value is not None and value == int(value) else value
