"""Layout: a file with its white space in order, where that provably changes nothing else.

Flow YAML is laid out as `flowc fmt` does it, JSON with one member a line; in formats that are read
like a text only the blanks at the ends of lines go, outside of fences, and the file ends with one
line end. What comes out is read again: where it does not say the same, the file stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from ..checks import CODES
from ..diagnostics.diagnostic import Sink
from ..driver import CompileResult
from ..flow_yaml.layout import lay_out
from ..reading.protocol import Frontend, Parsed
from ..source.records import dataclass
from ..source.source import Source, SourceSet
from .json_layout import lay_out_json

MAX_LAID_OUT = 2_000_000
"""Characters of a file that is laid out: beyond them it takes longer than anybody waits."""


@dataclass(frozen=True, slots=True)
class NotLaidOut:
    """Why a file stays as it is; `reason` is a sentence for the person who asked."""

    reason: str


def layout_of(result: CompileResult) -> str | NotLaidOut:
    """Return the text of a compiled file in its layout: the same text where it is in order."""
    source = result.sources.get(result.path)
    if source is None or result.frontend is None or result.parsed is None:
        return NotLaidOut("the text is not read as a workflow")
    if len(source.text) > MAX_LAID_OUT:
        return NotLaidOut(f"the text is longer than {MAX_LAID_OUT:,} characters")
    here = (d for d in result.diagnostics if d.primary.file == result.path)
    fault = next((d for d in here if d.severity == "error" and d.code.startswith("FC1")), None)
    if fault is not None or result.parsed.workflow is None:
        line = source.position(fault.primary.start).line if fault else 1
        said = fault.message if fault else "nothing is read"
        return NotLaidOut(f"the text has a fault in line {line}: {said}")
    before = _read(source.text, result)
    for text in _layouts(source.text, result.frontend):
        if text == source.text or _same(before, _read(text, result)):
            return text
    return source.text


def _layouts(text: str, frontend: Frontend) -> Iterator[str]:
    """Yield layouts of a text, the one that changes most first."""
    match frontend.reader().editing().keys:
        case "yaml":
            try:
                yield lay_out(text)
            except yaml.YAMLError:
                return  # the reader of flow YAML mends what this one refuses
        case "json":
            yield lay_out_json(text) or text
        case "none":
            yield "".join(_trim(text))
            yield _with_one_end(text)


_Reading = tuple[Parsed, list[str]]


def _read(text: str, result: CompileResult) -> _Reading:
    assert result.frontend is not None
    sources = SourceSet(overrides={path: s.text for path, s in result.sources.files.items()})
    sink = Sink(CODES)
    parsed = result.frontend.parse(sources.add(Source(result.path, text)), sources, sink)
    return parsed, sorted(d.code for d in sink.all())


def _same(before: _Reading, after: _Reading) -> bool:
    """Return whether two readings say the same; places in the text do not count."""
    (was, codes), (is_now, codes_now) = before, after
    return (
        codes == codes_now
        and was.workflow == is_now.workflow
        and was.parts == is_now.parts
        and was.progress == is_now.progress
        and was.details == is_now.details
    )


_LINE = re.compile(r"(?P<text>[^\r\n]*)(?P<end>\r\n|\r|\n|\Z)")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})(.*)")


def _trim(text: str) -> Iterator[str]:
    """Yield the lines without blanks at their ends, those in fences and those with the two blanks
    that break a line of markdown as they are; at last one line end."""
    lines = [(match["text"], match["end"]) for match in _LINE.finditer(text)]
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    while lines and not lines[-1][0].strip(" \t"):
        lines.pop()
    fence = ""
    for number, (line, end) in enumerate(lines):
        mark = _FENCE.match(line)
        if mark is not None and not fence:
            fence = mark[1]
        elif mark is not None and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        plain = line.rstrip(" \t")
        following = lines[number + 1][0] if number + 1 < len(lines) else ""
        breaks = plain != "" and line.endswith("  ") and following.strip() != ""
        kept = (fence and mark is None) or breaks
        yield (line if kept else plain) + (end or ending)


def _with_one_end(text: str) -> str:
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    return text.rstrip("\r\n") + ending if text.strip() else text
