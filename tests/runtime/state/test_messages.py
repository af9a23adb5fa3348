"""Messages between flowc's parts and LangGraph's channels."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.runtime.errors import RunError
from flowc.runtime.state.conversations import append_within, fold_messages, reset
from flowc.runtime.state.messages import channel_message, host_messages, message_of, seed_messages
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
KEYS = st.sampled_from(["name", "x", "type", "example"])
MESSAGE = st.builds(
    lambda role, content, extra: {"role": role, "content": content, **extra},
    st.sampled_from(["system", "user", "assistant", "tool", "elf", "human", "ai"]),
    st.text(max_size=9) | JSON,
    st.fixed_dictionaries(
        {},
        optional={
            "tool_calls": st.just([{"id": "1", "name": "look", "args": {"x": 1}}]) | JSON,
            "tool_call_id": st.just("1") | JSON,
            "content_too": JSON,
        },
    )
    | st.dictionaries(KEYS, JSON),
)
DONE = {"role": "assistant", "content": "done", "id": "a1"}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(MESSAGE)
def test_a_message_comes_back_as_it_was(message: dict[str, Any]) -> None:
    assert message_of(channel_message(message)) == message


def kept(role: str, content: str, id: str) -> Any:
    return channel_message({"role": role, "content": content, "id": id})


def texts(messages: list[Any]) -> list[str]:
    return [message.content for message in messages]


def test_a_message_takes_the_place_of_one_with_its_id() -> None:
    talk = [kept("user", "one", "1"), kept("assistant", "two", "2")]
    assert texts(fold_messages(talk, [[AIMessage("three", id="2")]])) == ["one", "three"]
    assert texts(fold_messages(talk, [[RemoveMessage(id="1")]])) == ["two"]
    assert texts(fold_messages(talk, [[RemoveMessage(id="9"), HumanMessage("x", id="1")]])) == [
        "x",
        "two",
    ]
    cleared = [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("anew", id="1")]
    assert texts(fold_messages(talk, [cleared])) == ["anew"]


WRITE = (
    st.lists(st.builds(kept, st.just("user"), st.text(max_size=5), st.sampled_from("abcd")))
    | st.builds(lambda id: [RemoveMessage(id=id)], st.sampled_from("abcd"))
    | st.builds(lambda text, id: reset([kept("user", text, id)]), st.text(), st.sampled_from("ab"))
    | st.builds(
        lambda text, id: append_within([kept("assistant", text, id)], 8, 1),
        st.text(max_size=6),
        st.text(min_size=5, max_size=5),
    )
)


@given(st.lists(WRITE, max_size=4), st.lists(WRITE, max_size=4))
def test_two_batches_give_what_one_gives(first: Any, second: Any) -> None:
    assert fold_messages(fold_messages([], first), second) == fold_messages([], first + second)


def test_what_langchain_takes_for_a_message_counts() -> None:
    talk = fold_messages([], [("user", "one"), [{"role": "ai", "content": "two", "id": "x"}]])
    assert [(m.type, m.content) for m in talk] == [("human", "one"), ("ai", "two")]


def test_seeds_have_the_same_ids_in_every_process() -> None:
    seeds = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Be brief."}]
    assert seed_messages(seeds) == seed_messages(seeds)
    assert len({message.id for message in seed_messages(seeds)}) == 2


def test_messages_of_a_host_have_ids_and_others_are_refused() -> None:
    (one,) = host_messages("hello")
    assert (one.type, one.content) == ("human", "hello")
    assert one.id
    assert host_messages(None) == []
    with pytest.raises(RunError, match="`messages` are messages"):
        host_messages([3])
    with pytest.raises(RunError, match="`messages` are messages") as refused:
        host_messages([{"role": "elf", "content": "x"}])
    assert "\n" not in refused.value.message  # LangChain's goes on with an address
