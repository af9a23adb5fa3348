"""CHECKS: the one place where a check registers, and the order.

A check is a generator: it reads a linked program and yields diagnostics. All of them run, but on a
file that could not be read whole only those that its faults cannot mislead: see `applies`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..catalog.catalog import Catalog
from ..diagnostics.diagnostic import Diagnostic
from ..ir import Program, Workflow
from .bindings import missing_roles, unknown_tools
from .bounds import unbounded_loops
from .branches import hidden_branches, open_branches
from .budgets import missing_budgets
from .conflicts import parallel_writes
from .dataflow import early_reads, undefined_variables
from .effects import unsafe_effects
from .guards import bad_expressions
from .joins import endless_waits
from .mismatches import mismatches
from .reachability import unreachable_steps
from .termination import inescapable_loops
from .unused import unused_outputs

Check = Callable[[Workflow, Program, Catalog], Iterable[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    unreachable_steps,
    endless_waits,
    inescapable_loops,
    unbounded_loops,
    open_branches,
    hidden_branches,
    undefined_variables,
    early_reads,
    unused_outputs,
    parallel_writes,
    mismatches,
    bad_expressions,
    unknown_tools,
    missing_roles,
    unsafe_effects,
    missing_budgets,
)

LOCAL_CHECKS: tuple[Check, ...] = (bad_expressions, unknown_tools, missing_roles)
"""Checks that look at single places."""

NOTHING_LOST = frozenset({"FC1003", "FC1004", "FC2001", "FC2009"})
"""After these faults of reading every node and edge of the file is still in the workflow; only
texts may be missing, and what they would have read."""


WHOLE_CHECKS: tuple[Check, ...] = (
    unused_outputs,
    unbounded_loops,
    unsafe_effects,
    missing_budgets,
)
"""Checks that a single wrong name can mislead: they wait until there is no error."""


def applies(check: Check, faults: set[str]) -> bool:
    """Whether a check can be trusted on a file in which its reader found these faults. What the
    reader dropped would otherwise make it speak of nodes and variables that are not at fault."""
    if not faults or check in LOCAL_CHECKS:
        return True
    return faults <= NOTHING_LOST and check not in WHOLE_CHECKS
