"""The sound that somebody brought is never written: what would be put in its place is refused."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path, PurePath

from flowc.compiler.catalog.audio_formats import FORMATS, format_of
from flowc.compiler.plan import PlanDocument, status_of, text_value
from flowc.compiler.plan.paths import original_input

from ...errors import Failure
from .call import AudioCall, Unwritable
from .containers import coders_for

Locate = Callable[[str], Path]
STAYS = "the sound as it came is never written"


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Tell whether two places are one file, whatever their names: `x/../`, links of either kind."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def check_result(audio: str, output: str, locate: Locate) -> None:
    """Raise `Failure` unless `output` can be the file of what becomes of the sound `audio`: another
    file, in a folder that is there, with an ending that says a format."""
    place = locate(output)
    if is_same_file(place, locate(audio)):
        also = "" if output == audio else f", `{audio}`"
        raise Failure(
            f"`{output}` cannot be the result: it is the sound that is edited{also}",
            help=f"name another file, such as `{_beside(output)}`: {STAYS}",
        )
    if not format_of(output):
        kinds = ", ".join(FORMATS)
        raise Failure(f"the ending of `{output}` says no format", help=f"use one of {kinds}")
    coders_for((output,))
    check_writable(output, place)


def check_writable(path: str, place: Path) -> None:
    """Raise `Failure` unless a file can stand at the place that a path leads to."""
    if place.is_dir():
        raise Failure(f"`{path}` is a folder: write a file's name")
    if place.exists() and not place.is_file():
        raise Failure(f"`{path}` is not a regular file", help="name another file")
    if not place.parent.is_dir():
        raise Failure(f"the folder of `{path}` does not exist")


def check_parts(call: AudioCall, locate: Locate) -> None:
    """Raise `Failure` when there is a file already where a call may write a further part, under a
    name that it makes itself: NAME-2.wav and so on."""
    if taken := [path for path in _further_parts(call) if locate(path).exists()]:
        help = "name another output, or move what is there"
        why = f"{_are_there(taken)}, and a further part may be written so"
        raise Failure(f"`{call.writes[0]}` cannot be the first of several parts: {why}", help=help)


def check_written_parts(
    call: AudioCall, made: Mapping[str, Path], locate: Locate, mine: Collection[str] = ()
) -> None:
    """Raise `Unwritable` when a further part that was made, under a name that nobody said, would
    take the place of another file. What the same call has written before it was killed is the same
    to the byte; `mine` are parts that the same plan has written."""
    taken = [
        path
        for path in _further_parts(call)
        if path not in mine and os.path.getsize(made[path])
        if (place := locate(path)).exists() and not filecmp.cmp(made[path], place, shallow=False)
    ]
    if taken:
        raise Unwritable(
            f"`{call.writes[0]}` cannot be the first of several parts: {_are_there(taken)}",
            help="move what is there, or name another output",
        )


def _further_parts(call: AudioCall) -> tuple[str, ...]:
    return () if "{n}" in str(call.arguments.get("output_pattern")) else call.writes[1:]


def _are_there(taken: list[str]) -> str:
    names = ", ".join(f"`{path}`" for path in taken)
    return f"{names} {'is' if len(taken) == 1 else 'are'} there already"


def check_steps(document: PlanDocument, shown: str, audio: str, locate: Locate) -> None:
    """Raise `Failure` when a step that is to come would write the sound that the document is about;
    `audio` is that too."""
    sounds = {path: locate(path) for path in (audio, original_input(document)) if path}
    for start, block in zip(document.starts(), document.blocks, strict=True):
        output = block.field("Output Audio")
        if block.kind != "step" or output is None or status_of(block) == "DONE":
            continue
        if write := text_value(block, "Output Audio"):
            line = document.text.count("\n", 0, start + output.start) + 1
            check_step(write, locate(write), sounds, f"`{shown}`, line {line}: the step")


def check_step(write: str, place: Path, sounds: Mapping[str, Path], who: str = "the step") -> None:
    """Raise `Unwritable` when what a step is to write is one of the sounds that it was given."""
    sound = next((path for path, there in sounds.items() if is_same_file(place, there)), None)
    if sound is not None:
        also = "" if sound == write else f", `{sound}`"
        other = f"write another Output Audio into the document, such as `{_beside(write)}`"
        raise Unwritable(
            f"{who} would write `{write}`, which is a sound that it was given{also}",
            help=f"{other}: {STAYS}",
        )


def _beside(path: str) -> str:
    """Return another name for a file, in the same folder."""
    name = PurePath(path)
    return str(name.with_name(f"{name.stem}_edited{name.suffix}"))
