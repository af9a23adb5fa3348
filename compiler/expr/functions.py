"""The functions of expressions, one row each; here those of any value, of replies and of shells."""

from __future__ import annotations

import re
import shlex
from urllib.parse import quote

from ..source.spelling import Spelling
from .documents import read_json, read_yaml
from .function import Function, Parameter, Type, of_object
from .function import text as text_parameter
from .function_lists import LISTS
from .function_texts import TEXTS
from .times import TIMES
from .values import EvaluationError, Json, json_text, kind_of, text_of, truth_of

__all__ = ["BY_GROUP", "FUNCTIONS", "Function", "Parameter", "Type"]


def _length(value: Json) -> int:
    if value is None:
        return 0
    if isinstance(value, str | list | dict):
        return len(value)
    raise EvaluationError(f"length needs a text, list or object, not {kind_of(value)}")


def _coalesce(*values: Json) -> Json:
    return next((value for value in values if value is not None), None)


def _default(value: Json, otherwise: Json) -> Json:
    return otherwise if value is None or value == "" else value


def _which(*conditions: Json) -> int:
    return next((n for n, value in enumerate(conditions, start=1) if truth_of(value)), 0)


def _keys(value: dict[str, Json]) -> list[Json]:
    return [*value]


def _values(value: dict[str, Json]) -> list[Json]:
    return [*value.values()]


def _put(value: Json, key: Json, entry: Json) -> dict[str, Json]:
    if value is None or isinstance(value, dict):
        return {**(value or {}), text_of(key): entry}
    raise EvaluationError(f"put needs an object, not {kind_of(value)}")


def _truthy(value: Json) -> bool:
    return value not in (None, False, 0, "")


def _either(value: Json, otherwise: Json) -> Json:
    return value if _truthy(value) else otherwise


_ANY = Parameter("value")
_OTHERWISE = Parameter("otherwise")

DATA: tuple[Function, ...] = (
    Function(
        "length", (_ANY,), "integer",
        "Characters of a text, elements of a list, keys of an object; 0 for null.", _length,
        (("length(result.title)", "13"),), "constant", also=("len", "size"),
    ),
    Function(
        "text", (_ANY,), "text", "The text form of any value; null is empty.", text_of,
        (("text(3.0)", '"3"'), ("text(NAMES)", r'"[\"ada\", \"grace\"]"')), "whole",
        also=("str", "string", "to_string", "toString"),
    ),
    Function(
        "boolean", (_ANY,), "boolean", "The truth of a value, as a condition sees it.", truth_of,
        (("boolean(APPROVED)", "false"),), "constant", also=("bool", "to_bool"),
    ),
    Function(
        "coalesce", (Parameter("value", many=True),), "any", "The first value that is not null.",
        _coalesce, (('coalesce(MISSING, result.note, "none")', '"none"'),), "constant",
        also=("first_of", "ifnull"),
    ),
    Function(
        "default", (_ANY, _OTHERWISE), "any",
        "The first value; the second when that is null or empty text.", _default,
        (('default("", "empty")', '"empty"'), ("default(0, 1)", "0")), "constant",
        also=("or_else", "fallback"),
    ),
    Function(
        "truthy", (_ANY,), "boolean",
        "Whether a value is anything but null, false, 0 or the empty text.", _truthy,
        (('truthy("false")', "true"),), "constant",
    ),
    Function(
        "either", (_ANY, _OTHERWISE), "any",
        "The first value; the second when the first is not truthy.", _either,
        (('either(0, "none")', '"none"'),), "constant",
    ),
    Function(
        "which", (Parameter("condition", many=True),), "integer",
        "The number of the first condition that is true, from 1; 0 when none is. The"
        " conditions behind it are not looked at.", _which,
        (("which(COUNT > 5, READY, 1 / 0)", "2"),), "constant", also=("switch", "case"),
    ),
    Function(
        "keys", (of_object("object"),), "list", "The keys of an object, in their order.", _keys,
        (("keys(result.owner)", '["login"]'),),
    ),
    Function(
        "values", (of_object("object"),), "list", "The values of an object, in the order of keys.",
        _values, (("values(result.owner)", '["ada"]'),),
    ),
    Function(
        "put", (Parameter("object"), Parameter("key"), _ANY), "object",
        "The object with a key set to a value; null counts as an empty object.", _put,
        (('put(result.owner, "login", "grace")', '{"login": "grace"}'),), also=("assoc", "set_key"),
    ),
    Function(
        "json", (_ANY,), "text", "The JSON text of a value.", json_text,
        (("json(result.owner)", r'"{\"login\": \"ada\"}"'),), "whole",
        also=("to_json", "tojson", "toJSON", "stringify", "dumps"),
    ),
    Function(
        "parse_json", (text_parameter("text"),), "any", "The value that a JSON text says.",
        read_json,
        (
            (r"""parse_json('{"total": 3}').total""", "3"),
            ("parse_json('{total: 3}')", "*fails:* it is not JSON, line 1, column 2"),
            ("parse_json('NaN')", "*fails:* it is not JSON: `NaN` is not a JSON value"),
        ),
        weight=2, also=("from_json", "fromjson", "fromJSON", "json_parse", "loads"),
    ),
    Function(
        "parse_yaml", (text_parameter("text"),), "any",
        "The value that a YAML text says (1.2, without tags and merge keys; a date is a text).",
        read_yaml, ((r'parse_yaml("on: yes\nports: [80, 443]").ports[-1]', "443"),), weight=32,
        also=("from_yaml", "fromyaml", "yaml"),
    ),
)  # fmt: skip

