"""The check layer: `left op right` in a CHECK caption becomes one expression (M10, M30–M34).

RESULT == SUCCESS        trim(first_line(RESULT)) == 'SUCCESS'
RESULT CONTAINS done     text(RESULT) contains 'done'
COUNT >= 3               order(COUNT, '3') >= 0
"""

from __future__ import annotations

import re

from ...diagnostics.diagnostic import Fix
from ...expr.ast import Binary, BinaryOp, Call, Expr, Literal, Name
from ...expr.parse import OPERATOR_WORDS
from ...expr.values import read_number
from ...source.spelling import Spelling
from .mermaid.placed_text import PlacedText
from .placeholders import BUILT_IN, ChartScope, constant_in

_CHECK = re.compile(
    r"(?P<left>'[^']*'|\"[^\"]*\"|[^\s=!<>~]+)\s*"
    r"(?:(?P<sign>[=!<>~]+)|(?<=\s)(?P<word>[A-Za-z_]+)(?=\s|\Z))\s*(?P<right>.*)\Z",
    re.S,
)
_OLD_FIELD = re.compile(
    r"(?:check[ _]?)?(?P<of>result|status)\s*:\s*(?P<right>\S.*)\Z", re.I | re.S
)
_OLD_NAMES = {"Result": "RESULT", "result": "RESULT", "Status": "STATUS", "status": "STATUS"}
_CURLY = "“”„‘’"
_SECOND = re.compile(
    r"(?P<first>.*?\S)\s+(?P<sign>&&|\|\||(?:and|or|AND|OR)\b)\s+(?P<left>[A-Za-z_]\w*)\s*"
    r"(?:[=!<>]{1,3}|(?:contains|matches|equals|differs)\b)",
    re.S | re.I,
)
_LONE_BRACKET = re.compile(r"(?P<word>[\w'\"][\w '\"-]{0,80})(?P<sign>[)\]}])")
_SIGN_FIRST = re.compile(r"(?P<sign>[=!<>]{1,3})\s*(?P<text>[\w'\"].*)", re.S)
EXIT_CODE = "EXIT_CODE"
"""The variable with the exit code of the last command."""
UNREADABLE = Literal(value=False)
"""What stands in for a reported check, so that reading goes on."""
_OPERATORS: dict[str, BinaryOp] = {
    "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
    "contains": "contains", "matches": "matches", **OPERATOR_WORDS,
}  # fmt: skip
_WORDS = Spelling(name.upper() for name in _OPERATORS if len(name) > 2)
_MEANT = {"=>": ">=", "=<": "<=", "!": "!=", "<>": "!=", "!==": "!=", "=!": "!="}


def read_check(caption: PlacedText, kind: str, scope: ChartScope) -> Expr:
    """Return the expression of a CHECK caption. `kind` is the id's prefix: CHECK, CHECKRESULT or
    CHECKSTATUS. A caption that is not a check is FC3006, an unknown left side FC3001."""
    old = _OLD_FIELD.match(caption.text)
    if old:
        variable = _OLD_NAMES[old["of"].lower()]
        return _equals(variable, caption.group(old, "right"), caption, scope)
    match = _CHECK.match(caption.text)
    if match is None and kind != "CHECK" and caption.text:
        variable = "STATUS" if kind == "CHECKSTATUS" else "RESULT"
        return _equals(variable, caption, caption, scope)
    if match is None or not match["right"]:
        _report_shape(caption, scope)
        return UNREADABLE
    left, right = caption.group(match, "left"), caption.group(match, "right").strip()
    sign = caption.group(match, "sign" if match["sign"] else "word")
    operator = _OPERATORS.get(sign.text.lower())
    if operator is None:
        _report_operator(sign, scope)
        return UNREADABLE
    name = left.text
    if name in _OLD_NAMES:
        name, right = _OLD_NAMES[name], _without_question_mark(right)
    known = scope.variable(name, scope.span(left))
    if constant_in(left) is not None:
        message = f"`{left.brief}` is a constant: the left side of a check is a variable"
        help = "compare RESULT, STATUS, a parameter or a variable that SET writes"
        scope.sink.report("FC3006", message, scope.span(left), help=help)
        return UNREADABLE
    if known is None and not scope.is_complete:
        return UNREADABLE
    if known is None:
        scope.sink.report(
            "FC3001",
            f"the check reads `{name}`, which nothing writes",
            scope.span(left),
            help=scope.spelling().advice(
                name, "compare RESULT, STATUS, a parameter or a variable that SET writes"
            ),
        )
        return UNREADABLE
    return _apply(known, operator, right, caption, scope)


def _equals(variable: str, right: PlacedText, caption: PlacedText, scope: ChartScope) -> Expr:
    """Return a check of the older dialects, which compare RESULT or STATUS (M10)."""
    known = scope.variable(variable, scope.span(caption))
    assert known is not None, "both are built in"
    return _apply(known, "==", _without_question_mark(right), caption, scope)


