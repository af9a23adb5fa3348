"""Placeholders that name no variable, and nearly do."""

from __future__ import annotations

from ...diagnostics.diagnostic import Fix, Label, Sink
from ...ir import Output
from ...source.source import Source, Span
from ...source.spelling import Spelling
from .model import Step
from .prompt import PLACEHOLDER


def check_variables(steps: list[Step], source: Source, sink: Sink) -> None:
    """Warn of a placeholder that nearly names a variable and stays as written (FC3001, S33)."""
    written: dict[str, Output] = {}
    for step in steps:
        for output in step.outputs:
            written.setdefault(output.name, output)
    declared = written.keys() | {entry.name for step in steps for entry in step.inputs}
    spelling = Spelling(declared)
    for step in steps:
        if step.description is not None and "[" in step.description.text:
            _check_placeholders(step.description.span, spelling, written, source, sink)


def _check_placeholders(
    text: Span,
    spelling: Spelling,
    written: dict[str, Output],
    source: Source,
    sink: Sink,
) -> None:
    for match in PLACEHOLDER.finditer(source.text, text.start, text.end):
        near = None if match[1] in spelling else spelling.nearest(match[1])
        if near is None:
            continue
        span = source.span(match.start(1), match.end(1))
        sink.report(
            "FC3001",
            f"`[{match[1]}]` names no variable, so it stays as it is written",
            span,
            severity="warning",
            labels=_label(near, written),
            help=f"did you mean `[{near}]`?",
            fix=Fix(f"write `{near}`", span, near),
        )


def _label(near: str | None, written: dict[str, Output]) -> tuple[Label, ...]:
    output = written.get(near) if near else None
    return (Label(output.span, "put out here"),) if output and output.span else ()
