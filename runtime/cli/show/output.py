"""What a run shows while it goes and when it ends: for a person, as JSON, or one event a line.

toolchain.wf.md · flowchart · 9 nodes, 11 edges · run brave-otter-7f3k
scripted answers (toolchain.answers.yaml): not a language model
  ✓ PROMPT_PLAN         prompt User Plan                             0.0 s
SUCCESS  git 2.39.5 and Python 3.11.7 are installed.
6 visits · 0.4 s · run brave-otter-7f3k kept in .flowc/runs.db
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.driver import CompileResult
from flowc.compiler.lowering.graphspec import answering_agent
from flowc.compiler.source.snippet import visible

from ...events import Listener, RunEvent
from ...services import Outcome
from ..screen import Screen, count_of, seconds_of, tokens_of, written_size
from ..streams import Mode, print_result
from .failures import failure_lines
from .narrate import Narrator
from .outcomes import (
    CUT_OFF_KIND,
    DRIFT_KIND,
    NOT_KEPT,
    closing_lines,
    outcome_object,
    print_outcome,
    summary,
)
from .questions import question_lines

TICK_SECONDS = 0.2


@dataclass(slots=True)
class RunProgress:
    """Counts nodes, tokens and cost along with the events of a run, in this process."""

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
        """Return `6 visits done · 1.2k tokens · $0.0031 · 12.4 s`."""
        parts = [f"{count_of(self.nodes, 'visit')} done"]
        parts += [tokens_of(self.tokens)] * bool(self.tokens)
        parts += [f"${self.cost:.4f}"] * bool(self.cost)
        return " · ".join([*parts, seconds_of(time.monotonic() - self.began)])


@dataclass(slots=True)
class RunView:
    """Listens to a run. `go_on` is the command that resumes it, `store` its URL."""

    compiled: CompileResult
    screen: Screen
    mode: Mode
    run: str
    store: str
    go_on: str
    target: str
    verbose: bool = False
    asks: bool = False
    """Questions are asked on the spot, so that their lines are not needed."""
    label: str = ""
    is_model: bool = False
    """Whether what answers is a language model."""
    replayed: bool = False
    heard: bool = False
    """Whether an event of the run has come."""
    headed: bool = False
    begun: bool = False
    """Whether a node has begun here, so that what goes wrong now ends the run on the way."""
    failure: dict[str, Any] = field(default_factory=dict)
    followers: tuple[Listener, ...] = ()
    """Who else hears every event."""
    progress: RunProgress = field(default_factory=RunProgress)
    sandbox: dict[str, dict[str, Any]] = field(default_factory=dict)
    """How foreign code was confined, by profile."""
    narrator: Narrator = field(init=False)

    def __post_init__(self) -> None:
        self.narrator = Narrator(
            self.compiled.spec, self.compiled.sources, self.screen, self.verbose
        )

    def listen(self, event: RunEvent) -> None:
        """The engine's listener."""
        if event.kind in ("run_started", "run_resumed"):
            self.label = str(event.data.get("model") or "")
            self.is_model = bool(event.data.get("is_model"))
            self.replayed = "replayed" in event.data
        self.heard = True
        for follower in self.followers:
            follower(event)
        self.begun = self.begun or event.kind == "node_started"
        self.progress.hear(event)
        self._note_failure(event)
        if event.kind == "sandbox":
            self.sandbox[event.data["profile"]] = event.data
        if self.mode == "jsonl":
            print_result(dataclasses.asdict(event), None)
        lines = self.narrator.lines(event)
        if self.mode != "text":
            return
        if event.kind in ("run_started", "run_resumed") and not self.headed:
            self.screen.print(*self._header(event))
            self.headed = True
        if event.kind == "interrupted" and self.asks:
            lines = []
        self.screen.update(lines, self._live())

    @asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Keep the clock of the live lines going while the block runs."""
        ticker = asyncio.create_task(self._tick()) if self.screen.live else None
        try:
            yield
        finally:
            if ticker is not None:
                ticker.cancel()
            self.screen.settle()

    def finish(self, outcome: Outcome) -> None:
        """Print the result and everything a person needs to go on."""
        about = {
            "workflow": self.compiled.spec.name,
            "file": self.compiled.path,
            "format": self._format(),
            "answered_by": {"label": self.label, "is_model": self.is_model},
            "store": self.store,
            "sandbox": list(self.sandbox.values()),
        }
        shown = outcome_object(outcome, about, self.go_on)
        if self.mode == "json":
            print_result(shown)
        elif self.mode == "jsonl":
            print_result({**shown, "kind": "outcome"}, None)
        else:
            self._finish_text(outcome)

    def _finish_text(self, outcome: Outcome) -> None:
        if outcome.status in ("success", "failed"):
            print_outcome(outcome, self.screen, self.mode)
        elif (outcome.error or {}).get("kind") in (CUT_OFF_KIND, DRIFT_KIND):
            self.screen.print(f"  go on: {self.go_on}" if self.go_on else f"  {NOT_KEPT}")
            return
        elif outcome.status == "error":
            self.screen.print("", *self._failure(outcome))
        else:
            for question in outcome.questions:
                lines = question_lines(
                    question, self.screen, self.go_on, trail=self.narrator.trail()
                )
                self.screen.print("", *lines)
            self.screen.print(*closing_lines(outcome, self.go_on))
        if self.mode == "quiet":
            return
        if outcome.status == "failed" and self.failure:
            self.screen.print("", *self._failure(outcome), "")
        levels = {data["level"] for data in self.sandbox.values()}
        level = next((name for name in ("off", "weak", "strong", "full") if name in levels), "")
        last = summary(outcome, self.is_model, self.store, level)
        if self.replayed:
            last = f"{last} · {self.label}"
        if outcome.status in ("success", "failed") and self.store != "memory:":
            last += f" · picture: flowc graph {self.target} --run {outcome.run}"
        self.screen.print(self.screen.ink(last, "bad" if level == "off" else "dim"))

    def _note_failure(self, event: RunEvent) -> None:
        """Keep the failure that the workflow ends with; one that it went on after is past."""
        if event.kind == "node_failed" and not self.failure:
            at = event.path[0] if event.path else event.node
            self.failure = {**event.data, "fork": at}
        elif event.kind == "node_finished" and self.failure:
            ends = {n.id for n in self.compiled.spec.nodes if n.op.kind == "end"}
            inner = {n.id for _, s in self.compiled.spec.subgraphs for n in s.nodes}
            if event.node not in ends | (inner if event.path else set()):
                self.failure = {}

    def _failure(self, outcome: Outcome) -> list[str]:
        """Return where and why it failed, and how the run goes on."""
        error = outcome.error or self.failure
        node = str(error.get("node") or "")
        remedy = f"go on: {self.go_on}" + (f"          begins again at {node}" if node else "")
        if not self.go_on:
            remedy = NOT_KEPT
        elif error.get("kind") == "gate":
            remedy = f"do a step again: flowc fork {self.run} --at STEP, then flowc resume"
        elif outcome.status == "failed":
            at = error.get("fork", node)
            remedy = f"try again from there: flowc fork {self.run} --at {at}, then flowc resume"
        spec, sources = self.compiled.spec, self.compiled.sources
        return failure_lines(error, spec, sources, self.screen, remedy)

    def _header(self, event: RunEvent) -> list[str]:
        workflow = self.compiled.workflow
        assert workflow is not None
        verb = "goes on" if event.kind == "run_resumed" else "run"
        name = os.path.basename(self.compiled.path)
        run = f"run {self.run} {verb}" if verb != "run" else f"run {self.run}"
        counts = written_size(workflow)
        lines = [f"{self.screen.ink(name, 'strong')} · {self._format()} · {counts} · {run}"]
        if self.label and (self._needs_model() or event.data.get("replayed")):
            lines.append(self.screen.ink(visible(self.label), "dim" if self.is_model else "warn"))
        return lines

    def _needs_model(self) -> bool:
        specs = (self.compiled.spec, *(s for _, s in self.compiled.spec.subgraphs))
        return any(answering_agent(n.op, spec) for spec in specs for n in spec.nodes)

    def _format(self) -> str:
        return self.compiled.frontend.name if self.compiled.frontend else ""

    def _live(self) -> list[str]:
        """Return the nodes under way with the progress of the run below them; [] without any."""
        rows = self.narrator.live()
        if not rows:
            return []
        room = self.screen.height - 3
        if len(rows) > room:
            more = f"  … {len(rows) - room + 1} more under way"
            rows = [*rows[: room - 1], self.screen.ink(more, "dim")]
        return [*rows, self.screen.ink(f"  {self.progress.line()}", "dim")]

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self.screen.update((), self._live())
