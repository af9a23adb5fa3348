"""Which modules are mutated, and which tests guard them.

A mutant first meets the mirror tests of its module, then the wider ones: of both only those tests
that run the line that was changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CORPUS = "tests/corpus/test_corpus.py"
"""Inputs beside what the compiler says of them, word by word."""


@dataclass(frozen=True)
class Guards:
    """The tests of a package or of one module."""

    code: str
    mirror: tuple[str, ...]
    wider: tuple[str, ...] = ()

    def files(self, root: Path) -> Iterator[str]:
        """The modules, as paths below the root."""
        place = root / self.code
        found = sorted(place.glob("*.py")) if place.is_dir() else [place]
        yield from (str(path.relative_to(root)) for path in found)


GUARDS = (
    Guards("compiler/expr", ("tests/compiler/expr",), ("tests/compiler/linking",)),
    Guards("compiler/checks", ("tests/compiler/checks",), (CORPUS,)),
    Guards(
        "compiler/lowering",
        ("tests/compiler/lowering",),
        ("tests/runtime/graph",),
    ),
    Guards(
        "compiler/reconcile.py",
        ("tests/compiler/test_reconcile.py",),
        ("tests/compiler/plan", "tests/fuzz/test_edited_plans.py"),
    ),
    Guards("runtime/journal", ("tests/runtime/journal",), ("tests/runtime/engine",)),
    Guards("runtime/budget", ("tests/runtime/budget",), ("tests/runtime/nodes",)),
    *(
        Guards(f"runtime/db/{module}.py", ("tests/runtime/db",), ("tests/runtime/store",))
        for module in ("fence", "file_lease", "high_water", "ownership", "postgres/row_lease")
    ),
    Guards(
        "runtime/nodes/talk/verdicts.py",
        ("tests/runtime/nodes/talk/test_verdicts.py",),
        ("tests/runtime/nodes/test_agent.py",),
    ),
)
