"""`flowc pause` and `flowc stop`: ask a running run to leave off at a checkpoint."""

from __future__ import annotations

import asyncio

from ...errors import RunError
from ...store.default_store import resume_command
from ...store.runs import RequestKind, RunRecord, open_store
from .. import flags
from ..app import OK, say
from ..stores import existing_store


def pause(run: flags.Run, store: flags.Store = None) -> int:
    """Ask a running run to pause at its next checkpoint; its process then ends with 4."""
    return asyncio.run(_request(run, "pause", existing_store(store)))


def stop(run: flags.Run, store: flags.Store = None) -> int:
    """Ask a running run to stop at its next checkpoint; its process then ends with 5."""
    return asyncio.run(_request(run, "stop", existing_store(store)))


async def _request(run: str, kind: RequestKind, url: str) -> int:
    async with open_store(url) as runs:
        record = await runs.get(run)
        if record.status != "running":
            help = f"flowc show {run} says where it stands; {resume_command(run, url)} goes on"
            raise RunError(f"run {run} is not running: {_standing(record)}", help=help)
        await runs.request(run, kind)
    say(
        f"asked run {run} to {kind}: it finishes the step under way and keeps everything",
        f"  go on: {resume_command(run, url)}",
    )
    return OK


def _standing(record: RunRecord) -> str:
    match record.status:
        case "success" | "failed":
            return f"it has ended: {record.status.upper()}"
        case "crashed":
            return "its process died"
        case "paused" if record.questions:
            return f"it waits for an answer at {record.questions[0].get('node', '')}"
        case status:
            return f"it is {status}"
