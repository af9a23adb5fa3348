"""The functions of the expression language, as one literal table."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Literal as Lit

from ..source.records import dataclass
from .values import (
    MAX_TEXT,
    EvaluationError,
    Json,
    Number,
    json_text,
    kind_of,
    order_of,
    preview,
    read_number,
    text_of,
    truth_of,
)

Type = Lit["text", "number", "integer", "boolean", "object", "list", "any"]


WHERE = ("word", "double", "single")
_SPECIAL_IN_DOUBLE = re.compile(r'([\\$`"])')


@dataclass(frozen=True, slots=True)
class Function:
    """A function of `least` to `most` arguments (None: any number). `apply` is pure and raises only
    `EvaluationError`; it is None for `read_file`, which the caller of `evaluate` provides."""

    name: str
    least: int
    most: int | None
    result: Type
    summary: str
    apply: Callable[..., Json] | None

    @property
    def arity(self) -> str:
        """The number of arguments in words: "1 argument", "1 to 2 arguments"."""
        if self.most is None:
            return f"{self.least} or more arguments"
        count = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        return f"{count} argument{'' if self.most == 1 else 's'}"


def _length(value: Json) -> int:
    if value is None:
        return 0
    if isinstance(value, str | list | dict):
        return len(value)
    raise EvaluationError(f"length needs a text, list or object, not {kind_of(value)}")


def _first_line(value: Json) -> str:
    return text_of(value).split("\n", 1)[0].strip()


def _number(value: Json) -> Number:
    if isinstance(value, bool):
        return int(value)
    number = read_number(value)
    if number is None:
        raise EvaluationError(f"{preview(value)} is not a number")
    return number


def _coalesce(*values: Json) -> Json:
    return next((value for value in values if value is not None), None)


def _default(value: Json, otherwise: Json) -> Json:
    return otherwise if value is None or value == "" else value


def _which(*conditions: Json) -> int:
    return next((n for n, value in enumerate(conditions, start=1) if truth_of(value)), 0)


def _keys(value: Json) -> list[str]:
    if isinstance(value, dict):
        return list(value)
    raise EvaluationError(f"keys needs an object, not {kind_of(value)}")


def _put(value: Json, key: Json, entry: Json) -> dict[str, Json]:
    if value is None or isinstance(value, dict):
        return {**(value or {}), text_of(key): entry}
    raise EvaluationError(f"put needs an object, not {kind_of(value)}")


def _append(values: Json, value: Json) -> list[Json]:
    if values is None or isinstance(values, list):
        return [*(values or []), value]
    raise EvaluationError(f"append needs a list, not {kind_of(values)}")


def _truthy(value: Json) -> bool:
    return value not in (None, False, 0, "")


def _either(value: Json, otherwise: Json) -> Json:
    return value if _truthy(value) else otherwise


def _join(values: Json, separator: Json = ", ") -> str:
    if not isinstance(values, list):
        raise EvaluationError(f"join needs a list, not {kind_of(values)}")
    texts, between = [text_of(value) for value in values], text_of(separator)
    if sum(map(len, texts)) + len(between) * len(texts) > MAX_TEXT:
        raise EvaluationError(f"the joined text has more than {MAX_TEXT} characters")
    return between.join(texts)


def _numbers(values: Json, function: str) -> list[Number]:
    if not isinstance(values, list):
        raise EvaluationError(f"{function} needs a list, not {kind_of(values)}")
    return [_number(value) for value in values if value is not None]


def _mean(values: Json) -> Number | None:
    numbers = _numbers(values, "mean")
    return sum(numbers) / len(numbers) if numbers else None


def _least(values: Json) -> Number | None:
    return min(_numbers(values, "least"), default=None)


def tool_calls(reply: Json) -> list[Json]:
    """Return the calls of a reply in their order; an empty list for anything else."""
    calls = reply.get("tool_calls") if isinstance(reply, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def tool_arguments(reply: Json, tool: Json) -> Json:
    """Return the arguments of the first call of a tool, or null."""
    name = text_of(tool)
    return next((c.get("args") for c in tool_calls(reply) if c.get("name") == name), None)


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


_ROWS: tuple[Function, ...] = (
    Function("length", 1, 1, "integer",
             "Characters of a text, elements of a list, keys of an object; 0 for null.", _length),
    Function("lower", 1, 1, "text", "The text in lower case.", lambda v: text_of(v).lower()),
    Function("upper", 1, 1, "text", "The text in upper case.", lambda v: text_of(v).upper()),
    Function("trim", 1, 1, "text", "The text without white space around it.",
             lambda v: text_of(v).strip()),
    Function("first_line", 1, 1, "text", "The first line of the text, trimmed.", _first_line),
    Function("text", 1, 1, "text", "The text form of any value; null is empty.", text_of),
    Function("number", 1, 1, "number",
             "The number a text stands for; true is 1, false 0; fails for anything else.", _number),
    Function("is_number", 1, 1, "boolean", "Whether a value is a number or reads as one.",
             lambda v: read_number(v) is not None),
    Function("boolean", 1, 1, "boolean", "The truth of a value, as a condition sees it.", truth_of),
    Function("coalesce", 1, None, "any", "The first value that is not null.", _coalesce),
    Function("default", 2, 2, "any", "The first value; the second when that is null or empty text.",
             _default),
    Function("which", 1, None, "integer",
             "The number of the first condition that is true, from 1; 0 when none is. The"
             " conditions behind it are not looked at.", _which),
    Function("order", 2, 2, "integer",
             "-1, 0 or 1: compares as numbers when both are numbers, otherwise as text.", order_of),
    Function("keys", 1, 1, "list", "The keys of an object, in their order.", _keys),
    Function("put", 3, 3, "object",
             "The object with a key set to a value; null counts as an empty object.", _put),
    Function("append", 2, 2, "list",
             "The list with a value at its end; null counts as an empty list.", _append),
    Function("truthy", 1, 1, "boolean",
             "Whether a value is anything but null, false, 0 or the empty text.", _truthy),
    Function("either", 2, 2, "any",
             "The first value; the second when the first is not truthy.", _either),
    Function("tool_calls", 1, 1, "list",
             "The tool calls of a reply: a list of `{id, name, args}`.", tool_calls),
    Function("tool_arguments", 2, 2, "object",
             "The arguments of a reply's first call of a tool; null when it calls it not.",
             tool_arguments),
    Function("join", 1, 2, "text", "The elements' texts with a separator (`, `) between.", _join),
    Function("least", 1, 1, "number",
             "The smallest of a list's numbers, null left out; null when there is none.", _least),
    Function("mean", 1, 1, "number",
             "The mean of a list's numbers, null left out; null when there is none.", _mean),
    Function("json", 1, 1, "text", "The JSON text of a value.", json_text),
    Function("shell_quote", 1, 2, "text",
             "The text as a shell reads it literally: as a `word`, or in `double` or `single`"
             " quotes.", shell_quote),
    Function("read_file", 1, 1, "text",
             "The text of a file below the workflow's folder or an allowed root.", None),
)  # fmt: skip

FUNCTIONS: dict[str, Function] = {row.name: row for row in _ROWS}
