"""What a run goes on with after a person has edited its document, and what it asks about instead.

The document has three steps: the first is DONE, the second reads what it wrote, the third reads
what the second writes. A test says what the run had written and what stands there now.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import pytest
from flowc.compiler.plan import PlanError, read_plan, text_value
from flowc.compiler.reconcile import (
    ACTIVE,
    AcceptedEdit,
    Reconciliation,
    StepRestart,
    apply,
    reconcile,
)
from flowc.compiler.source.source import Source

DOCUMENT = """\
# Tape

## 1. Request Summary

* **Original Request:** quieter
* **Input Audio:** `tape.wav`

## 3. Processing Plan & Status

### Step 1: Cut

* **ID:** `step_1`
* **Description:** the first minute
* **Status:** DONE
* **Input Audio:** `tape.wav`
* **Output Audio:** `cut.wav`
* **Code:** `CUT(1)`
* **Execution Results:** cut
* **QA Notes:** clear

### Step 2: Soften

* **ID:** `step_2`
* **Description:** a little
* **Status:** PENDING
* **Input Audio:** `cut.wav`
* **Output Audio:** `soft.wav`
* **Code:** `GAIN(-3)`

### Step 3: Fade

* **ID:** `step_3`
* **Status:** PENDING
* **Input Audio:** `$OUTPUT_STEP_2`
* **Output Audio:** `fade.wav`
* **Code:** N/A

## 4. Final Output

* **Overall Status:** IN_PROGRESS

## 5. Workflow Log

