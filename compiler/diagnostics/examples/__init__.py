"""A bad and a good file for every diagnostic code, for `flowc explain` and docs/diagnostics.md.

A test runs each: the bad one gives its code, the good one is silent.
"""

from __future__ import annotations

from .forms import Example
from .meaning import MEANING
from .reading import READING

EXAMPLES: dict[str, tuple[Example, Example]] = {**READING, **MEANING}
"""By code: a bad file and a good one."""

__all__ = ["EXAMPLES", "Example"]
