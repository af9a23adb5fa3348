"""Assertions that are nearly expressions: they go to the model as prose, and nothing measures
them, though whoever wrote them meant a measurement."""

from __future__ import annotations

import re
from collections.abc import Set

from ...diagnostics.diagnostic import Fix, Sink
from ...expr.ast import Binary, Expr, Field, ListOf, Name
from ...expr.functions import FUNCTIONS
from ...expr.parse import ParseFault, parse
from ...expr.walk import names_read
from ...source.source import Source, Span
from ...source.spelling import Spelling
from .model import Located
from .repairs import Correction, repair_of

_METHOD = r"\.(?:contains|includes|starts_?[wW]ith|ends_?[wW]ith|match(?:es)?|test)\("
_BEGINNING = re.compile(
    r"`?(?P<stars>\*{0,2})\$?\{{0,2}[ ]?(?P<name>[A-Za-z_]\w*)"
    rf"(?P<path>(?:(?!{_METHOD})\.\w+|\[[^\]\s]*\]?)*)(?P<method>{_METHOD})?"
    r"[ ]?\}{0,2}(?P=stars)[ \t]*"
)
_LEAD = re.compile(
    r"(?:(?:assert|if|ensure|verify|expect)(?: that)?|\[[ xX]\]) (?:[`*]{0,2}(?:not[ ]+|\(+)+)?"
    r"|[`*]{0,2}(?:(?:not[ ]+|\(+)+"
    r"|(?P<value>(?:-?\d[\d.]*|\"[^\"]*\")[ \t]*[=!<>≤≥≠]+[ \t]*))"
)
"""What may stand before a name: a word of another language, `not`, brackets, or a value that it is
compared with."""
_MORE = re.compile(r"^(?:\.\w+|\[\d+\])+")
"""The rest of a path, behind an element in round brackets."""
_CALL = re.compile(r"[`*]{0,2}(?P<name>[a-z_]\w*)\(")
_SIGN = re.compile(r"=~|~=|[:?~]?[=!<>≤≥≠]+|~|&[lg]t;|\?\?|\?(?=[^?:]{1,80}:)")
_SUM = re.compile(r"[-+*/%][ \t]*[\w.]+[ \t]*(?=[=!<>≤≥≠])")
_COMPARED = re.compile(r"(?:-?\d[\d.]*|\"[^\"]*\")[ \t]*[=!<>≤≥≠]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_WORD = re.compile(r"(?:not )?([a-z]+)(?: with)?(?P<rest>.*)", re.DOTALL)
_PHRASE = re.compile(
    r"((?:(?:is|are|should|must|shall|has to|be) ){0,2}(?P<core>(?:not )?equals?(?: to)?"
    r"|not(?= )|(?:greater|more|bigger|larger|higher) than|(?:less|smaller|fewer|lower) than"
    r"|at least|at most)|(?:should|must|shall|has to) be|(?:does|do) not (?:contain|include))"
    r"(?= )(?P<rest>.*)",
    re.DOTALL,
)
_VALUE = re.compile(r"[`*]*[ \t]*(?:$|[\"'“‘\d\[-]|(?:true|false|null)\b|[A-Z_]{2,60}$|[^\"]*\"$)")
_RANGE = re.compile(r"(?:is )?between -?\d[\d.]* and -?\d")
_STATE = re.compile(r"is (?:not )?(?:None|null|nil|undefined|defined|empty)$")
_ASKED = re.compile(_METHOD)
_ONE_WORD = re.compile(r"(?:contains|includes|(?:starts|ends) with) +[^\s\"']+$")
_FORMS = (_SIGN, _SUM, _COMPARED, _RANGE, _STATE, _ASKED, _ONE_WORD)
"""What behind a name no sentence has."""
_WORDS = Spelling(("contains", "exists", "matches", "starts", "ends"))
_SIGNS = {
    "=": "==",
    ":=": "==",
    "?=": "==",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "=!": "!=",
    "=~": "matches",
    "~=": "matches",
    "&gt;": ">",
    "&lt;": "<",
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
    spelling = Spelling(known)
    rest = _behind_name(item.text, known, spelling)
    if rest is None:
        rest = _behind_call(item.text, known)
    if rest is not None and not _compares(rest):
        rest = None
    read = parse(item.text, source.path, item.span.start)
    if isinstance(read, ParseFault) or (isinstance(read, ListOf) and len(read.items) == 1):
        written = source.text[item.span.start : item.span.end]
        repair = None if rest is not None and _operator(rest)[1] else repair_of(written, known)
        if repair and (repair.text or rest is None):
            _report_repair(item, repair, sink)
        elif rest is not None and isinstance(read, ParseFault):
            _report_fault(item, rest, read, source, sink)
    elif rest is not None or _is_sign_before_known(read, known):
        _report_names(read, spelling, sink)


def report_list(read: Expr, variables: Set[str], sink: Sink) -> None:
    """Warn of a variable in brackets, as it stands in a description: here that is a list."""
    if not isinstance(read, Binary) or not isinstance(read.right, ListOf):
        return
    items, span = read.right.items, read.right.span
    if len(items) == 1 and isinstance(items[0], Name) and items[0].name in variables and span:
        name = items[0].name
        if read.op == "in":
            return
        help = f"write `{name}`"
        message = f"`[{name}]` is a list here, with the variable's value in it"
        fix = Fix(help, span, name)
        sink.report("FC3006", message, span, severity="warning", help=help, fix=fix)


def _behind_name(text: str, known: Set[str], spelling: Spelling) -> str | None:
    """Return what stands behind the name and its fields that an assertion begins with; None where
    it does not begin with one of the known names, or with a slip of one."""
    lead = _LEAD.match(text)
    begun = _BEGINNING.match(text, lead.end() if lead else 0)
    if begun is None:
        return None
    name, rest = begun["name"], text[begun.end() :]
    if begun["method"]:
        rest = text[begun.start("method") :]
    elif rest.startswith("(") and begun["path"]:
        rest = (
            rest[1:].lstrip() if ")" not in rest else _MORE.sub("", rest.partition(")")[2]).lstrip()
        )
    is_path = begun["path"].startswith(".") and _SIGN.match(rest)
    if name not in known and not is_path and not (begun["path"] and spelling.nearest(name)):
        return None
    return text[lead.start("value") :] if lead and lead["value"] else rest.lstrip(") ")


def _behind_call(text: str, known: Set[str]) -> str | None:
    """Return what stands behind the call of a function that an assertion begins with, or the sign
    in it where the call has no end; None without a call over one of the known names."""
    lead = _LEAD.match(text)
    call = _CALL.match(text, lead.end() if lead and lead["value"] is None else 0)
    if call is None or call["name"] not in FUNCTIONS or known.isdisjoint(_NAME.findall(text)):
        return None
    depth = 0
    for at in range(call.end() - 1, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return text[at + 1 :].lstrip(") ")
    sign = _SIGN.search(text, call.end())
    return text[sign.start() :] if sign else None


def _compares(rest: str) -> bool:
    if any(form.match(rest) for form in _FORMS):
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
    if _STATE.match(rest) or _ASKED.match(rest):
        return "", None
    if phrase := _PHRASE.match(rest):
        return phrase[1], next(sign for words, sign in _MEANINGS if words in phrase[1])
    word = _WORD.match(rest)
    return (word[1], _meant_word(word[1])) if word else ("", None)


def _report_fault(item: Located, rest: str, fault: ParseFault, source: Source, sink: Sink) -> None:
    at = item.span.start + item.text.index(rest) if rest else item.span.start
    written, meant = _operator(rest)
    span, fix = fault.span, None
    if meant:
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


def _is_sign_before_known(read: Expr, known: Set[str]) -> bool:
    """Whether a word is compared by a sign with a field of something known, as no sentence does."""
    match read:
        case Binary(op="==" | "!=" | "<" | "<=" | ">" | ">=", left=Name(), right=Field() as field):
            return all(name.name in known for name in names_read(field))
        case _:
            return False


def _report_repair(item: Located, repair: Correction, sink: Sink) -> None:
    write = f"write `{repair.text}`"
    sink.report(
        "FC3006",
        f"this is not an expression, so nothing measures it: {repair.message}",
        item.span,
        severity="warning",
        help=write if repair.text else "write what it is compared with",
        fix=Fix(write, item.span, repair.text) if repair.text else None,
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
