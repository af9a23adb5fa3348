"""Messages and tools between our JSON form and LangChain's."""

from __future__ import annotations

import re
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from ..services import Message, ToolSchema

_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


class ToolNames:
    """Tool names as providers accept them (64 letters, digits, `_`, `-`) and back.

    A workflow may name a tool in any words; two names that become equal get a number."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._outer: dict[str, str] = {}
        self._inner: dict[str, str] = {}
        for name in sorted(set(names), key=lambda n: (_NOT_IN_A_NAME.search(n) is not None, n)):
            self._add(name)

    def _add(self, name: str) -> str:
        plain = _NOT_IN_A_NAME.sub("_", name)[:_LONGEST_NAME] or "_"
        outer, number = plain, 2
        while outer in self._inner:
            outer = f"{plain[: _LONGEST_NAME - 4]}_{number}"
            number += 1
        self._outer[name] = outer
        self._inner[outer] = name
        return outer

    def outer(self, name: str) -> str:
        """Return the name that a provider sees."""
        return self._outer.get(name) or self._add(name)

    def inner(self, name: str) -> str:
        """Return the workflow's name; a name that a model invented stays as it is."""
        return self._inner.get(name, name)


def to_langchain(messages: tuple[Message, ...], names: ToolNames) -> list[BaseMessage]:
    """Return our messages as LangChain's. A message of an unknown role is a fault of ours
    (ValueError)."""
    return [_message(message, names) for message in messages]


def _message(message: Message, names: ToolNames) -> BaseMessage:
    content = message.get("content") or ""
    match message["role"]:
        case "system":
            return SystemMessage(content)
        case "user":
            return HumanMessage(content)
        case "assistant":
            calls = [
                {"type": "tool_call", **call, "name": names.outer(call["name"])}
                for call in message.get("tool_calls") or ()
            ]
            return AIMessage(content, tool_calls=calls)
        case "tool":
            return ToolMessage(content, tool_call_id=message["tool_call_id"])
        case role:
            raise ValueError(f"a message has the role {role!r}")


def to_function(tool: ToolSchema, names: ToolNames) -> dict[str, Any]:
    """Return a tool as OpenAI writes it, which LangChain translates for every provider."""
    return {
        "type": "function",
        "function": {
            "name": names.outer(tool.name),
            "description": tool.description,
            "parameters": tool.parameters,
        },
    }


def text_of(message: AIMessage) -> str:
    """Return the text of an answer; reasoning and other blocks are left out."""
    return str(message.text)
