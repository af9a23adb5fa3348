"""The languages by example: tests/corpus/<format>/ok/<case>/ and err/<code>-<slug>/.

A case is a folder. Its input is the file `main.*`, with further files beside it where it needs
them; `team.json` is the team that its tasks are checked with; a case of a code that `--strict`
alone reports is checked so. What lies there under the names in `GENERATED` is written by
--update-golden:

    ok    summary.json (what `flowc inspect --json` says) and graph.mmd; no diagnostic at all
    err   diagnostics.txt (what `flowc check` says); the folder's code is among them
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from flowc.compiler.checks import CHECKS, CODES
from flowc.compiler.checks.check import Check
from flowc.compiler.diagnostics.render import render_text
from flowc.compiler.driver import CompileResult, compile_file
from flowc.compiler.emit.picture.mermaid import emit_mermaid
from flowc.compiler.frontends import FRONTENDS, is_workflow
from flowc.compiler.source.source import SourceSet
from flowc.compiler.summary import summarize

HERE = Path(__file__).parent
OK = sorted(HERE.glob("*/ok/*/"))
ERR = sorted(HERE.glob("*/err/*/"))
STRICT = {row.id for row in CODES.values() if row.strict == "only"}
GENERATED = ("summary.json", "graph.mmd", "diagnostics.txt")


def name(case: Path) -> str:
    return case.relative_to(HERE).as_posix()


def code(case: Path) -> str:
    return case.name.partition("-")[0].upper()


@pytest.fixture
def read(monkeypatch):
    """Compile a case from within its folder, so that no golden holds a machine's paths."""

    def compile_case(case: Path, checks: Sequence[Check] = CHECKS) -> CompileResult:
        monkeypatch.chdir(case)
        (main,) = case.glob("main.*")
        team = "team.json" if Path("team.json").exists() else None
        return compile_file(main.name, team=team, strict=code(case) in STRICT, checks=checks)

    return compile_case


def shown(result: CompileResult) -> str:
    return render_text(result.diagnostics, result.sources)


@pytest.mark.parametrize("case", OK, ids=name)
def test_a_folder_s_check_finds_it(case):
    """A file that nobody named counts as a workflow only when its format is sure of it."""
    (main,) = case.glob("main.*")
    assert is_workflow(SourceSet().read(str(main)))


@pytest.mark.parametrize("case", OK, ids=name)
def test_accepted(case, read, golden):
    result = read(case)
    assert shown(result) == ""
    assert result.frontend is not None
    assert result.frontend.name == case.parts[len(HERE.parts)]
    summary = summarize(
        result.path,
        result.frontend.name,
        result.parsed,
        result.workflow,
        result.diagnostics,
        result.sources,
    )
    golden(case / "summary.json", json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    golden(case / "graph.mmd", emit_mermaid(result.workflow))


@pytest.mark.parametrize("case", ERR, ids=name)
def test_rejected(case, read, golden):
    result = read(case)
    assert code(case) in {d.code for d in result.diagnostics}
    golden(case / "diagnostics.txt", shown(result))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code.id)
def test_a_check_that_is_taken_out_is_missed(check, read):
    others = [other for other in CHECKS if other is not check]
    goldens = [(case, (case / "diagnostics.txt").read_text(encoding="utf-8")) for case in ERR]
    assert any(shown(read(case, others)) != text for case, text in goldens)


@pytest.mark.parametrize("frontend", FRONTENDS, ids=lambda f: f.name)
def test_every_format_has_cases_and_a_page(frontend, request):
    folder = HERE / frontend.name
    assert len(list((folder / "ok").iterdir())) >= 3
    assert len(list((folder / "err").iterdir())) >= 3
    assert (request.config.rootpath / "docs/formats" / f"{frontend.name}.md").is_file()


def test_every_code_has_a_golden():
    """What is wrong with a conversion has its cases in tests/conversion, with an edit of a living
    document in tests/e2e."""
    elsewhere = ("FC6", "FC7")
    assert {code(case) for case in ERR} == {c for c in CODES if not c.startswith(elsewhere)}


def test_there_are_as_many_clean_cases_as_checks_can_be_wrong_about():
    """A check that cries wolf must have a clean file to cry at."""
    assert len(OK) >= len(FRONTENDS) * 3


def test_nothing_generated_is_left_over():
    strays = [
        path.relative_to(HERE).as_posix()
        for case in (*OK, *ERR)
        for path in case.iterdir()
        if path.name in GENERATED
        and (path.name == "diagnostics.txt") != (case.parent.name == "err")
    ]
    assert strays == []
