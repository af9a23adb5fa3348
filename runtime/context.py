"""The context of the code that is running: calls, visit, attempt, effect; the clocks of waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flowc.compiler.ir import OnUnknown

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.runtime import Runtime

T = TypeVar("T")

CALL_PATH: ContextVar[tuple[str, ...]] = ContextVar("flowc_call_path", default=())
"""The call nodes around the node that is running, the outermost first. The third element of a
foreach node `each` is `each#3`."""

EARLIER: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("flowc_earlier", default=())
"""The namespace of all attempts and that of the present one, for the running node and every node
around it that is being tried again."""

EFFECT_KEY: ContextVar[str] = ContextVar("flowc_effect_key", default="")
"""The idempotency key of the effect that is under way: the same whenever that effect is repeated,
different for every other effect. "" outside of an effect."""


@dataclass(slots=True)
class Here:
    """The visit of a node that is under way. `place` names the node with the calls that lead to it,
    and the callers' visits and attempts after their first: `CALL@2~2/each#3/draft`. `visit` counts
    the node's own visits and `attempt` the attempts of this visit, both from 1. `counts` holds the
    exchanges of the attempt so far, by kind. `on_unknown` is the policy for an effect that was
    under way when the process died, of the node or the nearest one around it that has one;
    `outermost` is LangGraph's configuration of the outermost node of flowc's that is running."""

    place: str
    visit: int
    runtime: Runtime[Any]
    on_unknown: OnUnknown | None = None
    outermost: RunnableConfig | None = None
    attempt: int = 1
    counts: dict[str, int] = field(default_factory=dict)

    def next(self, kind: str) -> int:
        """Count one more exchange of a kind in this attempt, and return its number from 1."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return self.counts[kind]

    def try_again(self, attempt: int) -> None:
        """Begin another attempt, which makes all exchanges anew."""
        self.attempt = attempt
        self.counts.clear()


HERE: ContextVar[Here | None] = ContextVar("flowc_here", default=None)
"""None where no node is running."""


class _Binding(Generic[T]):
    """A block in which a context variable has a value. Every visit enters several of them, which
    generators would make the larger part of its time."""

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[T], value: T) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> None:
        self._token = self._variable.set(self._value)

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._token)


def binding(variable: ContextVar[T], value: T) -> AbstractContextManager[None]:
    """Give a context variable this value in the block."""
    return _Binding(variable, value)


def here_in(
    node: str,
    visit: int,
    runtime: Runtime[Any],
    on_unknown: OnUnknown | None = None,
    config: RunnableConfig | None = None,
) -> Here:
    """Return what HERE becomes in a visit of a node with this policy and configuration."""
    outer = HERE.get()
    if outer is None:
        return Here(node, visit, runtime, on_unknown, config)
    before, path = "", CALL_PATH.get()
    if path:
        name, mark, item = path[-1].rpartition("#")
        again = f"@{outer.visit}" if outer.visit > 1 else ""
        again += f"~{outer.attempt}" if outer.attempt > 1 else ""
        before = f"{outer.place}{again}{mark + item if mark and name else ''}/"
    policy, outermost = on_unknown or outer.on_unknown, outer.outermost or config
    return Here(f"{before}{node}", visit, runtime, policy, outermost)


@dataclass(frozen=True, slots=True)
class WaitClock:
    """The clocks for waits, in seconds, and how often one looks up. Up to `short` seconds a process
    waits itself; for longer the run waits without one."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    look: float = 0.1
    short: float = 5.0
