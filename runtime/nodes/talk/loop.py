"""The graph that a model works in, whatever kind of node it works on: one for all of them.

    model ─> end
     │ ^      ^
     v │      │
     tool ────┘

One model call and one tool call per superstep, so that a crash loses at most the one in flight.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from contextvars import ContextVar
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ...context import binding
from ...errors import Failure, NoResult
from ...services import Message
from ...state.conversations import append
from ..visit.visit import Visit
from .model_call import ModelTurn, call_model
from .talk import EndingRefused, Talk, TalkInput, TalkResult, TalkState
from .tool_call import count_refusal, next_call

MOST_EQUAL = 3
"""The same answer of a model, to which it was told the same each time, ends its talk."""
MAX_REMINDERS = 2
"""The reminders to a model that ends without the call that ends its talk."""
_WAYS: dict[Hashable, str] = {"tool": "tool", "model": "model", "end": END}
_TALK: ContextVar[Talk] = ContextVar("talk")
"""The talk of the node that runs the graph. One graph serves all nodes: compiling it takes
milliseconds, and a workflow may have hundreds of nodes with a model."""


async def run_talk(visit: Visit, talk: Talk, messages: list[Message]) -> dict[str, Any]:
    """Let a model work on a node, and return a `TalkResult`."""
    with binding(_TALK, talk):
        return await visit.run_subgraph({"messages": messages, "visit": visit.number})


@functools.cache
def talk_graph() -> Any:
    """Return the compiled graph of every talk, for `run_talk`."""
    graph = StateGraph(TalkState, input_schema=TalkInput, output_schema=TalkResult)
    graph.add_node("model", _model)
    graph.add_node("tool", _tool)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", _after_model, _WAYS)
    graph.add_conditional_edges("tool", _after_tool, _WAYS)
    return graph.compile(name="talk")


async def _model(state: TalkState, runtime: Runtime[Any]) -> dict[str, Any]:
    if "turn" in state:
        return await _model_turn(_TALK.get(), state, runtime)
    first: TalkState = {**state, "turn": 0, "reminders": 0}
    return {"reminders": 0, **await _model_turn(_TALK.get(), first, runtime)}


async def _tool(state: TalkState, runtime: Runtime[Any]) -> dict[str, Any]:
    return await next_call(_TALK.get(), state, runtime)


# LangGraph would run a path function that is not async in a thread.
async def _after_model(state: TalkState) -> Literal["tool", "model", "end"]:
    if state["calls"]:
        return "tool"
    open = _TALK.get().ending is not None and state.get("ended") is None
    return "model" if open and not state.get("answer") else "end"


async def _after_tool(state: TalkState) -> Literal["tool", "model", "end"]:
    if state.get("ended") is not None:
        return "end"
    return "tool" if state["calls"] else "model"


async def _model_turn(talk: Talk, state: TalkState, runtime: Runtime[Any]) -> dict[str, Any]:
    """Call the model and return the writes: tool calls to make, an answer, or a reminder. Raise
    `Failure` of kind limit after too many calls."""
    turn = state["turn"] + 1
    if turn > talk.services.max_model_turns:
        raise NoResult(f"the model was called {turn - 1} times without an end", "limit")
    messages = [*talk.opening(state["messages"]), *(state.get("said") or ())]
    ask = ModelTurn(messages, state["visit"], turn, state["reminders"] > 0)
    reply = await call_model(talk, ask, runtime)
    message, calls = _as_message(reply), reply["tool_calls"]
    if not talk.services.by_hand:
        _refuse_sameness(talk, message, state.get("said") or ())
    if any(talk.answer_tool(str(call.get("name", ""))) for call in calls):
        return {"turn": turn, "text": reply["text"], "calls": [], "answer": _calls(reply)}
    writes = {"turn": turn, "text": reply["text"], "id": reply["id"], "calls": calls}
    if calls or talk.ending is None:
        return {**writes, "said": append([message])}
    args = talk.ending.read(reply["text"])
    if args is not None:
        return {**writes, **_end_by_text(talk, state, message, args)}
    if state["reminders"] >= MAX_REMINDERS:
        op = talk.node.op
        raise NoResult(f"the model ended `{op.title or op.id}` without {talk.ending.missing}")
    reminder: Message = {"role": "user", "content": talk.ending.reminder}
    new = append([message, reminder])
    return {**writes, "said": new, "reminders": state["reminders"] + 1}


def _refuse_sameness(talk: Talk, answer: Message, said: Sequence[Message]) -> None:
    """Raise `Failure` when the model answers the same again, after it was told the same each time:
    it would go on until its calls are used up."""
    begins = [at for at, message in enumerate(said) if message["role"] == "assistant"]
    if len(begins) < MOST_EQUAL - 1:
        return
    ends = [*begins[1:], len(said)]
    turns = [_without_ids(said[a:b]) for a, b in zip(begins, ends, strict=True)][1 - MOST_EQUAL :]
    if any(turn != turns[0] for turn in turns) or turns[0][:1] != _without_ids([answer]):
        return
    op, made = talk.node.op, [call["name"] for call in answer.get("tool_calls") or ()]
    if talk.ending is not None and talk.ending.tries and talk.ending.tool.name in made:
        return  # whose refusals are counted
    calls = ", ".join(f"`{name}`" for name in made)
    what = f"calls {calls} with the same arguments" if calls else "says the same"
    wanted = f", without {talk.ending.missing}" if talk.ending else ""
    raise Failure(
        f"the model {what}, {MOST_EQUAL} times in `{op.title or op.id}`{wanted}",
        help="name another model, or say in the prompt when it is done",
    )


def _without_ids(messages: Sequence[Message]) -> list[Message]:
    """Return messages without what differs in every answer."""

    def bare(value: Message) -> Message:
        return {name: part for name, part in value.items() if name not in ("id", "tool_call_id")}

    return [
        {**bare(message), "tool_calls": [bare(call) for call in message.get("tool_calls") or ()]}
        for message in messages
    ]


def _end_by_text(
    talk: Talk, state: TalkState, message: Message, args: dict[str, Any]
) -> dict[str, Any]:
    """Return the writes when the model wrote the arguments of the ending into its text."""
    assert talk.ending is not None
    try:
        talk.ending.check(args)
    except EndingRefused as refusal:
        refusals = count_refusal(talk, state, refusal)
        reminder: Message = {"role": "user", "content": f"{refusal}. {talk.ending.reminder}"}
        return {"said": append([message, reminder]), "refusals": refusals}
    return {"said": append([message]), "ended": args}


def _as_message(reply: dict[str, Any]) -> Message:
    message: Message = {"role": "assistant", "content": reply["text"]}
    if reply["tool_calls"]:
        message["tool_calls"] = _calls(reply)
    return message


def _calls(reply: dict[str, Any]) -> list[dict[str, Any]]:
    parts = ("id", "name", "args")
    return [{k: c[k] for k in parts if k in c} for c in reply["tool_calls"]]
