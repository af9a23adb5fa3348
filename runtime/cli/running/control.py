"""`flowc pause` and `flowc stop`: ask a running run to leave off at a checkpoint."""

from __future__ import annotations

import asyncio

from ...assembly.standing import ask_running
from ...store.default_store import resume_command
from ...store.runs import RequestKind, open_store
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
        await ask_running(runs, run, kind, resume_command(run, url))
    say(
        f"asked run {run} to {kind}: it finishes the step under way and keeps everything",
        f"  go on: {resume_command(run, url)}",
    )
    return OK
