"""task: work for the holder of a role, a model or a person (C14, C23).

A model ends its talk with a call of the result tool; a person answers with a text or an object. The
same schema checks both. A synchronization merges the handoffs, without a holder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flowc.compiler.ir import Agent, TaskNode
from flowc.compiler.lowering.graphspec import NodeSpec

from ..errors import Failure, NoResult
from ..journal.failures import GIVEN_BACK, GIVES_BACK
from ..people import Assignee
from ..services import Json, ToolSchema
from ..state.task_results import (
    RESULT_TOOL,
    ResultFault,
    merge_handoffs,
    read_result,
    result_schema,
)
from .agent import history_of, opening_messages
from .ask import ask
from .talk.loop import run_talk, talk_graph
from .talk.structured import object_in
from .talk.talk import Ending, EndingRefused, Talk
from .visit.visit import Done, Setting, Visit


async def run(visit: Visit, op: TaskNode) -> Done:
    """Put the result into the task's variable; the status `failed` is a failure (C14)."""
    if op.form == "synchronization":
        return _merge(visit, op)
    assignee = await visit.services.assignments.of(op.id, visit.number)
    agent = _holder(visit.setting, op, assignee)
    if agent is None:
        raise Failure(f"nobody holds the role `{op.role}`", help="give a team: --team FILE")
    schema, question = result_schema(op), _question(visit, op)
    if assignee is not None and assignee.text:
        question = f"{question}\n\n{assignee.text}"
    if agent.person:
        who = agent.role if agent.id == agent.role else f"{agent.id}, {agent.role}"
        result = _result_of(op, schema, ask(visit, "task", question, schema=schema, who=who))
    else:
        result = await _by_model(visit, op, agent, question)
    if op.form == "decision":
        result["output"] = result["output"] or result["decision"]
    judged = {name: result[name] for name in ("score", "scores") if result.get(name) is not None}
    return Done(variables={op.into: {**result, "by": agent.id}}, text=_summary(result), told=judged)


async def _by_model(visit: Visit, op: TaskNode, agent: Agent, question: str) -> dict[str, Any]:
    """Let a model do it. After a run that ended because it came to nothing, it begins anew."""
    journal, runtime = visit.services.journal, visit.runtime
    past = await journal.entries(runtime, GIVEN_BACK)
    attempt = visit.attempt + len(past)
    visit = replace(visit, attempt=attempt, subgraph=talk_graph())
    messages, talk = opening_messages(visit, agent, question), _talk_with(agent, visit, op)
    try:
        answer = (await run_talk(visit, talk, messages))["ended"]
        return _result_of(op, result_schema(op), answer)
    except NoResult:
        await journal.keep(runtime, GIVES_BACK, attempt, None)
        raise


def _result_of(op: TaskNode, schema: Mapping[str, Any], answer: Json) -> dict[str, Any]:
    """Return the result of a task. Raise `Failure` for one that does not fit, or that says so."""
    try:
        result = read_result(schema, answer)
    except ResultFault as fault:
        raise NoResult(f"the result of `{op.id}`: {fault.message}", help=fault.suggestion) from None
    if result.pop("status") == "failed":
        raise NoResult(str(result["output"]) or f"`{op.title or op.id}` was given back as failed")
    return result


def subgraph(node: NodeSpec, setting: Setting) -> Any:
    """Return the graph that a model works in; None where a person or nobody does the work."""
    op = node.op
    assert isinstance(op, TaskNode)
    agent = _holder(setting, op, None)
    if agent is None or agent.person or op.form == "synchronization":
        return None
    return talk_graph()


def _talk_with(agent: Agent, visit: Visit, op: TaskNode) -> Talk:
    tools = tuple(dict.fromkeys((*op.tools, *agent.tools)))
    ending = _ending(op, tools)
    return Talk(
        setting=visit.setting,
        services=visit.services,
        node=visit.node,
        agent=agent,
        tools=tools,
        ending=ending,
        history=history_of(visit, agent),
    )


def _ending(op: TaskNode, tools: tuple[str, ...]) -> Ending:
    schema = result_schema(op)
    about = "Give the result of the task. Judge honestly how well it meets its criteria."

    def check(args: dict[str, Any]) -> None:
        try:
            read_result(schema, args)
        except ResultFault as fault:
            raise EndingRefused(f"{fault.message}: {fault.suggestion}") from None

    reminder = f"Give the result now: call {RESULT_TOOL}."
    tool = ToolSchema(RESULT_TOOL, about, schema, effect="pure")
    return Ending(
        tool, check, reminder, missing="giving its result", forced=not tools, read=object_in
    )


def _holder(setting: Setting, op: TaskNode, assignee: Assignee | None) -> Agent | None:
    id = op.agent if assignee is None else assignee.agent
    return next((agent for agent in setting.spec.agents if agent.id == id), None)


def _question(visit: Visit, op: TaskNode) -> str:
    """Return the task's own text, then the results of the tasks before it."""
    tasks = _tasks(visit.setting)
    parts = [visit.text(op.prompt).strip()]
    for name in (*op.after, *(op.again if visit.number > 1 else ())):
        result = visit.scope.values.get(name)
        if isinstance(result, dict):
            parts.append(_handoff(name, tasks.get(name), result, op))
    return "\n\n".join(part for part in parts if part)


def _tasks(setting: Setting) -> dict[str, TaskNode]:
    """Return the tasks by the variable that holds their result."""
    ops = (node.op for node in setting.spec.nodes)
    return {op.into: op for op in ops if isinstance(op, TaskNode)}


def _handoff(name: str, task: TaskNode | None, result: dict[str, Json], to: TaskNode) -> str:
    """Return a result as a section of a text; for a review also the criteria of the task."""
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


def _merge(visit: Visit, op: TaskNode) -> Done:
    """Merge all handoffs into one object; a conflict is a warning and the later task wins (C23)."""
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


def _summary(result: dict[str, Json]) -> str:
    """Return the score and a decision, or the output's first line, for people."""
    text = str(result.get("decision") or result["output"]).strip()
    score, scores = result["score"], result.get("scores")
    if isinstance(scores, dict) and scores:
        numbers = ", ".join(f"{name} {value:g}" for name, value in scores.items())
    else:
        numbers = f"{score:g}" if score is not None else ""
    first = text.splitlines()[0] if text else ""
    return " · ".join(part for part in (numbers, first) if part)
