"""Convert: a workflow written down in another dialect, and an account of what was lost (FC6001).

The account is taken, not kept: what was written is read again by the dialect's own front end, and
every difference to the workflow is a loss. So nothing is dropped in silence, whatever a writer
knows: a feature that it has never heard of is missing from what comes back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import field, fields, is_dataclass, replace
from pathlib import PurePath
from typing import Any

from .analysis.diff import Difference, Part, differences, rename_nodes
from .analysis.unseen import without_unreached_limit, without_unseen
from .checks import CODES
from .checks.inescapable_loops import inescapable_loops
from .diagnostics.diagnostic import Diagnostic, Sink
from .expr.ast import Call, Literal
from .frontends import by_name
from .ir import EndNode, Program, Workflow
from .reading.protocol import Parsed
from .source.records import dataclass
from .source.source import Source, SourceSet, Span
from .writers.manuscript import Dialect, Manuscript, Rendition

_ADDED_SHOWN = 6
_ROUNDS = 12
"""A title that is not a caption shows when the text is read again; so do those it hid, and what
only details say."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The files by path, the one asked for first, and what they do not say (all FC6001). `renamed`
    has, for each file in which nodes had to take other names, theirs by the old ones."""

    files: Mapping[str, str]
    losses: tuple[Diagnostic, ...]
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def convert_file(parsed: Parsed, source: Source, dialect: Dialect, out: str) -> Conversion:
    """Write the workflow that was read from `source` down in `dialect`, to stand in the file `out`.

    `out` is a path of the same kind as the source's, absolute or relative to the same folder; it
    need not exist, and nothing is written to the disk."""
    assert parsed.workflow is not None
    sink = Sink(CODES)
    files: dict[str, str] = {}
    renamed: dict[str, Mapping[str, str]] = {}
    places: dict[str, str] = {}
    folder = _folder(out, dialect.suffix)
    for name in parsed.parts:
        inside = f"{out}#{name}" if dialect.holds_parts else f"{folder}/{name}{dialect.suffix}"
        places[f"{source.path}#{name}"] = inside
    places[source.path] = out
    workflow = _at(parsed.workflow, places)
    parts = {name: _at(part, places) for name, part in parsed.parts.items()}
    inner = parts if dialect.holds_parts else {}
    books = [Manuscript(workflow, out, inner)]
    if os.path.dirname(out) != os.path.dirname(source.path):
        _report_files(workflow, source, dialect, sink)
    if not dialect.holds_parts:
        books += [Manuscript(p, places[f"{source.path}#{name}"]) for name, p in parts.items()]
    for book in books:
        written, names = _one(book, source, dialect, sink)
        files |= written
        renamed |= {book.path: names} if names else {}
    return Conversion(files, sink.all(), renamed)


def _report_files(workflow: Workflow, source: Source, dialect: Dialect, sink: Sink) -> None:
    """Files are looked for beside the workflow's own: in another folder they are other files."""
    for value in _inside(workflow):
        match value:
            case Call(function="read_file", args=(Literal(value=str(path)), *_)):
                if not os.path.isabs(path):
                    span = value.span or workflow.span or source.span(0)
                    message = f"would read `{path}` from the folder of the written file"
                    sink.report("FC6001", f"{dialect.name} {message}", span)


def _inside(value: object) -> Iterator[Any]:
    """A value of the IR and everything in it."""
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from _inside(item)
    elif is_dataclass(value) and not isinstance(value, type | Span):
        for f in fields(value):
            yield from _inside(getattr(value, f.name))


def _folder(out: str, suffix: str) -> str:
    return out.removesuffix(suffix) if out.endswith(suffix) else os.path.splitext(out)[0]


def _at(workflow: Workflow, places: Mapping[str, str]) -> Workflow:
    return rename_nodes(workflow, {}, places)


def _one(
    manuscript: Manuscript, source: Source, dialect: Dialect, sink: Sink
) -> tuple[dict[str, str], Mapping[str, str]]:
    """Write one workflow, read it again, report what is missing; gives the files and the nodes
    with other names."""
    draft = _final_draft(manuscript, dialect, by_kind=False)
    if dialect.holds_details:
        # With the declarations in place, more nodes can be said in the format's own words.
        declared = frozenset(p for p in draft.manuscript.details if p[0] != "nodes")
        more = _final_draft(replace(manuscript, details=declared), dialect, by_kind=True)
        draft = more if len(more.differences()) <= len(draft.differences()) else draft
    names = draft.names()
    _Account(manuscript, source, dialect, sink).take(names, draft.reading)
    folder = os.path.dirname(manuscript.path)
    files = {manuscript.path: draft.written.text}
    files |= {os.path.join(folder, name): text for name, text in draft.written.files.items()}
    return files, names


