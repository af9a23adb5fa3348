"""What executes a run that is tortured: flowc, or LangGraph with a saver of its own and no journal,
to compare with."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..assembly.launch import Launch
from ..checkpoints.keys import strict_config, surrounded_by, visit_of
from ..engine.engine import ENDED, open_engine
from ..errors import Failure, LimitReached, RunError
from ..graph.build import compile_graph
from ..journal.before import NoJournal
from ..nodes.visit.visit import Surroundings
from ..people import Question
from ..services import Json, Outcome, ToolSchema
from ..state.channels import outcome_in, variable_values
from ..state.initial import initial_state
from ..state.interrupts import questions_in
from .ledger import VARIABLE, EffectLedger
from .world import Scene, set_scene

OUTCOME = "outcome.json"
HostName = Literal["flowc", "langgraph"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Where one run lives and dies: a folder with its ledger, a store, a name."""

    folder: Path
    store: str
    run: str

    @property
    def ledger(self) -> EffectLedger:
        return EffectLedger(self.folder / "ledger")

    @property
    def errors(self) -> str:
        """The end of what the last process said."""
        text = (self.folder / "err").read_text(encoding="utf-8", errors="replace")
        return text[-600:].strip()


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How an execution ended, as the process that looks on reads it."""

    status: str
    result: Json = None
    error: str = ""
    questions: tuple[Question, ...] = ()

    @property
    def same(self) -> tuple[str, Json]:
        """What has to be the same however often the run died."""
        return self.status, self.result


@dataclass(frozen=True, slots=True)
class Victim:
    """A workflow with what it is given and who answers: whatever is executed is this."""

    launch: Launch
    inputs: Mapping[str, Json] = field(default_factory=dict)
    scene: Scene = field(default_factory=Scene)


@dataclass(frozen=True, slots=True)
class NumbersAlone(NoJournal):
    """Keeps no effect, only what a visit notes, in a file: a recording numbers its exchanges so."""

    path: Path

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        line = json.dumps([*visit_of(runtime), name, ordinal, value])
        with self.path.open("a", encoding="utf-8") as notes:
            notes.write(f"{line}\n")

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        rows = [json.loads(line) for line in text.splitlines()]
        return {row[3]: row[4] for row in rows if row[:3] == [*visit_of(runtime), name]}


class TortureHost(Protocol):
    """Begins a run, or goes on with it, in this process."""

    async def __call__(self, victim: Victim, cell: Cell, answers: dict[str, Json]) -> Outcome: ...


def body(
    host: TortureHost, victim: Victim, cell: Cell, answers: dict[str, Json]
) -> Callable[[], int]:
    """Return what a child does: one execution, whose outcome it leaves in the cell."""

    def execute() -> int:
        os.environ[VARIABLE] = str(cell.ledger.path)
        try:
            outcome = asyncio.run(host(victim, cell, answers))
        except RunError as error:
            about = {"message": error.message, "help": error.help, "fatal": "yes"}
            outcome = Outcome(cell.run, "error", error=about)
        tools = {n: tool and asdict(tool) for n, tool in victim.scene.schemas.items()}
        part = cell.folder / f"{OUTCOME}.part"
        part.write_text(json.dumps({**asdict(outcome), "tools": tools}), encoding="utf-8")
        part.replace(cell.folder / OUTCOME)
        return 0

    return execute


def read_ending(cell: Cell, scene: Scene) -> RunEnding:
    """Return what the child left, and keep what it learnt of tools. Raise `RunError` when that was
    not an outcome of the run."""
    fields: dict[str, Any] = json.loads((cell.folder / OUTCOME).read_text(encoding="utf-8"))
    for name, tool in fields["tools"].items():
        scene.schemas.setdefault(name, tool and ToolSchema(**tool))
    error = fields["error"] or {}
    if error.get("fatal"):
        raise RunError(error["message"], help=error.get("help", ""))
    questions = tuple(Question(**each) for each in fields["questions"])
    return RunEnding(fields["status"], fields["result"], error.get("message", ""), questions)


async def run_flowc(victim: Victim, cell: Cell, answers: dict[str, Json]) -> Outcome:
    """Execute by flowc's engine, as `flowc run` and `flowc resume` do."""
    launch = replace(
        victim.launch, services=set_scene(victim.launch.services, victim.scene, cell.ledger)
    )
    async with open_engine(cell.store) as engine:
        if cell.run not in await engine.store.ids():
            return await launch.start(engine, cell.run, dict(victim.inputs))
        record = await engine.store.get(cell.run)
        # A run that ended with a failure is not begun again: a person would, who has read of it.
        told = record.status in ENDED or (
            record.status == "error" and "kind" in (record.error or {})
        )
        if told and (ending := await engine.outcome(record)) is not None:
            return ending if record.status in ENDED else replace(ending, status="error")
        return await launch.resume(engine, cell.run, answers)


async def run_langgraph(victim: Victim, cell: Cell, answers: dict[str, Json]) -> Outcome:
    """Execute the same graph as a program of LangGraph's would: its SQLite saver keeps the state
    after each step, and nothing keeps effects."""
    spec = victim.launch.compiled.spec
    make = set_scene(victim.launch.services, victim.scene, cell.ledger)
    services = make(NumbersAlone(cell.folder / "notes"), lambda kind, node, data: None)
    config = surrounded_by(strict_config(cell.run), Surroundings(services, cell.run))
    saver_type = import_module("langgraph.checkpoint.sqlite.aio").AsyncSqliteSaver
    async with saver_type.from_conn_string(str(cell.folder / "langgraph.db")) as saver:
        app = compile_graph(spec, saver)
        state = await app.aget_state(config)
        given: dict[str, Json] | Command[Json] | None
        given = initial_state(spec, victim.inputs, services.env)
        if state.values or state.next:
            given = Command(resume=answers) if answers else None
        await services.tools.open()
        error: dict[str, str] | None = None
        try:
            await app.ainvoke(given, config, durability="sync")
        except (Failure, LimitReached) as failure:
            error = {"message": str(failure)}
        finally:
            await services.scripts.close()
            await services.tools.close()
        state = await app.aget_state(config)
    if state.interrupts:
        questions = tuple(questions_in(state, spec).values())
        return Outcome(cell.run, "paused", questions=questions)
    if error is not None:
        return Outcome(cell.run, "error", error=error)
    values = variable_values(spec, state.values)
    result = values.get(spec.outputs[0]) if spec.outputs else None
    if outcome_in(spec, state.values) != "success":
        return Outcome(cell.run, "failed", result)
    return Outcome(cell.run, "success", result)


HOSTS: dict[HostName, TortureHost] = {"flowc": run_flowc, "langgraph": run_langgraph}
