"""Write-ahead record of effects: what was begun, what was done, what came of it.

Before an effect its intention is written, afterwards its result. A node that runs again after a
crash gets the kept result; where there is only the intention, the outcome is unknown, and a
person (or `on_unknown`) decides. The key is LangGraph's checkpoint namespace, the path of calls
with a task id per level: the same in every execution of one visit, different in every other
visit.

    intended ── done         the call returned
       │  ├──── failed       the call raised, or "repeat": the next execution calls again
       │  └──── abandoned    an edge took the failure
       └─────── refused      "fail": the next execution raises, and is in doubt again afterwards
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

import aiosqlite
from flowc.compiler.ir import Effect
from langgraph.types import interrupt

from .calls import CALL_PATH, EARLIER
from .errors import Failure, InDoubt, RunError
from .services import MODEL_CALL, Json

OnUnknown = Literal["ask", "repeat", "fail"]
VERDICTS = ("repeat", "fail")
"""Answers to the question what became of an effect; every other answer is its result."""

SCHEMA = """
create table if not exists effects (
    run text not null, key text not null, ordinal integer not null,
    name text not null, given text not null, status text not null, result text,
    primary key (run, key, ordinal)
) without rowid;
create table if not exists notes (
    run text not null, key text not null, name text not null, ordinal integer not null,
    value text not null, primary key (run, key, name, ordinal)
) without rowid;
create table if not exists answers (
    run text not null, interrupt text not null, value text not null,
    primary key (run, interrupt)
) without rowid;
create table if not exists lines (
    run text not null, number integer not null, line text not null,
    primary key (run, number)
) without rowid;
"""
_HERE = "where run = ? and key = ? and ordinal = ?"
Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class EffectJournal:
    """The journal of one store. `db` is a connection of its own: sharing LangGraph's would have two
    writers wait for each other."""

    db: aiosqlite.Connection
    on_unknown: OnUnknown = "ask"

    async def once(
        self,
        runtime: Any,
        name: str,
        effect: Effect,
        given: Json,
        call: Callable[[], Awaitable[Json]],
        ordinal: int = 0,
    ) -> Json:
        """The kept result, or that of `call`. Pure and idempotent effects that were interrupted
        are simply repeated, so of them only the result is written. Raises `Failure` as `call`
        does, and `RunError` when the input is not the one that the kept result belongs to.
        """
        key = _key(runtime, ordinal)
        digest = _digest(given)
        row = await self._row(key)
        if row is not None:
            known, kept_name, kept_digest, kept = row
            if known == "done":
                if (kept_name, kept_digest) != (name, digest):
                    raise RunError(f"`{name}` was done with another input before the run stopped")
                return json.loads(kept)
            if effect == "once":
                await self._decide(key, known, name)
        elif effect == "once" and name != MODEL_CALL:
            earlier = await self._of_earlier_attempts(key, name, digest)
            if earlier is not None:
                await self._write(key, name, digest, "done", earlier)
                return json.loads(earlier)
        if effect == "once":
            await self._write(key, name, digest, "intended", None)
        try:
            value = await call()
        except InDoubt:
            raise
        except Failure:
            if effect == "once":
                await self._write(key, name, digest, "failed", None)
            raise
        await self._write(key, name, digest, "done", json.dumps(value))
        return value

    async def keep(self, runtime: Any, name: str, ordinal: int, value: Json) -> None:
        """Keep something that a visit came to: no effect, so it is never in doubt."""
        run, namespace, _ = _key(runtime, 0)
        row = (run, namespace, name, ordinal, json.dumps(value))
        await self.db.execute("insert or replace into notes values (?, ?, ?, ?, ?)", row)

    async def kept(self, runtime: Any, name: str) -> dict[int, Json]:
        """Everything that a visit kept under a name, by number."""
        run, namespace, _ = _key(runtime, 0)
        query = "select ordinal, value from notes where run = ? and key = ? and name = ?"
        rows = await self.db.execute_fetchall(query, (run, namespace, name))
        return {row[0]: json.loads(row[1]) for row in rows}

    async def abandon(self, runtime: Any, name: str | None = None) -> None:
        """Whatever this visit left in doubt, at any depth, is settled: an edge took the failure, or
        the node is done with. With a name only the effects of that name."""
        run, namespace, _ = _key(runtime, 0)
        await self.db.execute(
            "update effects set status = 'abandoned' where run = ? and status = 'intended'"
            " and (key = ? or substr(key, 1, ?) = ?) and coalesce(?, name) = name",
            (run, namespace, len(namespace) + 1, f"{namespace}|", name),
        )

    async def settle(self, key: Key, verdict: Json) -> None:
        """A person's word on an effect in doubt: "repeat", "fail", or its result."""
        status, result = "done", json.dumps(verdict)
        if verdict == "repeat":
            status, result = "failed", "null"
        elif verdict == "fail":
            status, result = "refused", "null"
        await self.db.execute(
            f"update effects set status = ?, result = ? {_HERE} and status = 'intended'",
            (status, result, *key),
        )

    async def in_doubt(self, run: str) -> tuple[str, ...]:
        """Names of the effects whose outcome is not known."""
        query = "select name from effects where run = ? and status in ('intended', 'refused')"
        return tuple(row[0] for row in await self.db.execute_fetchall(query, (run,)))

    async def store_answer(self, run: str, interrupt_id: str, value: Json) -> None:
        """Keep an answer before it is given: LangGraph itself would lose it in a crash."""
        await self.db.execute(
            "insert or replace into answers values (?, ?, ?)",
            (run, interrupt_id, json.dumps(value)),
        )

    async def answers(self, run: str) -> dict[str, Json]:
        """Every stored answer of a run by interrupt id."""
        rows = await self.db.execute_fetchall(
            "select interrupt, value from answers where run = ?", (run,)
        )
        return {row[0]: json.loads(row[1]) for row in rows}

    async def hear(self, run: str, line: str, obeyed: int) -> None:
        """Keep a line that a person said unasked, before anything comes of it (J45). `obeyed` lines
        have had their effect, which in a fork were said to another run."""
        await self.db.execute(
            "insert into lines select ?, max(?, coalesce(max(number) + 1, 0)), ?"
            " from lines where run = ?",
            (run, obeyed, line, run),
        )

    async def lines(self, run: str, obeyed: int = 0) -> tuple[str, ...]:
        """The lines that were said, in order, without the first `obeyed`."""
        query = "select line from lines where run = ? and number >= ? order by number"
        return tuple(row[0] for row in await self.db.execute_fetchall(query, (run, obeyed)))

    async def leave(self, run: str) -> None:
        """The run goes on elsewhere: what it left in doubt is not asked about."""
        await self.db.execute(
            "update effects set status = 'abandoned' where run = ? and status = 'intended'", (run,)
        )

    async def forget(self, run: str) -> None:
        """Drop everything about a run."""
        for table in ("effects", "answers", "notes", "lines"):
            await self.db.execute(f"delete from {table} where run = ?", (run,))

    async def _decide(self, key: Key, status: str, name: str) -> None:
        """What to do about an effect that was begun and not finished. Returns to repeat it."""
        if status == "refused":
            await self.db.execute(f"update effects set status = 'intended' {_HERE}", key)
            raise Failure(f"what became of `{name}` is unknown; it was decided to count as failed")
        if status != "intended" or self.on_unknown == "repeat":
            return
        if self.on_unknown == "fail":
            raise Failure(
                f"what became of `{name}` is unknown: the run stopped while it was under way",
                help="`--on-unknown ask` lets you decide, `--on-unknown repeat` calls it again",
            )
        text = f"the run stopped while `{name}` was under way: what became of it is unknown"
        path = list(CALL_PATH.get())
        about = {"kind": "unknown", "text": text, "choices": list(VERDICTS), "key": list(key)}
        interrupt({**about, "path": path} if path else about)

    async def _of_earlier_attempts(self, key: Key, name: str, digest: str) -> str | None:
        """The kept result, as JSON, of the same effect with the same input in an attempt before
        this one; one that was left in doubt there is decided on first."""
        query = (
            "select key, ordinal, status, result from effects where run = ? and name = ?"
            " and given = ? and key > ? and key < ? and substr(key, 1, ?) != ?"
            " and status in ('done', 'intended', 'refused') order by status, key"
        )
        for all_attempts, own in EARLIER.get():
            inside, beyond = f"{all_attempts}|", f"{all_attempts}}}"  # `}` is what follows `|`
            there = (key[0], name, digest, inside, beyond, len(own) + 1, f"{own}|")
            for found in await self.db.execute_fetchall(query, there):
                if found[2] == "done":
                    return str(found[3])
                await self._decide((key[0], found[0], found[1]), found[2], name)
        return None

    async def _row(self, key: Key) -> tuple[str, str, str, str] | None:
        query = f"select status, name, given, result from effects {_HERE}"
        rows = list(await self.db.execute_fetchall(query, key))
        return (rows[0][0], rows[0][1], rows[0][2], rows[0][3]) if rows else None

    async def _write(
        self, key: Key, name: str, digest: str, status: str, result: str | None
    ) -> None:
        await self.db.execute(
            "insert or replace into effects values (?, ?, ?, ?, ?, ?, ?)",
            (*key, name, digest, status, result),
        )


class NoJournal:
    """For graphs that run without a store of flowc's own (the emitted module under LangGraph's
    server): every effect is called, nothing is kept."""

    async def once(
        self,
        runtime: Any,
        name: str,
        effect: Effect,
        given: Json,
        call: Callable[[], Awaitable[Json]],
        ordinal: int = 0,
    ) -> Json:
        return await call()

    async def keep(self, runtime: Any, name: str, ordinal: int, value: Json) -> None:
        return None

    async def kept(self, runtime: Any, name: str) -> dict[int, Json]:
        return {}

    async def abandon(self, runtime: Any, name: str | None = None) -> None:
        return None


def _key(runtime: Any, ordinal: int) -> Key:
    info = runtime.execution_info
    return (info.thread_id or "", info.checkpoint_ns, ordinal)


def _digest(given: Json) -> str:
    text = json.dumps(given, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
