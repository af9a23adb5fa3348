r"""Templates: a text in which `{{ expression }}` stands for a value.

    Dear {{ who }},            ->   Text("Dear ", Name("who"), ",")
    {{ score > 3 }}            ->   Binary(">", …): nothing but one placeholder is its value itself
    write \{{ for the braces   ->   Literal("write {{ for the braces")

A backslash directly before `{{` makes it plain text, two are one backslash before a placeholder.

In a shell command each value is quoted for the place where it stands:

    git log {{BRANCH}}            a word of its own
    echo "on {{BRANCH}}"          inside double quotes
    echo $(date +'{{FORMAT}}')    inside single quotes, in a substitution

A value never becomes part of the command's own syntax. In some places no quoting achieves that
(a here-document, arithmetic, backticks, a comment): there a placeholder is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import field, replace

from ..source.records import dataclass
from ..source.source import Span
from .ast import Call, Expr, Literal, Text
from .parse import ParseFault, parse
from .show import show

_BRACES = re.compile(r"(\\*+)(\{{2,}+)")
_END = re.compile(r"(\\*+)(\{*+)\Z")
_TOKEN = re.compile(r"""\"(?:[^\"\\\r\n]|\\[^\r\n])*+\"|'(?:[^'\\\r\n]|\\[^\r\n])*+'|[\[({\])}]""")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Where `{{ … }}` stands, braces included, and what it holds. `span` is its place in the file
    where the expression's own is not enough."""

    start: int
    end: int
    expr: Expr
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A text taken apart: `expr` is what it means; all places count from the text's beginning."""

    expr: Expr
    placeholders: tuple[Placeholder, ...]
    faults: tuple[ParseFault, ...]


def read_template(text: str) -> Template:
    """Return the template in `text`. A placeholder that does not parse is a fault without a
    value."""
    parts: list[Expr] = []
    placeholders: list[Placeholder] = []
    faults: list[ParseFault] = []
    plain, at, begun = "", 0, 0
    while (braces := _BRACES.search(text, at)) is not None:
        slashes, inner = len(braces[1]), braces.end()
        plain += text[at : braces.start()] + "\\" * (slashes // 2)
        if slashes % 2:
            plain, at = plain + braces[2], inner
            continue
        plain += braces[2][2:]
        end = _closing(text, inner)
        if end is None:
            faults.append(_not_closed(inner))
            at = len(text)
            break
        at = end + 2
        read = parse(text[inner:end], "", inner)
        if isinstance(read, ParseFault):
            faults.append(read)
            continue
        if plain:
            parts.append(Literal(value=plain, span=Span("", begun, inner - 2)))
        plain, begun = "", at
        parts.append(read)
        placeholders.append(Placeholder(inner - 2, at, read))
    plain += text[at:]
    return Template(_whole(parts, plain, begun, len(text)), tuple(placeholders), tuple(faults))


def show_template(expr: Expr) -> str:
    """Return the text that `read_template` reads as the same expression."""
    if isinstance(expr, Literal) and isinstance(expr.value, str):
        return _plain(expr.value)
    if not isinstance(expr, Text) or len(expr.parts) < 2:
        return show_placeholder(expr)
    return show_parts(expr.parts)


def show_parts(parts: tuple[Expr, ...]) -> str:
    """Return the template of several parts. A text next to a text gets its own placeholder."""
    written, after_text = "", False
    for number, part in enumerate(parts, start=1):
        text = part.value if isinstance(part, Literal) else None
        after_text = isinstance(text, str) and text != "" and not after_text
        if not after_text or not isinstance(text, str):
            written += show_placeholder(part)
        elif number == len(parts):
            written += _plain(text)
        else:
            end = _END.search(text)
            assert end is not None, "the pattern matches nothing at all as well"
            written += _plain(text[: end.start()]) + end[1] * 2 + end[2]
    return written


def show_placeholder(expr: Expr) -> str:
    """Return the expression as a placeholder."""
    return f"{{{{ {show(expr)} }}}}"


def _whole(parts: list[Expr], plain: str, begun: int, length: int) -> Expr:
    if not parts:
        return Literal(value=plain, span=Span("", 0, length))
    if plain:
        parts.append(Literal(value=plain, span=Span("", begun, length)))
    return parts[0] if len(parts) == 1 else Text(parts=tuple(parts), span=Span("", 0, length))


def _not_closed(inner: int) -> ParseFault:
    help = "write `}}` behind the expression, or `\\{{` for the characters themselves"
    return ParseFault("`{{` is not closed", Span("", inner - 2, inner), help)


def _plain(text: str) -> str:
    return _BRACES.sub(lambda m: m[1] * 2 + "\\" + m[2], text)


def _closing(text: str, at: int) -> int | None:
    """Return where the `}}` stands that closes the placeholder whose expression begins at `at`."""
    opened: list[str] = []
    for token in _TOKEN.finditer(text, at):
        sign = token[0]
        if sign in "[({":
            opened.append(sign)
        elif opened and (sign in "])" or (sign == "}" and opened[-1] == "{")):
            opened.pop()
        elif sign == "}" and text.startswith("}}", token.start()):
            return token.start()
    return None


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


def quoted_address(template: Template, *, beginning: bool = False) -> Expr:
    """Return the meaning of a URL's template, each value quoted as a part of a path or query; with
    `beginning` the first one, which the URL begins with, stays as it is."""
    if not isinstance(template.expr, Text) or len(template.expr.parts) == 1:
        return template.expr
    quoted: dict[int, Expr] = {
        id(hole.expr): Call(
            function="url_quote", args=(hole.expr,), span=hole.span or hole.expr.span
        )
        for hole in template.placeholders[int(beginning) :]
    }
    parts = tuple(quoted.get(id(part), part) for part in template.expr.parts)
    return replace(template.expr, parts=parts)


def unquoted_parts(command: Text) -> tuple[Expr, ...]:
    """Return the parts of a command or URL without the quoting that `quoted_command` and
    `quoted_address` add."""
    return tuple(_inner(part) for part in command.parts)


def _inner(part: Expr) -> Expr:
    match part:
        case Call(function="shell_quote", args=(inner, Literal(value=str()))):
            return inner
        case Call(function="url_quote", args=(inner,)):
            return inner
        case _:
            return part
