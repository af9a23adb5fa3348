"""One model call of a talk, through the journal."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from flowc.compiler.catalog.model_settings import models_for, settings_for
from flowc.compiler.ir import AgentNode, Effect, TaskNode
from langgraph.runtime import Runtime

from ...config.prices import DOLLAR
from ...errors import Failure, InDoubt
from ...services import MODEL_CALL, EffectCall, Json, Message, ModelReply, ModelRequest, ToolSchema
from ...values import NotStorable, storable_object, storable_text
from ..visit.spending import estimate
from .talk import Ending, Talk

_FALLS_BACK = ("failure", "timeout")
"""The failures of a model after which another one is asked; a budget refuses them all."""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """The conversation, the node's visit and the model call within it (both from 1); `reminded`:
    the last answer neither called a tool nor ended the talk."""

    messages: list[Message]
    visit: int
    turn: int
    reminded: bool


async def call_model(talk: Talk, ask: ModelTurn, runtime: Runtime[Any]) -> dict[str, Any]:
    """Ask the model, or where it fails the next one, and return {text, tool_calls, id}."""
    services, node = talk.services, talk.node
    op = node.op
    assert isinstance(op, AgentNode | TaskNode)
    request = ModelRequest(
        messages=tuple(ask.messages),
        tools=await _tools_of(talk),
        node=node.id,
        prompt=talk.prompt_id,
        visit=ask.visit,
        turn=ask.turn,
        settings=settings_for(talk.agent, op),
        agent=talk.agent.id,
        force_tool=_forced_tool(talk.ending, ask),
        ending=talk.ending.tool.name if talk.ending else None,
        on_text=lambda piece: services.emit("model_text", node.id, {"text": piece}),
        on_retry=lambda attempt, error, wait: services.emit(
            "model_retry", node.id, {"attempt": attempt, "error": error, "wait": wait}
        ),
    )
    models = models_for(talk.agent, op)
    for at, (asked, following) in enumerate(pairwise((*(models or (None,)), ""))):
        ordinal = f"turn {ask.turn}" + (f", model {at + 1}" if at else "")
        try:
            return await _ask(talk, replace(request, model=asked), runtime, ordinal)
        except Failure as failure:
            if not following or failure.kind not in _FALLS_BACK or isinstance(failure, InDoubt):
                raise
            data = {"failed": asked, "error": failure.message, "asked": following}
            services.emit("model_fallback", node.id, data)
    raise AssertionError("the last model answers or fails")


async def _ask(
    talk: Talk, request: ModelRequest, runtime: Runtime[Any], ordinal: str
) -> dict[str, Any]:
    """Ask one model through the journal and return {text, tool_calls, id}."""
    services = talk.services

    async def call() -> Json:
        reply = await _paid_reply(talk, request)
        calls = [_storable_call(one) for one in reply.tool_calls]
        return {"text": storable_text(reply.text), "tool_calls": calls, "id": reply.id}

    # A call in flight when the process died is in doubt, unless what answers is not a real model.
    effect: Effect = "once" if services.models.is_model else "pure"
    # An answer that was kept is the answer, whichever of the models gave it.
    inputs: dict[str, Json] = {
        "messages": list(request.messages),
        "tools": [schema.name for schema in request.tools],
    }
    act = EffectCall(runtime, MODEL_CALL, effect, inputs, call, ordinal, begins=True)
    reply = await services.journal.once(act)
    if isinstance(reply, dict) and "text" in reply:
        calls = list(reply.get("tool_calls") or [])
        return {"text": str(reply["text"]), "tool_calls": calls, "id": str(reply.get("id") or "")}
    # A person gave the result of a call in doubt.
    return {"text": str(reply), "tool_calls": [], "id": ""}


async def _paid_reply(talk: Talk, request: ModelRequest) -> ModelReply:
    """Reserve the worst case, call the model and settle. A call that is cut off keeps its
    reservation: it may have been paid. Raise as the limits and the model do."""
    services = talk.services
    budget, is_model = services.budget, services.models.is_model
    worst = estimate(budget.full_name(request.model) if is_model else "", request)
    started = time.monotonic()
    reservation = await budget.reserve(worst, later=True)
    try:
        await services.journal.begin(*services.before_call(request))
        reply = await services.models.reply(replace(request, grant=reservation))
        charge = await reservation.settle(reply)
    except Failure:
        await reservation.release()
        raise
    finally:
        reservation.let_go()
    services.emit(
        "model_called",
        talk.node.id,
        {
            "model": reply.model or services.models.label,
            "input_tokens": charge.input_tokens,
            "output_tokens": charge.output_tokens,
            "cached_tokens": charge.cached_tokens,
            "cost": None if charge.cost is None else charge.cost / DOLLAR,
            "estimated": charge.status != "told",
            "left": budget.left_of(worst),
            "seconds": round(time.monotonic() - started, 6),
        },
    )
    if reply.cut and reservation.max_tokens is not None:
        raise reservation.cut_short()
    return reply


def _forced_tool(ending: Ending | None, ask: ModelTurn) -> str | None:
    """Return the tool that the model has to call now."""
    if ending is None or not (ask.reminded or ending.forced):
        return None
    return ending.tool.name


def _storable_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return the call; with a `fault` instead of arguments that no checkpoint can hold."""
    try:
        return storable_object(call)
    except NotStorable as error:
        return storable_object({**call, "args": {}, "fault": str(error)})


async def _tools_of(talk: Talk) -> tuple[ToolSchema, ...]:
    """Return the listed tools and the one whose call ends the talk, if there is one."""
    schemas: list[ToolSchema] = []
    for name in dict.fromkeys((*talk.tools, *talk.free)):
        schema = talk.answer_tool(name) or await talk.services.tools.schema(name)
        if schema is None:
            raise Failure(
                f"nothing provides the tool `{name}`",
                help="see `flowc tools list` for what there is",
            )
        schemas.append(schema)
    if talk.ending is not None:
        schemas.append(talk.ending.tool)
    return tuple(schemas)
