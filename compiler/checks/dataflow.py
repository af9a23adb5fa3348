"""Dataflow: variables that nothing writes (FC3001), or that some path does not write (FC3002).

    CHECK -->|TRUE| SET_CITY --> PROMPT       PROMPT reads CITY, which is not written
    CHECK -->|FALSE| PROMPT                   on the path START → CHECK → PROMPT

A node that waits for several others comes after all of them.

A value counts as written where its writer has done its work: not on the way a failure takes. What a
parameter, a default or a calling workflow gives is there from the start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cached_property

from .. import ir
from ..analysis.graphs import Dominance, dominators, path_to, reachable
from ..analysis.memo import once_in_program
from ..analysis.variables import (
    Read,
    names_from_callers,
    names_written,
    reads_beside,
    reads_by_name,
    writes_all,
    writes_by_name,
)
from ..analysis.ways import starts, workflows_by_path
from ..analysis.wording import node_name, path_text
from ..diagnostics.diagnostic import MAX_SHOWN, Code, Diagnostic, Fix, Label, Severity
from ..diagnostics.examples import steps
from ..lowering.routes import sources_of_joins
from ..source.records import dataclass
from ..source.source import Span
from ..source.spelling import Spelling
from .check import Check
from .guards import SCOPES, fields_behind

MAX_LABELS = 4
BUDGET = 1_000_000
"""Points looked at by searches for a path that writes nothing. Only a file with many hundred
variables that branches write comes near it; what is left then is not reported."""

_GIVEN = (ir.AssignNode, ir.EndNode, ir.ToolNode, ir.ScriptNode, ir.CallNode)
"""Nodes whose values are expressions; what others have alone may stand in braces."""

Point = int
"""A node before or after it has done its work: twice its place in the workflow, and one more. Only
what may fail and lead on has two; the others read before they write. `_START` leads to all that
begin."""
_START: Point = -1


def undefined_variables(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC3001, once for each name. A warning where the value may come from the caller: the file
    lists the name without writing it; an error where nothing could ever give it a value."""
    undefined = undefined_reads(workflow, program)
    if not undefined:
        return
    listed = {param.name for param in workflow.params} | {f.name for f in workflow.state}
    spelling = Spelling(known_names(workflow))
    fields = fields_behind(workflow, undefined, spelling)
    for name, places in undefined.items():
        node, first = places[0]
        assert first.span is not None
        near = (name in SCOPES and fields.get(name)) or spelling.nearest(name) or fields.get(name)
        if near is None and first.care == "format" and not name.isupper():
            continue  # what the format leaves as written may be prose, unless it looks like a name
        if near is None and all(read.care == "author" for _, read in places):
            continue  # `coalesce(X, 3)`: the author wrote what stands in for it
        unsure = name in listed or first.care == "author"
        severity: Severity = "warning" if unsure else "error"
        writer = _write_place(near, workflow) if near else None
        yield UNDEFINED_VARIABLES.code.diagnostic(
            f"{_reader(node)} {_verb(first)} `{name}`, which nothing writes",
            first.span,
            severity=severity,
            labels=(
                *((Label(writer, "written here"),) if writer else ()),
                *_more([read for _, read in places[1:]], "also read here"),
            ),
            help=f"did you mean `{near}`?" if near else _give(node, first, listed),
            fix=_fix(first, near),
        )


_LOOK_AROUND = """
### 🔧 WORKFLOW STEP: Look around
```
List the files of the project.
```
### 🛠️ TOOL: list_files
### 📤 OUTPUTS:
- result.files → FILES
"""
_READ = """
### 🔧 WORKFLOW STEP: Read
```
Read the most important of [FILES].
```
### 🛠️ TOOL: read_file
### 📥 INPUTS:
- FILES: what there is to read
"""

UNDEFINED_VARIABLES = Check(
    Code("FC3001", "undefined-variable", "error",
        title="A variable that nothing writes.",
        why="It would always be empty; usually the name is misspelt.",
        examples=lambda: (
            steps(f"{_LOOK_AROUND}{_READ.replace('FILES', 'FILE')}"),
            steps(f"{_LOOK_AROUND}{_READ}"),
        ),
    ),
    undefined_variables,
)  # fmt: skip


@once_in_program
def undefined_reads(
    workflow: ir.Workflow, program: ir.Program
) -> dict[str, list[tuple[ir.Node | None, Read]]]:
    """Names that are read in the file and that nothing writes, each with its places in file order.
    A parameter counts as given, unless its use in a node is all that lists it."""
    agents = [node for node in workflow.nodes if isinstance(node, ir.AgentNode) and node.inputs]
    by_use = {entry.span for node in agents for entry in node.inputs}
    names = {param.name for param in workflow.params if param.span not in by_use}
    names |= {entry.name for entry in workflow.state if entry.default is not None}
    names |= names_written(workflow) | names_from_callers(workflow, program)
    names |= _names_from_calls(workflow, program, set())
    found: dict[str, list[tuple[ir.Node | None, Read]]] = {}
    for name, places in reads_by_name(workflow).items():
        if name not in names:
            found[name] = [(workflow.nodes[at], read) for at, read in places if read.span]
    for read in reads_beside(workflow):
        if read.name not in names and read.span is not None:
            found.setdefault(read.name, []).append((None, read))
    return {name: placed for name, placed in found.items() if placed}


