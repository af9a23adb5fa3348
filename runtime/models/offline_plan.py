"""A request as clauses, clauses as steps, steps as calls: the work of the offline rules."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flowc.compiler.source.spelling import Spelling

from ..audio.calls.call import AudioCall, check_call
from ..audio.calls.containers import format_of
from ..audio.plan.contradictions import Shape, contradiction, unheld
from ..errors import Failure
from .offline_expectations import CHANGES_LEVEL, always, expected
from .offline_patterns import Word, is_number, words_in
from .offline_rules import SEPARATORS, Fit, fits, known_words, nearest_example

Json = dict[str, Any]
MAX_REQUEST = 4_000
_UNKNOWN = Shape()
_SHAPE = frozenset({"sample_rate_hz", "channels", "subtype"})
"""Metrics that are held against the result, which later steps leave as they are."""
_LEVELS = frozenset({"integrated_lufs", "true_peak_dbtp", "sample_peak_dbfs"})
"""Metrics of which that is so when no later step changes the level."""
_SETS_LEVEL = ("loudness", "peak level", "limit")
_BEFORE_LEVEL = ("channels", "sample rate")
_COMMA = re.compile(r"([0-9]+),([0-9]+)")
_AT_ONCE = 3
"""Clauses that one phrase may span: "fade in 1 s and out 2 s" are two."""
_LIST = "`flowc audio vocabulary` lists what they know"
_SEE = "`flowc audio vocabulary` lists what they understand; --model provider:name asks a model"


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a request, as it was written, and what it says."""

    text: str
    fit: Fit


