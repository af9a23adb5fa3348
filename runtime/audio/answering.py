"""What a worker process is: confined, asked in JSON on standard input, answering in one JSON line.

python -m MODULE PARENT MEMORY SECONDS
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any

from ..errors import Failure

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38


def answer_with(work: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """Confine this process, read what is asked, and say what came of `work`."""
    parent, memory, seconds = map(int, sys.argv[1:4])
    _confine(parent, memory, seconds)
    answer = _own_output()
    told = _told(work, json.loads(sys.stdin.buffer.read()))
    with open(answer, "w", encoding="ascii") as file:
        json.dump(told, file)
    return 0


def _told(work: Callable[[dict[str, Any]], dict[str, Any]], asked: dict[str, Any]) -> Any:
    from .calls import Unwritable

    try:
        return {"result": work(asked)}
    except Failure as failure:
        told = {"message": failure.message, "help": failure.help}
        return {"failure": {**told, "unwritable": isinstance(failure, Unwritable)}}
    except MemoryError:
        return {"failure": {"message": "there is not enough memory for this", "help": ""}}


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
