"""The living document: read, looked up, changed one field at a time, written back byte for byte.

    document = read_plan(text)
    document.value("Status", step="step_2")                       "READY"
    document = document.set("Status", "RUNNING", step="step_2")   changes those bytes only
    document.text == text with READY replaced

A document never changes: every edit gives another one, which shares all other blocks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import field

from ..source.gc_pause import collector_at_rest
from ..source.records import dataclass
from .blocks import Block, read_blocks
from .edits import (
    DEFAULT,
    PlanError,
    append_line,
    body_end,
    is_rule,
    layout_of,
    newline_near,
    reread,
    set_field,
)
from .values import FieldLayout, Value, field_lines, plain, same, value_of
from .words import SECTIONS, STEP_FIELDS, SectionKey

_ID = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """A living document. `ids` is the place of each step among the blocks, by its ID (A4); of two
    steps with one ID the first."""

    blocks: tuple[Block, ...]
    ids: Mapping[str, int] = field(compare=False, repr=False)

    @property
    def text(self) -> str:
        """The whole document, as it was read but for the edits."""
        return "".join(block.text for block in self.blocks)

    @property
    def steps(self) -> tuple[Block, ...]:
        """The steps of the plan, in file order (A2)."""
        return tuple(block for block in self.blocks if is_step(block))

    def starts(self) -> list[int]:
        """Return the offset of each block in the text."""
        return [0, *itertools.accumulate(len(block.text) for block in self.blocks)][:-1]

    def step(self, id: str) -> Block:
        """Return the step of that ID. Raise `PlanError`."""
        return self.blocks[self._index(id, None)]

    def section(self, key: SectionKey) -> Block | None:
        """Return the first section of that kind."""
        return next((b for b in self.blocks if b.kind == "section" and b.key == key), None)

    def value(
        self, name: str, *, step: str | None = None, section: SectionKey | None = None
    ) -> Value | None:
        """Return what a field holds, or None. Raise `PlanError` for an unknown step."""
        return field_value(self.blocks[self._index(step, section)], name)

    def set(
        self,
        name: str,
        value: Value,
        *,
        step: str | None = None,
        section: SectionKey | None = None,
    ) -> PlanDocument:
        """Return the document with one field of a step or a section set; add a missing one (A24).
        The text is taken literally (A25), with the document's line ends. Raise `PlanError` when the
        field cannot hold it."""
        return self.set_at(self._index(step, section), name, value)

    def set_at(self, index: int, name: str, value: Value) -> PlanDocument:
        """Set a field of the block at a place of `blocks`."""
        block = self.blocks[index]
        if block.kind == "start" and block.field(name) is None:
            raise PlanError("a field belongs to a section or a step")
        changed = set_field(block, name, value, self._layout(index))
        return self if changed is block else self._with(index, changed)

    def append_log(self, time: str, text: str) -> PlanDocument:
        """Return the document with a line at the end of its log (A11), line ends in the text made
        blanks. Raise `PlanError` when there is no log, or `time` is not a time."""
        index = self._index(None, "log")
        return self._with(index, append_line(self.blocks[index], time, text, self._layout(index)))

    def add_step(self, title: str, fields: Mapping[str, Value]) -> PlanDocument:
        """Return the document with another step behind the last one, numbered on from the highest
        number. Its ID is `step_N` unless `fields` has one. Raise `PlanError`."""
        last = max(
            (n for n, b in enumerate(self.blocks) if b.kind != "start" and b.key == "plan"),
            default=None,
        )
        if last is None:
            raise PlanError(f"there is no section `{SECTIONS['plan']}`")
        number = 1 + max((step.number or 0 for step in self.steps), default=0)
        fields = {"ID": f"step_{number}", **fields}
        if fields["ID"] in self.ids:
            raise PlanError(f"there is a step with the ID `{fields['ID']}` already")
        if "\n" in title or "\r" in title:
            raise PlanError("a title is one line")
        head, tail = self._split(last)
        layout = self._step_layout(last)
        end = layout.newline
        step = _new_step(f"### Step {number}: {title}".rstrip(), fields, layout)
        gap = end if head.text.endswith("\n") else end * 2
        rule = f"---{end}{end}" if self._has_rules() and is_step(self.blocks[last]) else ""
        added = reread(step, step.text + tail)
        grown = reread(head, head.text + gap + rule)
        texts = [grown.text, added.text] if grown and added else []
        if grown is None or added is None or not _stay_apart(texts):
            raise PlanError("this step cannot be added: it would not be read back as written")
        blocks = (*self.blocks[:last], grown, added, *self.blocks[last + 1 :])
        return PlanDocument(blocks, step_ids(blocks))

    def _split(self, index: int) -> tuple[Block, str]:
        """Return a block up to its last line with words, and the rest of its text."""
        block = self.blocks[index]
        at = body_end(block)
        head = reread(block, block.text[:at])
        assert head is not None, "a block's beginning is a block"
        return head, block.text[at:]

    def _has_rules(self) -> bool:
        first = self.steps[0] if len(self.steps) > 1 else None
        return first is not None and any(is_rule(first, piece) for piece in first.pieces)

    def _step_layout(self, last: int) -> FieldLayout:
        layout = self._layout(last)
        block = self.blocks[last]
        return layout_of(block, 0, layout) if block.fields else layout

    def _layout(self, index: int) -> FieldLayout:
        """Return how the nearest block before, or else after, writes its fields."""
        block = self.blocks[index]
        order = itertools.chain((block,), self.blocks[:index][::-1], self.blocks[index:])
        newlines = (newline_near(b.text, 0) for b in (block, *self.blocks))
        default = DEFAULT._replace(newline=next((n for n in newlines if n), "\n"))
        shown = next((b for b in order if b.fields), None)
        if shown is None:
            return default
        return layout_of(shown, 0, default)._replace(newline=default.newline)

    def _with(self, index: int, block: Block) -> PlanDocument:
        blocks = (*self.blocks[:index], block, *self.blocks[index + 1 :])
        same = field_value(block, "ID") == field_value(self.blocks[index], "ID")
        return PlanDocument(blocks, self.ids if same else step_ids(blocks))

    def _index(self, step: str | None, section: SectionKey | None) -> int:
        if step is not None:
            if step not in self.ids:
                raise PlanError(f"no step has the ID `{step}`")
            return self.ids[step]
        places = (n for n, b in enumerate(self.blocks) if b.kind == "section" and b.key == section)
        index = next(places, None)
        if index is None or section is None:
            raise PlanError(f"there is no section `{SECTIONS[section] if section else ''}`")
        return index


def read_plan(text: str) -> PlanDocument:
    """Read a document; any text is one, and `text` of the result is that text."""
    with collector_at_rest():
        blocks = read_blocks(text)
    return PlanDocument(blocks, step_ids(blocks))


def is_id(text: str) -> bool:
    """Return whether a text can be a step's ID: ASCII letters, digits, `_`, `-` and `.`."""
    return _ID.fullmatch(text) is not None


