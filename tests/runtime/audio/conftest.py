"""Calls of audio tools as they are made everywhere: by a process of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.subprocess_call import AudioLimits, AudioWorkers
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.modules import OwnModules

Apply = Callable[..., dict[str, Any]]


@pytest.fixture
def apply(tmp_path: Path) -> Apply:
    """`apply("gain", input="a.wav", output="b.wav", gain_db=3)`, below the test's folder."""

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        found = check_call(tool, arguments)
        return asyncio.run(workers().do_call(found, lambda path: (tmp_path / path).resolve()))

    return call


def workers(limits: AudioLimits | None = None) -> AudioWorkers:
    """As runs have them, in whatever sandbox there is."""
    return AudioWorkers(OwnModules(Confinement(Path("/"), Path("/"))), limits or AudioLimits())
