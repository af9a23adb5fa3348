"""The ways out of a node in flow YAML: `next`, `cases` and `otherwise`, `on_error`.

    next: publish                          one edge
    next: [check_text, check_pictures]     all of them
    next:                                  a choose node behind this one, named NAME.next
      - {when: score > 0.8, to: publish}
      - {to: rewrite}

Without `next` a node leads to the one behind it in the file, the last one to the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import cast

from ... import ir
from ...diagnostics.diagnostic import Label
from ...expr.ast import Call, Expr
from ...flow_yaml.keys import EDGE, FAILURES, IMPLIED_ENDS, KINDS_OF_ERROR
from ...flow_yaml.shapes import Key
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.records import dataclass
from ...source.source import Span
from ...source.spelling import Spelling
from .elements import kind, names_in_one, place, value_span
from .forms import Forms

_TO = Key("to", "text", "")
_ERRORS = Key("errors", "words", "", words=KINDS_OF_ERROR)


@dataclass(frozen=True, slots=True)
class Default:
    """Where a failed node leads that has no `on_error` of its own."""

    target: str
    errors: tuple[ir.ErrorKind, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class _Way:
    """One way out of a node, as written, and its condition."""

    target: str
    span: Span | None
    guard: ir.Guard | None = None
    label: str = ""
    implied: bool = False
    when: Expr | None = None

    def edge(self, source: str, guard: ir.Guard | None = None) -> ir.Edge:
        """Return the edge from a node, taken where `guard` holds, or else the way's own."""
        return ir.Edge(
            source=source,
            target=self.target,
            guard=guard or self.guard,
            label=self.label,
            implied=self.implied,
            span=self.span,
        )


class Targets:
    """The names that edges may lead to; collects the implied ends that they use."""

    def __init__(self, forms: Forms, nodes: Iterable[ir.Node]) -> None:
        self.forms = forms
        self.places = {node.id: node.span for node in nodes}
        self.names = set(self.places)
        self.ends: set[str] = set()
        self._spelling = Spelling([*self.names, *IMPLIED_ENDS])

    def find(self, node: Value) -> str | None:
        """Return the name of a node or end. Report anything else and return what was probably
        meant."""
        if not isinstance(node, Scalar):
            message = f"a node's name is wanted, not {kind(node)}"
            self.forms.report("FC1005", message, node.span, "write the name of a node")
            return None
        if self.use(node.text):
            return node.text
        near = self._spelling.nearest(node.text)
        help = names_in_one(node) or "write the name of a node, `end` or `failed`"
        message = f"there is no node `{brief(node.text)}`"
        meant = self.places.get(near) if near else None
        labels = (Label(meant, f"this is `{brief(near)}`"),) if near and meant else ()
        self.forms.report("FC2001", message, node.span, help, *labels, near=near)
        # What was meant keeps the ways through the workflow whole.
        return near

    def report_hidden_ends(self, nodes: Iterable[tuple[ir.Node, MapAt]]) -> None:
        """Warn of nodes that have the name of an end: what leads to the name leads to them."""
        for node, mapping in nodes:
            if node.id in IMPLIED_ENDS and not isinstance(node, ir.EndNode):
                self.forms.sink.report(
                    "FC1004",
                    f"`{node.id}` names this node, so `next: {node.id}` leads to it and does not "
                    "end the workflow",
                    value_span(mapping, "name"),
                    severity="warning",
                    help=f"rename the node, or end with a node `{{name: …, end: "
                    f"{IMPLIED_ENDS[node.id]}}}`",
                )

    def use(self, name: str) -> bool:
        if name not in self.names and name in IMPLIED_ENDS:
            self.ends.add(name)
        return name in self.names or name in IMPLIED_ENDS


