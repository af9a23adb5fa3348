"""The numbers of the service's answers (C25): pure functions over steps, results and times.

docs/api.md states each formula; a number without data is None.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from flowc.compiler.ir import GateNode, TaskNode, Workflow

from ...values import Json


@dataclass(frozen=True, slots=True)
class Step:
    """A task of a workflow; `needs` are the steps it depends on."""

    id: str
    name: str
    role: str
    form: str
    minutes: float
    needs: tuple[str, ...]
    criteria: str
    agent: str | None

    @property
    def by_nobody(self) -> bool:
        """A synchronization merges by itself."""
        return self.form == "synchronization"


def steps_of(workflow: Workflow) -> tuple[Step, ...]:
    """The steps in file order."""
    tasks = [node for node in workflow.nodes if isinstance(node, TaskNode)]
    by_variable = {task.into: task.id for task in tasks}
    return tuple(
        Step(
            id=task.id,
            name=task.title or task.id,
            role=task.role,
            form=task.form,
            minutes=task.minutes or 0.0,
            needs=tuple(by_variable[name] for name in task.after if name in by_variable),
            criteria="; ".join(criterion.text for criterion in task.criteria),
            agent=task.agent,
        )
        for task in tasks
    )


def gates_of(workflow: Workflow) -> tuple[GateNode, ...]:
    """The quality gates in file order."""
    return tuple(node for node in workflow.nodes if isinstance(node, GateNode))


def ready(steps: Sequence[Step], done: Collection[str], sequential: bool) -> list[Step]:
    """The steps that can start: not done, all they need is; only the first when one at a time."""
    free = [s for s in steps if s.id not in done and all(need in done for need in s.needs)]
    return free[:1] if sequential else free


def percentage(steps: Sequence[Step], done: Collection[str]) -> float:
    """Of the steps' estimated minutes, or of their number where none is estimated: 0 to 100."""
    if not steps:
        return 0.0
    weights = {step.id: step.minutes for step in steps}
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1.0)
    reached = sum(weight for id, weight in weights.items() if id in done)
    return round(100 * reached / sum(weights.values()), 2)


def remaining_minutes(steps: Sequence[Step], done: Collection[str], sequential: bool) -> float:
    """The longest way through what is not done; the sum of it when it is done one at a time."""
    left = [step for step in steps if step.id not in done]
    if sequential:
        return sum(step.minutes for step in left)
    ends: dict[str, float] = {}
    for _ in left:
        for step in left:
            ends[step.id] = step.minutes + max((ends.get(n, 0.0) for n in step.needs), default=0.0)
    return max(ends.values(), default=0.0)


def completion_time(now: datetime, minutes: float) -> str:
    """When work of so many minutes that begins now is done."""
    return iso(now + timedelta(minutes=minutes))


def phase(
    steps: Sequence[Step], done: Collection[str], gates: Sequence[GateNode], ended: bool
) -> str:
    """Names of the first steps that are not done; then that of the first gate; then "finished"."""
    if ended:
        return "finished"
    open_steps = ready(steps, done, sequential=False)
    if open_steps:
        return ", ".join(step.name for step in open_steps)
    return f"gate {gates[0].title or gates[0].id}" if gates else "finishing"


def score_of(step: str, results: Mapping[str, Json]) -> float | None:
    """A step's quality score: the last review's of it, else its own assessment, else none (C23)."""
    for result in reversed(list(results.values())):
        scores = result.get("scores") if isinstance(result, dict) else None
        if isinstance(scores, dict) and step in scores:
            return float(scores[step])
    own = results.get(step)
    score = own.get("score") if isinstance(own, dict) else None
    return None if score is None else float(score)


def timeline(
    minutes_late: float, estimated_total: float
) -> Literal["on_track", "ahead", "delayed"]:
    """Minutes after (or before, negative) the plan, against a tenth of the estimated total."""
    margin = estimated_total / 10
    if minutes_late > margin:
        return "delayed"
    return "ahead" if minutes_late < -margin else "on_track"


def quality_impact(
    before: Sequence[float], score: float | None
) -> Literal["improved", "unchanged", "declined", "unknown"]:
    """A new score against the mean of those before it, which differ by more than 0.01."""
    if score is None or not before:
        return "unknown"
    difference = score - sum(before) / len(before)
    if abs(difference) <= 0.01:
        return "unchanged"
    return "improved" if difference > 0 else "declined"


def utilisation(
    spans: Sequence[tuple[str, datetime, datetime]], begin: datetime, end: datetime
) -> dict[str, float]:
    """For each agent the share of the time from `begin` to `end` in which it had a step: 0 to 1."""
    whole = (end - begin).total_seconds()
    if whole <= 0:
        return {}
    shares: dict[str, float] = {}
    for agent in dict.fromkeys(agent for agent, _, _ in spans):
        own = sorted((max(a, begin), min(b, end)) for name, a, b in spans if name == agent)
        busy, reached = 0.0, begin
        for start, stop in own:
            busy += max(0.0, (stop - max(start, reached)).total_seconds())
            reached = max(reached, stop)
        shares[agent] = round(busy / whole, 4)
    return shares


def iso(moment: datetime) -> str:
    """As answers write times: ISO 8601 UTC, milliseconds."""
    return moment.isoformat(timespec="milliseconds")
