"""Paths of a living document: what a step reads, what it writes, and what the result is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from .blocks import Block
from .document import PlanDocument, text_value
from .edits import PlanError
from .progress import status_of
from .values import is_template

_VARIABLE = re.compile(r"\$OUTPUT_(?P<id>STEP_\w+)", re.IGNORECASE)


class Break(NamedTuple):
    """Where the chain of paths is broken: at which of the plan's steps, from 0.

    "unknown": it reads a path that is neither the document's input nor an earlier step's output.
    "skipped": it reads an earlier path, so that nothing reads the output of the step before it.
    "later": it reads the output of a later step, or its own; `other` is that step's place.
    "no-step": its path variable names no step."""

    step: int
    kind: Literal["unknown", "skipped", "later", "no-step"]
    path: str
    other: int | None = None


def variable_of(path: str) -> str | None:
    """Return the ID that a path variable names: `step_3` for `$OUTPUT_STEP_3` (A19); else None."""
    match = _VARIABLE.fullmatch(path.strip())
    return match["id"].lower() if match else None


def resolve_path(document: PlanDocument, path: str) -> str:
    """Return a path with its variable resolved: the Output Audio of the step it names (A19). Raise
    `PlanError` when there is no such step, or it has no output."""
    return _resolve(document, path, _by_name(document) if variable_of(path) else {})


def _by_name(document: PlanDocument) -> dict[str, int]:
    """Return the place of each step among the blocks by its ID in small letters."""
    return {id.lower(): place for id, place in reversed([*document.ids.items()])}


def _resolve(document: PlanDocument, path: str, places: Mapping[str, int]) -> str:
    variable = variable_of(path)
    if variable is None:
        return path
    if variable not in places:
        raise PlanError(f"`{path}` names no step: no step has the ID `{variable}`")
    output = text_value(document.blocks[places[variable]], "Output Audio")
    if not output or is_template(output):
        raise PlanError(f"`{path}` has no value: step `{variable}` has no Output Audio")
    return output


def step_paths(document: PlanDocument, id: str) -> tuple[str, str]:
    """Return input and output path of a step, variables resolved. Raise `PlanError`."""
    step = document.step(id)
    return (
        resolve_path(document, text_value(step, "Input Audio")),
        text_value(step, "Output Audio"),
    )


def original_input(document: PlanDocument) -> str:
    """Return the path that the request came with, or ""."""
    section = document.section("request")
    return text_value(section, "Input Audio") if section else ""


def final_path(document: PlanDocument) -> str:
    """Return the output of the last DONE step in file order, else the original input (A17)."""
    for step in reversed(document.steps):
        output = text_value(step, "Output Audio")
        if status_of(step) == "DONE" and output:
            return output
    return original_input(document)


def path_breaks(document: PlanDocument) -> list[Break]:
    """Return where the paths do not form a chain (A18), without steps that lack a path."""
    places = _by_name(document)
    inputs = [_input_of(document, step, places) for step in document.steps]
    outputs = [text_value(step, "Output Audio") for step in document.steps]
    written: dict[str, int] = {}
    for index, output in enumerate(outputs):
        if _is_path(output):
            written.setdefault(output, index)
    chain = _Chain(
        original_input(document),
        outputs,
        written,
        frozenset(path for path in inputs if isinstance(path, str)),
    )
    breaks = []
    for index, path in enumerate(inputs):
        if isinstance(path, Break):
            breaks.append(path._replace(step=index))
        elif _is_path(path) and (gap := chain.break_at(index, path)) is not None:
            breaks.append(gap)
    return breaks


def reads_of(document: PlanDocument) -> dict[int, int]:
    """Return by step the earlier step whose output it reads, both as places among the plan's
    steps."""
    places = _by_name(document)
    reads: dict[int, int] = {}
    written: dict[str, int] = {}
    for index, step in enumerate(document.steps):
        path = _input_of(document, step, places)
        if isinstance(path, str) and path in written:
            reads[index] = written[path]
        output = text_value(step, "Output Audio")
        if _is_path(output):
            written[output] = index
    return reads


class _Chain(NamedTuple):
    """What there is to read: the document's input, each step's output, the first writer of each
    path, and all that steps read."""

    original: str
    outputs: list[str]
    written: Mapping[str, int]
    read: frozenset[str]

    def break_at(self, index: int, path: str) -> Break | None:
        """Return the break at a step that reads `path`, if it is one."""
        before = self.outputs[index - 1] if index else self.original
        if path in (before, self.original) and (path == before or before in self.read):
            return None
        writer = self.written.get(path)
        if path != self.original and writer is None:
            is_known = index > 0 or _is_path(self.original)
            return Break(index, "unknown", path) if is_known else None
        if path != self.original and writer is not None and writer >= index:
            return Break(index, "later", path, writer)
        unread = _is_path(before) and before not in self.read
        return Break(index, "skipped", before) if index and unread else None


def _is_path(path: str) -> bool:
    return bool(path) and not is_template(path)


def _input_of(document: PlanDocument, step: Block, places: Mapping[str, int]) -> str | Break:
    """Return what a step reads, resolved; a break when its variable names no step."""
    path = text_value(step, "Input Audio")
    variable = variable_of(path)
    if variable is not None and variable not in places:
        return Break(0, "no-step", path)
    try:
        return _resolve(document, path, places)
    except PlanError:
        return ""
