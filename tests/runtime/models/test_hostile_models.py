"""Whatever a model server sends, a call ends in an answer or a failure of its node, in time."""

from __future__ import annotations

import asyncio
import json
import time

import hostile_model_server as server
import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.models.provider import Backoff, ProviderModels
from flowc.runtime.services import ModelReply, ModelRequest, ToolSchema
from flowc.runtime.values import storable_text

pytest.importorskip("langchain_openai", reason="needs the extra `openai`")
SECONDS = 3.0
TOOL = ToolSchema("read_file", "Reads.", {"type": "object", "properties": {}})
LARGE = {"a frame of 100 MB", "a bomb", "a bomb in a bomb", "a bomb in a fault", "a long fault"}
FEW_ENDLESS = {"no end", "empty pieces without an end", "a fault without an end"}
SLOW = (LARGE | {*server.ENDLESS, "early answers"}) - FEW_ENDLESS
"""Those of `make soak`: they take seconds each."""
WHAT_COMES = {
    "a frame of 100 MB": "a piece of more than 4,194,304 bytes",
    "a line without an end": "a piece of more than 4,194,304 bytes",
    "an event without an end": "a piece of more than 4,194,304 bytes",
    "calls without an end": "more than 256 tools at once",
    "calls by the thousand": "more than 256 tools at once",
    "a bomb": "packed",
    "a bomb in a bomb": "packed",
    "a bomb in a fault": "packed",
    "broken compression": "packed",
    "a long fault": "answered 400",
    "a fault without an end": "answered 400",
    "to a stranger": "sends us on to `127.0.0.1:1`, which nobody granted",
    "to a file": "sends us on to `elsewhere`",
    "in a circle": "which nobody granted",
    "brackets": "cannot be read",
    "a deep frame": "cannot be read",
    "empty pieces without an end": "did not answer in time",
    "letters one by one": "did not answer in time",
}
"""What the failure says of some of them."""


def ask(way: str, elsewhere: str = "http://127.0.0.1:1/v1") -> tuple[object, int]:
    """The answer, or the text of a failure; and how often the server was asked."""

    async def no_wait(seconds: float) -> None:
        """Wait for nothing."""

    said: list[str] = []
    prompt = ({"role": "user", "content": "hello"},)
    request = ModelRequest(prompt, (TOOL,), "ask", None, 1, 1, on_text=said.append)
    with server.HostileModels(way, elsewhere) as models:
        backoff = Backoff(2, sleep=no_wait)
        provider = ProviderModels("openai:m", models.url, SECONDS, backoff)
        try:
            return asyncio.run(provider.reply(request)), len(models.asked)
        except Failure as failure:
            return failure.message, len(models.asked)


@pytest.mark.parametrize(
    "way", [pytest.param(w, marks=pytest.mark.soak) if w in SLOW else w for w in server.WAYS]
)
def test_a_server_that_lies_ends_nothing_but_its_call(way: str) -> None:
    begin = time.monotonic()
    told, asked = ask(way)
    print(f"{way}: {time.monotonic() - begin:.1f} s, {str(told)[:100]!r}")  # for `pytest -rP`
    assert asked <= 2
    assert time.monotonic() - begin < 60
    if isinstance(told, ModelReply):
        storable_text(told.text)
        json.dumps(told.tool_calls)
        assert len(told.model) + len(told.id) <= 400
        counts = (told.usage.input_tokens, told.usage.output_tokens, told.usage.cached_tokens)
        assert all(0 <= count < 2**63 for count in counts)
    else:
        assert len(str(told)) < 2000
    assert WHAT_COMES.get(way, "") in str(told)


def test_no_word_and_no_key_goes_where_a_server_sends_us() -> None:
    with server.HostileModels("nothing") as stranger:
        told, asked = ask("to a stranger", stranger.url)
        assert (stranger.asked, asked) == ([], 1)
    assert "which nobody granted" in str(told)


@pytest.mark.parametrize("way", ["tokens below none", "tokens beyond all"])
def test_tokens_that_cannot_be_are_not_believed(way: str) -> None:
    """The budget then reckons with the worst; less than none would have filled it up again."""
    told, _ = ask(way)
    assert isinstance(told, ModelReply)
    assert (told.text, told.usage.input_tokens, told.usage.output_tokens) == ("well", 0, 0)