* begun
"""
NO_CODE = "no code yet"


def status(step: int, word: str, text: str = DOCUMENT) -> str:
    """The document with another status of a step."""
    return change(text, step, "Status", word)


def change(text: str, step: int, name: str, value: str) -> str:
    """The document with another value in a step."""
    before, heading, rest = text.partition(f"### Step {step}")
    return before + heading + re.sub(rf"(\*\*{name}:\*\*).*", rf"\1 {value}", rest, count=1)


def without(text: str, step: int) -> str:
    """The document without a step."""
    return re.sub(rf"### Step {step}.*?(?=##)", "", text, flags=re.DOTALL)


def compared(then: str, now: str, files: Collection[str] = (), stand: str = "") -> Reconciliation:
    return reconcile(Source("then", then), Source("now", now), lambda p: p in files, stand)


def taken(then: str, now: str) -> list[tuple[str, str]]:
    """What a run goes on with: of which step, and what."""
    result = compared(then, now)
    assert result.diagnostics == ()
    return [(item.step, item.what) for item in result.taken if item.step]


def refused(then: str, now: str, **more: str) -> tuple[str, str, list[str]]:
    """What the one diagnostic says, what it points at, and what at in the version of the run."""
    (fault,) = compared(then, now, **more).diagnostics
    assert fault.code == "FC7001"
    place = now[fault.primary.start : fault.primary.end]
    return fault.message, place, [then[a.span.start : a.span.end] for a in fault.labels]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_a_document_that_nobody_edited_is_gone_on_with():
    result = compared(DOCUMENT, DOCUMENT)
    assert result.taken == [AcceptedEdit("", "1 step DONE, not executed again", "checkpoint")]
    assert (result.again, result.diagnostics) == ({}, ())


def test_steps_that_are_done_are_counted():
    done = status(2, "DONE")
    assert [t.what for t in compared(done, done).taken] == ["2 steps DONE, not executed again"]
    none = status(1, "PENDING")
    assert compared(none, none).taken == []


def test_another_description_is_taken_with_its_line():
    now = change(DOCUMENT, 2, "Description", "a lot")
    assert compared(DOCUMENT, now).taken[0] == AcceptedEdit(
        "step_2", "Description", "document", line_of(now, "a lot")
    )


@pytest.mark.parametrize("word", ["PENDING", "READY", "FAILED", "DONE"])
def test_a_step_that_nobody_works_on_may_be_taken_out(word):
    then = status(2, word)
    assert ("step_2", f"taken out (it was {word})") in taken(then, without(then, 2))


@pytest.mark.parametrize("word", ACTIVE)
def test_a_step_that_is_being_worked_on_may_not_be_taken_out(word):
    then = status(2, word)
    message, place, labels = refused(then, without(then, 2))
    assert message == f"`step_2` was {word} and is gone"
    assert place == "## 3. Processing Plan & Status"
    assert labels == ["### Step 2: Soften"]


def test_a_step_that_is_taken_out_has_no_line():
    result = compared(DOCUMENT, without(DOCUMENT, 3))
    assert result.taken[0] == AcceptedEdit("step_3", "taken out (it was PENDING)", "document", 0)


def test_where_the_plan_s_heading_is_gone_too_the_file_s_beginning_is_named():
    then = status(2, "RUNNING")
    now = without(then, 2).replace("## 3. Processing Plan & Status", "")
    (fault,) = compared(then, now).diagnostics
    assert (fault.primary.start, fault.primary.end) == (0, 0)


@pytest.mark.parametrize("word", ["PENDING", "READY", "FAILED"])
def test_a_new_step_is_taken_with_the_line_of_its_heading(word):
    now = status(3, word)
    result = compared(without(DOCUMENT, 3), now)
    assert result.taken[0] == AcceptedEdit(
        "step_3", f"added, {word}", "document", line_of(now, "### Step 3")
    )


@pytest.mark.parametrize("word", ACTIVE)
def test_a_new_step_cannot_be_under_way(word):
    message, place, labels = refused(without(DOCUMENT, 3), status(3, word))
    assert message == f"`step_3` is {word} in the document, and nobody is working on it"
    assert (place, labels) == (word, [])


def test_a_new_step_that_is_done_needs_its_output():
    then, now = without(DOCUMENT, 3), status(3, "DONE")
    message, place, labels = refused(then, now)
    assert message == "`step_3` is DONE in the document, and what it writes is not there"
    assert (place, labels) == ("fade.wav", [])
    assert compared(then, now, files=["fade.wav"]).diagnostics == ()


def test_a_step_without_an_output_may_be_set_to_done():
    then = change(DOCUMENT, 3, "Output Audio", "")
    assert taken(then, status(3, "DONE", then)) == [("step_3", "DONE (it was PENDING)")]


def test_an_output_whose_variable_names_no_step_is_not_there():
    then = change(DOCUMENT, 3, "Output Audio", "$OUTPUT_STEP_9")
    message, _, _ = refused(then, status(3, "DONE", then))
    assert message.endswith("what it writes is not there")


def test_a_status_that_does_not_exist_is_refused_at_its_place():
    message, place, labels = refused(DOCUMENT, status(2, "SOON"))
    assert message == "`step_2` has the status `SOON`, which is none"
    assert (place, labels) == ("SOON", ["PENDING"])


def test_a_new_step_with_a_status_that_does_not_exist_has_one_place():
    message, place, labels = refused(without(DOCUMENT, 3), status(3, "SOON"))
    assert message == "`step_3` has the status `SOON`, which is none"
    assert (place, labels) == ("SOON", [])


def test_a_person_may_set_a_step_to_be_done():
    assert taken(DOCUMENT, status(2, "READY")) == [("step_2", "READY (it was PENDING)")]


def test_what_else_changed_with_the_status_is_taken_once():
    now = change(status(2, "READY"), 2, "Code", "`GAIN(-6)`")
    result = compared(DOCUMENT, now)
    assert [(t.what, t.line) for t in result.taken[:-1]] == [
        ("READY (it was PENDING)", line_of(now, "READY")),
        ("Code", line_of(now, "GAIN(-6)")),
    ]
    assert result.again == {}


@pytest.mark.parametrize("word", ACTIVE)
def test_a_person_cannot_set_a_step_to_be_under_way(word):
    message, place, labels = refused(DOCUMENT, status(2, word))
    assert message == f"`step_2` is {word} in the document, and nobody is working on it"
    assert (place, labels) == (word, ["PENDING"])


def test_a_step_set_to_done_needs_its_output():
    message, place, labels = refused(DOCUMENT, status(2, "DONE"))
    assert message == "`step_2` is DONE in the document, and what it writes is not there"
    assert (place, labels) == ("soft.wav", ["PENDING"])
    assert compared(DOCUMENT, status(2, "DONE"), files=["soft.wav"]).diagnostics == ()


@pytest.mark.parametrize(
    ("name", "value", "before"),
    [
        ("Input Audio", "`other.wav`", "tape.wav"),
        ("Output Audio", "`short.wav`", "cut.wav"),
        ("Code", "`CUT(2)`", "CUT(1)"),
    ],
)
def test_what_a_result_was_made_from_may_not_change_under_it(name, value, before):
    message, place, labels = refused(DOCUMENT, change(DOCUMENT, 1, name, value))
    assert message == f"`step_1` is DONE, but its {name} has changed"
    assert (place, labels) == (value.strip("`"), [before])


def test_the_step_that_has_used_the_result_is_named():
    then = status(3, "DONE", status(2, "FAILED"))
    message, _, _ = refused(then, change(then, 1, "Code", "`CUT(2)`"))
    assert message == "`step_1` is DONE, but its Code has changed, and `step_2` has used it"


def test_what_only_describes_a_finished_step_may_change():
    now = change(DOCUMENT, 1, "Description", "the first two minutes")
    what = "DONE all the same: set it to PENDING to have it done again"
    assert taken(DOCUMENT, now) == [("step_1", "Description"), ("step_1", what)]


def test_a_note_on_a_finished_step_says_nothing_about_its_result():
    assert taken(DOCUMENT, change(DOCUMENT, 1, "QA Notes", "dull")) == [("step_1", "QA Notes")]


@pytest.mark.parametrize("word", ACTIVE)
def test_a_step_under_way_that_is_to_be_done_differently_is_begun_again(word):
    then = status(2, word)
    result = compared(then, change(then, 2, "Description", "a lot"))
    assert result.again == {"step_2": StepRestart("step_2", "PENDING")}
    assert AcceptedEdit("step_2", f"begun again (it was {word})", "both") in result.taken


def test_a_step_under_way_goes_on_after_a_note():
    then = status(1, "RUNNING")
    assert compared(then, change(then, 1, "QA Notes", "dull")).again == {}


def test_code_that_a_person_wrote_is_executed_as_it_stands():
    then = status(2, "RUNNING")
    result = compared(then, change(then, 2, "Code", "`GAIN(-6)`"))
    assert result.again == {"step_2": StepRestart("step_2", "READY")}
    assert taken(then, change(then, 2, "Code", "`GAIN(-6)`")) == [
        ("step_2", "Code"),
        ("step_2", "begun again (it was RUNNING)"),
    ]


@pytest.mark.parametrize("word", ["PENDING", "READY"])
def test_code_for_a_step_that_has_not_begun_makes_it_ready(word):
    then = status(2, word)
    result = compared(then, change(then, 2, "Code", "`GAIN(-6)`"))
    assert result.again == {"step_2": StepRestart("step_2", "READY")}
    assert [item.what for item in result.taken if item.step] == ["Code"]


def test_code_that_was_taken_out_is_to_be_written_again():
    then = status(2, "CODE_GENERATED")
    result = compared(then, change(then, 2, "Code", ""))
    assert result.again == {"step_2": StepRestart("step_2", "PENDING")}


def test_a_step_that_has_not_begun_just_takes_another_description():
    assert compared(DOCUMENT, change(DOCUMENT, 2, "Description", "a lot")).again == {}


def test_what_reads_the_output_of_a_step_that_is_begun_again_is_begun_again():
    then = status(3, "FAILED", status(2, "RUNNING"))
    result = compared(then, change(then, 2, "Description", "a lot"))
    assert result.again["step_3"] == StepRestart("step_3", "PENDING")
    what = "begun again (it was FAILED): it reads what `step_2` writes"
    assert AcceptedEdit("step_3", what, "both") in result.taken


@pytest.mark.parametrize("word", ["PENDING", "READY"])
def test_what_reads_the_output_of_a_step_that_was_set_back_is_begun_again(word):
    then = status(3, "DONE", status(2, "DONE"))
    result = compared(then, status(1, word, then))
    assert result.again == {id: StepRestart(id, "PENDING") for id in ("step_2", "step_3")}


def test_a_reader_that_has_not_begun_has_nothing_to_begin_again():
    assert compared(DOCUMENT, status(1, "PENDING")).again == {}


def test_a_step_that_was_ready_is_not_set_back_by_being_pending():
    then = status(3, "FAILED", status(2, "READY"))
    assert compared(then, status(2, "PENDING", then)).again == {}


def test_another_sound_is_taken_before_any_step_has_begun():
    then = status(1, "READY")
    now = then.replace("`tape.wav`", "`disc.wav`", 1)
    assert compared(then, now).taken == [
        AcceptedEdit("", "Input Audio", "document", line_of(now, "disc.wav"))
    ]


def test_another_sound_is_refused_once_a_step_has_read_the_one_before():
    now = DOCUMENT.replace("`tape.wav`", "`disc.wav`", 1)
    message, place, labels = refused(DOCUMENT, now)
    assert message.startswith("the Input Audio of the request has changed")
    assert (place, labels) == ("disc.wav", ["tape.wav"])


@pytest.mark.parametrize("heading", ["1. Request Summary", "4. Final Output", "5. Workflow Log"])
def test_a_section_that_the_run_needs_may_not_go(heading):
    title = heading.partition(" ")[2]
    message, place, labels = refused(DOCUMENT, DOCUMENT.replace(f"## {heading}\n", ""))
    assert message == f"the section `{title}` is gone"
    assert (place, labels) == ("", [f"## {heading}"])


def test_a_diagnostic_says_where_the_run_s_checkpoint_is():
    then = status(2, "RUNNING")
    (fault,) = compared(then, without(then, 2), stand="the run stands at A").diagnostics
    assert fault.notes == ("the run stands at A",)
    (fault,) = compared(then, without(then, 2)).diagnostics
    assert fault.notes == ()


def applied(text: str, step: int, word: str) -> tuple[str, str, str]:
    """Status, code and results of a step that is begun again."""
    id = f"step_{step}"
    after = apply(read_plan(text), {id: StepRestart(id, word)}, NO_CODE).step(id)  # type: ignore[arg-type]
    status, code, results = (
        text_value(after, name) for name in ("Status", "Code", "Execution Results")
    )
    return status, code, results


def test_a_step_that_begins_again_loses_its_code_and_its_results():
    assert applied(DOCUMENT, 1, "PENDING") == ("PENDING", NO_CODE, "")


def test_a_step_that_begins_again_with_a_person_s_code_keeps_it():
    assert applied(DOCUMENT, 1, "READY") == ("READY", "CUT(1)", "")


def test_a_step_that_a_person_does_by_hand_stays_one():
    assert applied(DOCUMENT, 3, "PENDING") == ("PENDING", "N/A", "")


def test_a_step_without_code_gets_no_note_about_it():
    text = change(DOCUMENT, 3, "Code", "{fill in}")
    assert applied(text, 3, "PENDING") == ("PENDING", "{fill in}", "")


def test_a_step_that_is_not_there_cannot_be_begun_again():
    with pytest.raises(PlanError):
        apply(read_plan(DOCUMENT), {"step_9": StepRestart("step_9", "READY")}, NO_CODE)
