"""Runs free audio code: through the syntax gate, then in the profile `snippet` of the sandbox.

    result = run_snippet(code, reads=(Path("in.wav"),), output=Path("out.wav"))

The code sees `INPUT` (the first of `reads`), `INPUTS` and `OUTPUT`. Blocks until it is through: an
event loop calls it with `asyncio.to_thread`.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from flowc.compiler.source.door import open_folder

from ...errors import Failure
from ...files.granted import open_granted_file
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
    """The result of generated code.

    `done`: `output` is written. `rejected`: by the gate; `faults` say where. `refused`: the sandbox
    is not what was asked for; nothing ran. `killed`: `why` is time, cpu, disk, files (too many),
    file (one grew too large), output (it printed too much), or killed (by a signal: the processor's
    hard limit or the system's memory). `failed`: it raised. `no output`: it ended, and wrote
    nothing that can be taken. `message` says it in words; `printed` is what it printed, cut;
    `seconds` by the clock."""

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
    """Run code that reads sound files and writes one; all have their real names, and no link is
    followed. The old `output` stays until the code has written a whole file. Raise `Failure` when
    `output` cannot be put in its place."""
    findings = faults(code)
    if findings:
        return SnippetResult("rejected", "; ".join(map(str, findings)), faults=findings)
    with make_room() as room:
        # The file is made before: its content may be written, and no other file made beside it.
        target = room.folder / f"output{output.suffix}"
        target.touch()
        inode = target.stat().st_ino
        try:
            held = tuple(open_granted_file(path) for path in reads if os.path.lexists(path))
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            return SnippetResult("refused", f"an input was changed while it was opened: {why}")
        bounds, inputs = limits or SNIPPET_LIMITS, tuple(reads)
        policy = Policy(
            "snippet", (*python_reads(), *inputs), (target,), held, limits=bounds, mode=mode
        )
        packages = " ".join(sorted({name.partition(".")[0] for name in MODULES}))
        arguments = (packages, " ".join(sorted(BUILTINS)), str(target), *map(str, inputs))
        try:
            start = prepare_python(_HOST, arguments, _path(), _ENV, policy)
        except Failure as error:
            return SnippetResult("refused", error.message)
        with start:
            result = _run(start, code, bounds)
        if result.status == "done":
            result = _collect(result, target, inode, output)
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
        pipe = subprocess.PIPE
        process = start.popen(stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT)
    except OSError as error:
        return SnippetResult("refused", f"no process can be started: {error.strerror}")
    with process:
        try:
            excerpt, flooded = _listen(process, code.encode())
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
    result = SnippetResult("done", printed=excerpt.text(), seconds=seconds, report=report)
    why = "output" if flooded else why
    if why or (code_of < 0 and -code_of in _KILLED):
        why = why or _KILLED[signal.Signals(-code_of)]
        return replace(result, status="killed", message=_why(why, bounds), why=why)
    if code_of != 0:
        last = result.printed.rstrip().rpartition("\n")[2] if code_of > 0 else ""
        message = last or f"the process ended with {_describe_end(code_of)}"
        return replace(result, status="failed", message=message)
    return result


def _listen(process: subprocess.Popen[bytes], code: bytes) -> tuple[Excerpt, bool]:
    """Give the code, keep what it prints; whether it printed so much that it is to be killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    excerpt = Excerpt(_KEPT)
    try:
        process.stdin.write(code)  # at most what the gate passes: less than a pipe holds
        process.stdin.close()
    except BrokenPipeError:
        process.stdin = None
    while excerpt.total <= _MOST and (data := os.read(process.stdout.fileno(), _CHUNK)):
        excerpt.add(data)
    return excerpt, excerpt.total > _MOST


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
        "memory": f"its processes took more than {bounds.total:,} bytes of memory",
        "disk": f"it wrote more than {bounds.disk:,} bytes",
        "files": f"it made more than {bounds.files:,} files",
        "file": f"it wrote a file of more than {bounds.file:,} bytes",
        "output": f"it printed more than {_MOST:,} bytes",
        "killed": "it was killed: by the limit on processor time, or for want of memory",
    }
    return words.get(why, why)


def _collect(result: SnippetResult, source: Path, inode: int, place: Path) -> SnippetResult:
    """Take the file if it is still the one that was made, and put it in its place at once."""
    lost = replace(result, status="no output")
    try:
        number = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return replace(lost, message="the file it was to write is gone, or a link")
    try:
        info = os.fstat(number)
        if not stat.S_ISREG(info.st_mode) or info.st_nlink != 1 or info.st_ino != inode:
            return replace(lost, message="what it wrote is not a plain file of its own")
        if info.st_size == 0:
            return replace(lost, message="it wrote nothing to OUTPUT")
        _place(number, place)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Failure(f"`{place}` cannot be written: {reason}") from None
    finally:
        os.close(number)
    return result


def _place(source: int, place: Path) -> None:
    """Copy beside the place, then move: a reader never sees half a file. Raise OSError."""
    folder = open_folder(place.anchor, place.parent.parts[1:])
    try:
        with replacing(Path(f"/proc/self/fd/{folder}", place.name)) as file:
            offset = 0
            while sent := os.sendfile(file.fileno(), source, offset, 1 << 24):
                offset += sent
    finally:
        os.close(folder)
