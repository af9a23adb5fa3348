"""`flowc run edit`, which edits a sound and keeps a living document, killed and resumed: in the end
there are the same files, byte for byte, and the same story stands in the document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from flowc.runtime.torture.hosts import RunEnding
from flowc.runtime.torture.trials import KilledRun, Undisturbed

from .trials import Plan, carry_on, command_line
from .world import Place, edits


def audio_trial(place: Place, store: str, plan: Plan) -> KilledRun:
    """The command, killed, then `flowc resume` until it ends; nobody is asked anything."""
    edits.write_sound(place.folder)
    run = carry_on(KilledRun(), place, store, plan, _start(place, store))
    if run.ending is not None:
        run.ending = _ending(place, run.ending)
    return run


def undisturbed_edit(place: Place, store: str) -> Callable[[], int]:
    """The run to its end."""
    edits.write_sound(place.folder)
    return command_line(_start(place, store))


def edit_end(place: Place) -> Undisturbed:
    """What a run has to come to: what one in this place came to."""
    return Undisturbed(_ending(place, RunEnding("success")), [], [], [])


def _ending(place: Place, ending: RunEnding) -> RunEnding:
    folder = place.folder
    told = [str(each) for each in (edits.files(folder), edits.story(folder), edits.left(folder))]
    return replace(ending, result="\n".join(told))


def _start(place: Place, store: str) -> list[str]:
    return [*edits.EDIT, "--run-id", place.folder.name, "--store", store]
