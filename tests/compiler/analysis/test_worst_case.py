"""The most that a run can do: told beforehand, and never less than what runs come to."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from flowc.compiler.analysis.worst_case import worst_case
from flowc.compiler.driver import compile_file, compile_text
from flowc.runtime.assembly.compose import make_services
from flowc.runtime.assembly.run_options import RunOptions
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import World

SHIPPED = Path(__file__).parents[3] / "workflows/examples"
ANSWERED = sorted(SHIPPED.glob("*/*.answers.yaml"))


def told(nodes: str, head: str = "") -> tuple[int | None, int | None, str]:
    result = compile_text(f"flow: 1\n{head}\nnodes:\n{nodes}\n", "a.flow.yaml")
    assert result.ok, [d.message for d in result.diagnostics]
    bounds = worst_case(result.program)
    return bounds.steps, bounds.model_calls, bounds.why


ASK = "  - {name: ask, agent: a, prompt: What?, into: x%s}"
AGAIN = '\n  - {name: again, choose: x, cases: {"no": ask}, otherwise: end}'


def test_a_line_is_counted():
    assert told(ASK % "") == (2, 1, "")
    assert told(ASK % ", tools: [read_file], retry: 2") == (2, 100, "")


def test_a_loop_has_as_many_rounds_as_its_limit_says():
    assert told(ASK % "" + AGAIN)[:2] == (None, None)
    assert told(ASK % "" + AGAIN)[2].startswith("nothing limits how often")
    steps, calls, why = told(ASK % ", limits: {visits: 3}" + AGAIN)
    assert (calls, why) == (3, "")
    assert steps is not None
    assert told(ASK % "" + AGAIN, "limits: {steps: 7}")[:2] == (7, 7)
    assert told(ASK % ", limits: {visits: length(x)}" + AGAIN)[0] is None


def test_elements_count_where_the_list_is_in_the_file():
    inner = f"\nworkflows:\n  in:\n    params: {{i: any}}\n    nodes:\n    {ASK % ''}"
    each = "  - {name: each, foreach: %s, do: in, item: i, into: y}" + inner
    steps, calls, why = told(each % "'[1, 2, 3]'")
    assert (steps, calls, why) == (8, 3, "")
    assert told(each % "x", "params: {x: list}")[1:] == (
        None,
        "how many elements `each` goes through is computed",
    )


def spent(nodes: str, head: str = "") -> tuple[int | None, float | None, str]:
    result = compile_text(f"flow: 1\n{head}\nnodes:\n{nodes}\n", "a.flow.yaml")
    assert result.ok, [d.message for d in result.diagnostics]
    bounds = worst_case(result.program)
    return bounds.tokens, bounds.cost, bounds.unbounded


def test_tokens_and_cost_have_a_number_where_limits_give_one():
    assert spent(ASK % "") == (None, None, "ask")
    assert spent(ASK % "", "limits: {tokens: 900, cost: 0.25}") == (900, 0.25, "")
    assert spent(ASK % ", limits: {tokens: 400}" + AGAIN) == (400, None, "")
    assert spent("  - {name: set, assign: {x: '1'}}") == (0, 0, "")
    both = ASK % ", limits: {tokens: 400}" + "\n" + (ASK % "").replace("name: ask", "name: more")
    assert spent(both) == (None, None, "more")
    assert spent(both, "limits: {tokens: 9000}") == (9000, None, "")


def test_a_called_workflow_uses_its_limit_up_once_a_run():
    bounded = "params: {i: any}\n    limits: {tokens: 70}"
    inner = f"\nworkflows:\n  in:\n    {bounded}\n    nodes:\n    {ASK % ''}"
    each = "  - {name: each, foreach: %s, do: in, item: i, into: y%s}"
    assert spent(each % ("'[1, 2, 3]'", "") + inner)[0] == 210
    assert spent(each % ("'[1, 2, 3]'", ", retry: 2") + inner)[0] == 420
    assert spent(each % ("'[1, 2, 3]'", ", limits: {tokens: 100}") + inner)[0] == 100
    assert spent(each % ("x", "") + inner, "params: {x: list}") == (None, None, "each")


@pytest.mark.parametrize("answers", ANSWERED, ids=lambda path: path.stem)
def test_no_shipped_workflow_does_more(answers):
    name = answers.name.removesuffix(".answers.yaml")
    (file,) = (
        answers.parent / f"{name}{suffix}"
        for suffix in (".flow.yaml", ".wf.md", ".md", ".json")
        if (answers.parent / f"{name}{suffix}").exists()
    )
    compiled = compile_file(str(file), team="people")
    bounds = worst_case(compiled.program)
    events = []

    async def go():
        options = RunOptions(answers=str(answers), workspace=str(file.parent), allow_exec=True)
        services = make_services(options, compiled.spec, Config())
        params = [param for param in compiled.spec.params if param.default is None]
        given = {param.name: {} if param.type == "object" else "x" for param in params}
        async with open_engine("memory:") as engine:
            return await engine.start(
                compiled.spec, services, run="r", inputs=given, options={},
                listeners=(events.append,),
            )  # fmt: skip

    outcome = asyncio.run(asyncio.wait_for(go(), 240))
    calls = sum(event.kind == "model_called" for event in events)
    assert outcome.nodes <= (bounds.steps or outcome.nodes)
    assert calls <= (calls if bounds.model_calls is None else bounds.model_calls)


@st.composite
def graphs(draw) -> str:
    """A workflow of assignments and choices that go where a count says, some with limits."""
    names = [f"n{n}" for n in range(draw(st.integers(2, 6)))]
    lines = []
    for name in names:
        visits = draw(st.none() | st.integers(1, 4))
        limits = f", limits: {{visits: {visits}}}" if visits else ""
        caught = draw(st.sampled_from([*names, None, None]))
        limits += f", on_error: {{to: {caught}, errors: limit}}" if caught else ""
        if draw(st.booleans()):
            there = draw(st.sampled_from([*names, "end"]))
            lines.append(f"  - {{name: {name}, assign: {{n: n + 1}}{limits}, next: {there}}}")
        else:
            one, other = (draw(st.sampled_from([*names, "end"])) for _ in "ab")
            ways = f'cases: {{"true": {one}, "false": {other}}}'
            lines.append(f"  - {{name: {name}, choose: n % 3 == 1, {ways}{limits}}}")
    state = "state: {n: {type: number, default: 0}}"
    return f"flow: 1\n{state}\nnodes:\n" + "\n".join(lines) + "\n"


@pytest.mark.fuzz
@given(graphs())
@settings(max_examples=40, deadline=None)
def test_no_generated_workflow_does_more(text):
    result = compile_text(text, "a.flow.yaml")
    if not result.ok:
        return
    bounds = worst_case(result.program)
    if bounds.steps is None:
        return
    world, entered = World(), []

    async def go() -> None:
        async with open_engine("memory:") as engine:
            await engine.start(
                result.spec, world, run="r", inputs={}, options={},
                listeners=(lambda e: entered.append(e.node) if e.kind == "node_started" else None,),
            )  # fmt: skip

    asyncio.run(asyncio.wait_for(go(), 240))
    assert len(entered) <= bounds.steps


def test_a_chain_longer_than_the_stack_of_python_is_counted() -> None:
    """The first node of the file is the last of the chain, and is counted first."""
    nodes = "".join(f"  - {{name: n{n}, assign: {{A: '1'}}}}\n" for n in range(3000))
    edges = "".join(f"  - {{from: n{n + 1}, to: n{n}}}\n" for n in range(2999))
    text = (
        f"flow: 1\nname: long\nstate: {{A: integer}}\nentry: n2999\nnodes:\n{nodes}edges:\n{edges}"
    )
    result = compile_text(text, "long.flow.yaml")
    assert result.program is not None
    assert worst_case(result.program).steps == 3001  # and the end
