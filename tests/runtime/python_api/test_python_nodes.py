"""Nodes that call functions: what they are given, what is known of them, what a run promises."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import flowc
import pytest
from flowc import errors
from flowc.compiler.driver import compile_file, compile_text
from flowc.runtime.emitted.verify import load_module
from killing import Killed, in_process, kill_me
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from projects import write_files

SHOP = """flow: 1
name: shop
params: {item: text, count: {type: integer, default: 2}}
state: {price: number, stock: integer}
nodes:
  - name: quote
    python: quote
    args: {item: item, count: count}
    into: price
  - name: look
    python: look
    sets: [stock]
outputs: [price, stock]
"""
ONE = """flow: 1
name: one
state: {found: any}
nodes:
  - {name: call, python: find, args: {what: '"pears"'}, into: found}
outputs: [found]
"""


def quote(item: str, count: int) -> int:
    return len(item) * count


async def look(state, config, runtime):
    assert config["metadata"]["langgraph_node"] == "look"
    runtime.stream_writer({"looked": state["price"]})
    return {"stock": 7}


def test_a_function_gets_arguments_or_the_state_and_is_async_or_not():
    threads = []

    def watched(item, count):
        threads.append(threading.current_thread())
        return quote(item, count)

    flow = flowc.load(SHOP, nodes={"quote": watched, "look": look})
    outcome = flow.run({"item": "pear"})
    assert outcome.variables == {"item": "pear", "count": 2, "price": 8, "stock": 7}
    assert threading.main_thread() not in threads  # which the event loop would wait for
    parts = list(flow.graph().stream({"item": "fig"}, stream_mode="custom"))
    assert {"looked": 6} in parts
    called = [part for part in parts if part.get("kind") == "tool_called"]
    assert [part["data"]["tool"] for part in called] == ["quote", "look"]


def test_a_function_may_ask_for_all_arguments_at_once_and_for_the_key_of_its_call():
    given = {}

    def find(inputs, idempotency_key, least=1):
        given.update(inputs=inputs, key=idempotency_key, least=least)

    assert flowc.load(ONE, nodes={"find": find}).run().status == "success"
    assert (given["inputs"], given["least"]) == ({"what": "pears"}, 1)
    assert given["key"]


@pytest.mark.parametrize(
    ("function", "place", "words"),
    [
        (lambda wat=0: 1, "<text>:5:39", "takes no `what`"),
        (lambda what, more: 1, "<text>:5:26", "needs `more`"),
        (lambda what, more=1: 1, "", ""),
        (lambda **rest: 1, "", ""),
        (lambda inputs: 1, "", ""),
    ],
)
def test_a_function_that_does_not_take_its_arguments_is_a_fault_of_the_file(function, place, words):
    """FC4004, at the argument or at the name."""
    flow = flowc.load(ONE, nodes={"find": function})
    found = [str(d) for d in flow.diagnostics if d.code == "FC4004"]
    assert len(found) == bool(place)
    assert all(line.startswith(place) and words in line for line in found)
    assert flow.ok is not bool(place)


Whole = Annotated[int, "a number"]


def kinds(item: int | None, count: Literal["a", 3], price: Whole = 0) -> list[Any]: ...


def numbers(item: str, count: float) -> bool: ...


def lost(item: NoSuchName, count: Any): ...  # noqa: F821


def strange(item: Path, count: Sequence[int]) -> int: ...


async def later(item: str, count: int) -> str: ...


@pytest.mark.parametrize(
    ("function", "faults"),
    [
        (
            kinds,
            [
                "<text>:7:13: error[FC4004] `quote` gives a list, but `price` holds a number",
                "<text>:8:12: error[FC4004] `quote` takes a whole number as `item`, this is a text",
            ],
        ),
        (
            numbers,
            ["<text>:7:13: error[FC4004] `quote` gives true or false, but `price` holds a number"],
        ),
        (
            strange,
            ["<text>:8:24: error[FC4004] `quote` takes a list as `count`, this is a whole number"],
        ),
        (
            later,
            ["<text>:7:13: error[FC4004] `quote` gives a text, but `price` holds a number"],
        ),
        (lost, []),
        (partial(quote, count=3), []),
        (partial(kinds, price=3), None),
    ],
)
def test_annotations_are_compared_with_the_types_that_the_file_declares(function, faults):
    flow = flowc.load(SHOP, nodes={"quote": function, "look": look})
    found = [str(d) for d in flow.diagnostics]
    assert found == faults or (faults is None and len(found) == 2)


def test_a_value_of_a_type_that_only_the_run_can_tell_fits_every_annotation():
    def find(what: int) -> str: ...

    for value in ("n", "n + 1", "n.part"):
        text = ONE.replace("{what: '\"pears\"'}", f"{{what: {value}}}")
        text = text.replace("state: {found: any}", "state: {found: any, n: any}")
        flow = flowc.load(text, nodes={"find": find})
        assert [d for d in flow.diagnostics if d.code == "FC4004"] == []
    written = flowc.load(ONE, nodes={"find": find}).diagnostics
    assert [str(d.code) for d in written] == ["FC4004"]


@pytest.mark.parametrize("value", [3, "find"])
def test_what_is_no_function_binds_nothing(value):
    with pytest.raises(errors.RunError, match=r"`find` is bound to .*, which is not a function"):
        flowc.load(ONE, nodes={"find": value})


def test_a_name_that_was_mistyped_is_pointed_at():
    (fault,) = flowc.load(ONE, nodes={"finds": print}).diagnostics
    assert (fault.code, fault.help) == ("FC4004", "did you mean `finds`?")


@pytest.mark.parametrize("name", ["shop.prices:quote()", "a b", "shop:", "state"])
def test_what_cannot_be_a_function_is_refused_without_any_binding(name):
    text = ONE.replace("find", f'"{name}"').replace("what:", f"{name if name == 'state' else 'x'}:")
    assert [d.code for d in compile_text(text).diagnostics] == ["FC4004"]


@pytest.fixture
def marked(here: Path):
    """A module that leaves a mark when it is imported, and a document that names it."""
    name = "shop_of_marks"
    (here / f"{name}.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\ndef find(what): return what + '!'\n"
    )
    yield ONE.replace("find", f"{name}:find")
    sys.modules.pop(name, None)
    sys.path[:] = [entry for entry in sys.path if entry != str(here)]


def test_a_document_alone_imports_nothing(marked, here, monkeypatch):
    monkeypatch.syspath_prepend(here)
    flow = flowc.load(marked)
    assert flow.ok
    flow.draw()
    with pytest.raises(errors.RunError, match=r"no function is bound to .*\[nodes\] python") as e:
        flow.run()
    assert e.value.message.startswith("<text>:5:")
    with pytest.raises(errors.RunError, match="no function is bound to"):
        flow.graph().invoke({})
    assert not (here / "imported").exists()


def test_what_the_configuration_lists_is_imported_when_it_runs(marked, here):
    (here / "flowc.toml").write_text('[nodes]\npython = ["shop_of_marks:find"]\n')
    flow = flowc.load(marked)
    flow.graph()
    flow.draw()
    assert not (here / "imported").exists()
    assert flow.run().result == "pears!"
    assert flow.graph().invoke({})["found"] == "pears!"


def test_arguments_that_a_listed_function_does_not_take_are_refused_before_the_run(marked, here):
    (here / "flowc.toml").write_text('[nodes]\npython = ["shop_of_marks:find"]\n')
    with pytest.raises(errors.RunError, match=r"^<text>:5:.*takes no `why`"):
        flowc.load(marked.replace("what:", "why:")).run()


def test_annotations_of_a_listed_function_count_before_the_run(marked, here):
    (here / "flowc.toml").write_text('[nodes]\npython = ["shop_of_marks:find"]\n')
    module = here / "shop_of_marks.py"
    module.write_text("def find(what: int) -> int: return what\n")
    with pytest.raises(errors.RunError, match=r"^<text>:5:.*takes a whole number as `what`"):
        flowc.load(marked).run()
    module.write_text("def find(what) -> str: return what\n")
    sys.modules.pop("shop_of_marks")
    with pytest.raises(errors.RunError, match=r"^<text>:5:.*gives a text, but `found` holds a num"):
        flowc.load(marked.replace("found: any", "found: number")).run()


def test_a_host_may_bind_the_name_of_a_module(marked, here):
    flow = flowc.load(marked, nodes={"shop_of_marks:find": lambda what: "mine"})
    assert flow.run().result == "mine"
    assert not (here / "imported").exists()


def test_a_call_that_was_made_is_not_made_again():
    calls = []
    text = ONE.replace("outputs:", "  - {name: ask, ask: Well?, into: found}\noutputs:")
    flow = flowc.load(text, nodes={"find": lambda what: calls.append(what)})
    waiting = flow.run()
    assert flow.resume(waiting.run, "yes").status == "success"
    assert calls == ["pears"]


def test_a_call_that_was_under_way_when_the_process_died_is_asked_about(here):
    def die(what):
        (here / "calls").open("a").write("x")
        kill_me()

    def begin():
        flowc.load(ONE, nodes={"find": die}).run(run="one")

    with pytest.raises(Killed):
        in_process(begin)
    flow = flowc.load(ONE, nodes={"find": die})
    waiting = flow.resume("one")
    assert [q.kind for q in waiting.questions] == ["unknown"]
    assert flow.resume("one", "kept").result == "kept"
    assert (here / "calls").read_text() == "x"


def test_a_failure_is_tried_again_and_taken_by_an_edge():
    def fail(what):
        tries.append(what)
        raise ValueError("no pears")

    tries = []
    retry = ONE.replace("into: found}", "into: found, retry: 2, effect: idempotent}")
    failed = flowc.load(retry, nodes={"find": fail}).run()
    assert (failed.status, len(tries)) == ("error", 2)
    assert failed.error["message"] == "`find` raised ValueError: no pears"
    taken = ONE.replace("into: found}", "into: found, on_error: end}")
    assert flowc.load(taken, nodes={"find": fail}).run().status == "success"


def test_a_function_that_acts_once_is_warned_about_where_it_is_tried_again():
    codes = [d.code for d in compile_text(ONE.replace("into: found}", "retry: 2}")).diagnostics]
    assert "FC5001" in codes
    pure = ONE.replace("into: found}", "retry: 2, effect: pure}")
    assert "FC5001" not in [d.code for d in compile_text(pure).diagnostics]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"stock": 1, "price": 2}, "`look` sets `price`, which the node does not say"),
        ([1], "`look` has to return an object with `stock`"),
        (object(), "`look` gave no JSON value"),
    ],
)
def test_a_result_that_does_not_fit_is_a_failure_in_words(value, words):
    outcome = flowc.load(SHOP, nodes={"quote": quote, "look": lambda: value}).run({"item": "x"})
    assert outcome.status == "error"
    assert words in outcome.error["message"]


@pytest.mark.parametrize("source", [ONE, ONE.replace("python: find", "tool: find")])
def test_a_function_that_says_it_was_cancelled_has_failed(source):
    async def find(what: str) -> str:
        """Give up."""
        raise asyncio.CancelledError

    outcome = flowc.load(source, tools=[find], nodes={"find": find}).run()
    assert outcome.status == "error"
    assert outcome.error["message"] == "`find` raised CancelledError"


def test_a_function_may_interrupt_and_is_called_again_with_the_answer():
    asked = []

    def find(what):
        asked.append(what)
        return interrupt(f"Which {what}?")

    flow = flowc.load(ONE, nodes={"find": find})
    waiting = flow.run()
    assert [q.text for q in waiting.questions] == ["Which pears?"]
    assert flow.resume(waiting.run, "red").result == "red"
    graph = flow.graph(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "a"}}
    assert graph.invoke({}, config)["__interrupt__"][0].value == "Which pears?"
    assert graph.invoke(Command(resume="green"), config)["found"] == "green"
    assert len(asked) == 4


def test_a_recording_answers_in_place_of_the_function(here):
    calls = []
    flow = flowc.load(ONE, nodes={"find": lambda what: calls.append(what) or "fruit"})
    flow.run(record="one.yaml")
    assert flowc.load(ONE).run(replay="one.yaml").result == "fruit"
    assert calls == ["pears"]


def test_a_time_out_leaves_a_call_that_acts_once_in_doubt():
    entered = threading.Event()

    async def find(what):
        entered.set()
        await asyncio.Event().wait()

    text = ONE.replace("into: found}", "into: found, timeout: 1}")
    flow = flowc.load(text, nodes={"find": find})
    outcome = flow.run()
    assert (outcome.status, outcome.error["kind"]) == ("error", "timeout")
    assert entered.is_set()
    assert [q.kind for q in flow.resume(outcome.run).questions] == ["unknown"]


def test_a_listed_function_is_called_in_the_project_that_compile_writes(marked, here):
    """It comes along, and is found wherever the project is."""
    (here / "flowc.toml").write_text('[nodes]\npython = ["shop_of_marks:find"]\n')
    (here / "one.flow.yaml").write_text(marked)
    write_files(compile_file("one.flow.yaml"), here / "out")
    moved = here.rename(here.with_name("moved")) / "out"
    (moved / "elsewhere").mkdir()
    os.chdir(moved / "elsewhere")
    (module,) = moved.glob("graphs/*.py")
    assert load_module(module).graph.invoke({})["found"] == "pears!"
    os.chdir(moved.parent.rename(here))


def test_a_replay_calls_no_function_and_tells_of_its_call(here):
    calls, heard = [], []

    def find(what: str) -> str:
        calls.append(what)
        return "found"

    flow = flowc.load(ONE, nodes={"find": find})
    recorded = flow.run(record=here / "tape", listen=heard.append)
    replayed = flow.run(replay=here / "tape", listen=heard.append)
    assert replayed.variables == recorded.variables
    assert calls == ["pears"]
    assert [e.data["tool"] for e in heard if e.kind == "tool_called"] == ["find", "find"]
