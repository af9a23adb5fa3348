"""The lossless document: what is read, and that an edit changes nothing else."""

from __future__ import annotations

import pytest
from flowc.compiler.plan import PlanError, is_template, read_plan
from flowc.compiler.plan.document import field_value


def replaced(before: str, after: str) -> tuple[str, str]:
    """What an edit took out, and what it put there."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]


def test_every_layout_is_written_back_as_it_was(layout):
    assert read_plan(layout).text == layout


@pytest.mark.parametrize("text", ["", "\n", "\r\n", "\ufeff", "```", "## 3.", "* **:**", "x\r"])
def test_any_text_is_a_document(text):
    assert read_plan(text).text == text


def test_a1_sections_are_found_with_and_without_their_numbers(layout):
    document = read_plan(layout)
    keys = [block.key for block in document.blocks if block.kind == "section"]
    assert keys == ["request", "requirements", "plan", "output", "log"]


def test_a2_a26_a_step_has_its_title_its_fields_and_their_values(layout):
    step = read_plan(layout).step("step_1")
    assert (step.title, step.number) == ("Raise the voice", 1)
    assert field_value(step, "Status") == "DONE"
    assert field_value(step, "Timestamp Start") == "2031-02-02 08:00:00"
    described = "Raise what lies between 300 Hz and 3 kHz, with `EQ` and nothing else."
    assert field_value(step, "Description") == described


def test_a2_a_step_heading_outside_the_plan_is_no_step():
    document = read_plan("## 2. PRD\n### Step 1: no\n## 3. Processing Plan\n### Step 2: yes\n")
    assert [step.title for step in document.steps] == ["yes"]


def test_a3_fences_are_read_without_their_indentation(layout):
    document = read_plan(layout)
    assert document.value("Code", step="step_1") == (
        'EQ(input_path="tape.wav", output_path="tape_eq.wav")'
    )
    results = document.value("Execution Results", step="step_1")
    assert results == "done\n  with an indented line\n\nand a last one"


def test_a_list_is_read_with_its_wrapped_items(layout):
    document = read_plan(layout)
    items = document.value("Key Requirements", section="requirements")
    assert items == ("The voice is in front", "No word is lost")


def test_a4_a_step_is_found_by_its_id_not_by_its_number(half_way):
    document = read_plan(half_way.replace("### Step 2", "### Step 7"))
    assert document.step("step_2").number == 7
    with pytest.raises(PlanError, match="no step has the ID `step_7`"):
        document.step("step_7")
    assert document.value("Description", step="step_2") is None


def test_a5_a_remark_behind_a_value_is_no_part_of_it(layout):
    document = read_plan(layout)
    assert document.value("Output Audio", step="step_1") == "tape_eq.wav"
    assert document.value("Input Audio", section="request") == "tape.wav"
    changed = document.set("Output Audio", "tape`eq.wav", step="step_1")
    assert replaced(layout, changed.text) in [("`tape_eq.wav`", "``tape`eq.wav``")] or (
        "``tape`eq.wav`` (kept)" in changed.text
    )
    assert changed.value("Output Audio", step="step_1") == "tape`eq.wav"


def test_a11_a_log_line_comes_last_and_has_one_line(layout):
    document = read_plan(layout).append_log("2031-02-02 09:00:00", "Two\r\n  lines, two  blanks")
    before, after = replaced(layout, document.text)
    assert before == ""
    assert after.count("2031-02-02 09:00:00") <= 1
    lines = [line for line in document.text.split("\n") if "`: " in line]
    bullet = lines[0].split("`")[0].lstrip("\ufeff")
    assert lines[-1].rstrip("\r") == f"{bullet}`2031-02-02 09:00:00`: Two lines, two  blanks"
    assert read_plan(document.text) == document


@pytest.mark.parametrize("time", ["now", "2031-02-02T09:00:00", "2031-02-02 09:00:00`", ""])
def test_a11_another_form_of_time_is_refused(half_way, time):
    with pytest.raises(PlanError, match="is not a time"):
        read_plan(half_way).append_log(time, "text")


def test_the_first_log_line_stands_below_the_heading_s_prose():
    text = "## 5. Workflow Log\n\n*Kept by the coordinator.*\n\n---\n\nNotes\n"
    grown = read_plan(text).append_log("2031-02-02 09:00:00", "Began.").text
    assert grown == text.replace("r.*\n\n---", "r.*\n\n*   `2031-02-02 09:00:00`: Began.\n\n---")


VALUES = {
    "a word": "RUNNING",
    "backslashes": r"C:\new\1 \g<0> \n",
    "backticks": "`` ` ```",
    "a blank at each end": " x ",
    "nothing": "",
    "a heading": "## 4. Final Output",
    "a field": "* **ID:** `step_9`",
    "braces": "{PENDING | READY}",
    "lines": "one\n\n    two\n",
    "a fence": "```python\nx = 1\n```",
    "a whole document": "## 3. Processing Plan\n### Step 1: x\n* **ID:** `step_1`\n```\n````\n",
    "line separators": "a\u2028b\x85c\x0bd",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_a24_a25_setting_a_field_changes_that_field_s_bytes_only(layout, value):
    """Every field of every block; what cannot be held is refused, never written wrongly."""
    document = read_plan(layout)
    held = 0
    for index, start in enumerate(document.starts()):
        for field in document.blocks[index].fields:
            try:
                changed = document.set_at(index, field.name, value)
            except PlanError:
                continue
            held += 1
            assert changed.text.startswith(layout[: start + field.start]), field.name
            assert changed.text.endswith(layout[start + field.end :]), field.name
            assert field_value(changed.blocks[index], field.name) == value
            assert read_plan(changed.text) == changed
    assert held >= 4


@pytest.mark.parametrize(
    ("name", "step", "value", "took", "put"),
    [
        ("Status", "step_2", "RUNNING", "EADY", "UNNING"),
        ("ID", "step_2", "step_9", "2", "9"),
        ("QA Notes", "step_1", "Clear, and loud.", "", ", and loud"),
        ("Code", "step_1", "N/A", 'EQ(input_path="tape.wav", output_path="tape_eq.wav")', "N/A"),
    ],
)
def test_a24_the_bytes_that_change(half_way, name, step, value, took, put):
    changed = read_plan(half_way).set(name, value, step=step)
    assert replaced(half_way, changed.text) == (took, put)


def test_a24_the_blank_line_and_the_section_s_number_stay(layout):
    changed = read_plan(layout).set("QA Notes", "Good.", step="step_1")
    changed = changed.set("Overall Status", "SUCCESS", section="output")
    assert changed.text == layout.replace("Clear.", "Good.").replace("IN_PROGRESS", "SUCCESS")


def test_a24_a_missing_field_is_added_in_its_place_and_layout(layout):
    end = "\r\n" if "\r\n*" in layout or "READY\r\n" in layout else "\n"
    bullet = "*   " if "*   **ID" in layout else "* "
    changed = read_plan(layout).set("Description", "Cut it.", step="step_2")
    line = f"{bullet}**Description:** Cut it.{end}"
    before, after = replaced(layout, changed.text)
    assert before == ""
    assert sorted(after) == sorted(line)
    assert line in changed.text
    names = [field.name for field in changed.step("step_2").fields]
    assert names == ["ID", "Description", "Status", "Input Audio", "Output Audio"]


def test_a24_a_missing_fence_is_added_in_the_layout_of_the_document(layout):
    changed = read_plan(layout).set("Code", "TRIM()", step="step_2")
    indent = "    " if "*   **ID" in layout else ""
    lines = changed.text.replace("\r\n", "\n")
    assert f"**Code:**\n{indent}```python\n{indent}TRIM()\n{indent}```\n" in lines
    assert changed.value("Code", step="step_2") == "TRIM()"


def test_a24_a_field_is_added_at_the_end_of_a_file_that_ends_without_a_line_end():
    document = read_plan("## 4. Final Output\n\n* **Overall Status:** SUCCESS")
    changed = document.set("Summary", "All is well.", section="output")
    assert changed.text == document.text + "\n* **Summary:** All is well."


def test_a24_a_first_field_stands_below_the_heading():
    text = "## 3. Processing Plan & Status\n\n### Step 1: Trim\n\n## 4. Final Output\n"
    document = read_plan(text)
    changed = document.set_at(2, "ID", "step_1").set("Overall Status", "FAILURE", section="output")
    assert changed.text == (
        "## 3. Processing Plan & Status\n\n### Step 1: Trim\n\n*   **ID:** `step_1`\n\n"
        "## 4. Final Output\n\n*   **Overall Status:** FAILURE\n"
    )
    assert changed.step("step_1").title == "Trim"


def test_a25_a_fence_in_a_text_gets_a_longer_fence_around_it(half_way):
    text = "```python\nx = 1\n```\n````\n"
    changed = read_plan(half_way).set("Code", text, step="step_1")
    assert (
        "    `````python\n    ```python\n    x = 1\n    ```\n    ````\n\n    `````\n"
        in changed.text
    )
    assert changed.value("Code", step="step_1") == text


def test_a25_progress_bars_become_lines(half_way):
    """A lone carriage return would be half a Windows line end."""
    changed = read_plan(half_way).set("Execution Results", "10 %\r20 %\r\ndone", step="step_1")
    assert changed.value("Execution Results", step="step_1") == "10 %\n20 %\ndone"


def test_a25_lines_in_a_field_of_one_line_are_refused(half_way):
    with pytest.raises(PlanError, match="`Status` holds one line, this text has 2"):
        read_plan(half_way).set("Status", "DONE\n## 4. Final Output", step="step_1")


def test_an_edit_never_leaves_a_fence_open(half_way):
    text = half_way.split("```python")[0] + "```python\nEQ()\n"
    with pytest.raises(PlanError, match="the fence of `Code` is not closed"):
        read_plan(text).set("Code", "N/A", step="step_1")
    with pytest.raises(PlanError, match="not be read back"):
        read_plan(text).set("QA Notes", "lost in the fence", step="step_1")


def test_a_list_is_set_as_a_list(layout):
    document = read_plan(layout)
    changed = document.set("Constraints", ("Mono", "48 kHz"), section="requirements")
    assert changed.value("Constraints", section="requirements") == ("Mono", "48 kHz")
    again = changed.set("Constraints", (), section="requirements")
    assert again.text == layout
    with pytest.raises(PlanError, match="cannot hold this list"):
        document.set("Constraints", ("two\nlines",), section="requirements")


def test_a_step_is_added_behind_the_last_one(layout):
    document = read_plan(layout).add_step(
        "Fade out", {"Status": "READY", "Input Audio": "$OUTPUT_STEP_2", "Code": "a\nb"}
    )
    before, _ = replaced(layout, document.text)
    assert before == ""
    assert [step.number for step in document.steps] == [1, 2, 3]
    assert document.value("Code", step="step_3") == "a\nb"
    assert read_plan(document.text) == document
    names = [field.name for field in document.step("step_3").fields]
    assert names == ["ID", "Status", "Input Audio", "Code"]


@pytest.mark.parametrize(
    ("title", "fields", "why"),
    [
        ("Two\nlines", {}, "a title is one line"),
        ("Trim", {"ID": "step_1"}, "there is a step with the ID `step_1` already"),
        ("Trim", {"Status": "A\n## B"}, "cannot"),
    ],
)
def test_a_step_that_would_break_the_document_is_refused(half_way, title, fields, why):
    with pytest.raises(PlanError, match=why):
        read_plan(half_way).add_step(title, fields)


def test_what_is_not_there_is_refused_by_name():
    document = read_plan("# Nothing\n")
    with pytest.raises(PlanError, match="there is no section `Final Output`"):
        document.set("Overall Status", "SUCCESS", section="output")
    with pytest.raises(PlanError, match="there is no section `Workflow Log`"):
        document.append_log("2031-02-02 09:00:00", "text")
    with pytest.raises(PlanError, match="there is no section `Processing Plan & Status`"):
        document.add_step("Trim", {})
    with pytest.raises(PlanError, match="belongs to a section or a step"):
        document.set_at(0, "ID", "x")


def test_an_edit_shares_every_other_block(half_way):
    """What makes an update independent of the document's size."""
    document = read_plan(half_way)
    changed = document.set("Status", "RUNNING", step="step_2")
    different = [a for a, b in zip(document.blocks, changed.blocks, strict=True) if a is not b]
    assert [block.title for block in different] == ["Trim the silence"]
    assert changed.ids is document.ids


def test_setting_what_is_there_changes_nothing(half_way):
    document = read_plan(half_way)
    assert document.set("Status", "DONE", step="step_1") is document


@pytest.mark.parametrize(("text", "template"), [("{A | B}", True), ("{A} b", False), ("", False)])
def test_a27_braces_mark_what_nobody_has_filled_in(text, template):
    document = read_plan(f"## Final Output\n* **Summary:** {text}\n")
    assert is_template(document.value("Summary", section="output")) is template
