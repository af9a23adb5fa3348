"""Where the effects and charges of a thread are kept, in whatever program its graph runs."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from flowc.compiler.ir import PythonNode
from flowc.compiler.lowering.graphspec import GraphSpec
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from ..budget import ledger
from ..budget.ledger import Ledger
from ..db.database import Database
from ..db.mirror import open_mirror
from ..engine.engine import Engine, open_engine
from ..errors import RunError
from ..journal import rows, timers
from ..journal.before import JournalBefore, NoJournal
from ..journal.effects import EffectJournal
from ..secrets import secret_values
from ..services import EffectCall, Journal, Json
from ..state.thread_turns import ThreadTurn

if TYPE_CHECKING:
    from ..checkpoints.types import Saver, Store

_WARNING = "effects are kept nowhere: what a kill cuts off is called again, unasked ({why})"
_WARNED: set[str] = set()
_MEMORIES: WeakKeyDictionary[object, InMemoryStore] = WeakKeyDictionary()
"""By saver in memory, what is kept of its threads: as long as it lives."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What keeps a thread: the rows, None for nothing; the engine, where it is a store of flowc's;
    otherwise why there is none."""

    thread: str
    db: Database | None = None
    engine: Engine | None = None
    missing: str = ""

    def journal(self, turn: ThreadTurn, scope: str, spec: GraphSpec) -> Journal:
        """Return the journal of a turn's effects, known outside by their `scope`. With nothing
        to keep them in, those that the files of `spec` declare to act once are refused."""
        if self.engine is not None:
            return replace(self.engine.journal(self.thread, turn=turn), scope=scope)
        if self.db is not None:
            hidden = secret_values(os.environ)
            return EffectJournal(self.db, hidden=hidden, turn=turn, scope=scope)
        if self.missing:
            return JournalBefore(NoJournal(), partial(_refuse, declared_once(spec), self.missing))
        return NoJournal()

    def ledger(self, scope: str) -> Ledger | None:
        """Return the ledger of what is charged to a scope."""
        return Ledger(self.db.for_run(self.thread), scope) if self.db is not None else None


def declared_once(spec: GraphSpec) -> frozenset[str]:
    """Return the names of the effects that the files of a program declare to act once."""
    specs = (spec, *(inner for _, inner in spec.subgraphs))
    tools = (f"tool {tool.id}" for s in specs for tool in s.tools if tool.effect == "once")
    ops = (node.op for s in specs for node in s.nodes)
    calls = (op for op in ops if isinstance(op, PythonNode) and op.effect == "once")
    return frozenset((*tools, *(f"function {op.function}" for op in calls)))


async def _refuse(once: frozenset[str], missing: str, journal: Journal, act: EffectCall) -> Json:
    """Refuse what the file declares to act once in a thread that goes on after a kill, and has
    nothing to be kept in. All else is called."""
    if act.name in once:
        raise RunError(
            f"`{act.name}` acts once, and nothing can keep that it did: {missing}",
            help='name a store that can be written: flowc.load(…, journal="sqlite:///PATH")',
        )
    return await journal.once(act)


async def open_keeping(
    stack: AsyncExitStack,
    thread: str,
    saver: Saver | None,
    named: str,
    usual: Callable[[], str],
    store: Store | None,
) -> Keeping:
    """Open what keeps a thread until the stack ends: the store at the URL `named`, else the `usual`
    one, else the program's own `store` where it outlives the process. What a saver in memory keeps
    ends with it. Raise `RunError` when a named store cannot be opened."""
    if saver is None or not thread:
        return Keeping(thread)
    if not lasts(saver):
        # LangGraph gives each graph a copy of the saver; this is the same in all of them.
        memory = _MEMORIES.setdefault(getattr(saver, "stack", saver), InMemoryStore())
        return await _mirror(stack, memory, thread)
    try:
        url = named or await asyncio.to_thread(usual)
        engine = await stack.enter_async_context(open_engine(url))
    except RunError as error:
        if named:
            raise
        if store is not None and not isinstance(store, InMemoryStore):
            return await _mirror(stack, store, thread)
        why = error.message
        if why not in _WARNED:  # Python forgets it whenever somebody changes its filters
            _WARNED.add(why)
            warnings.warn(_WARNING.format(why=why), RuntimeWarning, stacklevel=2)
        return Keeping(thread, missing=why)
    return Keeping(thread, engine.journal_db, engine)


async def _mirror(stack: AsyncExitStack, store: Store, thread: str) -> Keeping:
    schemas = (rows.SCHEMA, timers.SCHEMA, ledger.SCHEMA)
    return Keeping(thread, await stack.enter_async_context(open_mirror(store, thread, schemas)))


def lasts(saver: Saver) -> bool:
    """Return whether checkpoints outlive the process."""
    return type(saver) is not InMemorySaver
