"""Branches: choices that leave a value without an edge (FC2007), or that hide an edge (FC2008).

    when: score > 0.8  → publish        score = 0.5: no edge takes it (FC2007)
    when: score < 0.5  → reject

    when: score > 0.5  → revise         score = 1: the first edge takes it, always (FC2008)
    when: score > 0.8  → publish

Conditions that are tried in order may overlap on purpose, a special case before a general one. Two
are reported when the later can never be taken, or when they are ranges of one variable that meet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from .. import ir
from ..analysis.graphs import edges_from
from ..analysis.memo import once_per_workflow
from ..analysis.variables import writes
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import flow, mend
from ..expr.ast import Call, Expr, Field, Name
from ..expr.functions import Type
from ..expr.solve import MAX_TRIES, Combinations, TriedCondition, combinations
from ..expr.types import infer
from ..expr.values import Json
from .check import Check
from .guards import FIRST_TRUE

_MAX_TRIES = 100_000
"""Combinations of values that are tried for one choice: conditions are compared two by two."""


def open_branches(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC2007, at a choose node with a value that no edge takes."""
    types = types_of(workflow)
    for node, edges in choices(workflow):
        cases = {edge.guard.value for edge in edges if isinstance(edge.guard, ir.Case)}
        if not cases or any(isinstance(edge.guard, ir.Otherwise) for edge in edges):
            continue
        shown = _untaken(node, cases, workflow, types)
        place = node.on.span or node.span
        if shown is not None and place is not None:
            yield OPEN_BRANCHES.code.diagnostic(
                f"no edge of {node_name(node)} is taken when {shown}",
                place,
                labels=_labels(edges),
                help="add an edge without a condition for everything else",
            )


OPEN_BRANCHES = Check(
    Code("FC2007", "branch-not-exhaustive", "warning",
        title="A choice with a value that no edge takes.",
        why="The run fails when it comes to that value; the message names one.",
        examples=lambda: mend(
            flow(
                """
            nodes:
              - {name: kind, ask: What is it?, choices: [question, praise], into: kind}
              - name: pick
                choose: kind
                cases: {question: failed}
            """
            ),
            "{question: failed}",
            "{question: failed, praise: end}",
        ),
    ),
    open_branches,
)  # fmt: skip


