"""The process in which texts of requests are compiled: `python -m` with this module.

It reads pickled jobs from its standard input until that ends, and writes what came of each. What a
stranger sent is compiled here alone: a text that takes seconds or gigabytes costs this process, and
not the loop that answers everybody else.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys
from dataclasses import replace
from typing import IO, Any

MEMORY = 2 * 1024**3
"""Bytes of address space; a text that needs more is refused."""
NICE = 10
"""Who waits for this process waits for others too: it gets the processor when nobody else asks."""
SIZE_BYTES = 8
"""Bytes before each message that say how long it is."""

Job = tuple[str, str, str | None, str | None, bool]
"""Text, file name, format or None, the team's text or None, whether the result is wanted."""


def write_message(stream: IO[bytes], value: object) -> None:
    """Write a value behind its size. Raises `OSError` when nobody reads."""
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(len(body).to_bytes(SIZE_BYTES, "big") + body)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """Return the next value. Raises `EOFError` when there is none."""
    size = stream.read(SIZE_BYTES)
    body = stream.read(int.from_bytes(size, "big")) if len(size) == SIZE_BYTES else b""
    if not body:
        raise EOFError
    return pickle.loads(body)


def main() -> None:
    """Do jobs until there are no more."""
    jobs, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print is not an answer
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    os.nice(NICE)
    from .compile import compile_here

    while True:
        try:
            text, file, format, team, whole = read_message(jobs)
        except EOFError:
            return
        try:
            compiled = compile_here(text, file, format, team)
            write_message(answers, compiled if whole else replace(compiled, result=None))
        except (MemoryError, RecursionError):
            write_message(answers, None)


if __name__ == "__main__":
    main()