def _new_names(
    before: Workflow, after: Workflow | None, names: Mapping[str, str]
) -> Mapping[str, str]:
    """The nodes that are there under another name, theirs by the old one. A format that names its
    ends itself has the same end, where there is but one with this outcome."""
    if after is None:
        return {}
    was, there = ({node.id for node in w.nodes} for w in (before, after))
    found = {old: new for old, new in names.items() if old != new and old in was and new in there}
    for outcome in ("success", "failed"):
        missing = _ends(before, outcome) - there - found.keys()
        added = _ends(after, outcome) - was - {*found.values()}
        if len(missing) == len(added) == 1:
            found[missing.pop()] = added.pop()
    return found


def _ends(workflow: Workflow, outcome: str) -> set[str]:
    ends = (node for node in workflow.nodes if isinstance(node, EndNode))
    return {node.id for node in ends if node.outcome == outcome}


def _read(written: Rendition, manuscript: Manuscript, dialect: Dialect) -> _Reading:
    """Read a text as its dialect reads it, under the name that the workflow has.

    The file's real name is the user's choice, and dialects without names of their own take it."""
    name = PurePath(manuscript.workflow.name or "workflow").name
    folder = os.path.dirname(manuscript.path)
    path = os.path.normpath(os.path.join(folder, name + dialect.suffix))
    beside = {
        os.path.normpath(_at_name(file, manuscript, path, dialect)): text
        for file, text in written.files.items()
    }
    sources = SourceSet(overrides=beside)
    frontend = by_name(dialect.name)
    assert frontend is not None
    sink = Sink(CODES)
    parsed = frontend.parse(sources.add(Source(path, written.text)), sources, sink)
    faults = tuple(d for d in sink.all() if d.severity == "error")
    places = {f"{path}#{part}": f"{manuscript.path}#{part}" for part in parsed.parts}
    workflow = parsed.workflow and _at(parsed.workflow, places)
    return _Reading(workflow, {n: _at(p, places) for n, p in parsed.parts.items()}, faults)


def _at_name(file: str, manuscript: Manuscript, path: str, dialect: Dialect) -> str:
    """The place of a further file when the main one stands at `path`: a folder that has the main
    file's name goes with it."""
    own = os.path.basename(_folder(manuscript.path, dialect.suffix))
    first, *rest = file.split("/")
    if first == own and rest:
        return os.path.join(_folder(path, dialect.suffix), *rest)
    return os.path.join(os.path.dirname(path), file)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What came back."""

    workflow: Workflow | None
    parts: Mapping[str, Workflow]
    faults: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    """What was written, and what came back."""

    manuscript: Manuscript
    written: Rendition
    reading: _Reading

    def names(self) -> Mapping[str, str]:
        """The nodes with other names, these by their own."""
        return _new_names(self.manuscript.workflow, self.reading.workflow, self.written.names)

    def differences(self) -> list[Difference]:
        before, after = self.manuscript.workflow, self.reading.workflow
        return _differences(before, after or Workflow(name=before.name), self.names())

    def lost_parts(self) -> Iterator[set[Part]]:
        """The parts that came back as something else, by what has to be in order before the others
        are judged: nodes of another kind, other nodes, ways out, ends that are missing,
        declarations. A way out belongs to the node that it leaves, also where it leads to a node
        of the format's own."""
        found = self.differences()
        nodes = [one for one in found if one.part[0] == "nodes"]
        workflow = self.manuscript.workflow
        ends = {("nodes", node.id) for node in workflow.nodes if isinstance(node, EndNode)}
        missing = {one.part for one in nodes if one.kind in ("missing", "other kind")}
        yield missing - ends
        yield {one.part for one in nodes if one.kind == "changed"}
        added = {one.part[1] for one in nodes if one.kind == "added"}
        old = {new: name for name, new in self.names().items()}
        edges = self.reading.workflow.edges if self.reading.workflow else ()
        leaving = {old.get(e.source, e.source) for e in edges if e.target in added}
        leaving |= {one.part[1] for one in found if one.part[0] == "edges"}
        yield {("nodes", id) for id in leaving}
        yield missing & ends
        yield {one.part for one in found if one.part[0] not in ("nodes", "edges")}


