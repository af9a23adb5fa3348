"""CHECKS: the one place where a check registers, and the order in which they run.

A check is a value of its own file: code, title, why, examples and the generator that looks. All of
them run, but on a file that could not be read whole only those that its faults cannot mislead.
"""

from __future__ import annotations

from ..diagnostics.diagnostic import Code
from ..diagnostics.reader_codes import READER_CODES
from .branches import HIDDEN_BRANCHES, OPEN_BRANCHES
from .budgets import MISSING_BUDGETS
from .check import Check
from .conflicts import PARALLEL_WRITES
from .dataflow import EARLY_READS, UNDEFINED_VARIABLES
from .effects import UNSAFE_EFFECTS
from .guards import BAD_EXPRESSIONS
from .inescapable_loops import INESCAPABLE_LOOPS
from .joins import ENDLESS_WAITS
from .mismatches import MISMATCHES
from .reachability import UNREACHABLE_STEPS
from .roles import MISSING_ROLES
from .unbounded_loops import UNBOUNDED_LOOPS
from .unused import UNUSED_OUTPUTS

CHECKS: tuple[Check, ...] = (
    UNREACHABLE_STEPS,
    ENDLESS_WAITS,
    INESCAPABLE_LOOPS,
    UNBOUNDED_LOOPS,
    OPEN_BRANCHES,
    HIDDEN_BRANCHES,
    UNDEFINED_VARIABLES,
    EARLY_READS,
    UNUSED_OUTPUTS,
    PARALLEL_WRITES,
    MISMATCHES,
    BAD_EXPRESSIONS,
    MISSING_ROLES,
    UNSAFE_EFFECTS,
    MISSING_BUDGETS,
)

CODES: dict[str, Code] = {
    code.id: code
    for code in sorted((*READER_CODES, *(check.code for check in CHECKS)), key=lambda code: code.id)
}
"""Every code, those of the readers among them: severities, `flowc explain`, docs/diagnostics.md."""
