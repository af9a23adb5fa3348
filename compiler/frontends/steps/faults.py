"""What a step can lack or have twice, and unclosed fences."""

from __future__ import annotations

import re
from itertools import pairwise

from flowc.grammar.lexing import LISTS
from lark import Token

from ...diagnostics.diagnostic import Fix, Label, Sink
from ...source.source import Source, Span
from .items import heading_span
from .marks import Fence, marker, read_fence
from .model import Step, locate

_NO_END = re.compile(r"^[ ]{0,3}(?:`{1,2}|`{3,}\w+|'{3}|\"{3}|~~)[ \t]*\r?$", re.MULTILINE)
"""A line that was meant to close a fence and does not."""
_OPENING = re.compile(r"^[ ]{0,3}`{3,}\w", re.MULTILINE)
"""A line that begins a fence of a language, so that no fence around it was meant."""
_HEADING = re.compile(r"^#{2,6}[ ]", re.MULTILINE)


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


def check_empty(source: Source, label: str, parts: list[Token], sink: Sink) -> None:
    """Warn of a list's heading with nothing behind and below it."""
    for part, below in pairwise([*parts, None]):
        if part is None or part.type not in LISTS:
            continue
        heading, _, items = part.partition("\n")
        bare = not items.strip() and heading.rstrip().endswith(":")
        if bare and part.type != "TOOLS" and (below is None or below.type != "PROSE"):
            sink.report(
                "FC1003",
                f"`{part.type}` of {label} lists nothing",
                heading_span(source, part),
                severity="warning",
                help="write one bullet a line below it, `- …`, or take the heading out",
            )


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
        self._suspect: Token | None = None
        self._last: Token | None = None
        self._above: dict[int | None, Token] = {}

    def see(self, token: Token, fence: Fence, above: Token | None = None) -> None:
        """Look at the next fence of the file, and the text that stands directly above it."""
        if not fence.closed:
            self._last = token
        elif self._suspect is None and not fence.info and "WORKFLOW STEP:" in token:
            self._suspect = token
            if _OPENING.search(token, len(fence.mark) + 1):
                self._last = self._last or token
        else:
            return
        if above is not None and above.end_pos == token.start_pos:
            self._above[token.start_pos] = above

    def _opening(self, token: Token) -> Span:
        start = (token.start_pos or 0) + len(token) - len(token.lstrip())
        return self._source.span(start, start + len(read_fence(token).mark))

    @property
    def _place(self) -> Token | None:
        if self._last is None:
            return None
        return self._suspect if self._suspect is not None else self._last

    def swallows(self, end: int) -> bool:
        """Return whether a step that ends at `end` lost something to the fence."""
        place = self._place
        return place is not None and end > (place.start_pos or 0)

    def report(self, sink: Sink) -> None:
        """Report FC1001, if there is such a fence."""
        token, last = self._place, self._last
        if token is None or last is None:
            return
        place, at = self._opening(token), token.start_pos or 0
        mark = read_fence(token).mark
        early = token is not last
        labels = (Label(self._opening(last), "so that this one stays open"),) if early else ()
        help = f"close it with a line of the same marks, {mark}"
        if end := _NO_END.search(token, token.find("\n") + 1):
            span = self._source.span(at + end.start(), at + end.end())
            labels = (*labels, Label(span, "this does not close it"))
        elif above := self._above.get(token.start_pos):
            first = locate(self._source, above.start_pos or 0, above.partition("\n")[0])
            labels = (*labels, Label(first.span, "was a fence meant to begin above this?"))
            help += ", or write one above its text where it was meant to end here"
        elif heading := _HEADING.search(token):
            missing = len(token[: heading.start()].rstrip())
            begin = token.rfind("\n", 0, missing) + 1
            if begin:
                span = self._source.span(at + begin, at + missing)
                labels = (*labels, Label(span, "the closing line is missing below this"))
        message = "this fence is not closed" + (" before the next step begins" if early else "")
        sink.report("FC1001", message, place, labels=labels, help=help)
