"""One model call of a talk, through the journal."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from flowc.compiler.ir import Effect
from langgraph.runtime import Runtime

from ...config.prices import DOLLAR
from ...errors import Failure
from ...services import MODEL_CALL, Json, Message, ModelReply, ModelRequest, ToolSchema
from ...values import NotStorable, storable_text, storable_value
from ..visit.spending import wanted
from .talk import Ending, Talk


@dataclass(frozen=True, slots=True)
class Asked:
    """The conversation, the node's visit and the model call within it (both from 1); `reminded`
    says that the model answered before without ending as it has to."""

    messages: list[Message]
    visit: int
    turn: int
    reminded: bool


def reminder(ending: Ending) -> Message:
    """What a model is told that ends its turn without the call that ends it."""
    return {"role": "user", "content": ending.reminder}


async def ask_model(talk: Talk, asked: Asked, runtime: Runtime[Any]) -> dict[str, Any]:
    """{text, tool_calls}. A call that was in flight when the process died is in doubt when a real
    model answers; what is no model is simply asked again."""
    services, node = talk.setting.services, talk.node
    request = ModelRequest(
        messages=tuple(asked.messages),
        tools=offered(talk),
        node=node.id,
        prompt=talk.prompt_id,
        visit=asked.visit,
        turn=asked.turn,
        model=talk.agent.model,
        agent=talk.agent.id,
        force_tool=_forced(talk.ending, asked),
        ending=talk.ending.tool.name if talk.ending else None,
        on_text=lambda piece: services.emit("model_text", node.id, {"text": piece}),
        on_retry=lambda attempt, error, wait: services.emit(
            "model_retry", node.id, {"attempt": attempt, "error": error, "wait": wait}
        ),
    )

    async def call() -> Json:
        reply = await _paid_reply(talk, request)
        calls = [_storable_call(one) for one in reply.tool_calls]
        return {"text": storable_text(reply.text), "tool_calls": calls}

    effect: Effect = "once" if services.models.is_model else "pure"
    given = {"messages": asked.messages, "tools": [schema.name for schema in request.tools]}
    kept = await services.journal.once(runtime, MODEL_CALL, effect, given, call)
    if isinstance(kept, dict) and "text" in kept:
        return {"text": str(kept["text"]), "tool_calls": list(kept.get("tool_calls") or [])}
    return {"text": kept if isinstance(kept, str) else str(kept), "tool_calls": []}


async def _paid_reply(talk: Talk, request: ModelRequest) -> ModelReply:
    """The model's reply, reserved before it is asked for and settled afterwards. A call that is cut
    off keeps what was reserved for it: it may have been made. Raises as a limit does, and as the
    model does."""
    services = talk.setting.services
    budget, is_model = services.budget, services.models.is_model
    want = wanted(budget.full_name(request.model) if is_model else "", request)
    started = time.monotonic()
    held = await budget.reserve(want)
    try:
        reply = await services.models.reply(replace(request, grant=held))
        charge = await held.settle(reply)
    except Failure:
        await held.release()
        raise
    finally:
        held.let_go()
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
            "left": budget.left_of(want),
            "seconds": round(time.monotonic() - started, 6),
        },
    )
    if reply.cut and held.max_tokens is not None:
        raise held.cut_short()
    return reply


def _forced(ending: Ending | None, asked: Asked) -> str | None:
    """The tool that the model has to call now."""
    forced = ending is not None and (asked.reminded or ending.forced)
    return ending.tool.name if ending is not None and forced else None


def _storable_call(call: dict[str, Any]) -> dict[str, Any]:
    """The call as it can be kept; without its arguments and with a `fault` when they cannot."""
    try:
        return dict(storable_value(call))
    except NotStorable as error:
        return dict(storable_value({**call, "args": {}, "fault": str(error)}))


def offered(talk: Talk) -> tuple[ToolSchema, ...]:
    """What the model is told of: the listed tools and the call that ends the talk, if one does."""
    schemas: list[ToolSchema] = []
    for name in dict.fromkeys((*talk.tools, *talk.free)):
        schema = talk.answer_tool(name) or talk.setting.services.tools.schema(name)
        if schema is None:
            raise Failure(
                f"nothing provides the tool `{name}`",
                help="see `flowc tools list` for what there is",
            )
        schemas.append(schema)
    if talk.ending is not None:
        schemas.append(talk.ending.tool)
    return tuple(schemas)
