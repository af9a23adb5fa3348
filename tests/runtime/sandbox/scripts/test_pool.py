"""What scripts may do and may not, in real worker processes (J24 to J32)."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import Script
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.scripts.answers import ScriptLimits
from flowc.runtime.sandbox.scripts.pool import ScriptWorkers
from flowc.runtime.services import Conversation, ScriptCall, ScriptResult
from script_calls import LIMITS, call, failure, innermost, of, run


def test_the_language_of_real_scripts_works_j32() -> None:
    source = """const UNIT = 'pieces';
const named = (list, key) => list.find((item) => item.name === key)?.count ?? 0;
let made = 0;
export default {
  limit: 2,
  helper(text) { return text.toUpperCase(); },
  go() {
    const seen = [];
    [{ name: 'a', count: 3 }, { name: 'b' }].forEach((item) => { seen.push(item.name); });
    try { JSON.parse('{'); } catch (error) { seen.push(error.name); }
    console.log('made', ++made, { seen });
    const { a, ...rest } = { a: 1, b: 2 };
    return `${this.helper('x')} ${named([{ name: 'a', count: 3 }], 'a')} ${UNIT} `
      + `${seen.join('/')} ${this.data?.missing?.deep || this.limit} ${JSON.stringify(rest)}`;
  },
};"""
    (result,) = run(of(source))
    assert isinstance(result, ScriptResult)
    assert result.value == 'X 3 pieces a/b/SyntaxError 2 {"b":2}'
    assert result.log == (("info", 'made 1 {"seen":["a","b","SyntaxError"]}'),)


def test_time_and_chance_are_those_of_the_run_and_repeat_with_it_j32() -> None:
    body = "return [new Date().toISOString(), Date.now(), Math.random(), typeof Date(), "
    body += "new Date(0).getTime(), new Date() instanceof Date, performance.now()];"
    one, again = run(call(body), call(body))
    assert isinstance(one, ScriptResult)
    assert one == again
    assert one.value[0] == "2023-11-14T22:13:20.000Z"
    assert 0 <= one.value[2] < 1
    assert one.value[3:] == ["string", 0, True, 0]


def test_nothing_is_left_of_a_call_but_what_crossed_as_json_j24() -> None:
    source = """let count = 0;