def hidden_branches(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC2008, at a condition that an earlier one covers or runs into."""
    types = types_of(workflow)
    for node, _ in choices(workflow):
        on = node.on
        if isinstance(on, Call) and on.function == FIRST_TRUE and len(on.args) > 1:
            yield from _overlaps(node, on.args, types)


HIDDEN_BRANCHES = Check(
    Code("FC2008", "branch-overlap", "warning",
        title="Two conditions of a choice that hold at once.",
        why="Their order decides, or the later one is never taken; the message names a value.",
        examples=lambda: mend(
            flow(
                """
            params: {days: integer}
            nodes:
              - name: rate
                assign: {}
                next: [{when: days > 7, to: failed}, {when: days > 30, to: end}, failed]
            """
            ),
            "{when: days > 7, to: failed}, {when: days > 30, to: end}",
            "{when: days > 30, to: end}, {when: days > 7, to: failed}",
        ),
    ),
    hidden_branches,
)  # fmt: skip


def types_of(workflow: ir.Workflow) -> dict[str, Type]:
    """The declared types of parameters and variables."""
    declared: dict[str, Type] = {field.name: field.type for field in workflow.state}
    return declared | {param.name: param.type for param in workflow.params}


@once_per_workflow
def choices(workflow: ir.Workflow) -> Sequence[tuple[ir.ChooseNode, list[ir.Edge]]]:
    """Every choose node with the edges that leave it."""
    leaving = edges_from(workflow.edges)
    choosers = [node for node in workflow.nodes if isinstance(node, ir.ChooseNode)]
    return [(node, leaving.get(node.id, [])) for node in choosers]


def _untaken(
    node: ir.ChooseNode, cases: set[str], workflow: ir.Workflow, types: Mapping[str, Type]
) -> str | None:
    """When no edge is taken, in words; None when there is one for every value."""
    on = node.on
    if isinstance(on, Call) and on.function == FIRST_TRUE:
        if "0" in cases:
            return None
        values = combinations(on.args, types).witness(*[False] * len(on.args))
        return None if values is None else _witness_text(values)
    if infer(on, types) == "boolean":
        missing = [word for word in ("true", "false") if word not in cases]
        return f"the condition is {missing[0]}" if missing else None
    known = known_values(on, workflow)
    if known is None:
        return "it is none of " + ", ".join(f"`{case}`" for case in sorted(cases))
    left = [value for value in known if value not in cases]
    return f"it is `{left[0]}`" if left else None


def known_values(on: Expr, workflow: ir.Workflow) -> tuple[str, ...] | None:
    """Every value that a choice can have, where the file says so: the choices of a question, or
    the words that an answer's schema allows."""
    match on:
        case Name(name=name):
            return _written_values(name, None, workflow)
        case Field(object=Name(name=name), name=key):
            return _written_values(name, key, workflow)
        case Call(function="upper" | "lower" | "trim" as function, args=(inner,)):
            known = known_values(inner, workflow)
            return None if known is None else tuple(_CHANGES[function](word) for word in known)
        case _:
            return None


_CHANGES: Mapping[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "trim": str.strip,
}


def _written_values(name: str, key: str | None, workflow: ir.Workflow) -> tuple[str, ...] | None:
    values: dict[str, None] = {}
    for node in workflow.nodes:
        if not any(write.name == name for write in writes(node)):
            continue
        match node:
            case ir.AskNode(choices=choices) if choices and key is None:
                values.update(dict.fromkeys(choices))
            case ir.AgentNode(schema=dict() as schema, into=into) if (
                into == name and key is not None
            ):
                words = _enum_words(schema, key)
                if words is None:
                    return None
                values.update(dict.fromkeys(words))
            case _:
                return None
    return tuple(values) or None


def _enum_words(schema: dict[str, Json], key: str) -> list[str] | None:
    properties = schema.get("properties")
    entry = properties.get(key) if isinstance(properties, dict) else None
    required = schema.get("required")
    if not isinstance(entry, dict) or not isinstance(required, list) or key not in required:
        return None
    if entry.get("type") == "boolean":
        return ["true", "false"]
    words = entry.get("enum")
    is_texts = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return words if is_texts else None


def _overlaps(
    node: ir.ChooseNode, conditions: Sequence[Expr], types: Mapping[str, Type]
) -> Iterator[Diagnostic]:
    left = _MAX_TRIES
    tried = [TriedCondition(condition) for condition in conditions]
    for later in range(1, len(tried)):
        for earlier in range(later):
            pair = tried[earlier], tried[later]
            found = Combinations(pair, types)
            left -= 1 if found.count > MAX_TRIES else 1 + found.count
            if left < 0:
                return
            if found.count > MAX_TRIES:
                continue  # that no value was found would mean nothing
            both = found.witness(True, True)
            if both is None:
                continue
            alone = found.witness(False, True)
            general = found.witness(True, False)
            one_path = len({*pair[0].written, *pair[1].written}) == 1
            if alone is None or (general is not None and one_path):
                places = conditions[earlier], conditions[later]
                yield from _overlap(node, places, both, hidden=alone is None)
                break


def _overlap(
    node: ir.ChooseNode, pair: tuple[Expr, Expr], both: Mapping[str, Json], *, hidden: bool
) -> Iterator[Diagnostic]:
    place = pair[1].span or node.span
    if place is None:
        return
    what = "is never the first that holds" if hidden else "holds together with an earlier one"
    yield HIDDEN_BRANCHES.code.diagnostic(
        f"this condition {what}: when {_witness_text(both)}, both do",
        place,
        labels=(Label(pair[0].span, "the earlier one"),) if pair[0].span is not None else (),
        help="put the special case before the general one"
        if hidden
        else "let the two exclude each other, so that their order does not decide",
    )


def _witness_text(values: Mapping[str, Json]) -> str:
    """A witness: `score` is 0.65 and `kind` is "other"."""
    return " and ".join(
        f"`{name}` is {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()
    )


def _labels(edges: Sequence[ir.Edge]) -> tuple[Label, ...]:
    spans = dict.fromkeys(e.span for e in edges if e.span is not None and not e.implied)
    return tuple(Label(span, "for another value") for span in list(spans)[:3])
