"""Functions of workflows: replies of models, words of a shell, files."""

from __future__ import annotations

import re
import shlex

from ..values import EvaluationError, Json, text_of
from .function import Function, Parameter

WHERE = ("word", "double", "single")
_SPECIAL_IN_DOUBLE = re.compile(r'([\\$`"])')


def tool_calls(reply: Json) -> list[Json]:
    """Return the calls of a reply in their order; an empty list for anything else."""
    calls = reply.get("tool_calls") if isinstance(reply, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def tool_arguments(reply: Json, tool: Json) -> Json:
    """Return the arguments of the first call of a tool, or null."""
    name = text_of(tool)
    return next((c.get("args") for c in tool_calls(reply) if c.get("name") == name), None)


def where_fault(where: str) -> str | None:
    """Return why a text is not a place in a command; None when it is."""
    return None if where in WHERE else f"shell_quote knows {', '.join(WHERE)}"


def shell_quote(value: Json, where: Json = "word") -> str:
    """Return the value's text form as one shell word, never as commands (POSIX shell quoting), for
    the place where it stands. Raise `EvaluationError` for another place than those of `WHERE`.

    word      between blanks          a'b      ->  'a'"'"'b'
    double    inside "double quotes"  $HOME    ->  \\$HOME
    single    inside 'single quotes'  a'b      ->  a'\\''b
    """
    text = text_of(value)
    if where == "word":
        return shlex.quote(text)
    if where == "double":
        return _SPECIAL_IN_DOUBLE.sub(r"\\\1", text)
    if where == "single":
        return text.replace("'", "'\\''")
    raise EvaluationError(f"shell_quote knows {', '.join(WHERE)}")


_REPLY = Parameter("reply")

WORKFLOWS: tuple[Function, ...] = (
    Function(
        "tool_calls", (_REPLY,), "list", "The tool calls of a reply: a list of `{id, name, args}`.",
        tool_calls, (("length(tool_calls(null))", "0"),),
    ),
    Function(
        "tool_arguments", (_REPLY, Parameter("tool")), "object",
        "The arguments of a reply's first call of a tool; null when it calls it not.",
        tool_arguments, (('tool_arguments(null, "cut")', "null"),),
    ),
    Function(
        "shell_quote", (Parameter("text"), Parameter("where", optional=True, fault=where_fault)),
        "text",
        "The text as a shell reads it literally: as a `word`, or in `double` or `single` quotes.",
        shell_quote, (('shell_quote("it\'s")', r"""'"'it'\"'\"'s'"'""".strip("'")),), "whole",
        also=("quote", "escape"),
    ),
    Function(
        "read_file", (Parameter("path"),), "text",
        "The text of a file below the workflow's folder or an allowed root.", None, (), "constant",
        also=("file", "read", "open", "load"),
    ),
)  # fmt: skip
