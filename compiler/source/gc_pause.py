"""The garbage collector rests where a scan finds nothing: its time would grow with the heap."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

_ours = False
"""Whether what is frozen was frozen here."""


@contextlib.contextmanager
def collector_at_rest() -> Iterator[None]:
    """No cyclic garbage collection inside. Compiling makes no cycles, and scanning a growing
    heap would make the time for a large file more than linear. What was made goes to the
    old objects unscanned (`freeze` and `unfreeze` only move lists), unless a host froze its own."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            if not _is_frozen():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@contextlib.contextmanager
def heap_at_rest() -> Iterator[None]:
    """Inside, the collector does not look through what exists already: a compiled workflow and its
    graph live as long as the run, and every full collection would scan them again. A host that
    froze its own objects keeps them frozen."""
    global _ours
    freezing = not _is_frozen()
    if freezing:
        gc.freeze()
        _ours = True
    try:
        yield
    finally:
        if freezing:
            _ours = False
            gc.unfreeze()


def _is_frozen() -> bool:
    """Whether something is. Python counts it by going through all of it, 20 ms for a service's
    million objects, so it is asked only when we did not freeze them ourselves."""
    return _ours or bool(gc.get_freeze_count())
