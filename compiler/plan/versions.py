"""Two versions of one document, step by step: which are gone, which are new, what differs in those
that stayed. Steps are the same when their IDs are (A4)."""

from __future__ import annotations

from typing import NamedTuple

from .blocks import Block
from .document import PlanDocument, field_value, text_value
from .words import STEP_FIELDS


class StepVersions(NamedTuple):
    """A step before and after. A place is that among the document's blocks, None where the step is
    not there; `fields` are the names of those that differ, `Title` for the heading's."""

    id: str
    then: int | None
    now: int | None
    fields: tuple[str, ...]


def versions(then: PlanDocument, now: PlanDocument) -> list[StepVersions]:
    """Return every step of either version, in the present order; those that are gone come last."""
    steps = []
    for id, place in now.ids.items():
        before = then.ids.get(id)
        differ = () if before is None else _differing(then.blocks[before], now.blocks[place])
        steps.append(StepVersions(id, before, place, differ))
    gone = [id for id in then.ids if id not in now.ids]
    return [*steps, *(StepVersions(id, then.ids[id], None, ()) for id in gone)]


def distance(then: PlanDocument, now: PlanDocument) -> int:
    """Return how many fields of steps differ, a step that is gone or new counted as one, and how
    many sections: to tell which of two versions another one was made from."""
    steps = sum(len(v.fields) or (v.then is None or v.now is None) for v in versions(then, now))
    return steps + sum(
        section_text(then, key) != section_text(now, key) for key in ("request", "output", "log")
    )


def section_text(document: PlanDocument, key: str) -> str:
    """Return the text of the first section of that kind, or ""."""
    return next((b.text for b in document.blocks if b.kind == "section" and b.key == key), "")


def _differing(then: Block, now: Block) -> tuple[str, ...]:
    names = dict.fromkeys((*STEP_FIELDS, *(f.name for f in (*then.fields, *now.fields))))
    differ = [n for n in names if _plain(then, n) != _plain(now, n)]
    return ("Title", *differ) if then.title != now.title else tuple(differ)


def _plain(block: Block, name: str) -> object:
    """Return a field's value; a missing field equals an empty one."""
    if name == "Status":
        return text_value(block, name) or "PENDING"
    return field_value(block, name) or ""
