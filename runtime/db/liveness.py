"""A process that others can see living: it holds a lease under a name of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..errors import RunError
from .file_lease import Leases

LOG = logging.getLogger("flowc.service")
_RECOVERY = 1.0
"""Seconds to wait when the store is of no use."""


@asynccontextmanager
async def present(leases: Leases, name: str) -> AsyncIterator[None]:
    """Hold a lease of this name while the block lasts, whatever becomes of the store meanwhile."""
    standing = asyncio.create_task(_stand(leases, name))
    try:
        yield
    finally:
        standing.cancel()
        await asyncio.wait([standing])


async def _stand(leases: Leases, name: str) -> None:
    while True:
        try:
            async with leases.hold(name):
                await asyncio.Event().wait()
        except RunError as error:
            LOG.warning("%s: %s", name, error.message)
            await asyncio.sleep(_RECOVERY)
