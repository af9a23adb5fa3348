"""flowc for assistants: an MCP server that steps workflows, and checks, inspects and runs them.

An assistant does each step with its own tools and reports it; what waits for a person is asked of
the person. Whatever goes wrong is an answer with `success` false, never a crash (S28).
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from flowc import __version__
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp_types import ElicitResult, InputRequiredResult

from ..assembly.launch import Faulty
from ..db.database import create_tables
from ..db.file_lease import present
from ..errors import Failure, RunError
from ..services import Json
from ..state.step_reports import ReportFault, refusal
from ..store.audit_log import SCHEMA as AUDIT
from ..store.runs import STEPPED
from . import gate
from .calls import Desk, caller_of, desk_of, progress_of, runs_of, stepping
from .clients import Clients, Clock, utc_now
from .inbox import Inbox
from .runs import persons
from .tools import INBOX, TOOLS, Answer, ClientTool, template_text

GUIDE = "flowc://guide"
_INSTRUCTIONS = """\
Workflows are files. To carry one out step by step: load_workflow, then do what each prompt says
with your own tools and call report_step_result; its answer holds the next prompt. Every report is
kept: a server that was restarted goes on where the last one stopped. Over HTTP pass the `run` that
load_workflow answered to every other call; a run that another client is at work on is not yours.
What an answer lists under waits_for_person is theirs: no call of yours answers it.
check_workflow finds faults before anything runs; run_workflow has flowc itself execute a
workflow."""


def mcp_server(
    open_stepper: Callable[[], Any],
    *,
    alone: bool,
    clock: Clock = utc_now,
    inbox: Inbox | None = None,
) -> MCPServer[Desk]:
    """Return the server. `open_stepper` opens the store while it serves: an async context manager
    of a `Stepper`. `inbox` asks a service what waits for a person."""

    @asynccontextmanager
    async def lifespan(server: MCPServer[Desk]) -> AsyncIterator[Desk]:
        async with open_stepper() as stepper:
            engine = stepper.engine
            await create_tables(engine.journal_db, AUDIT)
            async with present(engine.store.leases, stepper.server):
                yield Desk(stepper, alone, Clients(engine, stepper.server, clock), inbox)

    server: MCPServer[Desk] = MCPServer(
        "flowc",
        title="flowc",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        lifespan=lifespan,
        request_state_security=RequestStateSecurity.ephemeral(ttl=gate.PATIENCE),
    )
    for tool in (*TOOLS, INBOX) if inbox else TOOLS:
        server.add_tool(_answering(tool), annotations=tool.hints)

    @server.resource(GUIDE, name="guide", mime_type="text/markdown")
    def guide() -> str:
        """How a workflow of steps is written and carried out."""
        return template_text(None)

    return server


def _answering(tool: ClientTool) -> Callable[..., Awaitable[Answer | InputRequiredResult]]:
    """Return the tool with its faults as structured answers (S28), an entry in the audit log, and
    what waits for a person put to the client's."""

    @functools.wraps(tool.call)
    async def answering(ctx: Context[Desk], **kwargs: object) -> Answer | InputRequiredResult:
        asked = gate.Asked.read(ctx.request_state)
        if asked is not None:
            return await _take_reply(ctx, asked, gate.reply_in(ctx))
        answer = await _answer_faults(tool.call(ctx, **kwargs))
        if tool.noted or kwargs.get("take_over"):
            about = answer.get("run") or kwargs.get("run") or kwargs.get("file_path") or ""
            answer = await _note(ctx, f"{tool.call.__name__} {about}".rstrip(), answer)
        waits = answer.get("waits_for_person") and not tool.hints.read_only_hint
        return await _ask(ctx, answer) if waits and gate.has_forms(ctx) else answer

    return answering


async def _ask(ctx: Context[Desk], answer: Answer) -> Answer | InputRequiredResult:
    """Ask the client's person the first question that waits; without one the answer stands."""
    engine, run = desk_of(ctx).stepper.engine, str(answer["run"])
    question = gate.askable((await engine.state(run)).questions)
    if question is None:
        return answer
    asked = gate.Asked.about(run, question, caller_of(ctx).label)
    reply = await gate.ask(ctx, question, asked)
    if isinstance(reply, InputRequiredResult):
        return reply
    return await _take_reply(ctx, asked, reply)


async def _take_reply(ctx: Context[Desk], asked: gate.Asked, reply: ElicitResult | None) -> Answer:
    """Go on with what the person answered, and note it."""
    answer = await _answer_faults(_go_on(ctx, asked, reply))
    return await _note(ctx, f"a person answered {asked.run} {asked.name}", answer)


async def _go_on(ctx: Context[Desk], asked: gate.Asked, reply: ElicitResult | None) -> Answer:
    """Give the run the person's answer, if that question waits on and this client asked it."""
    desk, run = desk_of(ctx), asked.run
    if caller_of(ctx).label != asked.client or not gate.has_forms(ctx):
        raise ReportFault("another client was asked that", "not_asked", "ask again")
    record = await desk.stepper.engine.store.get(run)
    async with stepping(ctx, run) if STEPPED in record.options else desk.clients.alone(run):
        questions = (await desk.stepper.engine.state(run)).questions
        question = asked.find_in(persons(record, questions))
        if question is None:
            raise ReportFault(
                f"`{asked.name}` does not wait any more", "answered_meanwhile", "look how it stands"
            )
        said: Answer = {"person": reply.action if reply else "no answer"}
        answer = gate.answer_in(question, reply)
        if answer is None:
            return {**await runs_of(ctx).status(run), **said}
        if STEPPED in record.options:
            return {**await desk.stepper.answer(run, question.id, answer), **said}
        answers: dict[str, Json] = {question.id: answer}
        return {**await runs_of(ctx).resume(run, answers, progress_of(ctx)), **said}


async def _note(ctx: Context[Desk], operation: str, answer: Answer) -> Answer:
    """Return the answer, once the audit log holds it."""
    outcome = str(answer.get("error_type") or answer.get("person") or "done")
    try:
        await desk_of(ctx).clients.note(caller_of(ctx), operation, outcome)
    except RunError as error:
        return _refusal(error, "refused")
    return answer


async def _answer_faults(work: Awaitable[Answer]) -> Answer:
    try:
        return await work
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
