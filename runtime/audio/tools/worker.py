"""A process that does one call of an audio tool: JSON in, one JSON line out.

In: {"tool", "arguments", "reads": {path: place}, "writes": {path: place}}; the places written to
exist and are empty. Out: {"result": {…}} or {"failure": {"message", "help", …}}.
"""

from __future__ import annotations

from typing import Any

from ..calls.worker_protocol import answer_with


def main() -> None:
    """Read the call, do it, say what came of it."""
    answer_with(_perform_call)


def _perform_call(asked: dict[str, Any]) -> dict[str, Any]:
    from ..calls.call import check_call
    from .job import Job

    call = check_call(asked["tool"], asked["arguments"])
    return _perform(Job(call, asked["reads"], asked["writes"]))


def _perform(job: Any) -> dict[str, Any]:
    from .chains import STAGES
    from .stages import through
    from .whole import WHOLE

    name, values = job.call.tool.name, job.values
    if name in WHOLE:
        return WHOLE[name](job)
    sound = job.sound(values["input"])
    chain, said = STAGES[name](sound, values)
    done: dict[str, Any] = job.write(values["output"], sound, through(sound.blocks(), chain))
    return {**done, **said}
