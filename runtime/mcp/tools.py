"""The tools that a client is offered: six that carry a workflow out step by step (S26), five that
have flowc check, inspect and run one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import ToolAnnotations
from pydantic import Field

from ..services import Json
from .calls import Desk, caller_of, desk_of, position_of, progress_of, runs_of, stepping
from .inbox import list_inbox

Answer = dict[str, Any]
FilePath = Annotated[str, Field(description="The workflow's file, from the server's folder.")]
OwnRun = Annotated[
    str | None,
    Field(description="The name that load_workflow answered; over HTTP without sessions, always."),
]
AnyRun = Annotated[str, Field(description="The name of the run.")]
Inputs = Annotated[
    dict[str, Any] | None, Field(description="Values of the workflow's parameters, by name.")
]


async def load_workflow(ctx: Context[Desk], file_path: FilePath, inputs: Inputs = None) -> Answer:
    """Load a workflow file and begin with it. Answers the number of steps and the first one, and
    `run`, the name under which it is kept."""
    desk, client = desk_of(ctx), caller_of(ctx)
    answer = await desk.stepper.load(client.label, file_path, inputs or {})
    desk.clients.note_call(str(answer["run"]))
    return answer


async def execute_workflow_step(
    ctx: Context[Desk],
    run: OwnRun = None,
    take_over: Annotated[
        bool,
        Field(
            description="Go on with a `run` that another client is at work on, which cannot go on"
            " with it then: only if you were asked to."
        ),
    ] = False,
) -> Answer:
    """The prompt of the current step: do what it says, then call report_step_result. What waits
    for a person is put to them, where this client can ask; nothing else changes."""
    async with stepping(ctx, run, take_over) as (stepper, key):
        return await stepper.execute(key)


async def report_step_result(
    ctx: Context[Desk],
    step_number: Annotated[
        int, Field(description="The number of the current step, as its prompt says it: from 1.")
    ],
    status: Annotated[
        str,
        Field(
            description="`passed` if the work is done and meets every criterion.",
            json_schema_extra={"enum": ["passed", "failed"]},
        ),
    ],
    assertion_results: Annotated[
        list[dict[str, Any]] | None,
        Field(
            description="One for each success criterion, in their order: {assertion: its text,"
            " passed: true or false, detail: why}."
        ),
    ] = None,
    output_variables: Annotated[
        dict[str, Any] | None, Field(description="The values that the prompt asks for, by name.")
    ] = None,
    error_message: Annotated[str, Field(description="What went wrong; empty if nothing did.")] = "",
    run: OwnRun = None,
) -> Answer:
    """Report the current step, which is yours to do. Answers the next step's prompt. A step that
    waits for a person takes no report."""
    report: dict[str, Json] = {
        "step_number": step_number,
        "status": status,
        "assertion_results": assertion_results or [],
        "output_variables": output_variables or {},
        "error_message": error_message,
    }
    async with stepping(ctx, run) as (stepper, key):
        return await stepper.report(key, report)


async def get_workflow_state(ctx: Context[Desk], run: OwnRun = None) -> Answer:
    """Where the workflow stands: steps that passed and failed, variables, every outcome."""
    stepper, key = await position_of(ctx, run)
    return await stepper.state(key)


async def reset_workflow(ctx: Context[Desk], run: OwnRun = None) -> Answer:
    """Begin again with the first step. What was done so far is kept under its own `run`."""
    async with stepping(ctx, run) as (stepper, key):
        return await stepper.reset(key)


async def get_workflow_template(
    ctx: Context[Desk],
    task_description: Annotated[
        str | None, Field(description="What the workflow is to do; it is repeated with guidance.")
    ] = None,
) -> Answer:
    """How a workflow of steps is written: a reference, a skeleton, an example."""
    return {"success": True, "template": template_text(task_description)}


async def check_workflow(ctx: Context[Desk], file_path: FilePath) -> Answer:
    """Find every fault of a workflow file before it runs, each with its line."""
    compiled = runs_of(ctx).compile(file_path)
    diagnostics = runs_of(ctx).diagnostics(compiled)
    return {"success": compiled.ok, "diagnostics": diagnostics}


async def inspect_workflow(ctx: Context[Desk], file_path: FilePath) -> Answer:
    """What a workflow file holds: parameters, nodes, edges, agents, limits."""
    return {"success": True, **runs_of(ctx).compile(file_path).summary()}


async def run_workflow(
    ctx: Context[Desk],
    file_path: FilePath,
    inputs: Inputs = None,
    model: Annotated[
        str | None, Field(description="The model that answers, provider:name; else the configured.")
    ] = None,
) -> Answer:
    """Have flowc execute a workflow until it ends or waits for a person, whom it asks where this
    client can."""

    about: dict[str, Json] = {"client": caller_of(ctx).label}
    return await runs_of(ctx).start(file_path, inputs or {}, model, progress_of(ctx), about)


async def workflow_status(ctx: Context[Desk], run: AnyRun) -> Answer:
    """Where a run stands: its status, result, error, variables, what waits for a person."""
    return await runs_of(ctx).status(run)


async def resume_workflow(ctx: Context[Desk], run: AnyRun) -> Answer:
    """Let a run that was interrupted go on. What waits for a person is put to them, where this
    client can ask; you cannot answer it."""
    await desk_of(ctx).clients.require(caller_of(ctx), run)
    return await runs_of(ctx).resume(run, {}, progress_of(ctx))


Tool = Callable[..., Awaitable[Answer]]
_LOOKS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_MOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)
"""The run goes on, and does whatever its workflow says before it waits again."""
_ASKS = _MOVES.model_copy(update={"idempotent_hint": True})


@dataclass(frozen=True, slots=True)
class ClientTool:
    """A tool and what a client is told of it. One that is not read-only asks the client's person
    what waits for them, and the audit log tells of it if it is `noted`."""

    call: Tool
    hints: ToolAnnotations
    noted: bool = True


INBOX = ClientTool(list_inbox, _LOOKS.model_copy(update={"open_world_hint": True}), noted=False)
"""What is offered where the server has a service to ask."""
TOOLS = (
    ClientTool(load_workflow, _MOVES),
    ClientTool(execute_workflow_step, _ASKS, noted=False),
    ClientTool(report_step_result, _MOVES),
    ClientTool(get_workflow_state, _LOOKS, noted=False),
    ClientTool(reset_workflow, _MOVES),
    ClientTool(get_workflow_template, _LOOKS, noted=False),
    ClientTool(check_workflow, _LOOKS, noted=False),
    ClientTool(inspect_workflow, _LOOKS, noted=False),
    ClientTool(run_workflow, _MOVES),
    ClientTool(workflow_status, _LOOKS, noted=False),
    ClientTool(resume_workflow, _ASKS),
)


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
