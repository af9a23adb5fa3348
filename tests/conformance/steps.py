"""Step markdown beside another engine's readings, prompts and sessions (S1–S46)."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import tempfile
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.ir import AgentNode
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.state.step_reports import ReportFault, refusal
from flowc.runtime.stepper.stepper import Stepper

from .report import Difference, Report

_OUR_WORDS = {
    "step_out_of_order": "step_out_of_order",
    "variable_missing": "variable_missing",
    "internal": "complete",
}
"""Their error kinds and ours; "internal" is what they call the call after the last step."""

_CLIENT = "client"
_WORDY = re.compile(r"^### \S+ (?:INPUTS|OUTPUTS|ASSERT):[ \t]*\S.*$", re.MULTILINE)


def compare_steps(corpus: Path) -> Report:
    """Every file of expected/step-md.json: its verdict, its steps and what its prompts hold."""
    report = Report("step markdown")
    for name, theirs in _expected(corpus, "step-md.json").items():
        report.files += 1
        result, changed = _read(corpus, name)
        if changed:
            what = "sections with words behind the colon are read; compared without them"
            report.differences.append(Difference(name, what, "S21"))
        _compare_file(name, result, theirs, report)
    return report


def compare_sessions(corpus: Path) -> Report:
    """Every file of expected/step-md-sessions.json: the same calls, answer by answer."""
    report = Report("step sessions")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        asyncio.run(_compare_sessions(corpus, Path(folder), report))
    return report


async def _compare_sessions(corpus: Path, folder: Path, report: Report) -> None:
    runs = itertools.count()
    async with open_engine("memory:") as engine:
        stepper = Stepper(engine, Config(), folder, lambda: f"session-{next(runs)}")
        for name, scripts in _expected(corpus, "step-md-sessions.json").items():
            report.files += 1
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            text = (corpus / name).read_text(encoding="utf-8")
            place.write_text(_WORDY.sub("### no section", text), encoding="utf-8")
            for script, calls in scripts.items():
                await _replay(f"{name} {script}", stepper, name, calls, report)


def _expected(corpus: Path, file: str) -> dict[str, Any]:
    listed = corpus / "expected" / file
    if not listed.is_file():
        return {}
    data = json.loads(listed.read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    return data


def _read(corpus: Path, name: str) -> tuple[CompileResult, bool]:
    """Our reading, but for what S21 lets us read and them not; whether there was such a thing."""
    text = (corpus / name).read_text(encoding="utf-8")
    plain = _WORDY.sub("### no section", text)
    return compile_text(plain, name, format="steps"), plain != text


def _compare_file(name: str, result: CompileResult, theirs: dict[str, Any], report: Report) -> None:
    codes = {d.code for d in result.diagnostics}
    errors = [d.message for d in result.diagnostics if d.severity == "error"]
    if not theirs["ok"] and not errors:
        rule = "S24" if "FC1006" in codes else ""
        report.differences.append(Difference(name, f"theirs: {theirs['error']}", rule))
        return
    if theirs["ok"] and errors:
        report.differences.append(Difference(name, f"ours: {errors[0]}"))
        return
    report.agreed["verdicts"] += 1
    if not theirs["ok"] or result.workflow is None:
        return
    nodes = _steps(result)
    _same(name, "number of steps", len(nodes), theirs["n_steps"], report)
    for node, step, prompt in zip(nodes, theirs["steps"], theirs["prompts"], strict=False):
        at = f"{name} step {node.step}"
        _compare_step(at, node, step, report)
        _compare_prompt(at, node, prompt, report)


def _compare_step(at: str, node: AgentNode, step: dict[str, Any], report: Report) -> None:
    _same(at, "numbers", node.step, step["n"], report)
    _same(at, "names", node.title, step["name"], report)
    _same(at, "sections", node.section, step["section"], report)
    _same(at, "descriptions", node.description, step["description"], report)
    _same(at, "tools", list(node.tools), step["tools"], report)
    _same(at, "inputs", {i.name: i.description for i in node.inputs}, step["inputs"], report)
    pairs = [(o.source, o.name) for o in node.outputs]
    rule = "S8" if len(pairs) > len(dict(pairs)) else ""
    _same(at, "outputs", dict(pairs), step["outputs"], report)
    if rule:
        report.differences.append(Difference(at, "keeps outputs of one source apart", rule))
    _same(at, "assertions", [a.text for a in node.asserts], step["assertions"], report)


def _compare_prompt(at: str, node: AgentNode, prompt: str, report: Report) -> None:
    """The words of the prompts differ, what they hold and its order do not (S30, S31): the step's
    number, name, description with values, tools, inputs, assertions, outputs and report."""
    values = {i.name: f"<{i.name}>" for i in node.inputs}
    values |= {name: f"<{name}>" for name in _shown_values(prompt)}
    ours = _render(node, values)
    facts = [f"{(node.step or 0) + 1}: {node.title}"]
    facts += [line for line in _theirs_description(prompt) if line.strip()]
    facts += [f"`{tool}`" for tool in node.tools]
    facts += [f"{i.name} = " for i in node.inputs]
    facts += [f"{n}. {a.text}" for n, a in enumerate(node.asserts, start=1)]
    facts += [o.name for o in node.outputs]
    facts += ["report_step_result", f"step_number: {(node.step or 0) + 1}"]
    facts += ["assertion_results"] * bool(node.asserts)
    facts += ["output_variables"] * bool(node.outputs)
    facts += ["error_message"]
    place = 0
    for fact in facts:
        found = ours.find(fact, place)
        if found < 0:
            report.differences.append(Difference(at, f"the prompt lacks {fact!r} in its place"))
            return
        place = found
    for word in ("assertion_results", "output_variables"):
        _same(at, "report lines", word in ours, word in prompt, report)
    report.agreed["prompts"] += 1


def _theirs_description(prompt: str) -> list[str]:
    body = prompt.partition("\n\n")[2]
    return body.partition("\n\n**Use ")[0].splitlines()


def _shown_values(prompt: str) -> list[str]:
    """Names that the recorded prompts show a value `<NAME>` of."""
    return [part.partition(">")[0] for part in prompt.split("<")[1:]]


async def _replay(
    at: str, stepper: Stepper, file: str, calls: list[list[Any]], report: Report
) -> None:
    for number, (call, theirs) in enumerate(calls, start=1):
        ours = await _answer(_call(stepper, call, file))
        if call == "report" and "ok" not in theirs and ours.get("success") is False:
            report.agreed["answers"] += 1
            return
        _compare_answer(f"{at} call {number} ({call})", ours, theirs, report)


async def _call(stepper: Stepper, call: str, file: str) -> dict[str, Any]:
    match call:
        case "load" | "load_workflow":
            return await stepper.load(_CLIENT, file, {})
        case "execute_workflow_step" | "exec_after_reset":
            return await stepper.execute(_CLIENT)
        case "get_workflow_state" | "state" | "state_after":
            return await stepper.state(_CLIENT)
        case "reset":
            return await stepper.reset(_CLIENT)
        case _:
            steps = stepper.loaded[_CLIENT].steps
            number = (await stepper.state(_CLIENT))["current_step"] or len(steps)
            return await stepper.report(_CLIENT, _report(steps[number - 1], number, call))


def _report(step: AgentNode, number: int, call: str) -> dict[str, Any]:
    """The arguments that the recorded call was made with."""
    bare = {"step_number": number, "status": "passed"}
    passed = call != "asserts_all_false_but_passed"
    full = {
        **bare,
        "assertion_results": [
            {"assertion": a.text, "passed": passed, "detail": "ok" if passed else "no"}
            for a in step.asserts
        ],
        "output_variables": {o.name: f"<{o.name}>" for o in step.outputs},
    }
    match call:
        case "no_assertions_no_vars":
            return bare
        case "wrong_step":
            return {**bare, "step_number": number + 1}
        case "odd_status":
            return {**bare, "status": "done"}
        case "report_failed":
            outputs = full["output_variables"]
            failed = {"status": "failed", "error_message": "boom", "output_variables": outputs}
            return {**bare, **failed}
        case _:
            return full


async def _answer(call: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    try:
        return await call
    except ReportFault as fault:
        return refusal(fault)


def _compare_answer(at: str, ours: dict[str, Any], theirs: dict[str, Any], report: Report) -> None:
    if "ok" not in theirs:
        _same(at, "errors", ours.get("error_type"), _OUR_WORDS[theirs["error_type"]], report)
        return
    expected = _from_one(theirs["ok"])
    given = {key: value for key, value in ours.items() if key not in ("contradiction", "run")}
    for answer in (given, expected):
        answer["prompt"] = "prompt" in answer
        answer["warning"] = _numbers(answer.get("warning") or "")
    _same(at, "answers", given, expected, report)
    if ours.get("contradiction"):
        report.differences.append(Difference(at, "the contradiction is flagged", "S41"))


def _from_one(theirs: dict[str, Any]) -> dict[str, Any]:
    """Their answer with steps counted from 1, as their headings count and ours do everywhere (S31);
    a complete workflow has no current step."""
    answer = dict(theirs)
    for key in ("step_number", "next_step", "current_step"):
        if key in answer:
            answer[key] += 1
    for key in ("completed_steps", "failed_steps"):
        if key in answer:
            answer[key] = [number + 1 for number in answer[key]]
    if "step_outcomes" in answer:
        outcomes = answer["step_outcomes"].items()
        answer["step_outcomes"] = {str(int(number) + 1): o for number, o in outcomes}
    if answer.get("is_complete"):
        answer["current_step"] = None
    return answer


def _numbers(text: str) -> list[int]:
    """The counts in a warning, whatever words stand around them (S40)."""
    words = "".join(c if c.isdigit() else " " for c in text).split()
    return [int(word) for word in words]


def _steps(result: CompileResult) -> list[AgentNode]:
    assert result.workflow is not None
    return [node for node in result.workflow.nodes if isinstance(node, AgentNode)]


def _render(node: AgentNode, variables: Mapping[str, Any]) -> str:
    return str(evaluate(node.prompt, variables))


def _same(at: str, what: str, ours: Any, theirs: Any, report: Report) -> None:
    if ours == theirs:
        report.agreed[what] += 1
    else:
        report.differences.append(Difference(at, f"{what}: ours {ours!r}, theirs {theirs!r}"))
