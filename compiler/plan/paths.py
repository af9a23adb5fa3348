"""Paths of a living document: what a step reads, what it writes, and what the result is."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from .blocks import Block
from .document import PlanDocument, text_value
from .edits import Refused
from .progress import status_of
from .values import is_template

_VARIABLE = re.compile(r"\$OUTPUT_(?P<id>STEP_\w+)", re.IGNORECASE)


class Break(NamedTuple):
    """Where the chain of paths is broken: at the step in place `index` of the plan's steps.

    "unknown": it reads a path that is neither the document's input nor an earlier step's output.
    "skipped": it reads an earlier path, so that nothing reads the output of the step before it.
    "later": it reads the output of a step that comes later, or its own.
    "no-step": its path variable names no step."""

    index: int
    kind: Literal["unknown", "skipped", "later", "no-step"]
    path: str


def variable_of(path: str) -> str | None:
    """The ID that a path variable names: `step_3` for `$OUTPUT_STEP_3` (A19); None for a path."""
    match = _VARIABLE.fullmatch(path.strip())
    return match["id"].lower() if match else None


def named_step(document: PlanDocument, variable: str) -> int | None:
    """The place among the blocks of the step that a variable's ID means, in any case (A19)."""
    if variable in document.ids:
        return document.ids[variable]
    same = (place for id, place in document.ids.items() if id.lower() == variable.lower())
    return next(same, None)


def resolve_path(document: PlanDocument, path: str) -> str:
    """A path with its variable resolved: the Output Audio of the step it names (A19). Raises
    `Refused` when there is no such step, or it has no output."""
    variable = variable_of(path)
    if variable is None:
        return path
    place = named_step(document, variable)
    if place is None:
        raise Refused(f"`{path}` names no step: no step has the ID `{variable}`")
    output = text_value(document.blocks[place], "Output Audio")
    if not output or is_template(output):
        raise Refused(f"`{path}` has no value: step `{variable}` has no Output Audio")
    return output


def step_paths(document: PlanDocument, id: str) -> tuple[str, str]:
    """Input and output path of a step, variables resolved. Raises `Refused`."""
    step = document.step(id)
    return (
        resolve_path(document, text_value(step, "Input Audio")),
        text_value(step, "Output Audio"),
    )


def original_input(document: PlanDocument) -> str:
    """The path that the request came with; "" when the document does not say it."""
    section = document.section("request")
    return text_value(section, "Input Audio") if section else ""


def final_path(document: PlanDocument) -> str:
    """The output of the last DONE step in file order, else the original input (A17)."""
    for step in reversed(document.steps):
        output = text_value(step, "Output Audio")
        if status_of(step) == "DONE" and output:
            return output
    return original_input(document)


def path_breaks(document: PlanDocument) -> list[Break]:
    """Where the paths do not form a chain (A18). Steps without paths, and templates, are passed
    over."""
    steps = document.steps
    outputs = [text_value(step, "Output Audio") for step in steps]
    inputs = [_resolved(document, step) for step in steps]
    places = [n for n, block in enumerate(document.blocks) if block in steps] if steps else []
    del places
    first_writer: dict[str, int] = {}
    for index, output in enumerate(outputs):
        if output and not is_template(output):
            first_writer.setdefault(output, index)
    original = original_input(document)
    known = bool(original) and not is_template(original)
    breaks = []
    read = set(inputs)
    for index, (step, path) in enumerate(zip(steps, inputs, strict=True)):
        if path is None:
            raw = text_value(step, "Input Audio")
            if variable_of(raw) and named_step(document, variable_of(raw) or "") is None:
                breaks.append(Break(index, "no-step", raw))
            continue
        if not path or is_template(path):
            continue
        before = outputs[index - 1] if index else original
        if path == before:
            continue
        writer = first_writer.get(path)
        if writer is not None and writer >= index and path != original:
            breaks.append(Break(index, "later", path))
        elif writer is None and path != original:
            if known or index:
                breaks.append(Break(index, "unknown", path))
        elif index and before and not is_template(before) and before not in read:
            breaks.append(Break(index, "skipped", before))
    return breaks


def _resolved(document: PlanDocument, step: Block) -> str | None:
    try:
        return resolve_path(document, text_value(step, "Input Audio"))
    except Refused:
        return None
