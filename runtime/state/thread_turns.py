"""The turns of a thread, and the lines of each: the ways that it took, where somebody went back.

Every checkpoint has turn and line in its metadata, so that nothing of it stands in the state. An
input begins a turn; to go on from an earlier checkpoint, or from an edited copy of one, begins a
line. An edit of the newest checkpoint does neither.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..checkpoints.keys import checkpoint_of, on_thread

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import CheckpointTuple

    from ..checkpoints.types import Saver

_LINE, _BEGAN = "flowc_line", "flowc_began"
_EDITS = ("update", "fork", "input")
"""LangGraph's sources of checkpoints that `update_state` writes."""
_PART = "\x1f"
"""Between a thread and a line: no run's id has it."""


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """A turn of a thread on one of its lines: its `number`, from 1, a `line` that no other turn or
    line has ("" for a run of flowc's own), and when it `began`, in seconds since 1970 (None where
    nothing says it)."""

    number: int = 1
    line: str = ""
    began: float | None = None

    def scope(self, thread: str) -> str:
        """Return what the turn's charges are kept under."""
        return f"{thread}{_PART}{self.line}" if self.line else thread

    @property
    def metadata(self) -> dict[str, Any]:
        """Return what its checkpoints have in their metadata."""
        about = {_LINE: self.line, _BEGAN: self.began}
        return {key: value for key, value in about.items() if value}

    def next(self) -> ThreadTurn:
        """Return a turn that begins now."""
        number = self.number + 1
        return ThreadTurn(number, f"{number}.{uuid.uuid4().hex[:12]}", time.time())

    def on_line(self, name: str) -> ThreadTurn:
        """Return the same turn on another line, whose counts begin anew."""
        return ThreadTurn(self.number, f"{self.number}.{name}", time.time())


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
    now, and the configuration that LangGraph goes on with."""

    turn: ThreadTurn
    config: RunnableConfig
    begins_line: bool = False


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
        return TurnPoint(turn, bare, begins)
    at = await saver.aget_tuple(config)
    if at is None:
        return TurnPoint(NO_TURN, config)
    turn, _ = await _turn_at(saver, bare, at)
    # The same again where a process died before the line had a checkpoint.
    number = await _children(saver, bare, named)
    return TurnPoint(turn.on_line(f"{named}.{number}"), config, True)


async def point_inside(saver: Saver, config: RunnableConfig) -> TurnPoint:
    """Return where a graph stands that is a node of another one, which says when it begins."""
    at = await saver.aget_tuple(config)
    began = at and _mark(at, _BEGAN)
    return TurnPoint(ThreadTurn(began=began or time.time()), config)


async def _turn_at(
    saver: Saver, bare: RunnableConfig, at: CheckpointTuple
) -> tuple[ThreadTurn, bool]:
    """Return the turn of a checkpoint, and whether a line begins there: with an edit of another one
    than that right before it."""
    while _LINE not in at.metadata and at.metadata.get("source") in _EDITS:
        parent = await saver.aget_tuple(at.parent_config) if at.parent_config else None
        if parent is None:
            break
        before = [item async for item in saver.alist(bare, before=at.config, limit=1)]
        if not before or checkpoint_of(before[0].config) != checkpoint_of(parent.config):
            turn, _ = await _turn_at(saver, bare, parent)
            return turn.on_line(checkpoint_of(at.config)), True
        at = parent
    line: str = _mark(at, _LINE) or ""
    return ThreadTurn(turn_number(line), line, _mark(at, _BEGAN)), False


def _mark(at: CheckpointTuple, name: str) -> Any:
    return at.metadata.get(name)


async def _children(saver: Saver, bare: RunnableConfig, parent: str) -> int:
    """Return how many checkpoints follow one directly."""
    found = 0
    async for item in saver.alist(bare):  # the newest first
        if checkpoint_of(item.config) <= parent:
            break
        found += item.parent_config is not None and checkpoint_of(item.parent_config) == parent
    return found
