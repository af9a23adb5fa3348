"""What a comment of the file grants to its commands, and what is no such comment."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.ir import ExecNode
from flowc.compiler.ir.grants import grants
from flowc.compiler.source.source import Source

CHART = """# Workflow

```mermaid
flowchart TD
    {line}
    START --> EXECUTE_A["Execute: git --version"] --> EXECUTE_B["Execute: true"] --> SUCCESS
```
"""
FLOW = """flow: 1
{line}
nodes:
  - {{name: a, exec: git --version, into: x}}
  - {{name: b, exec: 'true', into: x, network: true, workspace: mine, next: end}}
"""


def commands(text: str, path: str) -> list[tuple[bool, str]]:
    compiled = compile_text(text, path)
    assert compiled.ok, compiled.diagnostics
    assert compiled.workflow is not None
    nodes = [node for node in compiled.workflow.nodes if isinstance(node, ExecNode)]
    return [(node.network, node.workspace) for node in nodes]


@pytest.mark.parametrize(
    ("line", "path", "granted"),
    [
        ("%% flowc: network", "a.wf.md", (True, "")),
        ("%%flowc:network", "a.wf.md", (True, "")),
        ("<!-- flowc: network -->", "a.wf.md", (True, "")),
        ("<!-- flowc: workspace my out -->", "a.wf.md", (False, "my out")),
        ("<!-- flowc: workspace . -->", "a.wf.md", (False, ".")),
        ("# flowc: workspace out/deep", "a.flow.yaml", (False, "out/deep")),
        ("# flowc: network", "a.md", (False, "")),
        ("text %% flowc: network", "a.wf.md", (False, "")),
        ("%% flowc: network of friends", "a.wf.md", (False, "")),
        ("<!-- flowc: network", "a.wf.md", (False, "")),
        ("%% flowc: network -->", "a.wf.md", (False, "")),
        ("%% flowc: allow FC2002", "a.wf.md", (False, "")),
        ("%% flowc: workspace", "a.wf.md", (False, "")),
    ],
)
def test_what_is_a_grant(line: str, path: str, granted: tuple[bool, str]) -> None:
    assert grants(Source(path, f"before\n{line}\nafter\n")) == granted


def test_a_chart_grants_to_all_of_its_commands() -> None:
    assert commands(CHART.format(line="%% flowc: network"), "a.wf.md") == [(True, "")] * 2
    assert commands(CHART.format(line="%% quiet"), "a.wf.md") == [(False, "")] * 2


def test_a_node_of_flow_yaml_grants_to_itself_and_a_comment_to_the_rest() -> None:
    assert commands(FLOW.format(line=""), "a.flow.yaml") == [(False, ""), (True, "mine")]
    line = "# flowc: workspace out"
    assert commands(FLOW.format(line=line), "a.flow.yaml") == [(False, "out"), (True, "mine")]


def test_a_living_document_grants_nothing() -> None:
    """Its log and its results hold what models and commands wrote."""
    from flowc.compiler.frontends.plan.frontend import PLAN
    from flowc.compiler.reading.protocol import with_file_grants

    assert with_file_grants.__module__ == "flowc.compiler.reading.protocol"
    assert "with_file_grants" not in PLAN.reader().parse.__globals__
