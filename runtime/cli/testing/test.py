"""`flowc test`: run the cases of workflows; say what is not as expected and what none came by."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import Trial
from flowc.compiler.source.snippet import visible

from ...assembly.inputs import RawInputs, type_inputs
from ...assembly.run_options import RunOptions
from ...config.settings import Config, load_config
from ...errors import RunError
from ...files.tempdirs import make_room
from ...models.answer_file import read_script
from ...models.offline import OFFLINE
from ...testing.case import Mismatch, TrialRun, run_trial, write_answers
from ...testing.coverage import Coverage
from ...testing.junit import JunitResult, junit_xml
from .. import flags
from ..app import FINDINGS, OK, USAGE, color_diff, complain, say
from ..delivery import check_deliverable, deliver
from ..locate import is_shipped, locate_answers, locate_team
from ..screen import Screen, Tone, count_of, screen_on, seconds_of
from ..streams import print_result
from .suites import Suite, find_suites, is_mine, near

LIMIT = 60.0
"""Seconds that a case may take."""

Files = Annotated[list[str], typer.Argument(metavar="FILE|NAME|FOLDER", help="what to test")]
Only = Annotated[
    list[str] | None, typer.Option("--only", "-k", metavar="TEXT", help="cases with it in the name")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="cases at a time")]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="a report in XML")]
Seconds = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="what a case may take")
]
AllowExec = Annotated[bool, flags.flag("allow_exec", help="commands need no yes")]
Roots = Annotated[list[str] | None, flags.flag("roots", help="a folder that may be read")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="failures and the last line alone")]


@dataclass(slots=True)
class SuiteResult:
    """A suite with what came of its cases."""

    suite: Suite
    compiled: CompileResult
    runs: list[TrialRun] = field(default_factory=list)
    coverage: Coverage | None = None


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """How cases are run."""

    config: Config
    options: RunOptions
    limit: float
    room: Path
    turns: asyncio.Semaphore


def run_tests(
    files: Files,
    only: Only = None,
    jobs: Jobs = 1,
    junit: Junit = None,
    timeout: Seconds = LIMIT,
    allow_exec: AllowExec = False,
    root: Roots = None,
    as_json: flags.AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Run the cases that workflows have: below `tests:` in flow YAML, or in NAME.flowtest.yaml
    beside a file of any format. Nothing asks a model: answers are scripted or replayed.

    Exit code 0: all is as expected, 1: something is not, 2: there is nothing to test.
    """
    if junit is not None:
        check_deliverable(junit)
    config = load_config(Path.cwd())
    suites, fine = find_suites(files, config.workflows)
    for suite in suites:
        wanted = [t for t in suite.trials if any(text in t.name for text in only or [""])]
        suite.trials = wanted
    suites = [suite for suite in suites if suite.trials]
    if not suites:
        if not fine:
            return FINDINGS
        complain("there are no tests", "write `tests:` in flow YAML, or NAME.flowtest.yaml")
        return USAGE
    options = RunOptions(allow_exec=allow_exec, roots=tuple(root or ()))
    tested = asyncio.run(_test(suites, config, options, timeout, jobs))
    if junit is not None:
        deliver(junit, junit_xml(_junit_results(tested)))
        say(f"report: {junit}")
    if as_json:
        print_result({"suites": [_suite_object(one) for one in tested]})
    else:
        _show(tested, screen_on(sys.stdout), quiet)
    return OK if fine and all(run.passed for one in tested for run in one.runs) else FINDINGS


async def _test(
    suites: list[Suite], config: Config, options: RunOptions, limit: float, jobs: int
) -> list[SuiteResult]:
    with make_room() as room:
        setting = TrialSettings(config, options, limit, room.folder, asyncio.Semaphore(jobs))
        return [await _test_suite(suite, setting) for suite in suites]


async def _test_suite(suite: Suite, setting: TrialSettings) -> SuiteResult:
    tested = SuiteResult(suite, suite.compile(None))
    cases = [_run(suite, trial, number, setting) for number, trial in enumerate(suite.trials)]
    tested.runs = list(await asyncio.gather(*cases))
    try:
        compiled = suite.compile(_team(suite, suite.trials[0]))
    except RunError:  # which its case says
        return tested
    if compiled.ok and compiled.program is not None:
        tested.coverage = Coverage(compiled.spec, compiled.program, compiled.sources)
        for run in tested.runs:
            tested.coverage.add(run.events)
    return tested


async def _run(suite: Suite, trial: Trial, number: int, setting: TrialSettings) -> TrialRun:
    """Run one case; a reason not to run it becomes its error."""
    async with setting.turns:
        try:
            team = _team(suite, trial)
            compiled = suite.compile(team)
            if not compiled.ok or compiled.workflow is None:
                first = next(d for d in compiled.diagnostics if d.severity == "error")
                return TrialRun(trial, error=f"{first.code}: {first.message}")
            raw = RawInputs(dict(trial.inputs or {}))
            inputs = type_inputs(raw, compiled.workflow, compiled.sources)
            options = _options(suite, trial, number, team, setting)
            if trial.answers is None and trial.replay is None and compiled.spec.model == OFFLINE:
                # The rules that it declares are not a model: they say the same each time.
                options = replace(options, answers=None)
            return await run_trial(
                trial, compiled.spec, options, inputs, setting.config, setting.limit
            )
        except RunError as error:
            return TrialRun(trial, error=f"{error.message}\n{error.help}".strip(), diff=error.diff)


def _team(suite: Suite, trial: Trial) -> str | None:
    """Return the team of a case. Raise `RunError` for one that lies elsewhere."""
    team = locate_team(near(trial.team, trial), suite.workflow) if trial.team else None
    return suite.require_inside(team, trial) if team and os.path.exists(team) else team


