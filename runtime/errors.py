"""Run-time failures, with their node and place.

Those that a person reads are `RuntimeError`s: LangGraph's server tells its clients what such an
error says, and of others nothing.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flowc.compiler.ir import ErrorKind
    from flowc.compiler.lowering.graphspec import Place


class Failure(RuntimeError):
    """A node could not do its work. `kind` decides which error edge takes it; a failure that no
    edge takes ends the run. The node's wrapper fills in `node` and `place`."""

    def __init__(
        self,
        message: str,
        kind: ErrorKind = "failure",
        *,
        node: str = "",
        place: Place | None = None,
        help: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.node = node
        self.place = place
        self.help = help

    def at(self, node: str, place: Place | None) -> Failure:
        """Add the node and the place, unless an inner node has set them, and return the failure."""
        self.node = self.node or node
        self.place = self.place or place
        return self

    def as_value(self) -> dict[str, str]:
        """Return the value that expressions see as `error`."""
        place = str(self.place) if self.place else ""
        return {"message": self.message, "kind": self.kind, "node": self.node, "place": place}


def one_line(message: object, most: int = 300) -> str:
    """Return a message in one line, cut after `most` characters."""
    text = " ".join(str(message).split())
    return text if len(text) <= most else text[:most] + " …"


def reason_of(error: OSError) -> str:
    """Return what the system says is wrong, as the end of a sentence of ours."""
    return (error.strerror or str(error)).lower()


def lacks_room(error: OSError) -> bool:
    """Return whether a disk, or somebody's share of it, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def describe_exception(error: BaseException) -> str:
    """Return `ValueError: what it says`, for an exception of foreign code."""
    text = one_line(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class NoResult(Failure):
    """A model came to no result of its work. Who does it once more begins anew: to go on from there
    would lead to the same."""


class RunError(RuntimeError):
    """A run cannot be started, resumed or read; `help` says what to do, `exit_code` is the one of
    the command, `diff` holds lines as `diff -u` writes them."""

    def __init__(
        self, message: str, *, help: str = "", exit_code: int = 2, diff: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.diff = diff
        self.exit_code = exit_code


class StoreFailed(RunError):
    """A store takes nothing now: it is full, locked or gone. What is in it stays, and the same
    command helps later."""


class StoreAway(StoreFailed):
    """A store that was there went away, and was waited for in vain."""


class InDoubt(Failure):
    """A call that may or may not have had its effect: the journal keeps it as unknown."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "timeout")


class Ended(Exception):
    """A branch of the graph has ended FAILED, so that no other branch begins a node. `state` is the
    graph's, by channel."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        super().__init__("the workflow has ended FAILED")
        self.state = state


class LimitReached(RuntimeError):
    """A limit that stops the run, resumable. `name` is the limit's; `scope` is the budget whose
    limit counts anew when the run goes on, "" for a limit of the caller. It counts from `used` on,
    unless it measures model calls."""

    def __init__(
        self, message: str, name: str = "", scope: str = "", used: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.name = name
        self.scope = scope
        self.used = used

    def as_value(self) -> dict[str, str]:
        """Return the value for the run's outcome and its record."""
        about = {"message": self.message, "kind": "limit", "limit": self.name, "scope": self.scope}
        if self.used is not None:
            about["used"] = str(self.used)
        return {key: value for key, value in about.items() if value}
