"""agent: a model answers a prompt, with tools (S29–S45, M27).

    prompt ─> model ─> check ─> end
               │ ^
               v │
               tool

One model call and one tool call per superstep, so that a crash loses at most the one in flight.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, TypedDict

from flowc.compiler.graphspec import NodeSpec
from flowc.compiler.ir import Agent, AgentNode
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ..errors import Failure
from ..report import read_report
from ..services import Json, Message
from ..state import Items, append
from . import answers, toolcalls, verdicts
from .visit import Done, Setting, Visit

MAX_REMINDERS = 2
"""How often a model that answers without reporting is told to report."""


class Given(TypedDict):
    """What the node passes in: the conversation, the variables that assertions may read."""

    messages: list[Message]
    variables: dict[str, Json]
    visit: int


class Result(TypedDict, total=False):
    """What comes back: the last answer's text and, of a reporting step, its outcome."""

    text: str
    outcome: dict[str, Json]


class Scratch(Given, Result, total=False):
    """`talk` is the conversation so far, `calls` the tool calls still to make, `used` the tools'
    results, `turn` the model calls made, `report` the arguments of the accepted report."""

    talk: Items
    used: Items
    calls: list[dict[str, Any]]
    turn: int
    reminders: int
    report: dict[str, Any]


async def run(visit: Visit) -> Done:
    """A report of `failed` is a failure of the node; its outcome is kept (S39)."""
    op = visit.node.op
    assert isinstance(op, AgentNode)
    agent = agent_of(visit.setting, op)
    missing = _missing_input(visit, op)
    if missing is not None:
        return missing
    question = visit.text(op.prompt) if op.prompt is not None else None
    measured = any(item.expr for item in op.asserts)
    given: Given = {
        "messages": _conversation(visit, agent, question),
        "variables": dict(visit.scope.values) if measured else {},
        "visit": visit.number,
    }
    result = await visit.run_subgraph(dict(given))
    text = str(result.get("text", ""))
    done = Done(text=text.strip())
    if agent.thread and agent.remember == "both":
        asked, answered = _roles(agent)
        exchange = [{"role": answered, "content": text}]
        if question is not None:
            exchange.insert(0, {"role": asked, "content": question})
        done.channels[f"$thread.{agent.thread}"] = append(exchange)
    if not op.report:
        done.variables = {op.into: text} if op.into else {}
        return done
    return _reported(visit, op, done, result["outcome"])


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


def _roles(agent: Agent) -> tuple[str, str]:
    """Under which role the thread keeps what the agent was asked and what it answered."""
    return ("user", "assistant") if agent.perspective == "assistant" else ("assistant", "user")


def _conversation(visit: Visit, agent: Agent, question: str | None) -> list[Message]:
    """System text, the thread as the agent sees it, the question."""
    thread = visit.state.get(f"$thread.{agent.thread}") or [] if agent.thread else []
    messages = [_seen(message, agent) for message in thread]
    if agent.system is not None and not (messages and messages[0]["role"] == "system"):
        messages.insert(0, {"role": "system", "content": visit.text(agent.system)})
    return messages if question is None else [*messages, {"role": "user", "content": question}]


def _seen(message: Message, agent: Agent) -> Message:
    """From a user's perspective what users said are the agent's own words, and the reverse."""
    swapped = {"user": "assistant", "assistant": "user"}
    if agent.perspective == "user" and message["role"] in swapped:
        return {**message, "role": swapped[message["role"]]}
    return message


def subgraph(node: NodeSpec, setting: Setting) -> Any:
    """The compiled subgraph of one agent node."""
    op = node.op
    assert isinstance(op, AgentNode)
    agent = agent_of(setting, op)

    async def prompt(state: Scratch) -> dict[str, Any]:
        return {"talk": append(state["messages"]), "turn": 0, "reminders": 0, "calls": []}

    async def model(state: Scratch, runtime: Runtime[Any]) -> dict[str, Any]:
        return await model_turn(setting, node, agent, state, runtime)

    async def tool(state: Scratch, runtime: Runtime[Any]) -> dict[str, Any]:
        return await toolcalls.next_call(setting, node, state, runtime)

    async def check(state: Scratch) -> dict[str, Any]:
        if not op.report:
            return {}
        report = read_report(op, state["report"])
        outcome = verdicts.judge(op, report, state.get("used"), state["variables"])
        return {"outcome": outcome}

    def after_model(state: Scratch) -> Literal["tool", "model", "check"]:
        if state["calls"]:
            return "tool"
        return "model" if op.report else "check"

    def after_tool(state: Scratch) -> Literal["tool", "model", "check"]:
        if state.get("report"):
            return "check"
        return "tool" if state["calls"] else "model"

    graph = StateGraph(Scratch, input_schema=Given, output_schema=Result)
    for name, function in (("prompt", prompt), ("model", model), ("tool", tool), ("check", check)):
        graph.add_node(name, function)
    graph.add_edge(START, "prompt")
    graph.add_edge("prompt", "model")
    ways: dict[Hashable, str] = {"tool": "tool", "model": "model", "check": "check"}
    graph.add_conditional_edges("model", after_model, ways)
    graph.add_conditional_edges("tool", after_tool, ways)
    graph.add_edge("check", END)
    return graph.compile(name=node.id)


async def model_turn(
    setting: Setting, node: NodeSpec, agent: Agent, state: Scratch, runtime: Runtime[Any]
) -> dict[str, Any]:
    """One model call and what follows from it: tool calls to make, an answer, or a reminder. Raises
    `Failure` of kind limit after too many calls."""
    op = node.op
    assert isinstance(op, AgentNode)
    turn = state["turn"] + 1
    if turn > setting.services.max_model_turns:
        raise Failure(f"the model was called {turn - 1} times without an end", "limit")
    asked = answers.Asked(state["talk"], state["visit"], turn, state["reminders"] > 0)
    reply = await answers.ask_model(setting, node, agent, asked, runtime)
    message, calls = _as_message(reply), reply["tool_calls"]
    writes = {"turn": turn, "text": reply["text"], "calls": calls}
    if calls or not op.report:
        return {**writes, "talk": append([message])}
    if state["reminders"] >= MAX_REMINDERS:
        raise Failure(f"the model ended step `{op.title or op.id}` without reporting it")
    reminded = append([message, answers.reminder()])
    return {**writes, "talk": reminded, "reminders": state["reminders"] + 1}


def _as_message(reply: dict[str, Any]) -> Message:
    message: Message = {"role": "assistant", "content": reply["text"]}
    if reply["tool_calls"]:
        parts = ("id", "name", "args")
        message["tool_calls"] = [{k: c[k] for k in parts if k in c} for c in reply["tool_calls"]]
    return message
