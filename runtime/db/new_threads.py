"""Threads that a process began: where nothing was written, nothing has to be looked for.

LangGraph looks for a checkpoint in the namespace of every visit of a node, and of a run that has
just begun there is none.
"""

from __future__ import annotations

from .fence import Epochs


class NewThreads:
    """The runs that were begun while this process holds them, each with its number and with the
    namespaces that have been written since."""

    def __init__(self, epochs: Epochs) -> None:
        self._epochs = epochs
        self._written: dict[str, tuple[int, set[str]]] = {}

    def begin(self, run: str) -> None:
        """Note that a run has no checkpoints now. Nobody else can write any while it is held."""
        self._written = {r: kept for r, kept in self._written.items() if self._is_held(r, kept[0])}
        if (epoch := self._epochs.get(run)) is not None:
            self._written[run] = epoch, set()

    def write(self, run: str, space: str) -> None:
        """Note that something is being written in a namespace."""
        if run in self._written:
            self._written[run][1].add(space)

    def is_empty(self, run: str, space: str) -> bool:
        """Return whether a namespace surely holds nothing."""
        epoch, written = self._written.get(run, (None, ()))
        return epoch is not None and self._is_held(run, epoch) and space not in written

    def _is_held(self, run: str, epoch: int) -> bool:
        return run in self._epochs.held and self._epochs.get(run) == epoch
