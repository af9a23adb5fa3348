"""Messages as flowc's parts read them (objects of JSON), and as LangGraph's channels keep them.

A channel keeps LangChain's own, so that chat clients and graphs around a workflow understand them.
What theirs have no room for travels in `additional_kwargs`: each message comes back as it was.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)

from ..errors import RunError
from ..services import Json, Message
from ..values import kept_value

_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}
"""Our words for LangChain's types; any other type keeps its name."""
_CALL = {"id", "name", "args"}
_SEEDS = uuid.UUID("6f1a9a9e-6f0e-4f7e-9d34-0d0b8f6a2c11")


def channel_message(message: Message) -> BaseMessage:
    """Return a message as a channel keeps it, under its `id` or a new one."""
    rest = dict(message)
    role, content = rest.pop("role"), rest.pop("content", "")
    whole: dict[str, Any] = {"id": rest.pop("id", None) or str(uuid.uuid4())}
    if not isinstance(content, str):
        rest, content = {**rest, "content": content}, ""
    match role:
        case "system":
            kind: type[BaseMessage] = SystemMessage
        case "user":
            kind = HumanMessage
        case "assistant":
            kind = AIMessage
            if _are_calls(rest.get("tool_calls")):
                whole["tool_calls"] = rest.pop("tool_calls")
        case "tool" if isinstance(rest.get("tool_call_id"), str):
            kind, whole["tool_call_id"] = ToolMessage, rest.pop("tool_call_id")
        case _:
            kind, whole["role"] = ChatMessage, role
    return kind(content=content, additional_kwargs=rest, **whole)


def message_of(kept: BaseMessage) -> Message:
    """Return a message of a channel as flowc's parts read it, without its id."""
    role = kept.role if isinstance(kept, ChatMessage) else _ROLES.get(kept.type, kept.type)
    message: Message = {"role": role, "content": kept.content, **kept.additional_kwargs}
    if isinstance(kept, AIMessage) and kept.tool_calls:
        calls = [{key: call[key] for key in ("id", "name", "args")} for call in kept.tool_calls]
        message["tool_calls"] = calls
    if isinstance(kept, ToolMessage):
        message["tool_call_id"] = kept.tool_call_id
    return message


def seed_messages(seeds: Sequence[Message]) -> list[BaseMessage]:
    """Return the messages that a conversation begins with, always under the same ids."""
    return [
        channel_message({**seed, "id": str(uuid.uuid5(_SEEDS, f"{at} {seed}"))})
        for at, seed in enumerate(seeds)
    ]


def host_messages(given: object) -> list[BaseMessage]:
    """Return the messages that a host gives, in any of the forms that LangChain takes. Raise
    `RunError` for what is not a message. Null gives none."""
    listed = given if isinstance(given, list) else [] if given is None else [given]
    try:
        messages = convert_to_messages(cast("list[Any]", listed))
    except (ValueError, TypeError, NotImplementedError, KeyError) as error:
        raise RunError(
            f"`messages` are messages, alone or in a list: {str(error).partition(chr(10))[0]}",
            help='for example {"role": "user", "content": "…"}',
        ) from None
    for message in messages:
        message.id = message.id or str(uuid.uuid4())
    return messages


def kept_messages(messages: Sequence[BaseMessage]) -> Json:
    """Return messages as a record keeps them, for `channel_message`. Raise `RunError` for one that
    holds what JSON cannot."""
    return kept_value([{**message_of(one), "id": one.id} for one in messages], "`messages`")


def _are_calls(calls: object) -> bool:
    """Return whether LangChain keeps these calls of tools whole."""
    return (
        isinstance(calls, list)
        and bool(calls)
        and all(isinstance(call, Mapping) and _is_call(call) for call in calls)
    )


def _is_call(call: Mapping[str, object]) -> bool:
    known = isinstance(call.get("name"), str) and isinstance(call.get("args"), dict)
    return known and set(call) == _CALL and isinstance(call["id"], str)
