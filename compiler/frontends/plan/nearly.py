"""Lines of a living document that are nearly a step or a field: whoever reads the document takes
them for one, and nothing else of flowc does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...diagnostics.diagnostic import Fix, Sink
from ...plan.words import SECTION_FIELDS, STEP_FIELDS
from ...source.source import Source
from ...source.spelling import Spelling
from .places import Places

_NAMES = tuple(
    dict.fromkeys((*STEP_FIELDS, *(name for names in SECTION_FIELDS.values() for name in names)))
)
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})")
_STEP = re.compile(
    r"[ ]{0,3}(?P<open>(?:(?:[->*+]|\d{1,3}[.)])[ ]+|\\|<!--[ ]*)?"
    r"(?:\#{1,6}[ \t]*(?:\*\*|__)?|\*\*|__)"
    r"|(?=Step[ ][0-9]{1,6}[ ]?[:.)：–—-]))(?P<word>[A-Za-z]{2,12})"
    r"(?:[ \t\u00a0]*(?P<number>[0-9]{1,6})|[ \t]+(?P<numeral>[a-z]{3,5})(?=[ \t]*:))?"
    r"[ \t]*(?P<colon>[:.)：–—-]|(?=[ \t]))(?P<title>[^\r\n]*)"
)
_NUMBERED = re.compile(
    r"[ ]{0,3}(?P<open>\#{1,6}[ \t]*)(?P<number>[0-9]{1,4})[ \t]*[:.)–—-][ \t]*(?P<title>[^\r\n]*)"
)
_PYTHON = re.compile(r"^[ \t]*(?P<mark>`{3,})python\b", re.MULTILINE)
_NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FIELDS_OF_STEP = re.compile(r"(?:(?!\#)[^\n]*\n)*?[ ]?[*+-][ \t]+\*\*(?:ID|Status):")
_WITHIN = 400
"""A step's first fields stand within so many characters behind its heading, and `Code:` before the
code."""
_FIELD = re.compile(
    r"(?P<all>[ ]{0,12}(?P<bullet>[*+•–—|-][ \t\u00a0]*(?:\[[ xX]\][ ])?)?"
    r"(?P<stars>(?:\*{1,2}|__|`|<b>|<strong>)?[ ]?)"
    rf"(?P<name>{'|'.join(_NAMES)})"
    r"(?P<colon>[:;=.：]?[ ]?(?:\*{1,2}|__|`|</b>|</strong>)[:;=：]?|[:;=：]))"
    r"(?:[ \t\u00a0|]|\r?\n|\Z)"
)
_PATH = re.compile(
    r"[ ]{0,3}[*+-][ \t]+\*\*(?:Input|Output) Audio:\*\*[ \t]*"
    r"(?P<value>`[^`\r\n]*|[^`\s\r\n]+`|\"[^\"`\r\n]*\"|'[^'`\r\n]*')[ \t]*\r?\n?$"
)
_MARKS = re.compile(r"[ \t]*(?P<mark>``|~~|'{3}|\"{3})(?P<tag>\w{0,20})[ \t]*\r?\n?$")
_QUOTES = "`\"'"
_STEP_WORD = Spelling(("step",))


def check_lines(places: Places, source: Source, sink: Sink) -> None:
    """Report headings and bold lines in the plan that nearly begin a step, and lines of steps and
    sections that are nearly a field."""
    starts, last = places.starts, ""
    for index, block in enumerate(places.document.blocks):
        last = block.key or last
        if block.key is None and block.kind != "section":
            continue
        fields = {starts[index] + field.start for field in block.fields}
        inside = last == "plan"
        for at, line in _lines(block.text):
            start = starts[index] + at
            if inside and not (at == 0 and (block.kind == "step" or block.key is not None)):
                _check_step(line, start, source, sink)
            _check_marks(line, start, source, sink)
            if start not in fields and at > 0:
                _check_field(line, start, source, sink)
            _check_path(line, start, source, sink)
        if block.kind == "step" and all(field.name != "Code" for field in block.fields):
            _check_code(block.text, starts[index], source, sink)


def _check_code(text: str, start: int, source: Source, sink: Sink) -> None:
    """Report code that no field `Code` stands above."""
    for match in _PYTHON.finditer(text):
        above = text[max(match.start() - _WITHIN, 0) : match.start()].rstrip()
        if "Code" not in above.rpartition("\n")[2]:
            message = "this code belongs to no field `Code`, so nothing executes it"
            at = source.span(start + match.start("mark"), start + match.end())
            sink.report("FC1003", message, at, help="write `*   **Code:**` in a line above it")


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
        _check_number(line, start, source, sink)
        return
    word, number = match["word"].lower(), match["number"]
    named = word == "step" or _STEP_WORD.nearest(word) is not None
    if match["numeral"] in _NUMERALS:
        number = str(_NUMERALS.index(match["numeral"]) + 1)
    if match["word"] != "Step" or not match["colon"]:
        below = start + len(line)
        followed = _FIELDS_OF_STEP.match(source.text, below, below + _WITHIN)
        if not followed or not (named or "#" in match["open"]):
            return
    title = line[match.start("title" if named or number else "word") :]
    title = title.strip().removesuffix("-->").strip().removesuffix("**").removesuffix("__").strip()
    written = f"### Step {number or 'N'}: {title}".rstrip()
    at = source.span(start + match.start("open"), start + len(line.rstrip()))
    message = f"`{line.strip()[:60]}` is nearly a step's heading, so what follows is not one"
    fix = Fix(f"write `{written}`", at, written, True) if number and named else None
    sink.report("FC1002", message, at, help=f"write `{written}`", fix=fix)


def _check_number(line: str, start: int, source: Source, sink: Sink) -> None:
    """Report a heading with a step's number and fields but without its word."""
    match = _NUMBERED.match(line) if "#" in line[:9] else None
    below = start + len(line)
    if match is None or not _FIELDS_OF_STEP.match(source.text, below, below + _WITHIN):
        return
    written = f"### Step {match['number']}: {match['title'].strip()}"
    at = source.span(start + match.start("open"), start + len(line.rstrip()))
    message = f"`{line.strip()[:60]}` is nearly a step's heading, so what follows is not one"
    fix = Fix(f"write `{written}`", at, written, True)
    sink.report("FC1002", message, at, help=f"write `{written}`", fix=fix)


