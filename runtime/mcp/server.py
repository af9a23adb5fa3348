"""flowc for assistants: an MCP server that steps workflows, and checks, inspects and runs them.

Six tools carry a workflow out step by step (S26): the assistant does each step with its own tools
and reports it. Whatever goes wrong is an answer with `success` false, never a crash (S28).
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from flowc import __version__
from mcp.server.mcpserver import Context, MCPServer

from ..assembly.launch import Faulty
from ..db.database import create_tables
from ..db.file_lease import present
from ..errors import Failure, RunError
from ..services import Json
from ..state.step_reports import ReportFault, refusal
from ..stepper.stepper import Stepper
from ..store.audit_log import SCHEMA as AUDIT
from .clients import Clients, Clock, McpClient, client_of, utc_now
from .runs import Progress, Runs

Answer = dict[str, Any]
GUIDE = "flowc://guide"
_INSTRUCTIONS = """\
Workflows are files. To carry one out step by step: load_workflow, then do what each prompt says
with your own tools and call report_step_result; its answer holds the next prompt. Every report is
kept: a server that was restarted goes on where the last one stopped. Over HTTP pass the `run` that
load_workflow answered to every other call; a run that another client is at work on is not yours.
check_workflow finds faults before anything runs; run_workflow has flowc itself execute a
workflow."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The state of the server's tools. `alone`: it has one client, over stdio."""

    stepper: Stepper
    alone: bool
    clients: Clients


def mcp_server(
    open_stepper: Callable[[], Any], *, alone: bool, clock: Clock = utc_now
) -> MCPServer[Desk]:
    """Return the server. `open_stepper` opens the store while it serves: an async context manager
    of a `Stepper`."""

    @asynccontextmanager
    async def lifespan(server: MCPServer[Desk]) -> AsyncIterator[Desk]:
        async with open_stepper() as stepper:
            engine = stepper.engine
            await create_tables(engine.journal_db, AUDIT)
            async with present(engine.store.leases, stepper.server):
                yield Desk(stepper, alone, Clients(engine, stepper.server, clock))

    server: MCPServer[Desk] = MCPServer(
        "flowc",
        title="flowc",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        lifespan=lifespan,
    )
    for tool in (*STEP_TOOLS, *WORKFLOW_TOOLS):
        server.add_tool(_answering(tool))

    @server.resource(GUIDE, name="guide", mime_type="text/markdown")
    def guide() -> str:
        """How a workflow of steps is written and carried out."""
        return template_text(None)

    return server


async def load_workflow(
    ctx: Context[Desk], file_path: str, inputs: dict[str, Any] | None = None
) -> Answer:
    """Load a workflow file and begin with it. `inputs` gives values to its parameters. Answers
    the number of steps and the first one, and `run`, the name under which it is kept."""
    desk, client = _desk(ctx), _client(ctx)
    answer = await desk.stepper.load(client.label, file_path, inputs or {})
    desk.clients.note_call(str(answer["run"]))
    return answer


async def execute_workflow_step(
    ctx: Context[Desk], run: str | None = None, take_over: bool = False
) -> Answer:
    """The prompt of the current step: do what it says, then call report_step_result. Asking
    changes nothing. `take_over` goes on with a `run` that another client is at work on, which
    cannot go on with it then: only if you were asked to."""
    async with _stepping(ctx, run, take_over) as (stepper, key):
        return await stepper.execute(key)


async def report_step_result(
    ctx: Context[Desk],
    step_number: int,
    status: str,
    assertion_results: list[dict[str, Any]] | None = None,
    output_variables: dict[str, Any] | None = None,
    error_message: str = "",
    run: str | None = None,
) -> Answer:
    """Report the current step: `status` is "passed" or "failed", `assertion_results` one
    {assertion, passed, detail} for each success criterion, `output_variables` the values that
    the prompt asks for. Answers the next step's prompt."""
    report: dict[str, Json] = {
        "step_number": step_number,
        "status": status,
        "assertion_results": assertion_results or [],
        "output_variables": output_variables or {},
        "error_message": error_message,
    }
    async with _stepping(ctx, run) as (stepper, key):
        return await stepper.report(key, report)


async def get_workflow_state(ctx: Context[Desk], run: str | None = None) -> Answer:
    """Where the workflow stands: steps that passed and failed, variables, every outcome."""
    stepper, key = await _at(ctx, run)
    return await stepper.state(key)


async def reset_workflow(ctx: Context[Desk], run: str | None = None) -> Answer:
    """Begin again with the first step. What was done so far is kept under its own `run`."""
    async with _stepping(ctx, run) as (stepper, key):
        return await stepper.reset(key)


async def get_workflow_template(ctx: Context[Desk], task_description: str | None = None) -> Answer:
    """How a workflow of steps is written: a reference, a skeleton, an example."""
    return {"success": True, "template": template_text(task_description)}


async def check_workflow(ctx: Context[Desk], file_path: str) -> Answer:
    """Find every fault of a workflow file before it runs, each with its line."""
    compiled = _runs(ctx).compile(file_path)
    diagnostics = _runs(ctx).diagnostics(compiled)
    return {"success": compiled.ok, "diagnostics": diagnostics}


async def inspect_workflow(ctx: Context[Desk], file_path: str) -> Answer:
    """What a workflow file holds: parameters, nodes, edges, agents, limits."""
    return {"success": True, **_runs(ctx).compile(file_path).summary()}


