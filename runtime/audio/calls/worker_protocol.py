"""A worker process: it reads a question in JSON and answers in one JSON line.

It is started by `sandbox.modules`, with the bytes of memory and the seconds of processor time that
it may take at the end of sys.argv.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any

from ...errors import Failure


def answer_with(work: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Limit this process, read the question, and answer with what came of `work`."""
    memory, seconds = map(int, sys.argv[-2:])
    _limit_resources(memory, seconds)
    answer = _own_output()
    response = _answer(work, json.loads(sys.stdin.buffer.read()))
    with open(answer, "w", encoding="ascii") as file:
        json.dump(response, file)


def _answer(work: Callable[[dict[str, Any]], dict[str, Any]], question: dict[str, Any]) -> Any:
    from .call import Unwritable

    try:
        return {"result": work(question)}
    except Failure as failure:
        facts = {"message": failure.message, "help": failure.help}
        return {"failure": {**facts, "unwritable": isinstance(failure, Unwritable)}}
    except MemoryError:
        return {"failure": {"message": "there is not enough memory for this", "help": ""}}


def _limit_resources(memory: int, seconds: int) -> None:
    """Leave no core, take limited resources."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file too large is an error, not an end


def _own_output() -> int:
    """Keep standard output for the answer: what libraries print there goes nowhere."""
    own = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return own
