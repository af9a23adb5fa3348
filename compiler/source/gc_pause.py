"""Rest the garbage collector where a scan would find nothing: its time grows with the heap.

Only in a process of flowc's own, such as the command line: the collector of a program that flowc is
a part of is that program's.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

_owned = False
"""Whether the process is flowc's own."""
_ours = False
"""Whether this module froze the heap."""
_AT_START = gc.get_freeze_count()
"""What Python itself keeps frozen: nothing in 3.11, some hundred objects in 3.12."""


@contextlib.contextmanager
def own_process() -> Iterator[None]:
    """Make the body a process of flowc's own, whose collector may rest."""
    global _owned
    before, _owned = _owned, True
    try:
        yield
    finally:
        _owned = before


def is_own_process() -> bool:
    """Tell whether the process is flowc's own."""
    return _owned


@contextlib.contextmanager
def collector_at_rest() -> Iterator[None]:
    """Run the body without cyclic garbage collection. Compiling makes no cycles, and scanning a
    growing heap would make a large file cost more than linear time. New objects join the old ones
    unscanned (`freeze` and `unfreeze` only move lists), unless something is frozen."""
    if not _owned:
        yield
        return
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
    as long as the run. Objects that are frozen stay so."""
    global _ours
    freezing = _owned and not _is_frozen()
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
    return _ours or gc.get_freeze_count() > _AT_START
