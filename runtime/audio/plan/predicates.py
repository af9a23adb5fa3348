"""Requirements as predicates: a metric, an operator, a value and a tolerance; numbers decide.

    result: integrated_lufs == -16 ± 0.5
    step_2: energy_below_change_db(40) <= -12

`result` is the final file beside the one the request came with; a step's ID is what the step wrote
beside what it read; `any_step` is one of all these. What cannot be measured is "not measured", and
never "passed"; what held before the edit as well "proves nothing".
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from flowc.compiler.source.spelling import Spelling

from ...errors import Failure
from .metrics import METRICS, Metric, Missing, Pair, Said

Verdict = Literal["passed", "failed", "not measured", "proves nothing"]
"""A predicate that holds proves nothing where it held before as well."""
OPERATORS = ("==", "!=", "<=", ">=", "<", ">")
RESULT, ANY = "result", "any_step"
_NAME = re.compile(r"(?P<name>[a-z_]+)(?:\((?P<at>[^()]*)\))?")
_MOST_NUMBERS = 64
_SUBJECT = re.compile(r"[A-Za-z_][\w.-]*")
_TEXT = re.compile(
    r"(?:(?P<subject>[\w.-]+):\s*)?(?P<metric>[a-z_]+(?:\([^)\s]*\))?)\s*(?P<op>==|!=|<=|>=|<|>)\s*"
    r"(?P<value>[^±\s]+)(?:\s*±\s*(?P<tolerance>[0-9.]+))?"
)


@dataclass(frozen=True, slots=True)
class Predicate:
    """One requirement. `value` is a number, a text or a truth value, as the metric's kind says;
    `tolerance` widens it. `text` is what it is in words."""

    metric: str
    op: str
    value: float | str | bool
    tolerance: float = 0.0
    subject: str = RESULT
    text: str = ""

    @property
    def condition(self) -> str:
        """Return `integrated_lufs == -16 ± 0.5`."""
        within = f" ± {self.tolerance:g}" if self.tolerance else ""
        return f"{self.metric} {self.op} {_spell(self.value)}{within}"

    def to_json(self) -> dict[str, Any]:
        """Return the predicate as data, as tools and documents hold it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a predicate: the measured value (None when there is none) and why; `before` is
    what it would be had nothing been done."""

    predicate: Predicate
    verdict: Verdict
    measured: float | str | bool | None
    note: str = ""
    before: float | str | bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a row of the table."""
        result = {"verdict": self.verdict, "measured": self.measured, "note": self.note,
                  "before": self.before}  # fmt: skip
        return {**self.predicate.to_json(), "shown": self.predicate.condition, **result}


def read_predicate(data: Mapping[str, Any]) -> Predicate:
    """Return a predicate from data. Raise `Failure` that says what does not fit and what would: an
    unknown metric (with the nearest), an operator, a value of another kind."""
    metric, at = metric_of(str(data.get("metric") or ""))
    op = str(data.get("op") or "==")
    op = {"=": "==", "≤": "<=", "≥": ">=", "≠": "!="}.get(op, op)
    if op not in OPERATORS:
        raise Failure(
            f"`{op}` is not an operator of a predicate", help=f"use {' '.join(OPERATORS)}"
        )
    value = _fitting(metric, data.get("value"))
    if metric.kind != "number" and op not in ("==", "!="):
        raise Failure(f"`{metric.name}` is compared with == and != only, not with `{op}`")
    tolerance = data.get("tolerance")
    tolerance = metric.tolerance if tolerance is None else tolerance
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or tolerance < 0:
        raise Failure(f"the tolerance of `{metric.name}` is not a number from 0 on: {tolerance!r}")
    subject = str(data.get("subject") or RESULT)
    if not _SUBJECT.fullmatch(subject):
        raise Failure(f"`{subject[:60]}` is not a subject: write `{RESULT}` or the ID of a step")
    return Predicate(
        metric.spell(at), op, value, float(tolerance), subject, str(data.get("text") or "")
    )