def _check_field(line: str, start: int, source: Source, sink: Sink) -> None:
    match = _FIELD.match(line)
    if match is None or not (match["bullet"] or match["stars"].strip()):
        return
    if line.startswith("    ") and not (match["bullet"] and match["stars"] == "**"):
        return  # words within a list
    written = f"*   **{match['name']}:**"
    at = source.span(start + len(line) - len(line.lstrip()), start + match.end("all"))
    message = f"`{match['name']}` is not written as a field, so it is not read"
    fix = Fix(f"write `{written}`", at, written, True)
    sink.report("FC1002", message, at, help=f"write `{written}`", fix=fix)


def _check_path(line: str, start: int, source: Source, sink: Sink) -> None:
    match = _PATH.match(line)
    if match is None:
        return
    value = match["value"]
    written = f"`{value.strip(_QUOTES)}`"
    quoted = value[0] == value[-1] and value[0] in "'\""
    message = "a path stands between backticks" if quoted else "this backtick is not closed"
    at = source.span(start + match.start("value"), start + match.end("value"))
    fix = Fix(f"write {written}", at, written)
    sink.report("FC1001", message, at, severity="warning", help=f"write {written}", fix=fix)


def _check_marks(line: str, start: int, source: Source, sink: Sink) -> None:
    match = _MARKS.match(line)
    if match is not None:
        at = source.span(start + match.start("mark"), start + match.end("mark"))
        mark = "~~~" if match["mark"] == "~~" else "```"
        message = f"a fence begins with {mark}, so this line does not begin one"
        sink.report("FC1001", message, at, help=f"write {mark}", fix=Fix(f"write {mark}", at, mark))
