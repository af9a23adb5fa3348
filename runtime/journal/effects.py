"""Write-ahead record of effects: what was begun, what was done, what came of it.

Before an effect its intention is written, afterwards its result. A node that runs again after a
crash gets the kept result; where there is only the intention, the outcome is unknown, and a
person (or `on_unknown`) decides. The key is LangGraph's checkpoint namespace, the path of calls
with a task id per level: the same in every execution of one visit, different in every other
visit. Before it stands the line of a thread's turn, where there are several.

    intended ── done         the call returned
       │  ├──── failed       the call raised, or "repeat": the next execution calls again
       │  └──── abandoned    an edge took the failure
       └─────── refused      "fail": the next execution raises, and is in doubt again afterwards
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from flowc.compiler.ir import OnUnknown
from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..checkpoints.keys import visit_of
from ..checkpoints.namespaces import BETWEEN, line_in, on_line
from ..context import CALL_PATH, EARLIER, EFFECT_KEY, ON_UNKNOWN
from ..db.database import Database
from ..errors import Failure, InDoubt, LimitReached, RunError
from ..services import MODEL_CALL, EffectCall, Journal, Json
from ..state.thread_turns import ThreadTurn, turn_number
from .preview import abridge, two_inputs

VERDICTS = ("repeat", "fail")
"""Answers to the question what became of an effect; every other answer is its result."""

SCHEMA = """
create table if not exists effects (
    run text not null, key text not null, ordinal integer not null,
    name text not null, given text not null, status text not null, result text, input text,
    primary key (run, key, ordinal)
);
create table if not exists notes (
    run text not null, key text not null, name text not null, ordinal integer not null,
    value text not null, primary key (run, key, name, ordinal)
);
create table if not exists answers (
    run text not null, interrupt text not null, value text not null,
    primary key (run, interrupt)
);
create table if not exists lines (
    run text not null, number integer not null, line text not null,
    primary key (run, number)
);
"""
_HEARD = "verdict heard"
_DIFFERS = "what was done is kept and not done again; `flowc fork RUN --at NODE` begins elsewhere"
_HERE = "where run = ? and key = ? and ordinal = ?"
Key = tuple[str, str, int]


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
    known: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    """Of runs that were recalled, where something is written. Elsewhere nothing is looked for."""

    async def recall(self, run: str) -> None:
        """Read once where a run has effects, for as long as nobody else can write any: a query
        less for each effect that is new."""
        rows = await self.db.rows("select key, ordinal from effects where run = ?", (run,))
        self.known[run] = {(row[0], row[1]) for row in rows}

    async def once(self, act: EffectCall) -> Json:
        """Return the kept result, or that of the call. Pure and idempotent effects that were
        interrupted are simply repeated, so of them only the result is written. Raise `Failure` as
        the call does, and `RunError` when the input is not the one of the kept result."""
        key = self._key(act.runtime)
        digest = self.db.fingerprint(_canonical(act.inputs))
        row = await self._row(key)
        if row is not None:
            if row.status != "failed" and (row.name, row.digest) != (act.name, digest):
                raise _other_input(row, act.name, abridge(act.inputs, self.hidden))
            if row.status == "done":
                return cast("Json", json.loads(row.result or "null"))
            if act.effect == "once":
                await self._decide(key, row.status, act)
                row = await self._row(key)
                if row is not None and row.status == "done":
                    return cast("Json", json.loads(row.result or "null"))
        elif act.effect == "once" and act.name != MODEL_CALL:
            earlier = await self._of_earlier_attempts(key, digest, act)
            if earlier is not None:
                await self._write(key, act, "done", earlier)
                return cast("Json", json.loads(earlier))
        if act.effect == "once":
            await self._write(key, act, "intended", None)
        passed_on = EFFECT_KEY.set(idempotency_key(key))
        try:
            value = await act.call()
        except InDoubt:
            raise
        except (Failure, LimitReached, GraphInterrupt):  # which calls again with the answer
            if act.effect == "once":
                await self._write(key, act, "failed", None)
            raise
        finally:
            EFFECT_KEY.reset(passed_on)
        await self._write(key, act, "done", json.dumps(value))
        return value

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        """Keep something that a visit came to: no effect, so it is never in doubt."""
        row = (*self._visit(runtime), name, ordinal, self.db.seal(json.dumps(value)))
        await self.db.put(
            "insert into notes values (?, ?, ?, ?, ?) on conflict (run, key, name, ordinal)"
            " do update set value = excluded.value",
            row,
        )

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        """Return everything that a visit kept under a name, by number."""
        query = "select ordinal, value from notes where run = ? and key = ? and name = ?"
        rows = await self.db.rows(query, (*self._visit(runtime), name))
        return {row[0]: json.loads(self.db.unseal(row[1])) for row in rows}

    async def results(self, run: str, namespace: str, name: str, inputs: Json) -> list[Json]:
        """Return the results of effects of this name and input below a namespace, in the order of
        keys."""
        query = (
            "select result from effects where run = ? and (key = ? or substr(key, 1, ?) = ?)"
            " and name = ? and given = ? and status = 'done' order by key, ordinal"
        )
        digest = self.db.fingerprint(_canonical(inputs))
        within = _with_inner(on_line(self.turn.line, namespace))
        rows = await self.db.rows(query, (run, *within, name, digest))
        return [json.loads(self.db.unseal(row[0])) for row in rows]

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        """Settle whatever this visit left in doubt, at any depth: an edge took the failure, or the
        node is done with. With a name only the effects of that name."""
        run, namespace = self._visit(runtime)
        await self.db.put(
            "update effects set status = 'abandoned' where run = ? and status = 'intended'"
            " and (key = ? or substr(key, 1, ?) = ?) and coalesce(?, name) = name",
            (run, *_with_inner(namespace), name and self.db.seal_name(name)),
        )

    async def settle(self, key: Key, verdict: Json) -> None:
        """Keep a person's word on an effect in doubt: "repeat", "fail", or its result."""
        status, result = "done", json.dumps(verdict)
        if verdict == "repeat":
            status, result = "failed", "null"
        elif verdict == "fail":
            status, result = "refused", "null"
        await self.db.put(
            f"update effects set status = ?, result = ? {_HERE} and status = 'intended'",
            (status, self.db.seal(result), *key),
        )

    async def in_doubt(self, run: str) -> tuple[str, ...]:
        """Return the names of the turn's effects whose outcome is not known."""
        query = "select key, name from effects where run = ? and status in ('intended', 'refused')"
        rows = await self.db.rows(query, (run,))
        return tuple(self.db.unseal(name) for key, name in rows if self._is_of_turn(key))

    async def in_doubt_elsewhere(self, run: str) -> tuple[str, ...]:
        """Return the names of those that are on other lines of the turn."""
        here = on_line(self.turn.line, "")
        query = (
            "select key, name from effects where run = ? and status in ('intended', 'refused')"
            " and substr(key, 1, ?) <> ?"
        )
        rows = await self.db.rows(query, (run, len(here), here))
        return tuple(self.db.unseal(name) for key, name in rows if self._is_of_turn(key))

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
        return {row[0]: json.loads(self.db.unseal(row[1])) for row in rows}

    async def hear(self, run: str, line: str, obeyed: int) -> None:
        """Keep a line that a person said unasked, before anything comes of it (J45). `obeyed` lines
        have had their effect, which in a fork were said to another run."""
        async with self.db.transaction() as inside:
            query = "select coalesce(max(number) + 1, 0) from lines where run = ?"
            following: int = (await inside.rows(query, (run,)))[0][0]
            row = (run, max(obeyed, following), self.db.seal(line))
            await inside.run("insert into lines values (?, ?, ?)", row)

    async def lines(self, run: str, obeyed: int = 0) -> tuple[str, ...]:
        """Return the lines that were said, in order, without the first `obeyed`."""
        query = "select line from lines where run = ? and number >= ? order by number"
        rows = await self.db.rows(query, (run, obeyed))
        return tuple(self.db.unseal(row[0]) for row in rows)

    async def leave(self, run: str) -> None:
        """Abandon every effect in doubt: the run goes on elsewhere."""
        await self.db.put(
            "update effects set status = 'abandoned' where run = ? and status = 'intended'", (run,)
        )

    async def forget(self, run: str) -> None:
        """Drop everything about a run."""
        for table in ("effects", "answers", "notes", "lines"):
            await self.db.put(f"delete from {table} where run = ?", (run,))

    async def _decide(self, key: Key, status: str, act: EffectCall) -> None:
        """Decide about an effect that was begun and not finished. Return to repeat it."""
        name = act.name
        if status == "refused":
            await self.db.put(f"update effects set status = 'intended' {_HERE}", key)
            raise Failure(f"what became of `{name}` is unknown; it was decided to count as failed")
        policy = self.on_unknown or ON_UNKNOWN.get() or self.usual
        if status != "intended" or policy == "repeat":
            return
        if policy == "fail":
            raise Failure(
                f"what became of `{name}` is unknown: the run stopped while it was under way",
                help="`--on-unknown ask` lets you decide, `--on-unknown repeat` calls it again",
            )
        text = f"the run stopped while `{name}` was under way: what became of it is unknown"
        path = list(CALL_PATH.get())
        about = {
            "kind": "unknown",
            "text": text,
            "choices": list(VERDICTS),
            "key": list(key),
            "input": abridge(act.inputs, self.hidden),
            "idempotency_key": idempotency_key(key),
        }
        # The engine keeps an answer before the graph goes on; in another host it comes back here,
        # and again in every later execution: what was heard is not said for the next time.
        heard = len(await self.entries(act.runtime, _HEARD))
        for _ in range(heard + 1):
            answer = self.ask({**about, "path": path} if path else about)
        await self.keep(act.runtime, _HEARD, heard, True)
        await self.settle(key, cast("Json", answer))
        if answer == "fail":
            await self._decide(key, "refused", act)

    async def _of_earlier_attempts(self, key: Key, digest: str, act: EffectCall) -> str | None:
        """Return the kept result, as JSON, of the same effect with the same input in an attempt
        before this one; decide first on one that was left in doubt there."""
        query = (
            "select key, ordinal, status, result from effects where run = ? and name = ?"
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
                    return self.db.unseal(row[3])
                await self._decide((key[0], row[0], row[1]), row[2], act)
        return None

    def _visit(self, runtime: Runtime[Any]) -> tuple[str, str]:
        run, namespace = visit_of(runtime)
        return run, on_line(self.turn.line, namespace)

    def _key(self, runtime: Runtime[Any]) -> Key:
        # A visit has one effect, so the number is always 0; idempotency keys are made with it.
        return (*self._visit(runtime), 0)

    def _is_of_turn(self, key: str) -> bool:
        return turn_number(line_in(key)) == self.turn.number

    async def _row(self, key: Key) -> _Row | None:
        known = self.known.get(key[0])
        if known is not None and key[1:] not in known:
            return None
        query = f"select status, name, given, result, input from effects {_HERE}"
        rows = await self.db.rows(query, key)
        if not rows:
            return None
        status, name, digest, result, inputs = rows[0]
        name = self.db.unseal(name)
        unseal = self.db.unseal
        return _Row(status, name, digest, result and unseal(result), inputs and unseal(inputs))

    async def _write(self, key: Key, act: EffectCall, status: str, result: str | None) -> None:
        shown = json.dumps(abridge(act.inputs, self.hidden), ensure_ascii=False)
        if key[0] in self.known:
            self.known[key[0]].add(key[1:])
        await self.db.put(
            "insert into effects (run, key, ordinal, name, given, status, result, input)"
            " values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (run, key, ordinal)"
            " do update set name = excluded.name, given = excluded.given,"
            " status = excluded.status, result = excluded.result, input = excluded.input",
            (
                *key,
                self.db.seal_name(act.name),
                self.db.fingerprint(_canonical(act.inputs)),
                status,
                result and self.db.seal(result),
                self.db.seal(shown),
            ),
        )


@dataclass(frozen=True, slots=True)
class _Row:
    """An effect as it is kept; `result` and `input` (abridged) are JSON."""

    status: str
    name: str
    digest: str
    result: str | None
    input: str | None


def _other_input(row: _Row, name: str, now: Json) -> RunError:
    """Return the error for a place of a visit that has another effect than before."""
    if row.name != name:
        return RunError(
            f"`{row.name}` was done here before the run stopped, now it is `{name}`", help=_DIFFERS
        )
    then = json.loads(row.input) if row.input else "(not kept)"
    return RunError(
        f"`{name}` was done with another input before the run stopped",
        help=f"{two_inputs(then, now)}\n{_DIFFERS}",
    )


class NoJournal:
    """A journal for graphs without a store of flowc's own (the emitted module under LangGraph's
    server): every effect is called, nothing is kept."""

    async def once(self, act: EffectCall) -> Json:
        return await act.call()

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        return None

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        return {}

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        return None


@dataclass(frozen=True, slots=True)
class JournalBefore:
    """Base of journals that see effects first, each with its own `once`."""

    inner: Journal

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        await self.inner.keep(runtime, name, ordinal, value)

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        return await self.inner.entries(runtime, name)

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        await self.inner.abandon(runtime, name)


def _with_inner(namespace: str) -> tuple[str, int, str]:
    """Return the values of `key = ? or substr(key, 1, ?) = ?` for a namespace and those below."""
    inner = namespace + BETWEEN
    return namespace, len(inner), inner


def idempotency_key(key: Key) -> str:
    """Return the key of an effect where it happens: the same however often it is repeated."""
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]


def _canonical(inputs: Json) -> str:
    return json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=str)
