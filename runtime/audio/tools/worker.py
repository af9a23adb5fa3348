"""A process that does one call of an audio tool: JSON in, one JSON line out.

In: {"tool", "arguments", "reads": {path: place}, "known": {path: [device, number]}, "writes":
{path: place}, "source": path or "", "working": bool, "unwritten": [{"tool", "arguments",
"frames": number or null, "found": {…}}, …], "wanted": [measure, …]}; the places written to exist
and are empty. What the unwritten calls would write is read as if they had, `found` is what LIMIT
and LOUDNESS_NORM said of themselves, and the measures will be asked for by a call of COMPARE.
Out: {"result": {…}} or {"failure": {"message", "help", …}}.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..calls.worker_protocol import answer_with

if TYPE_CHECKING:
    from flowc.compiler.catalog.audio_model import AudioTool

    from ..calls.files import Sound


def main() -> None:
    """Read the call, do it, say what came of it."""
    answer_with(_perform_call, lambda: import_module(".whole", __package__))


def _perform_call(question: dict[str, Any]) -> dict[str, Any]:
    from ..calls.call import check_call
    from .job import Chain, Job, Rehearsal

    files = question["reads"], question["writes"], question["known"]
    unwritten: dict[str, Sound] = {}
    for one in question.get("unwritten") or ():
        call = check_call(one["tool"], one["arguments"])
        found = one.get("found") or {}
        rehearsal = Rehearsal(call, *files, working=True, unwritten=dict(unwritten), found=found)
        sound = rehearsal.sound_of(find_function(call.tool), one["frames"])
        unwritten[sound.path] = sound
    call = check_call(question["tool"], question["arguments"])
    source, working = question.get("source", ""), bool(question.get("working"))
    wanted = question.get("wanted") or ()
    job = Job(call, *files, source, working, unwritten, wanted)
    done = find_function(call.tool)(job)
    result: dict[str, Any] = job.run(done) if isinstance(done, Chain) else done
    return result


def find_function(tool: AudioTool) -> Any:
    """Return what a tool's row names: a function of a `Job` that returns the stages between input
    and output (`Chain`), or writes by itself and returns the result."""
    module, _, name = tool.function.partition(":")
    return getattr(import_module(f".{module}", __package__), name)
