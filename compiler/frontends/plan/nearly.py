"""Lines of a living document that are nearly a step or a field: whoever reads the document takes
them for one, and nothing else of flowc does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...diagnostics.diagnostic import Fix, Sink
from ...plan.words import SECTION_FIELDS, STEP_FIELDS
from ...source.source import Source
from .places import Places

_NAMES = tuple(
    dict.fromkeys((*STEP_FIELDS, *(name for names in SECTION_FIELDS.values() for name in names)))
)
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})")
_STEP = re.compile(
    r"[ ]{0,3}(?P<open>\#{1,6}[ \t]+|\*\*|__)Step(?:[ \t]+(?P<number>[0-9]+))?[ \t]*[:.–—-]"
    r"(?P<title>[^\r\n]*)"
)
_FIELD = re.compile(
    rf"(?P<all>[ ]{{0,3}}(?P<bullet>[*+-][ \t]+)?(?P<stars>\*\*)?(?P<name>{'|'.join(_NAMES)})"
    r"(?P<colon>:?\*\*:?|:))(?:[ \t]|\r?\n|\Z)"
)
_TICKED = re.compile(
    r"[ ]{0,3}[*+-][ \t]+\*\*(?:Input|Output) Audio:\*\*[ \t]*(?P<value>`[^`\r\n]*)\r?\n?$"
)


def check_lines(places: Places, source: Source, sink: Sink) -> None:
    """Report headings and bold lines in the plan that nearly begin a step, and lines of steps and
    sections that are nearly a field."""
    blocks, starts = places.document.blocks, places.starts
    for index, block in enumerate(blocks):
        if block.key is None and block.kind != "section":
            continue
        fields = {starts[index] + field.start for field in block.fields}
        inside = block.key == "plan" or (block.key is None and _follows_plan(places, index))
        for at, line in _lines(block.text):
            start = starts[index] + at
            if inside and not (block.kind == "step" and at == 0):
                _check_step(line, start, source, sink)
            if start not in fields and at > 0:
                _check_field(line, start, source, sink)
            _check_ticks(line, start, source, sink)


def _follows_plan(places: Places, index: int) -> bool:
    earlier = [block.key for block in places.document.blocks[:index] if block.key is not None]
    return bool(earlier) and earlier[-1] == "plan"


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a block with their offsets, without those in fences."""
    mark = ""
    for match in _LINE.finditer(text):
        fence = _FENCE.match(match[0])
        if mark:
            mark = "" if fence and fence["mark"].startswith(mark) else mark
        elif fence:
            mark = fence["mark"]
        else:
            yield match.start(), match[0]


def _check_step(line: str, start: int, source: Source, sink: Sink) -> None:
    match = _STEP.match(line)
    if match is None:
        return
    title = match["title"].strip().removesuffix("**").removesuffix("__").strip()
    written = f"### Step {match['number'] or 'N'}: {title}".rstrip()
    at = source.span(start + match.start("open"), start + len(line.rstrip()))
    message = f"`{line.strip()[:60]}` is nearly a step's heading, so what follows is not one"
    fix = Fix(f"write `{written}`", at, written, True) if match["number"] else None
    sink.report("FC1002", message, at, help=f"write `{written}`", fix=fix)


def _check_field(line: str, start: int, source: Source, sink: Sink) -> None:
    match = _FIELD.match(line)
    if match is None or not (match["bullet"] or match["stars"]):
        return
    written = f"*   **{match['name']}:**"
    at = source.span(start + len(line) - len(line.lstrip()), start + match.end("all"))
    message = f"`{match['name']}` is not written as a field, so it is not read"
    fix = Fix(f"write `{written}`", at, written, True)
    sink.report("FC1002", message, at, help=f"write `{written}`", fix=fix)


def _check_ticks(line: str, start: int, source: Source, sink: Sink) -> None:
    match = _TICKED.match(line)
    if match is not None:
        at = source.span(start + match.start("value"), start + match.end("value"))
        help = "write a backtick at the end of the path"
        sink.report("FC1001", "this backtick is not closed", at, severity="warning", help=help)
