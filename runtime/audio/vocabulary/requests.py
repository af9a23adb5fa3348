"""Clauses as steps, steps as calls: the work of the offline rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from flowc.compiler.catalog.audio_effects import BITRATES
from flowc.compiler.catalog.audio_formats import WITH_BITRATE, WITH_LOSS, format_of
from flowc.compiler.catalog.audio_model import AudioTool, predicate

from ...errors import Failure
from ..calls.call import AudioCall, check_call
from ..calls.containers import CONTAINERS, a_file
from ..plan.contradictions import Shape, contradiction, unheld
from ..plan.predicates import ANY, RESULT
from ..plan.review import STAYS, constants_changed_by
from .clauses import SEE, read_request, refusal, remarks_in
from .findings import Clause
from .ordering import check_ends, check_said_order, check_times, contradictory, order
from .remarks.left_out import left_out
from .words.patterns import is_number, words_in
from .words.rules import FORMAT, LISTENING, Rule

Json = dict[str, Any]
_UNKNOWN = Shape()
_SHAPE = frozenset({"sample_rate_hz", "channels", "subtype", "bitrate_kbps"})
"""Metrics that are held against the result, which later steps leave as they are."""
_LEVELS = frozenset({"integrated_lufs", "true_peak_dbtp", "sample_peak_dbfs"})
"""Metrics of which that is so when no later step changes the level."""
_NO_RATES = frozenset({64, 128, 160, 256, 320})
_BARE_K = re.compile(r"\dk\b", re.IGNORECASE)


def plan_of(request: str, audio: str, output: str = "", sound: Shape = _UNKNOWN) -> Json:
    """Return goal, requirements with their predicates, steps and the format of the result, which is
    the file `output` if its name matters; `sound` is what is known of `audio`. Raise `Failure`
    (refused)."""
    clauses = read_request(request)
    format_name, said_by = _format_of(clauses, audio, output)
    wanted = [clause for clause in clauses if clause.fit.rule.wording is not FORMAT]
    check_ends(wanted)
    check_said_order(request, wanted)
    work = order(_without_mono(wanted))
    idle = [clause for clause in work if _is_so(clause, sound)]
    work = [clause for clause in work if clause not in idle] or work
    steps: list[Json] = []
    checks: list[Json] = []
    for clause in work:
        if clause.fit.rule.tool is not None:
            _with_paths(clause.fit.rule.tool, clause.fit.arguments, audio, "out.wav", audio)
    check_times(work)
    _check_agreement(work, format_name, said_by, audio, sound)
    for number, clause in enumerate(work, start=1):
        wording, _, tool, planning = clause.fit.rule
        steps.append({"title": wording.title, "description": clause.text, "person": not tool})
        if planning is None or tool is None:
            continue
        later = [other for other in work[number:] if other.fit.rule.tool]
        plans = [other.fit.rule.planning for other in later]
        is_last = not any(one.changes_level for one in plans if one)
        again = {check["metric"] for one in later for check in _call_of(one, audio).expects(audio)}
        for check in _call_of(clause, audio).expects(audio):
            name = check["metric"]
            stays = (name in _SHAPE and name not in again) or (name in _LEVELS and is_last)
            checks.append({**check, "subject": f"step_{number}"})
            if stays:
                checks.append({**_result_check(check, format_name), "subject": "result"})
    if not work or _is_coded_alone(work, format_name):
        steps.append({"title": "Export", "description": f"export {format_name}", "person": False})
    checks += [{**check, "subject": "result"} for check in _always(format_name, work)]
    return {
        "goal": "; ".join(clause.text for clause in clauses),
        "requirements": checks,
        "constraints": [
            "The input stays as it is",
            *_assumptions(request, clauses),
            *(f"`{one.text}` is so already: no step does it" for one in idle if one not in work),
        ],
        "steps": steps,
        "format": format_name,
    }


_SHAPED_BY = {"channels": "channels", "sample_rate_hz": "rate"}


def _is_so(clause: Clause, sound: Shape) -> bool:
    """Tell whether a clause asks for the channels or the rate that the sound has: a step for it
    would do nothing, and nothing could prove it."""
    said, wording = clause.fit.arguments, clause.fit.rule.wording.name
    if wording not in ("channels", "sample rate") or len(said) != 1:
        return False
    return all(getattr(sound, _SHAPED_BY.get(n, ""), None) == value for n, value in said.items())


_CODES = frozenset({"convert", "limit", "loudness_norm", "tag"})
"""Tools that write a coded file themselves: they set its bitrate, its peaks, its tags."""
_PEAK_OFF_DB = 1.0
"""How far a coder moves the highest sample."""


def _is_coded_alone(work: list[Clause], kind: str) -> bool:
    """Tell whether the result is coded by a step of its own, after the others: a step is judged by
    what it did, to which a coder would add its noise."""
    last = next((rule for rule in reversed(_rules(work)) if rule.tool), None)
    if last is None or last.tool is None or kind not in WITH_LOSS:
        return False
    return last.tool.name not in _CODES and last.wording.order != "parts"


def _without_mono(work: list[Clause]) -> list[Clause]:
    """Return the clauses without "mono" where one channel is chosen, which makes it mono."""
    chosen = [one for one in work if len(one.fit.arguments.get("order", ())) == 1]
    mono = [one for one in work if one.fit.arguments == {"channels": 1}]
    return [one for one in work if one not in mono] if chosen else work


def _result_check(check: Json, kind: str) -> Json:
    """Return what is required of the result, which may be a coded file."""
    loose = check["metric"] == "sample_peak_dbfs" and kind in WITH_LOSS
    return {**check, "tolerance": _PEAK_OFF_DB} if loose else check


def _assumptions(request: str, clauses: list[Clause]) -> list[str]:
    """Return what is taken to be meant, in words."""
    parts = dict.fromkeys(clause.part for clause in clauses if clause.part)
    whole = [
        f"`{part}` is taken for all of the sound: no part can be changed alone" for part in parts
    ]
    return [*whole, *(f"`{one}` {_told_of(one)}" for one in remarks_in(request))]


def _told_of(remark: str) -> str:
    kept = left_out([word.text for word in words_in(remark)])
    return "is kept: no step does it" if kept else "is taken for a remark: nothing is done for it"


def required_by(
    request: str, audio: str, output: str = "", sound: Shape = _UNKNOWN
) -> tuple[Json, ...]:
    """Return what the words of a request require of the result, or of one of the steps, whoever
    plans; () for a request that the rules cannot read. What has a number that nobody said is
    `free`, see `plan.choices`."""
    try:
        checks = plan_of(request, audio, output, sound)["requirements"]
    except Failure:
        return ()
    free = _without_numbers(request, audio)
    required = [
        {
            **check,
            "subject": RESULT if check["subject"] == RESULT else ANY,
            "free": (check["metric"], check["value"]) in free,
        }
        for check in checks
        if check["subject"] == RESULT or (check["metric"], check["value"]) not in _KEPT
    ]
    return (*required, *_constants(checks, sound))


def _without_numbers(request: str, audio: str) -> set[tuple[str, object]]:
    """Return metric and value of what is required by clauses that say no number."""
    return {
        (check["metric"], check["value"])
        for clause in read_request(request)
        if clause.fit.rule.tool and not any(is_number(w.text) for w in words_in(clause.text))
        for check in _call_of(clause, audio).expects(audio)
    }


def tools_of(request: str) -> tuple[str, ...] | None:
    """Return the tools that a request asks for, one as often as it does; None where the rules
    cannot read it."""
    try:
        rules = _rules(read_request(request))
    except Failure:
        return None
    return tuple(rule.tool.name for rule in rules if rule.tool)


def _constants(checks: list[Json], sound: Shape) -> Iterator[Json]:
    """Yield what has to stay because nothing asks for another: rate, channels, length."""
    changed = constants_changed_by(checks)
    kept = {"sample_rate_hz": sound.rate, "channels": sound.channels, "duration_change_s": 0}
    for name, value in kept.items():
        if value is not None and name not in changed:
            within = 0.1 if name == "duration_change_s" else None
            yield {**predicate(name, "==", value, STAYS[name], within), "subject": RESULT}


_KEPT = {("duration_change_s", 0), ("duration_ratio", 1), ("pitch_change_semitones", 0)}
"""What one step must not change, and another may."""


def _always(format_name: str, work: list[Clause]) -> list[Json]:
    """Return what holds for every result."""
    container = CONTAINERS[format_name].name
    always = [predicate("format", "==", container, f"The result is {a_file(format_name)}")]
    if not any(rule.tool and rule.tool.name == "distort" for rule in _rules(work)):
        always.append(predicate("clipped_runs_added", "<=", 0, "No clipping is added"))
        always.append(predicate("true_peak_added_db", "<=", 0, "No peak is above full scale"))
    return always


def _rules(work: list[Clause]) -> list[Rule]:
    return [clause.fit.rule for clause in work]


def _check_agreement(work: list[Clause], kind: str, said_by: str, audio: str, sound: Shape) -> None:
    """Raise `Failure` (refused) for two clauses of which the later takes back the earlier, and for
    what a result of the format `kind` cannot hold."""
    coded = next((clause for clause in work if "bitrate_kbps" in clause.fit.arguments), None)
    if coded and kind not in WITH_BITRATE:
        files = ", ".join(map(a_file, WITH_BITRATE[:-1])) + f" or {a_file(WITH_BITRATE[-1])}"
        why = f"only {files} has a bitrate to choose, and the result is {a_file(kind)}"
        raise contradictory(coded.text, said_by or audio, why, "add `export mp3`")
    for clause in work:
        value = clause.fit.arguments.get("sample_rate_hz", 0) / 1000
        coding = kind in WITH_BITRATE or value in _NO_RATES
        if coding and value in BITRATES and _BARE_K.search(clause.text):
            why = f"it may be {value:g} kHz or {value:g} kbit/s"
            raise contradictory(clause.text, said_by or audio, why, "write the unit")
    parts = next((clause for clause in work if clause.fit.rule.wording.order == "parts"), None)
    if coded and parts:
        why = "what is cut into parts has no bitrate to choose"
        help = "split first, then convert each part"
        raise contradictory(coded.text, parts.text, why, help)
    clauses = [clause for clause in work if clause.fit.rule.tool]
    calls = [_call_of(clause, audio) for clause in clauses]
    if conflict := contradiction(calls):
        first, second, why = conflict
        raise contradictory(clauses[first].text, clauses[second].text, why)
    if lost := unheld(calls, kind, sound):
        why = lost.why if said_by else f"{lost.why}, and the result has the format of `{audio}`"
        if lost.place is not None:
            raise contradictory(clauses[lost.place].text, said_by or audio, why, lost.help)
        why = f"`{said_by}` cannot be: {lost.why}, and `{audio}` has them; {lost.help}"
        raise refusal(f"the offline rules refuse this request: {why}", SEE)


def _format_of(clauses: list[Clause], audio: str, output: str) -> tuple[str, str]:
    """Return the requested format, else that of the output's name, else that of the input where it
    can be written; and what says so, "" for the input."""
    named = [clause for clause in clauses if "format" in clause.fit.arguments]
    for clause in named:
        kind = named[0].fit.arguments["format"]
        if clause.fit.arguments["format"] != kind:
            raise contradictory(named[0].text, clause.text, "the result is one file")
        if output and format_of(output) != kind:
            why = "the ending of a file says its format"
            raise contradictory(clause.text, f"output={output}", why)
    if named:
        return str(named[0].fit.arguments["format"]), named[0].text
    if kind := format_of(output):
        return kind, f"output={output}"
    return format_of(audio) or "wav", ""


def code_of(description: str, read: str, write: str, audio: str = "") -> str:
    """Return the call that does a step: its description, read by the rules, with the step's paths.
    `audio` is the sound that is edited, in whose place the description may name what was made of
    it."""
    clauses = read_request(description)
    if len(clauses) != 1:
        raise refusal(
            f"a step is one clause, and this one has {len(clauses)}: `{description}`",
            "make it several steps",
        )
    rule, arguments = clauses[0].fit
    if rule.wording is LISTENING:
        return "N/A"
    if rule.tool is None:
        return call_text("convert", {"input": read, "output": write})
    return call_text(rule.tool.name, _with_paths(rule.tool, arguments, read, write, audio))


def _with_paths(tool: AudioTool, arguments: Json, read: str, write: str, audio: str) -> Json:
    """Return the arguments with paths: of several inputs one is the step's own. Raise `Failure`
    (refused) where none is."""
    arguments = {name: value for name, value in arguments.items() if name != "format"}
    if "inputs" not in arguments:
        several = any(parameter.kind == "pattern" for parameter in tool.parameters)
        return {"input": read, "output_pattern" if several else "output": write, **arguments}
    inputs = [read if name in ("", audio, read) else name for name in arguments["inputs"]]
    if read not in inputs:
        named = " and ".join(f"`{name}`" for name in inputs)
        what = f"{named} are to be joined, and neither is the sound that is edited, `{audio}`"
        raise refusal(f"the offline rules refuse this request: {what}", "name it as one of them")
    return {
        "inputs": inputs,
        "output": write,
        **{k: v for k, v in arguments.items() if k != "inputs"},
    }


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as code, in one line."""
    values = ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())
    return f"{tool.upper()}({values})"


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _call_of(clause: Clause, audio: str) -> AudioCall:
    """Return the clause's call. Raise `Failure` when a value is out of the tool's range."""
    assert clause.fit.rule.tool is not None
    said, tool = clause.fit.arguments, clause.fit.rule.tool
    output = f"out.{said.get('format', 'mp3')}" if "bitrate_kbps" in said else "out.wav"
    arguments = _with_paths(tool, said, audio, output, audio)
    try:
        return check_call(clause.fit.rule.tool.name, arguments)
    except Failure as failure:
        text = f"`{clause.text}`: {failure.message}; {failure.help}".removesuffix("; ")
        raise refusal(text, SEE) from None
