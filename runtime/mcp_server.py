"""flowc for assistants: an MCP server that steps workflows, and checks, inspects and runs them.

Six tools carry a workflow out step by step (S26): the assistant does each step with its own tools
and reports it. Whatever goes wrong is an answer with `success` false, never a crash (S28).
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from flowc import __version__
from mcp.server.mcpserver import Context, MCPServer

from .errors import Failure, RunError
from .mcp_runs import Progress, Runs
from .report import ReportFault, refusal
from .services import Json
from .standing import Faulty
from .stepping import Stepper

Answer = dict[str, Any]
GUIDE = "flowc://guide"
STDIO = "stdio"
"""The client of a server that has only one."""
_INSTRUCTIONS = """\
Workflows are files. To carry one out step by step: load_workflow, then do what each prompt says
with your own tools and call report_step_result; its answer holds the next prompt. Every report is
kept: a server that was restarted goes on where the last one stopped. Over HTTP pass the `run` that
load_workflow answered to every other call. check_workflow finds faults before anything runs;
run_workflow has flowc itself execute a workflow."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the server's tools work with. `alone` says that one client has it to itself (stdio)."""

    stepper: Stepper
    alone: bool


def mcp_server(open_stepper: Callable[[], Any], *, alone: bool) -> MCPServer[Desk]:
    """The server. `open_stepper` opens the store for as long as it serves: an async context manager
    of a `Stepper`."""

    @asynccontextmanager
    async def lifespan(server: MCPServer[Desk]) -> AsyncIterator[Desk]:
        async with open_stepper() as stepper:
            yield Desk(stepper, alone)

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
    ctx: Context[Desk],
    file_path: str,
    inputs: dict[str, Any] | None = None,
) -> Answer:
    """Load a workflow file and begin with it. `inputs` gives values to its parameters. Answers
    the number of steps and the first one, and `run`, the name under which it is kept."""
    stepper = _stepper(ctx)
    client = _client(ctx, None)
    answer = await stepper.load(client, file_path, inputs or {})
    stepper.loaded[str(answer["run"])] = stepper.loaded[client]
    return answer


async def execute_workflow_step(ctx: Context[Desk], run: str | None = None) -> Answer:
    """The prompt of the current step: do what it says, then call report_step_result. Asking
    changes nothing."""
    stepper, client = await _at(ctx, run)
    return await stepper.execute(client)


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
    stepper, client = await _at(ctx, run)
    given = {
        "step_number": step_number,
        "status": status,
        "assertion_results": assertion_results or [],
        "output_variables": output_variables or {},
        "error_message": error_message,
    }
    return await stepper.report(client, given)


async def get_workflow_state(ctx: Context[Desk], run: str | None = None) -> Answer:
    """Where the workflow stands: steps that passed and failed, variables, every outcome."""
    stepper, client = await _at(ctx, run)
    return await stepper.state(client)


async def reset_workflow(ctx: Context[Desk], run: str | None = None) -> Answer:
    """Begin again with the first step. What was done so far is kept under its own `run`."""
    stepper, client = await _at(ctx, run)
    return await stepper.reset(client)


async def get_workflow_template(ctx: Context[Desk], task_description: str | None = None) -> Answer:
    """How a workflow of steps is written: a reference, a skeleton, an example."""
    return {"success": True, "template": template_text(task_description)}


async def check_workflow(ctx: Context[Desk], file_path: str) -> Answer:
    """Find every fault of a workflow file before it runs, each with its line."""
    compiled = _runs(ctx).checked(file_path)
    found = _runs(ctx).diagnostics(compiled)
    return {"success": compiled.ok, "diagnostics": found}


async def inspect_workflow(ctx: Context[Desk], file_path: str) -> Answer:
    """What a workflow file holds: parameters, nodes, edges, agents, limits."""
    return {"success": True, **_runs(ctx).checked(file_path).summary()}


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

    return await _runs(ctx).start(file_path, inputs or {}, model, answers, _progress(ctx))


async def workflow_status(ctx: Context[Desk], run: str) -> Answer:
    """Where a run stands: its status, result, error, questions, variables."""
    return await _runs(ctx).status(run)


async def answer_workflow(
    ctx: Context[Desk], run: str, answer: Any = None, question: str | None = None
) -> Answer:
    """Answer the question that a run waits with (`question`: its id, where several wait), or
    let a run that was interrupted go on."""

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


def _answering(tool: Tool) -> Tool:
    """The tool with its faults as structured answers (S28)."""

    @functools.wraps(tool)
    async def answering(*args: Any, **kwargs: Any) -> Answer:
        try:
            return await tool(*args, **kwargs)
        except ReportFault as fault:
            return refusal(fault)
        except Faulty as faulty:
            return {**_refused(faulty, "invalid"), "diagnostics": faulty.diagnostics}
        except RunError as error:
            return _refused(error, "refused")
        except Failure as failure:
            return _refused(failure, failure.kind)

    return answering


def _refused(error: RunError | Failure, kind: str) -> Answer:
    return refusal(ReportFault(error.message, kind, error.help))


def _stepper(ctx: Context[Desk]) -> Stepper:
    return ctx.request_context.lifespan_context.stepper


def _runs(ctx: Context[Desk]) -> Runs:
    stepper = _stepper(ctx)
    return Runs(stepper.engine, stepper.config, stepper.folder, stepper.new_run)


def _progress(ctx: Context[Desk]) -> Progress:
    async def progress(done: int, node: str) -> None:
        await ctx.report_progress(done, None, node)

    return progress


async def _at(ctx: Context[Desk], run: str | None) -> tuple[Stepper, str]:
    """The stepper, and under which name it knows what the call is about; a run that this server
    does not know yet is taken up."""
    stepper, client = _stepper(ctx), _client(ctx, run)
    alone = ctx.request_context.lifespan_context.alone
    if client not in stepper.loaded and (run is not None or alone):
        await stepper.go_on(client, run)
    return stepper, client


def _client(ctx: Context[Desk], run: str | None) -> str:
    """Whose call it is: that of the run it names, of the one client, of the HTTP session."""
    if run is not None:
        return run
    if ctx.request_context.lifespan_context.alone:
        return STDIO
    return (ctx.headers or {}).get("mcp-session-id", "")


def template_text(task: Json) -> str:
    """How step documents are written; a task is repeated with what to do about it (S47)."""
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
