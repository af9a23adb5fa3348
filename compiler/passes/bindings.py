"""Bindings: tools that nothing known provides (FC4001)."""

from __future__ import annotations

from collections.abc import Iterator

from ..catalog import Catalog
from ..diagnostics import Diagnostic, Fix
from ..ir import REPORT_TOOL, Program, Workflow
from ..spelling import Spelling


def unknown_tools(workflow: Workflow, program: Program, catalog: Catalog) -> Iterator[Diagnostic]:
    """FC4001: an error when the catalogue covers every source, otherwise a warning: the tool may
    come from a server or module that is not locked yet. Once for each tool, where it is named."""
    spelling = Spelling(catalog.entries)
    for tool in workflow.tools:
        if tool.source != "unknown" or tool.span is None or tool.id == REPORT_TOOL:
            continue
        near = spelling.nearest(tool.id)
        exact = near is not None and tool.span.end - tool.span.start == len(tool.id)
        yield Diagnostic(
            "FC4001",
            f"nothing provides the tool `{tool.id}`",
            tool.span,
            "error" if catalog.complete else "warning",
            notes=()
            if catalog.complete
            else ("without a lock of all tools flowc knows the built-in ones only",),
            help=f"did you mean `{near}`?" if near else _advice(catalog),
            fix=Fix(f"write `{near}`", tool.span, near) if near and exact else None,
        )


def _advice(catalog: Catalog) -> str:
    if catalog.complete:
        return "add the server or module that has it, then run `flowc tools lock`"
    return "run `flowc tools lock` to write down what your servers and modules provide"
