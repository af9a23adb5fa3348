"""Evidence: what was measured of a step when it was done, as lines of its Execution Results.

    Measured when the step was done:
    measured: highpass_misfit_db(80,24) = 0.59; without the step 11.2
    not measured: fade_misfit_db(0,1); where the fade is asked for there is silence
    found: {"gain_db": 3.1, "ceiling_db": -1.4}

The last is what the step came to when it looked for a gain and a ceiling, by which its file can be
made again, also by a run that goes on later. The files that a step read and wrote need not stay for
its review. What stands before the first line is not evidence: a program may print what it likes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .predicates import Finding

FIRST = "Measured when the step was done:"
_FOUND, _MOST_DB = "found: ", 200.0
Value = float | str | bool
_LINE = re.compile(
    r"measured: (?P<metric>[a-z_]+(?:\([^)\s]*\))?) = (?P<value>[^\s;]+)"
    r"(?:; without the step (?P<before>\S+))?"
)
_UNMEASURED = re.compile(r"not measured: (?P<metric>[a-z_]+(?:\([^)\s]*\))?); (?P<why>.+)")


class Measured(NamedTuple):
    """The value of a metric, and what it would be had the step done nothing; None where that is
    not known. Without a value `why` says what was in the way."""

    value: Value | None
    before: Value | None = None
    why: str = ""


Evidence = Mapping[tuple[str, str], Measured]
"""By the subject and the metric as it is written."""


def evidence_lines(findings: Iterable[Finding]) -> list[str]:
    """Return the first line, and one for each metric: its value, or why it had none."""
    lines = {"": FIRST}
    for finding in findings:
        name = finding.predicate.metric
        if finding.measured is None:
            if why := " ".join(finding.note.split()):
                lines.setdefault(name, f"not measured: {name}; {why}")
            continue
        idle = "" if finding.before is None else f"; without the step {_spell(finding.before)}"
        lines[name] = f"measured: {name} = {_spell(finding.measured)}{idle}"
    return list(lines.values())


def search_lines(found: Mapping[str, float | None]) -> list[str]:
    """Return the line of what a search came to; none where there was no search."""
    return [f"{_FOUND}{json.dumps(dict(found))}"] if found else []


def read_search(results: str) -> dict[str, float | None]:
    """Return what the last search of a step came to; {} where that is not said."""
    said = [line for line in _after_first(results) if line.startswith(_FOUND)]
    try:
        found = json.loads(said[-1].removeprefix(_FOUND)) if said else None
    except ValueError:
        return {}
    if not isinstance(found, dict) or found.keys() != {"gain_db", "ceiling_db"}:
        return {}
    gain, ceiling = (found[name] for name in ("gain_db", "ceiling_db"))
    if not _is_level(gain) or not (ceiling is None or _is_level(ceiling)):
        return {}
    return found


def _is_level(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(float(str(value))) <= _MOST_DB


def _after_first(results: str) -> list[str]:
    lines = [line.strip() for line in results.splitlines()]
    return lines[len(lines) - lines[::-1].index(FIRST) :] if FIRST in lines else []


def read_evidence(results: str) -> dict[str, Measured]:
    """Return the evidence at the end of a step's results, by metric."""
    found: dict[str, Measured] = {}
    for line in reversed(_after_first(results)):
        if unmeasured := _UNMEASURED.fullmatch(line):
            found.setdefault(unmeasured["metric"], Measured(None, why=unmeasured["why"]))
        parts = _LINE.fullmatch(line)
        if parts is None:
            continue
        value, before = _read(parts["value"]), _read(parts["before"])
        if value is not None:
            found.setdefault(parts["metric"], Measured(value, before))
    return found


def _spell(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return json.dumps(value)


def _read(text: str | None) -> Value | None:
    try:
        value = json.loads(text) if text else None
    except ValueError:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value if isinstance(value, float | str | bool) else None
