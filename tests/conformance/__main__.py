"""`python -m tests.conformance FOLDER`: our readings beside those of other engines.

FOLDER is a corpus: files, and what reference engines made of them under expected/. Ends with 1
when a difference is not one that a rule asks for.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .contracts import compare_contracts
from .flowcharts import compare_flowcharts
from .machines import compare_machine_runs, compare_machines
from .plans import compare_plans
from .report import Suite, render
from .steps import compare_sessions, compare_steps

SUITES: tuple[Suite, ...] = (
    compare_steps,
    compare_sessions,
    compare_flowcharts,
    compare_machines,
    compare_machine_runs,
    compare_plans,
    compare_contracts,
)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: python -m tests.conformance FOLDER", file=sys.stderr)
        return 2
    reports = [suite(Path(arguments[0])) for suite in SUITES]
    print(render(reports))
    return 1 if any(report.faults for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