WHERE = ("word", "double", "single")
_SPECIAL_IN_DOUBLE = re.compile(r'([\\$`"])')


def tool_calls(reply: Json) -> list[Json]:
    """Return the calls of a reply in their order; an empty list for anything else."""
    calls = reply.get("tool_calls") if isinstance(reply, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def tool_arguments(reply: Json, tool: Json) -> Json:
    """Return the arguments of the first call of a tool, or null."""
    name = text_of(tool)
    return next((c.get("args") for c in tool_calls(reply) if c.get("name") == name), None)


def where_fault(where: str) -> str | None:
    """Return why a text is not a place in a command; None when it is."""
    return None if where in WHERE else f"shell_quote knows {', '.join(WHERE)}"


def shell_quote(value: Json, where: Json = "word") -> str:
    """Return the value's text form as one shell word, never as commands (POSIX shell quoting), for
    the place where it stands. Raise `EvaluationError` for another place than those of `WHERE`.

    word      between blanks          a'b      ->  'a'"'"'b'
    double    inside "double quotes"  $HOME    ->  \\$HOME
    single    inside 'single quotes'  a'b      ->  a'\\''b
    """
    text = text_of(value)
    if where == "word":
        return shlex.quote(text)
    if where == "double":
        return _SPECIAL_IN_DOUBLE.sub(r"\\\1", text)
    if where == "single":
        return text.replace("'", "'\\''")
    raise EvaluationError(f"shell_quote knows {', '.join(WHERE)}")


def url_quote(value: Json) -> str:
    """Return the value's text form as one part of a URL's path or query: everything but letters,
    digits and `-._~` as bytes of UTF-8 in hex. Raise `EvaluationError` for `.` and `..`, which lead
    to another folder however they are written."""
    text = text_of(value)
    if text in (".", ".."):
        raise EvaluationError(f"`{text}` cannot be a part of a URL")
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


_REPLY = Parameter("reply")

WORKFLOWS: tuple[Function, ...] = (
    Function(
        "tool_calls", (_REPLY,), "list", "The tool calls of a reply: a list of `{id, name, args}`.",
        tool_calls, (("length(tool_calls(null))", "0"),),
    ),
    Function(
        "tool_arguments", (_REPLY, Parameter("tool")), "object",
        "The arguments of a reply's first call of a tool; null when it calls it not.",
        tool_arguments, (('tool_arguments(null, "cut")', "null"),),
    ),
    Function(
        "shell_quote", (Parameter("text"), Parameter("where", optional=True, fault=where_fault)),
        "text",
        "The text as a shell reads it literally: as a `word`, or in `double` or `single` quotes.",
        shell_quote, (('shell_quote("it\'s")', r"""'"'it'\"'\"'s'"'""".strip("'")),), "whole",
        also=("quote", "escape"),
    ),
    Function(
        "url_quote", (Parameter("text"),), "text",
        "The text as one part of the path or the query of a URL.", url_quote,
        (('url_quote("a b/ü")', '"a%20b%2F%C3%BC"'),), "whole",
        also=("url_encode", "urlencode", "encodeURIComponent", "percent_encode"),
    ),
    Function(
        "read_file", (Parameter("path"),), "text",
        "The text of a file below the workflow's folder or an allowed root.", None, (), "constant",
        also=("file", "read", "open", "load"),
    ),
)  # fmt: skip

BY_GROUP: tuple[tuple[str, tuple[Function, ...]], ...] = (
    ("Texts", TEXTS),
    ("Lists and numbers", LISTS),
    ("Values and data", DATA),
    ("Times", TIMES),
    ("Workflows", WORKFLOWS),
)
"""The functions under the headings of the documentation."""

FUNCTIONS: dict[str, Function] = {row.name: row for _, rows in BY_GROUP for row in rows}


INSTEAD = {
    **dict.fromkeys(("contains", "includes", "has"), "write `text contains part`"),
    **dict.fromkeys(("startswith", "beginswith"), "write `text starts with part`"),
    **dict.fromkeys(("endswith",), "write `text ends with part`"),
    **dict.fromkeys(("matches", "test", "ismatch"), 'write `text matches "pattern"`'),
    **dict.fromkeys(("exists", "defined", "isdefined", "isset"), "write `value exists`"),
    **dict.fromkeys(("isnull", "isnone"), "write `value == null`"),
    **dict.fromkeys(("empty", "isempty"), "write `length(value) == 0`"),
    **dict.fromkeys(
        ("if", "iif", "cond"), "write `either(value, otherwise)`, or lead to two nodes"
    ),
    **dict.fromkeys(("any", "some"), "write `count(items, condition) > 0`"),
    **dict.fromkeys(("all", "every"), "write `count(items, condition) == length(items)`"),
    **dict.fromkeys(("first", "head"), "write `items[0]`"),
    **dict.fromkeys(("last", "tail"), "write `items[-1]`"),
    "abs": "write `max([value, -value])`",
    "not": "write `not value`",
    "indexof": "write `captures(text, pattern)`, or ask whether the text `contains` it",
}
"""What is written without a function here."""

_OPERATORS = Spelling(
    ("equals", "differs", "less", "greater", "contains", "matches", "starts", "ends", "and", "or")
)
_OTHER_OPERATORS = {
    "includes": "contains", "include": "contains", "contain": "contains", "has": "contains",
    "is": "==", "isnt": "!=", "isn": "!=", "like": "matches", "match": "matches", "gte": ">=",
    "startswith": "starts with", "endswith": "ends with", "beginswith": "starts with",
    "lte": "<=", "neq": "!=", "xor": "!=", "exist": "exists", "defined": "exists",
}  # fmt: skip
"""What other languages call an operator."""
_OF = r"([\w.]{1,60}+(?:\[\w{1,20}\])?)"
_METHODS = r"contains|includes|has|starts_?[wW]ith|ends_?[wW]ith|toFixed|items"
_OWNER = rf"\b([A-Za-z_]\w{{0,40}}+(?:\.(?!(?:{_METHODS})\()\w{{1,40}}+){{0,5}})\."
_ARGUMENT = r"\(([^()\n]{0,80})\)?"
_MORE, _LESS = "(?:greater|more|bigger|larger|higher)", "(?:less|smaller|fewer|lower)"
_HABITS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), help)
    for pattern, help in (
        (rf"{_OF} is not (?:None|null|nil|undefined|defined)\b", r"write `\1 exists`"),
        (rf"{_OF} is defined\b", r"write `\1 exists`"),
        (rf"{_OF} is (?:None|null|nil|undefined)\b", r"write `\1 == null`"),
        (rf"{_OF} is not empty\b", r"write `length(\1) > 0`"),
        (rf"{_OF} is empty\b", r"write `length(\1) == 0`"),
        (rf"{_OF} (?:is )?between (\S{{1,40}}+) and (\S{{1,40}}+)",
            r"write `\1 >= \2 and \1 <= \3`"),
        (rf"(?:is )?{_MORE} than or equal(?: to)?\b *", "write `>=`"),
        (rf"(?:is )?{_LESS} than or equal(?: to)?\b *", "write `<=`"),
        (rf"(?:is )?{_MORE} than\b *|is {_MORE}\b", "write `>`"),
        (rf"(?:is )?{_LESS} than\b *|is {_LESS}\b", "write `<`"),
        (r"(?:is )?at least\b *", "write `>=`"),
        (r"(?:is )?at most\b *", "write `<=`"),
        (r"(?:is )?not equals?(?: to)?\b *|is not\b|isn't\b", "write `!=`"),
        (r"(?:is )?equals? to\b *|\bequal\b", "write `==`"),
        (r"(?:does not|doesn't|!)[ ]?(?:contain|include)s?\b", "write `not contains`"),
        (r"(?:does not|doesn't|not)[ ]exist\b", "write `not exists`"),
        (r"\b(?:exists|defined) (\w{1,40})", r"write `\1 exists`"),
        (r"\b(?:defined|exist)\b", "write `exists`"),
        (r"\b(?:EQ|NE|LT|LE|GT|GE)\b", "write it in small letters"),
        (r"\b(or|and) \1\b *", "take one of the two away"),
        (rf"{_OF}\?\.(\w+)", r"write `\1.\2`: a field of null is null"),
        (rf"{_OF} ?\?\? ?(\w{{1,40}}+|\"[^\"]*\")", r"write `coalesce(\1, \2)`"),
        (r" \?(?= )[^?:\n]{1,200}:|\bif\b[^\n]{1,200}\belse\b",
            "an expression does not branch: lead to two nodes, or write `either(value, other)`"),
        (r"\bfor (\w{1,40}+) in (\w{1,40}+)",
            r"write `map(\1 in \2, …)` or `filter(\1 in \2, …)`"),
        (r"\blambda\b *", "write the expression alone: `item` is the element"),
        (r"(?:=~|matches) ?/([^/\n]{1,80})/?", r'write `matches "\1"`'),
        (r"=~|~=", 'write `matches "…"`'),
        (rf"{_OWNER}(?:contains|includes|has){_ARGUMENT}", r"write `\1 contains \2`"),
        (rf"{_OWNER}starts_?[wW]ith{_ARGUMENT}", r"write `\1 starts with \2`"),
        (rf"{_OWNER}ends_?[wW]ith{_ARGUMENT}", r"write `\1 ends with \2`"),
        (rf"{_OWNER}toFixed{_ARGUMENT}", r"write `round(\1, \2)`"),
        (rf"{_OWNER}items{_ARGUMENT}", r"write `keys(\1)` or `values(\1)`"),
        (rf"JSON\.parse{_ARGUMENT}", r"write `parse_json(\1)`"),
        (rf"{_OF}\[(-?\d+):(-?\d+)\]", r"write `slice(\1, \2, \3)`"),
        (rf"{_OF}\[:(-?\d+)\]", r"write `slice(\1, 0, \2)`"),
        (rf"{_OF}\[(-?\d+):\]", r"write `slice(\1, \2)`"),
        (r"(?:\bin |\A)\(([^(),\n]{1,80},[^()\n]{1,200})\)?",
            r"a list stands in brackets: write `[\1]`"),
        (r"\$?\{\{ ?(\w[^{}\n]{0,80}?) ?\}\}", r"write `\1`: this is an expression already"),
        (r"\$(?:json|node|vars|env|state)\.(\w{1,40})", r"write `\1`: a name has no `$`"),
        (r"[$@]\{?([A-Za-z_]\w{0,40}(?:\.\w{1,40}){0,5})\}?", r"write `\1`: a name stands alone"),
        (r"\A\{(\w{1,40})\}", r"write `\1`: a name stands alone"),
        (r"\A-[ ]*([^-\n]{1,80}?)[ ]*-\Z|\A-[ ]+([^-\n]{1,80})\Z", "take the dashes away"),
        (r"->|::", "a field stands behind a point: write `.`"),
        (r":=", "write `==` to compare"),
        (r"=!|! =", "write `!=`"),
        (r"([<>=]) =", r"write `\1=`"),
        (r"& +&|\| +\|", "write the sign without a blank: `&&`, `||`"),
        (rf"{_OF}(?:\+\+| ?\+= ?\d+)", r"an expression changes nothing: write `\1 + 1`"),
        (r"\A\*\*([\w.]{1,60}+)\*\*", r"write `\1`: nothing is bold here"),
        (r"\*\*", "`**` is not an operator: multiply with `*`"),
        (r"//|/\*|#", "an expression has no comments; `/` divides"),
        (r"\A(?:if|return|assert|when|check)\b *|\bthen\Z", "write the condition alone"),
        (r"\A\[ \] *", "take the brackets away"),
        (r"\btypeof\b *|\binstanceof\b", "values have no type to ask for; see `is_number(value)`"),
        (r"\d[,_]\d{3}\b", "write the digits of a number without signs between"),
        (r"(\d+)%\Z", "write a share as a number, such as `0.05`"),
        (r"\d[a-z]{1,3}\Z", "write the number alone, without its unit"),
        (r",[ ]*\)", "take the comma before it away"),
        (r"[;,?!]\s*\Z", "take it away: the expression ends before it"),
        (r":[<>^]?\d", 'write `format("{:…}", value)` for a form'),
    )
)  # fmt: skip
"""What other languages write, and what is written here: the first that stands at a fault counts."""


