"""A real shell's session through checkpoints, over pauses, processes and kill -9 (M39)."""

from __future__ import annotations

import asyncio
import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import AskNode
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.engine.engine import open_engine
from killing import Killed, in_process
from shells import shell_in
from specs import SUCCESS, commands, lit, program
from worlds import World

PATH = {"PATH": os.environ["PATH"]}


def run(url: str, spec: GraphSpec, folder: Path, **resume: Any) -> dict[str, Any]:
    """Start the run, or with `answers` resume it."""
    shell = shell_in(folder, "off", PATH)  # one command kills flowc
    world = World(shell=shell)

    async def go() -> dict[str, Any]:
        async with open_engine(url) as engine:
            if resume:
                outcome = await engine.resume("r", spec, world, **resume)
            else:
                outcome = await engine.start(spec, world, run="r", inputs={}, options={})
            return dataclasses.asdict(outcome)

    return asyncio.run(asyncio.wait_for(go(), 240))


def test_folder_variables_and_functions_carry_on_in_a_later_process(
    url: str, tmp_path: Path
) -> None:
    spec = program(
        commands("e", "mkdir sub && cd sub", "COLOUR='blue sky'", "greet() { echo hi $1; }"),
        AskNode(id="q", question=lit("?"), into="STATUS"),
        commands("f", 'echo "$COLOUR in ${PWD##*/}"', "greet you", "(exit 3)", code="N"),
        SUCCESS,
    )
    assert in_process(lambda: run(url, spec, tmp_path))["status"] == "paused"
    outcome = in_process(lambda: run(url, spec, tmp_path, answers={"": "on"}))
    assert outcome["result"] == (
        '$ echo "$COLOUR in ${PWD##*/}"\nblue sky in sub\n$ greet you\nhi you\n$ (exit 3)'
    )
    assert (outcome["status"], outcome["variables"]["N"]) == ("success", 3)


def test_a_command_that_was_under_way_is_repeated_in_the_session_before_it(
    url: str, tmp_path: Path
) -> None:
    """The third command kills flowc itself, once; the first two do not run again."""
    kill = "echo third >> log; [ -e dead ] || { touch dead; kill -9 $VICTIM; }"
    spec = program(commands("e", "umask 077", "echo second >> log", kill, "wc -l < log"), SUCCESS)
    shell_env = {**PATH}

    def begin() -> dict[str, Any]:
        PATH["VICTIM"] = str(os.getpid())
        return run(url, spec, tmp_path)

    with pytest.raises(Killed):
        in_process(begin)
    assert shell_env == PATH
    asked = in_process(lambda: run(url, spec, tmp_path, answers={}))
    assert asked["questions"][0]["kind"] == "unknown"
    outcome = in_process(lambda: run(url, spec, tmp_path, answers={"": "repeat"}))
    assert outcome["status"] == "success"
    assert (tmp_path / "log").read_text().split() == ["second", "third", "third"]
    assert outcome["result"].endswith("$ wc -l < log\n3")