def _apply(
    left: Expr, operator: BinaryOp, right: PlacedText, caption: PlacedText, scope: ChartScope
) -> Expr:
    span = scope.span(caption)
    _check_quotes(right, scope)
    _check_second(right, scope)
    if operator != "matches":
        _check_slips(right, scope)
    value = scope.look_up(right)
    if value is None:
        value = scope.literal(right)
    _check_sides(left, operator, value, caption, scope)
    if operator in ("==", "!="):
        first = Call(function="first_line", args=(left,))
        return Binary(op=operator, left=first, right=_trim(value), span=span)
    if operator in ("contains", "matches"):
        return Binary(op=operator, left=left, right=value, span=span)
    order = Call(function="order", args=(left, _trim(value)))
    return Binary(op=operator, left=order, right=Literal(value=0), span=span)


def _check_sides(
    left: Expr, operator: BinaryOp, value: Expr, caption: PlacedText, scope: ChartScope
) -> None:
    """Warn of a value that is compared with itself, and of an exit code with a text."""
    if not isinstance(left, Name):
        return
    if isinstance(value, Name) and value.name == left.name:
        message = f"`{left.name}` is compared with itself"
        help = "write what it is compared with; a constant stands in quotes"
    elif left.name == EXIT_CODE and isinstance(value, Literal) and operator != "matches":
        if read_number(value.value) is not None:
            return
        message, help = f"`{EXIT_CODE}` is a number, never `{value.value}`", "write a number"
    else:
        return
    span = scope.span(caption)
    scope.sink.report("FC3006", message, span, severity="warning", help=help)


def _check_quotes(right: PlacedText, scope: ChartScope) -> None:
    """Warn of a constant with one quotation mark: the mark would be part of the value."""
    for sign in "'\"":
        first, last = right.text[:1] == sign, right.text[-1:] == sign
        if right.text.count(sign) == 1 and first != last:
            message = f"the text has one `{sign}`, which is part of it"
            help = f"write `{sign}` at its {'end' if first else 'beginning'} too"
            scope.sink.report("FC3006", message, scope.span(right), severity="warning", help=help)


def _check_second(right: PlacedText, scope: ChartScope) -> None:
    """Warn of a second comparison: what stands behind an operator is one text."""
    second = _SECOND.match(right.text)
    if second is not None and (scope.has(second["left"]) or second["left"] in BUILT_IN):
        sign = second["sign"]
        message = f"a check is one comparison: all behind `{sign}` is part of the text"
        help = "decide in two activities, one behind the other"
        place = scope.span(right.group(second, "sign"))
        scope.sink.report("FC3006", message, place, severity="warning", help=help)


def _check_slips(right: PlacedText, scope: ChartScope) -> None:
    """Warn of curly quotes around a constant, and of a word with a bracket that has no partner:
    both would be part of the value."""
    if right.text and (right.text[0] in _CURLY or right.text[-1] in _CURLY):
        message, meant = "curly quotes are part of the text", f'"{right.text.strip(_CURLY)}"'
    elif second := _SIGN_FIRST.match(right.text):
        message, meant = f"`{second['sign']}` is part of the text", second["text"]
    elif right.text.endswith("?") and " " not in right.text and right.text[:1] not in "'\"":
        message, meant = "the question mark is part of the text", right.text[:-1]
    elif slip := _LONE_BRACKET.fullmatch(right.text):
        message, meant = f"`{slip['sign']}` has no partner and is part of the text", slip["word"]
    else:
        return
    span = scope.span(right)
    scope.sink.report("FC3006", message, span, severity="warning", help=f"write `{meant}`")


def _trim(value: Expr) -> Expr:
    if isinstance(value, Literal) and isinstance(value.value, str):
        return Literal(value=value.value.strip(), span=value.span)
    return Call(function="trim", args=(value,), span=value.span)


def _without_question_mark(text: PlacedText) -> PlacedText:
    """Drop the question mark that ends a check in the older dialects (M10)."""
    return text[: len(text.text) - 1].strip() if text.text.endswith("?") else text.strip()


def _report_shape(caption: PlacedText, scope: ChartScope) -> None:
    what = f"`{caption.brief}` is not a check" if caption.text else "the check is empty"
    help = "write a variable, an operator and a value, as in `{RESULT == SUCCESS}`"
    scope.sink.report("FC3006", what, scope.span(caption), help=help)


def _report_operator(sign: PlacedText, scope: ChartScope) -> None:
    span, fix = scope.span(sign), None
    if sign.text in _MEANT:
        help = f"did you mean `{_MEANT[sign.text]}`?"
    elif sign.text in ("=", "==="):
        help, fix = "write `==`", Fix("write `==`", span, "==", safe=True)
    else:
        known = "==, !=, <, <=, >, >=, EQUALS, DIFFERS, CONTAINS, MATCHES, LESS, GREATER"
        help = _WORDS.advice(sign.text.upper(), f"one of {known}")
    scope.sink.report("FC3006", f"`{sign.brief}` is not an operator", span, help=help, fix=fix)
