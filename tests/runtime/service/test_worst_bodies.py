"""Bodies that would hold the event loop are refused before anybody parses them, and after their
sender is known; what takes long to compile costs a process of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time

import pytest
from flowc.runtime.config.settings import Config
from flowc.runtime.service.api.browser_guard import MAX_BODY
from flowc.runtime.service.bodies.compile import compile_here
from flowc.runtime.service.bodies.read_body import (
    MAX_DEPTH,
    MAX_MARKS,
    PIECE,
    SIMPLE,
    SMALL,
    SentForm,
    read_body,
    read_form,
    refuse_beyond_bounds,
)
from flowc.runtime.service.bodies.request_pool import RequestPool
from flowc.runtime.service.contract.requests import ExecuteWorkflow
from flowc.runtime.service.lifecycle import TURN
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.page.forms import MOST_JSON, answer_in
from flowc.runtime.service.records.errors import ServiceFault
from flowc.runtime.service.records.tables import StoredExecution

from .conftest import Desk, contract, team
from .test_access import bearer, token

PATHS = ("/workflows", "/teams", "/executions", "/operations/CREATE_WORKFLOW")
DEEP = b"[" * MAX_BODY
WORST = {
    "deep": (DEEP, "inside one another"),
    "deep objects": (b'{"a":' * (MAX_DEPTH + 1), "inside one another"),
    "wide": (b"[" + b"1," * (MAX_BODY // 3) + b"1]", "brackets, commas and colons"),
    "flat": (b"[" + b"[]," * (MAX_BODY // 4) + b"1]", "brackets, commas and colons"),
    "escapes": (b'"' + rb"\u0041\n" * 110_000 + b'"', "escapes"),
}


def refused(body: bytes) -> str:
    try:
        refuse_beyond_bounds(body)
    except ServiceFault as fault:
        return fault.message
    return ""


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("shape", WORST)
def test_they_are_refused_for_what_they_are(desk: Desk, path: str, shape: str) -> None:
    body, reason = WORST[shape]
    answer = desk.client.post(f"/v1{path}", content=body, headers={"Content-Type": "text/json"})
    assert answer.status_code == 422
    assert reason in answer.json()["error_message"]
    assert answer.json()["recovery_options"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [DEEP, b"{", b'{"strange": 1}'])
def test_a_stranger_is_told_nothing_of_the_body(desk: Desk, path: str, body: bytes) -> None:
    token(desk, "admin")
    answer = desk.client.post(f"/v1{path}", content=body, headers=bearer("flowc_wrong"))
    assert answer.status_code == 401
    answer = desk.client.post(f"/v1{path}", content=body)
    assert (answer.status_code, answer.json()["error_code"]) == (401, "UNAUTHENTICATED")


@pytest.mark.parametrize(
    "value",
    [
        "[" * 10_000,
        '"[' * 10_000,
        "\\" * 5000 + '"[',
        '\\"' * 4000 + "[" * 500,
        {"a" * (PIECE - 7): '"[[['},
        [["x"] * 9000, {"k": "{" * 900}],
    ],
)
def test_what_stands_in_strings_does_not_count(value: object) -> None:
    """Wherever a piece ends: between the backslash and its quotation mark too."""
    for shift in range(4):
        assert refused(json.dumps(["x" * shift, value]).encode()) == ""


@pytest.mark.parametrize("shift", range(6))
def test_what_stands_behind_strings_counts(shift: int) -> None:
    text = json.dumps("x" * (PIECE - 4 - shift) + '\\"\\\\')
    assert refused(f"[{text},{'[' * MAX_DEPTH}".encode()) != ""


def test_the_bounds_themselves_are_kept() -> None:
    assert refused(b"[" * MAX_DEPTH) == ""
    assert refused(b"[" * (MAX_DEPTH + 1)) != ""
    assert refused(b"," * MAX_MARKS) == ""
    assert refused(b"," * (MAX_MARKS + 1)) != ""


MANY = {
    "keys": json.dumps(dict.fromkeys(map(str, range(24_000)), 1)).encode(),
    "inputs": json.dumps(
        {"workflow_id": "w", "input_parameters": dict.fromkeys(map(str, range(24_000)), 1)}
    ).encode(),
}


def pieces(body: bytes) -> list[bytes]:
    return [body[at : at + PIECE] for at in range(0, len(body), PIECE)]


@pytest.mark.parametrize("body", MANY.values(), ids=MANY)
def test_the_loop_goes_on_while_a_body_is_read(body: bytes) -> None:
    """In the processor time of the loop's thread, which other programs do not lengthen."""

    async def stall() -> tuple[float, float]:
        pool = RequestPool(1)
        await pool.read("EXECUTE_WORKFLOW", False, [b" " * (SMALL + 1)])  # the process starts
        begin = time.thread_time()
        read_body("EXECUTE_WORKFLOW", False, body)
        here = time.thread_time() - begin
        reading = asyncio.create_task(pool.read("EXECUTE_WORKFLOW", False, pieces(body)))
        longest = 0.0
        while not reading.done():
            before = time.thread_time()
            await asyncio.sleep(0.001)
            longest = max(longest, time.thread_time() - before)
        return longest, here

    tries = [asyncio.run(stall()) for _ in range(3)]
    assert min(longest / here for longest, here in tries) < 0.5


