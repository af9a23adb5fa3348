"""Reviews the sound of a living document: its success criteria, held against measured numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from flowc.compiler import plan
from flowc.compiler.catalog.audio_expectations import OWN, SAME_SOUND_DB, measure_text
from flowc.compiler.catalog.audio_formats import WITH_LOSS, format_of
from flowc.compiler.catalog.audio_model import predicate
from flowc.compiler.plan.paths import original_input

from ...documents.attempts import last_error
from ...documents.phrases import steps_by_hand
from ...errors import Failure
from ..calls.call import AudioCall, Do, parse_call
from ..calls.containers import a_file, container_of
from .check import SubjectFiles, findings_of, line_of, report_of
from .contradictions import detours
from .evidence import Evidence, read_evidence
from .planning import criteria_in
from .predicates import ANY, RESULT, Finding, Predicate, judge, read_predicate, verdict_of

_GAINS = frozenset({"gain", "peak_norm", "loudness_norm"})
_DYNAMICS = frozenset({"compress", "leveller"})
_SET = frozenset({"peak_norm", "loudness_norm"})
_SAME_WORK = {"cut": "clip", "eq": "dehum", "peak_norm": "gain", "loudness_norm": "gain"}
"""Tools that may do what another one was asked for."""
STAYS: Mapping[str, str] = {
    "sample_rate_hz": "The sample rate stays",
    "channels": "The number of channels stays",
    "duration_change_s": "The length stays",
}
"""Metrics of what has to stay because nothing asks for another, and what is said of them."""
_LENGTHS = ("duration", "leading", "trailing", "section", "cut", "direct", "delay", "pauses",
            "first_part", "joined", "laid", "mix")  # fmt: skip
"""Beginnings of metrics of what is longer, shorter or later afterwards."""
_GUARD_DBTP = -3.0
"""A limiter from here on is a guard that many put at the end; one below it is an effect."""

_NOTE = re.compile(r"^note: (.+)$", re.MULTILINE)


async def review(
    document: plan.PlanDocument,
    do: Do,
    since: int = 0,
    asked: Collection[str] | None = None,
    unspoken: Collection[str] = (),
) -> dict[str, Any]:
    """Return {status, summary, verdict, passed, failed, not_measured, proves_nothing, checks,
    table, unmeasured, final, shown}: every criterion is there, with its measured value, and what
    the call of each step has to have done. A criterion without a predicate is not measured, and
    keeps the whole from passing, as a document without criteria does, or a step whose result
    nothing tells from its input. `final` is the file of the result, "" where no step has made one,
    which is FAILURE; `shown` says the same in words. The first `since` steps are those of a plan
    that was given up. `asked` are the tools that the request asks for, one as often as it does,
    where that is known: the report names a step that nobody asked for, or, where it is not known,
    that no criterion or, of the tools `unspoken`, no word of the request speaks of; the whole does
    not pass with it, but for what a person wrote by hand, whose changes need not stay."""
    section = document.section("requirements")
    lines = plan.text_value(section, "Success Criteria").split("\n") if section else []
    criteria = criteria_in(line for line in lines if line.strip())
    words = [one for one in criteria if isinstance(one, str)]
    subjects = subjects_of(document, since)
    by_hand = {id for id in steps_by_hand(document, since) if id in subjects}
    changed = _changed_by(document, by_hand)
    needs = [one for one in criteria if isinstance(one, Predicate)]
    predicates = [p for p in needs if p.metric not in changed or STAYS.get(p.metric) != p.text]
    planned = len(predicates)
    predicates += calls_expect(document, subjects, {(p.subject, p.condition) for p in predicates})
    findings = await _find_all(predicates, subjects, do, _evidence_in(document, subjects))
    unproved = [step for step in subjects if step != RESULT and not _has_proof(step, findings)]
    if RESULT in subjects and not unproved and not _tells_result(findings[:planned]):
        unproved = [RESULT]
    mine = [id for id in subjects if id not in by_hand]
    if asked is not None:
        extra = _extra_steps(document, mine, since, asked)
    else:
        extra = _unspoken_steps(document, mine, since, findings[:planned], unspoken)
    report = _report(findings, words, unproved, [*extra, *_detours(document, mine, since)])
    final = result_file(document, since)
    steps = document.steps[since:]
    undone = [_undone(step) for step in steps if plan.status_of(step) != "DONE"]
    report["table"] = "\n".join([report["table"], *_notes(steps)])
    status, summary = _status(report["verdict"], undone), _summary(report, undone)
    if not final:
        status, summary = "FAILURE", f"No step has made a sound. {summary}"
    shown = {"final": final, "shown": final or "there is no result"}
    return {**report, **shown, "status": status, "summary": summary, "said": summary}


def _notes(steps: Iterable[plan.Block]) -> list[str]:
    """Return what the tools noted, such as tags that are lost, each once with its first step."""
    said: dict[str, str] = {}
    for step in steps:
        if plan.status_of(step) == "DONE":
            for text in _NOTE.findall(plan.text_value(step, "Execution Results")):
                said.setdefault(text, plan.text_value(step, "ID"))
    return [f"note · {id}: {text}" for text, id in said.items()]


def _changed_by(document: plan.PlanDocument, steps: Iterable[str]) -> set[str]:
    """Return the metrics of `STAYS` that the calls of some steps change."""
    codes = {id: plan.text_value(document.step(id), "Code") for id in steps}
    checks = (one for id, code in codes.items() for one in _call_expects(id, code, ""))
    return constants_changed_by(check.to_json() for check in checks)


def constants_changed_by(checks: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the metrics of `STAYS` that something else is required of, in whatever words."""
    changed: set[str] = set()
    for check in checks:
        name = str(check["metric"]).partition("(")[0]
        if name == "duration_change_s":
            changed |= {name} if check["value"] else set()
        elif name.startswith(_LENGTHS):
            changed.add("duration_change_s")
        elif name in STAYS:
            changed.add(name)
    return changed


