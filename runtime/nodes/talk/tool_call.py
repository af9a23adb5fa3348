"""One tool call of a model, through the journal."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from flowc.compiler.catalog.builtin_tools import ASK_TOOL
from langgraph.runtime import Runtime

from ...errors import Failure
from ...services import EffectCall, Json, Message
from ...state.conversations import append
from ..visit.visit import put_question
from .talk import EndingRefused, Talk


async def next_call(talk: Talk, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
    """Make the first of the pending calls and return the writes with its answer. The answer is an
    error when the call is not possible, so that the model can correct itself."""
    call, *rest = state["calls"]
    name, args = str(call.get("name", "")), call.get("args")
    used = state.get("used") or []
    ends = talk.ending is not None and name == talk.ending.tool.name
    if (unread := _unread(call)) and not ends:
        return _answer(call, rest, {"error": unread})
    if talk.ending is not None and ends:
        try:
            if unread:
                raise EndingRefused(unread)
            await asyncio.to_thread(talk.ending.check, args)  # which may load meta-schemas
        except EndingRefused as refusal:
            refusals = count_refusal(talk, state, refusal)
            return {**_answer(call, rest, {"error": str(refusal)}), "refusals": refusals}
        return {**_answer(call, [], {"accepted": True}), "ended": args}
    problem = _refusal(talk, name, [entry["tool"] for entry in used])
    if problem:
        return _answer(call, rest, {"error": problem})
    if name == ASK_TOOL:
        return _answer(call, rest, _ask_person(talk, state, args))
    ordinal = f"turn {state['turn']}, {len(rest)} to come"
    result = await _run_tool(talk, name, args, runtime, ordinal)
    if "error" in result:
        return _answer(call, rest, {"error": result["error"]})
    used_now = append([{"tool": name, "result": result["value"]}])
    return {**_answer(call, rest, result["value"]), "used": used_now}


def _unread(call: Mapping[str, Any]) -> str:
    """Return why the arguments of a call are none, or ""."""
    if "fault" in call:
        return f"the arguments of `{call.get('name', '')}`: {call['fault']}"
    if not isinstance(call.get("args"), dict):
        return f"the arguments of `{call.get('name', '')}` are not a JSON object"
    return ""


def count_refusal(talk: Talk, state: Any, refusal: EndingRefused) -> int:
    """Return the number of refused calls of the ending, with this one. Raise `Failure` for the
    last one that is allowed."""
    refusals = int(state.get("refusals") or 0) + 1
    tries = talk.ending.tries if talk.ending else None
    if tries is not None and refusals >= tries:
        op = talk.node.op
        raise Failure(f"`{op.title or op.id}`, tried {tries} times: {refusal}")
    return refusals


def _refusal(talk: Talk, name: str, used: list[str]) -> str:
    """Return why the model may not make the call, or "". Ordered tools are used one after another:
    the one last used again, or the next (S48)."""
    if name in talk.free:
        return ""
    if name not in talk.tools:
        known = (*talk.tools, *talk.free)
        there = ", ".join(f"`{tool}`" for tool in dict.fromkeys(known)) or "none"
        return f"there is no tool `{name}` in this step; there are: {there}"
    if not talk.ordered:
        return ""
    place = -1
    for tool in used:
        if place + 1 < len(talk.tools) and talk.tools[place + 1] == tool:
            place += 1
    following = talk.tools[place + 1] if place + 1 < len(talk.tools) else None
    if name == following or (place >= 0 and name == talk.tools[place]):
        return ""
    order = ", ".join(f"`{tool}`" for tool in talk.tools)
    turn = f"now it is `{following}`'s turn" if following else "all of them were used"
    return f"`{name}` is out of order: the tools are used in the order {order}; {turn}"


def _ask_person(talk: Talk, state: Mapping[str, Any], args: dict[str, Json]) -> Json:
    """Return the answer to a question of the model (J44): one in advance, or a person's."""
    question = args.get("question")
    if not isinstance(question, str) or not question.strip():
        return {"error": f"`{ASK_TOOL}` needs a `question`"}
    # Nothing may happen before the interrupt: after the answer the call runs again from its start.
    node, services = talk.node, talk.services
    answer = services.people.answer_to_model(node.id, state["visit"], state["turn"])
    if answer is None:
        place = str(node.place) if node.place else ""
        about = {"kind": "ask", "node": node.id, "text": question, "place": place}
        answer = put_question(services, {**about, "asker": talk.agent.id}, f"told {state['turn']}")
    services.emit("tool_called", node.id, {"tool": ASK_TOOL, "seconds": 0.0, "ok": True})
    return answer


async def _run_tool(
    talk: Talk, name: str, args: dict[str, Json], runtime: Runtime[Any], ordinal: str
) -> dict[str, Any]:
    """Return {value} or {error}: the model reads a tool's failure, so that it is a result too."""
    services = talk.services
    schema = await services.tools.schema(name)
    assert schema is not None

    async def call() -> Json:
        started = time.monotonic()
        try:
            outcome: dict[str, Any] = {"value": await services.tools.call(name, args)}
        except Failure as failure:
            outcome = {"error": failure.message}
        seconds = round(time.monotonic() - started, 6)
        data = {"tool": name, "seconds": seconds, "ok": "error" not in outcome}
        services.emit("tool_called", talk.node.id, data)
        return outcome

    act = EffectCall(runtime, f"tool {name}", schema.effect, args, call, ordinal)
    result = await services.journal.once(act)
    if isinstance(result, dict) and (set(result) == {"value"} or set(result) == {"error"}):
        return result
    # A person gave the result of a call in doubt.
    return {"value": result}


def _answer(call: dict[str, Any], rest: list[dict[str, Any]], value: Json) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    message: Message = {"role": "tool", "tool_call_id": call.get("id", ""), "content": text}
    return {"said": append([message]), "calls": rest}
