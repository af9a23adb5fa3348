"""A living document in its file: where its blocks and values stand, and what messages call them."""

from __future__ import annotations

from functools import cached_property

from ...plan import PlanDocument, is_template, text_value
from ...plan.document import is_step
from ...plan.values import Range, place_of
from ...source.source import Source, Span


class Places:
    """A document and its source; a block is given by its place among the document's blocks."""

    def __init__(self, document: PlanDocument, source: Source) -> None:
        self.document = document
        self.source = source
        self.starts = document.starts()

    def span(self, index: int, place: Range) -> Span:
        """Return the part of the file that is `place` of a block."""
        start = self.starts[index]
        return self.source.span(start + place.start, start + place.end)

    def heading(self, index: int) -> Span:
        """Return a block's first line."""
        line = self.document.blocks[index].text.partition("\n")[0]
        return self.span(index, Range(len(line) - len(line.lstrip()), len(line.rstrip())))

    def value_span(self, index: int, name: str) -> Span:
        """Return where a field's value stands; the heading when there is no such field."""
        block = self.document.blocks[index]
        field = block.field(name)
        if field is None:
            return self.heading(index)
        return self.span(index, place_of(block.text, field))

    def id_span(self, id: str) -> Span:
        """Return where a step says that it has this ID."""
        return self.value_span(self._steps[id], "ID")

    @cached_property
    def _steps(self) -> dict[str, int]:
        """The first step of each ID."""
        steps = [(n, block) for n, block in enumerate(self.document.blocks) if is_step(block)]
        return {text_value(block, "ID"): n for n, block in reversed(steps)}

    def name_of(self, index: int) -> str:
        """Return what messages call a step: its ID, else its number or its title."""
        block = self.document.blocks[index]
        id = text_value(block, "ID")
        if id and not is_template(id):
            return f"`{id}`"
        return f"step {block.number}" if block.number is not None else f"step `{block.title}`"

    def where(self, index: int) -> str:
        """Return what messages call a block."""
        block = self.document.blocks[index]
        return self.name_of(index) if block.kind == "step" else f"section `{block.title}`"
