"""Edges, and the workflow as a whole."""

from __future__ import annotations

from dataclasses import field
from typing import Literal as Lit

from ..source.records import dataclass
from ..source.source import Spanned
from .declarations import (
    Agent,
    Assignment,
    CronSchedule,
    ErrorKind,
    ErrorRule,
    Group,
    Limit,
    OnUnknown,
    Param,
    Prompt,
    Script,
    StateField,
    Thread,
    Tool,
    Trial,
    WebhookStart,
)
from .nodes import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Taken when the choose node's value is `value`."""

    value: str
    kind: Lit["case"] = "case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Otherwise:
    """Taken when no case matches."""

    kind: Lit["otherwise"] = "otherwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnError:
    """Taken when the node fails in one of these ways."""

    errors: tuple[ErrorKind, ...]
    kind: Lit["error"] = "error"


Guard = Case | Otherwise | OnError


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge(Spanned):
    """A transition. `label` is the text as written, `implied` an edge the format adds by itself."""

    source: str
    target: str
    guard: Guard | None = None
    label: str = ""
    implied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a workflow came from: for messages and `inspect` alone, never to decide."""

    format: str
    file: str
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnInput:
    """What an unasked line of a person does: `assignments`, which may read it as `input`, are made
    and the run goes on at `target` (J45)."""

    target: str
    assignments: tuple[Assignment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow(Spanned):
    """One workflow. `entry` is the id of the first node; `on_success` and `on_failed` are the ids
    where the handler chains begin; `outputs` are the variables that make up its result, the first
    of them is what a person is shown. `model` answers its agents unless the caller chose one.
    `on_unknown` holds for every node that says nothing of its own; `starts` say when runs of it
    begin by themselves."""

    name: str
    title: str = ""
    description: str = ""
    params: tuple[Param, ...] = ()
    outputs: tuple[str, ...] = ()
    model: str | None = None
    state: tuple[StateField, ...] = ()
    agents: tuple[Agent, ...] = ()
    tools: tuple[Tool, ...] = ()
    threads: tuple[Thread, ...] = ()
    scripts: tuple[Script, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    groups: tuple[Group, ...] = ()
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    entry: str = ""
    on_success: str | None = None
    on_failed: str | None = None
    on_error: tuple[ErrorRule, ...] = ()
    on_input: OnInput | None = None
    limits: tuple[Limit, ...] = ()
    on_unknown: OnUnknown | None = None
    starts: tuple[CronSchedule | WebhookStart, ...] = ()
    trials: tuple[Trial, ...] = ()
    origin: Origin | None = field(default=None, compare=False)

    @property
    def schedules(self) -> tuple[CronSchedule, ...]:
        """The times at which runs begin."""
        return tuple(one for one in self.starts if isinstance(one, CronSchedule))

    @property
    def webhook(self) -> WebhookStart | None:
        """How a request from outside begins a run; None where none does."""
        return next((one for one in self.starts if isinstance(one, WebhookStart)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The main workflow and every workflow it calls, by normalised path."""

    entry: str
    workflows: tuple[tuple[str, Workflow], ...]

    @property
    def main(self) -> Workflow:
        return dict(self.workflows)[self.entry]
