"""Write-ahead record of effects: what was begun, what was done, what came of it.

Before an effect its intention is written, afterwards its result. A node that runs again after a
crash gets the kept result; where there is only the intention, the outcome is unknown, and a
person (or `on_unknown`) decides. The key is LangGraph's checkpoint namespace, the path of calls
with a task id per level: the same in every execution of one visit, different in every other
visit. Before it stands the line of a thread's turn, where there are several.

Outside, where the effect happens, it has another key: a digest of what the workflow says, not of
what LangGraph made of it (`outside_key`). Two processes that both believe they hold the run have
other checkpoints and other tasks; what they do is known by the same key.

    intended ── done         the call returned
       │  ├──── failed       the call raised: so does the next execution, until the run ended so
       │  ├──── again        a question in it, "repeat", a run that ended so: it is called again
       │  └──── abandoned    an edge took the failure
       └─────── refused      "fail": the next execution raises, and is in doubt again afterwards
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from flowc.compiler.ir import OnUnknown
from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..checkpoints.keys import visit_of
from ..checkpoints.namespaces import BETWEEN, line_in, on_line, place_of
from ..context import CALL_PATH, EARLIER, EFFECT_KEY, HERE
from ..db.database import Ahead, Database, Write, nothing_ahead
from ..db.high_water import HighWater
from ..errors import Failure, InDoubt, LimitReached
from ..people import Timer
from ..services import MODEL_CALL, EffectCall, Json
from ..state.thread_turns import ThreadTurn, turn_number
from . import timers
from .failures import outcome_of
from .preview import abridge, other_input
from .results import Key, full_result, keep_apart
from .rows import (
    COUNT_ONE,
    COUNTED,
    KEEP_NOTE,
    EffectRow,
    canonical,
    outside_key,
    with_inner,
    write_effect,
)

VERDICTS = ("repeat", "fail")
"""Answers to the question what became of an effect; every other answer is its result."""

_HEARD = "verdict heard"
_HERE = "where run = ? and key = ? and ordinal = ?"


@dataclass(frozen=True, slots=True)
class EffectJournal:
    """The journal of one store. `db` is durable: what was written is on the disk."""

    db: Database
    on_unknown: OnUnknown | None = None
    """The caller's policy for effects in doubt; it wins over that of the workflow."""
    usual: OnUnknown = "ask"
    """The policy where neither has one."""
    hidden: tuple[str, ...] = ()
    """Values of secrets, which stand nowhere in what is kept or shown of an input."""
    ask: Callable[[Mapping[str, object]], object] = interrupt
    """Asks a person about an effect in doubt; the run stops there and goes on with the answer."""
    turn: ThreadTurn = field(default_factory=ThreadTurn)
    """The turn whose effects these are: its line is part of their keys, so that a thread's later
    turns, and those that go back, never meet them."""
    scope: str = ""
    """What the outside keys begin with: the run, a turn of a thread with its line, or the visit of
    the node that the graph is in another one."""
    known: dict[str, set[tuple[str, int | str]]] = field(default_factory=dict)
    """Of runs that were recalled, where something is written: the numbers of effects, and the names
    of notes. Elsewhere nothing is looked for."""

    ahead: Ahead = nothing_ahead
    """Yields what waits to be written of the run: it goes with whatever is written here."""
    soon: Callable[[object, Write | None], None] | None = None
    """Lets something wait there, in the place of what has the same key; None takes that back. A
    result is on the disk with what comes next then: where the machine stops in between, it is asked
    about."""
    apart: bool = False
    """Whether the store keeps large results apart, under their hash."""
    water: HighWater = field(default_factory=HighWater)
    """How many effects were finished, as is told outside of the store."""

    async def recall(self, run: str, *, blank: bool = False) -> None:
        """Read once where a run has effects and notes, for as long as nobody else can write any: a
        query less for each that is new. Of a `blank` run there is nothing to be read."""
        effects = "select key, ordinal, status from effects where run = ?"
        notes = "select distinct key, name from notes where run = ?"
        queries = [(query, (run,)) for query in (effects, notes, COUNTED)]
        rows, named, counted = ([], [], []) if blank else await self.db.rows_of_each(queries)
        self.known[run] = {(row[0], row[1]) for row in (*rows, *named)}
        finished = sum(row[2] == "done" for row in rows)
        if self.water.is_outside:
            await asyncio.to_thread(self.water.begin, run, finished)
            return
        self.water.begin(run, finished, counted[0][0] if counted else 0)

    async def once(self, act: EffectCall) -> Json:
        """Return the kept result, or that of the call. Pure and idempotent effects that were
        interrupted are simply repeated, so of them only the result is written. Raise `Failure` as
        the call does, and `RunError` when the input is not the one of the kept result."""
        key = self._key(act.runtime)
        digest = self.db.fingerprint(canonical(act.inputs))
        row, attempt = await self._row(key), self._outside(key, act)
        outside = attempt
        if row is not None:
            if not row.is_again(act.name, digest, attempt):  # which has a key of its own
                outside = row.outside
                if (row.name, row.digest) != (act.name, digest):
                    now = abridge(act.inputs, self.hidden)
                    raise other_input(row.name, row.input, act.name, now)
                if row.status in ("done", "failed"):
                    return row.value()
            if act.effect == "once":
                await self._decide(key, outside, row.status, act)
                row = await self._row(key)
                if row is not None and row.status == "done":
                    return row.value()
        elif act.effect == "once" and act.name != MODEL_CALL:
            earlier, repeated = await self._of_earlier_attempts(key, digest, act)
            outside = repeated or outside
            if earlier is not None:
                await self._write(key, outside, act, "done", earlier)
                return cast("Json", json.loads(earlier))
        if act.effect == "once":
            await self._write(key, outside, act, "intended", None)
            if row is None and (doubt := self.water.doubt(key[0])):
                await self._decide(key, outside, "intended", act, doubt=doubt)
                row = await self._row(key)
                if row is not None and row.status == "done":
                    return row.value()
        passed_on = EFFECT_KEY.set(outside)
        try:
            value = await act.call()
        except InDoubt:
            raise
        except (Failure, LimitReached, GraphInterrupt) as error:
            if act.effect == "once":
                await self._write(key, outside, act, *outcome_of(error, attempt))
            raise
        finally:
            EFFECT_KEY.reset(passed_on)
            self._take_back(key)
        await self._write(key, outside, act, "done", json.dumps(value))
        return value

    async def begin(self, *writes: Write) -> None:
        """Write the intention of an effect that `begins` by itself, with everything that waits, and
        with these: nothing of it may happen outside before."""
        await self._put(*writes)

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        """Keep something that a visit came to: no effect, so it is never in doubt."""
        run, key = self._visit(runtime)
        self.known.get(run, set()).add((key, name))
        await self._put((KEEP_NOTE, (run, key, name, ordinal, self.db.seal(json.dumps(value)))))

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        """Return everything that a visit kept under a name, by number."""
        query = "select ordinal, value from notes where run = ? and key = ? and name = ?"
        run, key = self._visit(runtime)
        if (key, name) not in self.known.get(run, {(key, name)}):
            return {}
        rows = await self.db.rows(query, (run, key, name))
        what = f"a note of {place_of(key, run)}"
        return {row[0]: json.loads(self.db.unseal(row[1], what)) for row in rows}

    async def results(self, run: str, namespace: str, name: str, inputs: Json) -> list[Json]:
        """Return the results of effects of this name and input below a namespace, in the order of
        keys."""
        query = (
            "select key, result from effects where run = ? and (key = ? or substr(key, 1, ?) = ?)"
            " and name = ? and given = ? and status = 'done' order by key, ordinal"
        )
        digest = self.db.fingerprint(canonical(inputs))
        within = with_inner(on_line(self.turn.line, namespace))
        rows = await self.db.rows(query, (run, *within, self.db.seal_name(name), digest))
        return [json.loads(await self._result((run, key, 0), text)) for key, text in rows]

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        """Settle whatever this visit left in doubt, at any depth: an edge took the failure, or the
        node is done with. With a name only the effects of that name."""
        run, namespace = self._visit(runtime)
        await self.db.put(
            "update effects set status = 'abandoned' where run = ? and status = 'intended'"
            " and (key = ? or substr(key, 1, ?) = ?) and coalesce(?, name) = name",
            (run, *with_inner(namespace), name and self.db.seal_name(name)),
        )

    async def set_timer(self, runtime: Runtime[Any], timer: Timer) -> Timer:
        """Keep this visit's timer, unless it has one already: return the one that counts."""
        return await timers.set_timer(self.db, *self._visit(runtime), timer)

    async def end_timer(self, runtime: Runtime[Any]) -> None:
        """Drop this visit's timer."""
        await timers.end_timer(self.db, *self._visit(runtime))

    async def settle(self, key: Key, verdict: Json) -> None:
        """Keep a person's word on an effect in doubt: "repeat", "fail", or its result."""
        status, result = "done", json.dumps(verdict)
        if verdict == "repeat":
            status, result = "again", "null"
        elif verdict == "fail":
            status, result = "refused", "null"
        await self.db.put(
            f"update effects set status = ?, result = ? {_HERE} and status = 'intended'",
            (status, self.db.seal(result), *key),
        )

    async def in_doubt(self, run: str) -> tuple[str, ...]:
        """Return the names of the turn's effects whose outcome is not known."""
        return tuple([name for _, name in await self._doubtful(run)])

    async def in_doubt_elsewhere(self, run: str) -> tuple[str, ...]:
        """Return the names of those that are on other lines of the turn."""
        here = on_line(self.turn.line, "")
        return tuple([n for key, n in await self._doubtful(run) if not key.startswith(here)])

    async def _doubtful(self, run: str) -> list[tuple[str, str]]:
        query = "select key, name from effects where run = ? and status in ('intended', 'refused')"
        rows = [row for row in await self.db.rows(query, (run,)) if self._is_of_turn(row[0])]
        return [(key, self._unseal(name, "name", run, key)) for key, name in rows]

    async def store_answer(self, run: str, interrupt_id: str, value: Json) -> None:
        """Keep an answer before it is given: LangGraph itself would lose it in a crash."""
        await self.db.put(
            "insert into answers values (?, ?, ?) on conflict (run, interrupt)"
            " do update set value = excluded.value",
            (run, interrupt_id, self.db.seal(json.dumps(value))),
        )

    async def answers(self, run: str) -> dict[str, Json]:
        """Return every stored answer of a run by interrupt id."""
        rows = await self.db.rows("select interrupt, value from answers where run = ?", (run,))
        what = f"an answer to run {run}"
        return {row[0]: json.loads(self.db.unseal(row[1], what)) for row in rows}

    async def drop_answers(self, run: str) -> None:
        """Drop every stored answer of a run: whatever they led to is kept."""
        await self.db.put("delete from answers where run = ?", (run,))

    async def leave(self, run: str) -> None:
        """Abandon every effect in doubt: the run goes on elsewhere."""
        await self.db.put(
            "update effects set status = 'abandoned' where run = ? and status = 'intended'", (run,)
        )

    async def _decide(
        self, key: Key, outside: str, status: str, act: EffectCall, *, doubt: str = ""
    ) -> None:
        """Decide about an effect that was begun and not finished, or maybe finished and then lost
        with a part of the store (`doubt`). Return to repeat it."""
        name = act.name
        if status == "refused":
            await self.db.put(f"update effects set status = 'intended' {_HERE}", key)
            raise Failure(f"what became of `{name}` is unknown; it was decided to count as failed")
        here = HERE.get()
        policy = self.on_unknown or (here and here.on_unknown) or self.usual
        if status != "intended" or policy == "repeat":
            return
        if policy == "fail":
            raise Failure(
                f"what became of `{name}` is unknown: the run stopped while it was under way",
                help="`--on-unknown ask` lets you decide, `--on-unknown repeat` calls it again",
            )
        text = f"the run stopped while `{name}` was under way: what became of it is unknown"
        if doubt:
            text = f"{doubt}: whether `{name}` was done is unknown"
        path = list(CALL_PATH.get())
        about = {
            "kind": "unknown",
            "text": text,
            "choices": list(VERDICTS),
            "key": list(key),
            "input": abridge(act.inputs, self.hidden),
            "idempotency_key": outside,
        }
        # The engine keeps an answer before the graph goes on; in another host it comes back here,
        # and again in every later execution: what was heard is not said for the next time.
        heard = len(await self.entries(act.runtime, _HEARD))
        for _ in range(heard + 1):
            answer = self.ask({**about, "path": path} if path else about)
        await self.keep(act.runtime, _HEARD, heard, None)
        await self.settle(key, cast("Json", answer))
        if answer == "fail":
            await self._decide(key, outside, "refused", act)

    async def _of_earlier_attempts(
        self, key: Key, digest: str, act: EffectCall
    ) -> tuple[str | None, str]:
        """Return the kept result, as JSON, of the same effect with the same input in an attempt
        before this one; decide first on one that was left in doubt there. Return also the outside
        key of one that is to be repeated."""
        repeated = ""
        query = (
            "select key, ordinal, status, result, outside from effects where run = ? and name = ?"
            " and given = ? and key > ? and key < ? and substr(key, 1, ?) != ?"
            " and status in ('done', 'intended', 'refused') order by status, key"
        )
        for attempts, attempt in EARLIER.get():
            all_attempts, own = (on_line(self.turn.line, at) for at in (attempts, attempt))
            inside, this = all_attempts + BETWEEN, own + BETWEEN
            beyond = all_attempts + chr(ord(BETWEEN) + 1)  # what begins with `inside` sorts before
            there = (
                key[0], self.db.seal_name(act.name), digest, inside, beyond, len(this), this,
            )  # fmt: skip
            for row in await self.db.rows(query, there):
                if row[2] == "done":
                    return await self._result((key[0], row[0], row[1]), row[3]), ""
                doubtful = (key[0], row[0], row[1])
                await self._decide(doubtful, row[4], row[2], act)
                settled = await self._row(doubtful)
                if settled is not None and settled.status == "done":
                    return settled.result, ""
                repeated = row[4]
        return None, repeated

    def _visit(self, runtime: Runtime[Any]) -> tuple[str, str]:
        run, namespace = visit_of(runtime)
        return run, on_line(self.turn.line, namespace)

    def _key(self, runtime: Runtime[Any]) -> Key:
        # A task of LangGraph's has one effect, so the number is always 0.
        return (*self._visit(runtime), 0)

    def _outside(self, key: Key, act: EffectCall) -> str:
        here = HERE.get()
        if here is None:  # no node of a workflow: nothing but the key tells it apart
            return outside_key(*key)
        scope = self.scope or key[0]
        return outside_key(scope, here.place, here.visit, act.ordinal, here.attempt)

    def _is_of_turn(self, key: str) -> bool:
        return turn_number(line_in(key)) == self.turn.number

    async def _row(self, key: Key) -> EffectRow | None:
        known = self.known.get(key[0])
        if known is not None and key[1:] not in known:
            return None
        query = f"select status, name, given, result, input, outside from effects {_HERE}"
        rows = await self.db.rows(query, key)
        if not rows:
            return None
        status, name, digest, result, inputs, outside = rows[0]
        name = self._unseal(name, "name", *key[:2])
        result = None if result is None else await self._result(key, result)
        inputs = None if inputs is None else self._unseal(inputs, "input", *key[:2])
        return EffectRow(status, name, digest, result, inputs, outside)

    async def _result(self, key: Key, text: str) -> str:
        kept = self._unseal(text, "result", *key[:2])
        what = f"the result of an effect of {place_of(key[1], key[0])}"
        return await full_result(self.db, key, kept, what)

    def _unseal(self, text: str, part: str, run: str, key: str) -> str:
        return self.db.unseal(text, f"the {part} of an effect of {place_of(key, run)}")

    async def _write(
        self, key: Key, outside: str, act: EffectCall, status: str, result: str | None
    ) -> None:
        shown = json.dumps(abridge(act.inputs, self.hidden), ensure_ascii=False)
        if key[0] in self.known:
            self.known[key[0]].add(key[1:])
        if result and self.apart:
            result = await keep_apart(self.db, key, result)
        row = write_effect(self.db, key, act, (status, result, shown, outside))
        counts = status == "done" and key[0] in self.known and not self.water.is_outside
        writes = ((COUNT_ONE, key[:1]),) if counts else ()
        if self.soon is None:
            await self._put(row, *writes)
        else:
            self.soon(key, row)
            if status != "intended" or not act.begins:
                await self._put(*writes, later=status != "intended")
        if status == "done":
            self.water.add(key[0])

    def _take_back(self, key: Key) -> None:
        """Let the intention of an effect that never began be written no more."""
        if self.soon is not None:
            self.soon(key, None)

    async def _put(self, *writes: Write, later: bool = False) -> None:
        async with self.ahead() as before:
            if before or writes:
                await self.db.put_all((*before, *writes), later=later)
