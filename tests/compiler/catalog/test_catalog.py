"""The catalogue: built-in tools, and the lock that stands in for servers and modules."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from flowc.compiler.catalog.catalog import (
    BUILTIN,
    LOCK_FILE,
    Catalog,
    ToolEntry,
    load_catalog,
    lock_text,
)
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Sink
from flowc.compiler.source.source import SourceSet

EXTRA = ToolEntry("get_issue", "Read an issue.", {"type": "object"}, "pure", "lock")


def load(path: Path) -> tuple[Catalog, tuple[Diagnostic, ...]]:
    sink = Sink(CODES)
    return load_catalog(str(path), SourceSet(), sink), sink.all()


def test_without_a_lock_only_the_built_in_tools_are_known(tmp_path):
    catalog, found = load(tmp_path / "a.md")
    assert catalog.entries == BUILTIN
    assert not catalog.complete
    assert found == ()


def test_the_nearest_lock_above_the_file_is_read(tmp_path):
    (tmp_path / LOCK_FILE).write_text(lock_text([EXTRA]))
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    catalog, found = load(deep / "x.md")
    assert catalog.entries["get_issue"] == EXTRA
    assert catalog.entries["read_file"] == BUILTIN["read_file"]
    assert catalog.complete
    assert found == ()


def test_a_lock_reads_back_as_it_was_written_and_does_not_depend_on_the_order(tmp_path):
    other = ToolEntry("another", "", {}, "once", "lock")
    assert lock_text([EXTRA, other]) == lock_text([other, EXTRA])
    (tmp_path / LOCK_FILE).write_text(lock_text([EXTRA, other], complete=False))
    catalog, _ = load(tmp_path / "x.md")
    assert [catalog.entries["another"], catalog.entries["get_issue"]] == [other, EXTRA]
    assert not catalog.complete


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", "FC1001", "not JSON"),
        ('{"tools": [', "FC1001", "not JSON"),
        ("[" * 100_000, "FC1001", "nested too deeply"),
        ("[]", "FC1003", "a lock needs a list `tools`"),
        ('{"schema_version": 9, "tools": []}', "FC1005", "version 9"),
        ('{"schema_version": 1, "tools": [3]}', "FC1003", "entry 1 of `tools` has no name"),
        ('{"schema_version": 1, "tools": [{"name": "a", "effect": "x"}]}', "FC1005", "`effect`"),
        ('{"schema_version": 1, "tools": [{"name": "a", "parameters": 1}]}', "FC1005", "`param"),
        ('{"schema_version": 1, "tools": [{"name": "git_log"}]}', "FC1004", "a built-in tool"),
    ],
)
def test_a_damaged_lock_is_a_diagnostic_and_leaves_the_built_in_tools(tmp_path, text, code, says):
    (tmp_path / LOCK_FILE).write_text(text)
    catalog, found = load(tmp_path / "x.md")
    assert [(d.code, d.severity) for d in found] == [(code, "error")]
    assert says in found[0].message
    assert Path(found[0].primary.file).name == LOCK_FILE
    assert catalog.entries == BUILTIN
    assert not catalog.complete


def test_a_name_given_twice_is_reported_and_the_first_one_counts(tmp_path):
    first, second = {"name": "a", "effect": "pure"}, {"name": "a", "effect": "once"}
    lock = {"schema_version": 1, "tools": [first, second]}
    (tmp_path / LOCK_FILE).write_text(json.dumps(lock))
    catalog, found = load(tmp_path / "x.md")
    assert [(d.code, d.message) for d in found] == [("FC1004", "`a` is in the lock twice")]
    assert catalog.entries["a"].effect == "pure"
    assert not catalog.complete


def test_a_lock_that_is_no_text_is_unreadable(tmp_path):
    (tmp_path / LOCK_FILE).write_bytes(b"\xff\xfe")
    _, found = load(tmp_path / "x.md")
    assert [d.code for d in found] == ["FC0001"]


def test_the_place_of_a_fault_is_the_tool_it_speaks_of(tmp_path):
    lock = {"schema_version": 1, "tools": [{"name": "one"}, {"name": "two", "effect": "?"}]}
    (tmp_path / LOCK_FILE).write_text(json.dumps(lock))
    sink, sources = Sink(CODES), SourceSet()
    load_catalog(str(tmp_path / "x.md"), sources, sink)
    span = sink.all()[0].primary
    assert sources.files[span.file].text[span.start : span.end] == '"two"'


@pytest.mark.parametrize("tool", BUILTIN.values(), ids=lambda tool: tool.name)
def test_the_defaults_of_built_in_tools_fit_their_own_schema(tool):
    jsonschema.Draft202012Validator.check_schema(tool.parameters)
    for name, value in tool.parameters["properties"].items():
        if "default" in value:
            jsonschema.validate({name: value["default"]}, {**tool.parameters, "required": []})


def test_every_built_in_tool_has_a_closed_schema_that_describes_each_argument():
    for tool in BUILTIN.values():
        assert tool.parameters["additionalProperties"] is False
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])
        assert all(p["description"] for p in tool.parameters["properties"].values())