def _names_from_calls(workflow: ir.Workflow, program: ir.Program, seen: set[str]) -> set[str]:
    """What calls that return every variable may have given a value: anything, where the called
    workflow is not known."""
    called = workflows_by_path(program)
    names: set[str] = set()
    for node in workflow.nodes:
        if not isinstance(node, ir.CallNode) or not writes_all(node) or node.workflow in seen:
            continue
        target = called.get(node.workflow)
        if target is None:
            return {entry.name for entry in workflow.state}
        seen.add(node.workflow)
        given = (p.name for p in target.params if p.default is not None or p.env is not None)
        defaults = (entry.name for entry in target.state if entry.default is not None)
        names |= names_written(target) | {*given, *defaults}
        names |= _names_from_calls(target, program, seen)
    return names


def known_names(workflow: ir.Workflow) -> set[str]:
    """What a misspelt name may have been meant to be: everything that has a value at some time."""
    params = {param.name for param in workflow.params}
    defaults = {entry.name for entry in workflow.state if entry.default is not None}
    return params | defaults | names_written(workflow)


def _write_place(name: str, workflow: ir.Workflow) -> Span | None:
    """Where a variable is written first: its name's place, or the node's."""
    written = writes_by_name(workflow).get(name, ())
    spans = (write.span or workflow.nodes[at].span for at, write in written)
    return next((span for span in spans if span is not None), None)


def _reader(node: ir.Node | None) -> str:
    return node_name(node) if node is not None else "the workflow"


def _verb(read: Read) -> str:
    return "needs" if read.care == "needed" else "reads"


def _give(node: ir.Node | None, read: Read, listed: set[str]) -> str:
    if read.name in listed:
        return f"write it before, or give it when the workflow is run: `-i {read.name}=…`"
    help = "write it in an earlier node, or list it as a parameter"
    match read.within if _is_bare(read) else "text":
        case "nothing" if isinstance(
            node, _GIVEN
        ):  # YAML and JSON take one pair of quotes for themselves
            return f"{help}; a text has quotes within quotes: `'\"{read.name}\"'`"
        case "expression":
            return f'{help}; a text stands in quotes: `"{read.name}"`'
        case _:
            return help


def _is_bare(read: Read) -> bool:
    """Whether the name stands there without braces around it."""
    return read.span is not None and read.span.end - read.span.start == len(read.name)


def _fix(read: Read, near: str | None) -> Fix | None:
    """Only of a bare name: the braces would be lost."""
    if near is None or read.span is None or not _is_bare(read):
        return None
    return Fix(f"write `{near}`", read.span, near)


def _more(places: Sequence[Read], text: str) -> tuple[Label, ...]:
    spans = dict.fromkeys(read.span for read in places if read.span is not None)
    return tuple(Label(span, text) for span in list(spans)[:MAX_LABELS])


@dataclass(slots=True)
class _Flow:
    """The workflow as a graph of points. `done` are those of the nodes when they have done their
    work."""

    nodes: Sequence[ir.Node]
    after: dict[Point, list[Point]]
    done: list[Point] = field(default_factory=list)
    anything: set[Point] = field(default_factory=set)
    joins: dict[Point, int] = field(default_factory=dict)
    """Points that wait for several nodes, with their number."""


