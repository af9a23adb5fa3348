"""Check: one value holds what a check reports, how it looks for it, and how far to trust it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from ..diagnostics.diagnostic import Code, Diagnostic
from ..ir import Program, Workflow
from ..source.records import dataclass

NOTHING_LOST = frozenset({"FC1003", "FC1004", "FC2001", "FC2009"})
"""After these faults of reading every node and edge of the file is still in the workflow; only
texts may be missing, and what they would have read."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check: a generator over a linked program, and the code that it reports.

    `needs` is what must have been read without a fault: the single `place`, every node and edge of
    the `graph`, or the whole `file`, for a check that one wrong name can mislead.
    """

    code: Code
    run: Callable[[Workflow, Program], Iterator[Diagnostic]]
    needs: Literal["place", "graph", "file"] = "graph"

    def applies(self, faults: set[str]) -> bool:
        """Return whether the check can be trusted on a file with these faults of reading: it would
        speak of nodes and variables that the reader dropped."""
        match self.needs:
            case "place":
                return True
            case "graph":
                return faults <= NOTHING_LOST
            case "file":
                return not faults
