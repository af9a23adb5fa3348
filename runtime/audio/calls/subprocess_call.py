"""Has a call done by a worker: places of files, a confined process, outputs that appear whole.

An output is written beside its place and moved there when everything is done; a call that fails,
is cancelled or killed leaves what was there before. The next call that writes into the folder
removes the file that a kill leaves beside it.
"""

from __future__ import annotations

import json
import os
import signal
import stat
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from flowc.compiler.source.door import open_folder

from ...errors import Failure
from ...files.staging import file_beside, put_in_place
from ...state.frames import BadFrame, fields_of, read_object
from .call import AudioCall, Unwritable
from .containers import coders_for
from .originals import STAYS, check_writable, check_written_parts, is_same_file

WORKER, PICTURES = "flowc.runtime.audio.tools.worker", "flowc.runtime.audio.plan.plots"
"""Modules whose `main` is what a process does."""
LONGEST = 16 * 1024 * 1024
"""Bytes of an answer at most."""
_STDERR_KEPT = 2000
_ANSWER = {"failure": (dict, NoneType), "result": (dict, NoneType)}
_FAILURE: dict[str, type | tuple[type, ...]] = {
    "message": str,
    "help": str,
    "unwritable": (bool, NoneType),
}
"""The fields of an answer, and of a failure in it, with their types."""


@dataclass(frozen=True, slots=True)
class WorkerExit:
    """The end of a process: its exit code (negative: a signal), and the ends of its output and of
    its errors, each a little more than `LONGEST` bytes at most."""

    code: int
    output: bytes
    complaint: bytes


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """The work of a process: the function `main` of a module of flowc's, which gets `args` in
    sys.argv and `question` on standard input, reads the files `reads` and writes into the existing
    files `writes`, for `seconds` at most. It may start `programs`, whose folders PATH has. `leaves`
    are the places that what it writes gets at last: with them the process may stay for jobs that
    read nothing but what it has read and left."""

    module: str
    question: bytes
    args: Sequence[str]
    reads: Sequence[Path]
    writes: Sequence[Path]
    seconds: float
    programs: Sequence[Path] = ()
    leaves: Sequence[Path] | None = None


Process = Callable[[WorkerJob], Awaitable[WorkerExit]]
"""Does a job in a confined process of its own. Raises `TimeoutError` when its time is over,
`Failure` when it cannot be started."""


@runtime_checkable
class LastingProcess(Protocol):
    """A `Process` of which something stays until it is closed."""

    async def __call__(self, job: WorkerJob) -> WorkerExit:
        """See `Process`."""

    async def close(self) -> None:
        """End what stays."""


class Unwritten(NamedTuple):
    """A call that was done and whose file is gone: what reads it has it made on the way, and needs
    the files that the call read. `frames` is how many it wrote, where that is known, and `found`
    what it came to when it looked for a gain and a ceiling."""

    call: AudioCall
    frames: int | None = None
    found: Mapping[str, float | None] = MappingProxyType({})

    def to_json(self) -> dict[str, object]:
        """Return it as the process gets it."""
        tool, arguments = self.call.tool.name, dict(self.call.arguments)
        made = {"frames": self.frames, "found": dict(self.found)}
        return {"tool": tool, "arguments": arguments, **made}


@dataclass(frozen=True, slots=True)
class AudioLimits:
    """The limits of one call: seconds by the clock and of the processor, bytes of address space."""

    seconds: float = 600.0
    cpu: int = 1200
    memory: int = 6 * 1024**3

    @property
    def args(self) -> tuple[str, str]:
        """Return the settings that a worker gets."""
        return str(self.memory), str(self.cpu)


async def _no_process(job: WorkerJob) -> WorkerExit:
    raise Failure("audio tools cannot be called from here")


