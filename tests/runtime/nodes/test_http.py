"""http: one request, as an effect: once, known by its key, its answer in parts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.net.door import NetworkDoor
from flowc.runtime.services import Outcome
from killing import Killed, in_process, kill_me
from recorder import Recorder, Reply, Sent, recording_host
from worlds import World, start


@pytest.fixture
def host(world: World) -> Iterator[Recorder]:
    with recording_host() as recorder:
        world.sender = NetworkDoor((recorder.host,), env={"TOKEN": "s3cr3t"})
        yield recorder


def flow(host: Recorder, *nodes: str, outputs: str = "x", first: str = "") -> GraphSpec:
    lines = [f"  - {{name: n{n}, {node}}}" for n, node in enumerate(nodes)]
    text = "\n".join(["flow: 1", "name: w", f"outputs: [{outputs}]", "nodes:", first, *lines])
    compiled = compile_text(text.replace("HOST", host.host), "w.flow.yaml", format="flow")
    assert compiled.ok, [d.message for d in compiled.diagnostics]
    return compiled.spec


SET = "  - {name: set, assign: {v: {text: 'a/b?c=d&e #f'}, up: {text: '..'}}}"


def test_values_are_quoted_for_their_place(execute, host) -> None:
    spec = flow(
        host, "http: 'http://HOST/p/{{ v }}/q', query: {s: v, n: '[1, 2]'}, into: x", first=SET
    )
    assert execute(spec).status == "success"
    assert host.sent[0].path == ("/p/a%2Fb%3Fc%3Dd%26e%20%23f/q?s=a%2Fb%3Fc%3Dd%26e+%23f&n=1&n=2")


def test_a_value_leads_to_no_other_folder(execute, host) -> None:
    outcome = execute(flow(host, "http: 'http://HOST/p/{{ up }}/q', into: x", first=SET))
    assert outcome.status == "error"
    assert "`..` cannot be a part of a URL" in outcome.error["message"]
    assert host.sent == []


def test_an_answer_has_parts(execute, host) -> None:
    host.answer = lambda sent: Reply(404, b'{"a": [1]}', {"X-One": "1"})
    into = "into: {d: json, t: text, c: status, h: headers}"
    outcome = execute(flow(host, f"http: 'http://HOST/', {into}", outputs="d, t, c, h"))
    assert outcome.variables["d"] == {"a": [1]}
    assert (outcome.variables["t"], outcome.variables["c"]) == ('{"a": [1]}', 404)
    assert outcome.variables["h"]["x-one"] == "1"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(500, b"out of order"), "answers 500: out of order"),
        (Reply(200, b"<html>"), "nothing can be read from the answer"),
    ],
)
def test_an_answer_that_is_not_as_it_should_be_fails_the_node(execute, host, reply, told) -> None:
    host.answer = lambda sent: reply
    outcome = execute(flow(host, "http: 'http://HOST/', into: x"))
    assert outcome.status == "error"
    assert told in outcome.error["message"]


def test_a_body_is_sent_as_what_it_is(execute, host) -> None:
    execute(
        flow(
            host,
            "http: 'http://HOST/', method: POST, json: {a: v, b: '[1]'}, into: x",
            "http: 'http://HOST/', method: PUT, text: 'is {{ v }}', into: y",
            first=SET,
        )
    )
    assert host.sent[0].json == {"a": "a/b?c=d&e #f", "b": [1]}
    assert host.sent[0].headers["content-type"] == "application/json"
    assert (host.sent[1].method, host.sent[1].body) == ("PUT", "is a/b?c=d&e #f")


def test_attempts_are_those_of_the_node(execute, host) -> None:
    replies = [Reply(503, b"later"), Reply(200, b'"now"')]
    host.answer = lambda sent: replies.pop(0)
    spec = flow(host, "http: 'http://HOST/', into: x, retry: {attempts: 2, wait: 0.01}")
    assert execute(spec).result == "now"


def test_secrets_stand_in_no_store(wait, tmp_path: Path, world, host) -> None:
    """Neither in the state, nor in the journal, nor in an event: only their names do."""
    host.answer = lambda sent: Reply(200, json.dumps(sent.headers).encode())
    header = "headers: {Authorization: {secret: TOKEN, prefix: 'Bearer '}}"
    spec = flow(host, f"http: 'http://HOST/', method: POST, {header}, into: x")

    async def go() -> Outcome:
        async with open_engine(f"sqlite:///{tmp_path}/runs.db") as engine:
            return await start(engine, spec, world)

    outcome = wait(go())
    assert outcome.status == "success"
    assert host.sent[0].headers["authorization"] == "Bearer s3cr3t"
    stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"[secret]" in stored
    assert b"s3cr3t" not in stored


@pytest.mark.parametrize("effect", ["once", "idempotent"])
def test_killed_while_it_is_sent(wait, url: str, world, host, effect) -> None:
    """What acts once is asked about; what may be repeated is repeated under the same key."""
    spec = flow(host, f"http: 'http://HOST/', method: POST, effect: {effect}, into: x")

    async def begin() -> None:
        dying = World(sender=_Dying(NetworkDoor((host.host,))))
        async with open_engine(url) as engine:
            await start(engine, spec, dying)

    with pytest.raises(Killed):
        in_process(lambda: asyncio.run(begin()))
    assert len(host.sent) == 1

    async def go_on() -> Outcome:
        async with open_engine(url) as engine:
            return await engine.resume("r", spec, world, answers={})

    outcome = wait(go_on())
    if effect == "once":
        (question,) = outcome.questions
        assert question.kind == "unknown"
        assert question.idempotency_key == host.sent[0].headers["idempotency-key"]
        assert len(host.sent) == 1
    else:
        assert outcome.status == "success"
        keys = {sent.headers["idempotency-key"] for sent in host.sent}
        assert (len(host.sent), len(keys)) == (2, 1)


class _Dying:
    """Sends a request, and dies before anybody hears of the answer."""

    def __init__(self, door: NetworkDoor) -> None:
        self.door = door

    async def send(self, request: Any) -> Any:
        await self.door.send(request)
        kill_me()


def test_a_connection_that_broke_off_is_in_doubt(wait, url, world, host) -> None:
    def answer(sent: Sent) -> Reply:
        return Reply(hang_up=True)

    host.answer = answer
    spec = flow(host, "http: 'http://HOST/', method: POST, into: x")

    async def go() -> list[Outcome]:
        async with open_engine(url) as engine:
            first = await start(engine, spec, world)
            return [first, await engine.resume("r", spec, world, answers={})]

    first, second = wait(go())
    assert first.status == "error"
    assert "broke off" in first.error["message"]
    assert [q.kind for q in second.questions] == ["unknown"]
    assert len(host.sent) == 1
