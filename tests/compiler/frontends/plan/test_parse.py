"""Living documents as workflows: what they become, what is reported, and that nothing runs them."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.frontends import detect
from flowc.compiler.ir import TaskNode
from flowc.compiler.source.source import Source, SourceSet

HEAD = "## 1. Request Summary\n\n* **Input Audio:** `a.wav`\n\n## 2. PRD\n\n"
PLAN = "## 3. Processing Plan & Status\n\n"
TAIL = "## 4. Final Output\n\n* **Overall Status:** {overall}\n\n## 5. Workflow Log\n"


def step(n: int, *, status: str = "READY", code: str = "", **fields: str) -> str:
    """A step that reads what the one before it writes."""
    values = {
        "ID": f"`step_{n}`",
        "Description": f"Do part {n}.",
        "Status": status,
        "Input Audio": "`a.wav`" if n == 1 else f"$OUTPUT_STEP_{n - 1}",
        "Output Audio": f"`a{n}.wav`",
        **{name.replace("_", " "): value for name, value in fields.items()},
    }
    lines = "".join(f"* **{name}:** {value}\n" for name, value in values.items() if value)
    fence = f"* **Code:**\n```python\n{code}\n```\n" if code else ""
    return f"### Step {n}: Part {n}\n\n{lines}{fence}\n"


def document(*steps: str, overall: str = "IN_PROGRESS") -> str:
    """A whole document around some steps."""
    return HEAD + PLAN + "".join(steps) + TAIL.replace("{overall}", overall)


def found(text: str, name: str = "plan.md") -> list[tuple[str, str, str]]:
    """Code, severity and the text at the place of every diagnostic."""
    result = compile_text(text, name)
    source = result.sources.files[name]
    return [
        (d.code, d.severity, source.text[d.primary.start : d.primary.end].split("\n")[0])
        for d in result.diagnostics
    ]


def test_steps_become_tasks_one_after_another():
    result = compile_text(document(step(1), step(2), step(3, status="DONE", code="N/A")), "fair.md")
    assert result.diagnostics == ()
    workflow = result.workflow
    tasks = [node for node in workflow.nodes if isinstance(node, TaskNode)]
    assert [task.id for task in tasks] == ["step_1", "step_2", "step_3"]
    assert [task.title for task in tasks] == ["Part 1", "Part 2", "Part 3"]
    assert [task.after for task in tasks] == [(), ("step_1_result",), ("step_2_result",)]
    assert [edge.target for edge in workflow.edges if edge.guard is None] == [
        "step_2",
        "step_3",
        "end",
    ]
    assert workflow.entry == "step_1"
    assert workflow.name == "fair"


def test_a28_a_manual_step_is_a_person_s():
    workflow = compile_text(document(step(1), step(2, code="N/A")), "plan.md").workflow
    tasks = [node for node in workflow.nodes if isinstance(node, TaskNode)]
    assert [task.role for task in tasks] == ["executor", "reviewer"]
    assert {agent.role: agent.person for agent in workflow.agents} == {
        "executor": False,
        "reviewer": True,
    }


def test_statuses_are_progress_and_no_program():
    """Two documents that differ only in how far they have come are one workflow."""
    before = compile_text(document(step(1), step(2)), "plan.md")
    after = compile_text(
        document(step(1, status="DONE"), step(2, status="FAILED"), overall="FAILURE"), "plan.md"
    )
    assert before.workflow == after.workflow
    assert before.parsed.progress == {
        "status": "IN_PROGRESS",
        "steps": {"READY": 2},
        "current": "step_1",
        "path": "a.wav",
    }
    assert after.parsed.progress == {
        "status": "FAILURE",
        "steps": {"DONE": 1, "FAILED": 1},
        "current": "step_2",
        "path": "a1.wav",
    }
    assert after.parsed.details["step_2"] == {
        "status": "FAILED",
        "input": "$OUTPUT_STEP_1",
        "output": "a2.wav",
        "code": "",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (document(step(1)), "plan"),
        (PLAN + step(1), "plan"),
        ("## Request Summary\n* **Original Request:**\n```text\nx\n```\n", "plan"),
        ("````\n" + document(step(1)) + "````\n### 🔧 WORKFLOW STEP: Look\n", "steps"),
        ("## Final Output\n\n### 🔧 WORKFLOW STEP: Look\n", "steps"),
        (document(step(1, code="### 🔧 WORKFLOW STEP: no")), "plan"),
        ("# Workflow\n```mermaid\nflowchart TD\nA-->B\n```\n" + document(), "flowchart"),
        ("# Notes\n\n## Final Output\n\ntext\n", None),
    ],
)
def test_a1_a_document_is_known_by_its_sections(text, expected):
    claims = detect(Source("x.md", text))
    assert (claims[0].name if claims else None) == expected


@pytest.mark.parametrize("section", ["Request Summary", "PRD", "Final Output", "Workflow Log"])
def test_a1_a_missing_section_is_a_warning(section):
    lines = document(step(1)).split("\n")
    text = "\n".join(line for line in lines if not line.endswith(section))
    codes = [(code, severity) for code, severity, _ in found(text)]
    assert codes == [("FC1003", "warning")]


def test_a1_a_section_that_stands_twice_or_is_misspelt():
    assert found(document(step(1)) + "## Workflow Log\n") == [
        ("FC1004", "error", "## Workflow Log")
    ]
    text = document(step(1)).replace("5. Workflow Log", "5. Worklow Log")
    assert found(text) == [("FC1002", "error", "## 5. Worklow Log")]


def test_a1_nothing_follows_from_a_misspelt_plan():
    text = document(step(1), step(2)).replace("Processing Plan & Status", "Procesing Plan & Status")
    assert found(text) == [("FC1002", "error", "## 3. Procesing Plan & Status")]


def test_a2_fields_that_stand_twice_or_are_misspelt():
    assert found(document(step(1) + "* **Status:** DONE\n")) == [("FC1004", "error", "Status")]
    assert found(document(step(1).replace("**Descr", "**Decr"))) == [
        ("FC1002", "error", "Decription")
    ]
    assert found(document(step(1) + "* **Reviewer:** Ada\n")) == []


def test_a2_a_step_outside_the_plan_is_none():
    assert found(document(step(1)) + "\n### Step 2: Later\n") == [
        ("FC1001", "warning", "### Step 2: Later")
    ]


@pytest.mark.parametrize("end", ["", "* **Status:** DONE\n", "```\n"])
def test_a3_a_fence_that_nothing_closes(end):
    codes = found(document(step(1)) + "* **Code:**\n```python\nTRIM()\n" + end)
    assert codes == ([] if end == "```\n" else [("FC1001", "error", "```")])


def test_a3_a_fence_that_swallowed_a_field_is_found_where_it_begins():
    text = document(step(1) + "* **Code:**\n```python\n* **Execution Results:**\n```text\nx\n```\n")
    (fault,) = compile_text(text, "plan.md").diagnostics
    assert fault.code == "FC1001"
    assert text[fault.primary.start :].startswith("```python")
    assert fault.labels[0].text == "this is read as part of it"


def test_a3_a_document_that_is_quoted_in_a_longer_fence_is_text():
    text = document(
        step(1, code="x").replace("```python\nx", "````text\n```python\n* **ID:** a\n```")
    )
    assert found(text.replace("a\n```\n```", "a\n```\n````")) == []


def test_a4_ids_and_titles():
    assert found(document(step(1, ID=""))) == [("FC1003", "error", "Do part 1.")]
    assert found(document(step(1).replace(": Part 1", ":"))) == [("FC1003", "error", "### Step 1:")]
    assert found(document(step(1), step(2, ID="`step_1`"))) == [("FC1004", "error", "step_1")]
    assert found(document(step(1, ID="`first step`"))) == [("FC1005", "error", "first step")]
    assert found(document(step(1, Description="", Status="", Output_Audio=""))) == []


def test_a6_a27_words_and_templates():
    assert found(document(step(1, status="OVER"))) == [("FC1005", "error", "OVER")]
    assert found(document(step(1, status="{A | B}"))) == [("FC1005", "error", "{A | B}")]
    assert found(document(step(1), overall="{A | B}")) == [("FC1005", "error", "{A | B}")]
    assert found(document(step(1), overall="DONE")) == [("FC1005", "error", "DONE")]
    assert found(document(step(1, Output_Audio="`{path}`"))) == [("FC1005", "error", "{path}")]


def test_a18_a19_paths():
    assert found(document(step(1), step(2, Input_Audio="`b.wav`"))) == [
        ("FC3001", "warning", "b.wav")
    ]
    assert found(document(step(1), step(2, Input_Audio="`a.wav`"))) == [
        ("FC3003", "warning", "a1.wav")
    ]
    assert found(document(step(1, Input_Audio="`b.wav`"))) == [("FC3001", "warning", "b.wav")]
    assert found(document(step(1), step(2, Input_Audio="$OUTPUT_STEP_3"))) == [
        ("FC2001", "error", "$OUTPUT_STEP_3")
    ]
    assert found(document(step(1), step(2, Input_Audio="`$OUTPUT_STEP_2`"))) == [
        ("FC3002", "error", "$OUTPUT_STEP_2")
    ]


@pytest.mark.parametrize(
    ("status", "code", "fault"),
    [
        ("CODE_GENERATED", "TRIM(x=1)", None),
        ("EXECUTING", "N/A", None),
        ("CODE_GENERATED", "TRIM(1)", "TRIM(1)"),
        ("EXECUTING", "# nothing yet", "# nothing yet"),
        ("READY", "# nothing yet", None),
        ("DONE", "a\nb", None),
    ],
)
def test_a20_code_that_is_about_to_be_executed_is_one_call(status, code, fault):
    expected = [("FC1001", "error", fault)] if fault else []
    assert found(document(step(1, status=status, code=code))) == expected


def test_a_plan_without_steps_is_no_workflow():
    result = compile_text(document(), "plan.md")
    assert [d.code for d in result.diagnostics] == ["FC1008"]
    assert result.workflow is None


def test_a_document_that_is_called_says_why_it_cannot_be():
    chart = "# Workflow\n```mermaid\nflowchart TD\nSTART --> CALL_A[[plan.md]]\n```\n"
    sources = SourceSet(overrides={"plan.md": document(step(1))})
    (fault,) = compile_text(chart, "chart.wf.md", sources=sources).diagnostics
    assert fault.code == "FC2001"
    assert "which is a living document" in fault.message


def test_faults_lie_where_they_are_in_a_windows_file_with_a_byte_order_mark():
    text = "\ufeff" + document(step(1, status="OVER")).replace("\n", "\r\n")
    result = compile_text(text, "plan.md")
    (fault,) = result.diagnostics
    source = result.sources.files["plan.md"]
    assert source.text[fault.primary.start : fault.primary.end] == "OVER"


def test_two_steps_of_one_id_are_still_two_nodes():
    workflow = compile_text(
        document(step(1), step(2, ID="step_1"), step(3, ID="end")), "p.md"
    ).workflow
    assert len({node.id for node in workflow.nodes}) == len(workflow.nodes) == 5
