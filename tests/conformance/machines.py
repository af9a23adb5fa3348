"""State machines beside another engine's readings and scripted runs (J1–J43)."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from flowc.compiler.driver import CompileResult, compile_file
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.ir import AssignNode
from flowc.compiler.summary import summarize
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.services import ModelReply, ModelRequest, Outcome
from flowc.runtime.state.conversations import messages_of

from ..fixtures.worlds import World
from .report import Difference, Report

HANDLERS = Path(__file__).with_name("machine_handlers.js")
"""Our own functions for the machine whose script the corpus does not hold."""
_MISSING = re.compile(r" is `([^`]+)`, but there is no script")
_DEFAULT = {"type": "object", "properties": {}}


def compare_machines(corpus: Path) -> Report:
    """Every file of expected/state-json.json: its verdict and what was read."""
    report = Report("machines")
    for name, theirs in _expected(corpus, "state-json.json").items():
        report.files += 1
        with tempfile.TemporaryDirectory() as folder:
            script = HANDLERS if theirs.get("script_functions") else None
            result = compile_file(str(_copied(corpus / name, Path(folder), script=script)))
            _compare_file(name, result, theirs, report)
    return report


def compare_machine_runs(corpus: Path) -> Report:
    """Every run of expected/state-json-runs.json, on the same replies: the states visited, the
    messages of each call, the conversations afterwards, the output."""
    report = Report("machine runs")
    for name, runs in _expected(corpus, "state-json-runs.json").items():
        report.files += 1
        for run in runs:
            with tempfile.TemporaryDirectory() as folder:
                _compare_run(f"{name} {run['scenario']}", corpus / name, Path(folder), run, report)
    return report


def _expected(corpus: Path, file: str) -> dict[str, Any]:
    listed = corpus / "expected" / file
    if not listed.is_file():
        return {}
    data = json.loads(listed.read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    return data


def _copied(file: Path, folder: Path, *, script: Path | None = None, roles: Any = None) -> Path:
    """The machine in a folder of its own, with a script and roles when they are given."""
    copy = Path(shutil.copy(file, folder / file.name))
    beside = copy.with_suffix("")
    beside.mkdir()
    if script is not None:
        shutil.copy(script, beside / "script.js")
    if roles is not None:
        (beside / "roles.json").write_text(json.dumps(roles), encoding="utf-8")
    return copy


def _same(at: str, what: str, ours: Any, theirs: Any, report: Report, rule: str = "") -> None:
    if ours == theirs:
        report.agreed[what] += 1
    else:
        shown = f"{what}: ours {str(ours)[:80]}, theirs {str(theirs)[:80]}"
        report.differences.append(Difference(at, shown, rule))


def _compare_file(name: str, result: CompileResult, theirs: dict[str, Any], report: Report) -> None:
    errors = [d for d in result.diagnostics if d.severity == "error"]
    # They look for functions when these are called (J6); we say before the run which are missing.
    missing = [d for d in errors if d.code == "FC4001" and "no script" in d.message]
    others = [d.message for d in errors if d not in missing]
    _same(name, "verdicts", not others, theirs["ok"], report)
    if not theirs["ok"] or result.workflow is None:
        return
    listed = {m[1] for d in missing if (m := _MISSING.search(d.message))}
    wanted = set(theirs["missing_functions"])
    older = "J37" if listed - wanted else ""
    _same(name, "missing functions", sorted(listed), sorted(wanted), report, older)
    functions = [f for script in result.workflow.scripts for f in script.functions]
    wanted = set(theirs["script_functions"] or ())
    _same(name, "functions", sorted({*functions} & wanted), sorted(wanted), report)
    _compare_parts(name, result, theirs, report)


def _compare_parts(
    name: str, result: CompileResult, theirs: dict[str, Any], report: Report
) -> None:
    workflow, about = result.workflow, theirs["metadata"]
    assert workflow is not None
    assert result.parsed is not None
    (param,) = workflow.params
    _same(name, "names", workflow.name, about["name"], report)
    _same(name, "descriptions", workflow.description, about["description"], report)
    _same(name, "inputs", param.name, about["input"]["name"], report)
    _same(name, "outputs", workflow.outputs[0], about["output"]["name"], report)
    agents = [(a.id, a.thread, a.perspective) for a in workflow.agents]
    said = [(a["role"], a["context"], a["side"]) for a in theirs["agents"]]
    _same(name, "agents", agents, said, report)
    contexts = [(t.id, t.max_chars, len(t.seed)) for t in workflow.threads]
    listed = [(c["name"], c["max_length"], c["start"]) for c in theirs["contexts"]]
    _same(name, "contexts", contexts, listed, report)
    begin = next(n for n in workflow.nodes if n.id == workflow.entry)
    assert isinstance(begin, AssignNode)
    data = evaluate(begin.assignments[0].value, {param.name: "x"})
    _same(name, "variables", data, {**(theirs["variables"] or {}), param.name: "x"}, report)
    summary = summarize(
        result.path, "machine", result.parsed, workflow, result.diagnostics, result.sources
    )
    ids = [node["id"] for node in summary["nodes"]]
    _same(name, "states", ids, [state["name"] for state in theirs["states"]], report)
    for state in theirs["states"]:
        at = f"{name} {state['name']}"
        detail = result.parsed.details[state["name"]]
        agent = state["agent"] or (state["action"] or {}).get("agent_role")
        _same(at, "agents of states", detail["agent"], agent, report)
        handlers = [detail[k] for k in ("pre", "post", "transition")]
        _same(at, "handlers", handlers, [state[k] for k in ("pre", "post", "trans")], report)
        _same(at, "inputs of states", detail.get("input"), state["input"], report)
        _same(at, "transitions", detail.get("transitions", []), state["transition"], report)


class _Replies:
    """Each agent's replies in their order; the messages of every call as they were sent."""

    label = "replies of the other engine's run"
    is_model = False

    def __init__(self, given: dict[str, list[Any]], agents: dict[str, str]) -> None:
        self._given = {agent: list(replies) for agent, replies in given.items()}
        self._agents = agents
        self.calls: list[dict[str, Any]] = []

    async def reply(self, request: ModelRequest) -> ModelReply:
        """The agent's next reply."""
        agent = self._agents[request.node]
        sent = [(m["role"], m["content"]) for m in request.messages if m["role"] != "system"]
        self.calls.append({"agent": agent, "messages": sent})
        given = self._given[agent].pop(0)
        calls = tuple(
            {
                "id": call["id"],
                "name": call["function"]["name"],
                "args": _read(call["function"]["arguments"]),
            }
            for call in given["tool_calls"] or ()
        )
        return ModelReply(given["content"] or "", calls, model="given")


