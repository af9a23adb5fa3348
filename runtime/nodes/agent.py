"""agent: a model answers a prompt, with tools (S29–S45, M27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flowc.compiler.expr.values import json_text
from flowc.compiler.ir import Agent, AgentNode
from flowc.compiler.lowering.graphspec import NodeSpec

from ..errors import Failure
from ..services import Json, Message
from ..state.conversations import adding, channel_of, messages_of
from ..state.step_reports import read_report
from .talk import verdicts
from .talk.loop import talk_graph, talked
from .talk.structured import answering
from .talk.talk import Ending, Given, Talk
from .visit.visit import Done, Setting, Visit


async def run(visit: Visit) -> Done:
    """A report of `failed` is a failure of the node; its outcome is kept (S39)."""
    op = visit.node.op
    assert isinstance(op, AgentNode)
    agent = agent_of(visit.setting, op)
    missing = _missing_input(visit, op)
    if missing is not None:
        return missing
    question = visit.text(op.prompt) if op.prompt is not None else None
    given: Given = {"messages": conversation(visit, agent, question), "visit": visit.number}
    result = await talked(visit, _talk(visit, agent, op), given)
    text = str(result.get("text", ""))
    if op.schema is not None and not op.report and result.get("ended") is not None:
        text = json_text(result["ended"])
    done = Done(text=text.strip() or _names(result))
    if agent.thread and agent.remember == "both":
        done.channels |= _remembered(visit, agent, question, text)
    if not op.report:
        reply = {"content": text, "tool_calls": result.get("answer") or []}
        answer: Json = text if op.schema is None else result.get("ended")
        values: tuple[tuple[str | None, Json], ...] = ((op.into, answer), (op.reply_into, reply))
        done.variables = {name: value for name, value in values if name}
        return done
    report = read_report(op, result["ended"])
    used = None if visit.services.by_hand else result.get("used") or []
    outcome = verdicts.judge(op, report, used, visit.scope.values)
    return _reported(visit, op, done, outcome)


def _reported(visit: Visit, op: AgentNode, done: Done, outcome: dict[str, Json]) -> Done:
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
    """The failure when a declared input has no value (S32)."""
    missing = [i.name for i in op.inputs if visit.scope.values.get(i.name) is None]
    if not missing:
        return None
    names = ", ".join(f"`{name}`" for name in missing)
    text = f"step `{op.title or op.id}` needs {names}, which has no value"
    outcome = verdicts.outcome_of_failure(op, text)
    return Done(channels={"$reports": {op.id: outcome}}, failure=Failure(text))


def agent_of(setting: Setting, op: AgentNode) -> Agent:
    """The agent that answers a node."""
    return next(agent for agent in setting.spec.agents if agent.id == op.agent)


def _remembered(visit: Visit, agent: Agent, question: str | None, text: str) -> dict[str, Any]:
    """The write that keeps question and answer; what is empty is not kept (J36)."""
    assert agent.thread is not None
    asked, answered = _roles(agent)
    exchange = [{"role": asked, "content": question or ""}, {"role": answered, "content": text}]
    new = [message for message in exchange if message["content"]]
    threads = {thread.id: thread for thread in visit.setting.spec.threads}
    return {channel_of(agent.thread): adding(threads.get(agent.thread), new)} if new else {}


def _names(result: Mapping[str, Any]) -> str:
    """The tools whose calls are the answer, for people."""
    return ", ".join(str(call.get("name", "")) for call in result.get("answer") or ())


def _roles(agent: Agent) -> tuple[str, str]:
    """Under which role the thread keeps what the agent was asked and what it answered."""
    return ("user", "assistant") if agent.perspective == "assistant" else ("assistant", "user")


def conversation(visit: Visit, agent: Agent, question: str | None) -> list[Message]:
    """What a model is asked with: its system text (which is in no thread, and stands before one's
    own: both are sent, J15), the thread as the agent sees it, the question."""
    thread = messages_of(visit.state, agent.thread) if agent.thread else []
    messages = [_seen(message, agent) for message in thread]
    if agent.system is not None:
        messages.insert(0, {"role": "system", "content": visit.text(agent.system)})
    return messages if question is None else [*messages, {"role": "user", "content": question}]


def _seen(message: Message, agent: Agent) -> Message:
    """From a user's perspective what users said are the agent's own words, and the reverse (J14).
    A role that models do not have (J11) is somebody who speaks: a user."""
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
    """The compiled subgraph of every agent node."""
    return talk_graph()


def _talk(visit: Visit, agent: Agent, op: AgentNode) -> Talk:
    return Talk(
        setting=visit.setting,
        node=visit.node,
        agent=agent,
        tools=op.tools,
        free=tuple(tool for tool in agent.tools if tool not in op.tools),
        ordered=op.ordered,
        prompt_id=op.prompt_id,
        ending=_ending(op, agent),
    )


def _ending(op: AgentNode, agent: Agent) -> Ending | None:
    if op.report:
        return verdicts.reporting(op)
    return answering(op, (*op.tools, *agent.tools)) if op.schema is not None else None
