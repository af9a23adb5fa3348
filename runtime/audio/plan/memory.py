"""What is known of files for as long as a run lasts: measurements, by the file as it was, how
many frames were written into it, and by what gain and ceiling."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flowc.compiler.catalog.audio_model import PARTS

from ..calls.call import AudioCall, Do
from .metrics import THRESHOLD

_MOST = 64
Json = dict[str, Any]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class MeasurementMemory:
    """Does calls of MEASURE; what was measured of a file that has not changed since is not measured
    again. A file is known by its device, number, size and time of change, one that was removed by
    those that it had."""

    _kept: dict[Key, Json] = field(default_factory=dict)
    _parts: dict[Key, frozenset[str]] = field(default_factory=dict)
    _gone: dict[Path, Key] = field(default_factory=dict)
    _frames: dict[Path, int] = field(default_factory=dict)
    _found: dict[Path, Json] = field(default_factory=dict)

    async def measure(self, call: AudioCall, locate: Callable[[str], Path], do: Do) -> Json:
        """Return what the call gives, and what else is known of the file. Raise `Failure`."""
        parts = call.arguments["parts"]
        wanted = frozenset(PARTS if parts is None else parts)
        key = self._key(call.arguments["input"], call.arguments["silence_dbfs"], locate)
        had = self._parts.get(key, frozenset())
        if key in self._kept and wanted <= had:
            return dict(self._kept[key])
        missing = [part for part in PARTS if part in wanted - had]
        found = await do(replace(call, arguments={**call.arguments, "parts": missing}))
        if key != self._key(call.arguments["input"], call.arguments["silence_dbfs"], locate):
            return found  # it was written meanwhile
        return self._keep(key, found, wanted)

    async def work(self, call: AudioCall, locate: Callable[[str], Path], do: Do) -> Json:
        """Return what another call gives, without what it has measured of its input on the way,
        which is remembered. Raise `Failure`."""
        path = str(call.arguments.get("input") or "")
        before = self._key(path, THRESHOLD, locate) if path else ()
        done = await do(call)
        if call.writes and "duration_s" in done:
            place = locate(call.writes[0])
            self._frames[place] = round(done["duration_s"] * done["sample_rate_hz"])
            self._found[place] = done.pop("found", {})
        heard = done.pop("heard", None)
        if heard and before == self._key(path, THRESHOLD, locate):
            self._keep(before, heard, frozenset({"loudness"}))
        return done

    def frames_of(self, place: Path) -> int | None:
        """Return how many frames the last call wrote there; None where that is not known."""
        return self._frames.get(place)

    def found_of(self, place: Path) -> Json:
        """Return what the last call that wrote there came to when it looked for a gain and a
        ceiling; {} where that is not known, or there was no search."""
        return self._found.get(place, {})

    def leave(self, place: Path) -> None:
        """Take note of a file that is about to be removed, and can be made as it is."""
        if state := _state_of(place):
            self._gone[place] = state

    def _keep(self, key: Key, found: Json, wanted: frozenset[str]) -> Json:
        before = self._kept.pop(key, {})
        notes = list(dict.fromkeys([*before.get("notes", ()), *found["notes"]]))
        self._kept[key] = {**before, **found, "notes": notes}
        # Whatever is measured of the samples, their levels are as well.
        levels = frozenset({"levels"}) if wanted else wanted
        self._parts[key] = self._parts.get(key, frozenset()) | wanted | levels
        while len(self._kept) > _MOST:
            oldest = next(iter(self._kept))
            del self._kept[oldest], self._parts[oldest]
        return dict(self._kept[key])

    def _key(self, path: str, threshold: float, locate: Callable[[str], Path]) -> Key:
        place = locate(path)
        return (path, str(place), threshold, *(_state_of(place) or self._gone.get(place, ())))


def _state_of(place: Path) -> Key:
    """Return what tells a file from what it was before; () where there is none."""
    try:
        info = os.stat(place, follow_symlinks=False)
    except OSError:
        return ()
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