async def _find_all(
    predicates: list[Predicate], subjects: dict[str, SubjectFiles], do: Do, evidence: Evidence
) -> list[Finding]:
    """Return the findings; for `any_step` that of the step, or the result, which fits best."""
    spread = [
        replace(one, subject=subject)
        for one in predicates
        for subject in (subjects if one.subject == ANY else (one.subject,))
    ]
    found = iter(await findings_of(spread, subjects, do, evidence))
    findings = []
    for one in predicates:
        count = len(subjects) if one.subject == ANY else 1
        group = [next(found) for _ in range(count)] or [judge(one, None)]
        best = _best(group) if one.subject == ANY else group[0]
        findings.append(replace(best, predicate=one))
    return findings


def _evidence_in(document: plan.PlanDocument, subjects: Iterable[str]) -> Evidence:
    """Return what was measured of steps when they were done."""
    return {
        (id, metric): found
        for id in subjects
        if id != RESULT
        for metric, found in read_evidence(
            plan.text_value(document.step(id), "Execution Results")
        ).items()
    }


def step_requires(document: plan.PlanDocument, id: str, code: str) -> list[Predicate]:
    """Return what a step is judged by: the criteria that speak of it or of any step, and what its
    call has to have done."""
    section = document.section("requirements")
    lines = plan.text_value(section, "Success Criteria").split("\n") if section else []
    criteria = [one for one in criteria_in(lines) if isinstance(one, Predicate)]
    own = [replace(one, subject=id) for one in criteria if one.subject in (id, ANY)]
    return [*own, *_call_expects(id, code, plan.step_paths(document, id)[0])]


def _call_expects(id: str, code: str, read: str) -> list[Predicate]:
    try:
        call = parse_call(code)
    except Failure:
        return []  # a program, or a person's work
    checks = [*call.expects(read), *_file_expects(call)]
    return [read_predicate({**check, "subject": id}) for check in checks]


def _file_expects(call: AudioCall) -> Iterator[dict[str, Any]]:
    """Yield the checks of the file that a conversion wrote: its format follows from its name, which
    the arguments of the call do not repeat. Where no coder adds noise, other
    channels are those that the sound before is folded to."""
    if call.tool.name != "convert":
        return
    kind, container = format_of(call.writes[0]), container_of(call.writes[0])
    told = ("format", container.name)
    if kind == "opus":  # which has the container of ogg
        told = ("subtype", container.subtypes[0])
    yield predicate(told[0], "==", told[1], f"It is {a_file(kind)}")
    if call.arguments["channels"] and kind not in WITH_LOSS:
        folded = measure_text("joined_misfit_db", 0, OWN)
        yield predicate(folded, "<=", SAME_SOUND_DB, "It is the sound before, in other channels")


