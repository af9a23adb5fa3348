"""An effect as it is kept, and the two keys by which it is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass

from ..checkpoints.namespaces import BETWEEN
from ..db.database import Database, Write, delete_of
from ..services import EffectCall, Json
from .failures import failed_attempt, kept_failure
from .results import Key

SCHEMA = """
create table if not exists effects (
    run text not null, key text not null, ordinal integer not null,
    name text not null, given text not null, status text not null, result text, input text,
    outside text not null, primary key (run, key, ordinal)
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
create table if not exists finished (run text not null primary key, effects integer not null);
"""
COUNT_ONE = (
    "insert into finished values (?, 1) on conflict (run) do update set"
    " effects = finished.effects + 1"
)
"""Counts an effect that is finished, in the transaction that keeps its result."""
_WRITE = (
    "insert into effects (run, key, ordinal, name, given, status, result, input, outside)"
    " values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (run, key, ordinal) do update set"
    " name = excluded.name, given = excluded.given, status = excluded.status,"
    " result = excluded.result, input = excluded.input, outside = excluded.outside"
)
KEEP_NOTE = (
    "insert into notes values (?, ?, ?, ?, ?) on conflict (run, key, name, ordinal)"
    " do update set value = excluded.value"
)
COUNTED = "select effects from finished where run = ?"

TABLES = dict.fromkeys(("effects", "answers", "notes", "lines", "finished"), "run")
"""The tables, each with its column of the run."""


async def forget(inside: Database, runs: Collection[str]) -> None:
    """Drop everything about runs."""
    await delete_of(inside, TABLES, runs)


@dataclass(frozen=True, slots=True)
class EffectRow:
    """An effect as it is kept; `result` and `input` (abridged) are JSON."""

    status: str
    name: str
    digest: str
    result: str | None
    input: str | None
    outside: str

    def is_again(self, name: str, digest: str, attempt: str) -> bool:
        """Return whether the call is made again: it is to be, or it failed in another attempt (the
        outside key of this one is given), or with another input."""
        if self.status != "failed":
            return self.status == "again"
        return (self.name, self.digest) != (name, digest) or failed_attempt(self.result) != attempt

    def value(self) -> Json:
        """Return the result. Raise the `Failure` of a call that failed."""
        if self.status == "failed":
            raise kept_failure(self.result)
        value: Json = json.loads(self.result or "null")
        return value


def write_effect(
    db: Database, key: Key, act: EffectCall, kept: tuple[str, str | None, str, str]
) -> Write:
    """Return what keeps an effect: status, result, shown input, and key outside."""
    status, result, shown, outside = kept
    name, digest = db.seal_name(act.name), db.fingerprint(canonical(act.inputs))
    sealed = (result and db.seal(result), db.seal(shown))
    return _WRITE, (*key, name, digest, status, *sealed, outside)


def outside_key(*place: str | int) -> str:
    """Return the idempotency key of an effect, a digest of where it is in the run: run, turn and
    line; the nodes that lead to it with their visits, attempts and elements; which of the visit's
    effects it is; the attempt. It is the same however often the effect is repeated and whoever
    repeats it, and no other effect of the run, a turn, a fork or a replay has it."""
    return hashlib.sha256(json.dumps(place).encode()).hexdigest()[:32]


def canonical(inputs: Json) -> str:
    """Return the inputs of an effect as JSON, the same for equal ones."""
    return json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=str)


def with_inner(namespace: str) -> tuple[str, int, str]:
    """Return the values of `key = ? or substr(key, 1, ?) = ?` for a namespace and those below."""
    inner = namespace + BETWEEN
    return namespace, len(inner), inner
