"""The worst bodies that a search found, from 8 clients at once: the longest time that the service's
event loop stands still, beside that of an idle one in the same run; and the processor time of its
longest turn, which a busy machine changes less.

A virtual machine's processors stand still now and then, for 4 or 8 ms here, whatever runs there: a
watcher on each notes when, and a stall is counted without that time (see `pauses`)."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

import httpx
import uvicorn
from flowc.runtime.service.api.browser_guard import MAX_BODY
from pauses import Pauses, go_first, own_processor, watched
from timing import line

CLIENTS, SECONDS, ROUNDS = 8, 5.0, 3
PAUSE = 0.002
"""Seconds that the measuring task asks for."""
_JSON = "application/json"
_SIMPLE = "application/x-www-form-urlencoded"
_PARTS = "multipart/form-data; boundary=x"
_API = ("/v1/workflows", "/v1/executions", "/v1/teams")
_PAGE = ("/sign-in", "/workflows")
_MOST = MAX_BODY - 100
_STEP = {"required_role": "r", "success_criteria": "c", "estimated_duration": 1}
_STEPS = [{"step_id": f"s{n}", **_STEP} for n in range(1500)]
_PROMPT = """flow: 1
name: long
agents: {a: {model: m}}
nodes:
  - {name: n, agent: a, prompt: "TEXT"}
