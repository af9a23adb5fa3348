"""People in a run: the questions they get, their answers in advance, the assignees of tasks."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from .values import Json

QuestionKind = Literal["ask", "approve", "unknown", "breakpoint", "task", "turn", "wait", "event"]
UNASKED: tuple[QuestionKind, ...] = ("breakpoint", "wait")
"""Kinds that nobody answers: the run goes on when it is resumed, or when its time has come."""
TIME_IS_UP: Json = {"$wait": "over"}
"""What a node that waits is told when its time has come."""


@dataclass(frozen=True, slots=True)
class Question:
    """An interrupt that waits for a person. Kinds: ask (free text), approve (commands), unknown
    (an effect whose outcome is not known: repeat, fail, or give the result), task (work of the
    person `who`: a text, or an object that fits `schema`), turn (a person is the model: see
    models/people.py; `messages` is the conversation, `tools` are those that the person may use,
    `ending` is the call that ends the node, with the arguments in `schema`). `path` holds the
    calls that lead to the node, an element of a foreach as `each#3`. `asker` is the agent whose
    model asks (J44). An effect in doubt has its abridged `input` and its `idempotency_key`.
    A run that waits (`wait`: for a
    time, `event`: for the event of that name) says in `due` until when, in ISO 8601, "" for ever.
    `before` counts the questions of the same node and path that were answered before."""

    id: str
    kind: QuestionKind
    node: str
    text: str
    choices: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    place: str = ""
    schema: Mapping[str, Any] | None = None
    who: str = ""
    asker: str = ""
    path: tuple[str, ...] = ()
    input: Json = None
    idempotency_key: str = ""
    messages: tuple[dict[str, Any], ...] = ()
    tools: tuple[str, ...] = ()
    ending: str = ""
    due: str = ""
    event: str = ""
    before: int = 0

    @property
    def name(self) -> str:
        """What an answer calls it, `call/who#2`: unique among all questions of a run."""
        return f"{self.place_name}#{self.before + 1}" if self.before else self.place_name

    @property
    def place_name(self) -> str:
        """The node with the calls that lead to it: unique among the open questions."""
        return "/".join((*self.path, self.node)) or self.id

    def answer_flag(self, text: str) -> str:
        """Return the flag of `flowc resume` that gives an answer to it: `--answer who=Emil`."""
        return f"--answer {shlex.quote(f'{self.name}={text}')}"

    def as_json(self) -> dict[str, Json]:
        """Return every field, and the name."""
        return {**dataclasses.asdict(self), "name": self.name}


@dataclass(frozen=True, slots=True)
class Timer:
    """Until when a visit of `node` waits: `due` in seconds since 1970, None for ever. A `wait` is
    over then, the `event` of that name did not come in time."""

    kind: Literal["wait", "event"]
    due: float | None
    node: str
    event: str = ""


class People(Protocol):
    """Answers that people gave in advance (scripted answers). A node asks here first and interrupts
    only when there is no such answer."""

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json:
        """Return the answer to the `visit`-th question (from 1) of a node: a text for "ask"; "yes"
        or "no" for "approve"; a text or an object for "task". None: a person has to answer."""

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json:
        """Return the answer to a model's question in one turn (from 1) of a visit (J44)."""


@dataclass(frozen=True, slots=True)
class NoPeople:
    """Nobody answered anything in advance."""

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json:
        return None

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json:
        return None


@dataclass(frozen=True, slots=True)
class Assignee:
    """The agent who does one visit of a task instead of the role's holder, with `text` added to the
    task's own text."""

    agent: str
    text: str = ""


class Assignments(Protocol):
    """The assignments of tasks that people make while the run goes on (C13)."""

    async def of(self, node: str, visit: int) -> Assignee | None:
        """Return the assignee of the `visit`-th visit (from 1) of a node, or None: the role's
        holder does it."""


@dataclass(frozen=True, slots=True)
class TeamAssignments:
    """The holder of a role does every task of it, as the team file says."""

    async def of(self, node: str, visit: int) -> Assignee | None:
        return None
