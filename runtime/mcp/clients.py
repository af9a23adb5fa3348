"""The clients of the MCP server and their runs: none steps another's run by accident.

A run's options name its client (`stepped_by`) and the server (`stepped_in`, a lease that ends with
the server's process). A call about a run that another client is at work on is refused, unless it
takes the run over; a run that nobody works on is free.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from weakref import WeakValueDictionary

from ..engine.engine import Engine
from ..state.step_reports import ReportFault
from ..stepper.stepper import STEPPED_IN
from ..store.audit_log import Audit
from ..store.listing import RunFilter
from ..store.runs import STEPPED, RunRecord

AT_WORK = timedelta(minutes=15)
"""For how long after its last call a client counts as at work on a run."""
_LONGEST_NAME = 60
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class McpClient:
    """The sender of a call. `label` is its name, with a part of the digest of its HTTP session.
    `known`: its next call can be told from other clients' (over stdio there is one client, over
    HTTP one for each session)."""

    label: str
    known: bool


def client_of(info: object, session: str | None, alone: bool) -> McpClient:
    """Return the client that calls itself `info` (None: nothing), over stdio when it is `alone`,
    else in an HTTP session, if there is one."""
    full_name = str(getattr(info, "name", None) or "a client")
    name = "".join(c if c.isascii() and c.isprintable() else "?" for c in full_name[:_LONGEST_NAME])
    if alone:
        return McpClient(f"{name} (stdio)", known=True)
    if not session:
        return McpClient(name, known=False)
    digest = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()
    return McpClient(f"{name} ({digest[:8]})", known=True)


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Clients:
    """The clients of one server; `server` is its lease."""

    engine: Engine
    server: str
    clock: Clock
    calls: dict[str, datetime] = field(default_factory=dict)
    locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def alone(self, run: str) -> asyncio.Lock:
        """Return the lock of a run: a call sees what the one before it did."""
        return self.locks.setdefault(run, asyncio.Lock())

    def note_call(self, run: str) -> None:
        """Note that the run's client is at work on it now."""
        self.calls[run] = self.clock()

    async def require(self, client: McpClient, run: str, *, take_over: bool = False) -> None:
        """Give the run to the client. Raises `ReportFault` while another is at work on it, and
        `RunError` when there is no such run."""
        record = await self.engine.store.get(run)
        if STEPPED not in record.options:
            return
        own = (client.label, self.server)
        if (record.options[STEPPED], record.options.get(STEPPED_IN)) != own:
            if not take_over and await self._at_work(record):
                raise ReportFault(
                    f"run {run} is being stepped by {record.options[STEPPED]}",
                    "stepped_by_another",
                    "load the workflow for a run of your own; only if you were asked to go on with"
                    " this one, call execute_workflow_step with take_over=true",
                )
            await self.engine.note(run, {STEPPED: client.label, STEPPED_IN: self.server})
        self.note_call(run)

    async def last_of(self, client: McpClient) -> str | None:
        """Return the run that the client stepped last, through this server or one that is gone."""
        store = self.engine.store
        stepped = await store.listing.page(RunFilter(client=client.label), 1)
        if not stepped:
            return None
        mine = await store.get(stepped[0].id)
        own = mine.options.get(STEPPED_IN) == self.server
        return mine.id if own or await self._is_free(mine) else None

    async def _is_free(self, record: RunRecord) -> bool:
        """Return whether the server that the run was stepped through is gone."""
        server = str(record.options.get(STEPPED_IN, ""))
        if server == self.server:
            return False
        return server not in await self.engine.store.leases.held_among([server])

    async def _at_work(self, record: RunRecord) -> bool:
        """Return whether the run's client called a moment ago; of another server's client the
        reports are known."""
        if record.options.get(STEPPED_IN) == self.server:
            last = self.calls.get(record.id)
            return last is not None and self.clock() - last < AT_WORK
        if await self._is_free(record):
            return False
        return self.clock() - datetime.fromisoformat(record.updated) < AT_WORK

    async def note(self, client: McpClient, operation: str, outcome: str) -> None:
        """Add an entry to the audit log."""
        who = f"mcp: {client.label}"
        await Audit(self.engine.journal_db).note(who, operation, outcome, self.clock())
