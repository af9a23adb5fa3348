"""A talk: the tools of a model that works on a node, and the call that ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

from flowc.compiler.ir import Agent, Tool
from flowc.compiler.lowering.graphspec import NodeSpec

from ...services import Message, Services, ToolSchema
from ...state.channels import Items
from ..visit.visit import Setting


class EndingRefused(Exception):
    """The call that should end a talk is not acceptable; the model reads why."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A tool that is not executed: its accepted call ends the talk. `check` raises `EndingRefused`.
    A model that ends without the call reads `reminder`, and fails in the end "without `missing`".
    `forced` makes it call from the first turn on; it fails after `tries` refused calls, if given.
    `read` returns the arguments in a text of the model, None where there are none."""

    tool: ToolSchema
    check: Callable[[dict[str, Any]], None]
    reminder: str
    missing: str
    forced: bool = False
    tries: int | None = None
    read: Callable[[str], dict[str, Any] | None] = lambda text: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One node's talk. The model may call `tools`, in that order when `ordered`, and `free` ones at
    any time; without an `ending` the first answer without a call ends the talk. The call of a tool
    that the workflow declares as an answer ends it too, and is never executed (J17). `history` is
    what the agent's thread holds: the workflow's state keeps it, so the talk's does not."""

    setting: Setting
    services: Services
    node: NodeSpec
    agent: Agent
    tools: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    ordered: bool = False
    prompt_id: str | None = None
    ending: Ending | None = None
    history: tuple[Message, ...] = ()

    def opening(self, messages: list[Message]) -> list[Message]:
        """Return what the model reads first: the system text, the thread, the question (J15)."""
        systems = [message for message in messages if message["role"] == "system"]
        return [*systems, *self.history, *messages[len(systems) :]]

    def answer_tool(self, name: str) -> ToolSchema | None:
        """Return the tool of that name when its call is an answer."""
        for tool in self.setting.spec.tools:
            if tool.id == name and tool.result == "answer":
                return answer_schema(tool)
        return None


def answer_schema(tool: Tool) -> ToolSchema:
    """Return a tool that the workflow declares, as models see it."""
    schema = tool.schema if isinstance(tool.schema, dict) else {"type": "object", "properties": {}}
    return ToolSchema(tool.id, tool.description, schema, effect="pure", source="declared")


class TalkInput(TypedDict):
    """The system text and the question, and the number of the node's visit."""

    messages: list[Message]
    visit: int


class TalkResult(TypedDict, total=False):
    """The last answer's text, its id, the calls that are its answer, the results of the tools, the
    arguments of the call that ended the talk."""

    text: str
    id: str
    answer: list[dict[str, Any]]
    used: Items
    ended: dict[str, Any]  # LangGraph evaluates the types in this module: `Json` is recursive


class TalkState(TalkInput, TalkResult, total=False):
    """`said` came after the question, `calls` are tool calls still to make; `turn` numbers the
    calls of the model, `refusals` the refused calls of the ending."""

    said: Items
    calls: list[dict[str, Any]]
    turn: int
    reminders: int
    refusals: int
