"""The worst bodies that a search found, from 8 clients at once: the longest time that the service's
event loop stands still, beside that of an idle one in the same run."""

from __future__ import annotations

import asyncio
import json
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
from timing import line

CLIENTS, SECONDS, ROUNDS = 8, 5.0, 3
PAUSE = 0.002
"""Seconds that the measuring task asks for."""
_JSON = {"Content-Type": "application/json"}
_MOST = 3_999_000
_STEP = {"required_role": "r", "success_criteria": "c", "estimated_duration": 1}
_STEPS = [{"step_id": f"s{n}", **_STEP} for n in range(1500)]
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
    }


@dataclass
class Stalls:
    """The longest ones, in seconds: by the clock, and by what this process took of its processors
    meanwhile, which other programs do not lengthen."""

    clock: float = 0
    processor: float = 0


def report() -> None:
    """Print the longest stalls and what was answered."""
    from flowc.compiler.source.gc_pause import own_process

    with own_process():
        rounds, statuses = measured(SECONDS, ROUNDS)
    print(f"{CLIENTS} clients send the worst bodies for {SECONDS:g} s, {ROUNDS} times")
    for kind in ("clock", "processor"):
        idle = [getattr(quiet, kind) for quiet, _ in rounds]
        busy = [getattr(loud, kind) for _, loud in rounds]
        ratio = median(loud / quiet for quiet, loud in zip(idle, busy, strict=True))
        line(f"longest stall of the idle loop, {kind}", f"{1000 * median(idle):.1f} ms")
        beside = f"{1000 * median(busy):.1f} ms"
        line(f"longest stall beside them, {kind}", beside, f"{ratio:.2f} times, aim 3")
    line("answers", ", ".join(f"{n} × {status}" for status, n in sorted(statuses.items())))


def measured(seconds: float, rounds: int) -> tuple[list[tuple[Stalls, Stalls]], Counter[int]]:
    """Return the longest stalls of the idle loop and beside the clients, round by round, and how
    many answers had which status."""
    from flowc.runtime.config.settings import Config
    from flowc.runtime.service.app import make_app
    from flowc.runtime.service.lifecycle import open_service
    from flowc.runtime.service.operations.executions import open_executing

    stalls, found = Stalls(), Counter[int]()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/service.db"
        app = make_app(lambda: open_service(open_executing(url, Config()), trusted=True))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))

        async def serve() -> None:
            ticking = asyncio.create_task(_tick(lambda: stalls))
            await server.serve()
            ticking.cancel()

        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        argv = [sys.executable, __file__, f"http://127.0.0.1:{port}/v1"]
        subprocess.run(
            [*argv, "1"], check=True, capture_output=True
        )  # what is loaded at first need
        each = []
        for _ in range(rounds):
            quiet = stalls = Stalls()
            time.sleep(seconds)
            loud = stalls = Stalls()
            told = subprocess.run([*argv, str(seconds)], check=True, capture_output=True).stdout
            found += Counter({int(status): n for status, n in json.loads(told).items()})
            each.append((quiet, loud))
        server.should_exit = True
        thread.join()
    return each, found


async def _tick(current: Callable[[], Stalls]) -> None:
    """Note how much later than asked the loop gets to this task, again and again."""
    while True:
        begin, used = time.perf_counter(), time.process_time()
        await asyncio.sleep(PAUSE)
        stalls = current()
        stalls.clock = max(stalls.clock, time.perf_counter() - begin - PAUSE)
        stalls.processor = max(stalls.processor, time.process_time() - used)


def _send(base: str, seconds: float, number: int) -> Counter[int]:
    """Send the bodies to both paths, one after another, beginning with another one each time."""
    found: Counter[int] = Counter()
    end = time.monotonic() + seconds
    chosen = list(bodies().values())
    with httpx.Client(timeout=120) as client:
        while time.monotonic() < end:
            for path in ("/workflows", "/executions", "/teams"):
                body = chosen[number % len(chosen)]
                answer = client.post(base + path, content=body, headers=_JSON)
                found[answer.status_code] += 1
            number += 1
    return found


def main() -> None:
    """Be the clients, in a process of their own: print how many answers had which status."""
    base, seconds = sys.argv[1], float(sys.argv[2])
    with ThreadPoolExecutor(CLIENTS) as clients:
        each = clients.map(lambda n: _send(base, seconds, 2 * n), range(CLIENTS))
        print(json.dumps(sum(each, Counter[int]())))


if __name__ == "__main__":
    main()
