"""Which edits change words of a line of prose, and nothing that is read."""

from __future__ import annotations

import pytest
from flowc.compiler.editor.words import is_of_words, title_edit
from flowc.compiler.frontends.steps.editing import steps_editing


def edit(line: str, new: str) -> bool:
    """Replace what stands between two bars, or insert at one that stands twice."""
    before, old, behind = line.split("|")
    return is_of_words(before + old + behind, len(before), len(before) + len(old), new)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("Keep the notes |short|.", "rather short"),
        ("Keep the no||tes short.", "x"),
        ("Keep the notes| |short.", " very "),
        ("Keep the notes||", "x"),
        ("Über |alle| Berge.", "die sieben"),
    ],
)
def test_words(line, new):
    assert edit(line, new)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("Ke||ep the notes.", "x"),
        ("- keep the |notes|.", "papers"),
        ("Keep [the |notes|].", "papers"),
        ("Keep [NOT||ES] short.", "x"),
        ("Keep {{ the |notes| }}.", "papers"),
        ("Keep `the |notes|`.", "papers"),
        ("Keep the |notes|.", "[NOTES]"),
        ("Keep the |notes|.", "pa:pers"),
        ("Keep the |notes|.", "a\nb"),
        ("Keep the notes_||1 short.", "x"),
        ("Keep the $|notes|.", "papers"),
        ("TOOLS: |read_file|", "x"),
        ("### 🔧 WORKFLOW STEP: a |name|", "word"),
        ("||", "x"),
    ],
)
def test_what_may_be_read(line, new):
    assert not edit(line, new)


def titled(line: str, new: str) -> tuple[int, str, str] | None:
    before, old, behind = line.split("|")
    end = len(before) + len(old)
    return title_edit(before + old + behind, len(before), end, new, steps_editing().titles)


@pytest.mark.parametrize(
    ("line", "new", "title"),
    [
        ("### 🔧 WORKFLOW STEP: Look |around|", "round", "Look round"),
        ("### 🔧 WORKFLOW STEP: Look|| around", " all", "Look all around"),
        ("### 🔧 WORKFLOW STEP: |Look| around", "See", "See around"),
        ("#### WORKFLOW STEP:Part ||2", "1", "Part 12"),
    ],
)
def test_titles(line, new, title):
    _, old, found = titled(line, new)
    assert found == title
    assert old in line.replace("|", "")


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("### 🔧 WORKFLOW STEP: |Look|", ""),
        ("### 🔧 WORKFLOW STEP: Look ||around", "`"),
        ("### 🔧 WORKFLOW STEP: Look ||around", "<!-- flowc: allow FC3003 -->"),
        ("### 🔧 WORKFLOW STEP: Look ||around", "\n"),
        ("### 🔧 WORKFLOW ST||EP: Look around", "x"),
        ("### 🔧 WORKFLOW STEP:|| Look around", " "),
        ("### 🛠️ TOOL: read_||file", "x"),
        ("## Look ||around", "x"),
    ],
)
def test_what_is_more_than_a_title(line, new):
    assert titled(line, new) is None