def _read(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _compare_run(at: str, file: Path, folder: Path, run: dict[str, Any], report: Report) -> None:
    script = HANDLERS if run["engine"] == "v2" else None
    copy = _copied(file, folder, script=script, roles=_roles(run))
    result = compile_file(str(copy))
    if not result.ok:
        what = "; ".join(d.message for d in result.diagnostics)
        report.differences.append(Difference(at, what))
        return
    assert result.workflow is not None
    agents = {n.id: n.agent for n in result.workflow.nodes if n.kind == "agent"}
    replies = _Replies(run["script"], agents)
    outcome, threads = asyncio.run(_run(result, replies, run["input"]))
    theirs = run["result"]
    _same(at, "success", outcome.status == "success", theirs["success"], report)
    _same(at, "outputs", outcome.result, theirs["output"], report)
    visited = outcome.variables["states_visited"]
    _same(at, "states visited", visited, theirs["states_visited"], report)
    wanted = [{"agent": c["agent"], "messages": _sent(c)} for c in run["calls"]]
    _same(at, "calls", replies.calls, wanted, report)
    for name, messages in run["contexts"].items():
        ours = [(m["role"], m["content"]) for m in threads[name]]
        _same(at, "contexts", ours, [(m["role"], m["content"]) for m in messages], report)
    data = outcome.variables["common_data"]
    early = {key for key in data if key not in theirs["common_data"]}
    rule = "J40" if early == {"current_task"} else ""
    _same(at, "common_data", data, theirs["common_data"], report, rule)


def _sent(call: dict[str, Any]) -> list[tuple[str, str]]:
    sent = [(m["role"], m["content"]) for m in call["messages"]]
    return [*sent, ("user", call["extra_message"])] if call["extra_message"] else sent


def _roles(run: dict[str, Any]) -> dict[str, Any]:
    """Roles whose parsing tools are those that the replies call (J17)."""
    roles: dict[str, Any] = {}
    for agent, replies in run["script"].items():
        calls = [call for reply in replies for call in reply["tool_calls"] or ()]
        names = dict.fromkeys(call["function"]["name"] for call in calls)
        tools = [{"function": {"name": name, "parameters": _DEFAULT}} for name in names]
        roles[agent] = {"systemMessage": f"You are the {agent}.", "parsingTools": tools}
    return roles


async def _run(
    result: CompileResult, replies: _Replies, given: Any
) -> tuple[Outcome, dict[str, list[Any]]]:
    """The outcome, and every conversation as it stands at the end."""
    assert result.workflow is not None
    (param,) = result.workflow.params
    async with open_engine("memory:") as engine:
        outcome = await engine.start(
            result.spec, World(models=replies), run="r", inputs={param.name: given}, options={}
        )
        _, app = await engine._look_at("r")
        state = (await app.aget_state({"configurable": {"thread_id": "r"}})).values
    threads = (thread.id for thread in result.workflow.threads)
    return outcome, {id: messages_of(result.spec, state, id) for id in threads}
