"""Killed with SIGKILL around a script's call and resumed: the call gives the same again."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import AskNode, Script, ScriptNode, StateField, Thread
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.sandbox.scripts.answers import ScriptLimits
from flowc.runtime.sandbox.scripts.pool import ScriptWorkers
from flowc.runtime.services import ScriptCall, ScriptResult
from killing import Killed, in_process, kill_me
from script_calls import innermost
from specs import SUCCESS, lit, program
from worlds import World

SOURCE = """export default {
  count() {
    this.seen = [...(this.seen ?? []), [Date.now(), Math.random(), this.seen?.length ?? 0]];
    this.workflow_contexts.get('main').addMessage('user', `turn ${this.seen.length}`);
    return this.workflow_contexts.get('main').getMessages().length;
  },
  stay() { while (true) {} },
};"""


def counting(*functions: str) -> Any:
    nodes = [
        ScriptNode(
            id=f"n{number}",
            script="s",
            function=function,
            threads=("main",),
            keeps="own",
            into="RESULT",
        )
        for number, function in enumerate(functions)
    ]
    return program(
        *nodes,
        AskNode(id="end", question=lit("?"), into="LAST"),
        SUCCESS,
        scripts=(Script(id="s", language="javascript", source=SOURCE, file="script.js"),),
        threads=(Thread(id="main"),),
        state=tuple(StateField(name=n, type="any") for n in ("RESULT", "own", "LAST")),
    )


class Dying(ScriptWorkers):
    """Kills flowc at the call of a number: while its process works on it (`during`), or when the
    result is there and in no checkpoint yet. Writes every result to a file."""

    def __init__(self, file: Path, at: int = 0, during: bool = False) -> None:
        super().__init__(ScriptLimits(seconds=60, cpu=50))
        self.file, self.at, self.during, self.calls = file, at, during, 0

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        self.calls += 1
        dies = self.calls == self.at
        if dies and self.during:
            asked = asyncio.ensure_future(super().evaluate(call))
            await asyncio.to_thread(self._die_when_busy)
            await asked
        result = await super().evaluate(call)
        with self.file.open("a") as ledger:
            ledger.write(json.dumps([call.function, result.kept, result.threads]) + "\n")
        if dies:
            kill_me()
        return result

    def _die_when_busy(self) -> None:
        worker = innermost(self.processes[0])
        while not busy(worker):
            os.sched_yield()
        self.file.with_suffix(".pid").write_text(str(worker))
        kill_me()


def busy(pid: int) -> bool:
    """Whether a process has used half a second of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) > os.sysconf("SC_CLK_TCK") // 2


def run(url: str, spec: Any, scripts: ScriptWorkers, begin: bool) -> dict[str, Any]:
    async def go() -> dict[str, Any]:
        async with open_engine(url) as engine:
            world = World(scripts=scripts)
            if begin:
                outcome = await engine.start(spec, world, run="r", inputs={}, options={})
            else:
                outcome = await engine.resume("r", spec, world, answers={})
            return {"status": outcome.status, "variables": outcome.variables}

    return asyncio.run(go())


@pytest.mark.parametrize("at", [2, 3])
def test_a_call_that_was_cut_off_is_made_again_with_the_same_time_and_chance_j32(
    url: str, tmp_path: Path, at: int
) -> None:
    spec, file = counting("count", "count", "count"), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: run(url, spec, Dying(file, at), begin=True))
    outcome = in_process(lambda: run(url, spec, Dying(file), begin=False))
    assert outcome["status"] == "paused", "nobody is asked about a script"
    calls = [json.loads(line) for line in file.read_text().splitlines()]
    assert calls[at - 1] == calls[at], "the second time is like the first"
    assert outcome["variables"]["own"]["seen"] == calls[-1][1]["seen"]
    assert [turn[2] for turn in calls[-1][1]["seen"]] == [0, 1, 2]
    assert outcome["variables"]["RESULT"] == 3, "no message was added twice"


def test_a_process_at_work_dies_with_flowc_and_the_run_goes_on(url: str, tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    spec = counting("count", "stay")
    with pytest.raises(Killed):
        in_process(lambda: run(url, spec, Dying(file, 2, during=True), begin=True))
    worker = int(file.with_suffix(".pid").read_text())
    while Path(f"/proc/{worker}").exists():  # its end is on its way; the time-out bounds this
        os.sched_yield()
    outcome = in_process(
        lambda: run(url, spec, ScriptWorkers(ScriptLimits(seconds=30, cpu=1)), begin=False)
    )
    assert outcome["status"] == "error"
    assert len(outcome["variables"]["own"]["seen"]) == 1


def test_a_run_that_a_script_ended_is_resumed_at_that_script(url: str) -> None:
    spec = counting("count", "stay")
    first = in_process(
        lambda: run(url, spec, ScriptWorkers(ScriptLimits(seconds=30, cpu=1)), begin=True)
    )
    again = in_process(
        lambda: run(url, spec, ScriptWorkers(ScriptLimits(seconds=30, cpu=1)), begin=False)
    )
    assert (first["status"], again["status"]) == ("error", "error")
    assert first["variables"] == again["variables"]
