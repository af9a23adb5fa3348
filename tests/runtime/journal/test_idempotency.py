"""A repeated effect carries the same key to where it happens: commands, tools, models."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from flowc.runtime.context import EFFECT_KEY
from flowc.runtime.models.provider import Backoff, ProviderModels
from flowc.runtime.services import ModelRequest
from flowc.runtime.tools.registry import ToolBox
from openai_server import OpenAIServer, Say
from shells import shell_in
from tool_runs import function, server, use

KEY = "0123456789abcdef"


@pytest.fixture
def key() -> Iterator[str]:
    token = EFFECT_KEY.set(KEY)
    yield KEY
    EFFECT_KEY.reset(token)


def test_a_command_sees_it_and_the_session_does_not_keep_it(key: str, tmp_path: Path) -> None:
    shell = shell_in(tmp_path)

    async def two() -> list[str]:
        first = await shell.run("echo $FLOWC_IDEMPOTENCY_KEY; A=1", "")
        EFFECT_KEY.set("another")
        return [
            first.stdout,
            (await shell.run("echo $A $FLOWC_IDEMPOTENCY_KEY", first.state)).stdout,
        ]

    assert asyncio.run(two()) == [f"{KEY}\n", "1 another\n"]


@pytest.mark.parametrize("name", ["keyed", "keyed_later"])
def test_a_function_that_names_it_gets_it_and_a_model_is_not_told(key: str, name: str) -> None:
    source = function(name)
    (schema,) = asyncio.run(source.open())
    assert set(schema.parameters["properties"]) == {"text"}
    assert use(ToolBox((source,)), (name, {"text": "a"})) == [{"text": "a", "key": KEY}]


def test_an_mcp_server_gets_it_beside_the_arguments(key: str) -> None:
    assert use(ToolBox((server(),)), ("keyed", {"text": ""})) == [KEY]


def test_a_model_gets_it_as_a_header(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with OpenAIServer() as http:
        http.will(Say("hello"))
        models = ProviderModels("openai:test", http.url, 20.0, Backoff())
        request = ModelRequest(({"role": "user", "content": "?"},), (), "n", None, 1, 1)
        asyncio.run(models.reply(request))
        assert http.requests[0].headers["idempotency-key"] == KEY
