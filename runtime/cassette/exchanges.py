"""What an exchange with each kind of service looks like in a cassette, written and read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from flowc.compiler.lowering.graphspec import Place

from ..charges import Usage
from ..errors import Failure
from ..services import (
    MODEL_CALL,
    CommandResult,
    Json,
    ModelReply,
    ModelRequest,
    ScriptCall,
    ScriptResult,
    ToolSchema,
)
from .format import Kind, digest_of

COMMAND = "command "
"""What the journal's names of commands begin with."""


def kind_of(name: str) -> Kind:
    """The kind of an effect by the journal's name of it."""
    if name == MODEL_CALL:
        return "model"
    return "command" if name.startswith(COMMAND) else "tool"


def effect_given(name: str, given: Json) -> dict[str, Json]:
    """What an effect was asked with. The state of a shell is left out: it is code of the shell's
    own and may hold what nobody should read."""
    match kind_of(name):
        case "model":
            return dict(given)
        case "command":
            return {"command": given["command"] if isinstance(given, dict) else given}
        case _:
            return {"name": name.removeprefix("tool "), "args": given}


def model_given(request: ModelRequest, offers: list[str]) -> dict[str, Json]:
    """What a model was asked: all of it that can change its answer."""
    given: dict[str, Json] = {"messages": list(request.messages)}
    if offers:
        given["tools"] = offers
    if request.force_tool:
        given["forced"] = request.force_tool
    if request.model:
        given["model"] = request.model
    return given


def reply_body(reply: ModelReply) -> dict[str, Json]:
    """A model's answer with the tokens that it took."""
    said: dict[str, Json] = {"text": reply.text}
    if reply.tool_calls:
        said["calls"] = [dict(call) for call in reply.tool_calls]
    usage = {name: count for name, count in dataclasses.asdict(reply.usage).items() if count}
    if reply.cut:
        said["cut"] = True
    body = {"reply": said, "usage": usage, "answered_by": reply.model}
    return {name: value for name, value in body.items() if value}


def reply_of(body: Mapping[str, Any], model: str) -> ModelReply:
    """The answer that was recorded. `model` is what is said to have answered."""
    said, known = body["reply"], {field.name for field in dataclasses.fields(Usage)}
    usage = {name: count for name, count in (body.get("usage") or {}).items() if name in known}
    calls = tuple(said.get("calls") or ())
    return ModelReply(said["text"], calls, Usage(**usage), model, cut=bool(said.get("cut")))


def offer_body(tool: ToolSchema) -> dict[str, Json]:
    """All that is told of a tool, but for its name."""
    return {
        "description": tool.description,
        "parameters": tool.parameters,
        "effect": tool.effect,
        "source": tool.source,
    }


def offer_name(tool: ToolSchema) -> str:
    """Its name with a digest of what a model is told: another description is another offer."""
    told = {"description": tool.description, "parameters": tool.parameters}
    return f"{tool.name} {digest_of(told)}"


def tool_of(name: str, body: Mapping[str, Any]) -> ToolSchema:
    """The tool that was recorded."""
    return ToolSchema(
        name,
        str(body.get("description", "")),
        dict(body.get("parameters") or {}),
        body.get("effect", "once"),
        str(body.get("source", "")),
    )


def command_body(result: CommandResult) -> dict[str, Json]:
    """What a command came to, without the state of its shell."""
    body: dict[str, Json] = {"exit_code": result.exit_code, "output": result.output}
    return {**body, "timed_out": True} if result.timed_out else body


def command_of(command: str, body: Mapping[str, Any]) -> CommandResult:
    """The result that was recorded, of a shell without a state."""
    code, output = body["exit_code"], body["output"]
    return CommandResult(command, code, output, 0.0, bool(body.get("timed_out")), "")


def script_given(call: ScriptCall) -> dict[str, Json]:
    """What a script's function was called with. Time and chance are no part of it: they are other
    ones in every run."""
    given: dict[str, Json] = {
        "script": digest_of(call.script.source),
        "function": call.function,
        "args": list(call.args),
        "shares": call.shares,
        "kept": call.kept,
        "threads": {name: list(thread.messages) for name, thread in call.threads.items()},
    }
    return {name: value for name, value in given.items() if value not in ([], {})}


def script_body(result: ScriptResult) -> dict[str, Json]:
    """What came of a script's call; what it left alone is left out."""
    body: dict[str, Json] = {
        "value": result.value,
        "shares": result.shares,
        "kept": result.kept,
        "threads": result.threads,
        "log": [list(line) for line in result.log],
    }
    return {"result": {name: value for name, value in body.items() if value not in ([], {}, None)}}


def script_of(body: Mapping[str, Any]) -> ScriptResult:
    """The result that was recorded."""
    result = body["result"]
    return ScriptResult(
        result.get("value"),
        result.get("shares") or {},
        result.get("kept"),
        result.get("threads") or {},
        tuple((level, line) for level, line in result.get("log") or ()),
    )


def failure_body(failure: Failure, name: str = "failure") -> dict[str, Json]:
    """A failure; its node is that of the exchange. `name` is what it is called."""
    body: dict[str, Json] = {"message": failure.message, "kind": failure.kind}
    if failure.help:
        body["help"] = failure.help
    if failure.place is not None:
        body["place"] = dataclasses.asdict(failure.place)
    return {name: body}


def failure_of(said: Mapping[str, Any], file: str = "") -> Failure:
    """The failure that was recorded. `file` is what its place's file is called here."""
    place = Place(**{**said["place"], "file": file}) if file and said.get("place") else None
    return Failure(said["message"], said["kind"], help=said.get("help", ""), place=place)
