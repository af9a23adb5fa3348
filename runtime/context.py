"""The context of the code that is running: calls, visit, attempt, effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from flowc.compiler.ir import OnUnknown

if TYPE_CHECKING:
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

ON_UNKNOWN: ContextVar[OnUnknown | None] = ContextVar("flowc_on_unknown", default=None)
"""The policy for an effect that was under way when the process died, of the running node or the
nearest node around it that has one."""


STREAMED_AS: ContextVar[Mapping[str, str] | None] = ContextVar("flowc_streamed_as", default=None)
"""LangGraph's metadata of the outermost node of flowc's that is running: what a model says in there
is streamed in its name."""


@dataclass(slots=True)
class Here:
    """The visit of a node that is under way. `place` names the node with the calls that lead to it
    and the visits of the callers after their first: `CALL@2/each#3/draft`. `visit` counts the
    node's own visits and `attempt` the attempts of this visit, both from 1. `counts` holds the
    exchanges of the attempt so far, by kind."""

    place: str
    visit: int
    runtime: Runtime[Any]
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


@contextmanager
def binding(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Give a context variable this value in the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


@contextmanager
def visiting(
    node: str, visit: int, runtime: Runtime[Any], on_unknown: OnUnknown | None = None
) -> Iterator[None]:
    """Make the block a visit of a node; `on_unknown` is the node's policy for its effects."""
    outer, path = HERE.get(), CALL_PATH.get()
    before = ""
    if outer is not None and path:
        name, mark, item = path[-1].rpartition("#")
        again = f"@{outer.visit}" if outer.visit > 1 else ""
        before = f"{outer.place}{again}{mark + item if mark and name else ''}/"
    here, policy = Here(f"{before}{node}", visit, runtime), on_unknown or ON_UNKNOWN.get()
    with binding(HERE, here), binding(ON_UNKNOWN, policy):
        yield
