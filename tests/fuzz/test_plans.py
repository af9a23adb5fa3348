"""Living documents made of pieces: written back byte for byte, and an edit changes one place.

Every text is a document, however odd; every edit either is refused or does what it says.
"""

from __future__ import annotations

import pytest
from flowc.compiler.plan import PlanDocument, PlanError, read_plan
from flowc.compiler.plan.document import field_value
from flowc.compiler.plan.words import SECTION_FIELDS, SECTIONS, STEP_FIELDS
from hypothesis import example, given
from hypothesis import strategies as st

pytestmark = pytest.mark.fuzz

KNOWN = [*STEP_FIELDS, *(name for names in SECTION_FIELDS.values() for name in names), "Other"]
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", " \n", ""])
LINES = [
    "# Title",
    "## 1. Request Summary",
    "## Processing Plan & Status",
    "## 3. Processing Plan & Status",
    "## 4. Final Output",
    "## 5. Workflow Log",
    "## Notes",
    "### Step 1: Trim",
    "### Step 2:",
    "### Step {N}: {title}",
    "   ### step 3 - Fade",
    "### Other",
    "---",
    "***",
    "```",
    "```python",
    "    ```text",
    "\t~~~",
    "````",
    "``",
    "    * item",
    "  - **Bold:** item",
    "* item",
    "1. item",
    "* `2031-01-01 00:00:00`: Began.",
    "* `{Timestamp}`: {text}",
    "  wrapped",
    "text",
    "\ufeff",
    "\r",
    "\u2028",
    "    ",
]
BULLETS = st.sampled_from(["* ", "*   ", "- ", "+\t", " * "])
VALUES = st.one_of(
    st.sampled_from(
        [
            "",
            " READY",
            " `step_1`",
            " `step_2` (kept)",
            " ``a`b``",
            " `open",
            " {A | B}",
            " $OUTPUT_STEP_1",
            "x",
            " \\1",
        ]
    ),
    st.text(max_size=8).map(lambda text: " " + text.replace("\n", " ")),
)
FIELDS = st.builds("{}**{}:**{}".format, BULLETS, st.sampled_from(KNOWN), VALUES)
DOCUMENTS = st.lists(
    st.tuples(st.one_of(st.sampled_from(LINES), FIELDS, FIELDS), ENDS), max_size=30
).map(lambda lines: "".join(text + end for text, end in lines))
LOGS = st.one_of(
    DOCUMENTS,
    DOCUMENTS.map("## Workflow Log\n* `2031-01-01 00:00:00`: Began.\n{}".format),
    DOCUMENTS.map("## Processing Plan\n### Step 1: Trim\n{}".format),
)
TEXTS = st.one_of(
    st.text(max_size=20),
    st.lists(st.sampled_from([*LINES, "", "\\n", "\\g<0>", "``` x"]), max_size=5).map("\n".join),
    st.lists(st.text(max_size=8), max_size=4).map(tuple),
)


def meant(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """Ends of lines in a text become the document's own; an empty list is an empty text."""
    value = value or ""
    return value.replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else value


def spans(document: PlanDocument) -> list[tuple[int, int, int, str]]:
    """Block, offset and end in the file, and name of every field, first ones only."""
    found = []
    for index, (block, start) in enumerate(zip(document.blocks, document.starts(), strict=True)):
        for field in block.fields:
            if block.field(field.name) is field:
                found.append((index, start + field.start, start + field.end, field.name))
    return found


@given(text=st.one_of(DOCUMENTS, st.text(max_size=200)))
def test_any_text_is_written_back_as_it_was(text):
    document = read_plan(text)
    assert document.text == text
    assert all(field_value(b, f.name) is not None for b in document.blocks for f in b.fields)


@given(text=DOCUMENTS, value=TEXTS, choice=st.integers(0, 1000))
def test_setting_a_field_changes_its_bytes_only(text, value, choice):
    document = read_plan(text)
    fields = spans(document)
    if not fields:
        return
    index, start, end, name = fields[choice % len(fields)]
    try:
        changed = document.set_at(index, name, value)
    except PlanError:
        return
    assert changed.text.startswith(text[:start])
    assert changed.text.endswith(text[end:])
    assert (field_value(changed.blocks[index], name) or "") == meant(value)
    assert read_plan(changed.text) == changed


@given(text=DOCUMENTS, value=TEXTS, choice=st.integers(0, 1000), name=st.sampled_from(KNOWN))
def test_adding_a_field_only_adds(text, value, choice, name):
    document = read_plan(text)
    index = choice % len(document.blocks)
    if document.blocks[index].field(name) is not None:
        return
    try:
        changed = document.set_at(index, name, value)
    except PlanError:
        return
    assert is_insertion(text, changed.text)
    assert (field_value(changed.blocks[index], name) or "") == meant(value)
    assert read_plan(changed.text) == changed


@example(text="## Workflow Log\n* `2031-01-01 00:00:00`: Began.\n\r", line="", title="")
@given(text=LOGS, line=st.text(max_size=30), title=st.text(max_size=10))
def test_a_log_line_and_a_step_only_add(text, line, title):
    document = read_plan(text)
    fields = {"Status": "READY", "Description": line}
    for change in (
        lambda: document.append_log("2031-01-01 00:00:00", line),
        lambda: document.add_step(title, fields),
    ):
        try:
            changed = change()
        except PlanError:
            continue
        assert is_insertion(text, changed.text)
        assert read_plan(changed.text) == changed
        assert len(changed.text) > len(text)


@given(text=DOCUMENTS)
def test_a_document_is_checked_to_its_end(text, compiled):
    compiled("## 3. Processing Plan & Status\n" + text, "plan")


def is_insertion(before: str, after: str) -> bool:
    """Whether `after` is `before` with one piece put in."""
    same = 0
    while same < len(before) and before[same] == after[same]:
        same += 1
    return after.endswith(before[same:])


def test_the_sections_are_those_of_the_format():
    assert set(SECTION_FIELDS) == set(SECTIONS)
