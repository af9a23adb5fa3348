"""Calls of audio tools as they are made everywhere: by a process of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.audio.calls import check_call
from flowc.runtime.audio.child import do_call

Apply = Callable[..., dict[str, Any]]


@pytest.fixture
def apply(tmp_path: Path) -> Apply:
    """`apply("gain", input="a.wav", output="b.wav", gain_db=3)`, below the test's folder."""

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        return asyncio.run(do_call(check_call(tool, arguments), lambda path: tmp_path / path))

    return call
