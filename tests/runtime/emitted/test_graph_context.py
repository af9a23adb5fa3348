"""The context of an execution: what an assistant may choose, and that it only narrows grants."""

from __future__ import annotations

import asyncio
from typing import Any

import flowc
import pytest
from flowc import errors
from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime
from openai_server import Say

TALK = """flow: 1
name: talk
nodes:
  - {name: a, agent: host, prompt: Hello, into: x}
  - {name: b, agent: host, prompt: Again, into: y}
outputs: [y]
"""
COMMAND = """flow: 1
name: command
nodes:
  - {name: run, exec: "echo $(ls /sys/class/net | wc -l)", into: x, network: true}
outputs: [x]
"""


class Settable(FakeListChatModel):
    """A model that notes the settings of its calls."""

    async def _astream(self, messages: Any, *rest: Any, **more: Any) -> Any:
        SEEN.append({name: more.get(name) for name in ("temperature", "max_tokens")})
        async for chunk in super()._astream(messages, *rest, **more):
            yield chunk


SEEN: list[dict[str, Any]] = []


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SEEN.clear()


def talk(**more: Any) -> Any:
    models = {"own:other": Settable(responses=["other"])}
    return flowc.load(TALK, model=Settable(responses=["usual"]), models=models, **more).graph()


def test_a_context_chooses_the_model_of_one_execution():
    graph = talk()
    assert graph.invoke({}, context={"model": "own:other"})["y"] == "other"
    assert graph.invoke({})["y"] == "usual"


def test_settings_go_with_every_call_of_a_model():
    settings = {"temperature": 0.5, "max_output_tokens": 7}
    talk().invoke({}, context={"model_settings": settings})
    assert SEEN == [{"temperature": 0.5, "max_tokens": 7}] * 2
    SEEN.clear()
    talk().invoke({})
    assert [call["temperature"] for call in SEEN] == [None, None]


def test_settings_are_in_the_request_that_a_provider_gets(openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("FLOWC_BASE_URL", openai_server.url)
    openai_server.will(*[Say("Good day.")] * 4)
    graph = flowc.load(TALK, model="openai:gpt-demo").graph()
    settings = {"temperature": 0.5, "top_p": 0.25, "max_output_tokens": 7}
    graph.invoke({}, context={"model_settings": settings})
    graph.invoke({})
    names = ("temperature", "top_p", "max_completion_tokens")
    asked = [[r.body.get(name) for name in names] for r in openai_server.requests]
    assert asked == [[0.5, 0.25, 7]] * 2 + [[None, None, None]] * 2


@pytest.mark.parametrize(("limits", "name"), [({"steps": 1}, "steps"), ({"tokens": 1}, "tokens")])
def test_a_limit_holds_for_one_execution(limits, name):
    graph = talk()
    with pytest.raises(errors.LimitReached) as stopped:
        graph.invoke({}, context={"limits": limits})
    assert stopped.value.name == name
    assert graph.invoke({})["y"] == "usual"


def test_a_limit_on_seconds_cuts_what_is_under_way():
    async def wait() -> None:
        await asyncio.Event().wait()

    text = "flow: 1\nname: w\nnodes: [{name: wait, python: wait}]\n"
    graph = flowc.load(text, nodes={"wait": wait}).graph()
    with pytest.raises(errors.LimitReached, match="the time that this execution has is over"):
        graph.invoke({}, context={"limits": {"seconds": 0.2}})


def test_of_two_limits_the_lower_one_counts(monkeypatch):
    monkeypatch.setenv("FLOWC_MAX_STEPS", "1")
    with pytest.raises(errors.LimitReached, match="1 steps are done"):
        talk().invoke({}, context={"limits": {"steps": 100}})


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"modell": "x"}, "the context has no `modell`; did you mean `model`"),
        ({"limits": {"tokens": "many"}}, r"limits\.tokens: 'many' is not of type 'integer'"),
        (
            {"limits": {"visits": 3}},
            "has no `limits.visits`; there are tokens, cost, seconds, steps",
        ),
        ({"model_settings": {"temperature": 3}}, r"temperature: 3 is greater than"),
        ("x", "the context is an object, not 'x'"),
        ({"permissions": {"commands": "allow"}}, "asks for more than was granted: permissions.c"),
        ({"permissions": {"network": True}}, "asks for more than was granted: permissions.network"),
        ({"permissions": {"sandbox": "off"}}, "asks for more than was granted: permissions.sand"),
    ],
)
def test_what_a_context_may_not_have_is_refused_in_words(context, words):
    with pytest.raises(errors.RunError, match=words):
        talk().invoke({}, context=context)


def test_permissions_only_narrow_what_was_granted():
    """Also what the workflow's file grants its own commands."""
    may = flowc.Permissions(commands="allow", network=True)
    graph = flowc.load(COMMAND, permissions=may).graph(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "a"}}
    narrow = {"permissions": {"commands": "ask", "network": False}}
    (asked,) = graph.invoke({}, config, context=narrow)["__interrupt__"]
    assert "without network" in asked.value["text"]
    allowed = {"permissions": {"commands": "allow", "network": True}}
    assert "x" in graph.invoke({}, {"configurable": {"thread_id": "b"}}, context=allowed)


def test_what_an_assistant_can_choose_is_in_the_schema():
    graph = talk()
    assert graph.context_schema is not None
    schema = graph.get_context_jsonschema()
    assert set(schema["properties"]) == {"model", "model_settings", "limits", "permissions"}
    limits = schema["$defs"]["ContextLimits"]["properties"]
    assert limits["cost"]["description"] == "dollars of all model calls"


def test_the_context_of_a_graph_around_is_its_own():
    def look(state: dict[str, str], runtime: Runtime[dict[str, str]]) -> dict[str, str]:
        return {"x": runtime.context["tone"]}

    inner = talk()
    around: Any = StateGraph(dict, context_schema=dict)
    around.add_node("talk", lambda state: {"y": inner.invoke({})["y"]})
    around.add_edge("__start__", "talk")
    assert around.compile().invoke({}, context={"tone": "dry"})["y"] == "usual"
