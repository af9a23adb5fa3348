"""The process in which what requests bring is read and compiled: `python -m` with this module.

It reads pickled jobs from its standard input until that ends, and writes what came of each. The
argument says how many seconds of a processor a job may take: one that takes more ends it. What a
stranger sent is parsed here alone: a text that takes seconds or gigabytes costs this process, and
not the loop that answers everybody else.
"""

from __future__ import annotations

import io
import os
import pickle
import resource
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

MEMORY = 2 * 1024**3
"""Bytes of address space; a text that needs more is refused."""
NICE = 10
"""Who waits for this process waits for others too: it gets the processor when nobody else asks."""
SIZE_BYTES = 8
"""Bytes before each message that say how long it is."""


@dataclass(frozen=True, slots=True)
class CompileJob:
    """A text for the compiler, `format` None: told from it. `whole`: the result is wanted too, not
    the findings alone."""

    source: str
    file: str
    format: str | None
    team: str | None
    whole: bool
    size: int = 0

    def do(self, _body: bytes) -> object:
        from .compile import compile_here

        compiled = compile_here(self.source, self.file, self.format, self.team)
        return compiled if self.whole else replace(compiled, result=None)


@dataclass(frozen=True, slots=True)
class ReadJob:
    """The body of a request for an operation, at its path or at its name: the `size` bytes behind
    this message. Nobody has to put them together before they are here."""

    operation: str
    by_name: bool
    size: int

    def do(self, body: bytes) -> object:
        from .read_body import read_body

        return read_body(self.operation, self.by_name, body)


@dataclass(frozen=True, slots=True)
class FormJob:
    """The same for the form of a page, of the `kind` that its sender calls it."""

    kind: str
    size: int

    def do(self, body: bytes) -> object:
        from .read_body import read_form

        return read_form(self.kind, body)


Job = CompileJob | ReadJob | FormJob


def pickle_parts(value: object, elements: Sequence[object] = ()) -> bytes:
    """Return a value as a pickle behind those of its elements. Python reads a pickle in one go,
    while nothing else runs: so it can do something else after each."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    for one in (len(elements), *elements, value):
        pickler.dump(one)
    return file.getvalue()


def unpickle_parts(data: bytes) -> Any:
    """Return the value that `pickle_parts` wrote."""
    unpickler = pickle.Unpickler(io.BytesIO(data))
    for _ in range(unpickler.load()):
        unpickler.load()  # it is remembered, for the value that it belongs to
    return unpickler.load()


def write_message(stream: IO[bytes], value: object) -> None:
    """Write a value behind its size. Raises `OSError` when nobody reads."""
    body = pickle_parts(value, elements_of(value))
    stream.write(len(body).to_bytes(SIZE_BYTES, "big") + body)
    stream.flush()


def elements_of(value: object) -> Sequence[object]:
    """Return what a large answer is large by: the nodes and edges of a compiled workflow."""
    program = getattr(getattr(value, "result", None), "program", None)
    if program is None:
        return ()
    return [one for _, w in program.workflows for one in (*w.nodes, *w.edges)]


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
    while True:
        try:
            job: Job = read_message(jobs)
            body = jobs.read(job.size)
            signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))  # SIGPROF at its end
        except EOFError:
            return
        try:
            answer = job.do(body)
            signal.setitimer(signal.ITIMER_PROF, 0)
            write_message(answers, answer)
        except (MemoryError, RecursionError):
            write_message(answers, None)


if __name__ == "__main__":
    main()