def parse_predicate(text: str) -> Predicate | None:
    """Return the predicate that a line of a document says; None when it says none."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        return None
    parts: dict[str, Any] = {key: value for key, value in match.groupdict().items() if value}
    parts["value"] = _read_value(parts["value"])
    parts["tolerance"] = float(parts.get("tolerance", 0))
    try:
        return read_predicate(parts)
    except (Failure, ValueError):
        return None


def metric_of(written: str) -> tuple[Metric, Said]:
    """Return a metric and what stands in its parentheses. Raise `Failure`."""
    match = _NAME.fullmatch("".join(written.split()))
    name = match["name"] if match else written[:60]
    if match is None or name not in METRICS:
        nearest = Spelling(METRICS).nearest(name)
        hint = f"did you mean `{nearest}`? " if nearest else ""
        raise Failure(f"there is no metric `{name}`", help=f"{hint}see docs/audio-editing.md")
    metric = METRICS[name]
    parts = [part for part in (match["at"] or "").split(",") if part]
    names = names_of(metric, len(parts))
    if len(parts) > _MOST_NUMBERS or len(names) != len(parts):
        raise Failure(f"the metric `{name}` is written `{metric.form}`")
    try:
        return metric, tuple(_read_part(*two) for two in zip(names, parts, strict=True))
    except ValueError:
        raise Failure(f"the metric `{name}` is written `{metric.form}`") from None


def names_of(metric: Metric, count: int) -> tuple[str, ...]:
    """Return what so many values in the parentheses of a metric are called; others than there are
    values where they do not fit."""
    if metric.free and not count:
        return ()
    times = (count - len(metric.at)) // len(metric.each) if metric.each else 0
    return (*metric.at, *metric.each * max(times, 1 if metric.each else 0))


def _read_part(name: str, part: str) -> float | str:
    """Return a number, or a text where the name has capitals. Raise `ValueError`."""
    if name.isupper():
        return part
    number = float(part)
    if not math.isfinite(number):
        raise ValueError(part)
    return number


def judge(predicate: Predicate, pair: Pair | None, idle: Pair | None = None) -> Finding:
    """Return the verdict by what the files measure. `pair` is None when there is no such subject.
    `idle` is what would be measured had nothing been done: what holds there too proves nothing."""
    if pair is None:
        return Finding(predicate, "not measured", None, f"there is no {predicate.subject}")
    metric, at = metric_of(predicate.metric)
    measured = metric.value(pair, at)
    if isinstance(measured, Missing):
        return Finding(predicate, "not measured", None, measured.why)
    before = metric.value(idle, at) if idle is not None else Missing("")
    return judge_value(predicate, measured, None if isinstance(before, Missing) else before)


def judge_value(
    predicate: Predicate, measured: float | str | bool, before: float | str | bool | None
) -> Finding:
    """Return the verdict on a value, beside that of nothing done; None where there is none."""
    if not _holds(predicate, measured):
        return Finding(predicate, "failed", measured, before=before)
    if before is None or not _holds(predicate, before):
        return Finding(predicate, "passed", measured, before=before)
    return Finding(predicate, "proves nothing", measured, "it held before as well", before)


def verdict_of(findings: list[Finding]) -> Verdict:
    """Return the verdict of all: one that failed decides, then one that was not measured; where all
    of them prove nothing, nothing was measured either."""
    verdicts = {finding.verdict for finding in findings}
    if "failed" in verdicts:
        return "failed"
    return "passed" if "passed" in verdicts and "not measured" not in verdicts else "not measured"


def _holds(predicate: Predicate, measured: float | str | bool) -> bool:
    value, within = predicate.value, predicate.tolerance
    if isinstance(measured, str) or isinstance(value, str):
        same = str(measured).upper() == str(value).upper()
        return same if predicate.op == "==" else not same
    match predicate.op:
        case "==":
            return abs(measured - value) <= within
        case "!=":
            return abs(measured - value) > within
        case "<=":
            return measured <= value + within
        case ">=":
            return measured >= value - within
        case "<":
            return measured < value + within
        case _:
            return measured > value - within


def _fitting(metric: Metric, value: Any) -> float | str | bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if metric.kind == "number" and is_number and math.isfinite(value):
        return float(value)
    if metric.kind == "flag" and isinstance(value, bool):
        return value
    if metric.kind == "text" and isinstance(value, str) and re.fullmatch(r"[\w-]{1,40}", value):
        return value.upper()
    wants = {"number": "a number", "flag": "true or false", "text": "a word"}[metric.kind]
    raise Failure(f"`{metric.name}` is compared with {wants}, not with {str(value)[:60]!r}")


def _read_value(text: str) -> float | str | bool:
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


def _spell(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
