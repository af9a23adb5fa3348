"""A call with its files: what a tool reads, and what it says of what it wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import Failure
from ..blocks import Frames
from ..calls.call import AudioCall
from ..calls.files import Sound, WrittenFile, open_sound, write_sound
from ..meters.loudness import decibels
from .stages import Stage, through

Result = dict[str, Any]
_MOST_AT_ONCE = 120_000_000
"""Samples of a file that a tool takes which does not stream: 10 minutes of stereo at 96 kHz."""


class Chain(NamedTuple):
    """The work of a tool that keeps the rate and the channels: stages between the input and the
    output, and what else the result says."""

    stages: Sequence[Stage]
    remarks: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Job:
    """A call, and where its files are by the path that the call names; of what it reads also what
    is known of the file."""

    call: AudioCall
    reads: Mapping[str, str]
    writes: Mapping[str, str]
    known: Mapping[str, Sequence[int]]

    @property
    def values(self) -> Mapping[str, Any]:
        """Return the arguments."""
        return self.call.arguments

    @property
    def input(self) -> Sound:
        """Return the input of a tool that has one. Raise `Failure` as `sound` does."""
        return self.sound(self.values["input"])

    def sound(self, path: str) -> Sound:
        """Open an input. Raise `Failure` when it cannot be read, or is more than the tool takes."""
        known = tuple(self.known.get(path, ()))
        sound, tool = open_sound(path, self.reads[path], known), self.call.tool
        name = tool.name.upper()
        if sound.channels > tool.most_channels:
            takes = f"{name} takes at most {tool.most_channels}"
            raise Failure(f"`{path}` has {sound.channels} channels: {takes}")
        if sound.seconds > tool.most_minutes * 60:
            takes = f"{name} takes at most {tool.most_minutes} minutes"
            help = "cut it with CLIP or SPLIT first"
            raise Failure(f"`{path}` is {sound.seconds / 60:.1f} minutes long: {takes}", help=help)
        if not tool.streams and sound.frames * sound.channels > _MOST_AT_ONCE:
            takes = f"{name} takes at most {_MOST_AT_ONCE:,} at once"
            count = f"{sound.frames * sound.channels:,}"
            raise Failure(f"`{path}` holds {count} samples: {takes}", help="split it first")
        return sound

    def run(self, chain: Chain) -> Result:
        """Write the output: the input behind the stages."""
        sound = self.input
        return {**self.write(sound, through(sound.blocks(), chain.stages)), **chain.remarks}

    def write(self, like: Sound, blocks: Iterator[Frames], **other: Any) -> Result:
        """Write the output, with the rate and the channels of `like` unless `other` has them."""
        shape = {"rate": like.rate, "channels": like.channels, **other}
        return self.make(self.values["output"], blocks=blocks, **shape)

    def make(
        self, path: str, rate: int, channels: int, blocks: Iterator[Frames], subtype: str = ""
    ) -> Result:
        """Write an output with this rate and these channels."""
        place = self.writes[path]
        done = write_sound(path, place, rate, channels, blocks, subtype)
        return _result_of(done)


def _result_of(done: WrittenFile) -> Result:
    result: Result = {
        "output": done.path,
        "duration_s": done.frames / done.rate,
        "sample_rate_hz": done.rate,
        "channels": done.channels,
        "format": done.format,
        "subtype": done.subtype,
        "sample_peak_dbfs": decibels(done.peak),
        "notes": [],
    }
    if done.clipped:
        result["notes"].append(f"{done.clipped} samples lie above full scale: they are cut there")
    elif done.peak > 1.0:
        result["notes"].append("peaks lie above full scale; this format keeps them")
    return result
