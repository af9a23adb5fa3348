"""A checkpoint that is gone, or says of another one that it comes before it: a run goes on with all
that was in it, or is refused, and the checkpoint is named."""

from __future__ import annotations

import sqlite3
from typing import Any

import flowc
import psycopg
import pytest

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


PARENT = {"flow_checkpoints": "parent", "flowc.checkpoints": "parent_checkpoint_id"}


@pytest.mark.timeout(120)
def test_a_checkpoint_with_another_parent_is_named_and_never_walked_for_ever(any_store, wait):
    """Each of them in turn: its grandparent, its child, itself, one of another run and none."""
    wait(each_with_another_parent(flowc.load(LOOP, journal=any_store), any_store))


async def each_with_another_parent(flow: flowc.Flow, url: str) -> None:
    await flow.arun({}, run="other")
    strange, before = ids_in(url)[1], set(ids_in(url))
    await flow.arun({}, run="r")
    ids = [id for id in ids_in(url) if id not in before]
    table = "flow_checkpoints" if url.startswith("sqlite") else "flowc.checkpoints"
    query, refused = f"update {table} set {PARENT[table]} = %s where {{id}} = %s", 0
    for at in range(2, len(ids)):
        child = ids[min(at + 1, len(ids) - 1)]
        for other in (ids[at - 2], child, ids[at], ids[-1], strange, None):
            ask(url, query, other, ids[at])
            with pytest.raises(flowc.errors.RunError, match=f"the checkpoint {ids[at]} of run r"):
                await flow.ahistory("r")
            end = await going_on(flow)  # what it does not need for that, it does not read
            assert end == "paused" or f"the checkpoint {ids[at]} of run r" in end, (at, other)
            refused += end != "paused"
            ask(url, query, ids[at - 1], ids[at])
    assert refused > 20
    assert (await flow.aresume("r", answers={"q": "yes"})).result == "1, 2, 3"


async def going_on(flow: flowc.Flow) -> str:
    """How the run stands that waits for an answer, or why it cannot be read."""
    try:
        return (await flow.aresume("r")).status
    except flowc.errors.RunError as refused:
        return refused.message
