"""Link: read every workflow that is called, directly or through others, into one Program.

A call names a file beside the calling one, or a workflow inside a file as `file#name`. A missing
file is FC2001, a circle of calls FC2009; both point at the call.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from ..diagnostics.diagnostic import Label, Sink
from ..frontends import detect
from ..ir import CallNode, ForeachNode, Program, Workflow
from ..source.records import dataclass
from ..source.source import SourceSet, Unreadable
from ..source.spelling import Spelling

Caller = CallNode | ForeachNode
MAX_NAMES = 500
"""Of a folder, names of files that are compared with one that is not there."""
MAX_DEPTH = 50
"""Calls within calls; each is a graph within a graph when the program runs."""


def link(
    main: Workflow,
    path: str,
    sources: SourceSet,
    sink: Sink,
    parts: Mapping[str, Workflow] | None = None,
) -> Program:
    """The program that begins with `main`, which was read from `path`. `parts` are the further
    workflows of that file; they belong to the program whether or not something calls them."""
    linker = _Linker(sources, sink, {path: main}, {path: parts or {}})
    linker.follow(main, path, (path,))
    for name, part in (parts or {}).items():
        inner = f"{path}#{name}"
        if inner not in linker.found:
            linker.found[inner] = part
            linker.follow(part, inner, (inner,))
    return Program(entry=path, workflows=tuple(linker.found.items()))


@dataclass(slots=True)
class _Linker:
    """`found` are the workflows of the program, `parts` those that stand in the files read so far,
    by file and name."""

    sources: SourceSet
    sink: Sink
    found: dict[str, Workflow]
    parts: dict[str, Mapping[str, Workflow]]

    def follow(self, workflow: Workflow, path: str, chain: tuple[str, ...]) -> None:
        for node in workflow.nodes:
            if not isinstance(node, Caller):
                continue
            target = node.workflow
            if target in chain:
                _report_circle(node, chain[chain.index(target) :], self.found, self.sink)
            elif len(chain) >= MAX_DEPTH:
                _report_depth(node, self.sink)
            elif target not in self.found:
                called = self._part(node) or self._read(node, target, path)
                if called is not None:
                    self.found[target] = called
                    self.follow(called, target, (*chain, target))

    def _part(self, node: Caller) -> Workflow | None:
        """The workflow `path#name`; None when there is no such part."""
        file, _, name = node.workflow.rpartition("#")
        if file and file not in self.parts and not self.sources.exists(node.workflow):
            self.parts[file] = self._parts_of(file)
        return self.parts.get(file, {}).get(name)

    def _parts_of(self, file: str) -> Mapping[str, Workflow]:
        try:
            source = self.sources.read(file)
        except Unreadable:
            return {}
        claims = detect(source)
        return claims[0].parse(source, self.sources, self.sink).parts if claims else {}

    def _read(self, node: Caller, target: str, caller: str) -> Workflow | None:
        """The workflow in a file; None when there is none."""
        sources, sink = self.sources, self.sink
        span = node.target_span or node.span or sources.read(caller).span(0)
        try:
            source = sources.read(target)
        except Unreadable as error:
            shown = os.path.relpath(target, os.path.dirname(caller) or ".")
            missing = error.reason == "not found"
            reason = "which is not there" if missing else f"which {error.reason}"
            help = self._suggest(target, caller) if missing else error.help
            message = f"`{node.id}` calls `{shown}`, {reason}"
            sink.report("FC2001", message, span, help=help or "name the file of a workflow")
            return None
        claims = detect(source)
        if not claims:
            message = f"`{node.id}` calls `{target}`, which is not a workflow"
            sink.report("FC2001", message, span, help="name the file of a workflow")
            return None
        parsed = claims[0].parse(source, sources, sink)
        is_read = not sink.is_broken(target)
        if parsed.workflow is not None and parsed.not_run is not None and is_read:
            sink.report(
                "FC2001",
                f"`{node.id}` calls `{target}`, which {parsed.not_run.reason}",
                span,
                help="call a workflow",
            )
            return None
        return parsed.workflow

    def _suggest(self, target: str, caller: str) -> str:
        near = Spelling(self.parts.get(caller.partition("#")[0], {})).nearest(Path(target).name)
        if near:
            return f"did you mean `{near}`?"
        found = self.sources.names_in(os.path.dirname(target), MAX_NAMES)
        names = {name.split(".")[0]: name for name in found}
        close = difflib.get_close_matches(Path(target).name.split(".")[0], names, n=1)
        return (
            f"did you mean `{names[close[0]]}`?" if close else "create the file or correct the name"
        )


def _report_depth(node: Caller, sink: Sink) -> None:
    span = node.target_span or node.span
    if span is not None:
        sink.report(
            "FC2009",
            f"`{node.id}` is the {MAX_DEPTH}th call within a call",
            span,
            help=f"let workflows call each other less than {MAX_DEPTH} deep",
        )


def _report_circle(
    node: Caller, circle: tuple[str, ...], found: dict[str, Workflow], sink: Sink
) -> None:
    if node.span is None:
        return
    names = [os.path.basename(path) for path in (*circle, circle[0])]
    message = (
        f"`{names[0]}` calls itself"
        if len(circle) == 1
        else f"a circle of calls: {' → '.join(names)}"
    )
    labels = tuple(
        Label(call.span, f"calls `{os.path.basename(call.workflow)}`")
        for path in circle
        for call in found[path].nodes
        if isinstance(call, Caller)
        and call.workflow in circle
        and call.span not in (None, node.span)
        if call.span is not None
    )
    sink.report(
        "FC2009", message, node.span, labels=labels, help="use an edge back instead of a call"
    )
