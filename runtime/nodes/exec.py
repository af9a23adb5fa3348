"""exec: run shell commands, one per superstep, in a session that carries on (M36–M39).

    prepare ─> approve ─> command ─┐
                 ^ │         ^─────┘ ─> end
                 │ v
                refuse

Each finished command is in a checkpoint of its own and its result in the journal: a run that died
in the third command never repeats the first two.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Hashable
from contextvars import ContextVar
from typing import Any, Literal

from flowc.compiler.ir import ExecNode
from flowc.compiler.lowering.graphspec import NodeSpec
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ..errors import Failure
from ..services import Grants, Json
from ..state.channels import Items, append
from ..state.interrupts import ALLOWING
from .visit.shell_blocks import shell_commands
from .visit.visit import Done, Setting, Visit, put_question, shorten

_VISIT: ContextVar[Visit] = ContextVar("exec")
"""Whose commands run: the graph is one for all nodes, since to compile it takes milliseconds."""


class Session(TypedDict):
    """A shell between two commands: its state, as the shell writes it, and "always" was said."""

    state: str
    allowed: bool


class Given(TypedDict, total=False):
    """What the node passes in: the commands' source text, the session, the visit's number."""

    source: str
    session: Session
    visit: int


class Result(TypedDict, total=False):
    """What comes back: the session afterwards and one {command, output, exit_code} per command."""

    session: Session
    results: Items


class Scratch(Given, Result, total=False):
    """What the steps in between need."""

    commands: list[str]
    next: int
    approved: bool


async def run(visit: Visit) -> Done:
    """The transcript is `$ command`, a line break and the output, per command; an exit code other
    than 0 is not a failure (M39)."""
    op = visit.node.op
    assert isinstance(op, ExecNode)
    key = f"$session.{op.session}"
    session: Session = visit.state.get(key) or {"state": "", "allowed": False}
    given: Given = {"source": visit.text(op.source), "session": session, "visit": visit.number}
    token = _VISIT.set(visit)
    try:
        result = await visit.run_subgraph(dict(given))
    finally:
        _VISIT.reset(token)
    ran = result.get("results") or []
    transcript = "\n".join(f"$ {r['command']}\n{r['output'].rstrip()}".rstrip() for r in ran)
    variables: dict[str, Json] = {op.into: transcript}
    if op.code_into:
        variables[op.code_into] = ran[-1]["exit_code"] if ran else None
    shown = " · ".join(f"{shorten(r['command'], 60)} → {r['exit_code']}" for r in ran)
    return Done(variables, {key: result["session"]}, text=shown)


def subgraph(node: NodeSpec, setting: Setting) -> Any:
    """The compiled subgraph of every exec node."""
    return _graph()


@functools.cache
def _graph() -> Any:
    graph = StateGraph(Scratch, input_schema=Given, output_schema=Result)
    graph.add_node("prepare", _prepare)
    graph.add_node("approve", _approve)
    graph.add_node("refuse", _refuse)
    graph.add_node("command", _command)
    graph.add_edge(START, "prepare")
    ways: dict[Hashable, str] = {"approve": "approve", "command": "command", "end": END}
    verdicts: dict[Hashable, str] = {"command": "command", "refuse": "refuse"}
    again: dict[Hashable, str] = {"command": "command", "end": END}
    graph.add_conditional_edges("prepare", _after_prepare, ways)
    graph.add_conditional_edges("approve", _after_approve, verdicts)
    graph.add_edge("refuse", "approve")
    graph.add_conditional_edges("command", _after_command, again)
    return graph.compile(name="commands")


async def _prepare(state: Scratch) -> dict[str, Any]:
    op, text = _VISIT.get().node.op, state["source"]
    assert isinstance(op, ExecNode)
    blocks = op.form == "blocks"
    commands = shell_commands(text) if blocks else tuple(c for c in [text.strip()] if c)
    return {"commands": list(commands), "next": 0}


async def _approve(state: Scratch) -> dict[str, Any]:
    visit = _VISIT.get()
    verdict = _approval(visit.node, visit.setting, state["commands"], state["visit"])
    session = {**state["session"], "allowed": verdict == "always"}
    return {"session": session, "approved": verdict != "no"}


async def _refuse(state: Scratch, runtime: Runtime[Any]) -> dict[str, Any]:
    if await _first_time(_VISIT.get().setting, runtime):
        raise Failure("the commands were not approved", "refused")
    return {}


async def _command(state: Scratch, runtime: Runtime[Any]) -> dict[str, Any]:
    visit, line = _VISIT.get(), state["commands"][state["next"]]
    before = state["session"]["state"]
    kept = await _run_command(visit.setting, visit.node, line, before, runtime)
    return {
        "results": append([{k: kept[k] for k in ("command", "output", "exit_code")}]),
        "session": {**state["session"], "state": kept["state"]},
        "next": state["next"] + 1,
    }


# A path function that is not async is run by LangGraph in a thread.
async def _after_prepare(state: Scratch) -> Literal["approve", "command", "end"]:
    if not state["commands"]:
        return "end"
    allowed = _VISIT.get().services.approve == "allow" or state["session"].get("allowed")
    return "command" if allowed else "approve"


async def _after_approve(state: Scratch) -> Literal["command", "refuse"]:
    return "command" if state["approved"] else "refuse"


async def _after_command(state: Scratch) -> Literal["command", "end"]:
    return "command" if state["next"] < len(state["commands"]) else "end"


async def _first_time(setting: Setting, runtime: Runtime[Any]) -> bool:
    """Whether this refusal is new. A run that ended with it and is resumed asks anew instead."""
    new = False

    async def note() -> Json:
        nonlocal new
        new = True
        return None

    await setting.services.journal.once(runtime, "refusal", "pure", None, note)
    return new


def _granted(node: NodeSpec) -> Grants:
    assert isinstance(node.op, ExecNode)
    return Grants(node.op.network, node.op.workspace)


def _approval(node: NodeSpec, setting: Setting, commands: list[str], visit: int) -> str:
    """ "yes", "no" or "always". Anything that is not a clear yes is a no."""
    answer = setting.services.people.answer("approve", node.id, visit)
    if answer is None:
        many = "1 command" if len(commands) == 1 else f"{len(commands)} commands"
        where = setting.services.shell.confinement(_granted(node))
        answer = put_question(
            setting.services,
            {
                "kind": "approve",
                "node": node.id,
                "text": f"`{node.id}` wants to run {many} {where}",
                "choices": list(ALLOWING),
                "commands": commands,
                "place": str(node.place) if node.place else "",
            },
        )
    return answer if answer in ("yes", "always") else "no"


async def _run_command(
    setting: Setting, node: NodeSpec, line: str, before: str, runtime: Runtime[Any]
) -> dict[str, Any]:
    """One command through the journal: {command, output, exit_code, state}."""

    async def call() -> Json:
        started = time.monotonic()
        result = await setting.services.shell.run(line, before, _granted(node))
        shown = {"command": shorten(line), "exit_code": result.exit_code}
        seconds = round(time.monotonic() - started, 6)
        data = {**shown, "seconds": seconds, "output": shorten(result.output)}
        data["sandbox"] = result.level
        setting.services.emit("command_run", node.id, data)
        return {
            "command": line,
            "output": result.output,
            "exit_code": result.exit_code,
            "state": result.state,
        }

    given = {"command": line, "state": before}
    kept = await setting.services.journal.once(runtime, f"command {line}", "once", given, call)
    if isinstance(kept, dict) and "exit_code" in kept:
        return {"command": line, "output": "", "state": before, **kept}
    output = kept if isinstance(kept, str) else str(kept)
    return {"command": line, "output": output, "exit_code": 0, "state": before}
