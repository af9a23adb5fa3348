"""Load modules without what they load where it is installed, and do without where it is not.

Only in a process of flowc's own: a program that flowc is a part of may use those modules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .gc_pause import is_own_process


@contextmanager
def left_out(*modules: str) -> Iterator[None]:
    """Load what the body loads as if `modules` were not installed. Those that are loaded already
    stay, and all of them can be loaded afterwards."""
    absent = [name for name in modules if is_own_process() and name not in sys.modules]
    # Python does not find a module in whose place None stands.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]
