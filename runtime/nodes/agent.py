"""agent: a model answers a prompt, with tools (S29–S45, M27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flowc.compiler.expr.values import json_text
from flowc.compiler.ir import Agent, AgentNode
from flowc.compiler.lowering.graphspec import NodeSpec

from ..errors import Failure
from ..services import Json, Message
from ..state.conversations import messages_of
from ..state.step_reports import StepReport, number_of, read_report
from .talk import verdicts
from .talk.loop import run_talk, talk_graph
from .talk.structured import answer_ending
from .talk.talk import Ending, Talk
from .visit.visit import Done, Setting, Visit


async def run(visit: Visit, op: AgentNode) -> Done:
    """Let the model answer. A report of `failed` is a failure of the node, which keeps the outcome
    (S39)."""
    agent = agent_of(visit.setting, op)
    missing = _missing_input(visit, op)
    if missing is not None:
        return missing
    question = visit.text(op.prompt) if op.prompt is not None else None
    messages = opening_messages(visit, agent, question)
    result = await run_talk(visit, _talk(visit, agent, op), messages)
    text = str(result.get("text", ""))
    if op.schema is not None and not op.report and result.get("ended") is not None:
        text = json_text(result["ended"])
    done = Done(text=text.strip() or _names(result))
    if agent.thread and agent.remember == "both":
        done.channels |= _remember(visit, agent, question, text, result.get("id"))
    if not op.report:
        reply = {"content": text, "tool_calls": result.get("answer") or []}
        answer: Json = text if op.schema is None else result.get("ended")
        values: tuple[tuple[str | None, Json], ...] = ((op.into, answer), (op.reply_into, reply))
        done.variables = {name: value for name, value in values if name}
        return done
    report = read_report(op, result["ended"])
    used = None if visit.services.by_hand else result.get("used") or []
    outcome = verdicts.judge(op, report, used, visit.scope)
    return _apply_report(visit, op, done, outcome)


def _apply_report(visit: Visit, op: AgentNode, done: Done, outcome: dict[str, Any]) -> Done:
    """Merge a passed report's variables; turn a failed one into a failure (S38, S39)."""
    visit.emit("verdict", {"outcome": outcome})
    done.channels["$reports"] = {op.id: outcome}
    done.text = outcome["error"] or outcome["status"]
    if outcome["status"] == "passed":
        done.variables = dict(outcome["outputs"])
        if op.into:
            done.variables[op.into] = str(done.text)
    else:
        done.failure = Failure(outcome["error"] or f"`{op.title or op.id}` was reported as failed")
    return done


def _missing_input(visit: Visit, op: AgentNode) -> Done | None:
    """Return the failure when a declared input has no value (S32)."""
    missing = [i.name for i in op.inputs if visit.scope.values.get(i.name) is None]
    if not missing:
        return None
    names = ", ".join(f"`{name}`" for name in missing)
    text = f"step `{op.title or op.id}` needs {names}, which has no value"
    report = StepReport(number_of(op), "failed", (), {}, text)
    outcome = verdicts.judge(op, report, None, visit.scope)
    return Done(channels={"$reports": {op.id: outcome}}, failure=Failure(text))


def agent_of(setting: Setting, op: AgentNode) -> Agent:
    """Return the agent that answers a node."""
    return next(agent for agent in setting.spec.agents if agent.id == op.agent)


def _remember(
    visit: Visit, agent: Agent, question: str | None, text: str, id: str | None
) -> dict[str, Any]:
    """Return the write that keeps question and answer, unless they are empty (J36); the answer
    under the id that its pieces were streamed under."""
    assert agent.thread is not None
    roles = ("user", "assistant") if agent.perspective == "assistant" else ("assistant", "user")
    said = zip(roles, (question, text), (None, id), strict=True)
    new: list[Message] = [{"role": r, "content": text, "id": id} for r, text, id in said if text]
    return visit.append_to(agent.thread, new) if new else {}


def _names(result: Mapping[str, Any]) -> str:
    """Return the tools whose calls are the answer, for people."""
    return ", ".join(str(call.get("name", "")) for call in result.get("answer") or ())


def opening_messages(visit: Visit, agent: Agent, question: str | None) -> list[Message]:
    """Return what a model is told beside its thread: its system text, which is in no thread, and
    the question."""
    messages: list[Message] = []
    if agent.system is not None:
        messages.append({"role": "system", "content": visit.text(agent.system)})
    return messages if question is None else [*messages, {"role": "user", "content": question}]


def history_of(visit: Visit, agent: Agent) -> tuple[Message, ...]:
    """Return the thread as the agent sees it."""
    thread = messages_of(visit.setting.spec, visit.state, agent.thread) if agent.thread else ()
    return tuple(_from_perspective(message, agent) for message in thread)


def _from_perspective(message: Message, agent: Agent) -> Message:
    """Swap user and assistant for an agent with a user's perspective (J14). A role that models do
    not have becomes a user's (J11)."""
    role = message["role"]
    if role == "tool" and "tool_call_id" in message:
        return message
    if role not in ("system", "user", "assistant"):
        message = {"role": "user", "content": message.get("content", "")}
    swapped = {"user": "assistant", "assistant": "user"}
    if agent.perspective == "user" and role in swapped:
        return {**message, "role": swapped[role]}
    return message


def subgraph(node: NodeSpec, setting: Setting) -> Any:
    """Return the compiled subgraph of every agent node."""
    return talk_graph()


def _talk(visit: Visit, agent: Agent, op: AgentNode) -> Talk:
    return Talk(
        setting=visit.setting,
        services=visit.services,
        node=visit.node,
        agent=agent,
        tools=op.tools,
        free=tuple(tool for tool in agent.tools if tool not in op.tools),
        ordered=op.ordered,
        prompt_id=op.prompt_id,
        ending=_ending(op, agent),
        history=history_of(visit, agent),
    )


def _ending(op: AgentNode, agent: Agent) -> Ending | None:
    if op.report:
        return verdicts.report_ending(op)
    return answer_ending(op, (*op.tools, *agent.tools)) if op.schema is not None else None
