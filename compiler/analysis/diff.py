"""What differs between two workflows, element by element and field by field.

Every field of the IR is compared by walking its dataclasses, so a field that is added to the IR is
compared from then on: a writer that does not know it is found out, not trusted. Two workflows
without a difference do the same.

Not a difference: the order of declarations, nodes and edges; whether an edge is implied; how far
JavaScript is indented; a template cut into other pieces of the same text; a title, label or other
text for people where there was none before.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal

from .. import ir
from ..expr.ast import Expr, Text
from ..expr.ast import Literal as Constant
from ..source.records import dataclass
from ..source.source import Span

_NAMED: dict[type, tuple[str, str]] = {
    ir.Param: ("name", "parameter"),
    ir.StateField: ("name", "variable"),
    ir.Agent: ("id", "agent"),
    ir.Tool: ("id", "tool"),
    ir.Thread: ("id", "thread"),
    ir.Script: ("id", "script"),
    ir.Prompt: ("id", "prompt"),
    ir.Group: ("id", "group"),
    ir.Limit: ("name", "limit"),
}
"""The field that names an element of a workflow, and what a person calls such an element."""
_FOR_PEOPLE = frozenset({"title", "label", "description", "section", "group", "prompt_id", "step"})
"""Fields that only display reads: a value where there was none takes nothing away."""
_FOR_PEOPLE_ELEMENTS = (ir.Prompt, ir.Group)
_PLAIN = frozenset({str, int, float, type(None)})
_NO_MEANING = frozenset({"implied"})
"""Fields that say how something was written, and nothing about what it does."""
_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
_WORDS = {
    "into": "variable for the result",
    "reply_into": "variable for the whole reply",
    "parts": "variables for parts of the result",
    "asserts": "success criteria",
    "report": "reporting tool",
    "ordered": "order of the tools",
    "max_chars": "greatest length",
    "keep_min": "least number of messages kept",
    "env": "environment variable",
    "remember": "memory",
    "person": "being a person",
    "on": "expression",
    "args": "arguments",
    "passes": "values passed",
    "passes_all": "passing of every variable",
    "returns": "values returned",
    "returns_all": "return of every variable",
    "shares_sessions": "shared shell sessions",
    "join": "join of several edges",
    "then": "way to end",
    "on_success": "handler of success",
    "on_failed": "handler of failure",
    "on_error": "rules for failures",
    "trials": "tests",
    "starts": "starts by themselves",
    "on_input": "rule for unasked input",
    "entry": "first node",
    "prompt_id": "prompt's name",
    "step": "number of the step",
    "timeout": "time-out",
    "workflow": "called workflow",
}
"""What a person calls a field, where its name does not say it."""


Part = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """An `element` that only one has ("missing" in the second, "added" by it), that is of another
    kind there (`became`), or a `feature` of it that says something else. `part` is the field of the
    workflow and the name in it, of an edge that of the node it leaves. `span` is its place in the
    first workflow's file, None for what has none."""

    kind: Literal["missing", "added", "changed", "other kind"]
    element: str
    part: Part
    feature: str = ""
    span: Span | None = None
    became: str = ""


def differences(before: ir.Workflow, after: ir.Workflow) -> list[Difference]:
    """Every difference. Edges of a node that only one of the two has are not told again."""
    found: list[Difference] = []
    for name in _compared_fields(ir.Workflow):
        old, new = getattr(before, name), getattr(after, name)
        if name == "nodes":
            found += _nodes(old, new)
        elif name == "edges":
            found += _edges(before, after)
        elif isinstance(old, tuple) and _are_named(old or new):
            found += _members(name, old, new)
        elif _differ(name, canonical_value(old), canonical_value(new)):
            part = name, ""
            found.append(Difference("changed", "the workflow", part, word_of(name), before.span))
    return found


def changed_fields(old: object, new: object) -> tuple[str, ...]:
    """The fields of two elements of one type that say something else, those for people too."""
    was, is_now = canonical_value(old), canonical_value(new)
    cls: type = type(old)
    return tuple(n for n in _compared_fields(cls) if getattr(was, n) != getattr(is_now, n))


def word_of(field: str) -> str:
    """What a person calls a field of the IR."""
    return _WORDS.get(field, field.replace("_", " "))


def rename_nodes(
    workflow: ir.Workflow, names: Mapping[str, str], files: Mapping[str, str]
) -> ir.Workflow:
    """The workflow with its nodes under other names, and with the files of what it calls and of
    its scripts at other places; what the tables do not hold stays."""

    def name(id: str) -> str:
        return names.get(id, id)

    def node(one: ir.Node) -> ir.Node:
        if isinstance(one, ir.CallNode | ir.ForeachNode):
            one = replace(one, workflow=files.get(one.workflow, one.workflow))
        return replace(one, id=name(one.id))

    entered = workflow.on_input
    return replace(
        workflow,
        scripts=tuple(replace(s, file=files.get(s.file, s.file)) for s in workflow.scripts),
        nodes=tuple(node(one) for one in workflow.nodes),
        edges=tuple(
            replace(edge, source=name(edge.source), target=name(edge.target))
            for edge in workflow.edges
        ),
        entry=name(workflow.entry),
        on_success=name(workflow.on_success) if workflow.on_success else None,
        on_failed=name(workflow.on_failed) if workflow.on_failed else None,
        on_input=replace(entered, target=name(entered.target)) if entered else None,
        trials=tuple(
            replace(
                trial,
                path=tuple(_renamed_step(step, names) for step in trial.path),
                avoids=tuple(_renamed_step(step, names) for step in trial.avoids),
            )
            for trial in workflow.trials
        ),
    )