async def run_workflow(
    ctx: Context[Desk],
    file_path: str,
    inputs: dict[str, Any] | None = None,
    model: str | None = None,
    answers: str | None = None,
) -> Answer:
    """Have flowc execute a workflow until it ends or waits. `model` is provider:name, `answers`
    a file of scripted answers; without them the configured model answers. Questions that wait
    are in the answer: give them to answer_workflow."""

    about: dict[str, Json] = {"client": _client(ctx).label}
    progress = _progress(ctx)
    return await _runs(ctx).start(file_path, inputs or {}, model, answers, progress, about)


async def workflow_status(ctx: Context[Desk], run: str) -> Answer:
    """Where a run stands: its status, result, error, questions, variables."""
    return await _runs(ctx).status(run)


async def answer_workflow(
    ctx: Context[Desk], run: str, answer: Any = None, question: str | None = None
) -> Answer:
    """Answer the question that a run waits with (`question`: its id; the first may do without), or
    let a run that was interrupted go on."""

    await _desk(ctx).clients.require(_client(ctx), run)
    return await _runs(ctx).resume(run, answer, question, _progress(ctx))


Tool = Callable[..., Awaitable[Answer]]


STEP_TOOLS: tuple[Tool, ...] = (
    load_workflow,
    execute_workflow_step,
    report_step_result,
    get_workflow_state,
    reset_workflow,
    get_workflow_template,
)
"""A workflow carried out step by step (S26)."""
WORKFLOW_TOOLS: tuple[Tool, ...] = (
    check_workflow,
    inspect_workflow,
    run_workflow,
    workflow_status,
    answer_workflow,
)
"""What flowc itself does."""


NOTED = frozenset(
    ("load_workflow", "report_step_result", "reset_workflow", "run_workflow", "answer_workflow")
)
"""What the audit log tells of, beside taking a run over."""


def _answering(tool: Tool) -> Tool:
    """Return the tool with its faults as structured answers (S28) and an entry in the audit log."""

    @functools.wraps(tool)
    async def answering(ctx: Context[Desk], **kwargs: object) -> Answer:
        answer = await _answer_faults(tool, ctx, kwargs)
        if tool.__name__ not in NOTED and not kwargs.get("take_over"):
            return answer
        about = answer.get("run") or kwargs.get("run") or kwargs.get("file_path") or ""
        outcome = str(answer.get("error_type") or "done")
        try:
            clients = _desk(ctx).clients
            await clients.note(_client(ctx), f"{tool.__name__} {about}".rstrip(), outcome)
        except RunError as error:
            return _refusal(error, "refused")
        return answer

    return answering


async def _answer_faults(tool: Tool, ctx: Context[Desk], arguments: Mapping[str, Any]) -> Answer:
    try:
        return await tool(ctx, **arguments)
    except ReportFault as fault:
        return refusal(fault)
    except Faulty as faulty:
        return {**_refusal(faulty, "invalid"), "diagnostics": faulty.diagnostics}
    except RunError as error:
        return _refusal(error, "refused")
    except Failure as failure:
        return _refusal(failure, failure.kind)


def _refusal(error: RunError | Failure, kind: str) -> Answer:
    return refusal(ReportFault(error.message, kind, error.help))


def _desk(ctx: Context[Desk]) -> Desk:
    return ctx.request_context.lifespan_context


def _runs(ctx: Context[Desk]) -> Runs:
    stepper = _desk(ctx).stepper
    return Runs(stepper.engine, stepper.config, stepper.folder, stepper.new_run)


def _progress(ctx: Context[Desk]) -> Progress:
    async def progress(done: int, node: str) -> None:
        await ctx.report_progress(done, None, node)

    return progress


@asynccontextmanager
async def _stepping(
    ctx: Context[Desk], run: str | None, take_over: bool = False
) -> AsyncIterator[tuple[Stepper, str]]:
    """As `_at`, for a call that goes on with the run: one at a time, by the client that steps it.
    Raises `ReportFault` while another client does."""
    clients = _desk(ctx).clients
    stepper, key = await _at(ctx, run)
    if key not in stepper.loaded:  # the stepper says so
        yield stepper, key
        return
    async with clients.alone(stepper.loaded[key].run):
        await clients.require(_client(ctx), stepper.loaded[key].run, take_over=take_over)
        yield stepper, key
        clients.note_call(stepper.loaded[key].run)


async def _at(ctx: Context[Desk], run: str | None) -> tuple[Stepper, str]:
    """The stepper, and under which name it knows what the call is about: the run's, or that of
    the client, who has one at a time. A run that this server does not know yet is taken up."""
    desk, client = _desk(ctx), _client(ctx)
    stepper = desk.stepper
    if run is None and not client.known:
        raise ReportFault(
            "no workflow loaded",
            "not_loaded",
            "without a session every call names its run: pass the `run` that load_workflow"
            " answered, or load a workflow first",
        )
    key = run if run is not None else client.label
    if key not in stepper.loaded:
        taken = run if run is not None else await desk.clients.last_of(client)
        if taken is not None:
            await stepper.go_on(key, taken)
    return stepper, key


def _client(ctx: Context[Desk]) -> McpClient:
    """Who calls."""
    parameters = ctx.request_context.session.client_params
    session = (ctx.headers or {}).get("mcp-session-id")
    return client_of(parameters.client_info if parameters else None, session, _desk(ctx).alone)


def template_text(task: Json) -> str:
    """Return how step documents are written, with a task what to do about it (S47)."""
    text = files(__package__).joinpath("step_template.md").read_text(encoding="utf-8")
    if not task:
        return text
    quoted = "\n".join(f"> {line}" for line in str(task).splitlines())
    return f"""{text}
## Your task

{quoted}

Cut the task into steps that each have one checkable result. Write down for each step what it
reads, which tools it uses, what has to hold afterwards and what later steps need of it; then load
the file.
"""
