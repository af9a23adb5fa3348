"""What an editor completes in living documents, and where their steps are named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...plan.document import is_step
from ...plan.paths import variable_of
from ...plan.words import OVERALL, STATUSES, STEP_FIELDS
from ...reading.editing import Editing, Mention, Slot, Suggestion
from .places import Places


def plan_editing() -> Editing:
    """Complete the fields of a step, their statuses, and the outputs of steps."""
    return Editing(
        slots=(
            Slot(
                re.compile(r"\*\*Overall Status:\*\*[ \t]*(?P<word>\w*)\Z"),
                words=tuple(Suggestion(text) for text in OVERALL),
            ),
            Slot(
                re.compile(r"\*\*Status:\*\*[ \t]*(?P<word>\w*)\Z"),
                words=tuple(Suggestion(text) for text in STATUSES),
            ),
            Slot(re.compile(r"\$OUTPUT_(?P<word>\w*)\Z"), ("node",)),
            Slot(
                re.compile(r"^[ \t]*[*+-][ \t]+\*\*(?P<word>[\w ]*)\Z"),
                words=tuple(Suggestion(name, insert=f"{name}:** ") for name in STEP_FIELDS),
            ),
        ),
        triggers=("*", "$", " "),
    )


def plan_mentions(places: Places) -> Iterator[Mention]:
    """Yield where steps have their IDs, and where others read what they write."""
    document = places.document
    by_name = {id.lower(): id for id in document.ids}
    for index, block in enumerate(document.blocks):
        if not is_step(block):
            continue
        span = places.value_span(index, "ID")
        id = places.source.text[span.start : span.end].strip("`")
        if id in document.ids:
            yield Mention("node", id, "define", span)
        read = places.value_span(index, "Input Audio")
        name = variable_of(places.source.text[read.start : read.end].strip("`"))
        if name is not None and name in by_name:
            yield Mention("node", by_name[name], "name", read)
