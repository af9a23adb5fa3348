"""Faults of the paths in a living document: variables that name no step, and a broken chain."""

from __future__ import annotations

from typing import assert_never

from ...diagnostics.diagnostic import Label, Sink
from ...plan import path_breaks
from ...plan.document import is_step
from ...plan.paths import Break, variable_of
from ...source.spelling import Spelling
from .places import Places


def check_chain(places: Places, sink: Sink) -> None:
    """Check path variables, and the chain of paths from step to step (A18, A19)."""
    breaks = path_breaks(places.document)
    if not breaks:
        return
    steps = [n for n, b in enumerate(places.document.blocks) if is_step(b)]
    spelling = Spelling(places.document.ids)
    for found in breaks:
        before = steps[found.step - 1] if found.step else None
        other = steps[found.other] if found.other is not None else None
        _report(found, places, (steps[found.step], before, other), spelling, sink)


def _report(
    found: Break,
    places: Places,
    steps: tuple[int, int | None, int | None],
    spelling: Spelling,
    sink: Sink,
) -> None:
    """`steps` are the blocks of the step, of the one before it and of the one it reads from."""
    index, before, other = steps
    name, span = places.name_of(index), places.value_span(index, "Input Audio")
    match found.kind:
        case "no-step":
            id = variable_of(found.path) or ""
            near = spelling.nearest(id)
            sink.report(
                "FC2001",
                f"{name} reads `{found.path}`, but no step has the ID `{id}`",
                span,
                help=f"did you mean `$OUTPUT_{near.upper()}`?" if near else "name a step",
            )
        case "later":
            assert other is not None
            own = other == index
            writer = "it writes itself" if own else f"only {places.name_of(other)} writes"
            sink.report(
                "FC3002",
                f"{name} reads `{found.path}`, which {writer}",
                span,
                help="a step reads what a step before it has written",
            )
        case "unknown":
            sink.report(
                "FC3001",
                f"{name} reads `{found.path}`, which no step before it writes",
                span,
                severity="warning",
                labels=_expected_path(places, before),
                help="write the path that stands there",
            )
        case "skipped":
            assert before is not None
            sink.report(
                "FC3003",
                f"nothing reads `{found.path}`, which {places.name_of(before)} writes",
                places.value_span(before, "Output Audio"),
                labels=(Label(span, "the next step reads another path"),),
                help="let the next step read it",
            )
        case _:
            assert_never(found.kind)


def _expected_path(places: Places, before: int | None) -> tuple[Label, ...]:
    """Return the path that a step should read: the output of the one before, or the request's."""
    if before is not None:
        return (Label(places.value_span(before, "Output Audio"), "the step before writes this"),)
    for index, block in enumerate(places.document.blocks):
        if block.kind == "section" and block.key == "request":
            return (Label(places.value_span(index, "Input Audio"), "the request gives this"),)
    return ()
