"""The graph that a model works in, whatever kind of node it works on: one for all of them.

    model ─> end
     │ ^      ^
     v │      │
     tool ────┘

One model call and one tool call per superstep, so that a crash loses at most the one in flight.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable
from contextvars import ContextVar
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ...errors import Failure
from ...services import Message
from ...state.channels import append
from ..visit.visit import Visit
from .model_call import Asked, ask_model, reminder
from .talk import Given, Refused, Result, Scratch, Talk
from .tool_call import next_call, one_more_refusal

MAX_REMINDERS = 2
"""How often a model that ends without the call that ends its talk is told to make it."""
_WAYS: dict[Hashable, str] = {"tool": "tool", "model": "model", "end": END}
_TALK: ContextVar[Talk] = ContextVar("talk")
"""Whose talk the graph is in. To compile a graph takes some milliseconds, a workflow may have
hundreds of nodes with a model, and nothing of the graph is theirs."""


async def talked(visit: Visit, talk: Talk, given: Given) -> dict[str, Any]:
    """Have a model work on a node, and what that came to: see `Result`."""
    token = _TALK.set(talk)
    try:
        return await visit.run_subgraph(dict(given))
    finally:
        _TALK.reset(token)


@functools.cache
def talk_graph() -> Any:
    """The compiled graph of every talk; `talked` runs it."""
    graph = StateGraph(Scratch, input_schema=Given, output_schema=Result)
    graph.add_node("model", _model)
    graph.add_node("tool", _tool)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", _after_model, _WAYS)
    graph.add_conditional_edges("tool", _after_tool, _WAYS)
    return graph.compile(name="talk")


async def _model(state: Scratch, runtime: Runtime[Any]) -> dict[str, Any]:
    if "turn" in state:
        return await _model_turn(_TALK.get(), state, runtime)
    begun: Scratch = {**state, "said": state["messages"], "turn": 0, "reminders": 0}
    writes = await _model_turn(_TALK.get(), begun, runtime)
    said = writes.get("said") or append([])
    return {"reminders": 0, **writes, "said": append([*state["messages"], *said["append"]])}


async def _tool(state: Scratch, runtime: Runtime[Any]) -> dict[str, Any]:
    return await next_call(_TALK.get(), state, runtime)


# A path function that is not async is run by LangGraph in a thread.
async def _after_model(state: Scratch) -> Literal["tool", "model", "end"]:
    if state["calls"]:
        return "tool"
    open = _TALK.get().ending is not None and state.get("ended") is None
    return "model" if open and not state.get("answer") else "end"


async def _after_tool(state: Scratch) -> Literal["tool", "model", "end"]:
    if state.get("ended") is not None:
        return "end"
    return "tool" if state["calls"] else "model"


async def _model_turn(talk: Talk, state: Scratch, runtime: Runtime[Any]) -> dict[str, Any]:
    """One model call and what follows from it: tool calls to make, an answer, or a reminder. Raises
    `Failure` of kind limit after too many calls."""
    turn = state["turn"] + 1
    if turn > talk.setting.services.max_model_turns:
        raise Failure(f"the model was called {turn - 1} times without an end", "limit")
    asked = Asked(state["said"], state["visit"], turn, state["reminders"] > 0)
    reply = await ask_model(talk, asked, runtime)
    message, calls = _as_message(reply), reply["tool_calls"]
    if any(talk.answer_tool(str(call.get("name", ""))) for call in calls):
        return {"turn": turn, "text": reply["text"], "calls": [], "answer": _calls(reply)}
    writes = {"turn": turn, "text": reply["text"], "calls": calls}
    if calls or talk.ending is None:
        return {**writes, "said": append([message])}
    written = talk.ending.read(reply["text"])
    if written is not None:
        return {**writes, **_written(talk, state, message, written)}
    if state["reminders"] >= MAX_REMINDERS:
        op = talk.node.op
        raise Failure(f"the model ended `{op.title or op.id}` without {talk.ending.missing}")
    reminded = append([message, reminder(talk.ending)])
    return {**writes, "said": reminded, "reminders": state["reminders"] + 1}


def _written(talk: Talk, state: Scratch, message: Message, args: dict[str, Any]) -> dict[str, Any]:
    """What follows when the model wrote what it should have called with."""
    assert talk.ending is not None
    try:
        talk.ending.check(args)
    except Refused as refused:
        refusals = one_more_refusal(talk, state, refused)
        told: Message = {"role": "user", "content": f"{refused}. {talk.ending.reminder}"}
        return {"said": append([message, told]), "refusals": refusals}
    return {"said": append([message]), "ended": args}


def _as_message(reply: dict[str, Any]) -> Message:
    message: Message = {"role": "assistant", "content": reply["text"]}
    if reply["tool_calls"]:
        message["tool_calls"] = _calls(reply)
    return message


def _calls(reply: dict[str, Any]) -> list[dict[str, Any]]:
    parts = ("id", "name", "args")
    return [{k: c[k] for k in parts if k in c} for c in reply["tool_calls"]]
