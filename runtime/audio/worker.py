"""A process that does one call of an audio tool: JSON in, one JSON line out.

    python -m flowc.runtime.audio.worker PARENT MEMORY SECONDS

In: {"tool", "arguments", "reads": {path: place}, "writes": {path: place}}; the places written to
exist and are empty. Out: {"result": {…}} or {"failure": {"message", "help"}}.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from typing import Any

from ..errors import Failure

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38


def main() -> int:
    """Read the call, do it, say what came of it."""
    parent, memory, seconds = map(int, sys.argv[1:4])
    _confine(parent, memory, seconds)
    answer = _own_output()
    told = _do(json.loads(sys.stdin.buffer.read()))
    with open(answer, "w", encoding="ascii") as file:
        json.dump(told, file)
    return 0


def _do(asked: dict[str, Any]) -> dict[str, Any]:
    from .calls import check_call
    from .job import Job

    try:
        call = check_call(asked["tool"], asked["arguments"])
        return {"result": _perform(Job(call, asked["reads"], asked["writes"]))}
    except Failure as failure:
        return {"failure": {"message": failure.message, "help": failure.help}}
    except MemoryError:
        return {"failure": {"message": "there is not enough memory for this", "help": ""}}


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


def _confine(parent: int, memory: int, seconds: int) -> None:
    """Die with the process that asked, gain no rights, leave no core, take bounded resources."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file too large is an error, not an end


def _own_output() -> int:
    """Standard output for the answer alone: what libraries print there goes nowhere."""
    own = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return own


if __name__ == "__main__":
    raise SystemExit(main())
