"""Completes a plan: requirements become predicates, steps get their files, and all is checked.

A plan comes from a model or from rules. The words of a fault say what its maker can do; nothing
is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from flowc.compiler.catalog.audio_formats import FORMATS, format_of
from flowc.compiler.catalog.audio_model import REQUIRED
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS

from ...errors import Failure
from ..calls.call import range_of
from ..calls.containers import CONTAINERS, a_file, coders_for, container_of, remedy
from .agreement import check_agreement, check_numbers
from .choices import is_chosen
from .contradictions import Shape
from .metrics import METRICS
from .predicates import ANY, RESULT, Predicate, parse_predicate, read_predicate

Json = dict[str, Any]
_UNKNOWN = Shape()
_HELD = ("sample_rate_hz", "channels", "subtype", "format")
"""Metrics of what a file can hold or cannot."""
MAX_STEPS = 100
ALWAYS: tuple[Json, ...] = (
    {"metric": "silent", "op": "==", "value": False, "text": "Something is to be heard"},
    {"metric": "not_finite", "op": "==", "value": 0, "text": "Every sample is a number"},
)
"""The requirements of every result, whatever its plan."""


@dataclass(frozen=True, slots=True)
class Order:
    """The order that a plan is for: the living document's id, the sound with its shape, the file of
    the result ("" gives it a name beside the document), the request, and what its words require
    whoever plans. From a second plan on `first` is the number of steps that there are already."""

    id: str
    audio: str
    output: str = ""
    sound: Shape = _UNKNOWN
    request: str = ""
    required: Sequence[Mapping[str, Any]] = ()
    first: int = 0
    round: int = 0


def complete_plan(plan: Mapping[str, Any], order: Order) -> Json:
    """Return what `document_plan` takes, and `problem`: "" or what is wrong."""
    try:
        done = _complete(plan, order)
        counts = f"{len(done['steps'])} steps, {len(done['criteria'])} requirements"
        return {**done, "problem": "", "said": counts}
    except Failure as failure:
        problem = f"{failure.message}. {failure.help}".removesuffix(". ")
        return {"problem": problem, "goal": "", "requirements": [], "constraints": [],
                "criteria": [], "steps": [], "said": problem}  # fmt: skip


def _complete(plan: Mapping[str, Any], order: Order) -> Json:
    steps = _steps(plan, order)
    requirements = [*_requirements_of(plan, order, len(steps)), *ALWAYS]
    _check_held(format_of(_last(steps)["output"]), requirements, order.sound)
    subjects = {RESULT, ANY, *(f"step_{order.first + n}" for n in range(1, len(steps) + 1))}
    lines = [criterion(one, subjects) for one in requirements]
    return {
        "goal": str(plan.get("goal") or ""),
        "requirements": list(dict.fromkeys(str(r.get("text") or "") for r in requirements)),
        "constraints": [str(one) for one in plan.get("constraints") or ()],
        "criteria": list(dict.fromkeys(lines)),
        "steps": steps,
    }


def _last(steps: list[Json]) -> Json:
    """Return the last step that makes sound."""
    return next(step for step in reversed(steps) if step.get("code") != "N/A")


def _steps(plan: Mapping[str, Any], order: Order) -> list[Json]:
    steps = [dict(step) for step in plan.get("steps") or ()]
    if not steps:
        raise Failure("the plan has no steps")
    if len(steps) > MAX_STEPS:
        raise Failure(f"the plan has {len(steps)} steps, and at most {MAX_STEPS} are done")
    if all(step.get("person") for step in steps):
        raise Failure("no step of the plan makes a sound", help="add one that changes the sound")
    for step in steps:
        if step.pop("person", False):
            step["code"] = "N/A"
        if order.round:
            step["title"] = f"{step['title']} (plan {order.round + 1})"
    if order.first:
        steps[0]["input"] = order.audio  # the sound as it came, not what the last plan made of it
    _last(steps)["output"] = _final(plan, order.id, order.audio, order.output)
    return steps


def _requirements_of(plan: Mapping[str, Any], order: Order, count: int) -> list[Json]:
    """Return the requirements of the plan and those of the request's own words, which hold whoever
    plans. Raise `Failure` where words and metrics do not agree."""
    planned = [dict(one) for one in plan.get("requirements") or ()]
    for one in planned:
        number = str(one.get("subject") or "").removeprefix("step_")
        if order.first and number.isdecimal() and 0 < int(number) <= count:
            one["subject"] = f"step_{order.first + int(number)}"
    read = [read_predicate(one) for one in planned if one.get("metric")]
    # What the request's own words require says the same in words and numbers, however wide.
    own = {(p.condition, p.text) for p in map(read_predicate, order.required)}
    for predicate in read:
        if (predicate.condition, predicate.text) not in own:
            check_agreement(predicate)
    known = {(p.subject, p.condition) for p in read} | {(ANY, p.condition) for p in read}
    asked = [
        predicate
        for one in order.required
        if not is_chosen(predicate := read_predicate(one), read if one.get("free") else ())
    ]
    missing = [p.to_json() for p in asked if (p.subject, p.condition) not in known]
    if not order.required:
        check_numbers(order.request, read)
    return [*planned, *missing]


def _final(plan: Mapping[str, Any], id: str, audio: str, output: str) -> str:
    named = str(plan.get("format") or "").lower().removeprefix(".")
    if named and named not in FORMATS:
        raise Failure(
            f"`{named}` is not a format of a result", help=f"use one of {', '.join(FORMATS)}"
        )
    if not output:
        stem = PurePath(audio).stem or "audio"
        output = f"{stem}_{id.rpartition('_')[2]}_final.{named or 'wav'}"
    container_of(output)
    coders_for((output,))
    if named and format_of(output) != named:
        raise Failure(f"the result is to be {a_file(named)}, and `{output}` is none")
    return output


def _check_held(kind: str, requirements: Iterable[Mapping[str, Any]], sound: Shape) -> None:
    """Raise `Failure` when a file of the format `kind` cannot hold what is required of the result,
    or what the sound has where nothing else is required."""
    container = CONTAINERS[kind]
    predicates = [read_predicate(one) for one in requirements if one.get("metric") in _HELD]
    # A requirement of a step holds for the result, unless the result has one of its own.
    predicates.sort(key=lambda p: p.subject == RESULT)
    required = {p.metric: p for p in predicates if p.op == "=="}
    if "format" in required and required["format"].value != container.name:
        reason = f"`{required['format'].condition}` is required"
        raise Failure(f"{reason}, and {a_file(kind)} measures as {container.name}")
    shape = {"sample_rate_hz": sound.rate, "channels": sound.channels}
    shape |= {name: int(required[name].value) for name in shape if name in required}
    subtype = str(required["subtype"].value) if "subtype" in required else ""
    rate, channels = shape.values()
    if not (why := container.why_not(subtype, rate, channels)):
        return
    help = remedy(container, subtype, rate, channels)
    if not required.keys() & {"subtype", "sample_rate_hz"}:
        help += "; the plan says so by a requirement such as `sample_rate_hz == 48000`"
    raise Failure(f"the result is to be {a_file(kind)}, which cannot hold {why}", help=help)


def criterion(requirement: Mapping[str, Any], subjects: Iterable[str]) -> str:
    """Return a requirement as a line of a document: its predicate in backticks, and what it means.
    One without a metric stays words, which nobody can measure. Raise `Failure`."""
    text = " ".join(str(requirement.get("text") or "").split()).replace("`", "'")
    if not requirement.get("metric"):
        return text or "a requirement without words"
    predicate = read_predicate(requirement)
    if predicate.subject not in subjects:
        raise Failure(
            f"`{predicate.subject}` is not a step of the plan", help=f"or write `{RESULT}`"
        )
    return f"`{predicate.subject}: {predicate.condition}` {text}".rstrip()


def criteria_in(lines: Iterable[str]) -> list[Predicate | str]:
    """Return the predicates of a document's success criteria; a line that holds none as it is."""
    criteria: list[Predicate | str] = []
    for line in lines:
        first, _, rest = line.strip().partition("`")
        inner, closed, text = rest.partition("`")
        predicate = parse_predicate(inner) if not first and closed else parse_predicate(line)
        if predicate is None:
            criteria.append(line.strip())
            continue
        words = text.strip(" :·-") if not first else ""
        criteria.append(read_predicate({**predicate.to_json(), "text": words}))
    return criteria


def catalogue() -> Json:
    """Return what a model that plans and writes calls has to know: the tools, the metrics, the
    formats."""
    return {
        "tools": "\n".join(_tools()),
        "metrics": "\n".join(_metrics()),
        "formats": ", ".join(FORMATS),
        "said": f"{len(METRICS)} metrics",
    }


def _tools() -> Iterable[str]:
    for tool in AUDIO_TOOLS:
        names = {p.name for p in tool.parameters}
        if "output" in names and names & {"input", "inputs"}:
            yield f"{tool.name.upper()}: {tool.about}"
            for parameter in tool.parameters:
                if parameter.kind in ("input", "output"):
                    continue
                required = parameter.default is REQUIRED
                default = "required" if required else f"default {parameter.default!r}"
                yield f"  {parameter.name}: {range_of(parameter)}; {default}: {parameter.about}"


def _metrics() -> Iterable[str]:
    for metric in METRICS.values():
        unit = f" [{metric.unit}]" if metric.unit else ""
        yield f"{metric.form}{unit}: {metric.about}"
