"""The audio tools as workflows call them: `audio_highpass`, below the folders of the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.catalog.builtin_tools import AUDIO_ENTRIES

from ..audio.calls.call import check_call
from ..audio.calls.subprocess_call import AudioWorkers
from ..files.roots import Roots
from ..services import Json, ToolSchema
from .entries import schemas_of


@dataclass(frozen=True, slots=True)
class AudioTools:
    """Each call is done by a process of its own; paths lead below `roots`."""

    roots: Roots
    workers: AudioWorkers = field(default_factory=AudioWorkers)
    name: str = "audio"

    async def open(self) -> tuple[ToolSchema, ...]:
        """All of them; nothing is imported for it."""
        return schemas_of(AUDIO_ENTRIES)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """What `audio.child.AudioWorkers` give. Raises `Failure`."""
        return await self.workers.do_call(check_call(tool, args), self.roots.locate)

    async def close(self) -> None:
        """Nothing is held."""
