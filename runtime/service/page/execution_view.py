"""The view of one execution, from its state and its events."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from flowc.compiler.emit.html.layout import Layout
from flowc.compiler.emit.html.sizes import measure
from flowc.compiler.emit.html.svg import Mark, draw
from flowc.compiler.emit.picture.picture import Overlay, Picture, Shown, picture_of
from flowc.compiler.ir import AskNode, EndNode, TaskNode, Workflow

from ...events import RunEvent
from ...graph.overlay import layout_of, overlay_of
from ...people import Question
from ...state.parameters import JSON_TYPES
from ...store.default_store import resume_command
from ...store.runs import RunStore
from ..bodies.compile import task_schema
from ..contract import responses
from ..operations.control import failed_steps, happenings_of
from ..operations.executions import Executing
from ..operations.messages import latest_messages
from ..operations.status import ENDS, ExecutionState
from ..records.messages import ALL
from ..records.metrics import TaskStep, gates_of
from ..records.tables import StoredExecution
from .gantt import Gantt, gantt_of
from .words import LogLine, log_line

LINES = 300
"""Lines of the log that a page shows."""
KEPT = 64
"""Executions whose events are remembered."""
Events = list[tuple[int, RunEvent]]


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node and what an execution did there. `number` is its place in the picture, seconds are
    summed over visits, `cost` is in dollars or None."""

    number: int
    id: str
    title: str
    mark: Mark | None
    visits: int
    seconds: float | None
    tokens: int
    cost: float | None
    score: float | None


@dataclass(frozen=True, slots=True)
class GateRow:
    """A gate, and its last verdict: None before it was judged."""

    title: str
    form: str
    mode: str
    required: float | None
    passed: bool | None
    score: float | None


@dataclass(frozen=True, slots=True)
class PendingItem:
    """A step or a question that waits for a person. `fields` are those of the step's result, or
    `answer` where that is not a text; `command` gives the answer in place of a form, "" where there
    is one."""

    id: str
    kind: str
    title: str
    text: str
    who: str = ""
    assignment: str = ""
    choices: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    deadline: str | None = None
    overdue: bool = False
    command: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExecutionView:
    """The values of the page. `position` is the last event's, `roles` are the agents' by their
    ids."""

    standing: ExecutionState
    status: responses.WorkflowStatus
    svg: str
    nodes: Sequence[NodeRow]
    path: Sequence[NodeRow]
    gantt: Gantt
    gates: Sequence[GateRow]
    due: Sequence[PendingItem]
    log: Sequence[LogLine]
    position: int
    hidden: int
    cost: float | None
    tokens: int
    roles: Mapping[str, str]
    go_on: str
    """The command that goes on with a run of `flowc run`; "" of an execution."""
    failed_steps: Sequence[str]
    """The titles of the steps that can begin again, where it has failed at such."""
    failed_at: str
    """The title of the node that it failed at; "" where it was none, or it has not failed."""


@dataclass(frozen=True, slots=True)
class Histories:
    """The events of the executions on display, read once each."""

    known: OrderedDict[str, Events] = field(default_factory=OrderedDict)

    async def of(self, store: RunStore, id: str) -> Events:
        """Return every event of a run with its position, oldest first."""
        events = self.known.setdefault(id, [])
        self.known.move_to_end(id)
        while len(self.known) > KEPT:
            self.known.popitem(last=False)
        while True:
            at = events[-1][0] if events else 0
            more = await store.events_after(id, at)
            if (events[-1][0] if events else 0) == at:  # nobody else read on meanwhile
                events += more
            if not more:
                return events


