"""People in a run: what they are asked, what they answered in advance, and whose a task is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

QuestionKind = Literal["ask", "approve", "unknown", "breakpoint", "task", "turn"]


@dataclass(frozen=True, slots=True)
class Question:
    """An interrupt that waits for a person. Kinds: ask (free text), approve (commands), unknown
    (an effect whose outcome is not known: repeat, fail, or give the result), task (work that a
    person does: a text, or an object that fits `schema`; `who` is whose it is), turn (a person is
    the model: see models/people.py; `messages` is what was said before, `tools` are those that the
    person may use, `ending` the call that ends the node, with the arguments in `schema`). `path`
    are the calls that lead to the node, an element of a foreach as `each#3`. `asker` is the agent
    whose model asks (J44). Of an effect in doubt: its `input`, abridged, and the `idempotency_key`
    that it was given."""

    id: str
    kind: QuestionKind
    node: str
    text: str
    choices: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    place: str = ""
    schema: Any = None
    who: str = ""
    asker: str = ""
    path: tuple[str, ...] = ()
    input: Any = None
    idempotency_key: str = ""
    messages: tuple[dict[str, Any], ...] = ()
    tools: tuple[str, ...] = ()
    ending: str = ""

    @property
    def name(self) -> str:
        """The node with the calls that lead to it: what no other question is called."""
        return "/".join((*self.path, self.node))


class People(Protocol):
    """What people answered before the run asks (scripted answers). A node asks here first and
    interrupts only when nothing was answered in advance."""

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Any | None:
        """The answer to the `visit`-th question (from 1) of a node: a text for "ask"; "yes" or "no"
        for "approve"; a text or an object for "task". None: a person has to be asked."""

    def told(self, node: str, visit: int, turn: int) -> Any | None:
        """The answer to what a model asks in one of its turns (from 1) of a visit (J44)."""


@dataclass(frozen=True, slots=True)
class Nobody:
    """Nothing was answered in advance."""

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Any | None:
        return None

    def told(self, node: str, visit: int, turn: int) -> Any | None:
        return None


@dataclass(frozen=True, slots=True)
class Assigned:
    """Who does one visit of a task instead of the role's holder, and what they are told beside the
    task's own text."""

    agent: str
    text: str = ""


class Assignments(Protocol):
    """Tasks that were given to somebody while the run goes on (C13)."""

    async def of(self, node: str, visit: int) -> Assigned | None:
        """None: whoever holds the role does the `visit`-th visit (from 1) of the node."""


@dataclass(frozen=True, slots=True)
class AsTheTeamSays:
    """Every task is done by whoever holds its role."""

    async def of(self, node: str, visit: int) -> Assigned | None:
        return None
