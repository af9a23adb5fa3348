"""What a step can lack or have twice, unclosed fences, placeholders that nearly name a variable."""

from __future__ import annotations

from lark import Token

from ...diagnostics.diagnostic import Fix, Label, Sink
from ...ir import Output
from ...reading.foreign import foreign_placeholders, report_foreign
from ...source.source import Source, Span
from ...source.spelling import Spelling
from .items import heading_span
from .marks import Fence, marker
from .model import Step
from .prompt import PLACEHOLDER


def check_complete(source: Source, step: Step, sink: Sink) -> None:
    """Report a step without a name, a description or a tool (S2, S3, S20)."""
    if not step.name:
        help = f"write the name in the same line: `{marker('STEP')}: name`"
        sink.report("FC1003", f"workflow step {step.number + 1} has no name", step.span, help=help)
    if step.description is None or not step.description.text:
        what = "no description" if step.description is None else "an empty description"
        message = f"{step.label} has {what}"
        help = "write what to do between lines of three backticks, directly below the heading"
        labels = (Label(step.odd_fence, "not read as one"),) if step.odd_fence else ()
        sink.report("FC1003", message, step.span, labels=labels, help=help)
    if not step.tools:
        empty = [part for part in step.sections if part.type in ("TOOL", "TOOLS")]
        sink.report(
            "FC1003",
            f"{step.label} {'names no tool' if empty else 'has no tool specification'}",
            heading_span(source, empty[0]) if empty else step.span,
            help=f"write `{marker('TOOL')}: name`, or `{marker('TOOLS')}:` and a list",
        )


def check_sections(source: Source, label: str, sections: list[Token], sink: Sink) -> None:
    """Report a section that a step has twice. Of two TOOL headings the first counts and TOOLS beats
    TOOL (S4), which is legal but surely not meant; two lists of one kind are a fault."""
    first: dict[str, Token] = {}
    for part in sections:
        kind = part.type
        earlier = first.setdefault(kind, part)
        if earlier is not part:
            _report_second(source, label, earlier, part, sink, legal=kind == "TOOL")
    if "TOOL" in first and "TOOLS" in first:
        _report_second(source, label, first["TOOLS"], first["TOOL"], sink, legal=True)


def _report_second(
    source: Source, label: str, one: Token, two: Token, sink: Sink, *, legal: bool
) -> None:
    same = one.type == two.type
    message = (
        f"{label} has two `{two.type}` sections"
        if same
        else f"{label} has `{one.type}` and `{two.type}`: the list is used"
    )
    if same and legal:
        message += ": the first is used"
    sink.report(
        "FC1004",
        message,
        heading_span(source, two),
        severity="warning" if legal else "error",
        labels=(Label(heading_span(source, one), "the other one"),),
        help=f"put all tools into one list below `{marker('TOOLS')}:`"
        if legal
        else f"put all items below one `{marker(two.type)}:`",
    )


def report_spaced_fence(source: Source, token: Token, fence: Fence, sink: Sink) -> None:
    """Report a fence with blanks between its backticks (S24); the safe fix writes a real one."""
    start = token.start_pos or 0
    indent = len(token) - len(token.lstrip())
    end = fence.end + (len(token[fence.end :].rstrip()) if fence.closed else 0)
    opening = token[indent : fence.start].replace(fence.mark, "```")
    text = opening + token[fence.start : fence.end] + ("```" if fence.closed else "")
    sink.report(
        "FC1006",
        "a fence is damaged: its backticks are apart",
        source.span(start + indent, start + indent + len(fence.mark)),
        help="read as meant; write three backticks without blanks",
        fix=Fix("write ```", source.span(start + indent, start + end), text, True),
    )


class OpenFence:
    """Finds the fence that nothing closes. It is noticed at the end of the file, but the fault lies
    where a bare fence first swallows a step's heading; later steps are not blamed for what they
    lack."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._suspect: Span | None = None
        self._last: Span | None = None

    def see(self, token: Token, fence: Fence) -> None:
        """Look at the next fence of the file."""
        if not fence.closed:
            self._last = self._opening(token, fence)
        elif self._suspect is None and not fence.info and "WORKFLOW STEP:" in token:
            self._suspect = self._opening(token, fence)

    def _opening(self, token: Token, fence: Fence) -> Span:
        start = (token.start_pos or 0) + len(token) - len(token.lstrip())
        return self._source.span(start, start + len(fence.mark))

    @property
    def _place(self) -> Span | None:
        return self._last and (self._suspect or self._last)

    def swallows(self, end: int) -> bool:
        """Return whether a step that ends at `end` lost something to the fence."""
        place = self._place
        return place is not None and end > place.start

    def report(self, sink: Sink) -> None:
        """Report FC1001, if there is such a fence."""
        place = self._place
        if place is None or self._last is None:
            return
        labels = () if place == self._last else (Label(self._last, "so that this one stays open"),)
        message = "this fence is not closed" + (" before the next step begins" if labels else "")
        help = "close it with a line of the same marks"
        sink.report("FC1001", message, place, labels=labels, help=help)


def check_variables(steps: list[Step], source: Source, sink: Sink) -> None:
    """Warn of a placeholder that nearly names a variable and stays as written (FC3001, S33)."""
    written: dict[str, Output] = {}
    for step in steps:
        for output in step.outputs:
            written.setdefault(output.name, output)
    declared = written.keys() | {entry.name for step in steps for entry in step.inputs}
    spelling = Spelling(declared)
    for step in steps:
        if step.description is None:
            continue
        span = step.description.span
        if "[" in step.description.text:
            _check_placeholders(span, spelling, written, source, sink)
        for found in foreign_placeholders(source.text[span.start : span.end], "[NAME]", declared):
            start, end = span.start + found.start, span.start + found.end
            place = source.span(start, end)
            report_foreign(sink, place, source.text[start:end], f"[{found.name}]")


def _check_placeholders(
    text: Span, spelling: Spelling, written: dict[str, Output], source: Source, sink: Sink
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
