"""Step markdown, from line tokens to steps with spans: rules S1 to S25.

One parse reads the whole file; every fault is reported at its place and reading goes on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flowc.grammar import load
from flowc.grammar.driving import drive_tokens
from flowc.grammar.lexing import KEYWORDS, LISTS, StepLexer
from lark import Token

from ...diagnostics.diagnostic import Label, Sink
from ...source.source import Source, Span
from .faults import OpenFence, check_complete, check_empty, check_sections, report_spaced_fence
from .items import (
    check_bullets,
    check_names,
    heading_of,
    heading_span,
    read_inputs,
    read_outputs,
    read_texts,
    report_lost_items,
    report_unheaded,
    report_unlisted,
    report_wrapped_items,
)
from .marks import (
    USUAL,
    Fence,
    check_marker,
    marker,
    read_fence,
    report_bold,
    report_short_fence,
    unknown_section,
)
from .model import Located, Step, StepDocument, locate

MAX_PROSE = 4000
"""At most this many characters of the text before the first step describe the workflow."""


class Orphan(NamedTuple):
    """A section before the first step."""

    section: Token


class _Shape:
    """Lark's callbacks while parsing. They group tokens and decide nothing, so that one parser
    serves every file."""

    def start(self, children: list[Any]) -> list[Any]:
        return children

    def step(self, children: list[Token]) -> list[Token]:
        return children

    def orphan(self, children: list[Token]) -> Orphan:
        return Orphan(children[0])


_SHAPE = _Shape()


def read_document(source: Source, sink: Sink) -> StepDocument:
    """Read everything in the file."""
    parser = load("steps", lexer=StepLexer, transformer=_SHAPE)
    blocks: Any = drive_tokens(parser, StepLexer(None).split(source.text, 0))
    return _Reader(source, sink).read(blocks)


class _Reader:
    """Walks over the parsed blocks. `level` is the text of the nearest level-2 heading (S14)."""

    def __init__(self, source: Source, sink: Sink) -> None:
        self.source = source
        self.sink = sink
        self.document = StepDocument()
        self.level = ""
        self.open_fence = OpenFence(source)
        self.lists: list[Token] = []

    def read(self, blocks: list[Any]) -> StepDocument:
        prose: list[str] = []
        for block in blocks:
            if isinstance(block, list):
                self.document.steps.append(self.read_step(block))
            elif isinstance(block, Orphan):
                self.report_orphan(block.section)
            else:
                if block.type in ("PROSE", "BULLETS"):
                    prose.append(block.strip())
                self.read_other(block)
        self.document.prose = "\n".join(prose).replace("\r", "")[:MAX_PROSE]
        names = {output.name for step in self.document.steps for output in step.outputs}
        for bullets in self.lists:
            report_unheaded(self.source, bullets, names, self.sink)
        self.open_fence.report(self.sink)
        for step in self.document.steps:
            if not self.open_fence.swallows(step.end):
                check_complete(self.source, step, self.sink)
        return self.document

    def read_step(self, block: list[Token]) -> Step:
        name = self.rest_of_heading(block[0])
        step = Step(len(self.document.steps), name.text, name.span, self.level)
        if not name.text:
            step.span = heading_span(self.source, block[0])
        tool: Located | None = None
        listed = False
        above = block[0]
        for part in block[1:]:
            kind = part.type
            if kind == "PROSE" and above.type in LISTS and above == USUAL[above.type]:
                report_unlisted(self.source, above, part, self.sink)
            elif kind == "PROSE" and above.type in LISTS:
                report_lost_items(self.source, above, part, self.sink)
            if kind in LISTS:
                step.sections.append(part)
                listed = listed or kind == "TOOLS"
                self.read_section(step, part)
            elif kind == "FENCE":
                self.read_description(step, part, above)
            elif kind == "TOOL":
                step.sections.append(part)
                tool = tool or self.rest_of_heading(part)
            else:
                self.read_other(part, step)
            above = part
        if tool is not None and not listed and tool.text:
            step.tools.append(tool)
        step.end = block[-1].end_pos or 0
        check_sections(self.source, step.label, step.sections, self.sink)
        check_empty(self.source, step.label, block[1:], self.sink)
        check_names(step.inputs, step.outputs, step.label, self.sink)
        return step

    def read_section(self, step: Step, part: Token) -> None:
        if not part.startswith(USUAL[part.type]):
            self.check_list_heading(part)
        report_bold(self.source, part.start_pos or 0, part, self.sink, inside=True)
        report_wrapped_items(self.source, part, self.sink)
        if not part.isascii():
            check_bullets(self.source, part, self.sink)
        match part.type:
            case "INPUTS":
                read_inputs(self.source, part, step.inputs, self.sink)
            case "OUTPUTS":
                read_outputs(self.source, part, step.outputs, self.sink)
            case "ASSERT":
                read_texts(self.source, part, step.asserts)
            case _:
                read_texts(self.source, part, step.tools)

    def check_list_heading(self, part: Token) -> None:
        """Accept words behind the colon (S21), but not instead of items."""
        start = part.start_pos or 0
        behind = check_marker(self.source, start, part, part.type, self.sink)
        if part.startswith("\n", behind):
            return
        heading = heading_of(part)
        words = heading[behind:].strip()
        lost = len(part) <= len(heading) + 1 or (part.type == "TOOLS" and words.isidentifier())
        if words and lost and not words.startswith("("):
            self.sink.report(
                "FC1001",
                f"what stands behind `{part.type}:` in its heading is not read",
                locate(self.source, start + behind, heading[behind:]).span,
                severity="warning",
                help="write one bullet a line below the heading: `- …`",
            )

    def read_description(self, step: Step, token: Token, above: Token) -> None:
        """Take the first fence of backticks as the description, with or without a tag (S2, S17)."""
        fence = self.note_fence(token, above if above.type == "PROSE" else None)
        if step.description is not None:
            return
        at = token.start_pos or 0
        if fence.mark.startswith("~"):
            step.odd_fence = self.source.span(at, at + len(fence.mark))
            return
        raw = token[fence.start : fence.end]
        text = raw.strip()
        start = at + fence.start + raw.find(text)
        span = Span(self.source.path, start, start + len(text))
        step.description = Located(text.replace("\r\n", "\n"), span)
        if " " in fence.mark:
            report_spaced_fence(self.source, token, fence, self.sink)
        if step.sections:
            message = f"the description of {step.label} does not stand directly below its heading"
            help = "move the fenced block up, directly below the step's heading"
            labels = (Label(heading_span(self.source, step.sections[0]), "after this"),)
            self.sink.report("FC1001", message, span, severity="warning", labels=labels, help=help)

    def read_other(self, token: Token, step: Step | None = None) -> None:
        """Read headings of level 1 and 2, and report headings that only look like a section's."""
        match token.type:
            case "SECTION":
                self.level = token.strip()[2:].strip()
            case "TITLE":
                self.document.title = self.document.title or token.strip()[1:].strip()
            case "FENCE":
                self.note_fence(token)
            case "BULLETS":
                report_bold(self.source, token.start_pos or 0, token, self.sink, inside=False)
                if step is not None:
                    self.lists.append(token)
            case "PROSE":
                start = token.start_pos or 0
                report_bold(self.source, start, token, self.sink, inside=step is not None)
                if step is not None and step.description is None:
                    report_short_fence(self.source, token.start_pos or 0, token, self.sink)
            case "HEADING" if step is not None:
                unknown = unknown_section(token)
                if unknown is not None:
                    left, right, meant = unknown
                    at = token.start_pos or 0
                    word = token[left:right]
                    fault = (
                        "stands before its sign" if word in KEYWORDS else "is not a section keyword"
                    )
                    self.sink.report(
                        "FC1002",
                        f"`{word}` {fault}, so nothing below it is read",
                        self.source.span(at + left, at + right),
                        severity="warning",
                        help=f"write `{marker(meant)}:`"
                        if meant
                        else "the sections of a step are TOOL, TOOLS, INPUTS, OUTPUTS and ASSERT",
                    )

    def note_fence(self, token: Token, above: Token | None = None) -> Fence:
        fence = read_fence(token)
        self.open_fence.see(token, fence, above)
        return fence

    def rest_of_heading(self, token: Token) -> Located:
        """Return what stands behind a keyword's colon in the heading's own line (S1, S20)."""
        start = token.start_pos or 0
        behind = check_marker(self.source, start, token, token.type, self.sink)
        return locate(self.source, start + behind, token[behind:])

    def report_orphan(self, part: Token) -> None:
        """Report a section before the first step; without a sign it is a heading of the prose."""
        if heading_of(part).isascii():
            return
        check_marker(self.source, part.start_pos or 0, part, part.type, self.sink)
        message = f"`{part.type}` stands before the first step, so it belongs to none"
        help = "move it below a heading `### 🔧 WORKFLOW STEP: name`"
        self.sink.report("FC1001", message, heading_span(self.source, part), help=help)
