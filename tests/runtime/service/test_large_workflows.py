"""A workflow of thousands of nodes holds nobody up: what is done for it is done in pieces, or
beside the event loop."""

from __future__ import annotations

import asyncio
import io
import pickle
import time

from flowc.compiler.driver import compile_text
from flowc.compiler.lowering.serde import dump_spec
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.service.bodies.compile import compile_here
from flowc.runtime.service.bodies.request_worker import elements_of, pickle_parts, unpickle_parts
from flowc.runtime.store.runs import RunRecord

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
