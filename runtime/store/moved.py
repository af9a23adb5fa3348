"""Projects move: the paths of a run's record, where its project lies now.

A store in one file lies in the project as a rule, and is copied and moved with it. So a record says
where the file was when it was written: from that to the run's folder it is as far as it was, and
whatever lies below the folder has moved with it. A store elsewhere says nothing of a move.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..db.url import Location
from ..services import Json


@dataclass(frozen=True, slots=True)
class Relocation:
    """A project that was in the folder `old` and is in `new`."""

    old: str
    new: str

    def path(self, text: str) -> str:
        """Return a path where it is now; one outside of the project is where it was."""
        if text == self.old:
            return self.new
        inside = self.old.rstrip(os.sep) + os.sep
        return os.path.join(self.new, text[len(inside) :]) if text.startswith(inside) else text

    def paths(self, value: Json) -> Json:
        """Return a JSON value with the paths that it holds moved."""
        match value:
            case str():
                return self.path(value)
            case list():
                return [self.paths(item) for item in value]
            case dict():
                return {name: self.paths(item) for name, item in value.items()}
        return value


def place_of(location: Location) -> str:
    """Return the folder that the store's file is in, without links; "" for another kind."""
    return str(location.path.resolve().parent) if location.path else ""


def place_to_keep(place: str, folder: object) -> str:
    """Return the store's place as a run of a folder keeps it: "" when it is not in there."""
    if not place or not isinstance(folder, str):
        return ""
    return place if Path(place).is_relative_to(os.path.realpath(folder)) else ""


def move_between(kept: str, place: str, folder: object) -> Relocation | None:
    """Return how a project has moved whose store was at `kept` and is at `place`."""
    if not kept or not place or kept == place or not isinstance(folder, str):
        return None
    new = os.path.normpath(os.path.join(place, os.path.relpath(os.path.realpath(folder), kept)))
    return Relocation(folder, new)
