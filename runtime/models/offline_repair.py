"""What the offline rules can repair in a call that failed: paths, and values out of their range.

Only what is mechanical: a value is moved to the nearest that its tool takes, a path becomes the
step's own. Everything else is left as it is, which says that there is no repair.
"""

from __future__ import annotations

import re
from typing import Any

from flowc.compiler.catalog.audio_model import AudioTool, ToolParameter
from flowc.compiler.plan import PlanError, read_call

from ..audio.calls.call import check_call, find_tool
from ..errors import Failure
from .offline_plan import call_text

NONE = "the offline rules cannot repair this"
_NYQUIST = re.compile(
    r"`(?P<name>\w+)` is .*\sit can be at most (?P<most>[0-9]+) Hz there", re.DOTALL
)


def repair(code: str, error: str, read: str, write: str) -> tuple[str, str]:
    """Return the code, changed or not, and what was changed in words."""
    try:
        call = read_call(code.strip())
        tool = find_tool(call.tool)
    except (PlanError, Failure):
        return code, NONE
    arguments = dict(call.arguments)
    changes = [*_paths(tool, arguments, read, write), *_ranges(tool, arguments, error)]
    try:
        check_call(tool.name, arguments)
    except Failure:
        return code, NONE
    return (call_text(tool.name, arguments), "; ".join(changes)) if changes else (code, NONE)


def _paths(tool: AudioTool, arguments: dict[str, Any], read: str, write: str) -> list[str]:
    """Put the step's own paths in, where the tool takes one input and one output."""
    changes = []
    for parameter in tool.parameters:
        own = {"input": read, "output": write}.get(parameter.kind)
        if own is not None and arguments.get(parameter.name) != own:
            arguments[parameter.name] = own
            changes.append(f"`{parameter.name}` is the step's own path")
    return changes


def _ranges(tool: AudioTool, arguments: dict[str, Any], error: str) -> list[str]:
    changes = []
    known = {parameter.name: parameter for parameter in tool.parameters}
    limit = _NYQUIST.search(error)
    for name, value in list(arguments.items()):
        parameter = known.get(name)
        if parameter is None or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        nearest = _nearest(parameter, value)
        if limit is not None and limit["name"] == name:
            nearest = min(nearest, int(limit["most"]))
        if nearest != value:
            arguments[name] = nearest
            changes.append(f"`{name}` is {nearest:g}, the nearest to {value:g} that it can be")
    return changes


def _nearest(parameter: ToolParameter, value: float) -> float:
    if parameter.kind == "choice":
        numbers = [c for c in parameter.choices if isinstance(c, int | float)]
        return min(numbers, key=lambda choice: abs(choice - value), default=value)
    if parameter.kind not in ("number", "integer"):
        return value
    nearest = min(max(value, parameter.low), parameter.high)
    return int(nearest) if nearest == int(nearest) else nearest