def _best(group: list[Finding]) -> Finding:
    """Return the finding of `any_step`: the one that passed. Without one it proves nothing where
    the first step, which reads the sound as it came, could show nothing; a later one may have had
    nothing left to work on."""
    steps = [finding for finding in group if finding.predicate.subject != RESULT]
    if not steps:
        return Finding(group[0].predicate, "not measured", None, "there is no step")
    if steps[0].verdict == "proves nothing":
        return next((f for f in group if f.verdict == "passed"), steps[0])
    return min(group, key=lambda finding: _BEST.index(finding.verdict))


_BEST = ("passed", "failed", "not measured", "proves nothing")


def calls_expect(
    document: plan.PlanDocument, subjects: Mapping[str, SubjectFiles], known: set[tuple[str, str]]
) -> list[Predicate]:
    """Return what the call of each step that is DONE has to have done, and no criterion says."""
    expected: list[Predicate] = []
    for step in document.steps:
        id = plan.text_value(step, "ID")
        if id not in subjects:
            continue
        wanted = _call_expects(id, plan.text_value(step, "Code"), subjects[id].before or "")
        expected += (one for one in wanted if (id, one.condition) not in known)
    return expected


def _has_proof(step: str, findings: Sequence[Finding]) -> bool:
    """Tell whether a predicate on a step passed, or has another fault that is told. Where none
    speaks of the step alone, those of the result do."""
    own = [f for f in findings if f.predicate.subject == step]
    own = own or [f for f in findings if f.predicate.subject in (RESULT, ANY)]
    return any(f.verdict in ("passed", "failed", "not measured") for f in own)


def _tells_result(findings: Sequence[Finding]) -> bool:
    """Tell whether one of the criteria, not what calls say of themselves, tells the result."""
    return any(f.verdict in ("passed", "failed", "not measured") for f in findings)


def _detours(document: plan.PlanDocument, subjects: Container[str], since: int) -> Iterator[str]:
    """Yield the steps that a later one takes back, or pretends to: each of both does what it says,
    and the header of the result tells nothing of it."""
    calls = dict(_calls(document, subjects, since))
    names = [*calls]
    for at, why in detours([*calls.values()]):
        yield f"{names[at]}: {why}"


def _calls(
    document: plan.PlanDocument, subjects: Container[str], since: int
) -> Iterator[tuple[str, AudioCall]]:
    """Yield the ID and the call of each step, but for programs and a person's work."""
    for step in document.steps[since:]:
        id = plan.text_value(step, "ID")
        if id in subjects:
            with suppress(Failure):
                yield id, parse_call(plan.text_value(step, "Code"))


def _extra_steps(
    document: plan.PlanDocument, subjects: Container[str], since: int, asked: Collection[str]
) -> Iterator[str]:
    """Yield the steps whose calls change what nobody asked to be changed. Where a level is asked
    for that is to be reached, a gain of the whole may lead there, and behind a plan that did not
    reach it what brings loud and quiet together."""
    leading = _GAINS | (_DYNAMICS if since else frozenset())
    leading = leading if not _SET.isdisjoint(asked) else frozenset()
    left = Counter(_SAME_WORK.get(tool, tool) for tool in asked)
    for id, call in _calls(document, subjects, since):
        tool = call.tool.name
        is_whole = not (call.arguments.get("start_s") or call.arguments.get("end_s"))
        if _is_always_right(call) or (tool in leading and is_whole):
            continue
        work = _SAME_WORK.get(tool, tool)
        is_section = tool in _GAINS and not is_whole  # which no level of the whole asks for
        if not left[work] or (is_section and tool not in asked):
            yield f"{id}: the request does not ask for {tool.upper()}"
        left[work] -= 1


def _is_always_right(call: AudioCall) -> bool:
    """Tell whether the rest of the review holds what a call does, whatever was asked for."""
    if call.tool.name == "limit":
        return bool(call.arguments["ceiling_dbtp"] >= _GUARD_DBTP)
    return call.tool.name == "convert"


