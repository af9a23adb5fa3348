"""Diagnostics that are told before a text is compiled: an edit that changes words for people leaves
them as they were, but for the titles that they name.

The compilation that follows tells others where that was wrong.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from flowc.compiler.analysis.wording import node_name
from flowc.compiler.editor.words import is_of_words, title_edit
from flowc.compiler.ir import Node
from lsprotocol import types

from .analysis import Analysis
from .documents import OpenDocument
from .lines import Shift


def guess(
    document: OpenDocument, change: types.TextDocumentContentChangeEvent
) -> list[types.Diagnostic] | None:
    """Return the diagnostics of a document behind an edit that changes words of a text or a title
    on a line where nothing is told; None for any other edit."""
    good = document.good
    if document.told != document.version or good is None or good.editing.keys != "none":
        return None
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return None
    lines, place = document.lines, change.range
    number = place.start.line
    first, last = lines.offset(number, 0), lines.end_offset(number)
    start = lines.offset(number, place.start.character)
    end = lines.offset(place.end.line, place.end.character)
    if end > last or any(_touches(row, number) for row in document.rows):
        return None
    line, (start, end, text) = lines.body[first:last], _least(lines.body, start, end, change.text)
    if is_of_words(line, start - first, end - first, text):
        at = _in_analysis(document, good, start)
        return document.rows if good.symbols.at(document.path, at) is None else None
    titles = good.editing.titles
    edited = title_edit(line, start - first, end - first, text, titles) if titles else None
    if edited is None:
        return None
    node = _node_titled_at(document, good, _in_analysis(document, good, first + edited.start))
    if node is None:
        return None
    was, becomes = (node_name(replace(node, title=t)) for t in (edited.old, edited.new))
    return [_with_name(row, was, becomes) for row in document.rows]


def _least(body: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    """Return an edit without the characters at both ends that stay as they were."""
    same = Shift(body[start:end], new)
    return start + same.head, end - same.tail, new[same.head : len(new) - same.tail]


def _touches(row: types.Diagnostic, line: int) -> bool:
    places = [row.range, *(more.location.range for more in row.related_information or ())]
    return any(there.start.line <= line <= there.end.line for there in places)


def _in_analysis(document: OpenDocument, good: Analysis, offset: int) -> int:
    """Return the place in the analysed text of one in the present text."""
    text = good.result.sources.files[document.path].text
    return offset if text is document.text else Shift(text, document.text).to_old(offset)


def _node_titled_at(document: OpenDocument, good: Analysis, offset: int) -> Node | None:
    """Return the node whose title, and not its name, stands at a place."""
    mention = good.symbols.at(document.path, offset)
    if mention is None or mention.kind != "node" or mention.act != "define":
        return None
    workflow = good.result.workflow
    nodes = workflow.nodes if workflow is not None else ()
    node = next((one for one in nodes if one.id == mention.name), None)
    if node is None or good.symbols.text(mention) != node.title or node.title == node.id:
        return None
    return node


def _with_name(row: types.Diagnostic, was: str, becomes: str) -> types.Diagnostic:
    """Return a diagnostic with another name of the node that it is about."""
    related = row.related_information or ()
    if was not in row.message and not any(was in more.message for more in related):
        return row
    found = copy(row)
    found.message = row.message.replace(was, becomes)
    found.related_information = [
        types.DiagnosticRelatedInformation(more.location, more.message.replace(was, becomes))
        for more in related
    ] or None
    return found
