"""Lifting: the picture of what is kept of a workflow is that of the workflow."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file
from flowc.compiler.emit.picture.picture import Picture, picture_of
from flowc.compiler.ir import EndNode, Workflow
from flowc.compiler.lowering.lifting import lift
from flowc.compiler.lowering.serde import dump_spec, load_spec

ROOT = Path(__file__).parents[3]
FILES = [
    path
    for pattern in ("tests/corpus/*/ok/*/main.*", "workflows/*/*/*.*")
    for path in sorted(ROOT.glob(pattern))
    if path.suffix in (".md", ".yaml", ".json", ".mmd")
]


def ways(picture: Picture) -> set[tuple[str, str, bool]]:
    return {(line.source, line.target, line.is_error) for line in picture.lines}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_kept_workflow_has_the_picture_of_its_file(path: Path) -> None:
    result = compile_file(str(path))
    if not result.ok or result.workflow is None:
        pytest.skip("it does not compile by itself")
    kept = lift(load_spec(dump_spec(result.spec)))
    drawn, again = picture_of(result.workflow), picture_of(kept)
    failing = {n.id for n in kept.nodes if isinstance(n, EndNode) and n.outcome == "failed"}
    lost = {way for way in ways(drawn) - ways(again) if not (way[2] and way[1] in failing)}
    assert lost == set()
    assert ways(again) - ways(drawn) == set()
    assert [n for n in drawn.nodes if n.id not in failing] == [
        n for n in again.nodes if n.id not in failing
    ]
    assert declared(kept) == declared(result.workflow)


def declared(workflow: Workflow) -> list[object]:
    """What forms and lists ask of a workflow beside its nodes."""
    params = {param.name for param in workflow.params}
    state = {(field.name, field.type) for field in workflow.state if field.name not in params}
    return [
        workflow.name,
        workflow.title,
        [param.name for param in workflow.params],
        workflow.outputs,
        workflow.entry,
        [(agent.id, agent.role, agent.person) for agent in workflow.agents],
        state,
    ]
