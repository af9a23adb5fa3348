"""The engine, loaded when the first run is executed: LangGraph and its packages take ten times as
long to load as all of flowc. A command that may end before that asks here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from flowc.compiler.lowering.graphspec import GraphSpec

from ..config.settings import Config
from ..services import ServicesFactory
from .host_objects import NO_OBJECTS, HostObjects
from .run_options import RunOptions

if TYPE_CHECKING:
    from ..engine.engine import Engine


@asynccontextmanager
async def open_engine(url: str) -> AsyncIterator[Engine]:
    """See `engine.open_engine`."""
    from ..engine.engine import open_engine as opening

    async with opening(url) as engine:
        yield engine


def make_services(
    options: RunOptions, spec: GraphSpec, config: Config, host: HostObjects = NO_OBJECTS
) -> ServicesFactory:
    """See `compose.make_services`."""
    from .compose import make_services as making

    return making(options, spec, config, host)
