"""Executes the code of a step: one call of one audio tool, read and never run as Python.

The call may read what the step reads, and has to write what the step writes. A call that fails is
an answer, for whoever analyzes errors; a place that cannot be written is a failure of the run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from ...errors import Failure
from .call import AudioCall, Unwritable, parse_call

_FREE = re.compile(r"\bOUTPUT\b")


class FreeCode(Protocol):
    """Runs free code in the sandbox, behind the syntax gate; the code reads some files and writes
    one. Returns {done, message, sandbox}: whether it wrote the file, what it came to, and the level
    with the layers that held it."""

    async def __call__(self, code: str, reads: Sequence[Path], output: Path) -> dict[str, Any]: ...


async def run_free(
    code: str, reads: Sequence[Path], write: str, output: Path, run: FreeCode
) -> dict[str, Any]:
    """Return the same answer as `execute_step` for code that is not a call but a program with
    pedalboard, soundfile and numpy. Raises `Failure` when the sandbox refuses to run it at all:
    other code would not help."""
    came = await run(code, reads, output)
    if came["refused"]:
        raise Failure(
            came["message"], "refused", help="flowc doctor shows what this machine offers"
        )
    held = f"sandbox: {came['sandbox']}"
    if not came["done"]:
        said = f"failed: {came['message']}"
        return {"ok": False, "error": f"{came['message']}\n{held}", "results": "", "said": said}
    return {"ok": True, "error": "", "results": f"free code wrote {write}\n{held}",
            "said": f"free code wrote {write}"}  # fmt: skip


def is_free(code: str) -> bool:
    """Tell whether code is a program that writes OUTPUT rather than a call."""
    return _FREE.search(code) is not None


class DoCall(Protocol):
    """Does a call: see `subprocess_call.AudioWorkers.do_call`."""

    async def __call__(self, call: AudioCall) -> dict[str, Any]: ...


async def execute_step(
    code: str, read: str, write: str, also: Sequence[str], place: Path, do: DoCall
) -> dict[str, Any]:
    """Return {ok, error, results}: `results` says what was written, `error` what was wrong with the
    code. `also` are further files that it may read, `place` is where `read` leads. Raises `Failure`
    when the input is gone, and when the output cannot be written: other code would not help."""
    if not await asyncio.to_thread(place.exists):
        raise Failure(f"`{read}` does not exist", help="put the file back, then resume the run")
    try:
        call = parse_call(code)
        check_paths(call, read, write, also)
        done = await do(call)
    except Unwritable:
        raise
    except Failure as failure:
        if failure.kind == "refused":
            raise
        error = f"{failure.message}\n{failure.help}".strip()
        return {"ok": False, "error": error, "results": "", "said": f"failed: {failure.message}"}
    lines = result_lines(done)
    return {"ok": True, "error": "", "results": "\n".join(lines), "said": lines[0]}


def check_paths(call: AudioCall, read: str, write: str, also: Sequence[str]) -> None:
    """Raise `Failure` unless the call keeps to the step's files."""
    name = call.tool.name.upper()
    if call.writes != (write,):
        wrote = ", ".join(f"`{path}`" for path in call.writes) or "nothing"
        raise Failure(f"{name} writes {wrote}, but the step has to write `{write}`")
    allowed = (read, *also)
    for path in call.reads:
        if path not in allowed:
            names = ", ".join(f"`{one}`" for one in dict.fromkeys(allowed))
            raise Failure(f"{name} reads `{path}`, but the step may read {names}")


def result_lines(done: dict[str, Any]) -> list[str]:
    """Return what a tool says of the file it wrote, for people."""
    channels = f"{done['channels']} channel{'s' * (done['channels'] != 1)}"
    peak = done["sample_peak_dbfs"]
    parts = [
        f"wrote {done['output']}: {done['duration_s']:.2f} s",
        f"{done['sample_rate_hz']} Hz",
        channels,
        f"{done['format']} {done['subtype']}",
        "silent" if peak is None else f"peak {peak:.2f} dBFS",
    ]
    lines = [", ".join(parts)]
    for key, unit in _SAID.items():
        if isinstance(value := done.get(key), int | float):
            lines.append(f"{key.rsplit('_', 1)[0].replace('_', ' ')}: {value:.2f} {unit}")
    return [*lines, *(f"note: {note}" for note in done["notes"])]


_SAID = {
    "cut_start_s": "s",
    "cut_end_s": "s",
    "loudness_before_lufs": "LUFS",
    "integrated_lufs": "LUFS",
    "true_peak_dbtp": "dBTP",
    "gain_db": "dB",
    "noise_rms_dbfs": "dBFS",
}
"""What tools say beyond the file itself, with its unit."""
