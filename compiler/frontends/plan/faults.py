"""Faults of a living document: its sections, its fields and its fences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...diagnostics.diagnostic import Label, Sink
from ...plan import SECTIONS, Block, PlanDocument, PlanField
from ...plan.values import BlockRange, FencePart, fence_of, read_fence
from ...plan.words import SECTION_FIELDS, SECTION_WORDS, STEP_FIELDS, SectionKey
from ...source.source import Source
from ...source.spelling import Spelling
from .chain import check_chain
from .places import Places
from .steps import StepChecker

_MARK = re.compile(r"[ \t]*(?P<mark>`+|~+)")
_SWALLOWED = re.compile(
    r"^[ ]?[*+-][ \t]+\*\*(?P<name>[^*:\n]++):\*\*|^\#{2,3}[ \t]+(?:Step[ \t]+[0-9]|[0-9]\.[ \t])",
    re.MULTILINE,
)
_MARK = re.compile(r"[ \t]*(?P<mark>`+|~+)")


def check_document(document: PlanDocument, source: Source, sink: Sink) -> None:
    """Report every fault of a document at its place."""
    places = Places(document, source)
    shape = _ShapeChecker(places, sink)
    shape.check()
    StepChecker(places, sink, is_plan_lost="plan" in shape.misspelt).check()
    check_chain(places, sink)


class _ShapeChecker:
    """Checks sections, fields and fences. `misspelt` are the sections that a heading probably
    meant."""

    def __init__(self, places: Places, sink: Sink) -> None:
        self.places = places
        self.document = places.document
        self.sink = sink
        self.misspelt: set[SectionKey] = set()
        self.section_words = Spelling(SECTION_WORDS)
        self.step_words = Spelling(STEP_FIELDS)

    def check(self) -> None:
        self.check_sections()
        for index, block in enumerate(self.document.blocks):
            self.check_fences(index, block)
            self.check_fields(index, block)

    def check_sections(self) -> None:
        """Check that each of the five sections stands there once (A1)."""
        first: dict[SectionKey, int] = {}
        for index, block in enumerate(self.document.blocks):
            if block.kind != "section":
                continue
            if block.key is None:
                self.check_unknown_section(index, block)
                continue
            earlier = first.setdefault(block.key, index)
            if earlier != index:
                self.sink.report(
                    "FC1004",
                    f"the section `{block.title}` stands twice",
                    self.places.heading(index),
                    labels=(Label(self.places.heading(earlier), "the first one"),),
                    help="put everything below the first one",
                )
        missing = [k for k in SECTIONS if k not in first and k not in self.misspelt]
        numbers = {key: number for number, key in enumerate(SECTIONS, start=1)}
        for key in missing:
            self.sink.report(
                "FC1003",
                f"the document has no section `{SECTIONS[key]}`",
                self.places.source.span(0),
                severity="error" if key == "plan" else "warning",
                help=f"write `## {numbers[key]}. {SECTIONS[key]}`",
            )
        if not self.document.steps and not {"plan"} & ({*missing} | self.misspelt):
            self.sink.report(
                "FC1008",
                "the plan has no steps",
                self.places.heading(first["plan"]),
                help="begin a step with `### Step 1: title`, and give it a field `ID`",
            )

    def check_unknown_section(self, index: int, block: Block) -> None:
        near = self.section_words.nearest(block.title.lower())
        if near is None:
            return
        key = SECTION_WORDS[near]
        self.misspelt.add(key)
        self.sink.report(
            "FC1002",
            f"`{block.title}` is not a section, so what it holds is not read",
            self.places.heading(index),
            help=f"did you mean `{SECTIONS[key]}`?",
        )

    def check_fences(self, index: int, block: Block) -> None:
        """Report a fence that nothing closes, or that swallowed a field or a heading."""
        for fence, mark in _fences(block):
            body = block.text[fence.start : fence.end]
            swallowed = _find_swallowed(body, fence)
            if fence.closed and swallowed is None:
                continue
            labels: tuple[Label, ...] = ()
            if swallowed is not None:
                at = BlockRange(fence.start + swallowed.start(), fence.start + swallowed.end())
                labels = (Label(self.places.span(index, at), "this is read as part of it"),)
            self.sink.report(
                "FC1001",
                "this fence is not closed" + (" before the next field begins" if labels else ""),
                self.places.span(index, mark),
                labels=labels,
                help="close it with a line of the same marks, or write longer ones if that is text",
            )

    def check_fields(self, index: int, block: Block) -> None:
        """Report fields that stand twice, and names that are nearly a field's (A2)."""
        if block.key is None or (block.kind == "step" and block.key != "plan"):
            return
        known = STEP_FIELDS if block.kind == "step" else SECTION_FIELDS[block.key]
        spelling = self.step_words if block.kind == "step" else Spelling(known)
        names = {field.name for field in block.fields}
        first: dict[str, PlanField] = {}
        for field in block.fields:
            name = BlockRange(field.label - len(field.name) - 3, field.label - 3)
            earlier = first.setdefault(field.name, field)
            if earlier is not field and field.name in known:
                place = BlockRange(earlier.label - len(field.name) - 3, earlier.label - 3)
                self.sink.report(
                    "FC1004",
                    f"`{field.name}` stands twice in {self.places.where(index)}",
                    self.places.span(index, name),
                    labels=(Label(self.places.span(index, place), "the first one, which is read"),),
                    help="keep one of them",
                )
            near = spelling.nearest(field.name) if field.name not in known else None
            if near is not None and near not in names:
                self.sink.report(
                    "FC1002",
                    f"`{field.name}` is not a field of {self.places.where(index)}",
                    self.places.span(index, name),
                    help=f"did you mean `{near}`?",
                )


def _fences(block: Block) -> Iterator[tuple[FencePart, BlockRange]]:
    """Yield the fences of a block, each with the place of its opening mark."""
    for field in block.fields:
        if field.form == "fence":
            yield fence_of(block.text, field), _mark(block.text, field.body)
    for piece in block.pieces:
        if piece.kind == "FENCE":
            yield read_fence(block.text, piece.start, piece.end), _mark(block.text, piece.start)


def _mark(text: str, start: int) -> BlockRange:
    match = _MARK.match(text, start)
    assert match is not None, "a fence begins with its mark"
    return BlockRange(*match.span("mark"))


def _find_swallowed(body: str, fence: FencePart) -> re.Match[str] | None:
    """Return a field or heading of the format inside a fence that another one opens in: nothing
    closed the first one. A text that quotes a document has a fence with a longer mark."""
    if fence.closed and fence.mark not in body:
        return None
    for match in _SWALLOWED.finditer(body):
        if match["name"] is None or match["name"] in STEP_FIELDS:
            return match
    return None
