"""Runs free audio code: through the syntax gate, then in the profile `snippet` of the sandbox.

    result = run_snippet(code, reads=(Path("in.wav"),), output=Path("out.wav"))

The code sees `INPUT` (the first of `reads`), `INPUTS` and `OUTPUT`. Blocks until it is through: an
event loop calls it with `asyncio.to_thread`.
"""

from __future__ import annotations

import os
import selectors
import signal
import stat
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from ...errors import Failure, RunError
from ...files.staging import replacing
from ...files.tempdirs import make_room
from ..confine import Confined, prepare_python
from ..excerpt import Excerpt
from ..policy import SNIPPET_LIMITS, Limits, Mode, Policy, SandboxReport, python_reads
from .allowed_names import BUILTINS, MODULES
from .syntax_gate import CodeFinding, faults

Status = Literal["done", "rejected", "refused", "killed", "failed", "no output"]

_ENV = {
    "LC_ALL": "C.UTF-8", "TZ": "UTC", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}  # fmt: skip
_KEPT = 1024 * 1024
_MOST = 8 * 1024 * 1024
_CHUNK = 65_536
_HOST = "launch.host:main"
_KILLED = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "file", signal.SIGKILL: "killed"}


@dataclass(frozen=True, slots=True)
class SnippetResult:
    """What came of the code.

    `done`: `output` is written. `rejected`: by the gate; `faults` say where. `refused`: the sandbox
    is not what was asked for; nothing ran. `killed`: `why` is time, cpu, disk, file (one file grew
    too large), output (it printed too much), or killed (by a signal: the processor's hard limit or
    the system's memory). `failed`: it raised. `no output`: it ended, and wrote nothing that can be
    taken. `message` says it in words; `printed` is what it printed, cut; `seconds` by the clock."""

    status: Status
    message: str = ""
    why: str = ""
    faults: tuple[CodeFinding, ...] = ()
    printed: str = ""
    seconds: float = 0.0
    report: SandboxReport | None = None


def run_snippet(
    code: str,
    *,
    reads: Sequence[Path],
    output: Path,
    limits: Limits | None = None,
    mode: Mode = "auto",
) -> SnippetResult:
    """Run code that reads sound files and writes one. What was at `output` stays until the code has
    written a whole file. Raises `Failure` when `output` cannot be put in its place."""
    found = faults(code)
    if found:
        return SnippetResult("rejected", "; ".join(map(str, found)), faults=found)
    with make_room() as room:
        # The file is made before: its content may be written, and no other file made beside it.
        target = room.folder / f"output{output.suffix}"
        target.touch()
        made = target.stat().st_ino
        inputs = tuple(path.absolute() for path in reads)
        bounds = limits or SNIPPET_LIMITS
        policy = Policy("snippet", (*python_reads(), *inputs), (target,), limits=bounds, mode=mode)
        packages = " ".join(sorted({name.partition(".")[0] for name in MODULES}))
        given = (packages, " ".join(sorted(BUILTINS)), str(target), *map(str, inputs))
        try:
            start = prepare_python(_HOST, given, _path(), _ENV, policy)
        except (RunError, Failure) as error:
            return SnippetResult("refused", error.message)
        with start:
            result = _run(start, code, bounds)
        if result.status == "done":
            result = _collect(result, target, made, output)
    return result


def _path() -> tuple[Path, ...]:
    """Return the folders of the launcher and the packages, without flowc, which the code does not
    use."""
    folders = [Path(__file__).resolve().parents[1]]
    for name in ("numpy", "soundfile", "pedalboard"):
        spec = find_spec(name)  # finds it, and does not import it: numpy takes a while
        loader: Any = spec.loader if spec is not None else None
        if hasattr(loader, "get_filename"):
            file = Path(loader.get_filename(name)).resolve()
            folders.append(file.parents[1] if file.name == "__init__.py" else file.parent)
    return tuple(dict.fromkeys(folders))


def _run(start: Confined, code: str, bounds: Limits) -> SnippetResult:
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            start.argv,
            env=start.env,
            cwd="/",
            pass_fds=start.pass_fds,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        return SnippetResult("refused", f"no process can be started: {error.strerror}")
    with process:
        start.release()
        try:
            kept, flooded = _listen(process, code.encode())
        finally:
            if process.poll() is None:
                process.kill()
        code_of = process.wait()
    seconds = time.monotonic() - began
    try:
        report = start.report(0.0)
        why = start.kill_reason()
    except Failure as error:
        return SnippetResult("refused", error.message, seconds=seconds)
    printed = kept.text()
    why = "output" if flooded else why
    if why or (code_of < 0 and -code_of in _KILLED):
        why = why or _KILLED[signal.Signals(-code_of)]
        told = _why(why, bounds)
        return SnippetResult("killed", told, why, (), printed, seconds, report)
    if code_of != 0:
        told = printed.rstrip().rpartition("\n")[2] if code_of > 0 else ""
        told = told or f"the process ended with {_describe_end(code_of)}"
        return SnippetResult("failed", told, "", (), printed, seconds, report)
    return SnippetResult("done", "", "", (), printed, seconds, report)


def _listen(process: subprocess.Popen[bytes], code: bytes) -> tuple[Excerpt, bool]:
    """Give the code, keep what it prints; whether it printed so much that it is to be killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    kept = Excerpt(_KEPT)
    try:
        process.stdin.write(code)  # at most what the gate passes: less than a pipe holds
        process.stdin.close()
    except BrokenPipeError:
        process.stdin = None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select():
            data = os.read(process.stdout.fileno(), _CHUNK)
            kept.add(data)
            if not data or kept.total > _MOST:
                break
    return kept, kept.total > _MOST


def _describe_end(code: int) -> str:
    if code > 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _why(why: str, bounds: Limits) -> str:
    words = {
        "time": f"it took more than {bounds.seconds:g} s",
        "cpu": f"it used more than {bounds.cpu} s of processor time",
        "disk": f"it wrote more than {bounds.disk:,} bytes",
        "file": f"it wrote a file of more than {bounds.file:,} bytes",
        "output": f"it printed more than {_MOST:,} bytes",
        "killed": "it was killed: by the limit on processor time, or for want of memory",
    }
    return words.get(why, why)


def _collect(result: SnippetResult, source: Path, made: int, place: Path) -> SnippetResult:
    """Take the file if it is still the one that was made, and put it in its place at once."""
    try:
        number = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return _without(result, "the file it was to write is gone, or a link")
    try:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_ino != made:
            return _without(result, "what it wrote is not a plain file of its own")
        if found.st_size == 0:
            return _without(result, "it wrote nothing to OUTPUT")
        _place(number, place)
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise Failure(f"`{place}` cannot be written: {said}") from None
    finally:
        os.close(number)
    return result


def _place(source: int, place: Path) -> None:
    """Copy beside the place, then move: a reader never sees half a file. Raises OSError."""
    with replacing(Path(os.path.realpath(place))) as file:
        offset = 0
        while sent := os.sendfile(file.fileno(), source, offset, 1 << 24):
            offset += sent


def _without(result: SnippetResult, why: str) -> SnippetResult:
    return SnippetResult("no output", why, "", (), result.printed, result.seconds, result.report)
