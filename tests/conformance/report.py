"""What a comparison with another engine's readings found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Difference:
    """Where we read a file differently. `rule` is the rule that says so; without one it is a
    fault of ours."""

    file: str
    what: str
    rule: str = ""


@dataclass(slots=True)
class Report:
    """`agreed` counts what was compared and found equal, by what it is."""

    suite: str
    files: int = 0
    agreed: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    @property
    def faults(self) -> list[Difference]:
        return [d for d in self.differences if not d.rule]


Suite = Callable[[Path], Report]
"""Compares everything below the corpus folder that it knows how to compare."""


def render(reports: list[Report]) -> str:
    """A table, then every difference with its rule."""
    lines = [f"{'suite':<14}{'files':>6}{'equal':>8}{'by rule':>9}{'faults':>8}"]
    for report in reports:
        by_rule = len(report.differences) - len(report.faults)
        equal = sum(report.agreed.values())
        lines.append(
            f"{report.suite:<14}{report.files:>6}{equal:>8}{by_rule:>9}{len(report.faults):>8}"
        )
        lines.append("    equal: " + ", ".join(f"{n} {k}" for k, n in report.agreed.items()))
    for report in reports:
        for one in sorted(report.differences, key=lambda d: (bool(d.rule), d.file, d.what)):
            lines.append(f"{one.rule or 'FAULT':<8} {one.file}: {one.what}")
    return "\n".join(lines)
