"""What a host sees of a workflow's graph: its variables, its conversations, nothing of flowc's."""

from __future__ import annotations

import asyncio
from typing import Any

import flowc
import pytest
from flowc import errors
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

CHAT = """flow: 1
name: chat
threads: {hall: {seed: [system: You are polite.]}, notes: {}}
agents: {host: {thread: hall, remember: both}}
state: {answer: {type: text}}
nodes:
  - {name: answer, agent: host, into: answer}
  - {name: note, message: "{{ answer }}", thread: notes}
outputs: [answer]
"""
ASKING = CHAT.replace(
    "  - {name: note",
    "  - {name: fine, ask: Fine?, choices: ['yes', 'no'], into: fine}\n  - {name: note",
)
HELLO = {"messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def thread(name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


def talking(*answers: str, text: str = CHAT, saver: Any = None) -> Any:
    model = GenericFakeChatModel(messages=iter([AIMessage(content=a) for a in answers]))
    return flowc.load(text, model=model).graph(checkpointer=saver or InMemorySaver())


def said(messages: list[Any]) -> list[tuple[str, str]]:
    return [(message.type, message.content) for message in messages]


def test_nothing_of_flowc_s_own_is_in_what_a_host_sees():
    graph = talking("Good day.")
    parts = list(graph.stream(HELLO, thread("a"), stream_mode=["values", "updates", "debug"]))
    seen = {
        *graph.get_input_jsonschema()["properties"],
        *graph.get_output_jsonschema()["properties"],
        *graph.stream_channels_list,
        *graph.get_state(thread("a")).values,
        *(key for mode, part in parts if mode == "values" for key in part),
        *(
            key
            for mode, part in parts
            if mode == "updates"
            for wrote in part.values()
            for key in wrote or ()
        ),
    }
    assert seen == {"answer", "messages", "notes", "outcome"}


def test_no_path_of_the_machine_is_in_what_a_host_sees(here):
    text = (
        CHAT.replace("outputs:", "  - {name: more, call: more}\noutputs:", 1)
        + """workflows:
  more:
    agents: {host: {system: Be brief.}}
    nodes: [{name: say, agent: host, into: words}]
    outputs: [words]
"""
    )
    (here / "flows").mkdir()
    (here / "flows/chat.flow.yaml").write_text(text, encoding="utf-8")
    model = FakeListChatModel(responses=["Good day."])
    flow = flowc.load(here / "flows/chat.flow.yaml", model=model, project=here)
    graph = flow.graph(checkpointer=InMemorySaver())
    drawn = graph.get_graph(xray=True).nodes
    assert drawn["answer"].metadata["file"] == "flows/chat.flow.yaml"
    parts = list(graph.stream(HELLO, thread("a"), stream_mode=["messages", "custom"]))
    seen = [drawn, parts, graph.get_state(thread("a")).values]
    assert str(here) not in str(seen)


def test_a_variable_and_a_node_have_one_name():
    done = talking("Good day.").invoke(HELLO, thread("a"))
    assert (done["answer"], done["outcome"]) == ("Good day.", "success")


JUDGE = """flow: 1
name: judge
agents: {judge: {}}
state: {verdict: {type: object}, n: {type: object, default: {}}}
nodes:
  - name: judge
    agent: judge
    prompt: Is it good?
    schema: {type: object, properties: {good: {type: boolean}}, required: [good]}
    into: verdict
outputs: [verdict, n]
"""


def test_what_an_agent_answers_by_a_schema_has_that_type():
    graph = flowc.load(JUDGE, answers={"judge": '{"good": true}'}).graph()
    schema = graph.get_output_jsonschema()["properties"]
    judged = {"type": "object", "properties": {"good": {"type": "boolean"}}, "required": ["good"]}
    assert judged in schema["verdict"]["anyOf"]
    assert judged not in schema["n"]["anyOf"]
    assert graph.invoke({})["verdict"] == {"good": True}


def test_a_thread_of_langgraph_s_is_a_conversation():
    graph = talking("Good day.", "At ten.")
    graph.invoke(HELLO, thread("a"))
    graph.invoke({"messages": [HumanMessage("When?")]}, thread("a"))
    state = graph.get_state(thread("a")).values
    assert said(state["messages"]) == [
        ("system", "You are polite."),
        ("human", "Hello"),
        ("ai", "Good day."),
        ("human", "When?"),
        ("ai", "At ten."),
    ]
    assert said(state["notes"]) == [("human", "Good day."), ("human", "At ten.")]


def test_a_host_changes_the_conversation_between_turns():
    graph = talking("Good day.")
    graph.invoke(HELLO, thread("a"))
    asked = graph.get_state(thread("a")).values["messages"][1]
    new = [{"role": "user", "content": "Hi", "id": asked.id}, ("assistant", "Bye.")]
    graph.update_state(thread("a"), {"messages": new})
    messages = graph.get_state(thread("a")).values["messages"]
    assert [text for _, text in said(messages)] == ["You are polite.", "Hi", "Good day.", "Bye."]


def test_what_is_not_a_message_is_refused_in_words():
    with pytest.raises(errors.RunError, match="`messages` are messages, alone or in a list"):
        talking("x").invoke({"messages": [3]}, thread("a"))


def test_a_message_of_the_channel_has_the_id_of_its_pieces_and_is_streamed_once():
    graph = talking("Good day to you")
    parts = list(graph.stream(HELLO, thread("a"), stream_mode="messages"))
    pieces = [piece for piece, about in parts if about["langgraph_node"] == "answer"]
    assert "".join(piece.content for piece in pieces) == "Good day to you"
    kept = graph.get_state(thread("a")).values["messages"][-1]
    assert {piece.id for piece in pieces} == {kept.id}


def parent_of(flow: Any) -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("before", lambda state: {"messages": [AIMessage("One moment.")]})
    builder.add_node("chat", flow)
    builder.add_edge(START, "before")
    builder.add_edge("before", "chat")
    builder.add_edge("chat", END)
    return builder.compile(checkpointer=InMemorySaver())


def test_a_flow_speaks_in_a_parent_s_conversation():
    model = GenericFakeChatModel(messages=iter([AIMessage(content="Good day to you")]))
    graph = parent_of(flowc.load(ASKING, model=model).graph())
    parts = list(graph.stream(HELLO, thread("a"), stream_mode="messages", subgraphs=True))
    words = "".join(m.content for _, (m, about) in parts if about["langgraph_node"] == "answer")
    assert words == "Good day to you"
    (question,) = graph.get_state(thread("a")).interrupts
    assert question.value["node"] == "fine"
    done = graph.invoke(Command(resume="yes"), thread("a"))
    assert [m.content for m in done["messages"] if m.type != "system"] == [
        "Hello",
        "One moment.",
        "Good day to you",
    ]


def test_a_parent_forks_before_the_flow():
    model = FakeListChatModel(responses=["first", "second"])
    graph = parent_of(flowc.load(CHAT, model=model).graph())
    graph.invoke(HELLO, thread("a"))
    before = next(s for s in graph.get_state_history(thread("a")) if s.next == ("chat",))
    again = graph.invoke(None, before.config)
    assert said(again["messages"])[-1] == ("ai", "second")


def test_a_long_conversation_is_not_kept_again_at_every_step(here):
    async def go() -> list[int]:
        sizes = []
        async with AsyncSqliteSaver.from_conn_string("chat.db") as saver:
            graph = talking(*["x" * 1000] * 60, saver=saver)
            for number in range(1, 61):
                asked = {"messages": [HumanMessage(f"{number}" + "y" * 1000)]}
                await graph.ainvoke(asked, thread("a"))
                if number in (20, 40, 60):
                    await saver.conn.execute("pragma wal_checkpoint(truncate)")
                    sizes.append((here / "chat.db").stat().st_size)
            messages = (await graph.aget_state(thread("a"))).values["messages"]
        return [len(messages), *sizes]

    count, first, second, third = asyncio.run(go())
    assert count == 121
    # Where each step keeps all of it again, the last third takes five times as much as the first.
    assert third - second < 2 * first