"""
_CONTRACT = {"workflow_name": "w", "workflow_type": "parallel", "steps": _STEPS}


def bodies() -> dict[str, bytes]:
    """By name: what is deep, wide, escaped, long, or a whole document that takes long."""
    return {
        "brackets": b"[" * _MOST,
        "pairs": b'{"a":' * (_MOST // 5),
        "digits and commas": b"1," * (_MOST // 2),
        "a wide array": b"[" + b"1," * 24_000 + b"1]",
        "empty arrays": b"[" + b"[]," * (_MOST // 3) + b"1]",
        "quotation marks": b'"' * _MOST,
        "escapes": b'"' + b"\\u0041" * (_MOST // 6) + b'"',
        "backslashes": b'"' + b"\\" * (_MOST - 2) + b'"',
        "a number": b"1" * _MOST,
        "a fraction": b"1." + b"3" * _MOST,
        "an exponent": b"1e" + b"9" * _MOST,
        "not UTF-8": b"\xff" * _MOST,
        "two bytes each": b'"' + "é".encode() * (_MOST // 2 - 1) + b'"',
        "keys": ("{" + ",".join(f'"{n}":1' for n in range(24_000)) + "}").encode(),
        "a long contract": json.dumps(_CONTRACT).encode(),
        "brackets in a text": json.dumps({"file_name": "a.json", "source": "[" * 900_000}).encode(),
        "lines in a text": json.dumps(
            {"file_name": "a.flow.yaml", "source": "\n".join(f"a{n}: 1" for n in range(9_000))}
        ).encode(),
        "a long prompt": json.dumps(
            {"file_name": "a.flow.yaml", "source": _PROMPT.replace("TEXT", "x" * 900_000)}
        ).encode(),
        "a long input": json.dumps(
            {"workflow_id": "wf-1", "input_parameters": {"a": "é" * 140_000, "b": [1] * 24_000}}
        ).encode(),
    }


def forms() -> dict[str, tuple[str, bytes]]:
    """By name: a content type and a body that takes long to take apart."""
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    return {
        "fields": (_SIMPLE, b"&" * _MOST),
        "one field": (_SIMPLE, b"sign=" + b"%41" * (_MOST // 3 - 2)),
        "parts": (_PARTS, part * (_MOST // len(part))),
        "line ends": (_PARTS, part[:-2] + b"\r\n-" * (_MOST // 3 - 60) + b"\r\n--x--\r\n"),
    }


def requests() -> list[tuple[str, str, bytes]]:
    """Path, content type and body of everything that is sent."""
    api = [(path, _JSON, body) for body in bodies().values() for path in _API]
    page = [(path, *form) for form in forms().values() for path in _PAGE]
    return [*api, *page]


@dataclass(frozen=True)
class Turn:
    """One turn of the loop: when it was to begin and when it was over, in seconds, the time that it
    had on a processor, and on which."""

    begin: float
    end: float
    used: float
    processor: int

    def own(self, pauses: Pauses) -> float:
        """Return the time that it took of its processor, but for what that stood still."""
        return max(0.0, self.used - pauses.within(self.begin, self.end, self.processor))

    def late(self, pauses: Pauses) -> float:
        """Return how late it was: its own time, and that in which it waited for another thread,
        which runs on any processor."""
        waited = self.end - self.begin - self.used
        return self.own(pauses) + max(0.0, waited - pauses.anywhere(self.begin, self.end))


def report() -> None:
    """Print the longest stalls and what was answered."""
    from flowc.compiler.source.gc_pause import own_process

    with own_process():
        rounds, statuses, pauses = measured(SECONDS, ROUNDS)
    print(f"{CLIENTS} clients send the worst bodies for {SECONDS:g} s, {ROUNDS} times")
    sides = list(zip(*rounds, strict=True))
    idle, busy = ([max(turn.late(pauses) for turn in turns) for turns in side] for side in sides)
    ratio = median(loud / quiet for quiet, loud in zip(idle, busy, strict=True))
    line("longest stall of the idle loop", f"{1000 * median(idle):.1f} ms")
    beside = f"{1000 * median(busy):.1f} ms"
    line("longest stall beside them", beside, f"{ratio:.2f} times, aim 3")
    whole = [max(turn.end - turn.begin for turn in turns) for turns in sides[1]]
    line("the same with the machine's own pauses", f"{1000 * median(whole):.1f} ms", pauses.told())
    quiet, loud = (
        median(max(turn.own(pauses) for turn in turns) for turns in side) for side in sides
    )
    own = f"{1000 * quiet:.1f} ms in an idle one"
    line("longest turn of the loop, processor time", f"{1000 * loud:.1f} ms", own)
    line("answers", ", ".join(f"{n} × {status}" for status, n in sorted(statuses.items())))


def measured(
    seconds: float, rounds: int
) -> tuple[list[tuple[list[Turn], list[Turn]]], Counter[int], Pauses]:
    """Return the turns of the idle loop and beside the clients, round by round, how many answers
    had which status, and when the machine stood still."""
    from flowc.runtime.config.settings import Config
    from flowc.runtime.service.app import make_app
    from flowc.runtime.service.lifecycle import open_service
    from flowc.runtime.service.operations.executions import open_executing

    turns, found = list[Turn](), Counter[int]()
    with tempfile.TemporaryDirectory() as folder, watched() as pauses:
        url = f"sqlite:///{folder}/service.db"
        app = make_app(lambda: open_service(open_executing(url, Config()), trusted=True))
        config = uvicorn.Config(app, port=0, log_level="critical")
        server = uvicorn.Server(config)

        async def serve() -> None:
            ticking = asyncio.create_task(_tick(lambda: turns))
            await server.serve()
            ticking.cancel()

        def run() -> None:
            with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
                runner.run(serve())

        thread = threading.Thread(target=run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        argv = [sys.executable, __file__, f"http://127.0.0.1:{port}"]
        subprocess.run(
            [*argv, "1"], check=True, capture_output=True
        )  # what is loaded at first need
        each = []
        for _ in range(rounds):
            quiet = turns = []
            time.sleep(seconds)
            loud = turns = []
            told = subprocess.run([*argv, str(seconds)], check=True, capture_output=True).stdout
            found += Counter({int(status): n for status, n in json.loads(told).items()})
            each.append((quiet, loud))
        server.should_exit = True
        thread.join()
    return each, found, pauses


async def _tick(current: Callable[[], list[Turn]]) -> None:
    """Note when the loop gets to this task, again and again."""
    for number in itertools.count():
        if number % 100 == 0:
            _go_first()
        begin, used = time.perf_counter() + PAUSE, time.thread_time()
        await asyncio.sleep(PAUSE)
        end, used = time.perf_counter(), time.thread_time() - used
        current().append(Turn(begin, end, used, own_processor()))


def _go_first() -> None:
    """Let this process's threads, and not the clients, go before every other program, where that is
    allowed: what the machine does meanwhile is no stall of the service."""
    for thread in os.listdir("/proc/self/task"):
        go_first(1, int(thread))


def _send(base: str, seconds: float, number: int) -> Counter[int]:
    """Send the bodies, one after another, each client beginning with another one."""
    found: Counter[int] = Counter()
    end = time.monotonic() + seconds
    chosen = requests()
    at = number * len(chosen) // CLIENTS
    with httpx.Client(timeout=120) as client:
        while time.monotonic() < end:
            path, kind, body = chosen[at % len(chosen)]
            headers = {"Content-Type": kind, "Idempotency-Key": f"{number}-{at}-{end}"}
            answer = client.post(base + path, content=body, headers=headers)
            found[answer.status_code] += 1
            at += 1
    return found


def main() -> None:
    """Be the clients, in a process of their own: print how many answers had which status."""
    base, seconds = sys.argv[1], float(sys.argv[2])
    with ThreadPoolExecutor(CLIENTS) as clients:
        each = clients.map(lambda n: _send(base, seconds, n), range(CLIENTS))
        print(json.dumps(sum(each, Counter[int]())))


if __name__ == "__main__":
    main()
