"""How far a run is, in one line: nodes done, model calls' tokens and cost, time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ...events import RunEvent
from ..screen import count_of, seconds_of, tokens_of


@dataclass(slots=True)
class RunProgress:
    """Counts along with a run's events, in this process."""

    began: float = field(default_factory=time.monotonic)
    nodes: int = 0
    tokens: int = 0
    cost: float = 0.0

    def hear(self, event: RunEvent) -> None:
        if event.kind == "node_finished":
            self.nodes += 1
        elif event.kind == "model_called":
            self.tokens += event.data.get("input_tokens", 0) + event.data.get("output_tokens", 0)
            self.cost += event.data.get("cost") or 0.0

    def line(self) -> str:
        """`6 nodes done · 1.2k tokens · $0.0031 · 12.4 s`."""
        parts = [f"{count_of(self.nodes, 'node')} done"]
        parts += [tokens_of(self.tokens)] * bool(self.tokens)
        parts += [f"${self.cost:.4f}"] * bool(self.cost)
        return " · ".join([*parts, seconds_of(time.monotonic() - self.began)])
