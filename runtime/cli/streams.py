"""Standard output for the result alone, whatever else in this process prints, and in characters
that who reads it can read.

Documents and JSON are UTF-8, whatever the locale says; so is all that goes to a pipe or a file. A
terminal gets what it can show: `->` for an arrow, an escape for what has no plain likeness.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, Literal, TextIO, TypeVar

SCHEMA_VERSION = 1
Mode = Literal["text", "json", "jsonl", "quiet"]
"""How a run is shown."""

_PLAIN = {
    "→": "->", "⇒": "=>", "…": "...", "·": "-", "–": "-", "—": "-", "─": "-", "│": "|", "├": "+",
    "└": "`", "┐": ".", "┘": "'", "┬": "+", "✓": "+", "✗": "x", "▸": ">", "±": "+-", "×": "x",
    "²": "^2", "≤": "<=", "≥": ">=", "≠": "!=", "’": "'", "‘": "'", "“": '"', "”": '"', "\xa0": " ",
}  # fmt: skip
"""What a terminal gets that has no such sign."""

_kept: list[TextIO] = []
"""The stream that is standard output while its descriptor leads to standard error."""


def result_stream() -> TextIO:
    """Return the stream that a result goes to."""
    return _kept[-1] if _kept else sys.stdout


def soften() -> None:
    """Have standard output and errors show every character in some way, where a locale would have
    them end with an exception; see above. What a person has set stays: PYTHONIOENCODING."""
    codecs.register_error("flowc.plain", _plain)
    _open_closed()
    _bear_losses()
    _guard_terminals()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="flowc.plain")
            if not stream.isatty() and not os.environ.get("PYTHONIOENCODING"):
                reconfigure(encoding="utf-8")


def _open_closed() -> None:
    """Let standard streams that were closed lead nowhere: their numbers would be those of files
    that are opened next, and whoever prints would write into a store."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
            os.set_inheritable(number, True)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


class _Patient(io.FileIO):
    """A file whose disk may be full and whose reader may be gone: what is said then is lost."""

    def write(self, data: Any) -> int | None:  # type: ignore[override]
        try:
            return super().write(data)
        except OSError:
            return len(memoryview(data).cast("B"))


def _bear_losses() -> None:
    """Let no run end because nobody can be told about it: its result and its store count."""
    stream = sys.stderr
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream.buffer, _Patient):
        return
    try:
        if stream.fileno() != 2:
            return
        stream.flush()
    except (OSError, ValueError):
        return  # a host's own object
    sys.stderr = _like(stream, io.TextIOWrapper, _Patient(2, "w", closefd=False))


_Text = TypeVar("_Text", bound=io.TextIOWrapper)


def _like(stream: io.TextIOWrapper, kind: type[_Text], raw: io.FileIO) -> _Text:
    """Return a stream with the properties of another one."""
    return kind(
        raw if stream.write_through else io.BufferedWriter(raw),
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


_OWN = re.compile(r"(\x1b\[(?:[0-2]|(?:1;)?[39][0-7])m|\x1b\[1A|\x1b\[2K)")
"""What flowc says to a terminal: colours, and the line above taken away."""


class _Terminal(io.TextIOWrapper):
    """A terminal that only flowc steers, also where a stranger's text was printed as it is."""

    def write(self, text: str) -> int:
        super().write(text if text.isprintable() else _harmless(text))
        return len(text)


def _harmless(text: str) -> str:
    parts = _OWN.split(text)
    parts[::2] = [on_terminal(part) for part in parts[::2]]
    return "".join(parts)


def _guard_terminals() -> None:
    """Put a guard before standard output and errors where they are a terminal."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, _Terminal):
            continue
        try:
            if stream.fileno() == number and stream.isatty():
                stream.flush()
                raw = _Patient if number == 2 else io.FileIO
                setattr(sys, name, _like(stream, _Terminal, raw(number, "w", closefd=False)))
        except (OSError, ValueError):
            continue  # a host's own object


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    if sign in _PLAIN:
        return _PLAIN[sign], error.start + 1
    return codecs.backslashreplace_errors(
        UnicodeEncodeError(error.encoding, error.object, error.start, error.start + 1, "")
    )


def on_terminal(text: str) -> str:
    """Return a stranger's text so that it cannot steer the terminal."""
    from flowc.compiler.source.snippet import visible  # every command starts here

    return "\n".join(visible(line) for line in text.replace("\r\n", "\n").split("\n"))


def put(text: str) -> None:
    """Write a document or a result to standard output, in UTF-8. A terminal gets what it can show,
    and is not steered."""
    stream = result_stream()
    behind = getattr(stream, "buffer", None)
    if behind is None or stream.isatty():
        stream.write(on_terminal(text))
    else:
        stream.flush()
        behind.write(text.encode("utf-8", "backslashreplace"))
    stream.flush()


def print_json(value: dict[str, Any], indent: int | None = 2) -> None:
    """Print a document of its own to stdout: in several lines, or in one (None)."""
    import json  # most commands print no JSON, and every one starts here

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    put(f"{text}\n")


def print_result(fields: dict[str, Any], indent: int | None = 2) -> None:
    """Print the result of a command as JSON, with the version of its form."""
    print_json({"schema_version": SCHEMA_VERSION, **fields}, indent)


@contextlib.contextmanager
def result_alone() -> Iterator[None]:
    """Inside, only what is printed to `result_stream` reaches a pipe or a file at standard output.
    What a Python tool or a library prints goes to standard error, also from C and from children.
    A terminal shows both anyway: there nothing changes."""
    try:
        descriptor = sys.stdout.fileno()
        behind = sys.stderr.fileno()
    except (OSError, ValueError, AttributeError, io.UnsupportedOperation):
        yield  # no descriptors: the streams are a host's own objects
        return
    if sys.stdout.isatty():
        yield
        return
    sys.stdout.flush()
    own = os.dup(descriptor)
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    with os.fdopen(own, "w", encoding=encoding, errors=errors) as stream:
        os.dup2(behind, descriptor)
        _kept.append(stream)
        try:
            yield
        finally:
            _kept.pop()
            with contextlib.suppress(OSError):
                sys.stdout.flush()
            os.dup2(own, descriptor)
