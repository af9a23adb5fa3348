"""Rest the garbage collector where a scan would find nothing: its time grows with the heap."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

_ours = False
"""Whether this module froze the heap."""


@contextlib.contextmanager
def collector_at_rest() -> Iterator[None]:
    """Run the body without cyclic garbage collection. Compiling makes no cycles, and scanning a
    growing heap would make a large file cost more than linear time. New objects join the old ones
    unscanned (`freeze` and `unfreeze` only move lists), unless a host froze its own."""
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
    """Keep the collector from scanning what exists already: a compiled workflow and its graph live
    as long as the run. Objects that a host froze stay frozen."""
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
    """Return whether anything is frozen. Python counts by walking all of it, 20 ms for a service's
    million objects, so ask it only when this module did not freeze them."""
    return _ours or bool(gc.get_freeze_count())
