"""Every shipped workflow that runs also compiles to a module with its edges."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file
from flowc.compiler.frontends import is_workflow
from flowc.compiler.source.source import SourceSet
from flowc.runtime.emitted.verify import load_module
from projects import write_files

EXAMPLES = Path(__file__).parents[2] / "workflows/examples"
PROGRAMS = sorted(
    file
    for file in EXAMPLES.glob("*/*.*")
    if file.parent.name != "plan" and is_workflow(SourceSet().read(str(file)))
)


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda f: f"{f.parent.name}-{f.name}")
def test_a_shipped_workflow_compiles_to_a_module_with_its_edges(file: Path, tmp_path: Path) -> None:
    """Also one with states that only an unasked line reaches, which LangGraph does not draw."""
    team = file.with_suffix(".team.json")
    result = compile_file(str(file), team=str(team) if team.exists() else None)
    assert result.ok
    module = write_files(result, tmp_path / "out", str(team) if team.exists() else None)
    nodes = load_module(module).build().nodes
    assert {node.id for node in result.spec.nodes} <= set(nodes)
