"""Faults of a living document: its sections, its fields, its fences, its chain of paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from ...diagnostics.diagnostic import Fix, Label, Sink
from ...plan import SECTIONS, Block, PlanDocument, PlanField, path_breaks
from ...plan.document import is_step, text_value
from ...plan.paths import Break, original_input, variable_of
from ...plan.values import FencePart, Range, fence_of, read_fence
from ...plan.words import SECTION_FIELDS, SECTION_WORDS, STEP_FIELDS, SectionKey
from ...source.source import Source
from ...source.spelling import Spelling
from .nearly import check_lines
from .places import Places
from .steps import NEARLY_VARIABLE, StepChecker
from .times import check_times

_SWALLOWED = re.compile(
    r"^[ ]?[*+-][ \t]+\*\*(?P<name>[^*:\n]++):\*\*|^\#{2,3}[ \t]+(?:Step[ \t]+[0-9]|[0-9]\.[ \t])",
    re.MULTILINE,
)
_LOOKED_AT = 50
"""Steps before and after one among whose outputs its input is looked for."""
_MARK = re.compile(r"[ \t]*(?P<mark>`+|~+)")


def check_document(document: PlanDocument, source: Source, sink: Sink) -> None:
    """Report every fault of a document at its place."""
    places = Places(document, source)
    shape = _ShapeChecker(places, sink)
    shape.check()
    StepChecker(places, sink, is_plan_lost="plan" in shape.misspelt).check()
    check_times(places, sink)
    check_lines(places, source, sink)
    check_chain(places, sink)


class _ShapeChecker:
    """Checks sections, fields and fences. `misspelt` are sections that headings probably meant."""

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
        numbers = {key: number for number, key in enumerate(SECTIONS, start=1)}
        for key in SECTIONS:
            if key not in first and key not in self.misspelt:
                self.check_nearly_section(key, numbers[key])
        missing = [k for k in SECTIONS if k not in first and k not in self.misspelt]
        for key in missing:
            self.sink.report(
                "FC1003",
                f"the document has no section `{SECTIONS[key]}`",
                self.places.source.span(0),
                severity="error" if key == "plan" else "warning",
                help=f"write `## {numbers[key]}. {SECTIONS[key]}`",
            )
        if not self.document.steps and not {"plan"} & ({*missing} | self.misspelt):
            message = "the plan has no steps"
            help = "begin a step with `### Step 1: title`, and give it a field `ID`"
            self.sink.report("FC1008", message, self.places.heading(first["plan"]), help=help)

    def check_unknown_section(self, index: int, block: Block) -> None:
        near = self.section_words.nearest(block.title.lower())
        if near is None:
            return
        key = SECTION_WORDS[near]
        self.misspelt.add(key)
        message = f"`{block.title}` is not a section, so what it holds is not read"
        help = f"did you mean `{SECTIONS[key]}`?"
        self.sink.report("FC1002", message, self.places.heading(index), help=help)

    def check_nearly_section(self, key: SectionKey, number: int) -> None:
        """Report the line that was meant as the heading of a section that is not there."""
        words = "|".join(re.escape(word) for word, of in SECTION_WORDS.items() if of == key)
        number_or_mark = rf"(?:\#{{1,6}}[ \t]*|\*\*|__)(?:{number}\.[ \t]*)?|{number}\.[ \t]*"
        heading = rf"(?:{number_or_mark})(?:{words})\b[^\n]*|\#\#[ \t]+{number}\.[^\n]*"
        match = re.search(rf"^[ ]{{0,3}}(?P<line>{heading})$", self.places.source.text, re.M | re.I)
        if match is None:
            return
        self.misspelt.add(key)
        written = f"## {number}. {SECTIONS[key]}"
        at = self.places.source.span(match.start("line"), match.end("line"))
        self.sink.report(
            "FC1003",
            f"the document has no section `{SECTIONS[key]}`: is this meant?",
            at,
            severity="error" if key == "plan" else "warning",
            help=f"write `{written}`",
            fix=Fix(f"write `{written}`", at, written),
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
                at = Range(fence.start + swallowed.start(), fence.start + swallowed.end())
                labels = (Label(self.places.span(index, at), "this is read as part of it"),)
            self.sink.report(
                "FC1001",
                "this fence is not closed" + (" before the next field begins" if labels else ""),
                self.places.span(index, mark),
                labels=labels,
                help=f"close it with a line of the same marks, {fence.mark}, or write longer ones "
                "if that is text",
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
            name = _name_range(field)
            earlier = first.setdefault(field.name, field)
            if earlier is not field and field.name in known:
                first_place = self.places.span(index, _name_range(earlier))
                self.sink.report(
                    "FC1004",
                    f"`{field.name}` stands twice in {self.places.where(index)}",
                    self.places.span(index, name),
                    labels=(Label(first_place, "the first one, which is read"),),
                    help="keep one of them",
                )
            near = spelling.nearest(field.name) if field.name not in known else None
            if near is None and "ID" in known and set(field.name.upper()) <= set("ID"):
                near = "ID"
            if near is None and block.kind == "step":
                near = _OTHER_FIELDS.get(re.sub("[-_]", " ", field.name.lower()))
            if near is not None and near not in names:
                message = f"`{field.name}` is not a field of {self.places.where(index)}"
                help = f"did you mean `{near}`?"
                self.sink.report("FC1002", message, self.places.span(index, name), help=help)


_OTHER_FIELDS = {
    **dict.fromkeys(("input", "inputs", "input file", "source", "in"), "Input Audio"),
    **dict.fromkeys(("output", "outputs", "output file", "target", "out"), "Output Audio"),
    **dict.fromkeys(("state", "progress"), "Status"),
    **dict.fromkeys(("step id", "identifier", "step", "key"), "ID"),
    **dict.fromkeys(("call", "command", "python", "script"), "Code"),
    **dict.fromkeys(("criteria", "acceptance criteria", "done when"), "Success Criteria"),
}
"""What people call the fields of a step."""


def _fences(block: Block) -> Iterator[tuple[FencePart, Range]]:
    """Yield the fences of a block, each with the place of its opening mark."""
    for field in block.fields:
        if field.form == "fence":
            yield fence_of(block.text, field), _mark(block.text, field.body)
    for piece in block.pieces:
        if piece.kind == "FENCE":
            yield read_fence(block.text, piece.start, piece.end), _mark(block.text, piece.start)


def _name_range(field: PlanField) -> Range:
    return Range(field.label - len(field.name) - 3, field.label - 3)


def _mark(text: str, start: int) -> Range:
    match = _MARK.match(text, start)
    assert match is not None, "a fence begins with its mark"
    return Range(*match.span("mark"))


def _find_swallowed(body: str, fence: FencePart) -> re.Match[str] | None:
    """Return a field or heading of the format inside a fence that another one opens in: nothing
    closed the first one. A text that quotes a document has a fence with a longer mark."""
    if fence.closed and fence.mark not in body:
        return None
    for match in _SWALLOWED.finditer(body):
        if match["name"] is None or match["name"] in STEP_FIELDS:
            return match
    return None


def check_chain(places: Places, sink: Sink) -> None:
    """Check path variables, and the chain of paths from step to step (A18, A19)."""
    breaks = path_breaks(places.document)
    if not breaks:
        return
    steps = [n for n, b in enumerate(places.document.blocks) if is_step(b)]
    spelling = Spelling(places.document.ids)
    for gap in breaks:
        before = steps[gap.step - 1] if gap.step else None
        other = steps[gap.other] if gap.other is not None else None
        _report_break(gap, places, (steps[gap.step], before, other), spelling, sink)


def _report_break(
    gap: Break,
    places: Places,
    steps: tuple[int, int | None, int | None],
    spelling: Spelling,
    sink: Sink,
) -> None:
    """Report a break. `steps`: the blocks of its step, of the one before, of the one it reads."""
    index, before, other = steps
    name, span = places.name_of(index), places.value_span(index, "Input Audio")
    match gap.kind:
        case "no-step":
            id = variable_of(gap.path) or ""
            near = spelling.nearest(id)
            message = f"{name} reads `{gap.path}`, but no step has the ID `{id}`"
            help = f"did you mean `$OUTPUT_{near.upper()}`?" if near else "name a step"
            place = (Label(places.id_span(near), f"this is `{near}`"),) if near else ()
            sink.report("FC2001", message, span, labels=place, help=help)
        case "later":
            assert other is not None
            own = other == index
            writer = "it writes itself" if own else f"only {places.name_of(other)} writes"
            help = "a step reads what a step before it has written"
            sink.report("FC3002", f"{name} reads `{gap.path}`, which {writer}", span, help=help)
        case "unknown":
            message = f"{name} reads `{gap.path}`, which no step before it writes"
            labels = _expected_path(places, before)
            help = f"write {_meant_path(gap, places, before)}"
            sink.report("FC3001", message, span, severity="warning", labels=labels, help=help)
        case "skipped":
            assert before is not None
            sink.report(
                "FC3003",
                f"nothing reads `{gap.path}`, which {places.name_of(before)} writes",
                places.value_span(before, "Output Audio"),
                labels=(Label(span, "the next step reads another path"),),
                help="let the next step read it",
            )
        case _:
            assert_never(gap.kind)


def _meant_path(gap: Break, places: Places, before: int | None) -> str:
    """Return what a step was meant to read: a path that is nearly the same, or the expected one."""
    document = places.document
    blocks = document.blocks
    first = max(0, gap.step - _LOOKED_AT)
    outputs = [text_value(block, "Output Audio") for block in document.steps[first : gap.step]]
    variables = [f"$OUTPUT_{id.upper()}" for id in [*document.ids][first : first + 2 * _LOOKED_AT]]
    known = [path for path in (original_input(document), *outputs, *variables) if path]
    near = Spelling(known).nearest(gap.path)
    variable = NEARLY_VARIABLE.fullmatch(gap.path)
    if variable is not None:
        near = f"$OUTPUT_STEP_{variable['number']}"
    expected = original_input(document)
    if before is not None:
        expected = text_value(blocks[before], "Output Audio")
    expected = expected.strip("`")
    return f"`{near or expected}`" if near or expected else "the path that stands there"


def _expected_path(places: Places, before: int | None) -> tuple[Label, ...]:
    """Return the path that a step should read: the output of the one before, or the request's."""
    if before is not None:
        return (Label(places.value_span(before, "Output Audio"), "the step before writes this"),)
    for index, block in enumerate(places.document.blocks):
        if block.kind == "section" and block.key == "request":
            return (Label(places.value_span(index, "Input Audio"), "the request gives this"),)
    return ()