def test_a_body_is_read_alike_here_and_in_its_process() -> None:
    sent = {"workflow_id": "w", "input_parameters": {"a": "x" * SMALL}, "notifications": {}}
    body = json.dumps(sent).encode()
    away = asyncio.run(RequestPool(1).read("EXECUTE_WORKFLOW", False, pieces(body)))
    assert away == read_body("EXECUTE_WORKFLOW", False, body)
    assert away.request(ExecuteWorkflow) == ExecuteWorkflow.model_validate(sent)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "not JSON: line 1, column 2"),
        (b'{"a": \xff}', "not UTF-8: byte 6"),
        (b"[" + b"1" * 1001 + b"]", "a number of more than 1,000 characters"),
        (b"[1e" + b"9" * 1001 + b"]", "a number of more than 1,000 characters"),
        (b"", "the body: field required"),
    ],
)
def test_a_body_that_is_no_value_is_refused_with_its_place(
    desk: Desk, body: bytes, reason: str
) -> None:
    kind = {"Content-Type": "application/json"}
    answer = desk.client.post("/v1/executions", content=body, headers=kind)
    assert answer.status_code == 422
    assert reason in answer.json()["error_message"]


def test_a_form_of_nothing_but_separators(desk: Desk) -> None:
    kind = {"Content-Type": SIMPLE}
    answer = desk.client.post("/sign-in", content=b"&" * MAX_BODY, headers=kind)
    assert answer.status_code == 422
    assert "at most 1,000 fields" in answer.text


