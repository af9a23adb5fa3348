"""The sink: `MAX_KEPT` diagnostics of a file, a code and a severity; the others are counted."""

from __future__ import annotations

import json

import pytest
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import MAX_KEPT, Sink
from flowc.compiler.diagnostics.render import (
    count,
    render_github,
    render_json,
    render_sarif,
    render_text,
    summary_line,
)
from flowc.compiler.driver import compile_text
from flowc.compiler.source.source import Source, SourceSet

NUMBER = MAX_KEPT + 7


@pytest.fixture
def sources() -> SourceSet:
    found = SourceSet()
    found.add(Source("a.md", "x\n" * NUMBER))
    return found


@pytest.fixture
def sink(sources) -> Sink:
    """Faults in every line but the first, and a warning of the same code in that."""
    sink, source = Sink(CODES), sources.files["a.md"]
    sink.report("FC1001", "line 0", source.span(0), severity="warning")
    for line in range(1, NUMBER):
        sink.report("FC1001", f"line {line}", source.span(2 * line))
    return sink


def test_what_is_not_kept_is_counted_at_the_last_that_is(sink):
    found = sink.all()
    assert len(found) == MAX_KEPT + 1
    assert [d.more for d in found if d.more] == [6]
    assert found[-1].more == 6
    assert count(found) == (NUMBER - 1, 1)


def test_each_file_code_and_severity_counts_for_itself(sink, sources):
    other = sources.add(Source("b.md", "x"))
    sink.report("FC1001", "another file", other.span(0))
    sink.report("FC1002", "another code", sources.files["a.md"].span(0))
    assert count(sink.all()) == (NUMBER + 1, 1)
    assert {"another file", "another code"} <= {d.message for d in sink.all()}


def test_a_sink_that_takes_over_what_another_found_takes_the_number_over(sink):
    copy = Sink(CODES)
    copy.extend(sink.all())
    assert copy.all() == sink.all()


def test_a_file_is_broken_by_an_error_and_not_by_a_warning(sources):
    sink, source = Sink(CODES), sources.files["a.md"]
    sink.report("FC1001", "m", source.span(0), severity="warning")
    assert not sink.is_broken("a.md")
    assert not sink.has_errors
    sink.report("FC1001", "m", source.span(2))
    assert sink.is_broken("a.md")
    assert not sink.is_broken("b.md")
    assert sink.has_errors


def test_every_form_says_how_many_more_there_are(sink, sources):
    found = sink.all()
    assert render_text(found, sources).endswith(f"… and {NUMBER - 50} more; mend these first\n")
    assert summary_line(found, 1, 0.5) == "1,006 errors, 1 warning in 1 file (0.50 s)"
    shown = json.loads(render_json(found, sources))
    assert (shown["errors"], shown["diagnostics"][-1]["more"]) == (NUMBER - 1, 6)
    assert "more" not in shown["diagnostics"][0]
    assert "and 6 more FC1001 in this file" in render_github(found, sources).splitlines()[-1]
    log = json.loads(render_sarif(found, sources))
    assert log["runs"][0]["results"][-1]["occurrenceCount"] == 7
    assert render_text(found[-1:], sources).count("note: and 6 more FC1001 in this file") == 1


def test_a_file_with_a_fault_in_every_element_has_that_many_and_keeps_few():
    found = compile_text('{"states":[' + "null," * 30_000 + "1]}", "a.json").diagnostics
    assert sum(count(found)) > 30_000
    assert len(found) < 2 * MAX_KEPT
