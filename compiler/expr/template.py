r"""Templates: a text in which `{{ expression }}` stands for a value.

    Dear {{ who }},            ->   Text("Dear ", Name("who"), ",")
    {{ score > 3 }}            ->   Binary(">", …): nothing but one placeholder is its value itself
    write \{{ for the braces   ->   Literal("write {{ for the braces")

A backslash directly before `{{` makes it plain text, two are one backslash before a placeholder.
"""

from __future__ import annotations

import re

from ..source.records import dataclass
from ..source.source import Span
from .ast import Expr, Literal, Text
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
