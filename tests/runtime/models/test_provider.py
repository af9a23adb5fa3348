"""Language models over a real local HTTP server that speaks the OpenAI protocol."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from flowc.runtime.charges import Usage
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.models.faults import retry_after
from flowc.runtime.models.provider import Backoff, ProviderModels
from flowc.runtime.services import Message, ModelReply, ModelRequest, ToolSchema
from openai_server import Drop, Hang, OpenAIServer, Raw, Refuse, Say

KEY = "sk-test-0123456789abcdef"
LOG = ToolSchema(
    "git_log",
    "The last commits.",
    {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
)


class Waits(list[float]):
    """A clock that writes down how long it was asked to sleep."""

    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def waits() -> Waits:
    return Waits()


def provider(server: OpenAIServer, waits: Waits, timeout: float = 20.0) -> ProviderModels:
    backoff = Backoff(attempts=4, sleep=waits.sleep, random=lambda: 1.0)
    return ProviderModels("openai:gpt-demo", server.url, timeout, backoff)


def request(*messages: Message, **more: object) -> ModelRequest:
    given = {"messages": messages or ({"role": "user", "content": "hi"},), "tools": (), **more}
    return ModelRequest(node="ASK", prompt=None, visit=1, turn=1, **given)  # type: ignore[arg-type]


def call(models: ProviderModels, asked: ModelRequest) -> ModelReply:
    return asyncio.run(models.reply(asked))


def test_a_text_answer_with_its_tokens_and_model(openai_server, waits):
    openai_server.will(Say("hello", usage=(120, 8)))
    reply = call(provider(openai_server, waits), request())
    assert reply == ModelReply("hello", (), Usage(120, 8), "gpt-demo", id=reply.id)
    assert reply.id  # that of its pieces
    sent = openai_server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"


def test_a_whole_conversation_is_sent_as_it_stands(openai_server, waits):
    openai_server.will(Say("done"))
    conversation = (
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "log?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "name": "git_log", "args": {"count": 2}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "two commits"},
    )
    call(provider(openai_server, waits), request(*conversation, tools=(LOG,)))
    system, user, assistant, tool = openai_server.requests[0].body["messages"]
    assert (system["role"], user["content"], tool["content"]) == ("system", "log?", "two commits")
    assert tool["tool_call_id"] == "c1"
    function = assistant["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("git_log", {"count": 2})


def test_tools_go_out_with_their_schema_and_calls_come_back(openai_server, waits):
    openai_server.will(Say("let me look", [("git_log", {"count": 3}), ("git_log", {"count": 1})]))
    reply = call(provider(openai_server, waits), request(tools=(LOG,)))
    assert openai_server.requests[0].body["tools"][0]["function"] == {
        "name": "git_log",
        "description": "The last commits.",
        "parameters": LOG.parameters,
    }
    assert [(c["name"], c["args"]) for c in reply.tool_calls] == [
        ("git_log", {"count": 3}),
        ("git_log", {"count": 1}),
    ]
    assert len({c["id"] for c in reply.tool_calls}) == 2
    assert reply.text == "let me look"


def test_a_tool_can_be_forced(openai_server, waits):
    openai_server.will(Say(calls=[("git_log", {"count": 1})]))
    call(provider(openai_server, waits), request(tools=(LOG,), force_tool="git_log"))
    choice = openai_server.requests[0].body["tool_choice"]
    assert choice == {"type": "function", "function": {"name": "git_log"}}


def test_tool_names_that_providers_refuse_are_spelt_for_them_and_back(openai_server, waits):
    odd, other = ToolSchema("git log, all", "", {}), ToolSchema("git log; all", "", {})
    openai_server.answer = lambda r: Say(calls=[(r.body["tools"][1]["function"]["name"], {})])
    reply = call(provider(openai_server, waits), request(tools=(odd, other)))
    sent = [tool["function"]["name"] for tool in openai_server.requests[0].body["tools"]]
    assert sent == ["git_log__all", "git_log__all_2"]
    assert reply.tool_calls[0]["name"] == "git log; all"


def test_streaming_gives_the_pieces_and_still_counts_tokens(openai_server, waits):
    pieces: list[str] = []
    openai_server.will(Say("hello world", usage=(5, 3)))
    reply = call(provider(openai_server, waits), request(on_text=pieces.append))
    assert openai_server.requests[0].body["stream_options"] == {"include_usage": True}
    assert len(pieces) > 1
    assert "".join(pieces) == reply.text == "hello world"
    assert reply.usage == Usage(5, 3)


def test_streamed_tool_calls_are_put_together(openai_server, waits):
    openai_server.will(Say(calls=[("git_log", {"count": 3})]))
    reply = call(provider(openai_server, waits), request(tools=(LOG,), on_text=lambda _: None))
    assert [(c["name"], c["args"]) for c in reply.tool_calls] == [("git_log", {"count": 3})]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_or_broken_server_is_asked_again(openai_server, waits, status):
    openai_server.will(Refuse(status, "busy"), Refuse(status, "busy"), Say("at last"))
    told: list[tuple[int, str, float]] = []
    asked = request(on_retry=lambda *seen: told.append(seen))
    assert call(provider(openai_server, waits), asked).text == "at last"
    assert len(openai_server.requests) == 3, "each retry is ours, the client adds none"
    assert waits == [1.0, 2.0]
    assert told[0] == (1, f"openai answered {status}: busy", 1.0)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
def test_a_refusal_is_final(openai_server, waits, status):
    openai_server.will(Refuse(status, "refused"))
    with pytest.raises(Failure, match=f"openai answered {status}: refused"):
        call(provider(openai_server, waits), request())
    assert len(openai_server.requests) == 1
    assert waits == []


def test_a_wrong_key_names_the_variable_and_never_the_key(openai_server, waits):
    openai_server.will(Refuse(401, f"Incorrect API key provided: {KEY}. And sk-abcd**********wxyz"))
    with pytest.raises(Failure) as caught:
        call(provider(openai_server, waits), request())
    assert caught.value.help == "check OPENAI_API_KEY"
    assert "sk-" not in caught.value.message


def test_retry_after_is_honoured(openai_server, waits):
    openai_server.will(Refuse(429, headers={"retry-after": "7"}), Say("ok"))
    call(provider(openai_server, waits), request())
    assert waits == [7.0]


def test_nobody_waits_an_hour_because_a_server_says_so(openai_server, waits):
    openai_server.will(Refuse(429, "quota of the day", headers={"retry-after": "3600"}))
    with pytest.raises(Failure, match="quota of the day"):
        call(provider(openai_server, waits), request())
    assert waits == []


def test_an_empty_account_is_not_asked_again(openai_server, waits):
    openai_server.will(Refuse(429, "you exceeded your quota", code="insufficient_quota"))
    with pytest.raises(Failure) as caught:
        call(provider(openai_server, waits), request())
    assert caught.value.help == "the account has no credit left"
    assert waits == []


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("soon", None), ("1e99", None), ("-3", None), ("", None)],
)
def test_the_seconds_of_retry_after(value, seconds):
    assert retry_after({"Retry-After": value}) == seconds


def test_retry_after_in_milliseconds_and_as_a_date_in_the_past():
    assert retry_after({"retry-after-ms": "1500"}) == 1.5
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


def test_it_gives_up_after_its_attempts_with_the_providers_words(openai_server, waits):
    openai_server.answer = lambda _: Refuse(503, "overloaded")
    with pytest.raises(Failure, match=r"openai answered 503: overloaded \(tried 4 times\)"):
        call(provider(openai_server, waits), request())
    assert waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    "reply",
    [
        Raw("this is no json"),
        Raw("{}"),
        Raw('{"choices": null}'),
        Raw('{"choices": []}'),
        Raw("[1, 2]"),
        Raw("<html>sign in first</html>", "text/html"),
        Say(calls=[("git_log", '{"count": ')]),
        Drop(),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_malformed_answer_is_asked_for_again_and_then_a_failure(
    openai_server, waits, reply, stream
):
    more = {"on_text": lambda _: None} if stream else {}
    openai_server.will(reply, Say("better"))
    assert call(provider(openai_server, waits), request(tools=(LOG,), **more)).text == "better"
    openai_server.answer = lambda _: reply
    with pytest.raises(Failure):
        call(provider(openai_server, waits), request(tools=(LOG,), **more))


def test_a_server_that_says_nothing_is_a_time_out(openai_server, waits):
    openai_server.answer = lambda _: Hang()
    with pytest.raises(Failure) as caught:
        call(provider(openai_server, waits, timeout=0.5), request())
    assert caught.value.kind == "timeout"
    assert len(waits) == 3


def test_no_server_at_all_says_where_it_was_looked_for(waits):
    with OpenAIServer() as closed:
        url = closed.url
    backoff = Backoff(attempts=2, sleep=waits.sleep)
    with pytest.raises(Failure) as caught:
        call(ProviderModels("openai:gpt-demo", url, 5.0, backoff), request())
    assert url in caught.value.message
    assert len(waits) == 1


def test_an_agents_own_model_belongs_to_the_same_provider(openai_server, waits):
    openai_server.will(Say("a"), Say("b"))
    models = provider(openai_server, waits)
    call(models, request(model="gpt-small"))
    call(models, request(model="openai:gpt-large"))
    assert [r.body["model"] for r in openai_server.requests] == ["gpt-small", "gpt-large"]


def test_a_missing_key_names_the_variable_before_anything_runs(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(RunError) as caught:
        ProviderModels("openai:gpt-demo").prepare()
    assert "OPENAI_API_KEY is not set" in caught.value.message
    assert "--base-url" in caught.value.help
    assert caught.value.exit_code == 2


def test_a_local_server_needs_no_key(openai_server, waits, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    openai_server.will(Say("hello"))
    assert call(provider(openai_server, waits), request()).text == "hello"


def test_a_missing_provider_package_gives_the_line_that_installs_it():
    with pytest.raises(RunError) as caught:
        ProviderModels("mistralai:small").prepare()
    assert caught.value.help == "pip install langchain-mistralai"


@pytest.mark.parametrize("name", ["nobody:x", "what-is-this", ":", ""])
def test_a_name_that_is_no_model_shows_how_one_is_written(name):
    with pytest.raises(RunError) as caught:
        ProviderModels(name).prepare()
    assert "provider:name" in caught.value.help


def test_the_label_says_model_and_server():
    assert ProviderModels("openai:gpt-demo").label == "openai:gpt-demo"
    local = ProviderModels("openai:gpt-demo", "http://127.0.0.1:1/v1")
    assert local.label == "openai:gpt-demo at http://127.0.0.1:1/v1"


def test_a_worker_loads_what_a_model_needs_before_it_is_asked():
    script = """
import sys
from flowc.runtime.models.provider import preload

for name in (None, "", "offline", "people", "nobody:x", "../os:x", "a.b:x", "not there:x"):
    preload(name)
assert "langchain_openai" not in sys.modules
preload("openai:gpt-4o")
assert "langchain_openai" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
