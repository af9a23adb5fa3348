"""The colours of a workflow's picture, by what a node does; dark text on light ground."""

from __future__ import annotations

from ...source.records import dataclass
from .picture import Look


@dataclass(frozen=True, slots=True)
class Colour:
    """Fill, outline and text as `#rrggbb`."""

    fill: str
    line: str
    text: str = "#1f2933"


COLOURS: dict[Look, Colour] = {
    "start": Colour("#e4e7eb", "#52606d"),
    "assign": Colour("#f5f7fa", "#7b8794"),
    "checkpoint": Colour("#e4e7eb", "#52606d"),
    "agent": Colour("#e3effc", "#2563b0"),
    "message": Colour("#f1f6fc", "#7c9cc4"),
    "tool": Colour("#e6f4ef", "#2f7d67"),
    "exec": Colour("#efe9f9", "#6b46a8"),
    "choose": Colour("#fdf3d7", "#b5830f"),
    "ask": Colour("#fde8dc", "#c2571a"),
    "call": Colour("#def3f2", "#17807a"),
    "python": Colour("#e4f1f7", "#1f6f8f"),
    "wait": Colour("#f3efe2", "#7a6a24"),
    "http": Colour("#e6edfa", "#2f56a6"),
    "script": Colour("#f3e8fd", "#8a3ab9"),
    "task": Colour("#e8f0e3", "#567a3a"),
    "gate": Colour("#fbe9c6", "#94680a"),
    "assert": Colour("#fdf3d7", "#b5830f"),
    "foreach": Colour("#def3f2", "#17807a"),
    "success": Colour("#d9f2df", "#237a3b"),
    "failed": Colour("#fbdedb", "#b42d24"),
}
FADED = Colour("#fafbfc", "#c3cad3", "#7b8794")
"""What a run did not reach, and edges that the format adds by itself."""
ERROR = "#b42d24"
EDGE = "#52606d"
PATH = "#1d4ed8"
