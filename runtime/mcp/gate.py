"""The person at a client of the MCP server: a question goes to them, past the client's model.

A client that declares elicitation shows a form to its person and sends back what they did: accept,
decline or cancel. A form of the protocol before 2026 is a request while the tool's call waits;
since then it is the call's answer, and the client calls again with the reply and a sealed state
that says what was asked. A client without forms has nobody to ask: the question waits in the store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, cast

from flowc.compiler.source.snippet import visible
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from ..people import Question
from ..services import Json

PATIENCE = 24 * 3600.0
"""For how many seconds a person may take to answer a form."""
_FORM = "person"
"""The key of the form among the inputs that a call asks for."""
_FORMS_ANSWER_CALLS = "2026-07-28"
_ALLOWED = {"approve": ("yes", "no"), "unknown": ("repeat", "fail")}
"""What a form offers; `always` and the result of a call in doubt are for `flowc resume`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was put to a client's person: its id and its name, which counts how often it
    was answered before."""

    run: str
    question: str
    name: str
    client: str

    @classmethod
    def about(cls, run: str, question: Question, client: str) -> Asked:
        return cls(run, question.id, question.name, client)

    @classmethod
    def read(cls, state: str | None) -> Asked | None:
        """Return what a call that comes again was about; None for a call that is new. The server
        has sealed the state, so no client has written it."""
        return cls(**json.loads(state)) if state else None

    def find_in(self, questions: Iterable[Question]) -> Question | None:
        """Return the question if it still waits."""
        return next((q for q in questions if (q.id, q.name) == (self.question, self.name)), None)


def has_forms(ctx: Context[Any]) -> bool:
    """Return whether the client has declared that it shows forms to a person."""
    capabilities = ctx.client_capabilities
    forms = capabilities.elicitation if capabilities else None
    return forms is not None and (forms.form is not None or forms.url is None)


def askable(questions: Iterable[Question]) -> Question | None:
    """Return the first question that fits into a form. A breakpoint goes on where it was set, and
    a turn that a person answers as the model is longer than a form."""
    return next((q for q in questions if q.kind not in ("breakpoint", "turn")), None)


async def ask(
    ctx: Context[Any], question: Question, asked: Asked
) -> ElicitResult | InputRequiredResult | None:
    """Show the form. Return what the person did, or what to answer to the call so that the client
    asks them; None when the client did neither."""
    params = ElicitRequestFormParams(
        message=_message(asked.run, question), requested_schema=_form(question)
    )
    if is_version_at_least(ctx.protocol_version or "", _FORMS_ANSWER_CALLS):
        return InputRequiredResult(
            input_requests={_FORM: ElicitRequest(params=params)},
            request_state=json.dumps(asdict(asked)),
        )
    if not ctx.session.can_send_request:
        return None
    try:
        reply = await ctx.session.elicit_form(
            params.message, params.requested_schema, related_request_id=ctx.request_id
        )
    except (MCPError, ValidationError):
        return None
    return cast("ElicitResult", reply)


def reply_in(ctx: Context[Any]) -> ElicitResult | None:
    """Return what the person did, of a call that comes again."""
    reply = (ctx.input_responses or {}).get(_FORM)
    return reply if isinstance(reply, ElicitResult) else None


def answer_in(question: Question, reply: ElicitResult | None) -> Json:
    """Return the answer to the question; None: it waits on. Who declines to let commands run has
    said no; any other question stays open when it is declined, and every one when the form is
    closed or does not fit."""
    if reply is None or reply.action == "cancel":
        return None
    if reply.action == "decline":
        return "no" if question.kind == "approve" else None
    text = (reply.content or {}).get("answer")
    if not isinstance(text, str) or not text.strip():
        return None
    choices = _choices(question)
    return text if not choices or text in choices else None


def _choices(question: Question) -> tuple[str, ...]:
    return _ALLOWED.get(question.kind, question.choices)


def _form(question: Question) -> dict[str, Json]:
    field: dict[str, Json] = {"type": "string", "title": question.name}
    if choices := _choices(question):
        field["enum"] = list(choices)
    return {"type": "object", "properties": {"answer": field}, "required": ["answer"]}


def _message(run: str, question: Question) -> str:
    """Return the question as the person reads it, with every character of a command visible."""
    who = f"{question.asker} in " if question.asker else ""
    lines = [f"{who}run {run}, {question.name}:", *question.text.splitlines()]
    for command in question.commands:
        first, *more = command.splitlines() or [""]
        lines += [f"$ {first}", *(f"  {line}" for line in more)]
    return "\n".join(map(visible, lines))
