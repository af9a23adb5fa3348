"""A workflow's graph in a program of LangGraph's keeps what `flowc run` promises."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import textwrap
import time
from typing import Any, TypedDict

import flowc
import pytest
from flowc import errors
from greeting import GREET
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def thread(name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


def graph_of(text: str, **how: Any) -> Any:
    return flowc.load(text, **how).graph(checkpointer=InMemorySaver())


ASK_MODEL = """flow: 1
name: pay
agents: {host: {system: You are polite.}}
nodes:
  - {name: hello, agent: host, prompt: Say hello., into: greeting}
outputs: [greeting]
"""


def test_a_limit_on_tokens_holds_for_each_run_not_for_the_process():
    text = ASK_MODEL.replace("agents:", "limits: {tokens: 400}\nagents:")
    graph = graph_of(text, model=FakeListChatModel(responses=["Good day to you."]))
    for number in range(6):
        assert graph.invoke({}, thread(str(number)))["greeting"] == "Good day to you."


def test_a_limit_on_tokens_stops_one_run():
    text = ASK_MODEL.replace("agents:", "limits: {tokens: 40}\nagents:")
    graph = graph_of(text, model=FakeListChatModel(responses=["Good day to you."]))
    with pytest.raises(errors.Failure, match="the limit of `pay` of 40 tokens"):
        graph.invoke({}, thread("a"))


def test_a_graph_with_a_checkpointer_asks_for_a_thread():
    graph = graph_of(GREET, model=FakeListChatModel(responses=["Hi."]))
    with pytest.raises(errors.RunError, match="needs a thread"):
        graph.invoke({"WHO": "Ada"})


NAP = """flow: 1
name: nap
limits: {seconds: 1}
state: {n: {type: integer, default: 0}}
nodes:
  - {name: nap, tool: nap, args: {seconds: 0.6}, into: done}
  - name: count
    assign: {n: n + 1}
    next: [{when: n < 20, to: nap}]
"""


def test_a_limit_on_seconds_holds():
    async def nap(seconds: float) -> str:
        """Wait."""
        await asyncio.sleep(seconds)
        return "done"

    began = time.monotonic()
    with pytest.raises(errors.Failure, match="the time that the workflow has is over"):
        graph_of(NAP, tools=[nap]).invoke({}, thread("a"))
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, r"<text>:4:3 needs the input `WHO` \(write {\"WHO\": …}\)"),
        ({"WHO": "Ada", "WHOM": "Eve"}, r"has no input `WHOM` \(did you mean `WHO`\?\)"),
        ({"WHO": ["Ada"]}, "`WHO` of <text>:4:3 must be a text, not"),
        ({"WHO": "Ada", "TIMES": "two"}, "`TIMES` of <text>:5:3 must be a whole number"),
        ("Ada", "is an object, not 'Ada'"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(inputs, words):
    graph = graph_of(GREET, answers={"hello": "Good day."})
    with pytest.raises(errors.RunError, match=words):
        graph.invoke(inputs, thread("a"))
    assert graph.get_state(thread("a")).values == {}


def test_the_schema_of_the_input_says_what_is_required():
    schema = graph_of(GREET, answers={"hello": "x"}).get_input_jsonschema()
    assert schema["required"] == ["WHO"]
    assert schema["properties"]["TIMES"] == {"type": "integer", "default": 1}
    assert not [name for name in schema["properties"] if name.startswith("$")]


def test_a_thread_lives_on_for_fifty_turns():
    graph = graph_of(
        GREET.replace("outputs:", "limits: {visits: 3}\noutputs:"), answers={"hello": "Good day."}
    )
    for number in range(50):
        asked = graph.invoke({"WHO": str(number)}, thread("a"))
        assert asked["__interrupt__"][0].value["node"] == "confirm"
        done = graph.invoke(Command(resume="yes"), thread("a"))
        assert done["greeting"] == "Good day. yes"


def test_a_new_turn_leaves_the_question_of_the_last_one():
    graph = graph_of(GREET, answers={"hello": "Good day."})
    graph.invoke({"WHO": "Ada"}, thread("a"))
    graph.invoke({"WHO": "Bob", "TIMES": 3}, thread("a"))
    values = graph.get_state(thread("a")).values
    assert (values["WHO"], values["TIMES"], values["fine"]) == ("Bob", 3, None)
    graph.invoke({"WHO": "Eve"}, thread("a"))
    assert graph.get_state(thread("a")).values["TIMES"] == 1


COLLECT = """flow: 1
name: collect
params: {word: {type: text, required: true}}
state:
  words: {type: list, reducer: append, default: [first]}
  total: {type: number, reducer: add, default: 10}
  seen: {type: object, reducer: merge}
  plain: {type: text, default: as declared}