def _renamed_step(step: str, names: Mapping[str, str]) -> str:
    """A node as a test names it, with what follows: `call/inner`, `loop#2`, `each@0`."""
    own = step if step in names else re.split(r"[/#@]", step, maxsplit=1)[0]
    return names.get(own, own) + step[len(own) :]


def kind_and_name(node: ir.Node) -> str:
    """A node as messages name it."""
    kind = f"{node.outcome} end" if isinstance(node, ir.EndNode) else f"{node.kind} node"
    return f"the {kind} `{node.id}`"


@functools.cache
def _compared_fields(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.compare and f.name not in _NO_MEANING)


def _are_named(members: tuple[Any, ...]) -> bool:
    return bool(members) and type(members[0]) in _NAMED


def _differ(name: str, old: object, new: object) -> bool:
    """Whether two settled values of a field differ."""
    return bool(old != new) and not (name in _FOR_PEOPLE and not old)


def _members(field: str, old: tuple[Any, ...], new: tuple[Any, ...]) -> Iterator[Difference]:
    key, word = _NAMED[type((old or new)[0])]
    after = {getattr(member, key): member for member in new}
    for member in old:
        name = getattr(member, key)
        there = after.pop(name, None)
        span = getattr(member, "span", None)
        if there is None:
            yield Difference("missing", f"the {word} `{name}`", (field, name), span=span)
        else:
            yield from _fields(member, there, f"the {word} `{name}`", (field, name), span)
    for name, member in after.items():
        if not isinstance(member, _FOR_PEOPLE_ELEMENTS):
            yield Difference("added", f"the {word} `{name}`", (field, name))


def _fields(
    old: object, new: object, owner: str, part: Part, span: Span | None
) -> Iterator[Difference]:
    was, is_now = canonical_value(old), canonical_value(new)
    cls: type = type(old)
    for name in _compared_fields(cls):
        if _differ(name, getattr(was, name), getattr(is_now, name)):
            yield Difference("changed", owner, part, word_of(name), span)


def _nodes(old: tuple[ir.Node, ...], new: tuple[ir.Node, ...]) -> Iterator[Difference]:
    after = {node.id: node for node in new}
    for node in old:
        there, part = after.pop(node.id, None), ("nodes", node.id)
        if there is None:
            yield Difference("missing", kind_and_name(node), part, span=node.span)
        elif there.kind != node.kind:
            kind = f"a node of kind {there.kind}"
            yield Difference("other kind", kind_and_name(node), part, span=node.span, became=kind)
        else:
            yield from _fields(node, there, f"`{node.id}`", part, node.span)
    for node in new:
        if node.id in after:
            yield Difference("added", kind_and_name(node), ("nodes", node.id))


def _edges(before: ir.Workflow, after: ir.Workflow) -> Iterator[Difference]:
    shared = {node.id for node in before.nodes} & {node.id for node in after.nodes}
    rest: dict[tuple[str, str, Any], list[ir.Edge]] = {}
    for edge in after.edges:
        rest.setdefault(_key(edge), []).append(edge)
    for edge in before.edges:
        same = rest.get(_key(edge))
        if same:
            part = "edges", edge.source
            yield from _fields(edge, same.pop(0), _arrow(edge), part, edge.span)
        elif {edge.source, edge.target} <= shared:
            part = "edges", edge.source
            yield Difference("missing", _arrow(edge), part, span=edge.span)
    for edges in rest.values():
        for edge in edges:
            if {edge.source, edge.target} <= shared:
                yield Difference("added", _arrow(edge), ("edges", edge.source))


def _key(edge: ir.Edge) -> tuple[str, str, Any]:
    return edge.source, edge.target, canonical_value(edge.guard)


def _arrow(edge: ir.Edge) -> str:
    match edge.guard:
        case None:
            when = ""
        case ir.OnError():
            when = f" on {', '.join(edge.guard.errors)}"
        case ir.Otherwise():
            when = " in every other case"
        case _:
            when = f" in the case `{edge.guard.value}`"
    return f"the edge from `{edge.source}` to `{edge.target}`{when}"


def canonical_value(value: object) -> Any:
    """A value in the one form that all of the same meaning have: neighbouring texts of a template
    are one text, kinds of failures are in order, JavaScript is not indented, and true is not 1."""
    match value:
        case Text():
            return _canonical_text(value)
        case ir.OnError():
            return replace(value, errors=tuple(sorted(set(value.errors))))
        case ir.Script(language="javascript"):
            return replace(value, source=_INDENTATION.sub("", value.source))
        case bool():
            return ("true or false", value)
        case ():
            return value
        case tuple() | list():
            return tuple(canonical_value(item) for item in value)
        case dict():
            return {key: canonical_value(item) for key, item in value.items()}
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    cls: type = type(value)
    for name in _compared_fields(cls):
        was = getattr(value, name)
        # Most fields are words and numbers: only what can hold something else is looked into.
        if type(was) not in _PLAIN and (now := canonical_value(was)) is not was:
            changed[name] = now
    return replace(value, **changed) if changed else value


def _canonical_text(text: Text) -> Expr:
    parts: list[Any] = []
    for part in text.parts:
        inner = canonical_value(part)
        if isinstance(inner, Constant) and isinstance(inner.value, str):
            if not inner.value:
                continue
            last = parts[-1] if parts else None
            if isinstance(last, Constant) and isinstance(last.value, str):
                parts[-1] = Constant(value=last.value + inner.value)
                continue
        parts.append(inner)
    if not parts:
        return Constant(value="")
    if len(parts) == 1 and isinstance(parts[0], Constant) and isinstance(parts[0].value, str):
        return parts[0]
    return Text(parts=tuple(parts))
