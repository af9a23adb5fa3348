"""The engine, loaded when the first run is executed: LangGraph and its packages take ten times as
long to load as all of flowc. A command that may end before that asks here."""

from __future__ import annotations

import atexit
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flowc.compiler.catalog.builtin_tools import SOUND_TOOLS
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.gc_pause import collector_at_rest
from flowc.compiler.source.left_out import left_out

from ..audio.calls.subprocess_call import WORKER, AudioLimits, WorkerJob
from ..config.options import default
from ..config.settings import Config
from ..errors import Failure, RunError
from ..sandbox.confine import probe
from ..sandbox.confinement import Confinement
from ..sandbox.policy import decide
from ..services import ServicesFactory
from .host_objects import NO_OBJECTS, HostObjects
from .needs import needed_tools
from .run_options import RunOptions

if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..sandbox.staying import StayingProcess


_UNUSED = "httpx._main"
"""httpx's own command line, which brings rich and pygments: a tenth of the start, and 4 MB."""


@asynccontextmanager
async def open_engine(url: str) -> AsyncIterator[Engine]:
    """See `engine.open_engine`."""
    with collector_at_rest(), left_out(_UNUSED):
        from ..engine.engine import open_engine as opening

    async with opening(url) as engine:
        yield engine


def make_services(
    options: RunOptions, spec: GraphSpec, config: Config, host: HostObjects = NO_OBJECTS
) -> ServicesFactory:
    """See `compose.make_services`."""
    waiting = _begin_sound(options, spec)
    with collector_at_rest(), left_out(_UNUSED):
        from .compose import make_services as making

    return making(options, spec, config, host, waiting=waiting)


def _begin_sound(options: RunOptions, spec: GraphSpec) -> list[StayingProcess]:
    """Start the process that does the calls of a sound, where there will be some: it loads what it
    needs while LangGraph is loaded here. Its first call reports an error of the start."""
    mode = options.sandbox or default("sandbox")
    tools = needed_tools(spec, by_hand=False)
    if mode == "off" or options.replay or SOUND_TOOLS.isdisjoint(tools):
        return []
    from ..sandbox.modules import OwnModules

    here, limits = Path.cwd(), AudioLimits()
    job = WorkerJob(WORKER, b"", limits.args, (), (), limits.seconds)
    try:
        decide(mode, probe("snippet"))
        waiting = [OwnModules(Confinement(here, here, mode=mode)).start(job)]
    except (RunError, Failure):
        return []
    atexit.register(_close, waiting)
    return waiting


def _close(waiting: list[StayingProcess]) -> None:
    """End a process that no run took."""
    while waiting:
        waiting.pop().close()
