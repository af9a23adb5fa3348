"""A checkpoint that is gone: a run goes on with all that was in it, or is refused."""

from __future__ import annotations

import sqlite3
from typing import Any

import flowc
import psycopg

LOOP = """flow: 1
name: loop
state: {i: {type: integer, default: 0}, l: {type: list, reducer: append, default: []}}
nodes:
  - {name: inc, assign: {i: i + 1}}
  - {name: add, assign: {l: '[i]'}}
  - {name: more, choose: i < 3, cases: {true: inc, false: q}}
  - {name: q, ask: "Go on?", into: a}
  - {name: fin, assign: {out: 'join(l)'}}
outputs: [out]
"""


def ids_in(url: str) -> list[str]:
    return [row[0] for row in ask(url, "select {id} from {table} order by 1")]


def ask(url: str, query: str, *values: Any) -> list[Any]:
    if url.startswith("sqlite"):
        text = query.format(id="id", table="flow_checkpoints").replace("%s", "?")
        with sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None) as db:
            return db.execute(text, values).fetchall()
    text = query.format(id="checkpoint_id", table="flowc.checkpoints")
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(text, values)
        return cursor.fetchall() if cursor.description else []


def test_a_checkpoint_that_is_gone_is_never_passed_over(any_store, wait):
    endings = wait(each_one_missing(flowc.load(LOOP, journal=any_store), any_store))
    assert set(endings) <= {"1, 2, 3", "refused"}
    assert endings.count("refused") > 5


async def each_one_missing(flow: flowc.Flow, url: str) -> list[str]:
    endings = []
    for number in range(100):
        run = f"run-{number}"
        before = set(ids_in(url)) if number else set()
        await flow.arun({}, run=run)
        own = [id for id in ids_in(url) if id not in before]
        if number == len(own):
            return endings
        ask(url, "delete from {table} where {id} = %s", own[number])
        try:
            endings.append((await flow.aresume(run, answers={"q": "yes"})).result)
        except flowc.errors.RunError as refused:
            # Without the last one the question has not been asked yet.
            named = own[number] in refused.message or number == len(own) - 1
            endings.append("refused" if named else refused.message)
    raise AssertionError("there are not so many checkpoints")
