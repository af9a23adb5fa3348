"""Programs that attack, each with an oracle outside of it: none may do harm at full or strong.

Python is held by the profile `snippet`, behind the gate, commands by the profile `shell`.
Where the machine offers less than a level, its column is skipped and says so; weak is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from arena import Arena, run_bare
from attack import Attack
from cage import run_python, run_shell
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox import jobs
from flowc.runtime.sandbox.confine import prepare, probe
from flowc.runtime.sandbox.generated.syntax_gate import faults
from flowc.runtime.sandbox.policy import Policy, level_of
from python_harm import CHANGING, GREEDY, RUNNING
from python_reach import READING, TALKING
from sandbox_hosts import on_machine
from shell_attacks import COMMANDS

PYTHON = (*READING, *TALKING, *CHANGING, *RUNNING, *GREEDY)
LEVELS = ("full", "strong")
Note = Callable[[str, object], None]


def by_name(attack: Attack) -> str:
    return attack.name.replace(" ", "-")


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    made = Arena(tmp_path)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest) -> Iterator[str]:
    """The level that the attack meets; strong is what Docker leaves: no namespaces."""
    if request.param == "full":
        if probe("shell").level != "full":
            pytest.skip(f"no full sandbox here: {dict(probe('shell').missing)}")
        yield "full"
        return
    layers = {k: v for k, v in probe("shell").active.items() if k not in ("namespaces", "mounts")}
    for profile in ("shell", "snippet"):
        if level_of(layers, profile) != "strong":
            pytest.skip(f"no strong sandbox here: {layers}")

    def make(*args: Any) -> dict[str, Any]:
        return {**jobs.make_job(*args), "namespaces": False, "required": list(layers)}

    with on_machine(layers, {"namespaces": "left out"}, make_job=make):
        yield "strong"


@pytest.mark.parametrize("attack", PYTHON, ids=by_name)
def test_python(attack: Attack, level: str, arena: Arena, record_property: Note) -> None:
    ran = run_python(arena, attack.code)
    gate = "gate rejects" if faults(attack.code) else "gate passes"
    record_property(f"attack python/{attack.name} [{level}]", f"{ran.outcome:<16} {gate}")
    assert arena.harms(ran, snippet=True) == {}, ran.output[-300:]


@pytest.mark.parametrize("attack", COMMANDS, ids=by_name)
def test_shell(attack: Attack, level: str, arena: Arena, record_property: Note) -> None:
    ran = run_shell(arena, attack.code, again="session" in attack.name)
    record_property(f"attack shell/{attack.name} [{level}]", ran.outcome)
    assert arena.harms(ran, snippet=False) == {}, ran.output[-300:]


NAKED = [("python", a) for a in PYTHON if a.bare] + [("bash", a) for a in COMMANDS if a.bare]
BLIND_SPOTS = 8
"""Harms that a host may prevent by itself: io_uring switched off, ptrace held, mounts denied."""


@pytest.mark.parametrize("part", range(4))
def test_the_oracles_see_what_the_attacks_do_without_a_sandbox(
    part: int, tmp_path: Path, record_property: Note
) -> None:
    blind, seen = [], set()
    for number, (language, attack) in enumerate(NAKED[part::4]):
        folder = tmp_path / str(number)
        folder.mkdir()
        arena = Arena(folder)
        try:
            ran = run_bare(arena, attack.code, language, attack.harm)
            harms = arena.harms(ran, language == "python")
        finally:
            arena.close()
        if attack.harm in harms:
            seen.add(attack.harm)
        else:
            blind.append(attack.name)
    total = len(NAKED[part::4])
    record_property(f"attack bare, part {part}", f"{total - len(blind)} of {total} do their harm")
    assert len(blind) <= BLIND_SPOTS // 4 + 1, blind
    assert len(seen) >= 4


def test_a_weak_sandbox_is_refused(record_property: Note) -> None:
    layers = ", ".join(probe("shell").active)
    record_property("attack layers of this machine", f"{probe('shell').level}: {layers}")
    with on_machine({"limits": ""}, {"landlock": "none"}):
        for mode in ("auto", "strict"):
            with pytest.raises(Failure, match="landlock"):
                prepare(["true"], {}, Policy("shell", mode=mode))


def test_there_are_as_many_as_there_should_be_and_each_is_a_program() -> None:
    names = [attack.name for attack in (*PYTHON, *COMMANDS)]
    assert len(PYTHON) >= 44
    assert len(COMMANDS) >= 18
    assert len(set(names)) >= len(names) - 12  # some are attacked from both sides
    for attack in PYTHON:
        ast.parse(attack.code)
