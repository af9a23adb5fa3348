"""Measures files and holds requirements against the numbers: the quality check of sound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import Failure
from ..calls.call import Do, check_call
from .metrics import THRESHOLD, Measurement, Pair
from .predicates import Finding, Predicate, judge, metric_of, verdict_of

_AT_ONCE = 2
_PITCH = "pitch_change_semitones"


class SubjectFiles(NamedTuple):
    """The files of a subject: before (None when there is none) and after."""

    before: str | None
    after: str


async def findings_of(
    predicates: Sequence[Predicate], subjects: Mapping[str, SubjectFiles], do: Do
) -> list[Finding]:
    """Return what each predicate came to. A file that cannot be measured leaves its predicates not
    measured, with the reason; each file is measured once for each threshold."""
    measured = await _measure(_measurements_of(predicates, subjects), do)
    pairs: dict[str, Pair | str] = {}
    for subject, files in subjects.items():
        mine = [p for p in predicates if p.subject == subject]
        if mine:
            pairs[subject] = await _pair(files, mine, measured, do)
    findings = []
    for predicate in predicates:
        pair = pairs.get(predicate.subject)
        if isinstance(pair, str):
            findings.append(Finding(predicate, "not measured", None, pair))
        elif pair is not None and not pair.before and metric_of(predicate.metric)[0].both:
            findings.append(Finding(predicate, "not measured", None, "there is no file before"))
        else:
            findings.append(judge(predicate, pair))
    return findings


def report_of(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the findings as data: the verdict of all, a row for each, and the table as a text."""
    rows = [finding.to_json() for finding in findings]
    return {
        "verdict": verdict_of(list(findings)),
        "passed": sum(row["verdict"] == "passed" for row in rows),
        "failed": sum(row["verdict"] == "failed" for row in rows),
        "not_measured": sum(row["verdict"] == "not measured" for row in rows),
        "checks": rows,
        "table": "\n".join(map(line_of, findings)),
    }


def line_of(finding: Finding) -> str:
    """Return `passed · loudness of -16 LUFS: integrated_lufs == -16 ± 0.5 · measured -16.02
    LUFS`."""
    predicate = finding.predicate
    subject = "" if predicate.subject == "result" else f"{predicate.subject}: "
    words = f"{predicate.text}: " if predicate.text else ""
    unit = metric_of(predicate.metric)[0].unit
    parts = [finding.verdict, f"{words}{subject}{predicate.condition}"]
    if finding.measured is not None:
        parts.append(f"measured {shown_value(finding.measured, unit)}")
    if finding.note:
        parts.append(finding.note)
    return " · ".join(parts)


_COUNTED = ("places", "samples", "channels", "Hz")
"""Units of what there is a whole number of."""


def shown_value(value: float | str | bool, unit: str) -> str:
    """Return a measured value with its unit: two decimals, none for what is counted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    counted = unit in _COUNTED and value == int(value)
    return f"{int(value) if counted else f'{value:.2f}'} {unit}".rstrip()


def _measurements_of(
    predicates: Iterable[Predicate], subjects: Mapping[str, SubjectFiles]
) -> dict[tuple[str, float], None]:
    """Return the files to measure, each with the thresholds that predicates need."""
    keys: dict[tuple[str, float], None] = {}
    for predicate in predicates:
        files = subjects.get(predicate.subject)
        if files is None:
            continue
        metric, at = metric_of(predicate.metric)
        threshold = at if metric.at == "dbfs" and at is not None else THRESHOLD
        keys[files.after, threshold] = None
        if metric.both and files.before is not None:
            keys[files.before, THRESHOLD] = None
    return keys


async def _measure(
    wanted: Iterable[tuple[str, float]], do: Do
) -> dict[tuple[str, float], Measurement | str]:
    """Return the measurements, or why there is none, some at a time."""
    room = asyncio.Semaphore(_AT_ONCE)

    async def one(path: str, threshold: float) -> Measurement | str:
        async with room:
            try:
                values = {"input": path, "silence_dbfs": threshold}
                return await do(check_call("measure", values))
            except Failure as failure:
                return failure.message

    keys = list(wanted)
    return dict(zip(keys, await asyncio.gather(*(one(*key) for key in keys)), strict=True))


async def _pair(
    files: SubjectFiles,
    predicates: Sequence[Predicate],
    measured: Mapping[tuple[str, float], Measurement | str],
    do: Do,
) -> Pair | str:
    """Return the measurements of a subject, or why there are none."""
    sides: list[dict[float, Measurement]] = [{}, {}]
    for (path, threshold), measurement in measured.items():
        for side, name in zip(sides, files, strict=True):
            if path == name and isinstance(measurement, str):
                return measurement
            if path == name and not isinstance(measurement, str):
                side[threshold] = measurement
    pitch = None
    if files.before is not None and any(p.metric == _PITCH for p in predicates):
        comparison = await do(check_call("compare", {"a": files.before, "b": files.after}))
        pitch = comparison["difference"]["pitch_semitones"]
    return Pair(sides[0], sides[1], pitch)