threads: {hall: {}}
nodes:
  - {name: note, assign: {words: word, total: 1, seen: 'put(seen, word, 1)', plain: word}}
  - {name: tell, message: "{{ word }}", thread: hall}
"""


def test_variables_begin_anew_and_conversations_go_on():
    graph = graph_of(COLLECT)
    for word in ("tea", "cake"):
        graph.invoke({"word": word}, thread("a"))
        values = graph.get_state(thread("a")).values
        assert values["words"] == ["first", word]
        assert values["total"] == 11
        assert values["seen"] == {word: 1}
        assert values["plain"] == word
    said = [message.content for message in values["messages"]]
    assert said == ["tea", "cake"]


def test_a_sum_of_whole_numbers_is_a_whole_number_as_in_a_run():
    text = """flow: 1
name: count
state: {rounds: {type: integer, reducer: add, default: 0}, seen: {type: text}}
nodes: [{name: look, tool: look, args: {x: rounds + 1}, into: seen}]
outputs: [seen]
"""

    def look(x: Any) -> str:
        """Say what a tool gets."""
        return repr(x)

    flow = flowc.load(text, tools=[look])
    graph = flow.graph(checkpointer=InMemorySaver())
    seen = [graph.invoke({}, thread("a"))["seen"] for _ in range(2)]
    assert [flow.run().result, *seen] == ["1"] * 3


def test_what_a_workflow_keeps_has_its_value_in_the_next_turn():
    text = COLLECT.replace("reducer: append,", "reducer: append, keep: true,").replace(
        "default: as declared}", "default: as declared, keep: true}"
    )
    graph = graph_of(text)
    graph.invoke({"word": "tea"}, thread("a"))
    graph.invoke({"word": "cake"}, thread("a"))
    values = graph.get_state(thread("a")).values
    assert (values["words"], values["total"]) == (["first", "tea", "cake"], 11)
    with pytest.raises(errors.RunError, match="has no input `words`"):
        graph.invoke({"word": "pie", "words": ["anew"]}, thread("a"))


def test_a_turn_that_failed_does_not_end_its_thread():
    text = """flow: 1
name: judge
params: {fine: {type: boolean, required: true}}
nodes:
  - name: judge
    assign: {}
    next: [{when: fine, to: success}, {to: failure}]
  - {name: success, end: success}
  - {name: failure, end: failed}
"""
    graph = graph_of(text)
    for _ in range(2):
        assert graph.invoke({"fine": False}, thread("a"))["outcome"] == "failed"
        assert graph.invoke({"fine": True}, thread("a"))["outcome"] == "success"


def test_a_program_that_is_not_async_streams_too():
    graph = graph_of(GREET, answers={"hello": "Good day."})
    parts = list(graph.stream({"WHO": "Ada"}, thread("a"), stream_mode="updates"))
    assert [name for part in parts for name in part] == ["hello", "__interrupt__"]


def test_a_stream_that_is_left_early_ends_at_a_checkpoint():
    graph = graph_of(
        """flow: 1
name: rounds
state: {n: {type: integer, default: 0}}
nodes:
  - name: count
    assign: {n: n + 1}
    next: [{when: n < 2000, to: count}]
"""
    )
    for _ in graph.stream({}, thread("a"), stream_mode="updates"):
        break
    left = graph.get_state(thread("a")).values["n"]
    assert 0 < left < 2000
    assert graph.invoke(None, thread("a"))["n"] == 2000


def test_a_saver_without_async_methods_is_refused_in_words(here):
    with SqliteSaver.from_conn_string(str(here / "a.db")) as saver:
        graph = flowc.load(GREET, answers={"hello": "x"}).graph(checkpointer=saver)
        with pytest.raises(errors.RunError, match="SqliteSaver has no async methods"):
            graph.invoke({"WHO": "Ada"}, thread("a"))


def test_custom_events_are_those_of_flowc_in_the_name_of_the_user_s_nodes():
    graph = graph_of(GREET, answers={"hello": "Good day."})
    events = list(graph.stream({"WHO": "Ada"}, thread("a"), stream_mode="custom"))
    assert [(event["kind"], event["node"]) for event in events] == [
        ("node_started", "hello"),
        ("model_text", "hello"),
        ("model_called", "hello"),
        ("node_finished", "hello"),
        ("node_started", "confirm"),
    ]


def test_the_stream_of_messages_has_the_words_of_a_model_in_the_name_of_the_user_s_node():
    model = GenericFakeChatModel(messages=iter([AIMessage(content="Good day to you")]))
    graph = graph_of(GREET, model=model)
    parts = list(graph.stream({"WHO": "Ada"}, thread("a"), stream_mode="messages"))
    assert "".join(chunk.content for chunk, _ in parts) == "Good day to you"
    assert len(parts) > 3
    assert {about["langgraph_node"] for _, about in parts} == {"hello"}
    assert len({chunk.id for chunk, _ in parts}) == 1


FAIL = """flow: 1
name: fail
nodes:
  - {name: call, tool: act, args: {}, into: done}
