"""Allowances: `flowc: allow FC2006` in a comment silences that warning, in the whole file.

    <!-- flowc: allow FC2006 -->        in markdown
    %% flowc: allow FC2002, FC2006      in a mermaid block
    # flowc: allow FC3003               in YAML

Only warnings can be allowed. An allowance that allows nothing is reported itself (FC0002), with a
fix that takes it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..source.records import dataclass
from ..source.source import Source, SourceSet, Span
from .diagnostic import Code, Diagnostic, Fix, Sink

_LONGEST = 200
"""Characters that an allowance may have; a comment that is longer is prose."""
_OPENING = re.compile(r"<!--[ \t]*flowc:[ \t]*allow[ \t]")
_LINE = re.compile(r"^[ \t]*(%%|\#)[ \t]*flowc:[ \t]*allow[ \t]", re.MULTILINE)
_CODE = re.compile(r"[A-Za-z]+[0-9]+")


@dataclass(frozen=True, slots=True)
class Allowance:
    """One code in one comment; `comment` is the whole of it, `alone`: it names no other code."""

    code: str
    span: Span
    comment: Span
    alone: bool


def apply_allowances(
    diagnostics: tuple[Diagnostic, ...], sources: SourceSet, codes: Mapping[str, Code]
) -> tuple[Diagnostic, ...]:
    """Drop the warnings that are allowed; report allowances that allow nothing (FC0002)."""
    allowances = [a for source in sources.files.values() for a in find_allowances(source)]
    if not allowances:
        return diagnostics
    wanted = {(a.span.file, a.code) for a in allowances}
    met = {(d.primary.file, d.code) for d in diagnostics if d.severity == "warning"} & wanted
    errors = {(d.primary.file, d.code) for d in diagnostics if d.severity == "error"}
    sink = Sink(codes)
    for item in diagnostics:
        if item.severity == "error" or (item.primary.file, item.code) not in met:
            sink.add(item)
    seen: set[tuple[str, str]] = set()
    for allowance in allowances:
        key = (allowance.span.file, allowance.code)
        if key not in met or key in seen:
            refused = key in errors
            _report_unused(allowance, key in seen, refused, sources, sink)
        seen.add(key)
    return sink.all()


def find_allowances(source: Source) -> Iterator[Allowance]:
    """Yield the allowances of a file in order. In markdown `#` begins a heading, not a comment."""
    if "flowc:" not in source.text:
        return
    for start, first, end in sorted((*_in_angles(source.text), *_in_lines(source))):
        codes = list(_CODE.finditer(source.text, first, end))
        for code in codes:
            span = source.span(code.start(), code.end())
            yield Allowance(code.group(), span, source.span(start, end), len(codes) == 1)


def _in_angles(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield of each comment `<!-- … -->` on one line where it, its codes and its end are."""
    close = -1
    for match in _OPENING.finditer(text):
        if close < match.end():
            close = text.find("-->", match.end())
            if close < 0:
                return
        if close - match.end() <= _LONGEST and "\n" not in text[match.end() : close]:
            yield match.start(), match.end(), close + 3


def _in_lines(source: Source) -> Iterator[tuple[int, int, int]]:
    """Yield the same of comments from `%%` or `#` to the end of their line."""
    markdown = source.path.endswith((".md", ".markdown"))
    for match in _LINE.finditer(source.text):
        if markdown and match.group(1) == "#":
            continue
        line = source.line_text(source.position(match.start(1)).line)
        end = match.start() + len(line)
        if len(line) <= _LONGEST:
            yield match.start(1), match.end(), end


def _report_unused(
    allowance: Allowance, repeated: bool, refused: bool, sources: SourceSet, sink: Sink
) -> None:
    code = allowance.code
    if code not in sink.codes:
        message = f"there is no code `{code}` to allow"
    elif repeated:
        message = f"`{code}` is allowed twice in this file"
    elif refused:
        message = f"`{code}` is an error, and only warnings can be allowed"
    else:
        message = f"nothing in this file gives `{code}`"
    fix = _removal(allowance, sources.files[allowance.span.file])
    sink.report("FC0002", message, allowance.span, help="take the allowance out", fix=fix)


def _removal(allowance: Allowance, source: Source) -> Fix:
    """Take out the comment with its line, or the one code among others."""
    title = f"take out the allowance of `{allowance.code}`"
    if not allowance.alone:
        text, end = source.text, allowance.span.end
        while end < allowance.comment.end and text[end] in ", \t":
            end += 1
        return Fix(title, Span(source.path, allowance.span.start, end), "", safe=True)
    line = source.position(allowance.comment.start).line
    starts = source.line_starts()
    begin = starts[line - 1]
    after = starts[line] if line < len(starts) else len(source.text)
    before, behind = allowance.comment.start - begin, after - allowance.comment.end
    if max(before, behind) > _LONGEST or (
        source.text[begin : allowance.comment.start].strip()
        or source.text[allowance.comment.end : after].strip()
    ):
        return Fix(title, allowance.comment, "", safe=True)
    return Fix(title, Span(source.path, begin, after), "", safe=True)
