"""Whether a run is recorded, replayed, or neither: what that makes of its services."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from flowc import __version__
from flowc.compiler.lowering.graphspec import GraphSpec

from ..secrets import secret_values
from ..services import Services
from .format import Header, read_cassette
from .recording import recorded
from .replaying import Player, replayed
from .writer import Recorder

Taping = Callable[[Services], Services]


def choose_tape(
    record: str | None, replay: str | None, spec: GraphSpec, env: Mapping[str, str]
) -> Taping:
    """What is done to the services of a run. A cassette to replay is read now: raises `RunError`
    when it cannot be."""
    hidden = secret_values(env)
    if replay is not None:
        cassette = read_cassette(replay)
        return lambda services: replayed(services, Player(cassette, hidden))
    if record is None:
        return lambda services: services

    def taping(services: Services) -> Services:
        header = Header(
            recorded=datetime.now(UTC).isoformat(timespec="milliseconds"),
            flowc=__version__,
            workflow=os.path.basename(spec.file),
            digest=spec.digest,
            model=services.models.label,
            run="",
            commands=services.approve,
            by_hand=services.by_hand,
            sandboxed=services.scripts.sandboxed,
        )
        return recorded(services, Recorder(record, header, hidden))

    return taping
