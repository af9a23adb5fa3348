"""Runs attacks the way flowc runs foreign code: snippets by `snippet`, commands by `BashShell`."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import arena as outside
from arena import Arena, Ran, Watch, prologue
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.confine import prepare
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.generated import snippet
from flowc.runtime.sandbox.policy import SNIPPET_LIMITS, Limits, Policy, python_reads
from flowc.runtime.sandbox.shell import BashShell, ShellLimits, shell_env

SNIPPET = replace(
    SNIPPET_LIMITS,
    seconds=outside.SECONDS,
    cpu=1,
    memory=outside.MEMORY,
    file=outside.FILE,
    disk=2 * outside.FILE,
)
SHELL = Limits(
    memory=outside.MEMORY,
    file=outside.FILE,
    disk=2 * outside.FILE,
    processes=outside.PROCESSES,
)
"""As in a run, but small: what is over them shows soon."""


def run_python(arena: Arena, code: str) -> Ran:
    """The attack as a snippet whose code the gate has let pass. The output is taken as flowc takes
    it."""
    ran = Ran()
    argv = _python(arena)
    reads = (*python_reads(), Path(argv[0]), arena.input, arena.top / "in/module.zip")
    policy = Policy("snippet", reads, (arena.out,), limits=SNIPPET)
    env = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
    made = arena.out.stat().st_ino
    began = time.monotonic()
    with Watch(arena, ran), prepare(argv, env, policy) as start:
        text = f"import sys\nsys.path[:0] = {_packages()!r}\n{prologue(arena, 'python')}{code}"
        result = snippet._run(start, text, SNIPPET)
        if result.status == "done":
            result = snippet._collect(result, arena.out, made, arena.taken)
    ran.seconds = time.monotonic() - began
    ran.output = result.printed.encode("utf-8", "replace")
    ran.written = len(ran.output)
    assert result.status != "refused", result.message
    ran.outcome = " ".join(filter(None, (result.status, result.why)))
    return ran


def _python(arena: Arena) -> list[str]:
    """The program is read from standard input; the mark in the arguments is for the watch."""
    return [os.path.realpath(sys.executable), "-I", "-S", "-", arena.mark]


def _packages() -> list[str]:
    import numpy

    return [str(Path(numpy.__file__).resolve().parents[1])]


def run_shell(arena: Arena, command: str, again: bool) -> Ran:
    """The attack as a command of a workflow, in a session; `again`: then a second one in the same
    session, where what the first has planted is met. The environment is what flowc would pass,
    from one that holds a secret."""
    ran = Ran()
    host = {**os.environ, "HOME": str(arena.home), "CANARY_TOKEN": arena.key}
    where = Confinement(
        arena.work, arena.top / "own", workspace=arena.work, home=arena.home, limits=SHELL
    )
    shell = BashShell(shell_env(host, ()), where, ShellLimits(outside.SECONDS, grace=0.2))
    began = time.monotonic()
    with Watch(arena, ran):
        try:
            first = asyncio.run(shell.run(prologue(arena, "bash") + command, ""))
            ran.seconds = time.monotonic() - began
            shown = first.stdout + first.stderr + first.state
            if again:
                second = asyncio.run(shell.run("declare -p", first.state))
                shown += second.stdout + second.stderr + second.state
            ran.outcome = "stopped" if first.timed_out else f"exit {first.exit_code}"
        except Failure as failure:
            shown = failure.message
            ran.outcome = failure.message.rpartition(": ")[2]
            ran.seconds = ran.seconds or time.monotonic() - began
    ran.output, ran.written = shown.encode("utf-8", "replace"), len(shown)
    return ran
