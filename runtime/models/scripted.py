"""Scripted answers: a file that answers model calls, questions, approvals and requests to hosts.
Not a language model.

An answer is chosen by the request's node, visit and turn alone, or the attempt to send it, never by
counting calls: a run that was killed and resumed gets the same answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..context import CALL_PATH
from ..errors import Failure
from ..people import TIME_IS_UP, QuestionKind
from ..requests import HttpAnswer, HttpRequest, Sender
from ..services import Json, ModelReply, ModelRequest, ToolSchema
from ..state.schemas import ANSWER_TOOL
from ..state.task_results import RESULT_TOOL, ResultFault, result_fields
from .answer_file import REPORT_TOOL, AnswerFile, Entry, ScriptedReport, Turn

_SHOWN_KEYS = 12


@dataclass(frozen=True, slots=True)
class ScriptedModels:
    """Answers from a script. Also what people answered in advance (`services.People`)."""

    script: AnswerFile
    is_model: bool = False

    @property
    def label(self) -> str:
        return f"scripted answers ({Path(self.script.path).name}): not a language model"

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the turn of this visit. Raise `Failure` that says what the script lacks."""
        turn = self._turn(request)
        if turn.text and request.on_text:
            request.on_text(turn.text)
        calls = [{"name": call.name, "args": call.args} for call in turn.calls]
        if turn.report is not None:
            calls = [{"name": REPORT_TOOL, "args": _report_args(turn.report, request)}]
        elif (task := _tool(request, RESULT_TOOL)) is not None and not calls:
            result = turn.result if turn.result is not None else turn.text
            calls = [{"name": RESULT_TOOL, "args": _result_args(task, result)}]
        elif turn.result is not None:
            calls = [{"name": request.ending or ANSWER_TOOL, "args": turn.result}]
        numbered = tuple(
            {"id": f"call_{request.node}_{request.visit}_{request.turn}_{number}", **call}
            for number, call in enumerate(calls, start=1)
        )
        return ModelReply(turn.text, numbered, model="scripted")

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json | None:
        """Return the script's answer to a question of a node (`services.People.answer`)."""
        entry = _entry(self.script, node)
        match kind:
            case "approve":
                approval = entry.approval(visit) if entry else None
                return approval if approval is not None else self.script.approve
            case "wait":
                return TIME_IS_UP  # who is scripted does not wait
            case "ask" | "task" | "event":
                turns = entry.turns(visit) if entry else None
                if not turns:
                    return None
                return turns[-1].text if turns[-1].result is None else turns[-1].result
            case "unknown" | "breakpoint" | "turn":
                return None

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json | None:
        """Return the script's answer to a question of a model (`People.answer_to_model`)."""
        entry = _entry(self.script, node)
        turns = (entry.turns(visit) if entry else None) or ()
        return turns[turn - 1].reply if turn <= len(turns) else None

    def _turn(self, request: ModelRequest) -> Turn:
        for key in (_path_of(request.node), request.node, request.prompt):
            if key is None or key not in self.script.entries:
                continue
            turns = self.script.entries[key].turns(request.visit)
            if turns is not None and request.turn <= len(turns):
                turn = turns[request.turn - 1]
                if turn.http is None:
                    return turn
                raise self._missing(request, f"`{key}` has the answer of a host")
            raise self._missing(request, f"the answers of `{key}` end before that")
        raise self._missing(request, f"it answers {_keys_of(self.script)}")

    def _missing(self, request: ModelRequest, why: str) -> Failure:
        prompt = f" (prompt `{request.prompt}`)" if request.prompt else ""
        return Failure(
            f"no scripted answer for `{request.node}`{prompt}, visit {request.visit}, turn "
            f"{request.turn} in {Path(self.script.path).name}: {why}",
            help=f"add it under `{request.node}:` in {self.script.path}",
        )


@dataclass(frozen=True, slots=True)
class ScriptedSender:
    """Answers the requests of nodes that the script has, and lets `sender` send all others."""

    script: AnswerFile
    sender: Sender

    async def send(self, request: HttpRequest) -> HttpAnswer:
        """Return the answer to this attempt (`Sender.send`). Where the script has one answer for
        all visits, every attempt gets it. Raise `Failure` that says what the script lacks."""
        entry = _entry(self.script, request.node)
        if entry is None:
            return await self.sender.send(request)
        turns = entry.turns(request.visit) or ()
        at = 1 if entry.always else request.attempt
        answer = turns[at - 1].http if at <= len(turns) else None
        if answer is None:
            raise Failure(
                f"no scripted answer of a host for `{request.node}`, visit {request.visit}, "
                f"attempt {request.attempt} in {Path(self.script.path).name}",
                help=f"add `http: {{status: 200, json: …}}` under `{request.node}:`",
            )
        return answer


def _entry(script: AnswerFile, node: str) -> Entry | None:
    """Return the entry of a node: where it is called from, or wherever it is called from."""
    return script.entries.get(_path_of(node)) or script.entries.get(node)


def _path_of(node: str) -> str:
    """Return a node with the calls that lead to it: `each#2/draft`."""
    return "/".join((*CALL_PATH.get(), node))


def _keys_of(script: AnswerFile) -> str:
    keys = [f"`{key}`" for key in script.entries]
    more = f" and {len(keys) - _SHOWN_KEYS} more" if len(keys) > _SHOWN_KEYS else ""
    return (", ".join(keys[:_SHOWN_KEYS]) + more) or "nothing"


def _tool(request: ModelRequest, name: str) -> ToolSchema | None:
    return next((tool for tool in request.tools if tool.name == name), None)


def _result_args(task: ToolSchema, result: Json) -> dict[str, Any]:
    """Return the result tool's arguments, or the result as it is: the node refuses it."""
    try:
        return dict(result_fields(task.parameters, result))
    except ResultFault:
        return {"output": result}


def _report_args(report: ScriptedReport, request: ModelRequest) -> dict[str, Any]:
    """Return the reporting tool's arguments (S26). The step's number and its assertions are taken
    from the tool's schema as the model would read them there."""
    schema = _tool(request, REPORT_TOOL)
    fields: dict[str, Any] = schema.parameters["properties"] if schema else {}
    number, results = fields.get("step_number", {}), fields.get("assertion_results")
    texts = results["items"]["properties"]["assertion"]["enum"] if results else []
    verdicts = report.asserts
    if verdicts is None:
        verdicts = tuple(report.status == "passed" for _ in texts)
    args: dict[str, Any] = {
        "step_number": number.get("const", 1),
        "status": report.status,
        "assertion_results": [
            _assertion(item, texts[at] if at < len(texts) else f"assertion {at + 1}")
            for at, item in enumerate(verdicts)
        ],
        "output_variables": report.outputs,
    }
    if report.error:
        args["error_message"] = report.error
    return args


def _assertion(item: object, text: str) -> dict[str, Any]:
    if isinstance(item, dict):
        return {"assertion": text, "passed": bool(item.get("passed")), **item}
    return {"assertion": text, "passed": item is True, "detail": ""}