def _real_place(path: str) -> Path:
    """Return where a path leads, links resolved. Raise `Failure` for one that leads nowhere."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError):
        text = f"`{path}` leads round in a circle of links"
        raise Failure(text, help="name the file that is meant") from None


def _check_names(paths: Iterable[str]) -> None:
    """Raise `Failure` for a name that is not UTF-8, as no sandbox and no document can hold it."""
    for path in paths:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        if shown != path:
            raise Failure(f"the name `{shown}` is not UTF-8", help="rename the file: `mv`")


@dataclass(frozen=True, slots=True)
class AudioWorkers:
    """Starts a worker for each call, or has one stay for the next."""

    process: Process = _no_process
    limits: AudioLimits = field(default_factory=AudioLimits)

    async def do_call(
        self,
        call: AudioCall,
        locate: Callable[[str], Path] = _real_place,
        source: str = "",
        working: bool = False,
        stays: bool = False,
        unwritten: Sequence[Unwritten] = (),
        wanted: Sequence[str] = (),
        mine: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return what the tool says of its work. `locate` says where a path leads, links resolved,
        and may refuse it: none is followed any more. Raise `Failure`: the tool's own, a place that
        cannot be written, a limit (kind timeout), a sandbox that does not hold (kind refused).
        `source` is the sound whose tags and word length the output is to have, in place of the
        call's input; with `working` it is read by a later step, and loses nothing. With `stays` the
        process may do the next call of the same sound, until `close`. `unwritten` are calls whose
        outputs are read without being there, in their order. `wanted` are measures of the effect
        that the next call will ask for: what can be, is found on the way. `mine` are further parts
        that may be written over."""
        made = {one.call.writes[0] for one in unwritten}
        calls = (*(one.call for one in unwritten), call)
        paths = dict.fromkeys(path for each in calls for path in each.reads if path not in made)
        paths |= dict.fromkeys([source] if source else [])
        _check_names((*paths, *call.writes))
        reads = {path: str(locate(path)) for path in paths}
        writes = {path: locate(path) for path in call.writes}
        _check_places(reads, writes)
        with _scratch(writes) as scratch:
            question = {
                "tool": call.tool.name,
                "arguments": dict(call.arguments),
                "reads": reads,
                "known": {path: _identity(path, Path(place)) for path, place in reads.items()},
                "writes": {path: str(place) for path, place in scratch.items()},
                "source": source,
                "working": working,
                "unwritten": [one.to_json() for one in unwritten],
                "wanted": list(wanted),
            }
            files = [Path(place) for place in reads.values()]
            programs = coders_for((*reads, *writes))
            leaves = tuple(writes.values()) if stays and not programs else None
            places = tuple(scratch.values())
            result = await self.ask(WORKER, question, files, places, programs, leaves)
            check_written_parts(call, scratch, writes.__getitem__, mine)
            _put_in_place(scratch, writes)
        return result

    async def close(self) -> None:
        """End the process that stays."""
        if isinstance(self.process, LastingProcess):
            await self.process.close()

    async def ask(
        self,
        module: str,
        question: dict[str, Any],
        reads: Sequence[Path],
        writes: Sequence[Path] = (),
        programs: Sequence[Path] = (),
        leaves: Sequence[Path] | None = None,
    ) -> dict[str, Any]:
        """Return what a worker answers. One that was killed, by somebody or by a system short of
        memory, gets a second try. Raise `Failure`."""
        limits, data = self.limits, json.dumps(question).encode("ascii")
        job = WorkerJob(module, data, limits.args, reads, writes, limits.seconds, programs, leaves)
        try:
            end = await self.process(job)
            if end.code == -signal.SIGKILL and not (end.output or end.complaint):
                end = await self.process(job)
        except TimeoutError:
            text = f"the audio tool took more than {limits.seconds:g} s"
            raise Failure(text, "timeout") from None
        return _answer(end)


def _identity(path: str, place: Path) -> tuple[int, ...]:
    """Return the device and the number of a file by its real name, no link followed; () for none.
    Raise `Failure` (refused) where a link stands by now."""
    try:
        folder = open_folder(place.anchor, place.parent.parts[1:])
        try:
            info = os.stat(place.name, dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(folder)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise Failure(f"`{path}`: {(error.strerror or str(error)).lower()}", "refused") from None
    if stat.S_ISLNK(info.st_mode):
        raise Failure(f"`{path}` became a link while it was read", "refused")
    return info.st_dev, info.st_ino


def _check_places(reads: dict[str, str], writes: dict[str, Path]) -> None:
    try:
        _check_each(reads, writes)
    except OSError as error:  # realpath met a link that was a folder by then
        named = ", ".join(f"`{path}`" for path in (*reads, *writes))
        text = f"{named}: a folder changed while it was looked at ({error.strerror})"
        raise Failure(text, "refused") from None


def _check_each(reads: dict[str, str], writes: dict[str, Path]) -> None:
    for read, source in reads.items():
        # The sandbox grants no devices; what else cannot be read the worker says itself.
        if os.path.exists(source) and not (os.path.isfile(source) or os.path.isdir(source)):
            raise Failure(f"`{read}` is not a regular file")
    seen: dict[str, str] = {}
    for path, place in writes.items():
        real = os.path.realpath(place)
        if real in seen:
            raise Failure(f"`{seen[real]}` and `{path}` are the same file")
        seen[real] = path
        check_writable(path, Path(real))
        for read, source in reads.items():
            if is_same_file(real, source):
                same = f"`{path}` is the file that is read" + (
                    "" if path == read else f", `{read}`"
                )
                raise Failure(same, help=f"write to another file: {STAYS}")


@contextmanager
def _scratch(writes: dict[str, Path]) -> Iterator[dict[str, Path]]:
    """Make empty files beside the places, and remove those that were not moved away."""
    with ExitStack() as stack:
        places: dict[str, Path] = {}
        for path, place in writes.items():
            with _naming(path):
                places[path] = stack.enter_context(file_beside(place))
        yield places


def _put_in_place(scratch: dict[str, Path], writes: dict[str, Path]) -> None:
    """Move what was written to its places: fewer parts may come than there can be."""
    for path, place in scratch.items():
        with _naming(path):
            if os.path.getsize(place):
                put_in_place(place, writes[path])


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Raise `Unwritable` with the path for what the system refuses in the block."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Unwritable(f"`{path}` cannot be written: {reason}") from None


def _answer(end: WorkerExit) -> dict[str, Any]:
    if end.code == 0 and end.output and len(end.output) <= LONGEST:
        with suppress(BadFrame):
            answer = read_object(end.output, _ANSWER)
            if answer["failure"] is not None:
                failure = fields_of(answer["failure"], _FAILURE)
                kind = Unwritable if failure["unwritable"] else Failure
                raise kind(failure["message"], help=failure["help"])
            if answer["result"] is not None:
                return cast("dict[str, Any]", answer["result"])
    lines = end.complaint[-_STDERR_KEPT:].decode("utf-8", "replace").strip().splitlines()
    last = lines[-1] if lines else "it said nothing"
    code = end.code
    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    raise Failure(f"the process of the audio tool {how}: {last}")
