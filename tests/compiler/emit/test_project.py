"""The emitted LangGraph project: one graph, the same edges as the spec, importable text."""

from __future__ import annotations

import ast
import json

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.emit.langgraph.module import emit_python, graph_name
from flowc.compiler.emit.project import emit_project
from flowc.compiler.lowering.graphspec import Branch, labelled_targets
from flowc.compiler.lowering.serde import load_spec

CHART = """# Say "hi" \\ to {{all}} of them 😀

# Workflow

```mermaid
flowchart TD
    START --> SET_N["N=1"] --> CHECK_N{N == 1}
    CHECK_N --> |TRUE| SUCCESS
    CHECK_N --> |FALSE| SET_N
```
"""


def test_the_module_is_valid_python_and_quotes_what_the_file_says() -> None:
    result = compile_text(CHART, "folder/hi.wf.md")
    assert result.ok, result.diagnostics
    files = emit_project(result.spec, result.program, "out")
    module = ast.parse(files["graph.py"])
    assert 'Say "hi" \\ to {{all}} of them 😀' in (ast.get_docstring(module) or "")
    assert "../folder/hi.wf.md" in files["graph.py"]
    assert load_spec(files["graph.json"]).nodes[0].place.file == "../folder/hi.wf.md"
    assert json.loads(files["langgraph.json"])["graphs"] == {"hi": "./graph.py:make_graph"}


def test_every_case_of_a_branch_is_in_the_path_map() -> None:
    text = emit_python(compile_text(CHART, "hi.wf.md").spec)
    assert '"true": "SUCCESS"' in text
    assert '"false": "SET_N"' in text
    assert 'graph.add_edge("SUCCESS", END)' in text


def test_emitting_is_deterministic() -> None:
    once, again = (compile_text(CHART, "hi.wf.md") for _ in range(2))
    texts = [emit_project(r.spec, r.program, ".") for r in (once, again)]
    assert texts[0] == texts[1]


def test_a_case_with_two_targets_has_two_labels_and_otherwise_never_collides() -> None:
    branch = Branch(
        source="A",
        channel="$route.A",
        cases=(("x", "B"), ("x", "C"), ("otherwise", "D")),
        otherwise="E",
    )
    assert labelled_targets(branch) == (
        ("x", "x", "B"),
        ("x", "x (2)", "C"),
        ("otherwise", "otherwise", "D"),
        (None, "(otherwise)", "E"),
    )


@pytest.mark.parametrize(("name", "id"), [("a b/c", "a-b-c"), ("ünï", "n"), ("—", "workflow")])
def test_graph_names_are_plain(name: str, id: str) -> None:
    from dataclasses import replace

    assert graph_name(replace(compile_text(CHART, "hi.wf.md").spec, name=name)) == id
