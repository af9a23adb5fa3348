"""Diagnostics as text with carets, as JSON, as GitHub annotations and as SARIF 2.1.0.

error[FC2001] unknown-step: `CALL_TESTS` calls `tests.wf.md`, which is not there
  --> review.wf.md:19:18
   |
19 |     CALL_TESTS[[tests.wf.md]] --> PROMPT_REPORT
   |                 ^^^^^^^^^^^
   = help: did you mean `unit-tests.wf.md`?          flowc explain FC2001
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..source.snippet import Paint, Underline, excerpt, last_line, visible
from ..source.source import Position, Source, SourceSet, Span
from .diagnostic import MAX_SHOWN, Code, Diagnostic, Label

SCHEMA_VERSION = 1
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_text(
    diagnostics: Sequence[Diagnostic], sources: SourceSet, *, color: bool = False, width: int = 120
) -> str:
    """Return the diagnostics (`MAX_SHOWN` at most) with their lines of source; "" without any."""
    paint = Paint(color)
    blocks = [_block(d, sources, paint, width) for d in diagnostics[:MAX_SHOWN]]
    hidden = sum(count(diagnostics)) - len(blocks)
    if hidden > 0:
        blocks.append(f"… and {hidden:,} more; mend these first")
    return "\n\n".join(blocks) + "\n" if blocks else ""


def render_json(diagnostics: Sequence[Diagnostic], sources: SourceSet) -> str:
    """Return one object: `schema_version`, `diagnostics`, how many `errors` and `warnings`."""
    errors, warnings = count(diagnostics)
    body = {
        "schema_version": SCHEMA_VERSION,
        "diagnostics": [as_dict(d, sources) for d in diagnostics],
        "errors": errors,
        "warnings": warnings,
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def render_github(diagnostics: Sequence[Diagnostic], sources: SourceSet) -> str:
    """Return a workflow command per diagnostic, which GitHub shows beside the line."""
    return "".join(_annotation(d, sources) for d in diagnostics)


def render_sarif(diagnostics: Sequence[Diagnostic], sources: SourceSet, version: str = "") -> str:
    """Return a SARIF 2.1.0 log with one run; columns count characters."""
    rules = {d.code: d.rule for d in sorted(diagnostics, key=lambda d: d.code)}
    driver: dict[str, Any] = {
        "name": "flowc",
        "rules": [_sarif_rule(rule) for rule in rules.values()],
    }
    if version:
        driver["version"] = version
    codes = list(rules)
    results = [_sarif_result(d, codes.index(d.code), sources) for d in diagnostics]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def count(diagnostics: Iterable[Diagnostic]) -> tuple[int, int]:
    """Return how many errors and how many warnings there are, those included that were not kept."""
    numbers = {"error": 0, "warning": 0}
    for diagnostic in diagnostics:
        numbers[diagnostic.severity] += 1 + diagnostic.more
    return numbers["error"], numbers["warning"]


def summary_line(diagnostics: Iterable[Diagnostic], files: int, seconds: float) -> str:
    """Return `1 error, 0 warnings in 12 files (0.18 s)`."""
    errors, warnings = count(diagnostics)
    return (
        f"{_plural(errors, 'error')}, {_plural(warnings, 'warning')} in {_plural(files, 'file')} "
        f"({seconds:.2f} s)"
    )


def as_dict(diagnostic: Diagnostic, sources: SourceSet) -> dict[str, Any]:
    """Return a diagnostic as `flowc inspect --json` and `check --format json` show it."""
    values: dict[str, Any] = {
        "code": diagnostic.code,
        "name": diagnostic.rule.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_region(diagnostic.primary, sources),
        "help": diagnostic.help,
        "notes": list(diagnostic.notes),
        "labels": [{"text": x.text, **_region(x.span, sources)} for x in diagnostic.labels],
        "fix": None,
    }
    if diagnostic.more:
        values["more"] = diagnostic.more
    if fix := diagnostic.fix:
        place = _region(fix.span, sources)
        values["fix"] = {"title": fix.title, "safe": fix.safe, "text": fix.text, **place}
    return values


def _block(diagnostic: Diagnostic, sources: SourceSet, paint: Paint, width: int) -> str:
    level = diagnostic.severity
    title = f" {diagnostic.rule.name}: {visible(diagnostic.message)}"
    rows = [paint(f"{level}[{diagnostic.code}]", level) + paint(title, "strong")]
    groups = _marks_by_file(diagnostic, sources)
    gutter = max((len(str(last_line(s, marks))) for s, marks in groups if s.text), default=1)
    for index, (source, marks) in enumerate(groups):
        arrow = "-->" if index == 0 else ":::"
        first = marks[0] if index == 0 else min(marks, key=lambda m: m.start)
        rows.append(f"{' ' * gutter}{paint(arrow, 'frame')} {_place(source, first.start)}")
        if source.text:
            rows += excerpt(source, marks, gutter, paint, width)
    rows += _remarks(diagnostic, gutter, paint)
    return "\n".join(rows)


def _marks_by_file(
    diagnostic: Diagnostic, sources: SourceSet
) -> list[tuple[Source, list[Underline]]]:
    """Return the primary place, then the labels, gathered by file in order of appearance."""
    span = diagnostic.primary
    by_file = {span.file: [Underline(span.start, span.end, diagnostic.severity)]}
    for label in diagnostic.labels:
        mark = Underline(label.span.start, label.span.end, "second", label.text, primary=False)
        if label.span == span:
            by_file[span.file][0] = Underline(span.start, span.end, diagnostic.severity, label.text)
        else:
            by_file.setdefault(label.span.file, []).append(mark)
    return [(sources.get(file) or Source(file, ""), marks) for file, marks in by_file.items()]


def _remarks(diagnostic: Diagnostic, gutter: int, paint: Paint) -> list[str]:
    lead = f"{' ' * gutter} {paint('=', 'frame')}"
    rows = [f"{lead} {paint('note', 'strong')}: {visible(note)}" for note in _notes(diagnostic)]
    fix = diagnostic.fix
    if fix is not None:
        how = "" if fix.safe else " (not applied by itself: it may change what the file means)"
        rows.append(f"{lead} {paint('fix', 'strong')}: {visible(fix.title)}{how or ', with --fix'}")
    explain = f"flowc explain {diagnostic.code}"
    if diagnostic.help:
        help = f"{paint('help', 'strong')}: {visible(diagnostic.help)}"
        rows.append(f"{lead} {help}          {explain}")
    else:
        rows.append(f"{lead} {explain}")
    return rows


def _notes(diagnostic: Diagnostic) -> tuple[str, ...]:
    if not diagnostic.more:
        return diagnostic.notes
    return (*diagnostic.notes, f"and {diagnostic.more:,} more {diagnostic.code} in this file")


def _place(source: Source, offset: int) -> str:
    path = visible(source.path)
    if not source.text:
        return path
    at = source.position(offset)
    return f"{path}:{at.line}:{at.column}"


def _region(span: Span, sources: SourceSet) -> dict[str, Any]:
    start, end = _positions(span, sources)
    return {
        "file": span.file,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }


def _positions(span: Span, sources: SourceSet) -> tuple[Position, Position]:
    source = sources.get(span.file)
    if source is None:
        return Position(1, 1), Position(1, 1)
    return source.position(span.start), source.position(max(span.start, span.end))


def _annotation(diagnostic: Diagnostic, sources: SourceSet) -> str:
    start, end = _positions(diagnostic.primary, sources)
    fields = {
        "file": diagnostic.primary.file,
        "line": start.line,
        "endLine": end.line,
        "col": start.column,
        "endColumn": end.column,
        "title": f"{diagnostic.code} {diagnostic.rule.name}",
    }
    if start.line != end.line:  # GitHub takes columns only within one line
        del fields["col"], fields["endColumn"]
    shown = ",".join(f"{key}={_escape_property(str(value))}" for key, value in fields.items())
    parts = (diagnostic.message, *_notes(diagnostic), diagnostic.help)
    text = ". ".join(x for x in parts if x)
    return f"::{diagnostic.severity} {shown}::{_escape_message(text)}\n"


def _escape_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_message(text).replace(":", "%3A").replace(",", "%2C")


def _sarif_rule(rule: Code) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"flowc explain {rule.id}"},
        "defaultConfiguration": {"level": rule.severity},
    }


def _sarif_result(diagnostic: Diagnostic, index: int, sources: SourceSet) -> dict[str, Any]:
    text = ". ".join(x for x in (diagnostic.message, *diagnostic.notes, diagnostic.help) if x)
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [_sarif_location(Label(diagnostic.primary), sources)],
    }
    if diagnostic.more:
        result["occurrenceCount"] = 1 + diagnostic.more
    if diagnostic.labels:
        places = [_sarif_location(label, sources) for label in diagnostic.labels]
        result["relatedLocations"] = [{"id": n, **place} for n, place in enumerate(places)]
    if fix := diagnostic.fix:
        place = _sarif_location(Label(fix.span), sources)["physicalLocation"]
        change = {"deletedRegion": place["region"], "insertedContent": {"text": fix.text}}
        artifact = {"artifactLocation": place["artifactLocation"], "replacements": [change]}
        result["fixes"] = [{"description": {"text": fix.title}, "artifactChanges": [artifact]}]
    return result


def _sarif_location(label: Label, sources: SourceSet) -> dict[str, Any]:
    start, end = _positions(label.span, sources)
    region = {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }
    uri = _uri(label.span.file)
    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}
    }
    if label.text:
        place["message"] = {"text": label.text}
    return place


def _uri(path: str) -> str:
    """Return a relative reference: all but letters, digits and `-._~/` as the bytes' hex
    numbers."""
    from urllib.parse import quote

    return quote(path.replace("\\", "/").encode("utf-8", "surrogateescape"))


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
