"""The turns of a thread, and the lines of each: the ways that it took, where somebody went back.

Every checkpoint has turn and line in its metadata, so that nothing of it stands in the state. An
input begins a turn; to go on from an earlier checkpoint, or from an edited copy of one, begins a
line. An edit of the newest checkpoint does neither.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..checkpoints.keys import checkpoint_of, on_thread

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import CheckpointTuple
    from langgraph.types import StateSnapshot

    from ..checkpoints.types import Saver

_LINE, _BEGAN, _STEPS = "flowc_line", "flowc_began", "flowc_steps_before"
_EDITS = ("update", "fork", "input")
"""LangGraph's sources of checkpoints that `update_state` writes."""
_PART = "\x1f"
"""Between a thread and a line: no run's id has it."""


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """A turn of a thread on one of its lines: its `number`, from 1, a `line` that no other turn or
    line has ("" for a run of flowc's own), when it `began`, in seconds since 1970 (None where
    nothing says it), and how many steps of LangGraph's the thread had before it."""

    number: int = 1
    line: str = ""
    began: float | None = None
    steps_before: int = 0

    def scope(self, thread: str) -> str:
        """Return what the turn's charges are kept under."""
        return f"{thread}{_PART}{self.line}" if self.line else thread

    @property
    def metadata(self) -> dict[str, Any]:
        """Return what its checkpoints have in their metadata."""
        about = {_LINE: self.line, _BEGAN: self.began, _STEPS: self.steps_before}
        return {key: value for key, value in about.items() if value}

    def next(self, steps_before: int = 0) -> ThreadTurn:
        """Return a turn that begins now."""
        number = self.number + 1
        line = f"{number}.{uuid.uuid4().hex[:12]}"
        return ThreadTurn(number, line, time.time(), steps_before)

    def on_line(self, name: str) -> ThreadTurn:
        """Return the same turn on another line, whose counts begin anew."""
        return replace(self, line=f"{self.number}.{name}", began=time.time())


NO_TURN, FIRST_TURN = ThreadTurn(0), ThreadTurn()


def turn_number(line: str) -> int:
    """Return the number of the turn that a line is of."""
    return int(line.partition(".")[0]) if line else 1


def scopes_of(thread: str) -> str:
    """Return what every scope of a thread begins with, but for the one that is its name."""
    return thread + _PART


def scope_inside(thread: str, namespace: str) -> str:
    """Return what the charges of a graph are kept under that is a node of another one."""
    return f"{thread}{_PART}{namespace}"


@dataclass(frozen=True, slots=True)
class TurnPoint:
    """Where an execution goes on: the turn (number 0: none has begun), whether a line of it begins
    now, the configuration that LangGraph goes on with, and how many steps of LangGraph's led there,
    from its input on."""

    turn: ThreadTurn
    config: RunnableConfig
    begins_line: bool = False
    steps: int = 0


async def point_in(saver: Saver, config: RunnableConfig) -> TurnPoint:
    """Return where a configuration stands in its thread. To name the newest checkpoint is to name
    the thread: else LangGraph would make other keys, and effects would happen again."""
    bare = on_thread(config)
    newest = await saver.aget_tuple(bare)
    if newest is None:
        return TurnPoint(NO_TURN, config)
    named = checkpoint_of(config)
    if not named or named == checkpoint_of(newest.config):
        turn, begins = await _turn_at(saver, bare, newest)
        return TurnPoint(turn, bare, begins, _steps_to(newest))
    at = await saver.aget_tuple(config)
    if at is None:
        return TurnPoint(NO_TURN, config)
    turn, _ = await _turn_at(saver, bare, at)
    # The same again where a process died before the line had a checkpoint.
    number = await _children(saver, bare, named)
    return TurnPoint(turn.on_line(f"{named}.{number}"), config, True, _steps_to(at))


async def turn_of(saver: Saver, state: StateSnapshot) -> ThreadTurn:
    """Return the turn that a run goes on with whose newest state that is."""
    if state.created_at is None:
        return FIRST_TURN  # runs of flowc's own have one
    turn, _ = await _turn_at(saver, on_thread(state.config), state)
    return turn if turn.number else FIRST_TURN


async def point_inside(saver: Saver, config: RunnableConfig) -> TurnPoint:
    """Return where a graph stands that is a node of another one, which says when it begins."""
    at = await saver.aget_tuple(config)
    began = at and _mark(at, _BEGAN)
    return TurnPoint(ThreadTurn(began=began or time.time()), config)


async def _turn_at(
    saver: Saver, bare: RunnableConfig, at: CheckpointTuple | StateSnapshot
) -> tuple[ThreadTurn, bool]:
    """Return the turn of a checkpoint, and whether a line begins there: with an edit of another one
    than that right before it."""
    while _mark(at, _LINE) is None and _mark(at, "source") in _EDITS:
        parent = await saver.aget_tuple(at.parent_config) if at.parent_config else None
        if parent is None:
            break
        before = [item async for item in saver.alist(bare, before=at.config, limit=1)]
        if not before or checkpoint_of(before[0].config) != checkpoint_of(parent.config):
            turn, _ = await _turn_at(saver, bare, parent)
            return turn.on_line(checkpoint_of(at.config)), True
        at = parent
    line: str = _mark(at, _LINE) or ""
    return ThreadTurn(turn_number(line), line, _mark(at, _BEGAN), _mark(at, _STEPS) or 0), False


def _steps_to(at: CheckpointTuple) -> int:
    """Return how many checkpoints a thread has up to one: LangGraph counts from -1, its input."""
    return int(_mark(at, "step") or 0) + 2


def _mark(at: CheckpointTuple | StateSnapshot, name: str) -> Any:
    return (at.metadata or {}).get(name)


async def _children(saver: Saver, bare: RunnableConfig, parent: str) -> int:
    """Return how many checkpoints follow one directly."""
    found = 0
    async for item in saver.alist(bare):  # the newest first
        if checkpoint_of(item.config) <= parent:
            break
        found += item.parent_config is not None and checkpoint_of(item.parent_config) == parent
    return found
