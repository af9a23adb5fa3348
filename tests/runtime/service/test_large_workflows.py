"""A workflow of thousands of nodes holds nobody up: what is done for it is done in pieces, or
beside the event loop."""

from __future__ import annotations

import asyncio
import io
import json
import pickle
import time
from dataclasses import replace
from typing import Any

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.lowering.serde import dump_spec
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.service.bodies.compile import compile_here
from flowc.runtime.service.bodies.request_worker import elements_of, pickle_parts, unpickle_parts
from flowc.runtime.service.contract.documents import CONTRACT, TeamText, WorkflowText
from flowc.runtime.service.contract.requests import ExecuteWorkflow
from flowc.runtime.service.operations.create import (
    create_team,
    create_workflow,
    execute_workflow,
)
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.records.access import LOCAL
from flowc.runtime.service.records.metrics import TaskStep, levels_of, remaining_minutes
from flowc.runtime.service.records.tables import Register, StoredWorkflow
from flowc.runtime.store.runs import RunRecord

from .conftest import contract, step, team

LINES = "".join(f"  - {{name: n{n}, assign: {{A: 'A + {n}'}}}}\n" for n in range(300))
TEXT = f"flow: 1\nname: long\nstate: {{A: integer}}\nnodes:\n{LINES}"


def test_a_compiled_workflow_is_read_in_small_pieces() -> None:
    compiled = compile_here(TEXT, "long.flow.yaml", "flow")
    data = pickle_parts(compiled, elements_of(compiled))
    again = unpickle_parts(data)
    assert again.result.program == compiled.result.program  # type: ignore[union-attr]
    assert again.validation == compiled.validation
    file, sizes = io.BytesIO(data), []
    reader = pickle.Unpickler(file)
    while (at := file.tell()) < len(data):
        reader.load()
        sizes.append(file.tell() - at)
    assert len(sizes) > 600, "one for each node and each edge"
    assert max(sizes) < len(data) / 5, "of which the text is the most"


def test_the_graph_of_a_run_is_built_beside_the_loop() -> None:
    """Whenever somebody asks where the run stands: in processor time, which a busy machine changes
    less."""
    spec = compile_text(TEXT, "long.flow.yaml").spec

    async def look() -> float:
        async with open_engine("memory:") as engine:
            kept = dump_spec(spec)
            await engine.store.create(RunRecord(id="r", name="long", file="l", spec=kept))
            await engine.state("r")  # what is loaded at first need
            whole, here = time.process_time(), time.thread_time()
            assert (await engine.state("r")).next == ()
            return (time.thread_time() - here) / (time.process_time() - whole)

    assert asyncio.run(look()) < 0.5


def many(count: int) -> str:
    return json.dumps(
        contract(
            workflow_type="parallel", steps=[step(f"s{n}", "researcher") for n in range(count)]
        )
    )


def test_the_loop_goes_on_while_a_long_contract_is_executed(store: str) -> None:
    """2,000 steps that may all start: whose turn it is was found out on the loop, each step
    compared with each, which took as long as to compile them."""
    source = many(2000)

    async def look() -> float:
        async with open_executing(store, Config()) as executing:
            made = await create_workflow(executing, LOCAL, WorkflowText(source=source))
            staff = await create_team(executing, LOCAL, TeamText(source=json.dumps(team())))
            asked = ExecuteWorkflow(workflow_id=made.workflow_id, team_id=staff.team_id)
            longest = 0.0
            task = asyncio.create_task(execute_workflow(executing, LOCAL, asked))
            while not task.done():
                before = time.thread_time()
                await asyncio.sleep(0.001)
                longest = max(longest, time.thread_time() - before)
            assert len(task.result().initial_assignments) == 2000
            return longest

    begin = time.thread_time()
    compile_here(source, CONTRACT, "contract")
    here = time.thread_time() - begin
    assert asyncio.run(look()) < here / 4


def task(number: int, *needs: int) -> TaskStep:
    named = tuple(f"s{need}" for need in needs)
    return TaskStep(f"s{number}", "", "r", "task", 1.0, named, "", None, named)


def test_steps_come_in_the_order_in_which_they_can_be_done() -> None:
    steps = [task(3, 1, 2), task(2, 0), task(1, 0), task(0), task(4)]
    found = [[step.id for step in level] for level in levels_of(steps)]
    assert found == [["s0", "s4"], ["s2", "s1"], ["s3"]]
    assert list(levels_of([task(0, 1), task(1, 0)])) == []
    assert remaining_minutes(steps, {"s0"}, sequential=False) == 2
    assert remaining_minutes(steps, (), sequential=False) == 3


def test_the_time_for_a_chain_grows_with_its_length() -> None:
    """In processor time: with the square of it, 16 times."""

    def used(count: int) -> float:
        chain = [task(n, *range(n - 1, n)) for n in range(1, count)][::-1]
        begin = time.thread_time()
        assert remaining_minutes(chain, (), sequential=False) == count - 1
        return time.thread_time() - begin

    assert min(used(8000) for _ in range(3)) < 8 * min(used(2000) for _ in range(3))


LONG = "x" * 5000
STORED = StoredWorkflow(
    id="wf-1", owner="", created="", name="w", file="f", format="flow", source=LONG, minutes=0
)


@pytest.mark.parametrize(
    "source", ["", "short\n", LONG, f"{LONG}\n{{}}\n", f"{LONG}\0", f'{LONG}"\\\u2028', f"\n{LONG}"]
)
def test_a_text_is_kept_as_it_was_sent(store: str, source: str) -> None:
    async def keep() -> Any:
        async with open_executing(store, Config()) as executing:
            value = replace(STORED, source=source)
            await executing.register.add(value)
            one = await executing.register.get(StoredWorkflow, "wf-1", None)
            assert await executing.register.page(StoredWorkflow, None, 5) == [one] == [value]

    asyncio.run(keep())


def test_a_row_of_an_earlier_version_is_read(store: str) -> None:
    async def keep() -> None:
        async with open_executing(store, Config()) as executing:
            fields = {name: getattr(STORED, name) for name in STORED.__dataclass_fields__}
            row = ("wf-1", "", "", executing.db.seal(json.dumps(fields)))
            await executing.db.run("insert into service_workflows values (?, ?, ?, ?)", row)
            assert await Register(executing.db).get(StoredWorkflow, "wf-1", None) == STORED

    asyncio.run(keep())
