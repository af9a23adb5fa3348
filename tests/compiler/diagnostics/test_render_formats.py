"""Diagnostics for programs: JSON, GitHub annotations and SARIF 2.1.0."""

from __future__ import annotations

import json

import jsonschema
import pytest
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix, Label
from flowc.compiler.diagnostics.render import render_github, render_json, render_sarif
from flowc.compiler.source.source import Source, SourceSet

FILE = "a folder/größe.md"
TEXT = "one 🔧 two\nthree\n"


@pytest.fixture
def found() -> tuple[list[Diagnostic], SourceSet]:
    """An error with everything a diagnostic can have, and a warning over two lines."""
    sources = SourceSet()
    source = sources.add(Source(FILE, TEXT))
    two, one = source.span(6, 9), source.span(0, 3)
    error = Diagnostic(
        CODES["FC2001"], "no `two`: 100%\nreally", two, "error", (Label(one, "meant"),),
        ("a note",),
        "write `one`", Fix("write `one`", two, "one", safe=True),
    )  # fmt: skip
    return [error, Diagnostic(CODES["FC2002"], "apart", source.span(6, 15), "warning")], sources


def test_json_holds_every_place_and_the_fix(found):
    data = json.loads(render_json(*found))
    assert (data["schema_version"], data["errors"], data["warnings"]) == (1, 1, 1)
    place = {"file": FILE, "line": 1, "column": 7, "end_line": 1, "end_column": 10}
    assert data["diagnostics"][0] == {
        "code": "FC2001",
        "name": "unknown-step",
        "severity": "error",
        "message": "no `two`: 100%\nreally",
        **place,
        "help": "write `one`",
        "notes": ["a note"],
        "labels": [{**place, "text": "meant", "column": 1, "end_column": 4}],
        "fix": {**place, "title": "write `one`", "safe": True, "text": "one"},
    }


def test_json_of_nothing_is_still_an_object():
    assert json.loads(render_json([], SourceSet())) == {
        "schema_version": 1,
        "diagnostics": [],
        "errors": 0,
        "warnings": 0,
    }


def test_github_escapes_what_would_end_the_command(found):
    first, second = render_github(*found).splitlines()
    assert first == (
        f"::error file={FILE},line=1,endLine=1,col=7,endColumn=10,title=FC2001 unknown-step::"
        "no `two`: 100%25%0Areally. a note. write `one`"
    )
    assert second == f"::warning file={FILE},line=1,endLine=2,title=FC2002 unreachable-step::apart"


def test_github_cannot_be_given_another_command_by_a_file_name():
    sources = SourceSet()
    source = sources.add(Source("a,b:c\n::error::x", "t"))
    line = render_github([Diagnostic(CODES["FC1001"], "m", source.span(0), "error")], sources)
    assert line.startswith("::error file=a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax,line=1")
    assert line.count("\n") == 1


REGION = {
    "type": "object",
    "required": ["startLine", "startColumn", "endLine", "endColumn"],
    "additionalProperties": False,
    "properties": {
        key: {"type": "integer", "minimum": 1}
        for key in ("startLine", "startColumn", "endLine", "endColumn")
    },
}
TEXT_OBJECT = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string", "minLength": 1}},
}
ARTIFACT = {
    "type": "object",
    "required": ["uri"],
    "additionalProperties": False,
    "properties": {"uri": {"type": "string", "pattern": "^[A-Za-z0-9._~/%-]+$"}},
}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": TEXT_OBJECT,
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "additionalProperties": False,
            "properties": {"artifactLocation": ARTIFACT, "region": REGION},
        },
    },
}
CHANGE = {
    "type": "object",
    "required": ["artifactLocation", "replacements"],
    "additionalProperties": False,
    "properties": {
        "artifactLocation": ARTIFACT,
        "replacements": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["deletedRegion"],
                "additionalProperties": False,
                "properties": {"deletedRegion": REGION, "insertedContent": TEXT_OBJECT},
            },
        },
    },
}
RESULT = {
    "type": "object",
    "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string", "pattern": "^FC[0-9]{4}$"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT_OBJECT,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "items": LOCATION},
        "fixes": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["artifactChanges"],
                "additionalProperties": False,
                "properties": {
                    "description": TEXT_OBJECT,
                    "artifactChanges": {"type": "array", "minItems": 1, "items": CHANGE},
                },
            },
        },
    },
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}
"""The part of the SARIF 2.1.0 schema (OASIS) that a log of ours may use; nothing else may occur."""


def test_sarif_has_the_structure_of_the_standard(found):
    log = json.loads(render_sarif(*found, version="1.2.3"))
    jsonschema.validate(log, SARIF)
    driver = log["runs"][0]["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("flowc", "1.2.3")
    for result in log["runs"][0]["results"]:
        rule = driver["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["defaultConfiguration"]["level"] == result["level"]


def test_sarif_without_findings_is_a_log_too():
    log = json.loads(render_sarif([], SourceSet()))
    jsonschema.validate(log, SARIF)
    assert log["runs"][0]["results"] == []


def test_sarif_names_files_as_uris_and_columns_as_characters(found):
    log = json.loads(render_sarif(*found))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20folder/gr%C3%B6%C3%9Fe.md"
    assert place["region"]["startColumn"] == 7
    assert log["runs"][0]["columnKind"] == "unicodeCodePoints"