export default { go() {
  count += 1; globalThis.leak = 1; this.own = count;
  return [count, typeof leak2, this.kept]; } };"""
    results = run(of(source), of(source, kept={"kept": 7}))
    assert [getattr(r, "value", r) for r in results] == [
        [1, "undefined", None],
        [1, "undefined", 7],
    ]


@pytest.mark.parametrize(
    ("body", "message", "place"),
    [
        ("throw new Error('boom');", "boom", "4:15"),
        ("null.x;", "TypeError: cannot read property 'x' of null", "4:5"),
        ("return missing;", "ReferenceError: missing is not defined", "4:12"),
        ("throw 'a text';", "a text", "3:3"),
        ("throw { code: 1 };", '{"code":1}', "3:3"),
        ("return (function f() { return f(); })();", "RangeError: Maximum call stack", "4:3"),
        ("return fetch('http://x');", "ReferenceError: fetch is not defined", "4:12"),
        ("return process.env;", "ReferenceError: process is not defined", "4:12"),
        ("return require('fs');", "ReferenceError: require is not defined", "4:12"),
        ("return () => 1;", "what it returned holds a function", "3:3"),
        ("return 10n;", "what it returned holds a bigint", "3:3"),
        ("return NaN;", "what it returned is NaN", "3:3"),
        ("return [1, [Infinity]];", "what it returned[1][0] is Infinity", "3:3"),
        ("return Promise.resolve(1);", "what it returned is a Promise", "3:3"),
        ("this.data.m = new Map();", "this.data.m is a Map", "3:3"),
        ("this.data.f = () => 1;", "this.data.f holds a function", "3:3"),
        ("this.data.me = this.data;", "holds itself", "3:3"),
        ("this.own = Symbol('s');", "this.own holds a symbol", "3:3"),
        ("return 'x'.repeat(2e6);", "it gave more than 1000000 characters", "3:3"),
        ("return new ArrayBuffer(4e9);", "RangeError: invalid array buffer length", "4:"),
        ("return new Array(4e9).fill(0);", "more than 48 MB of memory", "4:"),
        ("return 'x'.repeat(2 ** 29);", "more than 48 MB of memory", "4:"),
    ],
)
def test_what_goes_wrong_is_said_with_line_and_column_of_the_script(
    body: str, message: str, place: str
) -> None:
    told, where = failure(call(body))
    assert message in told
    assert where.startswith(f"script.js:{place}"), where


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("while (true) {}", "used more than 1 s of processor time"),
        ("try { while (true) {} } catch { return 1; }", "used more than 1 s of processor time"),
        ("return /^(a+)+$/.test('a'.repeat(40) + 'b');", "used more than 1 s of processor time"),
        ("const a = []; for (;;) a.push('xxxxxxxx' + a.length);", "48 MB of memory"),
        ("let d = {}; for (let i = 0; i < 1e9; i += 1) d = { d, e: d };", "48 MB of memory"),
        ("let p = {}; for (let i = 0; i < 60; i += 1) p = { p, q: p }; return p;", "of "),
    ],
)
def test_what_never_ends_is_ended_and_the_next_call_goes_on(body: str, message: str) -> None:
    ended, after = run(call(body), call("return 'well';"))
    assert isinstance(ended, Failure)
    assert message in ended.message
    assert str(ended.place).startswith("script.js:")
    assert isinstance(after, ScriptResult)
    assert after.value == "well"


def test_what_the_engine_cannot_end_the_clock_kills() -> None:
    """A limit on processor time does not see a process that is stopped."""

    async def go() -> tuple[str, str, Any]:
        workers = ScriptWorkers()
        assert (await workers.evaluate(call("return 1;"))).value == 1
        os.kill(innermost(workers.processes[0]), signal.SIGSTOP)
        usual, workers.limits = workers.limits, ScriptLimits(seconds=1)
        with pytest.raises(Failure) as caught:
            await workers.evaluate(call("return 2;"))
        workers.limits = usual
        after = await workers.evaluate(call("return 3;"))
        await workers.close()
        return caught.value.message, caught.value.kind, after.value

    assert asyncio.run(go()) == ("`go` took longer than 1 s", "timeout", 3)


def test_a_call_that_is_given_up_leaves_no_process() -> None:
    async def go() -> int:
        workers = ScriptWorkers(ScriptLimits(seconds=60, cpu=50))
        await workers.evaluate(call("return 1;"))
        worker = innermost(workers.processes[0])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(workers.evaluate(call("while (true) {}")), 0.3)
        return worker

    assert not Path(f"/proc/{asyncio.run(go())}").exists()


TRICKS = (
    "Object.prototype.toJSON = () => 'bad'; Array.prototype.toJSON = () => 'bad';",
    'JSON.stringify = () => \'{"value": "bad"}\'; JSON.parse = () => ({});',
    "Map.prototype.get = () => { throw 1; }; Object.keys = () => [];",
    "Array.prototype[Symbol.iterator] = null;",
    "Array.prototype.includes = () => { throw 1; };",
    "Object.defineProperty(Array.prototype, '0', { set() { throw 1; }, configurable: true });",
    "Object.prototype.__proto__ = null; Object.setPrototypeOf(this, null);",
    "String.prototype.replace = null; Function.prototype.call = null; Reflect.apply = null;",
    "this.workflow_contexts = null; delete this.data;",
    "globalThis.Date = null; globalThis.Error = null; globalThis.Map = null;",
    "Object.freeze(this); Object.freeze(Object.prototype);",
    "this.constructor.constructor('return this')().x = 1;",
    "import('<input>').then((m) => { m.default.go = null; });",
    "console.log = null; Promise.prototype.then = null;",
    "this.__proto__.polluted = 1;",
)


@pytest.mark.parametrize("trick", TRICKS)
def test_a_script_that_changes_the_language_harms_its_own_call_alone(trick: str) -> None:
    threads = {"main": Conversation(({"role": "user", "content": "q"},))}
    honest = "return [JSON.stringify({ a: [1] }), [...[1]].length, typeof polluted, this.data.a];"
    tricked, after = run(call(trick + " return [1, { b: 2 }];", threads=threads), call(honest))
    if isinstance(tricked, ScriptResult):
        assert tricked.value == [1, {"b": 2}]
    else:
        assert str(tricked.place).startswith("script.js:")
    assert isinstance(after, ScriptResult)
    assert after.value == ['{"a":[1]}', 1, "undefined", 1]


def test_keys_with_a_meaning_are_only_keys() -> None:
    shares = {"data": {"__proto__": {"x": 1}, "constructor": 2, "toString": 3}}
    body = "this.data.y = this.data.x === undefined; return Object.keys(this.data).length;"
    (result,) = run(call(body, shares=shares))
    assert isinstance(result, ScriptResult)
    assert result.value == 4
    assert result.shares["data"] == {**shares["data"], "y": True}


def test_text_of_any_kind_crosses() -> None:
    odd = "nul \0, é, 😀, \u2028, half \ud83d"
    (result,) = run(call("this.data.t = this.data.t + '!'; return 1;", shares={"data": {"t": odd}}))
    assert isinstance(result, ScriptResult)
    assert result.shares["data"]["t"] == odd.replace("\ud83d", "\ufffd") + "!"


def test_only_what_changed_comes_back() -> None:
    shares = {"data": {"a": [1.0, 2]}, "text": "t", "big": 2**60, "none": None}
    (result,) = run(call("this.text; return this.none;", shares=shares))
    assert isinstance(result, ScriptResult)
    assert (result.shares, result.kept, result.threads, result.value) == ({}, None, {}, None)


def test_a_log_that_floods_is_cut_and_said_to_be() -> None:
    body = "for (let i = 0; i < 1e4; i += 1) console.log('line ' + i); return 1;"
    (result,) = run(call(body))
    assert isinstance(result, ScriptResult)
    assert len(result.log) == 201
    assert result.log[-1] == ("warn", "… 9800 more lines are left out")


@pytest.mark.parametrize(
    ("source", "message", "place"),
    [
        ("export default {\n  go() { return 1 +; },\n};", "SyntaxError", "2:20"),
        ("export default {\n  stop() {},\n};", "script.js has no function `go`", "1:1"),
        ("import fs from 'fs';\nexport default {};", "could not load module 'fs'", ""),
        ("let x;\nx.y = 1;\nexport default {};", "TypeError: cannot set property 'y'", "2:"),
        ("while (true) {}\nexport default {};", "processor time", ""),
        ("await new Promise(() => {});\nexport default {};", "cannot be loaded", ""),
        ("export default 3;", "has no function `go`", "1:1"),
        ("export default null;", "", ""),
        ("", "", ""),
    ],
)
def test_a_script_that_cannot_be_loaded_says_why(source: str, message: str, place: str) -> None:
    told, where = failure(of(source))
    assert message in told
    assert place in where


def test_a_script_that_stands_inside_another_file_points_there() -> None:
    source = "export default {\n  go() { throw new Error('x'); },\n};"
    where: dict[str, Any] = {"file": "flow.yaml", "line": 40, "indent": 6}
    script = Script(id="s", language="javascript", source=source, **where)
    _, place = failure(ScriptCall(script, "go"))
    assert place == "flow.yaml:41:26"


def test_no_environment_no_files_no_processes_reach_a_worker(monkeypatch: Any) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")

    async def go() -> tuple[bytes, set[str], dict[str, str]]:
        workers = ScriptWorkers(LIMITS)
        await workers.evaluate(call("return 1;"))
        folder = Path(f"/proc/{innermost(workers.processes[0])}")
        environ = (folder / "environ").read_bytes()
        opened = {
            os.readlink(f"{folder}/fd/{fd}").split(":")[0] for fd in os.listdir(folder / "fd")
        }
        lines = (folder / "limits").read_text().splitlines()[1:]
        bounds = {line[:25].strip(): line[26:46].strip() for line in lines}
        await workers.close()
        return environ, opened, bounds

    environ, opened, bounds = asyncio.run(go())
    assert b"hunter2" not in environ
    assert opened == {"pipe", "/dev/null"}
    assert bounds["Max open files"] == bounds["Max processes"] == bounds["Max file size"] == "0"
    assert bounds["Max core file size"] == "0"


def test_a_worker_dies_with_the_process_that_started_it() -> None:
    program = """
import asyncio, time
from flowc.compiler.ir import Script
from flowc.runtime.sandbox.scripts.answers import ScriptLimits
from flowc.runtime.sandbox.scripts.pool import ScriptWorkers
from flowc.runtime.services import ScriptCall
async def go():
    workers = ScriptWorkers(ScriptLimits(seconds=100, cpu=90))
    source = "export default { go() { return 1; }, stay() { while (true) {} } };"
    script = Script(id="s", language="javascript", source=source, file="s.js")
    await workers.evaluate(ScriptCall(script, "go"))
    print(*workers.processes, flush=True)
    await workers.evaluate(ScriptCall(script, "stay"))
asyncio.run(go())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = innermost(int(parent.stdout.readline()))
        watch = os.pidfd_open(worker)
        parent.kill()
        parent.wait()
        ended, _, _ = select.select([watch], [], [], 60)
        os.close(watch)
    assert ended
