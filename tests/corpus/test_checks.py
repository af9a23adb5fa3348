"""A golden counts only if it fails when the check it is for is taken out."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.compiler import driver
from flowc.compiler.checks import CHECKS
from flowc.compiler.checks.bindings import missing_roles, unknown_tools
from flowc.compiler.checks.bounds import unbounded_loops
from flowc.compiler.checks.branches import hidden_branches, open_branches
from flowc.compiler.checks.budgets import missing_budgets
from flowc.compiler.checks.conflicts import parallel_writes
from flowc.compiler.checks.dataflow import early_reads, undefined_variables
from flowc.compiler.checks.effects import unsafe_effects
from flowc.compiler.checks.guards import bad_expressions
from flowc.compiler.checks.joins import endless_waits
from flowc.compiler.checks.mismatches import mismatches
from flowc.compiler.checks.reachability import unreachable_steps
from flowc.compiler.checks.termination import inescapable_loops
from flowc.compiler.checks.unused import unused_outputs
from flowc.compiler.driver import compile_file

HERE = Path(__file__).parent
BY_CODE = {
    "fc2002": unreachable_steps,
    "fc2003": endless_waits,
    "fc2005": inescapable_loops,
    "fc2006": unbounded_loops,
    "fc2007": open_branches,
    "fc2008": hidden_branches,
    "fc3001": undefined_variables,
    "fc3002": early_reads,
    "fc3003": unused_outputs,
    "fc3004": parallel_writes,
    "fc3005": mismatches,
    "fc3006": bad_expressions,
    "fc4001": unknown_tools,
    "fc4002": missing_roles,
    "fc5001": unsafe_effects,
    "fc5002": missing_budgets,
}
BY_READER = {
    "flowchart/err/fc3001-variable-nobody-sets",
    "flowchart/err/fc3006-path-with-a-variable",
    "machine/err/fc4001-missing-functions",
    "machine/err/fc4001-no-script",
    "plan/err/fc3001-path-nobody-writes",
    "plan/err/fc3002-output-of-a-later-step",
    "plan/err/fc3003-output-passed-over",
}
"""Reported by the reader: no expression and no name remains that a check could look at."""


def name(case: Path) -> str:
    return case.relative_to(HERE).as_posix()


CASES = [
    case
    for case in sorted(HERE.glob("*/err/*/"))
    if case.name[:6] in BY_CODE and name(case) not in BY_READER
]


def reported(case: Path) -> set[tuple[str, object]]:
    (main,) = case.glob("main.*")
    team = "team.json" if (case / "team.json").exists() else None
    result = compile_file(main.name, team=team, strict=case.name.startswith("fc5002"))
    return {(d.code.lower(), d.primary) for d in result.diagnostics}


@pytest.mark.parametrize("case", CASES, ids=name)
def test_without_its_check_a_golden_fails(case, monkeypatch):
    monkeypatch.chdir(case)
    code = case.name[:6]
    whole = reported(case)
    monkeypatch.setattr(driver, "CHECKS", tuple(c for c in CHECKS if c is not BY_CODE[code]))
    less = reported(case)
    assert less < whole
    assert {found for found, _ in whole - less} == {code}


def test_every_check_has_a_golden():
    assert set(BY_CODE.values()) == set(CHECKS)
    assert {case.name[:6] for case in CASES} == set(BY_CODE)
