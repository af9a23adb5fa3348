"""The emitted LangGraph project: modules, and what the server is told."""

from __future__ import annotations

import ast
import json
import tomllib
from dataclasses import replace

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.emit.langgraph.module import Served, emit_module, graph_name
from flowc.compiler.emit.langgraph.project import Server, emit_project, emit_server
from flowc.compiler.lowering.graphspec import Branch, labelled_targets

CHART = """# Say "hi" \\ to {{all}} of them 😀

# Workflow

```mermaid
flowchart TD
    START --> SET_N["N=1"] --> CHECK_N{N == 1}
    CHECK_N --> |TRUE| SUCCESS
    CHECK_N --> |FALSE| SET_N
```
"""


def served(text: str = CHART, **more: str) -> Served:
    result = compile_text(text, "folder/hi.wf.md")
    assert result.ok, result.diagnostics
    places = {"folder/hi.wf.md": "hi.wf.md"}
    return Served(result.spec, graph_name(result.spec), "hi.wf.md", places=places, **more)


def test_the_module_is_valid_python_and_quotes_what_the_file_says() -> None:
    text = emit_project([served()], Server())["graphs/hi.py"]
    module = ast.parse(text)
    assert 'Say "hi" \\ to {{all}} of them 😀' in (ast.get_docstring(module) or "")
    assert "# hi.wf.md:7:" in text
    assert "folder/" not in text


def test_the_server_is_told_of_every_graph_and_of_flowc_s_checkpointer() -> None:
    other = replace(served(), name="other")
    config = json.loads(emit_project([served(), other], Server())["langgraph.json"])
    assert config["graphs"] == {"hi": "./graphs/hi.py:graph", "other": "./graphs/other.py:graph"}
    assert config["checkpointer"] == {"path": "./checkpointer.py:saver"}


def test_variables_of_langsmith_and_a_file_of_variables_stay_the_user_s() -> None:
    """An object of variables would replace those of the shell, and keep `.env` from being read."""
    assert json.loads(emit_project([served()], Server())["langgraph.json"])["env"] == ".env"


def test_the_project_s_package_names_the_version_of_flowc_and_its_settings() -> None:
    settings = '[tool.flowc]\nmodel = "openai:gpt-demo"\n'
    text = emit_project([served()], Server(("flowc[mcp]==1.2.3",), settings))["pyproject.toml"]
    project = tomllib.loads(text)
    assert project["project"]["dependencies"] == ["flowc[mcp]==1.2.3"]
    assert project["tool"]["flowc"] == {"model": "openai:gpt-demo"}


def test_a_format_and_a_team_that_were_chosen_are_loaded_again() -> None:
    texts = [emit_module(served(**more)) for more in ({"format": "flowchart"}, {"team": "people"})]
    assert 'format="flowchart"' in texts[0]
    assert 'team="people"' in texts[1]
    assert 'team=PROJECT / "a/b.json"' in emit_module(served(team_file="a/b.json"))


def test_files_of_a_server_beside_the_project_lead_to_the_project() -> None:
    texts = emit_server([served()], Server(folder=".flowc/dev/"))
    assert ".parents[3]" in texts[".flowc/dev/graphs/hi.py"]
    assert ".parents[2]" in texts[".flowc/dev/checkpointer.py"]
    config = json.loads(texts[".flowc/dev/langgraph.json"])
    assert config["graphs"] == {"hi": "./.flowc/dev/graphs/hi.py:graph"}


def test_every_case_of_a_branch_is_in_the_path_map() -> None:
    text = emit_module(served())
    assert '"TRUE": "SUCCESS"' in text
    assert '"FALSE": "SET_N"' in text
    assert 'graph.add_edge("SUCCESS", END)' in text


def test_emitting_is_deterministic() -> None:
    assert emit_project([served()], Server()) == emit_project([served()], Server())


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
        (None, "otherwise (2)", "E"),
    )


@pytest.mark.parametrize(("name", "id"), [("a b/c", "a-b-c"), ("ünï", "n"), ("—", "workflow")])
def test_graph_names_are_plain(name: str, id: str) -> None:
    assert graph_name(replace(compile_text(CHART, "hi.wf.md").spec, name=name)) == id