"""


def test_a_failing_run_does_not_wait_for_those_beside_it():
    started = asyncio.Event()

    async def act() -> str:
        """Fail, but for the first, which sleeps."""
        if not started.is_set():
            started.set()
            await asyncio.sleep(3)
            return "slept"
        raise ValueError("no")

    async def go() -> float:
        graph = flowc.load(FAIL, tools=[act]).graph()
        sleeping = asyncio.create_task(graph.ainvoke({}))
        await started.wait()
        began = time.monotonic()
        with pytest.raises(errors.Failure, match="ValueError: no"):
            await graph.ainvoke({})
        took = time.monotonic() - began
        await sleeping
        return took

    assert asyncio.run(go()) < 2


def test_a_flow_is_a_node_of_another_graph():
    class Parent(TypedDict, total=False):
        WHO: str
        greeting: str
        note: str

    flow = flowc.load(GREET, answers={"hello": "Good day."}).graph()
    builder = StateGraph(Parent)
    builder.add_node("before", lambda state: {"note": "begun", "WHO": "Ada"})
    builder.add_node("greet", flow)
    builder.add_edge(START, "before")
    builder.add_edge("before", "greet")
    builder.add_edge("greet", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    asked = graph.invoke({}, thread("a"))
    assert asked["__interrupt__"][0].value["node"] == "confirm"
    done = graph.invoke(Command(resume="yes"), thread("a"))
    assert (done["greeting"], done["note"]) == ("Good day. yes", "begun")


def test_drawing_starts_nothing():
    servers = {"mcpServers": {"gone": {"command": "no-such-program"}}}
    flow = flowc.load(FAIL, tools=[servers])
    assert "call" in flow.graph().get_graph().nodes


CHARGE = """flow: 1
name: charge
nodes:
  - {name: charge, tool: charge, args: {}, into: receipt}
outputs: [receipt]
"""
PROGRAM = '''
import asyncio, json, os, signal, sys
import flowc
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

def charge() -> str:
    """Charge a card."""
    with open("calls.log", "a") as log:
        log.write("charged\\n")
    if sys.argv[1] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return "receipt"

async def main():
    async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
        graph = flowc.load("charge.flow.yaml", tools=[charge]).graph(checkpointer=saver)
        given = {"die": {}, "go on": None}.get(sys.argv[1], Command(resume=sys.argv[1]))
        config = {"configurable": {"thread_id": "a"}}
        done = await graph.ainvoke(given, config, durability="sync")
        waiting = [i.value for i in done.get("__interrupt__", ())]
        print(json.dumps([done.get("receipt"), waiting]))

asyncio.run(main())
'''


@pytest.mark.parametrize(
    ("answer", "calls", "receipt"), [("repeat", 2, "receipt"), ("paid by hand", 1, "paid by hand")]
)
def test_a_call_that_a_kill_interrupted_is_asked_about(here, answer, calls, receipt):
    (here / "charge.flow.yaml").write_text(CHARGE, encoding="utf-8")
    (here / "program.py").write_text(textwrap.dedent(PROGRAM), encoding="utf-8")

    def program(what: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "program.py", what]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)

    assert program("die").returncode == -signal.SIGKILL
    value, (question,) = json.loads(program("go on").stdout)
    assert (value, question["kind"], question["idempotency_key"] != "") == (None, "unknown", True)
    done = program(answer)
    assert json.loads(done.stdout) == [receipt, []], done.stderr
    assert (here / "calls.log").read_text(encoding="utf-8").count("charged") == calls


def test_the_effects_of_a_later_turn_are_their_own(here):
    calls = []

    def charge() -> str:
        """Charge a card."""
        calls.append("charged")
        return f"receipt {len(calls)}"

    async def go() -> list[str]:
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            graph = flowc.load(CHARGE, tools=[charge]).graph(checkpointer=saver)
            return [(await graph.ainvoke({}, thread("a")))["receipt"] for _ in range(3)]

    assert asyncio.run(go()) == ["receipt 1", "receipt 2", "receipt 3"]
