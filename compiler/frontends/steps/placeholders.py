"""Placeholders that nearly name a variable: they go to the model as they are written (S33).

[PLCAES]   `{{PLACES}}`   [[PLACES]]   [ PLACES ]   [places]   [TWO WORDS]   [PLACES   PLACES]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...diagnostics.diagnostic import Fix, Label, Sink
from ...ir import Output
from ...reading.foreign import (
    foreign_placeholders,
    foreign_statements,
    report_foreign,
    report_statement,
)
from ...source.source import Source
from ...source.spelling import Spelling
from .model import Step
from .prompt import PLACEHOLDER

_NEARLY = re.compile(
    r"\[{1,2}[ ]?(?P<words>[A-Za-z_]\w{1,40}+(?:[ -]\w{1,40}+){0,4})[ ]?\]{1,2}(?![(:\w])"
    r"|\[(?P<open>[A-Z_]\w{1,40}+)(?=[^\w\]\[ -]|$)|(?<![\w\[.])(?P<close>[A-Z_]\w{1,40}+)\]"
    r"|\[[`'\"](?P<quoted>[A-Z_]\w{1,40}+)[`'\"]\]|%(?P<percent>[A-Z_]\w{1,40}+)%"
)
_JOINT = re.compile("[ -]")
_SIGNS = re.compile(r"[\[\]{}<$%@｛［【]|__")
"""Signs of placeholders of any dialect."""
_OTHER_SIGNS = re.compile(r"[{}<$%@｛［【]|__")
"""Those of other dialects."""


def check_placeholders(steps: list[Step], source: Source, sink: Sink) -> None:
    """Warn (FC3001) of what nearly names a variable, in descriptions and in assertions."""
    written: dict[str, Output] = {}
    for step in steps:
        for output in step.outputs:
            written.setdefault(output.name, output)
    declared = written.keys() | {entry.name for step in steps for entry in step.inputs}
    spelling = Spelling(declared)
    for step in steps:
        for located in (step.description, *step.asserts):
            if located is None or _SIGNS.search(located.text) is None:
                continue
            span = located.span
            text = source.text[span.start : span.end]
            names = [*PLACEHOLDER.finditer(source.text, span.start, span.end)]
            _check_names(names, spelling, written, source, sink)
            # Brackets that are all those of placeholders are nearly none.
            sound = len(names) == text.count("[") == text.count("]")
            if sound and _OTHER_SIGNS.search(text) is None:
                continue
            foreign = foreign_placeholders(text, "[NAME]", declared)
            told = {found.start: (found.end, found.name) for found in foreign}
            if "%" in text or not sound:
                for start, end, name in _nearly(text, spelling):
                    told.setdefault(start, (end, name))
            for start, (end, name) in told.items():
                place = source.span(span.start + start, span.start + end)
                report_foreign(sink, place, text[start:end], f"[{name}]")
            for start, end in foreign_statements(text, declared):
                place = source.span(span.start + start, span.start + end)
                report_statement(sink, place, text[start:end], "say in words what depends on it")


def _nearly(text: str, names: Spelling) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of brackets that are not those of a placeholder."""
    for match in _NEARLY.finditer(text):
        words = match[match.lastgroup or 0]
        name = _JOINT.sub("_", words)
        name = name if name in names else name.upper()
        if name not in names or match[0] == f"[{name}]" or PLACEHOLDER.fullmatch(match[0]):
            continue
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match["close"] is None or line.count("[") <= line.count("]"):
            yield match.start(), match.end(), name


def _check_names(
    names: Sequence[re.Match[str]],
    spelling: Spelling,
    written: Mapping[str, Output],
    source: Source,
    sink: Sink,
) -> None:
    for match in names:
        near = None if match[1] in spelling else spelling.nearest(match[1])
        if near is None:
            continue
        span = source.span(match.start(1), match.end(1))
        output = written.get(near)
        sink.report(
            "FC3001",
            f"`[{match[1]}]` names no variable, so it stays as it is written",
            span,
            severity="warning",
            labels=(Label(output.span, "put out here"),) if output and output.span else (),
            help=f"did you mean `[{near}]`?",
            fix=Fix(f"write `{near}`", span, near),
        )
