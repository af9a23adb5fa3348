"""The PARAMS node: a comma-separated list of `NAME`, `NAME=value`, `NAME=env:OTHER`,
`NAME=file:path` (M20, M21, M22)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...diagnostics.diagnostic import Label
from ...expr.ast import Call, Expr, Name
from ...ir import Assignment, Param
from ...source.records import dataclass
from ...source.spelling import Spelling
from .activities import MAX_HITS, Activity, check_hits
from .mermaid.captions import break_lines
from .mermaid.placed_text import PlacedText
from .nearly import odd_value
from .placeholders import ChartScope, constant_in

_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.A)
_ITEM = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^,])+")
_ATTRIBUTE = re.compile(r"(?:shape|label)\s*:")
_NEWLINE = re.compile(r"\\n")


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters, and what START assigns to those whose default is a file's content."""

    params: tuple[Param, ...]
    from_files: tuple[Assignment, ...]


def read_params(lists: list[Activity], scope: ChartScope) -> Params:
    """Return all parameter lists of the chart together. `demand` settles what is required."""
    params: dict[str, Param] = {}
    from_files: list[Assignment] = []
    for activity in lists:
        if not activity.caption.text.strip():
            message, help = (
                "this list of parameters is empty",
                'write `label: "NAME=value"` into it',
            )
            span = scope.span(activity.name)
            scope.sink.report("FC1003", message, span, severity="warning", help=help)
        for item in _items(activity.caption):
            name, value = item.partition("=")
            name, value = name.strip(), value.strip() if value is not None else None
            if not _is_free(name, params, scope):
                continue
            span = scope.span(name)
            default: str | None = None
            env: str | None = None
            if value is not None and value.text.startswith("env:"):
                env = _environment(value, scope)
            elif value is not None and value.text.startswith("file:"):
                content = scope.read_file(value)
                from_files.append(Assignment(target=name.text, value=_or(name, content, scope)))
            elif value is not None:
                if name.text == MAX_HITS:
                    check_hits(value, scope)
                default = (constant_in(value) or value).text
                if odd := odd_value(value.text, lambda name: name in params):
                    scope.sink.report(
                        "FC3006", odd[0], scope.span(value), severity="warning", help=odd[1]
                    )
            _check_nearly_limit(name, scope)
            params[name.text] = Param(
                name=name.text, required=value is None, default=default, env=env, span=span
            )
    return Params(tuple(params.values()), tuple(from_files))


def _check_nearly_limit(name: PlacedText, scope: ChartScope) -> None:
    """Warn of a parameter that is nearly the limit of visits, and limits nothing."""
    if Spelling((MAX_HITS,)).nearest(name.text):
        message = f"`{name.brief}` is a parameter like any other, and limits nothing"
        help = f"did you mean `{MAX_HITS}`?"
        scope.sink.report("FC3001", message, scope.span(name), severity="warning", help=help)


def demand(param: Param, read: set[str]) -> Param:
    """Require a parameter without a value when the workflow reads it, and only then."""
    if param.required and param.name not in read:
        return Param(name=param.name, span=param.span)
    return param


def _environment(value: PlacedText, scope: ChartScope) -> str | None:
    """Return the name behind `env:` (M21)."""
    name = value[len("env:") :].strip()
    if _NAME.match(name.text):
        return name.text
    scope.sink.report(
        "FC1005",
        f"`{name.brief}` is not a name of an environment variable"
        if name.text
        else "`env:` names no environment variable",
        scope.span(name if name.text else value),
        help="write `NAME=env:OTHER`",
    )
    return None


def _or(name: PlacedText, content: Expr, scope: ChartScope) -> Expr:
    span = scope.span(name)
    return Call(function="coalesce", args=(Name(name=name.text, span=span), content), span=span)


def _items(caption: PlacedText) -> Iterator[PlacedText]:
    """Yield the list's items; `\\n` and `<br>` are blanks (M20)."""
    text = break_lines(caption, " ").replace(_NEWLINE, " ")
    for match in _ITEM.finditer(text.text):
        item = text.group(match, 0).strip()
        if item.text:
            yield item


def _name_help(name: str, built_in: bool) -> str:
    if _ATTRIBUTE.match(name):
        return "attributes stand behind `@`: write `PARAMS@{ … }`"
    if built_in:
        return "choose another name"
    return "a parameter's name has letters, digits and underscores; a default follows `=`"


def _is_free(name: PlacedText, params: dict[str, Param], scope: ChartScope) -> bool:
    known = params.get(name.text)
    if known is not None and known.span is not None:
        message = f"the parameter `{name.brief}` is listed twice"
        labels = (Label(known.span, "first listed here"),)
        scope.sink.report("FC1004", message, scope.span(name), labels=labels)
        return False
    built_in = name.text in ("STATUS", "RESULT", "CONTENT")
    if not name.text:
        scope.sink.report(
            "FC1003", "a parameter has no name", scope.span(name), help="write `NAME=value`"
        )
        return False
    if built_in or not _NAME.match(name.text):
        scope.sink.report(
            "FC1005",
            f"`{name.brief}` is {'built in' if built_in else 'no name'} and cannot be a parameter",
            scope.span(name),
            help=_name_help(name.text, built_in),
        )
        return False
    return True