def is_step(block: Block) -> bool:
    """Return whether a block is a step of the plan; one in another section is a heading."""
    return block.kind == "step" and block.key == "plan"


def field_value(block: Block, name: str) -> Value | None:
    """Return the value of a block's field; None when it has none of that name."""
    if name not in block.values:
        field = block.field(name)
        block.values[name] = None if field is None else value_of(block.text, field)
    return block.values[name]


def text_value(block: Block, name: str) -> str:
    """Return the same as a text: "" when the field is missing, a list as lines."""
    value = field_value(block, name)
    return "\n".join(value) if isinstance(value, tuple) else value or ""


def step_ids(blocks: tuple[Block, ...]) -> dict[str, int]:
    """Return the place of each step by its ID."""
    ids: dict[str, int] = {}
    for index, block in enumerate(blocks):
        id = text_value(block, "ID") if is_step(block) else ""
        if id:
            ids.setdefault(id, index)
    return ids


def _new_step(heading: str, fields: Mapping[str, Value], layout: FieldLayout) -> Block:
    """Return a step with its fields in the format's order, those it does not know last."""
    names = sorted(fields, key=lambda n: STEP_FIELDS.index(n) if n in STEP_FIELDS else 99)
    lines = "".join(field_lines(name, plain(fields[name]), layout) for name in names)
    text = heading + layout.newline * 2 + lines
    step = reread(Block("step", "plan", text, (), ()), text)
    if step is None or [f.name for f in step.fields] != names:
        raise PlanError(f"`{heading[:60]}` cannot be added: it would not be read back as written")
    for name in names:
        if not same(field_value(step, name) or "", plain(fields[name])):
            raise PlanError(f"`{name}` cannot hold this text: it would not be read back as written")
    return step


def _stay_apart(texts: list[str]) -> bool:
    """Return whether the joined texts of blocks are read as these blocks again."""
    return [block.text for block in read_blocks("".join(texts))] == ["", *texts]
