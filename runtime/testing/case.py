"""One case of `flowc test`: run the workflow, hold what came of it against what was expected."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from flowc.compiler.expr.show import show
from flowc.compiler.ir import Trial
from flowc.compiler.lowering.graphspec import GraphSpec

from ..assembly.lazy import make_services, open_engine
from ..assembly.run_options import RunOptions
from ..config.settings import Config
from ..errors import Failure, RunError
from ..events import RunEvent
from ..services import Json, Outcome
from ..state.scope import Scope
from .normalize import canonical_events


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The expected and the actual, as texts of one line or more."""

    what: str
    expected: str
    actual: str


@dataclass(slots=True)
class TrialRun:
    """The run of a case. Without an outcome it could not be run, or not to its end: `error`
    says why, with a `diff` when a recording differs."""

    trial: Trial
    seconds: float = 0.0
    outcome: Outcome | None = None
    events: list[RunEvent] = field(default_factory=list)
    error: str = ""
    diff: tuple[str, ...] = ()
    mismatches: list[Mismatch] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.error and not self.mismatches


async def run_trial(
    trial: Trial,
    spec: GraphSpec,
    options: RunOptions,
    inputs: dict[str, Json],
    config: Config,
    limit: float,
) -> TrialRun:
    """Run a case in a store of its own that is kept nowhere, for `limit` seconds at most."""
    run, began = TrialRun(trial), time.monotonic()
    try:
        services = make_services(options, spec, config)
        async with asyncio.timeout(limit), open_engine("memory:") as engine:
            run.outcome = await engine.start(
                spec,
                services,
                run="test",
                inputs=inputs,
                options={},
                listeners=(run.events.append,),
            )
    except TimeoutError:
        run.error = f"it was not through after {limit:g} s"
    except RunError as error:
        run.error = f"{error.message}\n{error.help}".strip()
        run.diff = error.diff
    run.seconds = time.monotonic() - began
    if run.outcome is not None:
        run.mismatches = mismatches(trial, run.outcome, run.events, spec)
    return run


def write_answers(answers: Json, path: Path) -> str:
    """Write answers of a case to the file that `--answers` takes. Return its path."""
    path.write_text(yaml.safe_dump(answers, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return str(path)


def mismatches(
    trial: Trial, outcome: Outcome, events: list[RunEvent], spec: GraphSpec
) -> list[Mismatch]:
    """Return everything that differs from what the case expects."""
    faults: list[Mismatch] = []
    error = str((outcome.error or {}).get("message", "")) or _last_failure(events)
    if outcome.status != trial.status:
        more = f": {error}" if error else ""
        questions = "".join(f"\nwaits: {q.name}: {q.text}" for q in outcome.questions)
        faults.append(Mismatch("status", trial.status, f"{outcome.status}{more}{questions}"))
    if trial.error and trial.error not in error:
        faults.append(Mismatch("error", f"… {trial.error} …", error or "none"))
    if trial.result is not None and outcome.result != trial.result:
        faults.append(Mismatch("result", _text(trial.result), _text(outcome.result)))
    for name, expected in (trial.variables or {}).items():
        actual = outcome.variables.get(name)
        if name not in outcome.variables:
            faults.append(
                Mismatch(f"variable {name}", _text(expected), "there is no such variable")
            )
        elif actual != expected:
            faults.append(Mismatch(f"variable {name}", _text(expected), _text(actual)))
    visited = [str(e["at"]) for e in canonical_events(events) if e["kind"] == "node_started"]
    faults += _paths(trial, visited, spec)
    values = {**outcome.variables, "result": outcome.result, "status": outcome.status}
    for condition in trial.holds:
        reason = _holds(Scope(values), condition)
        if reason:
            faults.append(Mismatch("holds", show(condition), reason))
    return faults


def _paths(trial: Trial, visited: list[str], spec: GraphSpec) -> list[Mismatch]:
    faults = []
    way = " → ".join(visited)
    if trial.complete:
        quiet = {node.id for node in spec.nodes if node.op.kind == "end"} | _begins(spec)
        path = [node for node in visited if node not in quiet or node in trial.path]
        if path != list(trial.path):
            faults.append(Mismatch("path", " → ".join(trial.path), " → ".join(path)))
    else:
        rest = iter(visited)
        gap = next((node for node in trial.path if node not in rest), None)
        if gap is not None:
            expected = " → ".join(f"[{n}]" if n == gap else n for n in trial.path)
            faults.append(Mismatch("path", expected, way))
    for node in trial.avoids:
        if node in visited:
            faults.append(Mismatch("avoids", f"not {node}", way))
    return faults


def _begins(spec: GraphSpec) -> set[str]:
    """Return the node at which it begins, where that only sets variables."""
    return {n.id for n in spec.nodes if n.id == spec.entry and n.op.kind == "assign"}


def _holds(scope: Scope, condition: Any) -> str:
    """Return why a condition does not hold; "" when it does."""
    try:
        value = scope.value(condition)
    except Failure as failure:
        return failure.message
    return "" if value is True else _text(value)


def _last_failure(events: list[RunEvent]) -> str:
    failed = [str(e.data.get("message", "")) for e in events if e.kind == "node_failed"]
    return failed[-1] if failed else ""


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
