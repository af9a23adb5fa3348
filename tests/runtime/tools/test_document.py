"""The document tools: the format's statuses and words, and nothing changed twice."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.catalog.builtin_tools import DOCUMENT_ENTRIES
from flowc.compiler.plan import read_plan
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import Roots
from flowc.runtime.tools.document import _FUNCTIONS, DocumentTools
from flowc.runtime.tools.registry import ToolBox

Call = Callable[..., Any]
CODE = 'GAIN(input="in.wav", output="out.wav", gain_db=1)'


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """`call("next", document=…)`; each call is made a second later than the one before it."""
    seconds = itertools.count()
    clock = lambda: datetime(2031, 5, 1, 14) + timedelta(seconds=next(seconds))  # noqa: E731

    def once(tool: str, **args: Any) -> Any:
        async def go() -> Any:
            box = ToolBox((DocumentTools(Roots(tmp_path), clock),))
            await box.open()
            return await box.call(f"document_{tool}", args)

        return asyncio.run(go())

    return once


@pytest.fixture
def document(call: Call) -> str:
    made = call("create", request="Quieter, please.", input="in.wav")["document"]
    steps = [{"title": "Trim"}, {"title": "Gain", "output": "out.wav"}, {"title": "Listen"}]
    steps[2]["code"] = "N/A"
    call("plan", document=made, goal="Quiet", requirements=["-23 LUFS"], steps=steps)
    return str(made)


def log_of(folder: Path, document: str) -> list[str]:
    text = (folder / document).read_text()
    return re.findall(r"^\*   `[^`]*`: (.*)$", text.partition("## 5.")[2], re.MULTILINE)


def test_every_entry_has_its_function():
    assert [entry.name for entry in DOCUMENT_ENTRIES] == list(_FUNCTIONS)
    for entry in DOCUMENT_ENTRIES:
        source = inspect.getsource(_FUNCTIONS[entry.name])
        named = set(re.findall(r'args\["(\w+)"\]', source)) - {"document"}
        assert named <= set(entry.parameters["properties"])


def test_the_name_is_a_timestamp_and_eight_digits_a10(call, tmp_path):
    made = call("create", request="Quieter, please.", input="in.wav")
    assert re.fullmatch(r"workflow_20310501_140000_[0-9a-f]{8}\.md", made["document"])
    assert (tmp_path / made["document"]).is_file()
    other = call("create", request="Louder, please.", input="in.wav")["document"]
    assert other[-11:] != made["document"][-11:]


def test_the_whole_way_of_a_step_in_the_words_of_the_format_a7_a12_a15(call, document, tmp_path):
    update = lambda **args: call("update", document=document, step="step_1", **args)  # noqa: E731
    assert call("next", document=document)["action"] == "code"
    update(status="RUNNING")
    update(status="CODE_GENERATED", code=CODE)
    assert call("next", document=document)["action"] == "execute"
    update(status="EXECUTING")
    failed = update(status="FAILED", error="No such file.\nmore")
    assert (failed["attempts"], failed["retry"]) == (1, True)
    assert "Output Audio: in_" in failed["request"]
    assert call("fix", document=document, step="step_1", code=CODE + " ")["changed"] is False
    assert call("fix", document=document, step="step_1", code="TRIM_SILENCE()")["changed"] is True
    assert call("next", document=document)["action"] == "execute"
    update(status="EXECUTING")
    done = update(status="DONE", results="wrote it")
    assert log_of(tmp_path, document) == [
        "Workflow Initiated.",
        "Planner generated PRD and 3 steps.",
        "Generating code for step_1...",
        "Code generated for step_1.",
        "Executing step_1...",
        "Execution failed for step_1. Error: No such file. Triggering Error Analyzer.",
        "Error Analyzer proposed fix for step_1 code.",
        "Re-executing step_1...",
        f"Step_1 completed successfully. Output: {done['output']}",
    ]
    text = (tmp_path / document).read_text()
    assert f"Attempt 1 failed: {CODE}\n    Error: No such file.\n    more" in text


def test_an_answer_that_begins_with_error_is_the_steps_error_a21(call, document, tmp_path):
    call("update", document=document, step="step_1", status="RUNNING")
    call("update", document=document, step="step_1", status="FAILED", error="Error: no such file.")
    assert (tmp_path / document).read_text().count("Error: no such file.") == 2
    assert "Error: Error:" not in (tmp_path / document).read_text()


def test_a_fourth_failure_is_the_last_a14(call, document):
    update = lambda **args: call("update", document=document, step="step_1", **args)  # noqa: E731
    update(status="RUNNING")
    update(status="CODE_GENERATED", code=CODE)
    retries = []
    for attempt in range(4):
        update(status="EXECUTING")
        retries.append(update(status="FAILED", error="again")["retry"])
        if retries[-1]:
            call("fix", document=document, step="step_1", code=f"GAIN(gain_db={attempt})")
    assert retries == [True, True, True, False]
    after = call("next", document=document)
    assert (after["action"], after["overall"]) == ("end", "FAILURE"), "A16: none reads its output"


def test_what_reads_a_failed_output_is_not_begun_and_the_rest_is_a16(call):
    made = call("create", request="Two", input="in.wav")["document"]
    steps = [
        {"title": "One", "output": "one.wav"},
        {"title": "Two", "output": "two.wav"},
        {"title": "Aside", "input": "in.wav", "output": "aside.wav"},
    ]
    call("plan", document=made, steps=steps)
    call("update", document=made, step="step_1", status="RUNNING")
    call("update", document=made, step="step_1", status="FAILED", error="no")
    assert call("next", document=made)["step"] == "step_3"


def test_a_person_does_what_has_no_code_a28(call, document):
    for step in ("step_1", "step_2"):
        call("update", document=document, step=step, status="RUNNING")
        call("update", document=document, step=step, status="CODE_GENERATED", code=CODE)
        call("update", document=document, step=step, status="EXECUTING")
        call("update", document=document, step=step, status="DONE")
    assert call("next", document=document)["action"] == "person"
    said = call("update", document=document, step="step_3", status="DONE", results="I like it")
    assert said["counts"] == {"DONE": 3}
    assert call("next", document=document)["overall"] == "SUCCESS"
    assert call("read", document=document)["final"] == "out.wav", "A17"


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("plan", {"goal": "Quiet", "requirements": ["-23 LUFS"], "steps": [{"title": "More"}]}),
    ("update", {"step": "step_1", "status": "RUNNING"}),
    ("update", {"step": "step_1", "status": "CODE_GENERATED", "code": CODE}),
    ("update", {"step": "step_1", "status": "EXECUTING"}),
    ("update", {"step": "step_1", "status": "FAILED", "error": "no"}),
    ("fix", {"step": "step_1", "code": 'TRIM_SILENCE(input="in.wav", output="out.wav")'}),
    ("update", {"step": "step_1", "status": "EXECUTING"}),
    ("update", {"step": "step_1", "status": "FAILED", "error": "no"}),
    ("fix", {"step": "step_1", "code": CODE}),
    ("update", {"step": "step_1", "status": "EXECUTING"}),
    ("update", {"step": "step_1", "status": "DONE", "results": "wrote it"}),
    ("log", {"text": "Looks fine so far."}),
    ("review", {"verdict": "passed", "notes": "-23.0 LUFS"}),
    ("finish", {"status": "SUCCESS", "summary": "Quiet."}),
]


def test_a_call_that_is_made_again_changes_nothing(call, document, tmp_path):
    for tool, args in CALLS:
        first = call(tool, document=document, **args)
        text = (tmp_path / document).read_bytes()
        assert call(tool, document=document, **args) == first
        assert (tmp_path / document).read_bytes() == text, tool


@pytest.mark.parametrize(
    ("status", "there"), [("DONE", "READY"), ("CODE_GENERATED", "READY"), ("FAILED", "READY")]
)
def test_a_step_that_was_moved_is_refused(call, document, status, there):
    with pytest.raises(Failure) as refused:
        call("update", document=document, step="step_1", status=status, code=CODE)
    assert refused.value.kind == "refused"
    assert f"`step_1` is {there}, so it cannot become {status}" in refused.value.message


def test_steps_are_added_behind_those_that_are_there_a22(call, document):
    whole = call("plan", document=document, steps=[{"title": "Fade"}])
    assert [step["step"] for step in whole["steps"]] == ["step_1", "step_2", "step_3", "step_4"]
    assert whole["steps"][3]["input"] == "out.wav", "A18"


def test_what_is_written_stays_a_clean_document(call, document, tmp_path, monkeypatch):
    from flowc.compiler.driver import compile_file

    path = str(tmp_path / document)
    assert compile_file(path).diagnostics == ()
    for tool, args in CALLS:
        call(tool, document=document, **args)
        assert compile_file(path).diagnostics == ()
        assert read_plan(Path(path).read_text()).text == Path(path).read_text()


def test_a_request_may_hold_anything(call, tmp_path):
    request = "```\n## 5. Workflow Log\n* **Status:** DONE\n\\1 \\n {x} `y`"
    made = call("create", request=request, input="a `b` c.wav")
    assert made["request"] == request
    assert made["input"] == "a `b` c.wav"


def test_each_document_of_one_request_has_a_hash_of_its_own(call, tmp_path):
    """What is written for it has the hash in its name: also that of a document which has gone."""
    first = call("create", request="Quieter.", input="in.wav")["id"]
    second = call("create", request="Quieter.", input="in.wav")["id"]
    (tmp_path / f"workflow_{second}.md").rename(tmp_path / f"in_{second[-8:]}_final.flac")
    third = call("create", request="Quieter.", input="in.wav")["id"]
    assert len({id[-8:] for id in (first, second, third)}) == 3
    (tmp_path / f"workflow_{first}.md").unlink()
    assert call("create", request="Quieter.", input="in.wav")["id"][-8:] == first[-8:], "A10"
    hidden = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert hidden == []


def test_documents_of_one_request_that_are_made_at_once_have_hashes_of_their_own(tmp_path):
    """At one second, too."""
    tools = DocumentTools(Roots(tmp_path), lambda: datetime(2031, 5, 1, 14))
    given = {"request": "Quieter.", "input": "in.wav"}

    async def all_at_once() -> list[Any]:
        calls = (tools.call("document_create", given) for _ in range(8))
        return await asyncio.gather(*calls)

    made = asyncio.run(all_at_once())
    assert len({said["id"][-8:] for said in made}) == 8
    assert len(list(tmp_path.glob("workflow_*.md"))) == 8
