"""Which client of the MCP server steps which run, so that none steps another's by accident.

A run says in its options who steps it (`stepped_by`) and through which server (`stepped_in`, a
lease that ends with the server's process). Whoever names a run that another client is at work on is
refused, unless it says that it takes the run over; one that nobody is at work on is anybody's who
names it.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from weakref import WeakValueDictionary

from ..engine.engine import Engine
from ..state.step_reports import ReportFault
from ..stepper.stepper import STEPPED, STEPPED_IN
from ..store.audit_log import Audit
from ..store.runs import RunRecord

AT_WORK = timedelta(minutes=15)
"""For how long after its last call a client counts as at work on a run."""
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Client:
    """Who calls. `label` is what is kept of it: what it calls itself, and of an HTTP session a part
    of its digest. `known` says that its next call can be told from that of any other client: over
    stdio there is one, over HTTP one for each session."""

    label: str
    known: bool


def client_of(info: object, session: str | None, alone: bool) -> Client:
    """The client that calls itself `info` (None: it does not say), over stdio when it is `alone`,
    else in an HTTP session, if there is one."""
    said = str(getattr(info, "name", None) or "a client")
    name = "".join(c if c.isascii() and c.isprintable() else "?" for c in said[:_LONGEST_NAME])
    if alone:
        return Client(f"{name} (stdio)", known=True)
    if not session:
        return Client(name, known=False)
    digest = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()
    return Client(f"{name} ({digest[:8]})", known=True)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Clients:
    """The clients of one server; `server` is its lease."""

    engine: Engine
    server: str
    clock: Callable[[], datetime] = _now
    calls: dict[str, float] = field(default_factory=dict)
    locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def alone(self, run: str) -> asyncio.Lock:
        """Held during a call about a run: the next one sees what this one did."""
        lock = self.locks.get(run)
        if lock is None:
            lock = self.locks[run] = asyncio.Lock()
        return lock

    def called(self, run: str) -> None:
        """Whoever steps the run is at work on it now."""
        self.calls[run] = time.monotonic()

    async def require(self, client: Client, run: str, *, take_over: bool = False) -> None:
        """The run is the client's from now on. Raises `ReportFault` while another is at work on
        it, and `RunError` when there is no such run."""
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
        self.called(run)

    async def last_of(self, client: Client) -> str | None:
        """The run that the client stepped last, through this server or one that is gone."""
        runs = await self.engine.store.list()
        mine = next((r for r in runs if r.options.get(STEPPED) == client.label), None)
        if mine is None:
            return None
        own = mine.options.get(STEPPED_IN) == self.server
        return mine.id if own or await self._is_free(mine) else None

    async def _is_free(self, record: RunRecord) -> bool:
        """Whether the server that the run was stepped through is gone."""
        server = str(record.options.get(STEPPED_IN, ""))
        if server == self.server:
            return False
        return server not in await self.engine.store.leases.held_among([server])

    async def _at_work(self, record: RunRecord) -> bool:
        """Whether its client has called a moment ago; of another server's the reports are known."""
        if record.options.get(STEPPED_IN) == self.server:
            last = self.calls.get(record.id)
            return last is not None and time.monotonic() - last < AT_WORK.total_seconds()
        if await self._is_free(record):
            return False
        return self.clock() - datetime.fromisoformat(record.updated) < AT_WORK

    async def note(self, client: Client, operation: str, outcome: str) -> None:
        """Keep in the audit log who asked for what."""
        who = f"mcp: {client.label}"
        await Audit(self.engine.journal_db).note(who, operation, outcome, self.clock())
