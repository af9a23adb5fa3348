"""The services of a run that is recorded, replayed, or neither."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from flowc import __version__
from flowc.compiler.lowering.graphspec import GraphSpec

from ..secrets import secret_values
from ..services import Services
from .format import Header, read_cassette
from .recording import record_services
from .replaying import replay_services
from .writer import CassetteWriter

Taping = Callable[[Services], Services]


def choose_tape(
    record: str | None, replay: str | None, spec: GraphSpec, env: Mapping[str, str]
) -> Taping:
    """Return the function that tapes the services of a run. Raise `RunError` when the cassette to
    replay cannot be read."""
    hidden = secret_values(env)
    if replay is not None:
        cassette = read_cassette(replay)
        return lambda services: replay_services(services, cassette, hidden)
    if record is None:
        return lambda services: services

    def tape(services: Services) -> Services:
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
        return record_services(services, CassetteWriter(record, header, hidden))

    return tape
