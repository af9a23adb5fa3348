"""The body of each kind of exchange in a cassette, written and read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from flowc.compiler.catalog.model_settings import set_in
from flowc.compiler.lowering.graphspec import Place

from ..charges import Usage
from ..errors import Failure
from ..requests import HttpAnswer
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

T = TypeVar("T")
COMMAND = "command "
"""The prefix of the journal's names of commands."""


@dataclass(frozen=True, slots=True)
class Notation(Generic[T]):
    """How the results of one kind of exchange are written and read: as the parts of a body. `file`
    is the present name of the file in which a failure has its place."""

    body: Callable[[T], dict[str, Json]]
    value: Callable[[Mapping[str, Any]], T]
    file: str = ""


def kind_of(name: str) -> Kind:
    """Return the kind of an effect by its name in the journal."""
    if name == MODEL_CALL:
        return "model"
    return "command" if name.startswith(COMMAND) else "tool"


def effect_input(name: str, inputs: Json) -> dict[str, Json]:
    """Return the inputs of an effect. The state of a shell is left out: it is code that may hold
    what nobody should read."""
    match kind_of(name):
        case "model":
            return dict(cast("dict[str, Json]", inputs))
        case "command":
            return {"command": inputs["command"] if isinstance(inputs, dict) else inputs}
        case _:
            return {"name": name.removeprefix("tool "), "args": inputs}


def model_input(request: ModelRequest, offers: list[str]) -> dict[str, Json]:
    """Return the parts of a request that can change the model's answer."""
    options: dict[str, Json] = {
        "tools": offers,
        "forced": request.force_tool,
        "model": request.model,
        "settings": _settings_of(request),
    }
    return {"messages": list(request.messages), **_without_empty(options)}


def _settings_of(request: ModelRequest) -> Json:
    held = {} if request.settings is None else set_in(request.settings)
    return {name: list(value) if name == "stop" else value for name, value in held.items()}


def reply_body(reply: ModelReply) -> dict[str, Json]:
    """Return a model's answer with its usage of tokens."""
    calls: dict[str, Json] = {"calls": [dict(call) for call in reply.tool_calls], "cut": reply.cut}
    usage = _without_empty(dataclasses.asdict(reply.usage))
    text = {"text": reply.text, **_without_empty(calls)}
    return _without_empty({"reply": text, "usage": usage, "answered_by": reply.model})


def reply_of(body: Mapping[str, Any]) -> ModelReply:
    """Return the recorded answer, in nobody's name."""
    reply, known = body["reply"], {field.name for field in dataclasses.fields(Usage)}
    usage = {name: count for name, count in (body.get("usage") or {}).items() if name in known}
    calls = tuple(reply.get("calls") or ())
    return ModelReply(reply["text"], calls, Usage(**usage), cut=bool(reply.get("cut")))


def offer_body(tool: ToolSchema) -> dict[str, Json]:
    """Return everything about a tool but its name."""
    parts = ("description", "parameters", "effect", "source")
    return {name: getattr(tool, name) for name in parts}


def offer_name(tool: ToolSchema) -> str:
    """Return the tool's name and a digest of its description: another one is another offer."""
    return f"{tool.name} {digest_of(tool_description(offer_body(tool)))}"


def tool_description(body: Mapping[str, Any]) -> dict[str, Json]:
    """Return the part of an offer that models see."""
    return {"description": body.get("description"), "parameters": body.get("parameters")}


def tool_of(name: str, body: Mapping[str, Any]) -> ToolSchema:
    """Return the recorded tool."""
    return ToolSchema(
        name,
        str(body.get("description", "")),
        dict(body.get("parameters") or {}),
        body.get("effect", "once"),
        str(body.get("source", "")),
    )


def command_body(result: CommandResult) -> dict[str, Json]:
    """Return the result of a command, without the state of its shell."""
    body: dict[str, Json] = {"exit_code": result.exit_code, "stdout": result.stdout}
    more: dict[str, Json] = {
        "stderr": result.stderr,
        "cut": result.cut,
        "timed_out": result.timed_out,
    }
    return {**body, **_without_empty(more)}


def command_of(body: Mapping[str, Any]) -> CommandResult:
    """Return the recorded result, without the command and of a shell without a state."""
    late, cut = bool(body.get("timed_out")), bool(body.get("cut"))
    stderr = body.get("stderr", "")
    return CommandResult(
        "", body["exit_code"], body["stdout"], 0.0, late, "", stderr=stderr, cut=cut
    )


def script_input(call: ScriptCall) -> dict[str, Json]:
    """Return the inputs of a script's function, without time and seed, which differ in each run."""
    inputs: dict[str, Json] = {
        "script": digest_of(call.script.source),
        "function": call.function,
        "args": list(call.args),
        "shares": call.shares,
        "kept": call.kept,
        "threads": {name: list(thread.messages) for name, thread in call.threads.items()},
    }
    return {name: value for name, value in inputs.items() if value not in ([], {})}


def script_body(result: ScriptResult) -> dict[str, Json]:
    """Return the result of a script's call, without what it left alone."""
    body: dict[str, Json] = {
        "value": result.value,
        "shares": result.shares,
        "kept": result.kept,
        "threads": result.threads,
        "log": [list(line) for line in result.log],
    }
    return {"result": {name: value for name, value in body.items() if value not in ([], {}, None)}}


def script_of(body: Mapping[str, Any]) -> ScriptResult:
    """Return the recorded result."""
    result = body["result"]
    return ScriptResult(
        result.get("value"),
        result.get("shares") or {},
        result.get("kept"),
        result.get("threads") or {},
        tuple((level, line) for level, line in result.get("log") or ()),
    )


REPLY_NOTATION = Notation(reply_body, reply_of)
RESULT_NOTATION: Notation[Json] = Notation(
    lambda value: {"result": value}, lambda body: body["result"]
)
ANSWER_NOTATION: Notation[HttpAnswer] = Notation(
    lambda answer: {"answer": dataclasses.asdict(answer)}, lambda body: HttpAnswer(**body["answer"])
)
TEXT_NOTATION: Notation[str] = Notation(
    lambda text: {"result": text}, lambda body: str(body["result"])
)
COMMAND_NOTATION = Notation(command_body, command_of)
SCRIPT_NOTATION = Notation(script_body, script_of)


def failure_body(failure: Failure, name: str = "failure") -> dict[str, Json]:
    """Return a failure under a name; its node is that of the exchange."""
    body: dict[str, Json] = {"message": failure.message, "kind": failure.kind}
    if failure.help:
        body["help"] = failure.help
    if failure.place is not None:
        body["place"] = dataclasses.asdict(failure.place)
    return {name: body}


def failure_of(body: Mapping[str, Any], file: str = "") -> Failure:
    """Return the recorded failure. `file` is the present name of its place's file."""
    place = Place(**{**body["place"], "file": file}) if file and body.get("place") else None
    return Failure(body["message"], body["kind"], help=body.get("help", ""), place=place)


def _without_empty(body: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in body.items() if value}
