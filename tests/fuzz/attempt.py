"""What is done with a damaged file, and what counts as a fault."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import traceback
from collections.abc import Iterator
from types import FrameType

from flowc.compiler.catalog.catalog import Catalog
from flowc.compiler.conversion import convert_file
from flowc.compiler.diagnostics import render
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.editor.folding import folds_of
from flowc.compiler.editor.layout import layout_of
from flowc.compiler.editor.outline import outline_of
from flowc.compiler.editor.symbols import symbols_of
from flowc.compiler.editor.tokens import tokens_of
from flowc.compiler.emit.flow.program import emit_flow_yaml
from flowc.compiler.frontends import FRONTENDS
from flowc.compiler.source.source import SourceSet
from flowc.compiler.writers import DIALECTS

from .damage import damage, originals

FORMS = (render.render_text, render.render_json, render.render_github, render.render_sarif)
FORMATS = (None, None, None, None, None, *(f.name for f in FRONTENDS))
"""Most inputs are read as what they look like."""


Fault = tuple[int, str, str]
"""The number of an input, the exception in one line, and all of it."""


class TooSlow(Exception):
    """An input has taken more of the processor than any may."""


def try_input(name: str, text: str, number: int) -> None:
    """Do with an input what flowc can do with a file; raise what goes wrong."""
    format = FORMATS[number % len(FORMATS)] if number % 3 == 0 else None
    result = compile_text(
        text, name, format=format, sources=SourceSet(), catalog=Catalog(entries={})
    )
    look_at_places(result)
    FORMS[number % len(FORMS)](result.diagnostics, result.sources)
    if result.ok:
        assert result.spec.nodes
        if number % 5 == 1 and result.program is not None:
            emit_flow_yaml(result.program)
    turn = number % 11
    if turn == 0 and result.parsed is not None and result.parsed.workflow is not None:
        dialect = DIALECTS[number // 11 % len(DIALECTS)]
        source = result.sources.files[result.path]
        convert_file(result.parsed, source, dialect, f"out{dialect.suffix}")
    elif turn == 1:
        layout_of(result)
    elif turn == 2:
        _open_in_an_editor(result, result.sources.files[result.path].text)


def look_at_places(result: CompileResult) -> None:
    """A place outside the file would show an empty line, or the wrong one."""
    for item in result.diagnostics:
        spans = [item.primary, *(label.span for label in item.labels)]
        for span in [*spans, *([item.fix.span] if item.fix else [])]:
            source = result.sources.get(span.file)
            assert source is not None, (item.code, span)
            assert 0 <= span.start <= span.end <= len(source.text), (item.code, span)
        assert item.message, item.code
        assert "\n" not in item.message, item.message


def _open_in_an_editor(result: CompileResult, text: str) -> None:
    symbols = symbols_of(result)
    editing = result.frontend.reader().editing() if result.frontend else None
    folds = folds_of(text, editing) if editing else ()
    list(tokens_of(symbols, result.path, 0, len(text)))
    if editing:
        line_of = result.sources.files[result.path].position
        outline_of(symbols, result.path, folds, lambda offset: line_of(offset).line - 1)


def _expire(number: int, frame: FrameType | None) -> None:
    raise TooSlow


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in a block that takes more seconds of the processor."""
    before = signal.signal(signal.SIGPROF, _expire)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def try_batch(seed: int, numbers: range, seconds: float) -> tuple[int, list[Fault]]:
    """Try inputs one after another; return how many, and what went wrong."""
    files = originals()
    faults: list[Fault] = []
    # An include of a damaged file must not find a real one.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for number in numbers:
            name, text = damage(files, seed, number)
            try:
                with time_limit(seconds):
                    try_input(name, text, number)
            except Exception as error:
                line = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{os.path.basename(line.filename)}:{line.lineno}"
                shown = f"{type(error).__name__} at {where}: {str(error)[:200]}"
                faults.append((number, shown, traceback.format_exc()))
    return len(numbers), faults
