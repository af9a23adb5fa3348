"""Function: a row of the library, what its parameters take, and the bounds on what it makes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import field
from typing import Literal as Lit

from ..source.records import dataclass
from .values import MAX_TEXT, EvaluationError, Json, kind_of, preview, read_number

Type = Lit["text", "number", "integer", "boolean", "object", "list", "any"]
Cost = Lit["constant", "length", "whole"]
"""What a call costs: nothing that grows; the characters and elements of its arguments and its
result; everything that lies in them, at any depth."""

MAX_ITEMS = 1_000_000
"""The most elements of a list that an expression may make."""

NAMES: dict[Type, str] = {
    "text": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
    "any": "anything",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name, the type of its value, whether it may be left out (`optional`) or take
    all further arguments (`many`). With `element` it is an expression that is evaluated for every
    element. `fault` says what is wrong with a text that stands in the file, or None."""

    name: str
    type: Type = "any"
    optional: bool = False
    many: bool = False
    element: bool = False
    fault: Callable[[str], str | None] | None = None

    def read(self, value: Json, function: str) -> Json:
        """Return the argument as the function takes it. Raise `EvaluationError`."""
        match self.type:
            case "text" if isinstance(value, list | dict):
                raise EvaluationError(f"{function} needs a text, not {kind_of(value)}")
            case "list" if not isinstance(value, list):
                raise EvaluationError(f"{function} needs a list, not {kind_of(value)}")
            case "object" if not isinstance(value, dict):
                raise EvaluationError(f"{function} needs an object, not {kind_of(value)}")
            case "number":
                return require_number(value, function)
            case "integer":
                number = require_number(value, function)
                if number != int(number):
                    raise EvaluationError(f"{function} needs a whole number, not {number}")
                return int(number)
            case _:
                return value


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the library: its parameters in order, the type of its result, one sentence, and
    examples, each an expression and its value as JSON (or `*fails:* ` and why). `apply` is pure and
    raises only `EvaluationError`; it is None for what the caller of `evaluate` provides. `weight`
    multiplies the cost. `also` are names that other languages have for it."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    summary: str
    apply: Callable[..., Json] | None
    examples: tuple[tuple[str, str], ...] = ()
    cost: Cost = "length"
    weight: int = 1
    also: tuple[str, ...] = field(default=())

    @property
    def least(self) -> int:
        return sum(not parameter.optional for parameter in self.parameters)

    @property
    def most(self) -> int | None:
        many = any(parameter.many for parameter in self.parameters)
        return None if many else len(self.parameters)

    @property
    def element(self) -> Parameter | None:
        """The parameter whose expression is evaluated for every element."""
        return next((p for p in self.parameters if p.element), None)

    @property
    def signature(self) -> str:
        """As in `split(text, separator?)`."""
        shown = (
            f"{p.name}{', …' if p.many else ''}{'?' if p.optional and not p.many else ''}"
            for p in self.parameters
        )
        return f"{self.name}({', '.join(shown)})"

    @property
    def arity(self) -> str:
        """The number of arguments in words: "1 argument", "1 to 2 arguments"."""
        if self.most is None:
            return f"{self.least} or more arguments"
        count = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        return f"{count} argument{'' if self.most == 1 else 's'}"

    def parameter(self, number: int) -> Parameter:
        """Return the parameter of the argument with this number, from 0."""
        return self.parameters[min(number, len(self.parameters) - 1)]


def require_number(value: Json, function: str) -> int | float:
    """Return a number, or the one that a text reads as. Raise `EvaluationError`."""
    number = read_number(value)
    if number is None:
        raise EvaluationError(f"{function} needs numbers, not {preview(value)}")
    return number


def require_items(items: list[Json], function: str) -> list[Json]:
    """Return the list. Raise `EvaluationError` for one that is too long."""
    if len(items) > MAX_ITEMS:
        raise EvaluationError(f"{function} makes more than {MAX_ITEMS:,} elements")
    return items


def require_length(length: int, function: str) -> None:
    """Raise `EvaluationError` for a text that would be longer than `MAX_TEXT` characters."""
    if length > MAX_TEXT:
        raise EvaluationError(f"{function} makes a text of more than {MAX_TEXT:,} characters")


text = functools.partial(Parameter, type="text")
number = functools.partial(Parameter, type="number")
whole = functools.partial(Parameter, type="integer")
of_list = functools.partial(Parameter, type="list")
of_object = functools.partial(Parameter, type="object")
