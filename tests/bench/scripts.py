"""A script's call with 100 kB of state, there and back, beside reading and writing that JSON.

Every call is a fresh context in the worker: prelude, script, the state in, what changed out.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from timing import line, medians

SIZE = 100_000
CALLS = 50
ROUNDS = 5
SOURCE = """export default {
  touch() { this.data.turn = (this.data.turn ?? 0) + 1; return this.data.rows.length; },
  look() { return this.data.rows.length; },
};
"""


def report() -> None:
    """Print milliseconds per call."""
    data = state(SIZE)
    text = json.dumps(data)
    took = asyncio.run(_took(data))
    took |= medians({"json": lambda: [json.loads(json.dumps(data)) for _ in range(CALLS)]}, ROUNDS)
    print(f"{CALLS} calls of a script with {len(text) // 1000} kB of state, per call")
    for name, title in (
        ("small", "nothing shared"),
        ("look", "the state read"),
        ("touch", "the state changed"),
        ("json", "the same JSON written and read in Python"),
    ):
        line(title, f"{took[name] / CALLS * 1000:.2f} ms")


def state(size: int) -> dict[str, Any]:
    """Rows of about 100 bytes."""
    rows = [{"number": n, "name": f"row {n}", "text": "x" * 60} for n in range(size // 105)]
    return {"rows": rows}


async def _took(data: dict[str, Any]) -> dict[str, float]:
    from flowc.compiler.ir import Script
    from flowc.runtime.sandbox.scripts.pool import ScriptWorkers
    from flowc.runtime.services import ScriptCall

    workers = ScriptWorkers()
    script = Script(id="s", language="javascript", source=SOURCE, file="script.js")
    small: dict[str, Any] = {"data": {"rows": []}}
    sides = {
        "small": ScriptCall(script, "look", shares=small, wants=True),
        "look": ScriptCall(script, "look", shares={"data": data}, wants=True),
        "touch": ScriptCall(script, "touch", shares={"data": data}, wants=True),
    }
    took = dict.fromkeys(sides, 1e9)
    loop = asyncio.get_running_loop()
    for _ in range(ROUNDS):
        for name, call in sides.items():
            began = loop.time()
            for _ in range(CALLS):
                await workers.evaluate(call)
            took[name] = min(took[name], loop.time() - began)
    await workers.close()
    return took