def _final_draft(manuscript: Manuscript, dialect: Dialect, *, by_kind: bool) -> _Draft:
    """The draft in which nothing more can be corrected."""
    for _ in range(_ROUNDS):
        written = dialect.write(manuscript)
        draft = _Draft(manuscript, written, _read(written, manuscript, dialect))
        manuscript = _correction(draft, dialect, by_kind=by_kind)
        if manuscript == draft.manuscript:
            break
    return draft


def _correction(draft: _Draft, dialect: Dialect, *, by_kind: bool) -> Manuscript:
    """The manuscript with a note of what came back as something else: titles first, then what the
    dialect has a place for beside its own words, nodes of one kind at a time or all."""
    manuscript, workflow = draft.manuscript, draft.manuscript.workflow
    misread = _misread(workflow, draft.written, draft.reading) - manuscript.untitled
    if misread or not dialect.holds_details or draft.reading.workflow is None:
        return replace(manuscript, untitled=manuscript.untitled | misread)
    *nodes, ends, rest = draft.lost_parts()
    groups = [*(nodes if by_kind else [set().union(*nodes)]), ends, rest]
    new = next((parts for group in groups if (parts := group - manuscript.details)), set())
    return replace(
        manuscript,
        details=manuscript.details | new,
        untitled=manuscript.untitled - {name for part, name in new if part == "nodes"},
    )


def _differences(before: Workflow, after: Workflow, names: Mapping[str, str]) -> list[Difference]:
    """What a run, or somebody who looks at the workflow, could tell the two by."""
    back = rename_nodes(after, {new: old for old, new in names.items()}, {})
    back = without_unseen(before, replace(back, name=before.name))
    return differences(without_unreached_limit(before, back), without_unreached_limit(back, before))


def _misread(workflow: Workflow, written: Rendition, reading: _Reading) -> frozenset[str]:
    """The nodes with a title that came back as something else."""
    if reading.workflow is None:
        return frozenset(node.id for node in workflow.nodes if node.title)
    after = {node.id: node for node in reading.workflow.nodes}
    return frozenset(
        node.id
        for node in workflow.nodes
        if node.title
        and (
            (there := after.get(written.names.get(node.id, node.id))) is None
            or replace(there, id=node.id) != node
        )
    )


@dataclass(slots=True)
class _Account:
    """Turns differences into diagnostics at their places in the source, one for each place."""

    manuscript: Manuscript
    source: Source
    dialect: Dialect
    sink: Sink

    def take(self, names: Mapping[str, str], reading: _Reading) -> None:
        for fault in (*reading.faults, *self.circles(reading.workflow)):
            self.report(f"would not accept it: {fault.message}", None)
        self.compare(self.manuscript.workflow, reading.workflow, names)
        for name, part in self.manuscript.parts.items():
            self.compare(part, reading.parts.get(name), {})

    def circles(self, after: Workflow | None) -> Iterator[Diagnostic]:
        """The loops without a way out of a picture that becomes a program."""
        if after and after.entry and not self.manuscript.workflow.entry:
            path = self.manuscript.path
            yield from inescapable_loops(after, Program(entry=path, workflows=((path, after),)))

    def compare(self, before: Workflow, after: Workflow | None, names: Mapping[str, str]) -> None:
        found = _differences(before, after or Workflow(name=before.name), names)
        self.tell(found)
        added = [one.element for one in found if one.kind == "added"]
        if added:
            self.report(f"adds {_enumeration(added, _ADDED_SHOWN)}", before.span)

    def tell(self, found: list[Difference]) -> None:
        """One diagnostic for each place, with everything about it."""
        clauses: dict[Span | None, list[str]] = {}
        unsaid: dict[Span | None, dict[str, list[str]]] = {}
        for one in found:
            if one.kind == "other kind":
                clauses.setdefault(one.span, []).append(f"makes {one.element} {one.became}")
            elif one.kind != "added":
                features = unsaid.setdefault(one.span, {}).setdefault(one.element, [])
                features += [f"the {one.feature}"] if one.feature else []
        for span, elements in unsaid.items():
            things = [f"{_enumeration(f)} of {e}" if f else e for e, f in elements.items()]
            clauses.setdefault(span, []).append(f"cannot say {_enumeration(things)}")
        for span, said in clauses.items():
            self.report(", and ".join(said), span)

    def report(self, message: str, span: Span | None) -> None:
        span = span or self.manuscript.workflow.span or self.source.span(0)
        self.sink.report("FC6001", f"{self.dialect.name} {message}", span)


def _enumeration(things: list[str], limit: int | None = None) -> str:
    """Things in a row, as in `a, b and c`."""
    shown = things[:limit]
    more = len(things) - len(shown)
    shown += [f"{more} more"] if more else []
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
