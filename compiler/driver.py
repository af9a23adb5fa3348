"""The whole pipeline on one screen: text -> Workflow -> Program -> diagnostics, and GraphSpec.

`compile_file` and `compile_text` never raise for what a user wrote: every fault is in
`CompileResult.diagnostics`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .catalog.catalog import Catalog, HostEntry, load_catalog
from .checks import CHECKS, CODES
from .checks.check import Check
from .companions import companion
from .diagnostics.allowances import apply_allowances
from .diagnostics.diagnostic import Diagnostic, Sink
from .frontends import FRONTENDS, by_name, detect, is_workflow
from .ir import Program, Workflow
from .linking.link import link
from .linking.resolve import resolve
from .reading.protocol import Frontend, Parsed
from .reading.unseen import report_unseen, without_followers
from .source.gc_pause import collector_at_rest
from .source.records import dataclass
from .source.source import Source, SourceSet, Unreadable

if TYPE_CHECKING:
    from .lowering.graphspec import GraphSpec


@dataclass(frozen=True)
class CompileResult:
    """What a compilation gives. `program` is None when no workflow could be read at all; `ok` says
    that there is no error, only then may `spec` be asked for."""

    path: str
    frontend: Frontend | None
    parsed: Parsed | None
    program: Program | None
    diagnostics: tuple[Diagnostic, ...]
    sources: SourceSet

    @property
    def ok(self) -> bool:
        return self.program is not None and not any(d.severity == "error" for d in self.diagnostics)

    @property
    def workflow(self) -> Workflow | None:
        return self.program.main if self.program else None

    @cached_property
    def spec(self) -> GraphSpec:
        """The lowered program. Only for a compilation without errors."""
        from .lowering.lower import lower

        assert self.ok
        assert self.program is not None
        with collector_at_rest():
            return lower(self.program, self.sources)

    def summary(self) -> dict[str, Any]:
        """What `flowc inspect --json` prints: see `summary.summarize` and `worst_case`."""
        from .analysis.worst_case import worst_case
        from .summary import summarize

        frontend = self.frontend.name if self.frontend else None
        found = (self.parsed, self.workflow, self.diagnostics, self.sources)
        bounds = asdict(worst_case(self.program)) if self.program and self.ok else None
        return {**summarize(self.path, frontend, *found), "bounds": bounds}


def compile_file(
    path: str,
    *,
    format: str | None = None,
    sources: SourceSet | None = None,
    catalog: Catalog | None = None,
    host: Sequence[HostEntry] = (),
    team: str | None = None,
    strict: bool = False,
    checks: Sequence[Check] = CHECKS,
) -> CompileResult:
    """Compile a file. `format` names a front end and switches detection off; `host` are the
    tools and functions that a program brings beside those that are known; `team` is the file of
    the team that does its tasks, or `people`; `strict` asks for what only careful people want to
    hear."""
    sources = sources or SourceSet()
    path = os.path.normpath(path)
    sink = Sink(CODES)
    try:
        source = sources.begin(path)
    except Unreadable as error:
        source = sources.add(Source(path, ""))
        sink.report(
            "FC0001",
            f"`{path}` {error.reason}",
            source.span(0),
            help=error.help or _unreadable_help(error.reason),
        )
        return CompileResult(path, None, None, None, sink.all(), sources)
    with collector_at_rest():
        return _compile(
            source, format, sources, catalog, sink, team, strict, checks=checks, host=host
        )


class Cancelled(Exception):
    """The compilation is not wanted any more: its caller said so while it ran."""


def compile_text(
    text: str,
    path: str = "<text>",
    *,
    format: str | None = None,
    sources: SourceSet | None = None,
    catalog: Catalog | None = None,
    host: Sequence[HostEntry] = (),
    team: str | None = None,
    strict: bool = False,
    cancelled: Callable[[], bool] = bool,
) -> CompileResult:
    """Compile a text as if it stood in the file `path` (which need not exist). Raises `Cancelled`
    soon after `cancelled` gives true."""
    sources = sources or SourceSet()
    source = sources.add(Source(path, text.removeprefix("\ufeff")))
    sources.entry = path
    with collector_at_rest():
        sink = Sink(CODES)
        return _compile(source, format, sources, catalog, sink, team, strict, cancelled, host=host)


def _compile(
    source: Source,
    format: str | None,
    sources: SourceSet,
    catalog: Catalog | None,
    sink: Sink,
    team: str | None,
    strict: bool = False,
    cancelled: Callable[[], bool] = bool,
    checks: Sequence[Check] = CHECKS,
    host: Sequence[HostEntry] = (),
) -> CompileResult:
    frontend = _choose_frontend(source, format, sink)
    if frontend is None:
        report_unseen((source,), sink)
        return CompileResult(source.path, None, None, None, without_followers(sink.all()), sources)
    parsed = frontend.parse(source, sources, sink)
    program = None
    if cancelled():
        raise Cancelled
    if parsed.workflow is not None:
        program = link(parsed.workflow, source.path, sources, sink, parsed.parts)
        faults = _reading_faults(sink, program)
        if team is not None:
            program = _with_team(program, team, sources, sink)
        catalog = catalog if catalog is not None else load_catalog(source.path, sources, sink)
        catalog = catalog.with_host(host)
        program = resolve(program, catalog, sink)
        asked = [check for check in checks if _is_asked_for(check, strict, sources)]
        for path, workflow in program.workflows:
            for check in asked:
                if cancelled():
                    raise Cancelled
                if check.applies(faults[path]):
                    sink.extend(list(check.run(workflow, program)))
    report_unseen(sources.files.values(), sink)
    found = without_followers(apply_allowances(sink.all(), sources, CODES))
    diagnostics = _apply_strict(found, strict)
    return CompileResult(source.path, frontend, parsed, program, diagnostics, sources)


def _is_asked_for(check: Check, strict: bool, sources: SourceSet) -> bool:
    """Return whether anybody hears what a check finds: one for careful people alone counts without
    them only where a file may hold an allowance for it."""
    if strict or check.code.strict != "only":
        return True
    return any(check.code.id in source.text for source in sources.files.values())


def _apply_strict(found: tuple[Diagnostic, ...], strict: bool) -> tuple[Diagnostic, ...]:
    """The diagnostics as `strict` has them. An allowance counts with and without it, so this comes
    after them."""
    if not strict:
        return tuple(d for d in found if d.rule.strict != "only")
    return tuple(replace(d, severity="error") if d.rule.strict == "error" else d for d in found)


def _with_team(program: Program, team: str, sources: SourceSet, sink: Sink) -> Program:
    from .team import PEOPLE, everyone_is_a_person, read_team, with_team

    if team == PEOPLE:
        return everyone_is_a_person(program)
    return with_team(program, read_team(team, sources, sink))


def _reading_faults(sink: Sink, program: Program) -> dict[str, set[str]]:
    """For each workflow's file the codes of the errors in it so far. Those in a text that others
    include count for all."""
    found: dict[str, set[str]] = {path: set() for path, _ in program.workflows}
    own: dict[str, list[str]] = {path: [path] for path in found}
    for path in found:
        for mark in (at for at, sign in enumerate(path) if sign == "#"):
            own.setdefault(path[:mark], []).append(path)
    errors = {(d.primary.file, d.code): None for d in sink.all() if d.severity == "error"}
    for file, code in errors:
        for path in own.get(file, found):
            found[path].add(code)
    return found


def _choose_frontend(source: Source, format: str | None, sink: Sink) -> Frontend | None:
    if "\r" in source.text.rstrip() and "\n" not in source.text:
        sink.report(
            "FC0001",
            f"`{source.path}` is one line: its lines end with carriage returns alone",
            source.span(0),
            help="save the file with the line ends of Unix or Windows",
        )
        return None
    if format is not None:
        names = ", ".join(f.name for f in FRONTENDS)
        frontend = by_name(format)
        if frontend is None:
            sink.report(
                "FC1007",
                f"there is no format `{format}`",
                source.span(0),
                severity="error",
                help=f"one of: {names}",
            )
        return frontend
    beside = companion(source.path)
    if beside is not None and source.text.strip() and not is_workflow(source):
        about = f"`{source.path}` {beside.holds} and no workflow"
        sink.report("FC1008", about, source.span(0), help=beside.help.format(source.path))
        return None
    claims = detect(source)
    if not claims:
        what = "is empty" if not source.text.strip() else "is in no format that flowc reads"
        sink.report(
            "FC1008",
            f"`{source.path}` {what}",
            source.span(0),
            help=_empty_help(source),
        )
        return None
    if len(claims) > 1 and claims[0].claims(source) == claims[1].claims(source):
        others = ", ".join(f.name for f in claims[1:])
        sink.report(
            "FC1007",
            f"read as {claims[0].name}, but {others} would fit as well",
            source.span(0),
            help=f"say which with `--from {claims[0].name}`",
        )
    return claims[0]


def _empty_help(source: Source) -> str:
    if source.text.strip():
        names = ", ".join(f.name for f in FRONTENDS)
        return f"say which format it is with `--from`: {names}"
    if source.path.endswith(".json"):
        return "write a state machine or a contract: one JSON object"
    return "begin a step with `### 🔧 WORKFLOW STEP: name`, or draw a flowchart below `# Workflow`"


def _unreadable_help(reason: str) -> str:
    if "UTF-8" in reason:
        return "save the file as UTF-8"
    if "folder" in reason:
        return "name a file, or give the folder to `flowc check`"
    return "check the path"
