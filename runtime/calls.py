"""The calls that lead to what is running: for events and questions alone."""

from __future__ import annotations

from contextvars import ContextVar

CALL_PATH: ContextVar[tuple[str, ...]] = ContextVar("flowc_call_path", default=())
"""The call nodes around the node that is running, the outermost first. The third element of a
foreach node `each` is `each#3`."""

EARLIER: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("flowc_earlier", default=())
"""For every node around, and at, the one that is running which is being tried again: the namespace
of all its attempts, and that of the present one."""
