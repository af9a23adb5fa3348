"""Assertions that are nearly expressions: they go to the model as prose, and nothing measures
them, though whoever wrote them meant a measurement."""

from __future__ import annotations

import re
from collections.abc import Set

from ...diagnostics.diagnostic import Fix, Sink
from ...expr.ast import Expr
from ...expr.parse import ParseFault, parse
from ...expr.walk import names_read
from ...source.source import Source, Span
from ...source.spelling import Spelling
from .model import Located

_BEGINNING = re.compile(r"[`*]{0,2}(?P<name>[A-Za-z_]\w*)(?P<path>(?:\.\w+|\[[^\]\s]*\]?)*)[ \t]*")
_SIGN = re.compile(r"[=!<>≤≥≠]+")
_WORD = re.compile(r"(?:not )?([a-z]+)(?: with)?(?P<rest>.*)", re.DOTALL)
_PHRASE = re.compile(
    r"((?:(?:is|are|should|must|shall|has to|be) ){0,2}(?P<core>(?:not )?equals?(?: to)?"
    r"|not(?= )|(?:greater|more|bigger|larger|higher) than|(?:less|smaller|fewer|lower) than"
    r"|at least|at most)|(?:should|must|shall|has to) be|(?:does|do) not (?:contain|include))"
    r"(?= )(?P<rest>.*)",
    re.DOTALL,
)
_VALUE = re.compile(r"[`*]*[ \t]*(?:$|[\"'“‘\d\[-]|(?:true|false|null)\b|[A-Z_]{2,60}$|[^\"]*\"$)")
_CURLY = re.compile("[“”„‘’]")
_WORDS = Spelling(("contains", "exists", "matches", "starts", "ends"))
_SIGNS = {
    "=": "==",
    "===": "==",
    "!==": "!=",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}
_OTHER_WORDS = {"is": "==", "includes": "contains", "contain": "contains", "include": "contains"}
_MEANINGS = (
    ("not equal", "!="),
    ("do not", "not contains"),
    ("does not", "not contains"),
    ("least", ">="),
    ("most", "<="),
    ("less", "<"),
    ("smaller", "<"),
    ("fewer", "<"),
    ("lower", "<"),
    (" than", ">"),
    ("not", "!="),
    ("", "=="),
)
"""What a phrase means: of those that stand in it the first."""


def report_nearly(item: Located, known: Set[str], source: Source, sink: Sink) -> None:
    """Warn of an assertion that begins like an expression over one of the `known` names and is not
    one. What a person would read as a sentence is left alone."""
    begun = _BEGINNING.match(item.text)
    if begun is None:
        return
    name, rest = begun["name"], item.text[begun.end() :]
    if rest.startswith("(") and begun["path"] and ")" not in rest:
        rest = rest[1:].lstrip()
    spelling = Spelling(known)
    if name not in known and not (begun["path"] and spelling.nearest(name)):
        return
    if not _compares(rest):
        return
    start = item.span.start
    read = parse(item.text, source.path, start)
    if isinstance(read, ParseFault):
        _report_fault(item, rest, read, source, sink)
    else:
        _report_names(read, spelling, sink)


def _compares(rest: str) -> bool:
    if _SIGN.match(rest):
        return True
    if phrase := _PHRASE.match(rest):
        return _VALUE.match(phrase["rest"].lstrip()) is not None
    word = _WORD.match(rest)
    if word is None:
        return False
    near = word[1] in _WORDS or _meant_word(word[1]) is not None
    return near and _VALUE.match(word["rest"].lstrip()) is not None


def _meant_word(word: str) -> str | None:
    return _OTHER_WORDS.get(word) or _WORDS.nearest(word)


def _operator(rest: str) -> tuple[str, str | None]:
    """Return what stands where the operator of an expression does, and the operator meant."""
    if sign := _SIGN.match(rest):
        return sign[0], _SIGNS.get(sign[0])
    if phrase := _PHRASE.match(rest):
        return phrase[1], next(sign for words, sign in _MEANINGS if words in phrase[1])
    word = _WORD.match(rest)
    return (word[1], _meant_word(word[1])) if word else ("", None)


def _report_fault(item: Located, rest: str, fault: ParseFault, source: Source, sink: Sink) -> None:
    at = item.span.start + item.text.index(rest) if rest else item.span.start
    written, meant = _operator(rest)
    span, fix = fault.span, None
    curly = _CURLY.search(rest)
    if curly and not meant:
        text = _CURLY.sub('"', rest)
        span = Span(source.path, at, at + len(rest))
        fix, meant = Fix(f"write `{text}`", span, text), text
    elif meant:
        at += rest.index(written)
        span = Span(source.path, at, at + len(written))
        fix = Fix(f"write `{meant}`", span, meant)
    sink.report(
        "FC3006",
        f"this is not an expression, so nothing measures it: {fault.message}",
        span,
        severity="warning",
        help=f"did you mean `{meant}`?" if meant else fault.help or "correct it",
        fix=fix,
    )


def _report_names(read: Expr, spelling: Spelling, sink: Sink) -> None:
    for name in names_read(read):
        if name.name in spelling or name.span is None:
            continue
        near = spelling.nearest(name.name)
        sink.report(
            "FC3001",
            f"`{name.name}` names no variable, so nothing measures this assertion",
            name.span,
            severity="warning",
            help=f"did you mean `{near}`?" if near else f'write a text in quotes: `"{name.name}"`',
            fix=Fix(f"write `{near}`", name.span, near) if near else None,
        )
