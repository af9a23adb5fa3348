"""Replies of a model as values, `{content, tool_calls: [{id, name, args}]}`: what they call."""

from __future__ import annotations

from .values import Json, text_of


def tool_calls(reply: Json) -> list[Json]:
    """The calls of a reply in their order; none of anything else."""
    calls = reply.get("tool_calls") if isinstance(reply, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def tool_arguments(reply: Json, tool: Json) -> Json:
    """The arguments of the first call of a tool; null without one."""
    name = text_of(tool)
    return next((c.get("args") for c in tool_calls(reply) if c.get("name") == name), None)
