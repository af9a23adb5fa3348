"""The table of attacks at the end of a run: what each came to, and the layers there were."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what the tests have noted of themselves; with xdist they ran in other processes."""
    rows: dict[str, str] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            rows |= {
                str(name).removeprefix("attack "): str(value)
                for name, value in getattr(report, "user_properties", ())
                if str(name).startswith("attack ")
            }
    if rows:
        terminalreporter.section("attacks")
        for name in sorted(rows):
            terminalreporter.write_line(f"{name:<62} {rows[name]}")