async def look(
    executing: Executing, standing: ExecutionState, histories: Histories, pictures: Pictures
) -> ExecutionView:
    """Return the view of an execution."""
    events = await histories.of(executing.engine.store, standing.execution.id)
    told_events = [event for _, event in events]
    overlay = overlay_of(told_events)
    marks = _marks(standing, told_events)
    svg, picture = await pictures.draw(standing.workflow, overlay, marks)
    rows = _rows(picture.nodes, standing, told_events, marks)
    by_id = {row.id: row for row in rows}
    status = standing.answer(details=True, metrics=True)
    status.events = happenings_of(standing)
    status.messages = await latest_messages(executing, standing)
    go_on = go_on_command(executing, standing.execution)
    lines = [line for at, event in events if (line := log_line(at, event))]
    return ExecutionView(
        standing=standing,
        status=status,
        svg=svg,
        nodes=rows,
        path=[by_id[id] for id in overlay.path if id in by_id],
        gantt=gantt_of(
            told_events,
            {row.id: (row.number, row.title) for row in rows},
            marks,
            None if standing.status in ENDS else standing.now,
        ),
        gates=_gates(standing, told_events),
        due=_items_of_run(standing, go_on) if standing.execution.is_run else _due(standing),
        go_on=go_on,
        log=lines[-LINES:],
        position=events[-1][0] if events else 0,
        hidden=max(0, len(lines) - LINES),
        cost=_sum(told_events, "cost"),
        tokens=_tokens(told_events),
        failed_at=_failed_at(status, by_id),
        failed_steps=[standing.step(id).name for id in failed_steps(standing)],
        roles={ALL: "everybody", **{a.id: a.role for a in standing.workflow.agents if a.role}},
    )


def _failed_at(status: responses.WorkflowStatus, rows: Mapping[str, NodeRow]) -> str:
    node = status.failure.execution_context.current_step if status.failure else ""
    return rows[node].title if node in rows else node


def _marks(standing: ExecutionState, events: Sequence[RunEvent]) -> dict[str, Mark]:
    """Return the mark of each node: its last event, and what came of it since."""
    marks: dict[str, Mark] = {}
    for event in events:
        if event.path or not event.node:
            continue
        if event.kind == "node_started":
            marks[event.node] = "busy"
        elif event.kind == "node_finished":
            marks[event.node] = "done"
        elif event.kind == "node_failed":
            marks[event.node] = "failed"
        elif event.kind == "interrupted":
            marks[event.node] = "waiting"
    ended = standing.status in ENDS
    held = standing.status == "paused"
    for node, mark in marks.items():
        if node in standing.done_steps and mark in ("busy", "waiting"):
            marks[node] = "done"
        elif held and mark in ("busy", "waiting"):
            marks[node] = "paused"
        elif ended and mark in ("busy", "waiting"):
            marks[node] = "failed" if standing.status == "failed" else "done"
    for assignment in [] if ended else standing.open:
        if assignment.person and marks.get(assignment.step) != "failed":
            marks[assignment.step] = "paused" if held else "waiting"
    for end in (n for n in standing.workflow.nodes if isinstance(n, EndNode)):
        if marks.get(end.id) == "done" and end.outcome != "success":
            marks[end.id] = "failed"
    return marks


def _rows(
    shown: Sequence[Shown],
    standing: ExecutionState,
    events: Sequence[RunEvent],
    marks: Mapping[str, Mark],
) -> list[NodeRow]:
    spent: dict[str, list[RunEvent]] = {}
    for event in events:
        if event.kind == "model_called":
            spent.setdefault(event.path[0] if event.path else event.node, []).append(event)
    done = standing.done_steps
    return [
        NodeRow(
            number=number,
            id=node.id,
            title=" ".join(node.lines),
            mark=marks.get(node.id),
            visits=node.visits or 0,
            seconds=node.seconds,
            tokens=_tokens(spent.get(node.id, ())),
            cost=_sum(spent.get(node.id, ()), "cost"),
            score=standing.turns.score(node.id) if node.id in done else None,
        )
        for number, node in enumerate(shown)
    ]


def _sum(events: Sequence[RunEvent], name: str) -> float | None:
    known = [e.data[name] for e in events if e.kind == "model_called" and e.data.get(name)]
    return sum(known) if known else None


def _tokens(events: Sequence[RunEvent]) -> int:
    called = [event.data for event in events if event.kind == "model_called"]
    return sum(int(d.get(k) or 0) for d in called for k in ("input_tokens", "output_tokens"))


def _gates(standing: ExecutionState, events: Sequence[RunEvent]) -> list[GateRow]:
    judged = {e.node: e.data for e in events if e.kind == "gate" and not e.path}
    return [
        GateRow(
            title=gate.title or gate.id,
            form=gate.form.replace("_", " "),
            mode=gate.mode,
            required=gate.required,
            passed=judged.get(gate.id, {}).get("passed"),
            score=judged.get(gate.id, {}).get("score"),
        )
        for gate in gates_of(standing.workflow)
    ]


