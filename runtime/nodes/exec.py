"""exec: run shell commands, one per superstep, in a session that lasts (M36–M39).

    prepare ─> approve ─> command ─┐
                 ^ │         ^─────┘ ─> end
                 │ v
                refuse

Each finished command has its own checkpoint and its result is in the journal: a run that died in
the third command never repeats the first two.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Hashable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, cast

from flowc.compiler.expr.documents import read_json
from flowc.compiler.expr.values import EvaluationError
from flowc.compiler.ir import ExecNode, ExecPart
from flowc.compiler.lowering.graphspec import NodeSpec
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ..context import binding
from ..errors import Failure, one_line
from ..services import CommandResult, EffectCall, Grants, Json
from ..state.channels import Items
from ..state.conversations import append
from ..state.interrupts import ALLOWING
from .ask import ask_approval
from .visit.fenced_commands import shell_commands
from .visit.visit import Done, Setting, Visit, shorten

_SAID = 300
"""The characters of a failed command's output that its failure tells: the last ones."""
REFUSAL = "refusal"
"""The journal's name for a person's no to the commands."""
_VISIT: ContextVar[Visit] = ContextVar("exec")
"""The visit that runs the graph. One graph serves all nodes: compiling it takes milliseconds."""


class Session(TypedDict):
    """A shell between two commands: its state, as the shell writes it, and whether a person has
    answered "always"."""

    state: str
    allowed: bool


class CommandsInput(TypedDict, total=False):
    """The commands' source text, the session, the visit's number."""

    source: str
    session: Session
    visit: int


class CommandsResult(TypedDict, total=False):
    """The session afterwards and one {command, stdout, stderr, exit_code} per command."""

    session: Session
    results: Items


class CommandsState(CommandsInput, CommandsResult, total=False):
    """The commands, the place of the next one, and whether a person approved them."""

    commands: list[str]
    next: int
    approved: bool


async def run(visit: Visit, op: ExecNode) -> Done:
    """Run the commands and put the parts of their result into variables. Raise `Failure` for an
    exit code that is not 0, unless a variable gets it (M39), and for what is not JSON."""
    key = f"$session.{op.session}"
    session: Session = visit.state.get(key) or {"state": "", "allowed": False}
    inputs = {"source": visit.text(op.source), "session": session, "visit": visit.number}
    with binding(_VISIT, visit):
        result = await visit.run_subgraph(inputs)
    results = result.get("results") or []
    variables = {part.variable: _part(cast("ExecPart", part.part), results) for part in op.parts}
    shown = " · ".join(f"{shorten(r['command'], 60)} → {r['exit_code']}" for r in results)
    return Done(variables, {key: result["session"]}, text=shown)


def _part(part: ExecPart, results: list[dict[str, Any]]) -> Json:
    """Return one part of the result of all commands."""
    stdout = "".join(r["stdout"] for r in results)
    match part:
        case "code":
            code: int | None = results[-1]["exit_code"] if results else None
            return code
        case "transcript":
            lines = (f"$ {r['command']}\n{r['stdout'].rstrip()}".rstrip() for r in results)
            return "\n".join(lines)
        case "stderr":
            return "".join(r["stderr"] for r in results)
        case "stdout":
            return stdout
        case "text":
            return stdout.rstrip("\r\n")
        case "json":
            # A node that takes the code looks at it; a command that fails often prints no document.
            failed = bool(results) and results[-1]["exit_code"] != 0
            return _json(stdout, failed)


def _json(stdout: str, failed: bool) -> Json:
    """Return the value of an output, or null where the command failed without any. Raise
    `Failure`."""
    try:
        value: Json = read_json(stdout)
    except EvaluationError as error:
        if failed:
            return None
        raise Failure(
            f"nothing can be read from the commands' output: {error}",
            help="take it as `stdout` where it is a text",
        ) from None
    return value


def subgraph(node: NodeSpec, setting: Setting) -> Any:
    """Return the compiled subgraph of every exec node."""
    return _graph()


@functools.cache
def _graph() -> Any:
    graph = StateGraph(CommandsState, input_schema=CommandsInput, output_schema=CommandsResult)
    graph.add_node("prepare", _prepare)
    graph.add_node("approve", _approve)
    graph.add_node("refuse", _refuse)
    graph.add_node("command", _command)
    graph.add_edge(START, "prepare")
    prepared: dict[Hashable, str] = {"approve": "approve", "command": "command", "end": END}
    answers: dict[Hashable, str] = {"command": "command", "refuse": "refuse"}
    ends: dict[Hashable, str] = {"command": "command", "end": END}
    graph.add_conditional_edges("prepare", _after_prepare, prepared)
    graph.add_conditional_edges("approve", _after_approve, answers)
    graph.add_edge("refuse", "approve")
    graph.add_conditional_edges("command", _after_command, ends)
    return graph.compile(name="commands")


async def _prepare(state: CommandsState) -> dict[str, Any]:
    op, text = _VISIT.get().node.op, state["source"]
    assert isinstance(op, ExecNode)
    blocks = op.form == "blocks"
    commands = shell_commands(text) if blocks else tuple(c for c in [text.strip()] if c)
    return {"commands": list(commands), "next": 0}


