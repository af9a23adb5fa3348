"""The record of a thread that lies in a store of flowc's: `flowc runs`, `show` and `resume` know it
as any other run."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import dump_spec
from langgraph.errors import GraphDrained, GraphRecursionError

from ..charges import Usage
from ..checkpoints.builder import whole_state
from ..checkpoints.keys import thread_config
from ..checkpoints.types import App
from ..engine.engine import Engine
from ..errors import Failure, LimitReached, RunError, describe_exception
from ..services import Json
from ..state.channels import outcome_in, variable_values
from ..state.interrupts import breakpoint_of, questions_in
from ..state.thread_turns import ThreadTurn
from ..store.listing import RunStatus
from ..store.runs import RunRecord


@dataclass(slots=True)
class ThreadRecord:
    """The record of a thread that is held. `about` gives the options that a resume needs."""

    engine: Engine
    spec: GraphSpec
    thread: str
    about: Callable[[], Mapping[str, Json]]
    record: RunRecord | None = None

    async def read(self) -> None:
        """Read what is kept. Raise `RunError` for a run of another workflow."""
        store = self.engine.store
        if not await store.has(self.thread):
            return
        self.record = await store.get(self.thread)
        if self.record.name != self.spec.name:
            raise RunError(
                f"thread {self.thread} is a run of {self.record.file}",
                help="choose another thread for this workflow",
            )

    @property
    def began(self) -> float | None:
        """When the run began, in seconds since 1970; None where nothing is kept."""
        if self.record is None or not self.record.started:
            return None
        return datetime.fromisoformat(self.record.started).timestamp()

    @property
    def renewals(self) -> list[tuple[str, str, int | None]]:
        """The limit that stopped the run, by scope and name, and what it counts from."""
        error = (self.record and self.record.error) or {}
        if not error.get("scope"):
            return []
        used = error.get("used")
        return [
            (str(error["scope"]), str(error["limit"]), None if used is None else int(str(used)))
        ]

    async def begin(self, turn: ThreadTurn, inputs: Mapping[str, Json] | None) -> None:
        """Keep that the thread is executed: a turn with `inputs`, or the one that there is. Raise
        `RunError` for one whose workflow has changed where it stands."""
        store = self.engine.store
        if self.record is not None and inputs is None:
            self.record, _ = await self.engine.bring_up_to_date(self.record, self.spec, ())
            running = replace(self.record, status="running", error=None, questions=[])
        else:
            options = dict(await asyncio.to_thread(self.about))
            began = datetime.fromtimestamp(turn.began, UTC) if turn.began else datetime.now(UTC)
            running = RunRecord(
                id=self.thread,
                name=self.spec.name,
                file=self.spec.file,
                format=str(options.get("format", "")),
                digest=self.spec.digest,
                started=began.isoformat(timespec="milliseconds"),
                options=options,
                inputs=dict(inputs or {}),
                spec=dump_spec(self.spec),
            )
        self.record = await store.update(replace(running, pid=os.getpid()))

    async def end(self, app: App, usage: Usage, error: BaseException | None) -> None:
        """Keep how the execution ended; the store itself may be what failed."""
        if self.record is None:
            return
        with contextlib.suppress(RunError):
            snapshot = await whole_state(app, thread_config(self.thread))
            values = snapshot.values or {}
            questions = list(questions_in(snapshot, self.spec).values())
            questions = questions or [breakpoint_of(node, self.spec) for node in snapshot.next]
            status, about = _status_of(error)
            if error is None and questions:
                status = "paused"
            elif error is None and outcome_in(self.spec, values) != "success":
                status = "failed"
            outputs = self.spec.outputs
            ended = replace(
                self.record,
                status=status,
                error=about,
                questions=[asdict(question) for question in questions if status == "paused"],
                result=variable_values(self.spec, values).get(outputs[0]) if outputs else None,
                usage=asdict(usage),
                pid=None,
            )
            self.record = await self.engine.store.update(ended)


def _status_of(error: BaseException | None) -> tuple[RunStatus, dict[str, Any] | None]:
    """Return the status of an execution that an exception ended, and what the record says of it."""
    match error:
        case None:
            return "success", None
        case LimitReached():
            # The limit counts anew already: see `Door`.
            return "stopped", {k: v for k, v in error.as_value().items() if k != "scope"}
        case GraphRecursionError():
            return "stopped", {"message": "too many steps", "kind": "limit", "limit": "steps"}
        case Failure():
            return "error", {**error.as_value(), "help": error.help}
        case GraphDrained() | asyncio.CancelledError() | GeneratorExit():
            return "interrupted", None
        case RunError():
            return "error", {"message": error.message}
        case _:
            return "error", {"message": describe_exception(error)}
