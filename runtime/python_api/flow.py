"""`Flow`: a workflow as a value of the program that loaded it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from flowc.compiler.diagnostics.diagnostic import Diagnostic, locate
from flowc.compiler.diagnostics.render import render_text
from flowc.compiler.driver import CompileResult
from flowc.compiler.emit import PICTURES, GraphvizEmitter

from ..assembly.host_objects import NO_OBJECTS, HostObjects
from ..assembly.inputs import RawInputs, type_inputs
from ..assembly.launch import Faulty, Launch, prepare
from ..assembly.lazy import open_engine
from ..assembly.own_options import own_options
from ..assembly.run_options import RunOptions
from ..assembly.sandbox_options import own_folder
from ..assembly.standing import Standing, ask_running, standing_of
from ..assembly.wording import python_errors
from ..config.options import Options, merge
from ..config.settings import Config, load_config
from ..engine.signals import RunSignals
from ..engine.time_limit import TimeLimit
from ..errors import RunError
from ..event_loops import in_thread, wait_for
from ..events import Listener
from ..services import Emit, Journal, Json, Outcome, Services
from ..store.default_store import prepared_store, store_url
from ..store.names import new_run_name
from .arguments import by_name, text_of, texts_of
from .choices import Choices, answers_by_id, breakpoints_of, listeners_of, options_of, require_id
from .drawing import draw, notebook_forms
from .run_list import RunQuery, filter_of, is_own, runs_of
from .run_stream import AsyncRunStream, Executing, RunStream

if TYPE_CHECKING:
    from ..checkpoints.types import Saver, Store
    from ..emitted.flow_graph import FlowGraph
    from ..emitted.graph_context import GraphContext
    from ..emitted.graph_parts import GraphParts
    from ..engine.engine import Engine
    from ..graph.history import CheckpointView
    from ..store.runs import RunRecord


@dataclass(frozen=True, eq=False)
class Flow:
    """A workflow that `flowc.load` read. `compiled` is the compiler's result; `options` hold for
    every run; `journal` is the URL of the store that keeps the runs, or None for the project's:
    `store` of flowc.toml, else `.flowc/runs.db` in the folder `project`.

    Methods come in pairs: `run` waits, `arun` is awaited. They raise `RunError` for what keeps a
    run from beginning; how a run ended is its `Outcome`."""

    compiled: CompileResult
    options: RunOptions = field(default_factory=RunOptions)
    host: HostObjects = NO_OBJECTS
    journal: str | None = None
    project: Path = Path()

    @property
    def name(self) -> str:
        """The workflow's name."""
        return self.compiled.workflow.name if self.compiled.workflow else ""

    @property
    def path(self) -> str:
        """The file that was read, or `<text>`."""
        return self.compiled.path

    @property
    def format(self) -> str:
        """The format's name, such as `steps` or `flowchart`."""
        return self.compiled.frontend.name if self.compiled.frontend else ""

    @property
    def ok(self) -> bool:
        """True for a file without errors. Only such a workflow runs."""
        return self.compiled.ok

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Every fault with its place, sorted by place."""
        return locate(self.compiled.diagnostics, self.compiled.sources)

    def report(self, *, color: bool = False) -> str:
        """Return the diagnostics as text with the lines that they are about; "" without any."""
        return render_text(self.compiled.diagnostics, self.compiled.sources, color=color)

    def draw(self, form: str = "mermaid") -> str | bytes:
        """Return a picture: mermaid, dot, svg, html or json as text, png or pdf as bytes. Raise
        `RunError` for another form, for a file without a workflow, and for svg, png and pdf where
        Graphviz is missing."""
        with python_errors():
            if not isinstance(form, str) or form not in PICTURES:
                raise RunError(f"there is no form `{form}`", help=f"one of: {', '.join(PICTURES)}")
            if self.compiled.workflow is None:
                raise Faulty(self.compiled)
            picture = PICTURES[form]
            data = draw(self.compiled, picture, None)
            is_binary = isinstance(picture, GraphvizEmitter) and picture.is_binary
            return data if is_binary else data.decode("utf-8")

    def run(
        self,
        inputs: Mapping[str, Json] | None = None,
        *,
        run: str | None = None,
        **choices: Unpack[Choices],
    ) -> Outcome:
        """Execute a new run until it ends, waits for a person, or is stopped. `inputs` are by the
        names of the parameters; `run` is the new run's id, else a name is made. Raise `RunError`:
        faults in the file, inputs that do not fit, a model, tool or server that is missing, a
        store that cannot be written."""
        return wait_for(self.arun(inputs, run=run, **choices))

    async def arun(
        self,
        inputs: Mapping[str, Json] | None = None,
        *,
        run: str | None = None,
        **choices: Unpack[Choices],
    ) -> Outcome:
        """Execute a new run: see `run`."""
        return await self._start(inputs, run, choices, RunSignals())

    def stream(
        self,
        inputs: Mapping[str, Json] | None = None,
        *,
        run: str | None = None,
        **choices: Unpack[Choices],
    ) -> RunStream:
        """Return the events of a new run, to iterate over; its `outcome` is there afterwards. For
        the rest see `run`."""
        return RunStream(self._streaming(inputs, run, choices))

    def astream(
        self,
        inputs: Mapping[str, Json] | None = None,
        *,
        run: str | None = None,
        **choices: Unpack[Choices],
    ) -> AsyncRunStream:
        """Return the events of a new run for `async for`: see `stream`."""
        return AsyncRunStream(self._streaming(inputs, run, choices))

    def resume(
        self,
        run: str,
        answers: Json = None,
        *,
        line: str | None = None,
        migrate: tuple[str, ...] = (),
        **choices: Unpack[Choices],
    ) -> Outcome:
        """Go on with a run from its last checkpoint, with the options it was started with.

        `answers` is the answer to the only question that waits, or a mapping by questions: their
        nodes (`CALL/NODE` in a called workflow) or ids. `line` says something that was not asked.
        `migrate` (`OLD=NEW`) says what became of a node or variable that the changed workflow
        lacks. Raise `RunError` as `run` does, and when there is no such run, when it has ended, is
        being executed elsewhere or was started in another folder."""
        return wait_for(self.aresume(run, answers, line=line, migrate=migrate, **choices))

    async def aresume(
        self,
        run: str,
        answers: Json = None,
        *,
        line: str | None = None,
        migrate: tuple[str, ...] = (),
        **choices: Unpack[Choices],
    ) -> Outcome:
        """Go on with a run: see `resume`."""
        with python_errors():
            listeners = listeners_of(choices)
            line = text_of("line", line, "a text")
            migrate = texts_of("migrate", migrate, "texts, OLD=NEW")
            async with self._open(run) as engine:
                standing = await standing_of(engine, run)
                launch = await in_thread(partial(self._relaunch, standing, choices))
                line = line or standing.line(answered=answers is not None)
                # Of a run that has ended the engine says that, and not what it does not ask.
                asked = standing.questions
                by_id = {} if standing.ended else answers_by_id(answers, asked)

                async def go_on(signals: RunSignals) -> Outcome:
                    return await standing.resume(
                        engine, launch, by_id, line, migrate, listeners=listeners, control=signals
                    )

                limit = TimeLimit(launch.options.timeout)
                return await limit.execute(go_on, RunSignals(), run)

    def runs(self, **query: Unpack[RunQuery]) -> list[RunRecord]:
        """Return the runs of this workflow, the one that changed last first. `status` is one or
        several, `since` and `before` an age (`"2h"`, `"3d"`) or a date, `limit` how many at most.
        Raise `RunError` for a status or a time that is none of these."""
        return wait_for(self.aruns(**query))

    async def aruns(self, **query: Unpack[RunQuery]) -> list[RunRecord]:
        """Return the runs of this workflow: see `runs`."""
        with python_errors():
            wanted = filter_of(query, self.name)
            async with self._open() as engine:
                return await runs_of(engine.store, wanted, query.get("limit"), self.path, self.name)

    def history(self, run: str) -> list[CheckpointView]:
        """Return the checkpoints of a run between nodes, oldest first."""
        return wait_for(self.ahistory(run))

    async def ahistory(self, run: str) -> list[CheckpointView]:
        """Return the checkpoints of a run: see `history`."""
        async with self._open(run) as engine:
            return await engine.history(run)

    def pause(self, run: str) -> None:
        """Ask the process that executes a run to pause it before the next node. Raise `RunError`
        for a run that nobody executes."""
        wait_for(self.apause(run))

    async def apause(self, run: str) -> None:
        """Ask for a pause: see `pause`."""
        async with self._open(run) as engine:
            await ask_running(engine.store, run, "pause", f"flowc resume {run}")

    def fork(
        self,
        run: str,
        at: str,
        values: Mapping[str, Json] | None = None,
        *,
        new_run: str | None = None,
    ) -> str:
        """Return the id of a new run that begins at a checkpoint of another, or just before a
        node, with other `values` for some variables; `resume` executes it."""
        return wait_for(self.afork(run, at, values, new_run=new_run))

    async def afork(
        self,
        run: str,
        at: str,
        values: Mapping[str, Json] | None = None,
        *,
        new_run: str | None = None,
    ) -> str:
        """Return the id of a new run: see `fork`."""
        name = new_run or new_run_name()
        async with self._open(run) as engine:
            require_id(name)
            changes = by_name("values", values, "variables to values")
            place = str(text_of("at", at, "a node or the id of a checkpoint"))
            return (await engine.fork(run, place, changes, name)).id

    def graph(self, checkpointer: Saver | None = None, store: Store | None = None) -> FlowGraph:
        """Return the workflow as a graph of LangGraph's, to invoke, stream or make a node of
        another graph. Each execution has services of its own: limits hold as in `run`. Inputs are
        checked; another input on a thread begins another turn. Where the checkpointer outlives the
        process, the effects of threads are kept in the store of runs, so that none is repeated
        unasked. Raise `Faulty` for a workflow with errors."""
        with python_errors():
            return self.parts.compile(self.parts.whole_graph(), checkpointer, store)

    @cached_property
    def parts(self) -> GraphParts:
        """The parts of the workflow's graph by node, which a module of `flowc compile` puts
        together. Raise `Faulty` for a workflow with errors."""
        from ..emitted.door import Door
        from ..emitted.graph_parts import GraphParts
        from ..emitted.places import view_from

        with python_errors():
            if not self.ok:
                raise Faulty(self.compiled)
            usual = partial(prepared_store, self.journal, None, self.project)
            makers = (self._services, self._kept_options, usual)
            spec = view_from(self.project, self.compiled.spec)
            return GraphParts(Door(spec, *makers, self.journal))

    def _services(self, journal: Journal, emit: Emit, context: GraphContext) -> Services:
        from ..emitted.graph_context import services_in

        options = replace(self.options, own=own_folder(new_run_name()))
        config, spec = load_config(self.project), self.compiled.spec
        with python_errors():
            return services_in(context, spec, options, config, self.host)(journal, emit)

    def _kept_options(self) -> dict[str, Json]:
        return self._settle().kept_options()

    def _settle(self) -> Launch:
        options = replace(self.options, own=own_folder(new_run_name()))
        return prepare(self.compiled, options, load_config(self.project), self.host)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Return what a notebook shows: the picture and the diagnostics."""
        report = self.report()
        return {"text/plain": f"{self!r}\n{report}", **notebook_forms(self.compiled, report)}

    def __repr__(self) -> str:
        faults = len(self.compiled.diagnostics)
        return (
            f"<Flow {self.name or self.path!r}, {self.format or 'not read'}, {faults} diagnostics>"
        )

    def _streaming(
        self, inputs: Mapping[str, Json] | None, run: str | None, choices: Choices
    ) -> Executing:
        async def executing(listen: Listener, signals: RunSignals) -> Outcome:
            return await self._start(inputs, run, choices, signals, (listen,))

        return executing

    async def _start(
        self,
        inputs: Mapping[str, Json] | None,
        run: str | None,
        choices: Choices,
        signals: RunSignals,
        listeners: tuple[Listener, ...] = (),
    ) -> Outcome:
        with python_errors():
            name = run or new_run_name()
            require_id(name)
            launch, values, store = await in_thread(partial(self._prepare, name, inputs, choices))
            listeners = (*listeners, *listeners_of(choices))
            async with open_engine(store) as engine:

                async def begin(signals: RunSignals) -> Outcome:
                    return await launch.start(
                        engine, name, values, listeners=listeners, control=signals
                    )

                return await TimeLimit(launch.options.timeout).execute(begin, signals, name)

    @asynccontextmanager
    async def _open(self, run: object = "") -> AsyncIterator[Engine]:
        """Open the store. Raise `RunError` for a `run` that is not the id of one."""
        with python_errors():
            require_id(run)
            async with open_engine(await in_thread(self._store)) as engine:
                yield engine

    def _prepare(
        self, run: str, inputs: Mapping[str, Json] | None, choices: Choices
    ) -> tuple[Launch, dict[str, Json], str]:
        """Return the launch of a new run, its inputs and its store. This asks the disk."""
        given = by_name("inputs", inputs, "the names of parameters to values")
        config = load_config(self.project)
        launch = self._launch(config, choices, RunOptions(own=own_folder(run)))
        workflow = launch.compiled.workflow
        assert workflow is not None
        values = type_inputs(RawInputs(given), workflow, self.compiled.sources)
        return launch, values, prepared_store(self.journal, config, self.project)

    def _relaunch(self, standing: Standing, choices: Choices) -> Launch:
        """Return the launch of a run that stands somewhere. This asks the disk. Raise `RunError`
        for one that is not of this file and folder."""
        self._require_own(standing)
        config, spec = load_config(self.project), self.compiled.spec if self.ok else None
        said = Options(**merge(options_of(choices), self.options))
        kept = own_options(standing.record, said, config, Path.cwd(), spec, self.host)
        return self._launch(config, choices, kept)

    def _launch(self, config: Config, choices: Choices, kept: RunOptions) -> Launch:
        """Return the launch of one execution: what is said now goes before what was `kept`."""
        options = replace(self.options, **merge(options_of(choices), self.options))
        if options.replay:
            options = replace(options, model=None, answers=None)
        options = replace(kept, **merge(options, kept, append=True))
        nodes = breakpoints_of(choices)
        return prepare(self.compiled, options, config, self.host, breakpoints=nodes)

    def _store(self) -> str:
        return store_url(self.journal, None, self.project)

    def _require_own(self, standing: Standing) -> None:
        """Raise `RunError` for a run of another file, or one that was started elsewhere."""
        record = standing.record
        folder = record.options.get("folder")
        if folder and folder != os.getcwd():
            raise RunError(
                f"run {record.id} was started in {folder}, from where its paths count",
                help="change to that folder first: os.chdir",
            )
        if not is_own(record, os.path.abspath(self.path), self.name):
            raise RunError(f"run {record.id} is of {record.file}", help="load that file")
