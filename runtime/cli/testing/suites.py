"""Finds the cases of `flowc test`: below `tests:` of flow YAML, and in `NAME.flowtest.yaml`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from flowc.compiler.checks import CODES
from flowc.compiler.companions import ANSWERS, CASES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import CompileResult
from flowc.compiler.frontends.flow.document import read_trials
from flowc.compiler.ir import Trial
from flowc.compiler.source.door import lies_in
from flowc.compiler.source.source import SourceSet, Unreadable

from ...assembly.granted_sources import compile_granted
from ...config.trust_record import TrustRecord
from ...errors import RunError
from ...files.workflow_files import MOST_WORKFLOWS, may_be_workflow, suffixes, walk_files
from ..authoring.check import show_diagnostics
from ..locate import locate, name_of

_FLOW = (".flow.yaml", ".flow.yml")


@dataclass(slots=True)
class Suite:
    """The cases of one workflow. `files` are those they stand in; paths in a case count from
    there."""

    workflow: str
    trials: list[Trial] = field(default_factory=list)
    sources: SourceSet = field(default_factory=SourceSet)
    compiled: dict[str | None, CompileResult] = field(default_factory=dict)

    def place(self, trial: Trial) -> tuple[str, int, int]:
        """Return file, line and column of a case."""
        source = self.sources.get(trial.span.file) if trial.span else None
        if trial.span is None or source is None:
            return self.workflow, 1, 1
        at = source.position(trial.span.start)
        return source.path, at.line, at.column

    def require_inside(self, path: str, trial: Trial) -> str:
        """Return the path of a file that a case reads. Raise `RunError` for one elsewhere."""
        return require_inside(path, self.workflow, self.place(trial)[0])

    def compile(self, team: str | None) -> CompileResult:
        """Return the workflow with a team, compiled once."""
        if team not in self.compiled:
            self.compiled[team] = compile_granted(self.workflow, team=team)
        return self.compiled[team]


def find_suites(targets: Iterable[str], workflows: tuple[str, ...]) -> tuple[list[Suite], bool]:
    """Return the suites with cases of files, names and folders, and whether every file could be
    read; faults are shown. Raise `RunError` for a missing target."""
    suites: dict[str, Suite] = {}
    seen: set[str] = set()
    fine = True
    for path in _files(targets, workflows):
        if path in seen:
            continue
        seen.add(path)
        fine = _add(path, suites, seen) and fine
    return [suite for suite in suites.values() if suite.trials], fine


def _files(targets: Iterable[str], workflows: tuple[str, ...]) -> Iterator[str]:
    for target in targets:
        if not os.path.isdir(target):
            file = target if os.path.exists(target) else locate(target, workflows)
            yield os.path.normpath(file)
            continue
        files = walk_files(target, (CASES, *_FLOW), most=MOST_WORKFLOWS)
        yield from map(os.path.normpath, files)


def _add(path: str, suites: dict[str, Suite], seen: set[str]) -> bool:
    """Add the cases of one file, and those in the file of cases beside it."""
    if path.endswith(CASES):
        return _add_file(path, suites)
    suite = suites.setdefault(path, Suite(path))
    compiled = suite.compile(None)
    if not compiled.ok or compiled.workflow is None:
        show_diagnostics(compiled.diagnostics, compiled.sources)
        del suites[path]
        return False
    suite.trials += compiled.workflow.trials
    for source in compiled.sources.files.values():
        suite.sources.add(source)
    beside = os.path.join(os.path.dirname(path), name_of(path) + CASES)
    if os.path.exists(beside) and beside not in seen:
        seen.add(beside)
        require_inside(beside, path)
        return _add_file(beside, suites)
    return True


def _add_file(path: str, suites: dict[str, Suite]) -> bool:
    _require_below(path, path, f"`{path}` leads out of its folder")
    sink, sources = Sink(CODES), SourceSet()
    try:
        source = sources.read(path)
    except Unreadable as error:
        raise RunError(f"`{path}` {error.reason}") from None
    cases = read_trials(source, sources, sink)
    workflow = ""
    if not sink.has_errors:
        workflow = _workflow_of(path, cases.workflow)
        if not workflow:
            named = cases.workflow
            message = (
                f"there is no file `{named}`" if named else "there is no workflow of this name"
            )
            help = "write `workflow:` and the file's name, as seen from here"
            sink.report("FC2001", message, cases.span, help=help)
    if sink.has_errors:
        show_diagnostics(sink.all(), sources)
        return False
    suite = suites.setdefault(workflow, Suite(workflow))
    suite.trials += cases.trials
    suite.sources.add(source)
    return True


def _workflow_of(path: str, named: str | None) -> str:
    """Return the workflow that a file of cases is for; "" when it is missing."""
    folder, base = os.path.split(path)
    if named is not None:
        file = os.path.normpath(os.path.join(folder, named))
        _require_below(file, path, f"`{path}` has cases for `{named}`, which is elsewhere")
        return file if os.path.isfile(file) else ""
    name = base.removesuffix(CASES)
    for suffix in sorted(suffixes(), key=len, reverse=True):
        beside = os.path.join(folder, name + suffix)
        is_answers = beside.endswith(ANSWERS)
        if os.path.isfile(beside) and not is_answers and may_be_workflow(beside):
            return os.path.normpath(beside)
    return ""


def near(path: str, trial: Trial) -> str:
    """Return a path of a case as seen from the working folder; a name stays a name."""
    folder = os.path.dirname(trial.span.file) if trial.span else ""
    return os.path.normpath(Path(folder, path)) if os.sep in path or "." in path else path


def require_inside(path: str, *beside: str) -> str:
    """Return a path that a case names. Raise `RunError` unless it lies, links resolved, in the
    folder of one of the files `beside`, or below it, or one of these folders is the user's own."""
    if not _lies_near(path, beside):
        raise RunError(
            f"a case reads `{path}`, which lies outside of its workflow's folder",
            help="put the file there, or `flowc trust --mine`, when the folder is yours",
        )
    return path


def _require_below(file: str, cases: str, fault: str) -> None:
    """Raise `RunError` unless a file that is read for a file of cases lies beside it or below."""
    if not _lies_near(file, (cases,)):
        raise RunError(
            f"{fault}: cases are for a workflow in their own folder, or below it",
            help="put both into one folder, or `flowc trust --mine`, when the folder is yours",
        )


def _lies_near(path: str, beside: Iterable[str]) -> bool:
    real, folders = os.path.realpath(path), [os.path.realpath(os.path.dirname(f)) for f in beside]
    return any(lies_in(real, folder) for folder in folders) or any(map(is_mine, folders))


def is_mine(folder: str) -> bool:
    """Tell whether a folder is the user's own, by their record."""
    return TrustRecord.read().is_mine(folder)