PART = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
END = b"--x--\r\n"
FORMS = {
    "one field": (SIMPLE, b"sign=" + b"%41" * (MAX_BODY // 3 - 2)),
    "parts": ("multipart/form-data; boundary=x", PART * (MAX_BODY // len(PART))),
    "no boundary": ("multipart/form-data", PART),
}


@pytest.mark.parametrize("shape", FORMS)
def test_a_form_is_refused_for_what_it_is(desk: Desk, shape: str) -> None:
    kind, body = FORMS[shape]
    answer = desk.client.post("/sign-in", content=body, headers={"Content-Type": kind})
    assert answer.status_code in (403, 422)


def test_the_loop_does_not_take_a_long_form_apart() -> None:
    """Parts are found byte by byte: that is done by the other process."""

    async def read() -> tuple[SentForm, int]:
        pool = RequestPool(1)
        found = await pool.read_form("multipart/form-data; boundary=x", pieces(PART * 900 + END))
        return found, pool.idle.qsize()

    form, processes = asyncio.run(read())
    assert processes == 1
    assert form == read_form("multipart/form-data; boundary=x", PART * 900 + END)
    assert form.fields == {"a": ""}


def test_json_in_a_field_is_bounded() -> None:
    """It is parsed on the loop."""
    text = "[" + "1," * MOST_JSON + "1]"
    with pytest.raises(ServiceFault, match="JSON in a form has at most"):
        answer_in(SentForm({"answer": text, "type": "array"}))


def test_threads_of_a_service_take_short_turns(desk: Desk) -> None:
    assert sys.getswitchinterval() <= TURN * 1.01


def test_a_text_of_ten_thousand_faults_is_told_the_first_hundred(desk: Desk) -> None:
    text = "\n".join(f"a{n}: 1" for n in range(10_000))
    asked = {"file_name": "a.flow.yaml", "source": text}
    told = desk.post("/workflows", asked, 422)["validation_status"]
    assert len(told["diagnostics"]) == 100
    assert "more findings" in told["errors"][-1]


class TestRequestPool:
    def test_the_loop_goes_on_while_a_text_is_compiled(self) -> None:
        async def longest_stall() -> float:
            pool, text = RequestPool(), "\n".join(f"a{n}: {{b: 1}}" for n in range(6000))
            await pool.check("x", "a.md")  # the process starts
            compiling = asyncio.create_task(pool.check(text, "a.flow.yaml", "flow"))
            longest, begin = 0.0, time.monotonic()
            while not compiling.done():
                before = time.monotonic()
                await asyncio.sleep(0.001)
                longest = max(longest, time.monotonic() - before)
            return longest / (time.monotonic() - begin)

        assert asyncio.run(longest_stall()) < 0.3

    def test_a_process_that_ends_is_replaced(self) -> None:
        async def ask() -> None:
            pool, text = RequestPool(), json.dumps(contract())
            assert (await pool.compile(text, "workflow.json", "contract")).is_workflow
            process = pool.idle.get()
            process.kill()
            process.wait()
            pool.idle.put(process)
            made = await pool.compile(text, "workflow.json", "contract", json.dumps(team()))
            assert made.is_workflow
            assert made.result is not None
            assert made.result.spec.nodes

        asyncio.run(ask())

    def test_a_process_that_reads_nothing_says_nothing_of_the_text(self) -> None:
        """Nor does one that had no processor for it: who asks again may be answered."""

        async def ask() -> None:
            pool = RequestPool(1, patience=0.3)
            begun = pool._take()
            begun.send_signal(signal.SIGSTOP)
            pool.idle.put(begun)
            with pytest.raises(ServiceFault, match="this machine is busy") as raised:
                await pool.read("EXECUTE_WORKFLOW", False, pieces(b" " * MAX_BODY))
            assert begun.returncode is not None
            assert raised.value.code == "UNAVAILABLE"

        asyncio.run(ask())

    def test_a_text_that_takes_too_long_is_given_up(self) -> None:
        async def ask() -> None:
            pool = RequestPool(seconds=0.01)
            with pytest.raises(ServiceFault, match="to compile"):
                await pool.compile("1," * 400_000, "workflow.json", "contract")

        asyncio.run(ask())


def test_the_loop_goes_on_while_a_stored_workflow_is_compiled(store: str) -> None:
    """Of a service that started anew, which keeps nothing compiled: once, for all who ask. In the
    processor time of the loop's thread, which other programs do not lengthen."""
    lines = "".join(f"  - {{name: n{n}, assign: {{A: 'A + {n}'}}}}\n" for n in range(3000))
    source = f"flow: 1\nname: long\nstate: {{A: integer}}\nnodes:\n{lines}"
    execution = StoredExecution(
        id="ex-1",
        owner="",
        created="",
        workflow="",
        team="",
        file="long.flow.yaml",
        format="flow",
        source=source,
        team_source="",
        inputs={},
        config={},
        notifications={},
        timeout_from="",
    )

    async def look() -> float:
        async with open_executing(store, Config()) as executing:
            asked = [asyncio.create_task(executing.result_of(execution)) for _ in range(3)]
            longest = 0.0
            while not all(task.done() for task in asked):
                at = time.thread_time()
                await asyncio.sleep(0.01)
                longest = max(longest, time.thread_time() - at)
            first, *others = [task.result() for task in asked]
            assert all(other is first for other in others)
            return longest

    begun = time.thread_time()
    compile_here(source, execution.file, execution.format)
    here = time.thread_time() - begun
    assert asyncio.run(look()) < here / 2