def _due(standing: ExecutionState) -> list[PendingItem]:
    if standing.status not in ("starting", "executing"):
        return []
    steps = {step.id: step for step in standing.steps}
    questions = {question.node: question.text for question in standing.task_questions}
    tasks = {node.id: node for node in standing.workflow.nodes if isinstance(node, TaskNode)}
    items = []
    for assignment in standing.open:
        step = steps.get(assignment.step)
        if step is None or not assignment.person:
            continue
        items.append(
            PendingItem(
                id=f"due-{assignment.id}",
                kind=tasks[step.id].form,
                title=step.name,
                text=questions.get(step.id, step.criteria),
                who=_who(standing, step, assignment.agent),
                assignment=assignment.id,
                deadline=assignment.deadline,
                overdue=is_over(assignment.deadline, standing.now),
                fields=task_schema(standing.workflow, step.id)["properties"],
            )
        )
    for question in standing.other_questions:
        items.append(
            PendingItem(
                id=f"due-{question.id}",
                kind=question.kind,
                title=question.name,
                text=question.text,
                who=question.who or question.asker,
                choices=question.choices or (("yes", "no") if question.commands else ()),
                commands=question.commands,
                fields=_answer(standing.workflow, question),
            )
        )
    return items


def go_on_command(executing: Executing, execution: StoredExecution) -> str:
    """Return the command that goes on with a run of `flowc run`; "" of an execution."""
    url = executing.engine.store.location.url
    return resume_command(execution.id, url) if execution.is_run else ""


def fork_command(executing: Executing, execution: StoredExecution) -> str:
    """Return the command that begins a new run from such a one, without the place."""
    return go_on_command(executing, execution).replace("resume", "fork", 1)


def _items_of_run(standing: ExecutionState, go_on: str) -> list[PendingItem]:
    """Return what a run of `flowc run` waits for, which is answered where it was started."""
    return [
        PendingItem(
            id=f"due-{question.id}",
            kind=question.kind,
            title=question.name,
            text=question.text,
            who=question.who or question.asker,
            choices=question.choices,
            commands=question.commands,
            command=f"{go_on} {question.answer_flag(_example(question))}",
        )
        for question in standing.questions
    ]


def _example(question: Question) -> str:
    """Return what stands for the answer in a command."""
    return next(iter(question.choices), "yes" if question.commands else "ANSWER")


def is_over(deadline: str | None, now: datetime) -> bool:
    """Return whether a deadline has gone by."""
    return deadline is not None and datetime.fromisoformat(deadline) <= now


def _answer(workflow: Workflow, question: Question) -> Mapping[str, Any]:
    """Return the schema of the variable that the answer goes into; {} where a text will do."""
    nodes = [] if question.path else workflow.nodes
    asking = next((n for n in nodes if isinstance(n, AskNode) and n.id == question.node), None)
    into = next((s for s in workflow.state if asking and s.name == asking.into), None)
    schema = JSON_TYPES[into.type] if into is not None else {}
    return {"answer": schema} if schema.get("type", "string") != "string" else {}


def _who(standing: ExecutionState, step: TaskStep, agent: str) -> str:
    known = next((a for a in standing.workflow.agents if a.id == agent), None)
    return known.role if known and known.role else step.role or agent


LAYOUTS_KEPT = 128
"""Layouts that are remembered."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Draws pictures. A layout is computed once, with room for visits and times, so that nodes stay
    where they are while an execution goes on."""

    layouts: OrderedDict[Any, Layout] = field(default_factory=OrderedDict)

    async def draw(
        self,
        workflow: Workflow,
        overlay: Overlay | None = None,
        marks: Mapping[str, Mark] | None = None,
    ) -> tuple[str, Picture]:
        """Return the `<svg>` element, and its picture: `data-node` is the number in `nodes`."""
        picture = picture_of(workflow, overlay)
        roomy = tuple(replace(node, visits=20, seconds=1000.0) for node in picture.nodes)
        sized = measure(replace(picture, nodes=roomy))
        lines = tuple((line.source, line.target, line.label) for line in picture.lines)
        key = (picture.title, tuple((n.id, n.lines, n.note) for n in roomy), lines)
        layout = self.layouts.get(key)
        if layout is None:
            layout = await asyncio.to_thread(layout_of, sized)
            self.layouts[key] = layout
            while len(self.layouts) > LAYOUTS_KEPT:
                self.layouts.popitem(last=False)
        return draw(replace(sized, picture=picture), layout, marks), picture
