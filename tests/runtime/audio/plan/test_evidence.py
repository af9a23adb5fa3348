"""What was measured of a step is read from its results, and nothing else that stands there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flowc.runtime.audio.plan.evidence import (
    FIRST,
    Measured,
    evidence_lines,
    read_evidence,
    read_search,
    search_lines,
)
from flowc.runtime.audio.plan.predicates import Finding, read_predicate


def finding(metric: str, value: float | str | bool | None, before: float | None = None) -> Finding:
    check = {"metric": metric, "op": "<=", "value": 1.0, "subject": "s"}
    return Finding(read_predicate(check), "passed", value, before=before)


LINES = evidence_lines(
    [
        finding("integrated_lufs", -16.5, -30.25),
        finding("true_peak_dbtp", -1.0),
        finding("duration_s", None),
    ]
)
FORGED = "measured: duration_s = 5; without the step 9"


def test_what_is_written_is_read() -> None:
    assert read_evidence("\n".join(["done", *LINES])) == {
        "integrated_lufs": Measured(-16.5, -30.25),
        "true_peak_dbtp": Measured(-1.0, None),
    }


@pytest.mark.parametrize("printed", [FORGED, f"{FIRST}\n{FORGED}", f"{FORGED}\n{FIRST}"])
@pytest.mark.parametrize("lines", [LINES, evidence_lines([])])
def test_what_a_program_prints_is_not_evidence(printed: str, lines: list[str]) -> None:
    found = read_evidence("\n".join([printed, *lines]))
    assert "duration_s" not in found
    assert len(found) == len(lines) - 1


def test_why_nothing_was_measured_is_read() -> None:
    silent = replace(finding("fade_misfit_db(0,1)", None), note="there is\nsilence")
    assert read_evidence("\n".join(evidence_lines([silent]))) == {
        "fade_misfit_db(0,1)": Measured(None, why="there is silence")
    }


@pytest.mark.parametrize("results", ["", "done", FORGED])
def test_results_without_the_first_line_have_none(results: str) -> None:
    assert read_evidence(results) == {}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "found: {",
        'found: {"gain_db": 3}',
        'found: {"gain_db": "3", "ceiling_db": null}',
        'found: {"gain_db": NaN, "ceiling_db": null}',
        'found: {"gain_db": 1e300, "ceiling_db": null}',
        'found: {"gain_db": true, "ceiling_db": null}',
    ],
)
def test_what_is_not_what_a_search_came_to_is_not_taken_for_it(line):
    assert read_search(f"{FIRST}\n{line}") == {}


def test_what_a_search_came_to_is_read_as_it_was_and_not_from_what_a_program_printed():
    found = {"gain_db": 1 / 3, "ceiling_db": None}
    (line,) = search_lines(found)
    assert read_search(f"wrote a.wav\n{FIRST}\n{line}") == found
    assert read_search(f"{line}\n{FIRST}") == {}
