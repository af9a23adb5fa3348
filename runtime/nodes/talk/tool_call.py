"""One tool call that a model asked for, through the journal."""

from __future__ import annotations

import json
import time
from typing import Any

from flowc.compiler.catalog.builtin_tools import ASK_TOOL
from langgraph.runtime import Runtime

from ...errors import Failure
from ...services import Json, Message
from ...state.channels import append
from ..visit.visit import put_question
from .talk import Refused, Talk


async def next_call(talk: Talk, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
    """Make the first of the pending calls and answer it; a call that cannot be made is answered
    with an error, so that the model can correct itself."""
    call, *rest = state["calls"]
    name, args = str(call.get("name", "")), call.get("args")
    used = state.get("used") or []
    if "fault" in call:
        return _answered(call, rest, _error(f"the arguments of `{name}`: {call['fault']}"))
    if not isinstance(args, dict):
        return _answered(call, rest, _error(f"the arguments of `{name}` are not a JSON object"))
    if talk.ending is not None and name == talk.ending.tool.name:
        try:
            talk.ending.check(args)
        except Refused as refused:
            refusals = one_more_refusal(talk, state, refused)
            return {**_answered(call, rest, _error(str(refused))), "refusals": refusals}
        return {**_answered(call, [], {"accepted": True}), "ended": args}
    problem = _refusal(talk, name, [entry["tool"] for entry in used])
    if problem:
        return _answered(call, rest, _error(problem))
    if name == ASK_TOOL:
        return _answered(call, rest, _ask_person(talk, state, args))
    result = await _run_tool(talk, name, args, runtime)
    if "error" in result:
        return _answered(call, rest, _error(result["error"]))
    used_now = append([{"tool": name, "result": result["value"]}])
    return {**_answered(call, rest, result["value"]), "used": used_now}


def one_more_refusal(talk: Talk, state: Any, refused: Refused) -> int:
    """How many calls that should have ended the talk were refused, this one with them. Raises
    `Failure` when it was the last that is tried."""
    refusals = int(state.get("refusals") or 0) + 1
    tries = talk.ending.tries if talk.ending else None
    if tries is not None and refusals >= tries:
        op = talk.node.op
        raise Failure(f"`{op.title or op.id}`, tried {tries} times: {refused}")
    return refusals


def _refusal(talk: Talk, name: str, used: list[str]) -> str:
    """Why the call may not be made; "" when it may. Listed tools are used one after another: the
    one last used again, or the next (S48)."""
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


def _ask_person(talk: Talk, state: Any, args: dict[str, Json]) -> Json:
    """The answer to a question of the model (J44): given in advance, or the interrupt that waits
    for one. Nothing happens before it, because an answered call is made again from its start."""
    question = args.get("question")
    if not isinstance(question, str) or not question.strip():
        return _error(f"`{ASK_TOOL}` needs a `question`")
    node, services = talk.node, talk.setting.services
    known = services.people.answer_to_model(node.id, state["visit"], state["turn"])
    if known is None:
        place = str(node.place) if node.place else ""
        about = {"kind": "ask", "node": node.id, "text": question, "place": place}
        known = put_question(services, {**about, "asker": talk.agent.id}, f"told {state['turn']}")
    services.emit("tool_called", node.id, {"tool": ASK_TOOL, "seconds": 0.0, "ok": True})
    return known


async def _run_tool(
    talk: Talk, name: str, args: dict[str, Json], runtime: Runtime[Any]
) -> dict[str, Any]:
    """{value} or {error}: a tool's failure is told to the model, so it is a result like any
    other.
    """
    services = talk.setting.services
    schema = services.tools.schema(name)
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

    kept = await services.journal.once(runtime, f"tool {name}", schema.effect, args, call)
    if isinstance(kept, dict) and (set(kept) == {"value"} or set(kept) == {"error"}):
        return kept
    return {"value": kept}


def _answered(call: dict[str, Any], rest: list[dict[str, Any]], value: Json) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    message: Message = {"role": "tool", "tool_call_id": call.get("id", ""), "content": text}
    return {"said": append([message]), "calls": rest}


def _error(message: str) -> dict[str, str]:
    return {"error": message}
