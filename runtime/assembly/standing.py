"""Going on with a run: where it stands, and what people changed in its document meanwhile."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..engine.document_edits import Edited
from ..engine.signals import RunSignals
from ..errors import RunError
from ..events import Listener, RunEvent
from ..people import Question
from ..services import Json, Outcome
from ..store.runs import RequestKind, RunRecord, RunStore, now
from .launch import Launch

if TYPE_CHECKING:
    from ..engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Standing:
    """A run that nobody executes: its record, the questions that wait, people's edits."""

    record: RunRecord
    questions: tuple[Question, ...] = ()
    edited: Edited | None = None
    answered: Mapping[str, int] = field(default_factory=dict)
    """How often a question of each name was answered before: after one, answers name theirs."""

    ended: Outcome | None = None
    """How it ended, when it has nothing left to do."""

    def line(self, *, answered: bool) -> str | None:
        """Return the line that makes the run look for its place in the document anew, if it has
        to. Raise `RunError` when it was `answered` what it may no longer ask."""
        if self.edited is None or not self.edited.moves:
            return None
        if answered:
            run, document = self.record.id, self.edited.document
            raise RunError(
                f"{document} was edited, so run {run} may no longer ask this",
                help=f"go on without --answer first: flowc resume {run}",
            )
        return self.edited.document

    async def resume(
        self,
        engine: Engine,
        launch: Launch,
        answers: dict[str, Json],
        line: str | None = None,
        migrate: tuple[str, ...] = (),
        *,
        inputs: Mapping[str, Json] | None = None,
        listeners: tuple[Listener, ...] = (),
        control: RunSignals | None = None,
    ) -> Outcome:
        """Go on with answers by question id, or with a `line` that was said unasked; `inputs` are
        for parameters that are new."""
        edited = self.edited
        if edited is not None:
            if launch.compiled.spec.on_input is None and line == edited.document:
                line = None  # such a workflow meets the edits where it stands
            if edited.taken:
                event = await self._keep(engine, edited)
                for listen in listeners:
                    listen(event)
        return await launch.resume(
            engine,
            self.record.id,
            answers,
            line=line,
            migrate=migrate,
            inputs=inputs,
            listeners=listeners,
            control=control,
        )

    async def _keep(self, engine: Engine, edited: Edited) -> RunEvent:
        data = {
            "document": edited.document,
            "moves": edited.moves,
            "taken": [dataclasses.asdict(taken) for taken in edited.taken],
        }
        event = RunEvent("document_edited", self.record.id, now(), data=data)
        async with engine.hold(event.run):
            await engine.store.append_events(event.run, (event,))
        return event


async def standing_of(engine: Engine, run: str) -> Standing:
    """Return where a run stands; of one that is being executed only the record. People's edits of
    its document are taken over. Raise `RunError` when there is no such run."""
    record = await engine.store.get(run)
    if record.status == "running":
        return Standing(record)
    edited = await engine.take_edits(run, await asyncio.to_thread(Path.cwd))
    if record.status in ("success", "failed"):
        return Standing(record, (), edited, ended=await engine.outcome(record))
    state = await engine.state(run)
    return Standing(record, state.questions, edited, state.answered)


async def ask_running(store: RunStore, run: str, kind: RequestKind, resume: str) -> None:
    """Ask the process that executes a run to pause or to stop it. Raise `RunError` for a run that
    nobody executes, which the command `resume` goes on with."""
    record = await store.get(run)
    if record.status != "running":
        help = f"flowc show {run} says where it stands; {resume} goes on"
        raise RunError(f"run {run} is not running: {_in_words(record)}", help=help)
    await store.request(run, kind)


def _in_words(record: RunRecord) -> str:
    match record.status:
        case "success" | "failed":
            return f"it has ended: {record.status.upper()}"
        case "crashed":
            return "its process died"
        case "paused" if record.questions:
            return f"it waits for an answer at {record.questions[0].get('node', '')}"
        case status:
            return f"it is {status}"