def early_reads(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC3002, once for each variable, at the first place that a path reaches without having
    written it. An error where the node cannot start without the value, a warning where it reads as
    empty."""
    flow = _flow(workflow)
    always = names_from_callers(workflow, program)
    always |= {param.name for param in workflow.params}
    always |= {entry.name for entry in workflow.state if entry.default is not None}
    always |= {a.target for rule in workflow.on_error for a in rule.assignments}
    search = _Search(flow.after, flow.joins)
    written = writes_by_name(workflow)
    for name, places in reads_by_name(workflow).items():
        if name in always or name not in written:
            continue
        writers = {flow.done[at] for at, _ in written[name]}
        early = search.without(writers | flow.anything, places)
        if early:
            yield _early(name, early, writers, _write_place(name, workflow), search, flow)


EARLY_READS = Check(
    Code("FC3002", "use-before-definition", "error",
        title="A variable that is not written on some path.",
        why="On that path the value is missing when it is read.",
        examples=lambda: (steps(f"{_READ}{_LOOK_AROUND}"), steps(f"{_LOOK_AROUND}{_READ}")),
    ),
    early_reads,
)  # fmt: skip


def _flow(workflow: ir.Workflow) -> _Flow:
    point = {node.id: 2 * number for number, node in enumerate(workflow.nodes)}
    begins = [point[id] for id in starts(workflow)[:1] if id in point]
    failing = {edge.source for edge in workflow.edges if isinstance(edge.guard, ir.OnError)}
    flow = _Flow(workflow.nodes, {_START: begins})
    for node in workflow.nodes:
        begun = done = point[node.id]
        if node.id in failing:
            done = begun + 1
            flow.after[begun] = [done]
        flow.after[done] = []
        flow.done.append(done)
        if writes_all(node):
            flow.anything.add(done)
        if isinstance(node, ir.EndNode):
            handler = workflow.on_success if node.outcome == "success" else workflow.on_failed
            if handler in point:
                flow.after[done].append(point[handler])
    for target, sources in sources_of_joins(workflow).items():
        flow.joins[point[target]] = len(sources)
    for edge in workflow.edges:
        if edge.source in point and edge.target in point:
            worked = edge.source in failing and not isinstance(edge.guard, ir.OnError)
            flow.after[point[edge.source] + worked].append(point[edge.target])
    return flow


class _Search:
    """Finds places that a path reaches without passing any of some points.

    Nearly always one look at a dominator or at one tree of shortest paths decides; a search of its
    own is made only where branches join. A point that waits for several nodes is reached when all
    of them have led to it: what one of them has written is written there."""

    def __init__(self, after: dict[Point, list[Point]], joins: dict[Point, int]) -> None:
        self.after = after
        self.joins = joins
        self._always_passed = Dominance(_START, dominators(_START, after))
        self._left = BUDGET
        self.reports = 0

    @cached_property
    def _tree(self) -> dict[Point, Point | None]:
        return reachable([_START], self.after)

    @cached_property
    def _tree_paths(self) -> Dominance[Point]:
        edges = {point: above for point, above in self._tree.items() if above is not None}
        return Dominance(_START, edges)

    @cached_property
    def _behind_join(self) -> set[Point]:
        found: set[Point] = set()
        for point, above in self._tree.items() if self.joins else ():
            if point in self.joins or above in found:  # a point comes after the one above it
                found.add(point)
        return found

    def without(
        self, stops: set[Point], places: list[tuple[int, Read]]
    ) -> list[tuple[Point, Read, tuple[Point, ...]]]:
        """The places, with the numbers of their nodes, that a path reaches round all `stops`, each
        with such a path."""
        found: list[tuple[Point, Read, tuple[Point, ...]]] = []
        around: dict[Point, Point | None] | None = None
        is_passed = self._always_passed.any_above(stops)
        is_on_path: Callable[[Point], bool] | None = None
        for number, read in places:
            if read.span is None or read.care == "author":
                continue
            point = 2 * number
            if is_passed(point) or point not in self._tree:
                continue
            tree = self._tree
            is_on_path = is_on_path or self._tree_paths.any_above(stops)
            if is_on_path(point) or point in self._behind_join:
                if around is None:
                    if self._left <= 0:
                        continue
                    around = self._around(stops)
                    self._left -= len(around)
                if point not in around:
                    continue
                tree = around
            detailed = not found and self.reports < MAX_SHOWN
            found.append((point, read, path_to(point, tree) if detailed else ()))
        return found

    def _around(self, stops: set[Point]) -> dict[Point, Point | None]:
        """What paths reach that end at the stops, each point with the one before it."""
        found: dict[Point, Point | None] = {_START: None}
        arrived: dict[Point, set[int]] = {}
        waiting = deque(found)
        while waiting:
            point = waiting.popleft()
            if point in stops:
                continue
            for target in self.after.get(point, ()):
                if target in self.joins:
                    there = arrived.setdefault(target, set())
                    there.add(point // 2)
                    if len(there) < self.joins[target]:
                        continue
                if target not in found:
                    found[target] = point
                    waiting.append(target)
        return found

    def leads(self, sources: set[Point], point: Point) -> bool:
        """Whether a path leads on from one of the sources to the point."""
        return point in reachable({t for s in sources for t in self.after.get(s, ())}, self.after)


def _early(
    name: str,
    early: list[tuple[Point, Read, tuple[Point, ...]]],
    writers: set[Point],
    written_at: Span | None,
    search: _Search,
    flow: _Flow,
) -> Diagnostic:
    point, first, path = early[0]
    assert first.span is not None
    search.reports += 1
    way = [flow.nodes[at // 2] for at in path if at != _START and at % 2 == 0]
    sometimes = len(way) > 1 and search.leads(writers, point)
    return EARLY_READS.code.diagnostic(
        f"{node_name(flow.nodes[point // 2])} {_verb(first)} `{name}`, "
        + ("which not every path has written" if sometimes else "which is written only later"),
        first.span,
        severity="error" if first.care == "needed" else "warning",
        labels=(
            *((Label(written_at, "written here"),) if written_at else ()),
            *_more([read for _, read, _ in early[1:]], "also read here"),
        ),
        notes=(f"not written on the path {path_text(way)}",) if len(way) > 1 else (),
        help="write it on that path as well, or give it a value at the start"
        if sometimes
        else "write it before it is read",
    )
