"""A talk: what a model that works on a node may do, and the call with which it has to end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

from flowc.compiler.ir import Agent, Tool
from flowc.compiler.lowering.graphspec import NodeSpec

from ...services import Json, Message, ToolSchema
from ...state.channels import Items
from ..visit.visit import Setting


class Refused(Exception):
    """The call that should end a talk is not acceptable; the model is told why."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A tool that is not executed: its accepted call is what the talk comes to. `check` raises
    `Refused`; a model that ends without the call is told `reminder`, and is given up in the end as
    one that ended "without `missing`". `forced` makes it call from the first turn on; after `tries`
    refused calls (None: no bound) it is given up. `read` finds the arguments in a text of the
    model's, None where they are not."""

    tool: ToolSchema
    check: Callable[[dict[str, Any]], None]
    reminder: str
    missing: str
    forced: bool = False
    tries: int | None = None
    read: Callable[[str], dict[str, Any] | None] = lambda text: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One node's talk. `tools` may be called, in that order when `ordered`, those in `free` at any
    time; without an `ending` the first answer that calls no tool is what it comes to. The call of a
    tool that the workflow declares as an answer ends the talk too, and is never executed (J17)."""

    setting: Setting
    node: NodeSpec
    agent: Agent
    tools: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    ordered: bool = False
    prompt_id: str | None = None
    ending: Ending | None = None

    def answer_tool(self, name: str) -> ToolSchema | None:
        """The tool of that name when its call is an answer."""
        for tool in self.setting.spec.tools:
            if tool.id == name and tool.result == "answer":
                return answer_schema(tool)
        return None


def answer_schema(tool: Tool) -> ToolSchema:
    """What a model is told of a tool that the workflow declares."""
    schema = tool.schema if isinstance(tool.schema, dict) else {"type": "object", "properties": {}}
    return ToolSchema(tool.id, tool.description, schema, effect="pure", source="declared")


class Given(TypedDict):
    """What the node passes in: the conversation, the number of its visit."""

    messages: list[Message]
    visit: int


class Result(TypedDict, total=False):
    """What comes back: the last answer's text and the calls that are its answer, the results of the
    tools that were used, the arguments of the call that ended the talk."""

    text: str
    answer: list[dict[str, Any]]
    used: Items
    ended: dict[str, Json]


class Scratch(Given, Result, total=False):
    """`said` is the conversation so far, `calls` the tool calls still to make, `turn` the model
    calls made, `refusals` the calls that should have ended the talk and were not accepted."""

    said: Items
    calls: list[dict[str, Any]]
    turn: int
    reminders: int
    refusals: int
