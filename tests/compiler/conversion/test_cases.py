"""Conversions by example: cases/<from>-to-<to>/ holds main.*, what is written of it and the losses.

`written.*` and losses.txt are made by --update-golden. Nothing is lost where losses.txt is empty.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.compiler.conversion import convert_file
from flowc.compiler.diagnostics.render import render_text
from flowc.compiler.driver import compile_file
from flowc.compiler.writers import dialect_named

CASES = sorted((Path(__file__).parent / "cases").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_conversion(case, golden, monkeypatch):
    monkeypatch.chdir(case)
    (main,) = case.glob("main.*")
    result = compile_file(main.name)
    assert result.diagnostics == ()
    source, _, target = case.name.partition("-to-")
    target = target.partition("-with-")[0]
    assert result.frontend.name == source
    dialect = dialect_named(target)
    done = convert_file(
        result.parsed, result.sources.files[main.name], dialect, "written" + dialect.suffix
    )
    for path, text in done.files.items():
        golden(case / path, text)
    golden(case / "losses.txt", render_text(done.losses, result.sources))


def test_every_code_of_a_conversion_has_a_golden():
    told = "".join((case / "losses.txt").read_text(encoding="utf-8") for case in CASES)
    assert "FC6001" in told