class Edges:
    """Reads the ways out of nodes."""

    def __init__(self, forms: Forms, targets: Targets, default: Default | None) -> None:
        self.forms = forms
        self.targets = targets
        self.default = default

    def read(
        self, node: ir.Node, mapping: MapAt, after: ir.Node | None
    ) -> tuple[list[ir.Edge], ir.ChooseNode | None]:
        """Return the edges of a node, and the choose node that its conditions make. `after` is the
        next node of the file."""
        if isinstance(node, ir.EndNode):
            return [], None
        chooses = isinstance(node, ir.ChooseNode)
        ways = list(self._cases(node, mapping)) if isinstance(node, ir.ChooseNode) else []
        onward = mapping.value("next")
        conditions: list[_Way] = []
        if onward is not None:
            items = onward.items if isinstance(onward, ListAt) else [onward]
            ways += [way for item in items if (way := self._way(item, node)) is not None]
            conditions = [way for way in ways if way.when is not None]
        elif not chooses:
            ways = self._implied_ways(node, after)
        elif not ways and mapping.get("cases") is None:
            message = f"nothing says where `{brief(node.id)}` leads"
            help = "write `cases:` with a node for each value, and `otherwise:`"
            self.forms.report("FC1003", message, place(mapping), help)
        if not ways and onward is not None:
            is_empty = isinstance(onward, ListAt) and not onward.items
            ways = [] if is_empty else self._implied_ways(node, after)
        failures = self._failures(node, mapping)
        if conditions:
            return self._conditional(node, ways, failures, after)
        return [*[way.edge(node.id) for way in ways], *failures], None

    def _implied_ways(self, node: ir.Node, after: ir.Node | None) -> list[_Way]:
        """Lead on to the next node of the file, or to the end; a step into an end is implied."""
        if after is None:
            self.targets.use("end")
        target = "end" if after is None else after.id
        implied = after is None or isinstance(after, ir.EndNode)
        return [_Way(target, node.span, implied=implied)]

    def _way(self, item: Value, node: ir.Node) -> _Way | None:
        if isinstance(item, MapAt):
            return self._long_way(item, node)
        target = self.targets.find(item)
        if target is None:
            return None
        return _Way(target, item.span)

    def _long_way(self, mapping: MapAt, node: ir.Node) -> _Way | None:
        to = mapping.get("to")
        if to is not None and len(mapping.pairs) == 1:
            target = self.targets.find(to)
            return None if target is None else _Way(target, to.span)
        self.forms.known_keys(mapping, EDGE, "a way on")
        if to is None:
            self.forms.report("FC1003", "a way on has no `to`", place(mapping), "name a node")
            return None
        target = self.targets.find(to)
        guard = self._guard(mapping, node)
        when, written = None, mapping.get("when")
        label = self._label(mapping)
        if written is not None and isinstance(node, ir.ChooseNode):
            message = f"`{brief(node.id)}` chooses by a value: `when` has no place here"
            self.forms.report("FC1005", message, written.span, "write `case:` or `cases:`")
        elif written is not None:
            when = self.forms.expression(None, _key(mapping, "when"), written)
            if isinstance(written, Scalar) and not label:
                label = written.text
            if when is None:
                return None
        if target is None:
            return None
        return _Way(target, to.span, guard, label, self._flag(mapping, "implied"), when)

    def _guard(self, mapping: MapAt, node: ir.Node) -> ir.Guard | None:
        case, errors = mapping.get("case"), mapping.get("errors")
        if errors is not None:
            kinds = self.forms.words(_ERRORS, _key(mapping, "errors"), errors) or ()
            return ir.OnError(errors=cast(tuple[ir.ErrorKind, ...], kinds))
        if isinstance(case, Scalar):
            return ir.Case(value=case.text)
        if case is not None:
            self.forms.wrong(_key(mapping, "case"), "a text", case)
        return ir.Otherwise() if self._flag(mapping, "otherwise") else None

    def _label(self, mapping: MapAt) -> str:
        label = mapping.get("label")
        return label.text if isinstance(label, Scalar) and not label.is_null else ""

    def _flag(self, mapping: MapAt, key: str) -> bool:
        node = mapping.get(key)
        return node is not None and bool(self.forms.flag(_TO, _key(mapping, key), node))

    def _cases(self, node: ir.ChooseNode, mapping: MapAt) -> Iterator[_Way]:
        cases, otherwise = mapping.get("cases"), mapping.get("otherwise")
        if isinstance(cases, MapAt):
            for value, to in cases.pairs:
                way = self._way(to, node)
                if way is not None:
                    yield replace(way, guard=ir.Case(value=value.text))
        elif cases is not None and not cases.is_null:
            self.forms.wrong(_key(mapping, "cases"), "a node for each value", cases)
        if otherwise is not None:
            way = self._way(otherwise, node)
            if way is not None:
                yield replace(way, guard=ir.Otherwise())

    def _failures(self, node: ir.Node, mapping: MapAt) -> list[ir.Edge]:
        on_error = mapping.value("on_error")
        if on_error is None:
            return self._default_failure(node)
        edges: list[ir.Edge] = []
        for item in on_error.items if isinstance(on_error, ListAt) else [on_error]:
            way = self._way(item, node)
            if way is None:
                continue
            guard = way.guard or ir.OnError(errors=_failures_of(node))
            if not isinstance(guard, ir.OnError) or way.when is not None:
                message = "a failure leads on by its kind"
                self.forms.report("FC1005", message, item.span, "write `{to: NAME, errors: […]}`")
                continue
            edges.append(way.edge(node.id, guard))
        return edges

    def _default_failure(self, node: ir.Node) -> list[ir.Edge]:
        if self.default is None:
            return []
        errors = self.default.errors or _failures_of(node)
        guard = ir.OnError(errors=errors)
        span = self.default.span
        return [
            ir.Edge(
                source=node.id, target=self.default.target, guard=guard, implied=True, span=span
            )
        ]

    def _conditional(
        self, node: ir.Node, ways: list[_Way], failures: list[ir.Edge], after: ir.Node | None
    ) -> tuple[list[ir.Edge], ir.ChooseNode]:
        """Return a choose node behind this one, for the number of the first condition that holds.
        What fails in a condition fails as the node itself would."""
        if any(way.when is None for way in ways[:-1]):
            odd = next(way for way in ways if way.when is None)
            message = "a way without `when` is taken when no condition holds: it stands last"
            self.forms.report("FC1005", message, odd.span or _no_span(node), "move it down")
        conditions = [way for way in ways if way.when is not None]
        fallback = [way for way in ways if way.when is None][:1] or self._implied_ways(node, after)
        chooser = ir.ChooseNode(
            id=f"{node.id}.next",
            on=Call(function="which", args=tuple(w.when for w in conditions if w.when is not None)),
            group=node.group,
            span=conditions[0].span,
        )
        edges = [ir.Edge(source=node.id, target=chooser.id, implied=True, span=node.span)]
        edges += failures
        for number, way in enumerate(conditions, start=1):
            guard = ir.Case(value=str(number))
            edges.append(way.edge(chooser.id, guard))
        edges.append(fallback[0].edge(chooser.id, ir.Otherwise()))
        edges += [replace(edge, source=chooser.id) for edge in failures]
        return edges, chooser


def _failures_of(node: ir.Node) -> tuple[ir.ErrorKind, ...]:
    return (*FAILURES, "gate") if isinstance(node, ir.GateNode) else FAILURES


def _no_span(node: ir.Node) -> Span:
    assert node.span is not None, "every node that was read has a place"
    return node.span


def _key(mapping: MapAt, name: str) -> Scalar:
    return next(key for key, _ in mapping.pairs if key.text == name)
