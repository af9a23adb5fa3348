"""A workflow about to be executed: compiled, its options settled, its services chosen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flowc.compiler.diagnostics.diagnostic import locate
from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult

from ..config.options import default
from ..config.settings import Config
from ..engine.signals import RunSignals
from ..errors import RunError
from ..events import Listener
from ..services import Json, Outcome, ServicesFactory
from .admission import admit
from .host_objects import NO_OBJECTS, HostObjects
from .lazy import make_services
from .run_options import RunOptions, settle

if TYPE_CHECKING:
    from ..engine.engine import Engine


class Faulty(RunError):
    """A workflow with errors; `diagnostics` are those of `flowc check --format json`."""

    def __init__(self, compiled: CompileResult) -> None:
        errors = [d for d in compiled.diagnostics if d.severity == "error"]
        count = f"{len(errors)} error{'s' * (len(errors) != 1)}"
        first = "it holds no workflow"
        for error in locate(errors[:1], compiled.sources):
            place = f"{error.primary.file}:{error.at.line}:{error.at.column}: " if error.at else ""
            first = place + error.message
        help = errors[0].help if errors else ""
        super().__init__(f"{compiled.path} has {count}: {first}", help=help or "correct the file")
        self.diagnostics = [as_dict(d, compiled.sources) for d in compiled.diagnostics]


@dataclass(frozen=True, slots=True)
class Launch:
    """`options` are settled, as the run's record keeps them; `about` is kept beside them."""

    compiled: CompileResult
    services: ServicesFactory
    options: RunOptions
    breakpoints: tuple[str, ...] = ()
    about: Mapping[str, Json] = field(default_factory=dict)

    def kept_options(self) -> dict[str, Json]:
        """Return the options for the run's record, with the folder that paths count from."""
        frontend = self.compiled.frontend
        about = {**self.about, "format": frontend.name if frontend else ""}
        return kept_options(self.options, about)

    async def start(
        self,
        engine: Engine,
        run: str,
        inputs: dict[str, Json],
        *,
        listeners: tuple[Listener, ...] = (),
        control: RunSignals | None = None,
    ) -> Outcome:
        """Execute a new run: see `Engine.start`."""
        return await engine.start(
            self.compiled.spec,
            self.services,
            run=run,
            inputs=inputs,
            options=await asyncio.to_thread(self.kept_options),
            listeners=listeners,
            breakpoints=self.breakpoints,
            control=control,
        )

    async def resume(
        self,
        engine: Engine,
        run: str,
        answers: dict[str, Json],
        *,
        line: str | None = None,
        migrate: tuple[str, ...] = (),
        inputs: Mapping[str, Json] | None = None,
        listeners: tuple[Listener, ...] = (),
        control: RunSignals | None = None,
    ) -> Outcome:
        """Go on with a run: see `Engine.resume`."""
        return await engine.resume(
            run,
            self.compiled.spec,
            self.services,
            answers=answers,
            line=line,
            listeners=listeners,
            breakpoints=self.breakpoints,
            control=control,
            on_unknown=self.options.on_unknown,
            usually=self.options.usually or default("on_unknown"),
            migrate=migrate,
            inputs=inputs,
        )


def kept_options(options: RunOptions, about: Mapping[str, Json]) -> dict[str, Json]:
    """Return settled options as the record of a run keeps them, with the folder that paths count
    from."""
    return {**options.to_json(), **about, "folder": os.getcwd()}


def prepare(
    compiled: CompileResult,
    options: RunOptions,
    config: Config,
    host: HostObjects = NO_OBJECTS,
    *,
    breakpoints: tuple[str, ...] = (),
    about: Mapping[str, Json] | None = None,
) -> Launch:
    """Return the launch of a workflow. Raise `Faulty` when it has errors, and `RunError` for
    whatever is missing before anything runs: see `compose.make_services`."""
    if not compiled.ok:
        raise Faulty(compiled)
    config = admit(options, compiled.spec, config, host)
    options = settle(options, config, compiled.spec.model)
    services = make_services(options, compiled.spec, config, host)
    return Launch(compiled, services, options, breakpoints, about or {})
