"""Savers whose async methods may be awaited on any event loop.

A saver's connection belongs to the loop that opened it. A graph that is invoked from code that is
not async has a loop of its own, and a server gives one to each of its workers.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from ..event_loops import on_loop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

METHODS = (
    "aget_tuple",
    "aput",
    "aput_writes",
    "adelete_thread",
    "adelete_for_runs",
    "aprune",
    "aget_delta_channel_history",
)
"""The async methods that savers have of their own, besides `alist`, which is a generator. Not
`acopy_thread`: LangGraph's server copies a thread itself where a saver's class has none."""


class HomeLoop(BaseCheckpointSaver[str]):
    """A base class, named before the saver's own, whose async methods do their work on the `loop`
    that opened the saver."""

    loop: AbstractEventLoop

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in METHODS:
            setattr(cls, name, _at_home(getattr(super(cls, cls), name)))

    async def alist(self, *args: Any, **choices: Any) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, the newest first."""
        items = super().alist(*args, **choices)

        async def read() -> list[CheckpointTuple]:
            return [item async for item in items]

        for item in await on_loop(self.loop, read()):
            yield item


def _at_home(method: Callable[..., Coroutine[object, object, object]]) -> Callable[..., object]:
    """Return a method that hops. It shows the signature of the other: LangGraph gives the path of
    a task, which is the order of a step's writes, only to a saver that names it."""

    @wraps(method)
    async def hop(self: HomeLoop, *args: object, **choices: object) -> object:
        return await on_loop(self.loop, method(self, *args, **choices))

    return hop


def at_home(saver: BaseCheckpointSaver[str]) -> BaseCheckpointSaver[str]:
    """Return the saver, or a copy of one of LangGraph's that has a loop, such that its methods may
    be awaited on any."""
    if isinstance(saver, HomeLoop) or not hasattr(saver, "loop"):
        return saver
    other = copy.copy(saver)
    kind: Any = type(saver)
    other.__class__ = _class_of(kind)
    return other


@cache
def _class_of(kind: type[Any]) -> type[Any]:
    return type(kind.__name__, (HomeLoop, kind), {})
