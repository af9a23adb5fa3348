"""Texts of flow YAML that stand in files of their own: `prompt: {file: draft.md}`."""

from __future__ import annotations

import os
from typing import Protocol

from ....diagnostics.diagnostic import Label
from ....expr.ast import Expr
from ....expr.template import read_template
from ....expr.walk import map_spans
from ....reading.tree import brief
from ....source.source import Source, SourceSet, Span, Unreadable


class FileReader(Protocol):
    """The reader of the file that names another one."""

    source: Source
    sources: SourceSet

    def report(self, code: str, message: str, span: Span, help: str, *labels: Label) -> None: ...


def read_text_file(written: str, place: Span, reader: FileReader) -> Expr | None:
    """Return the template in a file, named from the folder of the reader's. Report FC2001 at the
    `place` of a file that cannot be read, and FC3006 in the file for what is wrong with its text.
    """
    try:
        path = os.path.join(os.path.dirname(reader.source.path), written)
        source = reader.sources.read(path)
    except Unreadable as error:
        reason = "is not there" if error.reason == "not found" else error.reason
        help = error.help or "write the path of a file of text, from this file's folder"
        reader.report("FC2001", f"the text `{brief(written)}` {reason}", place, help)
        return None
    template = read_template(source.text)
    for fault in template.faults:
        span = source.span(fault.span.start, fault.span.end)
        reader.report("FC3006", fault.message, span, fault.help)
    return map_spans(template.expr, lambda span: source.span(span.start, span.end))
