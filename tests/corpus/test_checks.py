"""A golden counts only if it fails when the check it is for is taken out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from flowc.compiler.checks import CHECKS
from flowc.compiler.checks.check import Check
from flowc.compiler.driver import compile_file

HERE = Path(__file__).parent
BY_CODE = {check.code.id: check for check in CHECKS}
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


def code(case: Path) -> str:
    return case.name[:6].upper()


CASES = [
    case
    for case in sorted(HERE.glob("*/err/*/"))
    if code(case) in BY_CODE and name(case) not in BY_READER
]


def reported(case: Path, checks: Sequence[Check]) -> set[tuple[str, object]]:
    (main,) = case.glob("main.*")
    team = "team.json" if (case / "team.json").exists() else None
    strict = BY_CODE[code(case)].code.strict == "only"
    result = compile_file(main.name, team=team, strict=strict, checks=checks)
    return {(d.code, d.primary) for d in result.diagnostics}


@pytest.mark.parametrize("case", CASES, ids=name)
def test_without_its_check_a_golden_fails(case, monkeypatch):
    monkeypatch.chdir(case)
    whole = reported(case, CHECKS)
    less = reported(case, [check for check in CHECKS if check is not BY_CODE[code(case)]])
    assert less < whole
    assert {found for found, _ in whole - less} == {code(case)}


def test_every_check_has_a_golden():
    assert {code(case) for case in CASES} == set(BY_CODE)
