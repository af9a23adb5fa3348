"""Executes the code of a step: one call of one audio tool, read and never run as Python.

The call may read what the step reads, and has to write what the step writes. A call that fails is
an answer, for the one who analyzes errors; a place that cannot be written is a failure of the run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import Failure
from .call import AudioCall, Do, Unwritable, parse_call

_FREE = re.compile(r"\bOUTPUT\b")


FreeCode = Callable[[str, Sequence[Path], Path], Awaitable[dict[str, Any]]]
"""Runs free code in the sandbox, behind the syntax gate; the code reads some files and writes one.
Returns {done, refused, message, sandbox}: whether it wrote the file, whether it was not run at all,
why, and the level with the layers that held it."""


async def run_free(
    code: str, reads: Sequence[Path], write: str, output: Path, run: FreeCode
) -> dict[str, Any]:
    """Return the same answer as `execute_step` for code that is not a call but a program with
    pedalboard, soundfile and numpy. Raise `Failure` when the sandbox refuses to run it at all:
    other code would not help."""
    result = await run(code, reads, output)
    message, layers = result["message"], f"sandbox: {result['sandbox']}"
    if result["refused"]:
        raise Failure(message, "refused", help="flowc doctor shows what this machine offers")
    if not result["done"]:
        error = f"{message}\n{layers}"
        return {"ok": False, "error": error, "results": "", "said": f"failed: {message}"}
    text = f"free code wrote {write}"
    return {"ok": True, "error": "", "results": f"{text}\n{layers}", "said": text}


def is_free(code: str) -> bool:
    """Tell whether code is a program that writes OUTPUT rather than a call."""
    return _FREE.search(code) is not None


async def execute_step(
    code: str, read: str, write: str, also: Sequence[str], given: tuple[str, Path], do: Do
) -> dict[str, Any]:
    """Return {ok, error, results}: `results` says what was written, `error` what was wrong with the
    code. `also` are further files that it may read, `given` is the file that has to be there, and
    where it leads. Raise `Failure` when it is gone, and when the output cannot be written: other
    code would not help."""
    if not await asyncio.to_thread(given[1].exists):
        raise Failure(f"`{given[0]}` does not exist", help="put the file back, then resume the run")
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
    if call.writes[:1] != (write,) or len(call.writes) > call.tool.most_parts:
        wrote = ", ".join(f"`{path}`" for path in call.writes[:3]) or "nothing"
        raise Failure(f"{name} writes {wrote}, but the step has to write `{write}`")
    allowed = (read, *also)
    for path in call.reads:
        if path not in allowed:
            names = ", ".join(f"`{one}`" for one in dict.fromkeys(allowed))
            raise Failure(f"{name} reads `{path}`, but the step may read {names}")
    if read not in call.reads:
        # What the steps before did would be lost, and nothing may tell.
        others = ", ".join(f"`{path}`" for path in call.reads)
        raise Failure(f"{name} reads {others}, but the step has to read `{read}`")


def result_lines(done: dict[str, Any]) -> list[str]:
    """Return what a tool says of the file it wrote, for people."""
    peak = done["sample_peak_dbfs"]
    facts = [*shape_of(done), "silent" if peak is None else f"peak {peak:.2f} dBFS"]
    lines = [f"wrote {done['output']}: {', '.join(facts)}"]
    for key, unit in _UNITS.items():
        if isinstance(value := done.get(key), int | float):
            lines.append(f"{key.rsplit('_', 1)[0].replace('_', ' ')}: {value:.2f} {unit}")
    return [*lines, *(f"note: {note}" for note in done["notes"])]


def shape_of(numbers: Mapping[str, Any]) -> list[str]:
    """Return length, rate, channels and format of a sound, each in words."""
    count = numbers["channels"]
    return [
        f"{numbers['duration_s']:.2f} s",
        f"{numbers['sample_rate_hz']} Hz",
        f"{count} channel{'s' * (count != 1)}",
        f"{numbers['format']} {numbers['subtype']}",
    ]


_UNITS = {
    "cut_start_s": "s",
    "cut_end_s": "s",
    "loudness_before_lufs": "LUFS",
    "integrated_lufs": "LUFS",
    "true_peak_dbtp": "dBTP",
    "gain_db": "dB",
    "noise_rms_dbfs": "dBFS",
}
"""Numbers of a result beyond the file itself, with their units."""
