"""Standard output for the result alone, whatever else in this process prints."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO

_kept: list[TextIO] = []
"""The stream that is standard output while its descriptor leads to standard error."""


def result_stream() -> TextIO:
    """Where a result goes."""
    return _kept[-1] if _kept else sys.stdout


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
