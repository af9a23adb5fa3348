"""What stands in a flowchart's captions and prompts: expressions turned back into their text.

first_line(RESULT) == 'YES'     RESULT == YES
Text('Greet ', WHO)             Greet {{WHO}}
read_file('notes.md')           file:notes.md
"""

from __future__ import annotations

import re
from collections.abc import Set

from ..expr.ast import Binary, Call, Expr, Literal, Name, Text
from ..source.records import dataclass

UNSAID = "…"
"""What stands for an expression that the format has no words for; no check or value reads it."""

_ORDERS = {"<", "<=", ">", ">="}
_FOUND = {"contains": "CONTAINS", "matches": "MATCHES"}
_PREFIX = re.compile(r"\s*(?:Prompt|Assign|Set|Check|Execute|Ask|Call)\s*:", re.I)
_PLAIN = re.compile(r"[\w'][\w .,:=<>!?'-]*\Z")
_ENTITY = re.compile(r"#(?=\w+;)")
_EASY_DEFAULT = re.compile(r"(?!env:|file:)[^\s'\",\\](?:[^'\",\\\n]*[^\s'\",\\])?\Z")
_FENCE = re.compile(r"[ ]{0,3}(?P<mark>`{3,}|~{3,})")
_STRUCTURE = re.compile(r"#[ \t]|##[ \t]+(?:System|User|Assistant)(?!\w)|[ \t]*!INCLUDE(?!\S)")
LONGEST_NAME = 100
"""Longer texts are never looked up (M21)."""


@dataclass(frozen=True, slots=True)
class Words:
    """Writes expressions. `names` are those that a text would be looked up as: a text that is one
    of them by accident has to stand in quotes."""

    names: frozenset[str]

    def template(self, expr: Expr) -> str:
        """A text with `{{NAME}}` placeholders (M23)."""
        match expr:
            case Literal():
                return "" if expr.value is None else str(expr.value)
            case Name():
                return f"{{{{{expr.name}}}}}"
            case Call(function="coalesce", args=(Name(name=name), Literal())):
                return f"{{{{{name}}}}}"
            case Call(function="shell_quote", args=(value, *_)):
                return self.template(value)
            case Text():
                return "".join(self.template(part) for part in expr.parts)
            case _:
                return UNSAID

    def prompt(self, expr: Expr) -> str:
        """A text below a prompt's heading. A line that would be read as a heading of the document
        or as an include is moved by one blank."""
        lines: list[str] = []
        fence = ""
        for line in self.template(expr).strip().split("\n"):
            if fence:
                closes = re.match(rf"[ \t]{{0,3}}{re.escape(fence)}{fence[0]}*[ \t]*\r?\Z", line)
                fence = "" if closes else fence
            elif opens := _FENCE.match(line):
                fence = opens["mark"]
            elif _STRUCTURE.match(line):
                line = f" {line.lstrip()}" if line.startswith("#") else f"\\{line.lstrip()}"
            lines.append(line)
        return "\n".join(lines)

    def value(self, expr: Expr, *, bare: bool = True) -> str:
        """What a name stands for: a variable, a file's content or a constant (M21, M22). Without
        `bare` every constant stands in quotes."""
        match expr:
            case Name():
                return expr.name
            case Call(function="read_file", args=(Literal(value=str(path)),)):
                return f"file:{path}"
            case Literal() | Text():
                text = self.template(expr)
                return text if bare and self._is_bare(text) else f"'{text}'"
            case _:
                return UNSAID

    def check(self, expr: Expr) -> str:
        """The caption of a CHECK (M30–M34)."""
        match expr:
            case Binary(op="==" | "!=", left=Call(function="first_line", args=(Name(name=v),))):
                return f"{v} {expr.op} {self._without_trim(expr.right)}"
            case Binary(op="contains" | "matches", left=Name(name=v)):
                return f"{v} {_FOUND[expr.op]} {self._operand(expr.right)}"
            case Binary(left=Call(function="order", args=(Name(name=v), right))) if (
                expr.op in _ORDERS
            ):
                return f"{v} {expr.op} {self._without_trim(right)}"
            case _:
                return UNSAID

    def _without_trim(self, expr: Expr) -> str:
        if isinstance(expr, Call) and expr.function == "trim":
            return self._operand(expr.args[0])
        return self._operand(expr)

    def _operand(self, expr: Expr) -> str:
        text = self.value(expr)
        return text or "''"

    def _is_bare(self, text: str) -> bool:
        if text != text.strip() or text[:1] in ("'", '"') or text.startswith("file:"):
            return False
        return len(text) > LONGEST_NAME or " ".join(text.split()) not in self.names


def default_text(value: object) -> str:
    """A parameter's default in the list of parameters (M20)."""
    text = str(value)
    if _EASY_DEFAULT.match(text):
        return text
    return f"'{text}'" if "'" not in text else f'"{text}"'


def caption(text: str, opening: str = "[", closing: str = "]", prefix: str = "") -> str:
    """A caption in its shape. `prefix` is the word in front that the eye sees (M13)."""
    if not prefix and _PREFIX.match(text):
        prefix = "Set: "
    text = prefix + text
    if _PLAIN.match(text) and text == text.rstrip():
        return f"{opening}{text}{closing}"
    return f'{opening}"{quote_label(text)}"{closing}'


def quote_label(text: str) -> str:
    """A text between double quotes, as mermaid decodes it."""
    text = _ENTITY.sub("#35;", text).replace('"', "#quot;")
    if text.startswith("`") and text.endswith("`"):
        text = "#96;" + text[1:]
    return text.replace("\n", "<br>")


def free_name(wanted: str, taken: Set[str]) -> str:
    """The name, with a number behind it when it is taken."""
    if wanted not in taken:
        return wanted
    return next(n for i in range(2, len(taken) + 3) if (n := f"{wanted}_{i}") not in taken)