def _options(
    suite: Suite, trial: Trial, number: int, team: str | None, setting: TrialSettings
) -> RunOptions:
    """Return the options of a case. The configured model never answers in place of a script."""
    answers: str | None = None
    if isinstance(trial.answers, str):
        answers = locate_answers(near(trial.answers, trial), suite.workflow)
        suite.require_inside(answers, trial)
        _require_consent(answers, suite, trial, setting.options)
    elif trial.answers is not None or trial.replay is None:
        name = Path(suite.workflow).name
        answers = write_answers(trial.answers or {}, setting.room / f"{name}-{number}.answers.yaml")
        _require_consent(answers, suite, trial, setting.options)
    replay = suite.require_inside(near(trial.replay, trial), trial) if trial.replay else None
    return replace(setting.options, answers=answers, replay=replay, team=team)


def _require_consent(answers: str, suite: Suite, trial: Trial, options: RunOptions) -> None:
    """Raise `RunError` for a case that says yes to commands in the place of the person, who did not
    say that the folder is theirs."""
    if options.allow_exec or is_shipped(suite.workflow):
        return
    folders = {os.path.dirname(os.path.abspath(f)) for f in (suite.workflow, suite.place(trial)[0])}
    if read_script(answers).allows_commands and not all(map(is_mine, folders)):
        raise RunError(
            "a case says yes to commands, which nobody else has said",
            help="`--allow-exec` does, or `flowc trust --mine`, when the folder is yours",
        )


def _show(tested: list[SuiteResult], screen: Screen, quiet: bool) -> None:
    for one in tested:
        lines = [line for run in one.runs for line in _run_lines(one.suite, run, screen, quiet)]
        if lines or not quiet:
            print(screen.ink(one.suite.workflow, "strong"))
        print(*lines, sep="\n") if lines else None
        if not quiet:
            print(*_coverage_lines(one, screen), sep="\n")
            print()
    runs = [run for one in tested for run in one.runs]
    failed = sum(not run.passed for run in runs)
    word = screen.ink(f"{failed} failed", "bad") if failed else screen.ink("all passed", "good")
    print(f"{count_of(len(runs), 'case')}: {word} · {seconds_of(sum(r.seconds for r in runs))}")


def _run_lines(suite: Suite, run: TrialRun, screen: Screen, quiet: bool) -> list[str]:
    mark = screen.marks.done if run.passed else screen.marks.fail
    tone: Tone = "good" if run.passed else "bad"
    if run.passed and quiet:
        return []
    took = screen.ink(seconds_of(run.seconds), "dim")
    lines = [f"  {screen.ink(mark, tone)} {visible(run.trial.name)}  {took}"]
    if run.passed:
        return lines
    file, line, column = suite.place(run.trial)
    lines.append(f"      --> {file}:{line}:{column}")
    lines += [f"      {visible(text)}" for text in run.error.splitlines()]
    lines += [f"    {text}" for text in color_diff(run.diff)]
    for mismatch in run.mismatches:
        lines += _mismatch_lines(mismatch, screen)
    return lines


def _mismatch_lines(mismatch: Mismatch, screen: Screen) -> list[str]:
    lines = [f"      {mismatch.what}"]
    sides: tuple[tuple[str, str, Tone], ...] = (
        ("expected", mismatch.expected, "good"),
        ("actual  ", mismatch.actual, "bad"),
    )
    for word, text, tone in sides:
        first, *rest = text.splitlines() or [""]
        lines.append(f"        {word}  {screen.ink(visible(first), tone)}")
        lines += [f"                  {screen.ink(visible(more), tone)}" for more in rest]
    return lines


def _coverage_lines(one: SuiteResult, screen: Screen) -> list[str]:
    if one.coverage is None:
        return []
    counts = one.coverage.counts()
    shown = ", ".join(f"{done} of {all} {what}" for what, (done, all) in counts.items() if all)
    gaps = [f"    {gap.place}: {gap.what}" for gap in one.coverage.gaps()]
    return [screen.ink(f"  covered: {shown}", "dim"), *(screen.ink(gap, "warn") for gap in gaps)]


def _suite_object(one: SuiteResult) -> dict[str, Any]:
    coverage = one.coverage
    counts = coverage.counts() if coverage else {}
    return {
        "workflow": one.suite.workflow,
        "cases": [_case_object(one.suite, run) for run in one.runs],
        "coverage": {
            **{what: {"covered": done, "all": all} for what, (done, all) in counts.items()},
            "gaps": [
                {"place": gap.place, "kind": gap.kind, "message": gap.what}
                for gap in (coverage.gaps() if coverage else [])
            ],
        },
    }


def _case_object(suite: Suite, run: TrialRun) -> dict[str, Any]:
    file, line, column = suite.place(run.trial)
    return {
        "name": run.trial.name,
        "file": file,
        "line": line,
        "column": column,
        "passed": run.passed,
        "status": run.outcome.status if run.outcome else None,
        "seconds": round(run.seconds, 6),
        "error": run.error,
        "diff": list(run.diff),
        "mismatches": [
            {"what": m.what, "expected": m.expected, "actual": m.actual} for m in run.mismatches
        ],
    }


def _junit_results(tested: list[SuiteResult]) -> list[JunitResult]:
    cases = []
    for one in tested:
        for run in one.runs:
            file, line, _ = one.suite.place(run.trial)
            failure = "\n".join(
                f"{m.what}: expected {m.expected}, actual {m.actual}" for m in run.mismatches
            )
            error = "\n".join((run.error, *run.diff)) if run.error else ""
            name = run.trial.name
            cases.append(
                JunitResult(one.suite.workflow, name, file, line, run.seconds, failure, error)
            )
    return cases
