"""task: work for whoever holds a role, a model or a person (C14, C23).

A model ends its talk with a call of the result tool; a person answers with a text or an object.
Both are held against the same schema. A synchronization is done by nobody: it merges.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from flowc.compiler.ir import Agent, TaskNode
from flowc.compiler.lowering.graphspec import NodeSpec

from ..errors import Failure
from ..people import Assignee
from ..services import Json, ToolSchema
from ..state.task_results import (
    RESULT_TOOL,
    ResultFault,
    merge_handoffs,
    read_result,
    result_schema,
)
from .agent import conversation
from .ask import ask
from .talk.loop import talk_graph, talked
from .talk.structured import object_in
from .talk.talk import Ending, Given, Refused, Talk
from .visit.visit import Done, Setting, Visit


async def run(visit: Visit) -> Done:
    """The result goes into the task's variable; one that says `failed` is a failure (C14)."""
    op = visit.node.op
    assert isinstance(op, TaskNode)
    if op.form == "synchronization":
        return _merged(visit, op)
    assigned = await visit.services.assignments.of(op.id, visit.number)
    agent = _holder(visit.setting, op, assigned)
    if agent is None:
        raise Failure(f"nobody holds the role `{op.role}`", help="give a team: --team FILE")
    schema, question = result_schema(op), _question(visit, op)
    if assigned is not None and assigned.text:
        question = f"{question}\n\n{assigned.text}"
    if agent.person:
        who = agent.role if agent.id == agent.role else f"{agent.id}, {agent.role}"
        given = ask(visit, "task", question, schema=schema, who=who)
    else:
        messages = conversation(visit, agent, question)
        talk, visit = _talk_with(agent, visit), replace(visit, subgraph=talk_graph())
        result = await talked(visit, talk, Given(messages=messages, visit=visit.number))
        given = result["ended"]
    try:
        result = read_result(schema, given)
    except ResultFault as fault:
        raise Failure(f"the result of `{op.id}`: {fault.message}", help=fault.suggestion) from None
    status = result.pop("status")
    if status == "failed":
        raise Failure(result["output"] or f"`{op.title or op.id}` was given back as failed")
    if op.form == "decision":
        result["output"] = result["output"] or result["decision"]
    return Done(variables={op.into: {**result, "by": agent.id}}, text=_shown(result))


def subgraph(node: NodeSpec, setting: Setting) -> Any:
    """The graph that a model works in; None where a person or nobody does the work."""
    op = node.op
    assert isinstance(op, TaskNode)
    agent = _holder(setting, op, None)
    if agent is None or agent.person or op.form == "synchronization":
        return None
    return talk_graph()


def _talk_with(agent: Agent, visit: Visit) -> Talk:
    op = visit.node.op
    assert isinstance(op, TaskNode)
    tools = tuple(dict.fromkeys((*op.tools, *agent.tools)))
    ending = _ending(op, tools)
    return Talk(setting=visit.setting, node=visit.node, agent=agent, tools=tools, ending=ending)


def _ending(op: TaskNode, tools: tuple[str, ...]) -> Ending:
    schema = result_schema(op)
    about = "Give the result of the task. Judge honestly how well it meets its criteria."

    def check(args: dict[str, Any]) -> None:
        try:
            read_result(schema, args)
        except ResultFault as fault:
            raise Refused(f"{fault.message}: {fault.suggestion}") from None

    reminder = f"Give the result now: call {RESULT_TOOL}."
    tool = ToolSchema(RESULT_TOOL, about, schema, effect="pure")
    return Ending(
        tool, check, reminder, missing="giving its result", forced=not tools, read=object_in
    )


def _holder(setting: Setting, op: TaskNode, assigned: Assignee | None) -> Agent | None:
    id = op.agent if assigned is None else assigned.agent
    return next((agent for agent in setting.spec.agents if agent.id == id), None)


def _question(visit: Visit, op: TaskNode) -> str:
    """The task's own text, then what the tasks before it gave."""
    tasks = _tasks(visit.setting)
    parts = [visit.text(op.prompt).strip()]
    for name in (*op.after, *(op.again if visit.number > 1 else ())):
        result = visit.scope.values.get(name)
        if isinstance(result, dict):
            parts.append(_handed_over(name, tasks.get(name), result, op))
    return "\n\n".join(part for part in parts if part)


def _tasks(setting: Setting) -> dict[str, TaskNode]:
    """The tasks by the variable that holds their result."""
    ops = (node.op for node in setting.spec.nodes)
    return {op.into: op for op in ops if isinstance(op, TaskNode)}


def _handed_over(name: str, task: TaskNode | None, result: dict[str, Json], to: TaskNode) -> str:
    """One result as a section of a text; of a task under review also what it has to meet."""
    title = task.title if task and task.title else name
    by = f", by {result['by']}" if result.get("by") else ""
    lines = [f"## {title} (`{name}`{by})"]
    if name == to.into:
        lines = ["## What you gave before; it is to be done anew"]
    elif to.form == "review" and task is not None:
        lines += [f"Has to meet: {criterion.text}" for criterion in task.criteria]
    lines.append(str(result.get("output", "")))
    if result.get("scores"):
        lines.append(f"Scores: {json.dumps(result['scores'], ensure_ascii=False)}")
    if result.get("reason"):
        lines.append(f"Reason: {result['reason']}")
    if result.get("handoff"):
        lines.append(json.dumps(result["handoff"], ensure_ascii=False, indent=2))
    return "\n".join(line for line in lines if line)


def _merged(visit: Visit, op: TaskNode) -> Done:
    """All handoffs in one object; a conflict is told of and the later task wins (C23)."""
    results = {
        name: result
        for name in op.after
        if isinstance(result := visit.scope.values.get(name), dict)
    }
    handoffs = [(name, result.get("handoff") or {}) for name, result in results.items()]
    merged, conflicts = merge_handoffs(handoffs)
    for conflict in conflicts:
        visit.emit("warning", {"message": conflict})
    tasks = _tasks(visit.setting)
    outputs = [
        f"## {task.title if (task := tasks.get(name)) and task.title else name}\n{text}"
        for name, result in results.items()
        if (text := str(result.get("output", "")))
    ]
    value = {"output": "\n\n".join(outputs), "score": None, "handoff": merged, "by": ""}
    keys = ", ".join(merged) or "nothing handed over"
    return Done(variables={op.into: value}, text=f"merged {len(results)}: {keys}")


def _shown(result: dict[str, Json]) -> str:
    """What came of it, for people: a decision, or the output's first line, and the score."""
    said = str(result.get("decision") or result["output"]).strip()
    scores = result.get("scores")
    score = result["score"]
    if scores:
        told = ", ".join(f"{name} {value:g}" for name, value in scores.items())
    else:
        told = f"{score:g}" if score is not None else ""
    first = said.splitlines()[0] if said else ""
    return " · ".join(part for part in (told, first) if part)