def _unspoken_steps(
    document: plan.PlanDocument,
    subjects: Container[str],
    since: int,
    findings: Sequence[Finding],
    unspoken: Container[str],
) -> Iterator[str]:
    """Yield the steps whose calls change what no criterion of the plan speaks of: by the step, or,
    of the result, by a metric of the same kind; and those of which the request says no word, since
    who adds a step can vouch for it as well."""
    criteria = [one.predicate for one in findings if one.verdict != "not measured"]
    steps = {one.subject for one in criteria}
    whole = {_topic(one.metric) for one in criteria if one.subject in (RESULT, ANY)} - {""}
    for id, call in _calls(document, subjects, since):
        if call.tool.name in unspoken:
            yield f"{id}: no word of the request asks for {call.tool.name.upper()}"
            continue
        if id in steps:
            continue
        expected = call.expects(plan.step_paths(document, id)[0])
        if expected and all(_topic(one["metric"]) not in whole for one in expected):
            yield f"{id}: no criterion speaks of {call.tool.name.upper()}"


_TOPICS = {
    "level": ("integrated", "loudness", "rms", "true_peak", "sample_peak", "range", "compress",
              "leveller", "gate", "quiet", "loud", "noise_floor"),
    "spectrum": ("energy", "highpass", "lowpass", "bandpass", "eq", "response", "deess",
                 "strongest"),
    "time": _LENGTHS,
    "fade": ("fade",),
}  # fmt: skip
"""Kinds of metrics by how these begin; each of the others is a kind of its own."""


def _topic(metric: str) -> str:
    """Return the kind of a metric; "" for one that every result is held against."""
    name = metric.partition("(")[0]
    if name in ("silent", "not_finite", "format", "clipped_runs_added", "true_peak_added_db"):
        return ""
    return next((kind for kind, starts in _TOPICS.items() if name.startswith(starts)), name)


def _report(
    findings: list[Finding], words: list[str], unproved: list[str], extra: list[str]
) -> dict[str, Any]:
    report = report_of(findings)
    left = [f"not measured · {text}: nobody said how it is measured" for text in words]
    left += [f"not proved · {step}: nothing tells what it wrote from what it read"
             for step in unproved]  # fmt: skip
    left += [f"not proved · {step}" for step in extra]
    report["table"] = "\n".join([*map(line_of, findings), *left]) or "not measured · no criteria"
    report["unmeasured"] = [*words, *unproved, *extra]
    report["not_measured"] += len(left)
    if left and verdict_of(findings) != "failed":
        report["verdict"] = "not measured"
    return report


def result_file(document: plan.PlanDocument, since: int = 0) -> str:
    """Return the file of the result; "" where it would be the sound as it came."""
    done = [s for s in document.steps[since:] if plan.status_of(s) == "DONE"]
    outputs = [output for s in done if (output := plan.text_value(s, "Output Audio"))]
    return outputs[-1] if outputs and outputs[-1] != original_input(document) else ""


def _undone(step: plan.Block) -> str:
    """Return a step that was not done, and why."""
    why = last_error(plan.text_value(step, "Execution Results"))
    return (plan.text_value(step, "ID") or step.title) + (f" ({why})" if why else "")


def _status(verdict: str, undone: list[str]) -> str:
    """Return FAILURE for a step that is not DONE or a number that does not fit, REQUIRES_REVIEW for
    what nobody measured."""
    if undone or verdict == "failed":
        return "FAILURE"
    return "SUCCESS" if verdict == "passed" else "REQUIRES_REVIEW"


def _summary(report: dict[str, Any], undone: list[str]) -> str:
    passed, idle = report["passed"], report["proves_nothing"]
    counts = f"{passed} requirement{'s' * (passed != 1)} passed, {report['failed']} failed"
    counts += f", {idle} prove{'s' * (idle == 1)} nothing" if idle else ""
    left = f", {report['not_measured']} not measured" if report["not_measured"] else ""
    steps = f" Not done: {', '.join(undone)}." if undone else ""
    return f"{counts}{left}.{steps}"


def subjects_of(document: plan.PlanDocument, since: int = 0) -> dict[str, SubjectFiles]:
    """Return the files of the result and of each step that is DONE."""
    subjects: dict[str, SubjectFiles] = {}
    before, after = original_input(document), result_file(document, since)
    if after:
        subjects[RESULT] = SubjectFiles(before or None, after)
    for step in document.steps[since:]:
        id = plan.text_value(step, "ID")
        if not id or plan.status_of(step) != "DONE":
            continue
        try:
            read, write = plan.step_paths(document, id)
        except plan.PlanError:
            continue
        if write and write != read:
            subjects[id] = SubjectFiles(read or None, write)
    return subjects
