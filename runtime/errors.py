"""Run-time failures, with their node and place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flowc.compiler.ir import ErrorKind
    from flowc.compiler.lowering.graphspec import Place


class Failure(Exception):
    """A node could not do its work. `kind` decides which error edge is taken; a failure that no
    edge takes ends the run. `node` and `place` are filled in by the node's wrapper."""

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
        """The same failure with its node and place, unless an inner node has already said them."""
        self.node = self.node or node
        self.place = self.place or place
        return self

    def as_value(self) -> dict[str, str]:
        """What expressions see as `error`."""
        place = str(self.place) if self.place else ""
        return {"message": self.message, "kind": self.kind, "node": self.node, "place": place}


class RunError(Exception):
    """A run cannot be started, resumed or read; `help` says what to do, `exit_code` how to end.
    `diff` are the lines of a difference, as `diff -u` writes them."""

    def __init__(
        self, message: str, *, help: str = "", exit_code: int = 2, diff: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.diff = diff
        self.exit_code = exit_code


class InDoubt(Failure):
    """A call may or may not have had its effect: the journal keeps it as unknown."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "timeout")


class Ended(Exception):
    """A branch of the graph has ended FAILED, so no other begins another node. `state` is the
    graph's, by channel."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        super().__init__("the workflow has ended FAILED")
        self.state = state


class LimitReached(Exception):
    """A limit that stops the run, so that it can be resumed. `name` is what is limited; `scope` the
    budget whose limit counts anew when the run goes on, "" for a limit of the caller's. It counts
    from `used` on, where that is not what model calls used."""

    def __init__(
        self, message: str, name: str = "", scope: str = "", used: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.name = name
        self.scope = scope
        self.used = used

    def as_value(self) -> dict[str, str]:
        """For the run's outcome and its record."""
        about = {"message": self.message, "kind": "limit", "limit": self.name, "scope": self.scope}
        if self.used is not None:
            about["used"] = str(self.used)
        return {key: value for key, value in about.items() if value}
