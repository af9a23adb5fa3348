"""Structured answers: an agent whose answer is an object that fits a JSON Schema.

The model gets a tool whose arguments are the answer. It has to call it at once when it has no other
tool, and is reminded when it ends without the call. An answer that does not fit is refused a few
times. A text that is the object counts as an answer too.
"""

from __future__ import annotations

import re
from typing import Any

from flowc.compiler.ir import AgentNode

from ...errors import Failure
from ...services import ToolSchema
from ...state.frames import BadFrame, read_frame
from ...state.schemas import ANSWER_TOOL, BrokenSchema, misfits
from .talk import Ending, EndingRefused

TRIES = 3
"""The number of answers that do not fit before the node fails."""
_FENCED = re.compile(r"\s*```[a-zA-Z]*\n(.*)\n\s*```\s*", re.DOTALL)


def answer_ending(op: AgentNode, tools: tuple[str, ...]) -> Ending:
    """Return the ending of an agent's talk whose answer has a schema."""
    name = ANSWER_TOOL
    while name in tools:
        name += "_"
    schema = {"type": "object", **(op.schema if isinstance(op.schema, dict) else {})}

    def check(args: dict[str, Any]) -> None:
        try:
            wrong = misfits(schema, args)
        except BrokenSchema as broken:
            raise Failure(f"the schema of `{op.id}` is broken: {broken}") from None
        if wrong:
            raise EndingRefused(f"the answer does not fit its schema: {wrong}")

    return Ending(
        tool=ToolSchema(name, "Give the answer.", schema, effect="pure"),
        check=check,
        reminder=f"Give the answer now: call {name}.",
        missing="an answer that fits its schema",
        forced=not tools,
        tries=TRIES,
        read=object_in,
    )


def object_in(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is, with or without a fence; None for anything else."""
    fenced = _FENCED.fullmatch(text)
    inner = (fenced[1] if fenced else text).strip()
    if not inner.startswith("{"):
        return None
    try:
        value = read_frame(inner)
    except BadFrame:
        return None
    return value if isinstance(value, dict) else None
