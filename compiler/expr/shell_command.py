"""Shell commands with values in them: each value quoted for the place where it stands."""

from __future__ import annotations

from dataclasses import replace

from .ast import Call, Expr, Literal, Text
from .shell_places import places_in
from .template import Placeholder, Template


def quoted_command(template: Template, text: str) -> tuple[Expr, list[tuple[Placeholder, str]]]:
    """Return the meaning of a command's template, each value quoted for its place, and the
    placeholders that no quoting makes safe, with the reason. One placeholder alone stays that
    value."""
    if not isinstance(template.expr, Text):
        return template.expr, []
    holes = template.placeholders
    quoted: dict[int, Expr] = {}
    refusals: list[tuple[Placeholder, str]] = []
    places = places_in(text, [(hole.start, hole.end) for hole in holes])
    for hole, (how, refused) in zip(holes, places, strict=True):
        if refused:
            refusals.append((hole, refused))
        args = (hole.expr, Literal(value=how or "word"))
        quoted[id(hole.expr)] = Call(function="shell_quote", args=args, span=hole.expr.span)
    parts = tuple(quoted.get(id(part), part) for part in template.expr.parts)
    return replace(template.expr, parts=parts), refusals


def unquoted_parts(command: Text) -> tuple[Expr, ...]:
    """Return the parts of a command without the quoting that `quoted_command` adds."""
    return tuple(_inner(part) for part in command.parts)


def _inner(part: Expr) -> Expr:
    match part:
        case Call(function="shell_quote", args=(inner, Literal(value=str()))):
            return inner
        case _:
            return part
