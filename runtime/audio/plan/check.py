"""Measures files and holds requirements against the numbers: the quality check of sound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import unquote

from flowc.compiler.catalog.audio_expectations import OWN
from flowc.compiler.catalog.audio_model import PARTS

from ...errors import Failure
from ..calls.call import Do, check_call
from .evidence import Evidence
from .metrics import FILE, THRESHOLD, Measurement, Pair
from .predicates import Finding, Predicate, judge, judge_value, metric_of, names_of, verdict_of

_AT_ONCE = 2


class SubjectFiles(NamedTuple):
    """The files of a subject: before (None when there is none) and after."""

    before: str | None
    after: str


async def findings_of(
    predicates: Sequence[Predicate],
    subjects: Mapping[str, SubjectFiles],
    do: Do,
    evidence: Evidence = MappingProxyType({}),
) -> list[Finding]:
    """Return what each predicate came to. A file that cannot be measured leaves its predicates not
    measured, with the reason; each file is measured once for each threshold, as far as predicates
    need it, and not for those that there is evidence of."""
    known = {key: one for key, one in evidence.items() if one.value is not None}
    open = [p for p in predicates if (p.subject, p.metric) not in known]
    measured = await _measure(_measurements_of(open, subjects), do)
    pairs: dict[str, tuple[Pair, Pair | None] | str] = {}
    for subject, files in subjects.items():
        mine = [p for p in open if p.subject == subject]
        if mine:
            pairs[subject] = await _pairs(files, mine, measured, do)
    findings = []
    for predicate in predicates:
        told = evidence.get((predicate.subject, predicate.metric))
        if told is not None and told.value is not None:
            findings.append(judge_value(predicate, told.value, told.before))
            continue
        finding = _finding(predicate, pairs.get(predicate.subject))
        if told is not None and finding.verdict == "not measured":
            finding = replace(finding, note=told.why)  # the files of then may be gone
        findings.append(finding)
    return findings


def _finding(predicate: Predicate, pairs: tuple[Pair, Pair | None] | str | None) -> Finding:
    if isinstance(pairs, str):
        return Finding(predicate, "not measured", None, pairs)
    if pairs is None:
        return judge(predicate, None)
    pair, idle = pairs
    if idle is None and metric_of(predicate.metric)[0].both:
        return Finding(predicate, "not measured", None, "there is no file before")
    return judge(predicate, pair, idle)


def report_of(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the findings as data: the verdict of all, a row for each, and the table as a text."""
    rows = [finding.to_json() for finding in findings]
    return {
        "verdict": verdict_of(list(findings)),
        "passed": sum(row["verdict"] == "passed" for row in rows),
        "failed": sum(row["verdict"] == "failed" for row in rows),
        "not_measured": sum(row["verdict"] == "not measured" for row in rows),
        "proves_nothing": sum(row["verdict"] == "proves nothing" for row in rows),
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


_COUNTED = ("places", "samples", "channels", "tags", "Hz")
"""Units of what there is a whole number of."""


def shown_value(value: float | str | bool, unit: str) -> str:
    """Return a measured value with its unit: two decimals, none for what is counted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    counted = unit in _COUNTED and value == int(value)
    unit = unit.removesuffix("s") if counted and value == 1 else unit
    return f"{int(value) if counted else f'{value:.2f}'} {unit}".rstrip()


def _measurements_of(
    predicates: Iterable[Predicate], subjects: Mapping[str, SubjectFiles]
) -> dict[tuple[str, float], set[str]]:
    """Return the files to measure, each with the thresholds and for them the parts that predicates
    need; the file before too, which tells what a predicate proves."""
    keys: dict[tuple[str, float], set[str]] = {}
    for predicate in predicates:
        files = subjects.get(predicate.subject)
        if files is None:
            continue
        metric, at = metric_of(predicate.metric)
        if metric.effect:
            continue
        threshold = float(at[0]) if metric.at[:1] == ("dbfs",) and at else THRESHOLD
        for path in files:
            if path is not None:
                keys.setdefault((path, threshold), set()).update(metric.parts)
    return keys


async def _measure(
    wanted: Mapping[tuple[str, float], set[str]], do: Do
) -> dict[tuple[str, float], Measurement | str]:
    """Return the measurements, or why there is none, some at a time."""
    room = asyncio.Semaphore(_AT_ONCE)

    async def one(path: str, threshold: float, needed: set[str]) -> Measurement | str:
        async with room:
            try:
                parts = [part for part in PARTS if part in needed]
                values = {"input": path, "silence_dbfs": threshold, "parts": parts}
                return await do(check_call("measure", values))
            except Failure as failure:
                return failure.message

    found = await asyncio.gather(*(one(*key, parts) for key, parts in wanted.items()))
    return dict(zip(wanted, found, strict=True))


async def _pairs(
    files: SubjectFiles,
    predicates: Sequence[Predicate],
    measured: Mapping[tuple[str, float], Measurement | str],
    do: Do,
) -> tuple[Pair, Pair | None] | str:
    """Return the measurements of a subject, and those of the same had nothing been done; or why
    there are none."""
    sides: list[dict[float, Measurement]] = [{}, {}]
    for (path, threshold), measurement in measured.items():
        for side, name in zip(sides, files, strict=True):
            if path == name and isinstance(measurement, str):
                return measurement
            if path == name and not isinstance(measurement, str):
                side[threshold] = measurement
    before, after = sides
    if files.before is None:
        return Pair(before, after), None
    effects = await _effects(files, predicates, do)
    done, idle = ({name: two[n] for name, two in effects.items()} for n in (0, 1))
    return Pair(before, after, done), Pair(before, before, idle)


def _files_in(written: str) -> Iterator[str]:
    """Yield the files that a metric names, but for the sound before."""
    metric, said = metric_of(written)
    for name, one in zip(names_of(metric, len(said)), said, strict=True):
        if name == FILE and one != OWN:
            yield unquote(str(one))


async def _effects(
    files: SubjectFiles, predicates: Sequence[Predicate], do: Do
) -> dict[str, tuple[float | str, float | str]]:
    """Return each measure of both files, and what it would be had nothing been done."""
    wanted = [p.metric for p in predicates if metric_of(p.metric)[0].effect]
    wanted = list(dict.fromkeys(wanted))
    if not wanted:
        return {}
    call: dict[str, Any] = {"a": files.before, "b": files.after, "effects": wanted}
    if others := list(dict.fromkeys(path for one in wanted for path in _files_in(one))):
        call["others"] = others
    try:
        found = (await do(check_call("compare", call)))["effects"]
    except Failure as failure:
        return dict.fromkeys(wanted, (failure.message, failure.message))
    return {name: (found[name]["value"], found[name]["idle"]) for name in wanted}