async def _approve(state: CommandsState) -> dict[str, Any]:
    visit, commands = _VISIT.get(), state["commands"]
    many = "1 command" if len(commands) == 1 else f"{len(commands)} commands"
    where = visit.services.shell.confinement(_grants(visit))
    text = f"`{visit.node.id}` wants to run {many} {where}"
    answer = ask_approval(visit, text, ALLOWING, commands)
    session = {**state["session"], "allowed": answer == "always"}
    return {"session": session, "approved": answer != "no"}


async def _refuse(state: CommandsState, runtime: Runtime[Any]) -> dict[str, Any]:
    journal = _VISIT.get().services.journal
    # A run that ended with a refusal and is resumed asks again.
    if await journal.entries(runtime, REFUSAL):
        return {}
    await journal.keep(runtime, REFUSAL, 0, None)
    raise Failure("the commands were not approved", "refused")


async def _command(state: CommandsState, runtime: Runtime[Any]) -> dict[str, Any]:
    visit, line = _VISIT.get(), state["commands"][state["next"]]
    before = state["session"]["state"]
    earlier = "".join(r["stdout"] for r in state.get("results") or ())
    is_last = state["next"] + 1 == len(state["commands"])
    promise = _Promise(_op(visit), earlier, is_last)
    result = await _run_command(visit, line, before, runtime, str(state["next"]), promise)
    kept = ("command", "stdout", "stderr", "exit_code")
    return {
        "results": append([{name: result[name] for name in kept}]),
        "session": {**state["session"], "state": result["state"]},
        "next": state["next"] + 1,
    }


# LangGraph would run a path function that is not async in a thread.
async def _after_prepare(state: CommandsState) -> Literal["approve", "command", "end"]:
    if not state["commands"]:
        return "end"
    allowed = _VISIT.get().services.approve == "allow" or state["session"].get("allowed")
    return "command" if allowed else "approve"


async def _after_approve(state: CommandsState) -> Literal["command", "refuse"]:
    return "command" if state["approved"] else "refuse"


async def _after_command(state: CommandsState) -> Literal["command", "end"]:
    return "command" if state["next"] < len(state["commands"]) else "end"


def _op(visit: Visit) -> ExecNode:
    assert isinstance(visit.node.op, ExecNode)
    return visit.node.op


def _grants(visit: Visit) -> Grants:
    op = _op(visit)
    return Grants(op.network, op.workspace)


@dataclass(frozen=True, slots=True)
class _Promise:
    """What a node takes for granted of a command: that it succeeds, unless a variable gets its
    code; that the output of all, `earlier` and the last one's, is JSON where a variable gets its
    value and the last one succeeded. A command that breaks it has failed: another attempt, or a
    resume, runs it again."""

    op: ExecNode
    earlier: str
    is_last: bool

    def keep(self, line: str, result: CommandResult) -> None:
        """Raise `Failure` when the result is not as promised."""
        parts = {part.part for part in self.op.parts}
        if result.exit_code != 0 and "code" not in parts:
            late = result.timed_out
            said = one_line((result.stderr.strip() or result.stdout.strip())[-_SAID:])
            ended = "took too long" if late else f"ended with exit code {result.exit_code}"
            raise Failure(
                f"`{shorten(line, 60)}` {ended}" + (f": {said}" if said else ""),
                "timeout" if late else "failure",
                help="`into: {NAME: code}` takes the exit code, and the run goes on",
            )
        if self.is_last and "json" in parts and result.exit_code == 0:
            if result.cut:
                raise Failure(f"`{shorten(line, 60)}` wrote more than is kept of an output")
            _json(self.earlier + result.stdout, failed=False)


async def _run_command(
    visit: Visit, line: str, before: str, runtime: Runtime[Any], ordinal: str, promise: _Promise
) -> dict[str, Any]:
    """Run a command through the journal; return {command, stdout, stderr, exit_code, state}."""
    merged = any(part.part == "transcript" for part in promise.op.parts)

    async def call() -> Json:
        started = time.monotonic()
        result = await visit.services.shell.run(line, before, _grants(visit), merged)
        facts = {"command": shorten(line), "exit_code": result.exit_code}
        seconds = round(time.monotonic() - started, 6)
        data = {**facts, "seconds": seconds, "output": shorten(result.stdout + result.stderr)}
        visit.emit("command_run", {**data, "sandbox": result.level})
        promise.keep(line, result)
        return {
            "command": line,
            "stdout": result.stdout,
            "stderr": result.stderr,
            "exit_code": result.exit_code,
            "state": result.state,
        }

    inputs = {"command": line, "state": before}
    act = EffectCall(runtime, f"command {line}", "once", inputs, call, ordinal)
    result = await visit.services.journal.once(act)
    if isinstance(result, dict) and "exit_code" in result:
        return {"command": line, "stdout": "", "stderr": "", "state": before, **result}
    # A person gave the result of a command in doubt.
    whole = {"command": line, "stdout": str(result), "stderr": "", "exit_code": 0}
    return {**whole, "state": before}