def read_request(request: str) -> list[Clause]:
    """The clauses of a request, in order. Raises `Failure` (refused) that names every word that the
    rules do not know, and the clauses that they know the words of but cannot read."""
    if not request.strip():
        raise _refused("the request is empty: nothing is asked for", "say what to do; " + _SEE)
    if len(request) > MAX_REQUEST:
        raise _refused(f"the request is longer than {MAX_REQUEST} characters", _SEE)
    plain = request.replace("\n", ";")
    pieces = _pieces(words_in(plain))
    found: list[Clause] = []
    wrong: list[str] = []
    at = 0
    while at < len(pieces):
        fit, used = _longest(pieces, at)
        words = [word for piece in pieces[at : at + used] for word in piece.words]
        text = request[words[0].start : words[-1].end]
        if fit is None:
            last = found[-1] if found and not wrong else None
            wrong.append((last and _again(last, words, text)) or _complaint(text, words))
        else:
            found.append(Clause(text, fit))
        at += used
    if wrong:
        if comma := _COMMA.search(request):
            wrong.append(f"a comma separates clauses: write `{comma[1]}.{comma[2]}`")
        said = "; ".join(wrong)
        raise _refused(f"the offline rules refuse this request: {said} ({_LIST})", _SEE)
    if not found:
        raise _refused("the request asks for nothing", "say what to do; " + _SEE)
    return found


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words between two separators, and the separator before them."""

    before: str
    words: list[Word]

    @property
    def spelled(self) -> str:
        return "".join(f"{word.text} " for word in self.words)


def _pieces(words: list[Word]) -> list[_Piece]:
    pieces: list[_Piece] = []
    before = ""
    current: list[Word] = []
    for word in [*words, Word(";", 0, 0)]:
        if word.text in SEPARATORS:
            if current:
                pieces.append(_Piece(before, current))
                before, current = "", []
            before = word.text if not before or word.text == "and" else before
        else:
            current.append(word)
    return pieces


def _longest(pieces: list[_Piece], at: int) -> tuple[Fit | None, int]:
    """The rule that fits the most pieces from `at` on, and how many; one piece when none does."""
    for count in range(min(_AT_ONCE, len(pieces) - at), 0, -1):
        joined = pieces[at].spelled
        for piece in pieces[at + 1 : at + count]:
            joined += f"{piece.before} {piece.spelled}"
        if (fit := next(fits(joined), None)) is not None:
            return fit, count
    return None, 1


def _complaint(text: str, words: list[Word]) -> str:
    known = known_words()
    strange = [word.text for word in words if word.text not in known and not is_number(word.text)]
    if not strange:
        known_only = f"`{text}` has only known words, but no phrase that is known"
        if two := _two(text, words):
            return f"{known_only}: a comma belongs between `{two[0]}` and `{two[1]}`"
        example = nearest_example([word.text for word in words])
        return f"{known_only}: near it is `{example}`" if example else known_only
    longer = [word for word in known if len(word) > 3]
    near = Spelling(longer).nearest(strange[0]) if len(strange[0]) > 3 else None
    hint = f" (did you mean `{near}`?)" if near else ""
    names = ", ".join(f"`{word}`" for word in dict.fromkeys(strange))
    return f"they do not know {names} in `{text}`{hint}"


def _two(text: str, words: list[Word]) -> tuple[str, str] | None:
    """The two clauses that words are which no comma separates."""
    for at in range(1, len(words)):
        parts = words[:at], words[at:]
        if all(next(fits("".join(f"{w.text} " for w in part)), None) for part in parts):
            cut = words[0].start
            return text[: words[at - 1].end - cut], text[words[at].start - cut :]
    return None


def plan_of(request: str, audio: str, output: str = "", sound: Shape = _UNKNOWN) -> Json:
    """Goal, requirements with their predicates, steps and the format of the result, which is to be
    the file `output` if its name matters; `sound` is what is known of the one that `audio` is.
    Raises `Failure` (refused)."""
    clauses = read_request(request)
    format_name, said_by = _format_of(clauses, audio, output)
    work = _ordered([clause for clause in clauses if clause.fit.rule.name != "file format"])
    steps: list[Json] = []
    checks: list[Json] = []
    tools = [clause.fit.rule.tool or "" for clause in work]
    _agree(work, format_name, said_by, audio, sound)
    for number, clause in enumerate(work, start=1):
        rule = clause.fit.rule
        steps.append({"title": rule.title, "description": clause.text, "person": not rule.tool})
        if rule.tool is None:
            continue
        call = _checked(clause, "in.wav", "out.wav")
        is_last = not CHANGES_LEVEL & {*tools[number:]}
        for check in expected(rule.tool, call.arguments):
            stays = check["metric"] in _SHAPE or (check["metric"] in _LEVELS and is_last)
            subject = "result" if stays else f"step_{number}"
            checks.append({**check, "subject": subject})
    if not work:
        steps.append({"title": "Export", "description": f"export {format_name}", "person": False})
    checks += [{**check, "subject": "result"} for check in always(format_name, tools)]
    return {
        "goal": "; ".join(clause.text for clause in clauses),
        "requirements": checks,
        "constraints": ["The input stays as it is"],
        "steps": steps,
        "format": format_name,
    }


def _ordered(work: list[Clause]) -> list[Clause]:
    """The clauses in the order in which they are done. Channels and sample rate come before the
    level is set, which they change: stereo at -14 LUFS is mono at -17. The sample format comes
    behind the last that changes the sound: a tool writes as many bits as it can, whatever it
    read."""
    names = [clause.fit.rule.name for clause in work]
    first = next((at for at, name in enumerate(names) if name in _SETS_LEVEL), len(work))
    early = [clause for clause in work[first:] if clause.fit.rule.name in _BEFORE_LEVEL]
    work = [*work[:first], *early, *(one for one in work[first:] if one not in early)]
    formats = [clause for clause in work if clause.fit.rule.name == "sample format"]
    others = [clause for clause in work if clause not in formats]
    last = max((at for at, clause in enumerate(work) if clause.fit.rule.tool), default=-1)
    behind = sum(clause not in formats for clause in work[: last + 1])
    return [*others[:behind], *formats, *others[behind:]]


def _agree(work: list[Clause], kind: str, said_by: str, audio: str, sound: Shape) -> None:
    """Raise `Failure` (refused) for two clauses of which the later takes back the earlier, and for
    what a result of the format `kind` cannot hold."""
    asked = [clause for clause in work if clause.fit.rule.tool]
    calls = [_checked(clause, "in.wav", "out.wav") for clause in asked]
    if found := contradiction(calls):
        first, second, why = found
        raise _contradictory(asked[first].text, asked[second].text, why)
    if lost := unheld(calls, kind, sound):
        why = lost.why if said_by else f"{lost.why}, and the result has the format of `{audio}`"
        if lost.place is not None:
            raise _contradictory(asked[lost.place].text, said_by or audio, why, lost.help)
        told = f"`{said_by}` cannot be: {lost.why}, and `{audio}` has them; {lost.help}"
        raise _refused(f"the offline rules refuse this request: {told}", _SEE)


def _contradictory(one: str, other: str, why: str, help: str = "ask for one of them") -> Failure:
    told = f"`{one}` and `{other}` contradict each other: {why}; {help}"
    return _refused(f"the offline rules refuse this request: {told}", _SEE)


def _again(last: Clause, words: list[Word], text: str) -> str:
    """What is wrong with words that only repeat the end of the clause before them: `to -14 LUFS`
    after `normalise to -16 LUFS`; "" for others."""
    before = [word.text for word in words_in(last.text)]
    if words[0].text not in before:
        return ""
    whole = [*before[: before.index(words[0].text)], *(word.text for word in words)]
    fit = next(fits("".join(f"{word} " for word in whole)), None)
    if fit is None or fit.rule is not last.fit.rule:
        return ""
    return f"`{last.text}` and `{text}` contradict each other: ask for one of them"


def _format_of(clauses: list[Clause], audio: str, output: str) -> tuple[str, str]:
    """The format that is asked for, else that of the output's name, else that of the input where it
    can be written; and what says so, "" for the input."""
    named = [clause for clause in clauses if clause.fit.rule.name == "file format"]
    for clause in named:
        kind = named[0].fit.arguments["format"]
        if clause.fit.arguments["format"] != kind:
            raise _contradictory(named[0].text, clause.text, "the result is one file")
        if output and format_of(output) != kind:
            why = "the ending of a file says its format"
            raise _contradictory(clause.text, f"output={output}", why)
    if named:
        return str(named[0].fit.arguments["format"]), named[0].text
    if kind := format_of(output):
        return kind, f"output={output}"
    return format_of(audio) or "wav", ""


def code_of(description: str, read: str, write: str) -> str:
    """The call that does a step: its description, read by the rules, with the step's paths."""
    clauses = read_request(description)
    if len(clauses) != 1:
        raise _refused(
            f"a step is one clause, and this one has {len(clauses)}: `{description}`",
            "make it several steps",
        )
    fit = clauses[0].fit
    if fit.rule.name == "listening":
        return "N/A"
    tool = fit.rule.tool or "convert"
    given = {} if fit.rule.name == "file format" else fit.arguments
    return call_text(tool, {"input": read, "output": write, **given})


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as code, in one line."""
    given = ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())
    return f"{tool.upper()}({given})"


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _checked(clause: Clause, read: str, write: str) -> AudioCall:
    """The clause's call. Raises `Failure` when a value is out of the tool's range."""
    assert clause.fit.rule.tool is not None
    given = {"input": read, "output": write, **clause.fit.arguments}
    try:
        return check_call(clause.fit.rule.tool, given)
    except Failure as failure:
        said = f"`{clause.text}`: {failure.message}; {failure.help}".removesuffix("; ")
        raise _refused(said, _SEE) from None


def _refused(text: str, help: str) -> Failure:
    return Failure(text, "refused", help=help)
