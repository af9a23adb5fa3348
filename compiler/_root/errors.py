"""The errors that flowc raises from Python.

`RunError` says what keeps a run from beginning, `Faulty` that its file has errors. A graph raises
the `Failure` of a node that no edge takes, and `LimitReached`.
"""

from __future__ import annotations

from flowc.runtime.assembly.launch import Faulty
from flowc.runtime.errors import Failure, LimitReached, RunError

__all__ = ["Failure", "Faulty", "LimitReached", "RunError"]
