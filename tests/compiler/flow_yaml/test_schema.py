"""`flowc schema flow` accepts what the reader accepts, and refuses what has no place anywhere."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.flow_yaml.schema import flow_schema
from flowc.compiler.frontends.flow.forms import Forms
from flowc.compiler.reading.tree import Scalar
from flowc.compiler.reading.yaml_syntax import read_yaml
from flowc.compiler.source.source import Source
from hypothesis import HealthCheck, Phase, given, settings

from workflows import FILE, workflows

ROOT = Path(__file__).parents[3]
ACCEPTED = [
    *sorted((ROOT / "tests/corpus/flow/ok").glob("*/main.flow.yaml")),
    *sorted((ROOT / "workflows").rglob("*.flow.yaml")),
]
REFUSED = ("fc1002", "fc1003", "fc1005", "fc1008")
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
VALIDATOR = jsonschema.Draft202012Validator(flow_schema())


def as_json(text: str):
    """The file as an editor sees it: scalars that JSON knows are no texts."""
    source = Source(FILE, text)
    key = Scalar("", 0, 0, "", source)
    root = read_yaml(source, Sink(CODES))
    assert root is not None
    return Forms(source, Sink(CODES)).json(None, key, root)


def faults(text: str) -> list[str]:
    return [error.message[:200] for error in VALIDATOR.iter_errors(as_json(text))]


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(flow_schema())


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_what_the_reader_accepts_is_valid(path):
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "path",
    [p for p in sorted((ROOT / "tests/corpus/flow/err").glob("*/main.flow.yaml"))
     if p.parent.name.startswith(REFUSED)],
    ids=lambda p: p.parent.name,
)  # fmt: skip
def test_what_stands_in_a_wrong_place_is_not(path):
    assert faults(path.read_text(encoding="utf-8")) != []


@settings(
    max_examples=25, phases=NO_SHRINKING, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(workflow=workflows())
def test_whatever_is_written_is_valid(workflow):
    from flowc.compiler.emit.flow.program import emit_flow_yaml
    from flowc.compiler.ir import Program

    text = emit_flow_yaml(Program(entry=FILE, workflows=((FILE, workflow),)))
    assert faults(text) == []
