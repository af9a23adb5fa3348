"""What leads to the code that is running: calls, visits, attempts, the effect it is part of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.ir import OnUnknown

CALL_PATH: ContextVar[tuple[str, ...]] = ContextVar("flowc_call_path", default=())
"""The call nodes around the node that is running, the outermost first. The third element of a
foreach node `each` is `each#3`."""

EARLIER: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("flowc_earlier", default=())
"""For every node around, and at, the one that is running which is being tried again: the namespace
of all its attempts, and that of the present one."""

EFFECT_KEY: ContextVar[str] = ContextVar("flowc_effect_key", default="")
"""The idempotency key of the effect that is under way: the same whenever that effect is repeated,
different for every other one. "" outside of an effect."""

ON_UNKNOWN: ContextVar[OnUnknown | None] = ContextVar("flowc_on_unknown", default=None)
"""What the node that is running, or the nearest around it that says so, has done about an effect
that was under way when the process died."""


@dataclass(slots=True)
class Here:
    """The visit of a node that is under way. `place` names the node with the calls that lead to it
    and with the visits of the callers after their first: `CALL@2/each#3/draft`. `visit` counts the
    node's own visits and `attempt` the attempts of this one, both from 1. `counts` are what the
    attempt has asked for so far, by kind."""

    place: str
    visit: int
    runtime: Any
    attempt: int = 1
    counts: dict[str, int] = field(default_factory=dict)

    def next(self, kind: str) -> int:
        """The number, from 1, of one more of a kind in this attempt."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return self.counts[kind]

    def try_again(self, attempt: int) -> None:
        """Another attempt begins: it asks for everything anew."""
        self.attempt = attempt
        self.counts.clear()


HERE: ContextVar[Here | None] = ContextVar("flowc_here", default=None)
"""None where no node is running."""


@contextmanager
def entered(
    node: str, visit: int, runtime: Any, on_unknown: OnUnknown | None = None
) -> Iterator[None]:
    """The block is a visit of a node; `on_unknown` is what that says of its effects."""
    outer, path = HERE.get(), CALL_PATH.get()
    before = ""
    if outer is not None and path:
        name, mark, item = path[-1].rpartition("#")
        again = f"@{outer.visit}" if outer.visit > 1 else ""
        before = f"{outer.place}{again}{mark + item if mark and name else ''}/"
    token = HERE.set(Here(f"{before}{node}", visit, runtime))
    policy = ON_UNKNOWN.set(on_unknown or ON_UNKNOWN.get())
    try:
        yield
    finally:
        ON_UNKNOWN.reset(policy)
        HERE.reset(token)
