"""Changes of a workflow that matter to a run of it.

A node that the run has not come to, or has left behind, may be anything by now. Where the run
stands the workflow has to be the one it was: a node that waits and is gone, or of another kind,
would lose work, and one that is under way has already read what it says. Where a node leads is
decided when it is through, by the workflow as it is then; only a join that branches have come to
has decided already.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.analysis.diff import canonical_value, changed_fields, word_of
from flowc.compiler.lowering.graphspec import Channel, GraphSpec, NodeSpec
from langgraph.graph import END

from ..checkpoints.channels import join_channel
from ..services import Json
from ..values import fits
from .frontier import Frontier

TEXTS = frozenset({"title", "label", "description", "section", "group", "prompt_id", "step"})
"""Fields that only people read."""
_ASKED = {"ask": "question", "gate": "question"}
"""A question that was shown stays answered: its text may change while it waits."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, in words; with `refusal` the run cannot go on as it is. `was` and `now` are
    the places in the two files; `migrate` would accept it: OLD=NEW."""

    text: str
    refusal: bool = False
    was: str = ""
    now: str = ""
    migrate: str = ""
    give: str = ""
    """The parameter whose value would accept it."""

    def as_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True)
class Migration:
    """The options `--migrate`: nodes that wait by their new names, variables by theirs ("": the
    value is dropped). `inputs` are values for parameters that are new."""

    nodes: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Json] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.nodes or self.variables)


def changes_of(
    old: GraphSpec, new: GraphSpec, frontier: Frontier, migration: Migration
) -> list[Change]:
    """Return everything that differs, refusals first."""
    if not frontier.begun:
        frontier = Frontier(begun=False)
    differences = list(_workflow("", old, new, frontier, migration))
    before, after = dict(old.subgraphs), dict(new.subgraphs)
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            waits = any(where == path for where, _ in frontier.pending)
            differences.append(Change(f"`{path}` is not called any more", refusal=waits))
        elif path not in before:
            differences.append(Change(f"`{path}` is called now"))
        else:
            differences += _workflow(path, before[path], after[path], frontier, Migration())
    return sorted(differences, key=lambda change: not change.refusal)


def _workflow(
    path: str, old: GraphSpec, new: GraphSpec, frontier: Frontier, migration: Migration
) -> Iterator[Change]:
    there = {node.id: node for node in new.nodes}
    taken = set(migration.nodes.values())
    for node in old.nodes:
        begun = frontier.pending.get((path, node.id))
        now = there.get(migration.nodes.get(node.id, node.id))
        if begun is not None and node.id not in migration.nodes:
            yield from _waiting(path, node, now, begun, old, new)
        elif node.id in migration.nodes:
            target = migration.nodes[node.id]
            yield Change(f"`{node.id}` begins anew as `{target}`", was=_at(node), now=_at(now))
        else:
            yield from _elsewhere(node, now, old, new)
    known = {node.id for node in old.nodes} | taken
    yield from (
        Change(f"`{node.id}` is new{_within(path)}", now=_at(node))
        for node in new.nodes
        if node.id not in known
    )
    yield from _joins(path, old, new, frontier)
    yield from _variables(path, old, new, frontier, migration)
    yield from _declarations(path, old, new)


def _waiting(
    path: str, node: NodeSpec, now: NodeSpec | None, begun: bool, old: GraphSpec, new: GraphSpec
) -> Iterator[Change]:
    """Yield the verdict on a node that comes next, or is under way."""
    name, places = f"`{node.id}`{_within(path)}", (_at(node), _at(now))
    stands = "is under way" if begun else "comes next"
    if now is None:
        other = _successor(node, old, new)
        like = f"; `{other.id}` is new and says the same" if other else ""
        hint = f"{node.id}={other.id if other else 'NODE'}" if not path else ""
        yield Change(f"{name}, which {stands}, is gone{like}", True, _at(node), _at(other), hint)
        return
    accept = f"{node.id}={node.id}" if not path else ""
    if now.op.kind != node.op.kind:
        what = f"was a node of kind {node.op.kind}, now of kind {now.op.kind}"
        yield Change(f"{name}, which {stands}, {what}", True, *places, accept)
        return
    if _ways(old, node.id) != _ways(new, node.id):
        text = f"{name}, which {stands}, leads elsewhere when it is through"
        yield Change(f"{text}: {_leads(old, node.id, new)}", False, *places)
    fields = _fields(node, now, old, new)
    shown = _ASKED.get(node.op.kind)
    if hard := [f for f in fields if f not in TEXTS and f != shown]:
        words = ", ".join(map(word_of, hard))
        if begun:
            text = f"{name} is under way and says something else now: {words}"
            yield Change(text, True, *places, accept)
        else:
            yield Change(f"{name} comes next, and runs as it is now: {words}", False, *places)
    elif fields:
        yield Change(f"{name}: only a text is different", False, *places)


def _elsewhere(
    node: NodeSpec, now: NodeSpec | None, old: GraphSpec, new: GraphSpec
) -> Iterator[Change]:
    """Yield what changed in a node where the run does not stand; none of it is refused."""
    if now is None:
        yield Change(f"`{node.id}` is gone", was=_at(node))
        return
    places = (False, _at(node), _at(now))
    if now.op.kind != node.op.kind:
        yield Change(f"`{node.id}` is of kind {now.op.kind} now", *places)
        return
    if fields := _fields(node, now, old, new):
        yield Change(f"`{node.id}` is different: {', '.join(map(word_of, fields))}", *places)
    if _ways(old, node.id) != _ways(new, node.id):
        yield Change(f"`{node.id}` leads elsewhere: {_leads(old, node.id, new)}", *places)


def _fields(node: NodeSpec, now: NodeSpec, old: GraphSpec, new: GraphSpec) -> list[str]:
    """Return the fields of a node, and the declarations that it names, that changed."""
    differences = [name for name in changed_fields(node.op, now.op) if name not in ("id", "join")]
    for kind, attribute in (("agents", "agent"), ("scripts", "script"), ("threads", "thread")):
        named = getattr(node.op, attribute, None)
        if not isinstance(named, str):
            continue
        if _declaration(old, kind, named) != _declaration(new, kind, named):
            differences.append(attribute)
    return list(dict.fromkeys(differences))


def _declaration(spec: GraphSpec, kind: str, name: str) -> object:
    one = next((d for d in getattr(spec, kind) if d.id == name), None)
    return canonical_value(one)


def _ways(
    spec: GraphSpec, node: str
) -> tuple[set[str], set[tuple[str, str]], set[tuple[str, str]]]:
    """Return where a node leads, seeing through relays."""
    edges = {e.source: e.target for e in spec.edges if e.source in spec.relays}
    through = {r: edges.get(r) or _join_target(spec, r) for r in spec.relays}
    plain = {through.get(e.target, e.target) for e in spec.edges if e.source == node}
    joins = {(join.target, "join") for join in spec.joins if node in join.sources}
    branches = {
        (case, through.get(target, target))
        for b in spec.branches
        if b.source == node
        for case, target in (*b.cases, *((("otherwise", b.otherwise),) if b.otherwise else ()))
    }
    return plain, joins, branches


def _join_target(spec: GraphSpec, relay: str) -> str:
    return next((join.target for join in spec.joins if relay in join.sources), relay)


def _leads(old: GraphSpec, node: str, new: GraphSpec) -> str:
    def targets_of(spec: GraphSpec) -> str:
        plain, joins, branches = _ways(spec, node)
        targets = {*plain, *(t for t, _ in joins), *(t for _, t in branches)}
        return ", ".join(f"`{t}`" if t != END else "the end" for t in sorted(targets))

    before, after = targets_of(old), targets_of(new)
    return f"{before} before, {after} now" if before != after else "by other cases"


def _successor(node: NodeSpec, old: GraphSpec, new: GraphSpec) -> NodeSpec | None:
    """Return the only new node that says what the missing one said."""
    known = {n.id for n in old.nodes}
    alike = [
        other
        for other in new.nodes
        if other.id not in known
        and other.op.kind == node.op.kind
        and set(changed_fields(node.op, other.op)) <= {"id", *TEXTS}
    ]
    return alike[0] if len(alike) == 1 else None


def _joins(path: str, old: GraphSpec, new: GraphSpec, frontier: Frontier) -> Iterator[Change]:
    for relay in old.relays:
        if (path, relay) in frontier.pending and relay not in new.relays:
            target = f"`{_join_target(old, relay)}`{_within(path)}"
            yield Change(f"a branch is on its way to {target}, where its way led until now", True)
    after = {(frozenset(join.sources), join.target) for join in new.joins}
    for join in old.joins:
        if (path, join_channel(join.sources, join.target)) not in frontier.arrived:
            continue
        if (frozenset(join.sources), join.target) not in after:
            target = f"`{join.target}`{_within(path)}"
            text = f"branches have come to {target}, which now waits for others"
            yield Change(text, True, _at(old.node(join.target)), _at(new.node(join.target)))


def _variables(
    path: str, old: GraphSpec, new: GraphSpec, frontier: Frontier, migration: Migration
) -> Iterator[Change]:
    before = {c.variable: c for c in old.channels if c.role == "variable" and c.variable}
    after = {c.variable: c for c in new.channels if c.role == "variable" and c.variable}
    for name, channel in before.items():
        valued = not path and frontier.values.get(name) is not None
        if name in migration.variables:
            target = migration.variables[name]
            to = f"is called `{target}` now" if target else "is dropped"
            yield Change(f"the variable `{name}` {to}")
        elif name not in after:
            fresh = [n for n, c in after.items() if n not in before and c.type == channel.type]
            hint = f"{name}={fresh[0] if len(fresh) == 1 else 'VARIABLE'}"
            text = f"the variable `{name}`{_within(path)} is gone"
            text += ", and it has a value" * valued
            yield Change(text, valued, migrate=hint * valued)
        else:
            yield from _variable(name, path, channel, after[name], frontier, valued)
    needed = {} if path else {p.name: p for p in new.params if p.required and p.default is None}
    for name in sorted(after.keys() - before.keys() - set(migration.variables.values())):
        if name in needed and name not in migration.inputs:
            about = f" ({needed[name].description})" if needed[name].description else ""
            yield Change(f"the parameter `{name}`{about} is new and needs a value", True, give=name)
        else:
            yield Change(f"the variable `{name}`{_within(path)} is new")


def _variable(
    name: str, path: str, was: Channel, now: Channel, frontier: Frontier, valued: bool
) -> Iterator[Change]:
    if was.type != now.type:
        unfit = valued and not fits(frontier.values.get(name), now.type)
        text = f"the variable `{name}`{_within(path)} was {was.type}, now {now.type}"
        yield Change(text + ", which its value is not" * unfit, unfit)
    if was.reducer != now.reducer:
        how = f"were put together by {was.reducer}, now {now.reducer}"
        yield Change(f"values of `{name}`{_within(path)} {how}", valued)


def _declarations(path: str, old: GraphSpec, new: GraphSpec) -> Iterator[Change]:
    """Yield what holds for the whole workflow from now on."""
    for name, word in (("limits", "limits"), ("on_error", "rules for failures")):
        if getattr(old, name) != getattr(new, name):
            yield Change(f"the {word}{_within(path)} are different, and hold from now on")
    if old.outputs != new.outputs:
        yield Change(f"the result{_within(path)} is another one: {', '.join(new.outputs)}")


def _at(node: NodeSpec | None) -> str:
    return str(node.place) if node is not None and node.place else ""


def _within(path: str) -> str:
    return f" of `{path}`" if path else ""
