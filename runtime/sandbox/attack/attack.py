"""Attacks the sandbox as a run's commands would, in every way in which this machine can confine.

for finding in attack(): print(finding.attempt.name, finding.way, finding.verdict)
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import Failure, RunError
from ...files.programs import find_program
from ...files.tempdirs import make_room
from ...services import Grants
from ..confine import SANDBOX_HOST, SandboxHost, probe, try_layers
from ..confinement import Confinement
from ..jobs import BY_BUBBLEWRAP, make_job
from ..policy import MIB, Limits, Profile, level_of
from ..shell import BashShell, ShellLimits, shell_env
from .attempts import ATTEMPTS, Attempt
from .laid_out import LaidOut

Verdict = Literal["stopped", "reached", "documented"]
_LIMITS = Limits(
    memory=128 * MIB, file=32 * MIB, disk=64 * MIB, files=20_000, processes=60, total=256 * MIB
)
_WORKS = "it works"
_HARMLESS = Attempt("", "", f"echo {_WORKS} > note && cat note")
_TIMES = ShellLimits(seconds=12.0, silence=10.0, output=64 * 1024, grace=0.2)


@dataclass(frozen=True, slots=True)
class AttackFinding:
    """What came of an attempt in one way; `what` is its harm, or why it may succeed."""

    attempt: Attempt
    way: str
    level: str
    verdict: Verdict
    what: str = ""


@dataclass(frozen=True, slots=True)
class AttackWay:
    """A way of confining: the layers that are left out, and whether bubblewrap makes the views."""

    name: str
    without: tuple[str, ...] = ()
    bubblewrap: bool = False


WAYS: tuple[AttackWay, ...] = (
    AttackWay("all layers"),
    AttackWay("without namespaces", ("namespaces", "mounts")),
    AttackWay("without Landlock", ("landlock",)),
    AttackWay("bubblewrap alone", (), True),
)


def ways_here() -> dict[str, str]:
    """Return the ways in which this machine holds programs, each with its level. Raise `RunError`
    where it holds none."""
    found: dict[str, str] = {}
    for way in WAYS:
        layers = _layers(way)
        level = level_of(layers, "shell")
        if level != "weak" and (not way.bubblewrap or find_program("bwrap")):
            found[way.name] = level
    if not found:
        raise RunError(
            "there is no sandbox to attack here", help="`flowc doctor` says what is missing"
        )
    return found


def attack(
    ways: Sequence[str] = (), attempts: Sequence[Attempt] = ATTEMPTS
) -> Iterator[AttackFinding]:
    """Try every attempt in each of the ways, or in all that this machine has. Raise `RunError`."""
    here = ways_here()
    for way in WAYS:
        if way.name in here and (not ways or way.name in ways):
            with _on_machine_of(way):
                _check_that_commands_run(way)
                for attempt in attempts:
                    yield _finding(attempt, way.name, here[way.name])


def _check_that_commands_run(way: AttackWay) -> None:
    """Raise `RunError` where nothing runs at all: every attempt would seem to be stopped."""
    with make_room() as room:
        laid_out = LaidOut(room.folder)
        try:
            said = _try(_HARMLESS, laid_out)
        finally:
            laid_out.close()
    if _WORKS not in said:
        raise RunError(f"no command runs here with {way.name}: {said.strip() or 'it said nothing'}")


def _finding(attempt: Attempt, way: str, level: str) -> AttackFinding:
    with make_room() as room:
        laid_out = LaidOut(room.folder)
        try:
            harm = laid_out.harm(_try(attempt, laid_out))
        finally:
            laid_out.close()
    if harm and attempt.documented and way in attempt.where:
        return AttackFinding(attempt, way, level, "documented", attempt.documented)
    return AttackFinding(attempt, way, level, "reached" if harm else "stopped", harm)


def _try(attempt: Attempt, laid_out: LaidOut) -> str:
    """Run the commands of an attempt; return what they said."""
    project, home = laid_out.project, laid_out.home
    settings = home / ".config/flowc"
    where = Confinement(
        project,
        project / ".flowc/own/attack",
        workspace=project,
        home=home,
        limits=_LIMITS,
        hidden=(settings,),
    )
    env = {**os.environ, "HOME": str(home), "CANARY_TOKEN": laid_out.canary}
    shell = BashShell(shell_env(env, ()), where, _TIMES)
    names = "".join(f"{name}='{value}'\n" for name, value in laid_out.names().items())

    async def run() -> str:
        grants, said, state = Grants(attempt.network, attempt.grant), "", ""
        for code in filter(None, (attempt.code, attempt.then)):
            try:
                done = await shell.run(names + code, state, grants)
            except Failure as failure:
                said += failure.message
                continue
            said, state = said + done.stdout + done.stderr, done.state
        return said

    return asyncio.run(run())


def _layers(way: AttackWay) -> dict[str, str]:
    """Return the layers that a way has here."""
    active = dict(probe("shell").active)
    if way.bubblewrap:
        active |= {"namespaces": BY_BUBBLEWRAP, "mounts": BY_BUBBLEWRAP}
    return {name: detail for name, detail in active.items() if name not in way.without}


@contextmanager
def _on_machine_of(way: AttackWay) -> Iterator[None]:
    """Confine in that way while the block runs."""
    layers = _layers(way)

    def offer(profile: Profile) -> tuple[dict[str, str], dict[str, str]]:
        return layers, dict.fromkeys(way.without, "left out")

    def make(*args: Any) -> dict[str, Any]:
        job = make_job(*args)
        job["namespaces"] = "namespaces" in layers and not way.bubblewrap
        job["landlock"] = "landlock" in layers
        return job

    usual: Callable[..., Any] = try_layers
    host = SandboxHost(offer if way.without or way.bubblewrap else usual, make)
    before = SANDBOX_HOST.set(host)
    try:
        yield
    finally:
        SANDBOX_HOST.reset(before)
