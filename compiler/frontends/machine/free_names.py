"""Names in a machine's code that nothing declares, and methods of other languages.

    len(lastAgentResponse) > 0        lastAgentResponse.length
    data.topic                        common_data.topic
    common_data[topic]                common_data.topic
    reply.strip()                     trim()

In JavaScript each of them ends the run where it is read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Set

from ...diagnostics.diagnostic import Fix, Sink
from ...reading.tree import Scalar
from ...source.spelling import Spelling
from .document import RESERVED

_COMMENT = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/"
_REGEX = (
    r"(?:\A|(?<=[(,=:&|!?{};\[\n])|(?<=\breturn))[ \t]*+/(?![/*])"
    r"(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/\w*+"
)
_TEXT = r"'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\""
_TOKEN = re.compile(
    rf"(?P<comment>{_COMMENT})|(?P<text>{_TEXT})|(?P<template>`(?:[^`\\]|\\.)*+`)|(?P<regex>{_REGEX})",
    re.S,
)
"""What is not code, or may hold some: told apart in one pass, as each may hold signs of others."""
_IN_TEMPLATE = re.compile(r"(\$\{[^{}]*\})|[^$]+|\$", re.S)
_NAME = re.compile(r"(?<![\w$.#])(?<!\.\s)[A-Za-z_$][\w$]*+")
_KEY = re.compile(r"[{,]\s*\Z")
_BOUND = re.compile(
    r"\b(?:let|const|var|function|class|catch\s*+\()\s*+\*?\s*+([A-Za-z_$][\w$]*+)"
    r"|(?<![\w$])([A-Za-z_$][\w$]*+)\s*+=>"
    r"|(?<!\bif)(?<!\bif )(?<!\bwhile)(?<!\bwhile )(?<!\bswitch)(?<!\bswitch )"
    r"\(((?:[^()]|\([^()]{0,200}\)){0,500}+)\)\s*+(?:=>|\{)"
    r"|\b(?:let|const|var)\s*+[\[{]([^;]{0,300}?)[\]}]\s*+=(?!=)"
)
WORDS = frozenset((
    "await", "async", "break", "case", "catch", "class", "const", "continue", "debugger",
    "default", "delete", "do", "else", "export", "extends", "false", "finally", "for", "from",
    "function", "get", "if", "import", "in", "instanceof", "let", "new", "null", "of", "return",
    "set", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "undefined",
    "var", "void", "while", "with", "yield", "arguments", "common_data", "last_response",
    "lastAgentResponse", "workflow_contexts", "input", "getToolCalls", "Array", "ArrayBuffer",
    "BigInt", "Boolean", "DataView", "Date", "Error", "EvalError", "Float32Array",
    "Float64Array", "Function", "Infinity", "Int16Array", "Int32Array", "Int8Array", "Intl",
    "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError",
    "ReferenceError", "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError",
    "TypeError", "URIError", "Uint16Array", "Uint32Array", "Uint8Array", "WeakMap", "WeakSet",
    "console", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape",
    "eval", "globalThis", "isFinite", "isNaN", "parseFloat", "parseInt", "unescape",
))  # fmt: skip
"""What code can read without declaring it."""
_OTHER_WORDS = {
    "and": "&&", "or": "||", "not": "!", "True": "true", "False": "false", "None": "null",
    "nil": "null", "len": ".length", "str": "String", "int": "Number", "float": "Number",
    "print": "console.log", "self": "this", "elif": "else if",
}  # fmt: skip
_OTHER_METHODS = {
    "strip": "trim", "contains": "includes", "lower": "toLowerCase", "upper": "toUpperCase",
    "len": "length", "append": "push", "startswith": "startsWith", "endswith": "endsWith",
    "has_key": "hasOwnProperty", "isEmpty": "length", "equals": "===", "size": "length",
    "length": "length", "count": "length",
}  # fmt: skip
_METHOD = re.compile(r"(?<=[\w)\]])\.(\w+)\s*\(")
_SIZE = re.compile(r"(?<=[\w)\]])\.(size|count)\b(?!\s*[(=])")
OTHER_DATA = re.compile(r"(?<![\w$.-])(?!common_data\b)common[-_]?data(?=\.[A-Za-z_]\w)", re.I)
"""`common_data` in other letters."""
_SPELLING = Spelling((*RESERVED, "getToolCalls"))


@functools.lru_cache(maxsize=512)
def plain_code(text: str) -> str:
    """Return code with blanks for its strings, comments and regular expressions."""
    return _TOKEN.sub(lambda part: " " * len(part[0]), text)


def without_comments(text: str) -> str:
    """Return code with blanks for its comments."""
    return _TOKEN.sub(lambda m: " " * len(m[0]) if m["comment"] else m[0], text)


def code_and_holes(text: str) -> str:
    """Return code with blanks for its strings, comments and regular expressions, but not for what
    is computed inside of a template."""
    return _TOKEN.sub(lambda m: holes_of(m[0]) if m["template"] else " " * len(m[0]), text)


def holes_of(template: str) -> str:
    """Return a template with blanks for what is not computed in it."""
    return _IN_TEMPLATE.sub(lambda m: m[1] or " " * len(m[0]), template)


def check_free_names(text: Scalar, fields: Set[str], sink: Sink) -> None:
    """Warn of what code reads and nothing declares. `fields` are those of `common_data`."""
    if re.fullmatch(r"\s*[\w$]+\s*", text.text):
        return  # a function of the script
    plain = OTHER_DATA.sub(lambda part: " " * len(part[0]), plain_code(text.text))
    bound = local_names(plain)
    for match in _NAME.finditer(plain):
        name = match[0]
        behind = plain[match.end() : match.end() + 40].lstrip()
        before = plain[max(0, match.start() - 40) : match.start()]
        is_key = behind.startswith(":") and _KEY.search(before)
        if name in WORDS or name in bound or is_key or behind.startswith("=>"):
            continue
        span = text.at(*match.span())
        meant, fix = _correction(name, fields), None
        if meant is not None and meant.isidentifier():
            fix = Fix(f"write `{meant}`", span, meant)
        help = f"did you mean `{meant}`?" if meant else "declare it, or write the name of a field"
        message = f"nothing is called `{name}`"
        sink.report("FC3001", message, span, severity="warning", help=help, fix=fix)


def check_methods(text: Scalar, fields: Set[str], sink: Sink) -> None:
    """Warn of methods that texts and lists have in other languages."""
    plain = plain_code(text.text)
    for start, end, name in _foreign_methods(plain, fields):
        meant, span = _OTHER_METHODS[name], text.at(start, end)
        message = (
            f"texts and lists have no `{name}()`"
            if plain[end : end + 1] == "("
            else (f"texts and lists have no `{name}`")
        )
        help = f"did you mean `{meant}`?"
        sink.report("FC3001", message, span, severity="warning", help=help)


def _foreign_methods(plain: str, fields: Set[str]) -> Iterator[tuple[int, int, str]]:
    for match in _METHOD.finditer(plain):
        if match[1] in _OTHER_METHODS and match[1] not in fields:
            yield *match.span(1), match[1]
    if not re.search(r"\b(?:Map|Set)\b", plain):
        for match in _SIZE.finditer(plain):
            of = plain.endswith(("lastAgentResponse", ")"), 0, match.start())
            if of and match[1] not in fields:
                yield *match.span(1), match[1]


def local_names(plain: str) -> set[str]:
    """Return the names that code declares: variables, parameters, functions."""
    names: set[str] = set()
    for match in _BOUND.finditer(plain):
        names |= {name for part in match.groups() if part for name in re.findall(r"[\w$]+", part)}
    for several in re.finditer(r"\b(?:let|const|var)\b([^;\n]*)", plain):
        names |= set(re.findall(r"(?:^|,)\s*([A-Za-z_$][\w$]*)", several[1]))
    return names


def _correction(name: str, fields: Set[str]) -> str | None:
    if name in _OTHER_WORDS:
        return _OTHER_WORDS[name]
    if name in fields:
        return f"common_data.{name}"
    if name in ("data", "commonData", "state", "vars", "variables", "context", "memory"):
        return "common_data"
    return _SPELLING.nearest(name) or (
        f"common_data.{near}" if (near := Spelling(fields).nearest(name)) else None
    )
