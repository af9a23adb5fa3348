"""Shell commands with values in them: each value quoted for the place where it stands.

    git log {{BRANCH}}            a word of its own
    echo "on {{BRANCH}}"          inside double quotes
    echo $(date +'{{FORMAT}}')    inside single quotes, in a substitution

A value never becomes part of the command's own syntax. In some places no quoting achieves that
(a here-document, arithmetic, backticks, a comment): there a placeholder is refused.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field, replace

from ..source.records import dataclass
from .ast import Call, Expr, Literal, Text
from .template import Placeholder, Template

Refusal = str
"""Why a value cannot be quoted at a place, in words."""

_CLOSERS = {"(": ")", "{": "}", "((": "))", "`": "`", "[": "]"}
_UNSAFE = {
    "{": "inside `${…}`",
    "((": "inside arithmetic",
    "[": "inside arithmetic",
    "`": "inside backticks (write `$(…)` instead)",
    "ansi": "inside `$'…'`",
    "comment": "in a comment",
    "here": "in a here-document",
}


@dataclass(slots=True)
class _Scanner:
    """One pass over a command; `stack` holds the open quotes and brackets."""

    text: str
    stack: list[str] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)

    def place(self) -> tuple[str, Refusal]:
        """Return (how to quote, "") or ("", why not) for a value at the present position."""
        if self.unsafe:
            return "", _UNSAFE[self.unsafe[-1]]
        top = self.stack[-1] if self.stack else ""
        return {'"': "double", "'": "single"}.get(top, "word"), ""

    def step(self, at: int) -> int:
        """Read one element at `at` and return the position after it."""
        top = self.stack[-1] if self.stack else ""
        here = self.text[at]
        if top in ("'", "ansi", "comment"):
            return self._in_verbatim(top, at)
        if here == "\\":
            return at + 2
        if top and self.text.startswith(_CLOSERS.get(top, top), at):
            return self._close(top, at + len(_CLOSERS.get(top, top)))
        for opener, kind in (("$((", "(("), ("$(", "("), ("${", "{"), ("$[", "["), ("`", "`")):
            if self.text.startswith(opener, at):
                return self._open(kind, at + len(opener))
        if top == '"':
            return at + 1
        return self._in_plain(at)

    def _in_plain(self, at: int) -> int:
        text = self.text
        if text.startswith("$'", at):
            return self._open("ansi", at + 2)
        if text[at] in "\"'":
            return self._open(text[at], at + 1)
        if text.startswith("((", at):
            return self._open("((", at + 2)
        if text[at] == "(":
            return self._open("(", at + 1)
        if text[at] == "#" and (at == 0 or text[at - 1] in " \t\n;&|("):
            return self._open("comment", at + 1)
        if text.startswith("<<<", at):
            return at + 3
        if text.startswith("<<", at) and not self.unsafe:
            # Where its text ends is not known before it is read: unsafe up to the end.
            self.unsafe.append("here")
            return at + 2
        return at + 1

    def _in_verbatim(self, top: str, at: int) -> int:
        if top == "ansi" and self.text[at] == "\\":
            return at + 2
        if self.text[at] == ("\n" if top == "comment" else "'"):
            return self._close(top, at + 1)
        return at + 1

    def _open(self, kind: str, after: int) -> int:
        self.stack.append(kind)
        if kind in _UNSAFE:
            self.unsafe.append(kind)
        return after

    def _close(self, kind: str, after: int) -> int:
        self.stack.pop()
        if kind in _UNSAFE:
            self.unsafe.pop()
        return after


def places_in(command: str, placeholders: Collection[tuple[int, int]]) -> list[tuple[str, Refusal]]:
    """Return for each placeholder (start, end), in order, how its value is quoted ("word", "double"
    or "single"), or why it cannot be. One linear pass."""
    scanner = _Scanner(command)
    places: list[tuple[str, Refusal]] = []
    at = 0
    for start, end in placeholders:
        while at < start:
            at = scanner.step(at)
        # After a backslash the value's first character would be taken literally, quote or not.
        escaped = at > start
        places.append(("", "after a backslash") if escaped else scanner.place())
        at = max(at, end)
    return places


def quoted_command(template: Template, text: str) -> tuple[Expr, list[tuple[Placeholder, str]]]:
    """Return the meaning of a command's template, each value quoted for its place, and the
    placeholders that no quoting makes safe, with the reason. One placeholder alone stays that
    value."""
    if not isinstance(template.expr, Text) or len(template.expr.parts) == 1:
        return template.expr, []
    holes = template.placeholders
    quoted: dict[int, Expr] = {}
    refusals: list[tuple[Placeholder, str]] = []
    places = places_in(text, [(hole.start, hole.end) for hole in holes])
    for hole, (how, refused) in zip(holes, places, strict=True):
        if refused:
            refusals.append((hole, refused))
        args = (hole.expr, Literal(value=how or "word"))
        quoted[id(hole.expr)] = Call(
            function="shell_quote", args=args, span=hole.span or hole.expr.span
        )
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