_NEAR = 400
"""Characters on each side of a fault in which a habit is looked for."""


def habit_help(text: str, at: int) -> str:
    """Return what to write where a text has a habit of another language at a place; "" where it
    has none."""
    begin = max(at - _NEAR, 0)
    text, at = text[begin : at + _NEAR], at - begin
    for pattern, help in _HABITS:
        for match in pattern.finditer(text):
            if match.start() <= at <= match.end():
                return match.expand(help)
    before, argument = re.search(r"\b(\w{1,40}) +\Z", text[:at]), re.match(r"\w+", text[at:])
    word = before[1] if before and argument else ""
    meant = next((f.name for f in FUNCTIONS.values() if word in (f.name, *f.also)), "")
    return f"write `{meant}({argument[0]})`" if meant and argument else ""


def operator_help(word: str) -> str:
    """Return what to write for a word that stands where an operator does."""
    meant = _OTHER_OPERATORS.get(word.lower()) or _OPERATORS.nearest(word.lower())
    return (
        f"did you mean `{meant}`?" if meant else "put an operator before it, or quotes around text"
    )


def function_help(text: str, start: int, sign: str) -> str:
    """Return how a function is written for what looks like a method or a pipe; "" for others."""
    method = re.search(r"\.(\w{1,40})\s*\Z", text[:start]) if sign == "(" else None
    pipe = re.match(r"\|\s*(\w{1,40})", text[start:])
    name = method[1] if method else pipe[1] if pipe else ""
    known = FUNCTIONS.get(name) or next((f for f in FUNCTIONS.values() if name in f.also), None)
    if known is None or not name:
        return ""
    return f"a function stands before what it works on: `{known.signature}`"
