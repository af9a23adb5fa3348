"""A call of an audio tool: read from text or data, and held against the tool's table.

HIGHPASS(input="a.wav", output="b.wav", cutoff_hz=80)
"""

from __future__ import annotations

import math
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from flowc.compiler.catalog.audio_expectations import OWN
from flowc.compiler.catalog.audio_model import BAND_PARAMETERS, REQUIRED, AudioTool, ToolParameter
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS
from flowc.compiler.source.spelling import Spelling

from ...errors import Failure
from .containers import check_bitrate, check_fit, container_of

TOOLS: dict[str, AudioTool] = {tool.name: tool for tool in AUDIO_TOOLS}
_LONGEST_TEXT = 1000
_MAX_PARTS = 100
"""Files that one call may write."""


class Unwritable(Failure):
    """The place that is written to refuses it: the call is not at fault."""


@dataclass(frozen=True, slots=True)
class AudioCall:
    """A call that fits its tool: every parameter has a value, paths are as they were written."""

    tool: AudioTool
    arguments: Mapping[str, Any]

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the paths of the files it reads, each once."""
        paths: list[str] = []
        for parameter in self.tool.parameters:
            value = self.arguments[parameter.name]
            if parameter.kind == "input":
                paths.append(value)
            elif parameter.kind == "inputs":
                paths.extend(value or ())
        return tuple(dict.fromkeys(paths))

    @property
    def writes(self) -> tuple[str, ...]:
        """Return the paths of the files it writes."""
        for parameter in self.tool.parameters:
            value = self.arguments[parameter.name]
            if parameter.kind == "output":
                return _part_paths(value, self.tool.most_parts)
            if parameter.kind == "pattern":
                parts = len(self.arguments["points_s"]) + 1
                if "{n}" not in value:
                    return _part_paths(value, parts)
                return tuple(value.replace("{n}", str(n)) for n in range(1, parts + 1))
        return ()

    def expects(self, own: str) -> list[dict[str, Any]]:
        """Return what has to be measured after the call, without a subject, where `own` is the
        sound that a step reads."""
        values = dict(self.arguments)
        if "inputs" in values:
            values["inputs"] = [OWN if path == own else path for path in values["inputs"]]
        return self.tool.expects(values)


def _part_paths(path: str, parts: int) -> tuple[str, ...]:
    """Return a path and as many more as there are further parts: NAME-2.wav and so on."""
    stem, ending = os.path.splitext(path)
    return (path, *(f"{stem}-{number}{ending}" for number in range(2, parts + 1)))


Do = Callable[[AudioCall], Awaitable[dict[str, Any]]]
"""Does a call, and returns what the tool says of its work. Raises `Failure`."""


def parse_call(code: str) -> AudioCall:
    """Return the one call that a line of code is; it is read, never run. Raise `Failure` that says
    why it is not one, or which argument does not fit and what would."""
    # The process that does a call has it as data: the parser would take 4 MB there.
    from flowc.compiler.plan import PlanError, read_call

    try:
        call = read_call(code)
    except PlanError as refused:
        raise Failure(str(refused), help="write TOOL(name=value, …): `flowc audio tools`") from None
    return check_call(call.tool, call.arguments)


def check_call(name: str, values: Mapping[str, Any]) -> AudioCall:
    """Return the call with its defaults filled in; a tool is known in any case, and as
    `audio_NAME`. Raise `Failure`: unknown tool or parameter (with the nearest), missing, wrong
    type, out of range (with unit and range), an output whose ending says no format or one that
    cannot hold what is asked for."""
    tool = find_tool(name)
    shown = tool.name.upper()
    call = AudioCall(tool, _arguments(shown, tool.parameters, values))
    _check_together(shown, call)
    return call


def find_tool(name: str) -> AudioTool:
    """Return the tool of that name, in any case. Raise `Failure` with the nearest one."""
    plain = name.lower().removeprefix("audio_")
    if plain in TOOLS:
        return TOOLS[plain]
    nearest = _nearest(plain, TOOLS)
    hint = f"did you mean `{nearest.upper()}`? " if nearest else ""
    raise Failure(f"there is no audio tool `{name}`", help=f"{hint}`flowc audio tools` lists them")


def _arguments(
    owner: str, parameters: Iterable[ToolParameter], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values with defaults for those left out. Raise `Failure`."""
    known = {parameter.name: parameter for parameter in parameters}
    for argument in values:
        if argument not in known:
            nearest = _nearest(str(argument), known)
            hint = f"did you mean `{nearest}`? " if nearest else ""
            takes = f"{hint}it takes {', '.join(known)}"
            raise Failure(f"{owner} has no parameter `{argument}`", help=takes)
    arguments = {}
    for name, parameter in known.items():
        if name not in values and parameter.default is REQUIRED:
            raise Failure(f"{owner} needs `{name}`", help=_takes(parameter))
        arguments[name] = parameter.default
        if name in values:
            arguments[name] = _fitting(owner, parameter, values[name])
    return arguments


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the nearest name; also one that `name` is a part of: `cutoff` for `cutoff_hz`."""
    names = tuple(known)
    parts = [other for other in names if len(name) > 1 and name in other.split("_")]
    return Spelling(names).nearest(name) or (parts[0] if len(parts) == 1 else None)


def _fitting(tool: str, parameter: ToolParameter, value: Any) -> Any:
    """Return the value as the tool takes it: integers where integers are meant. Raise `Failure`."""
    if value is None and parameter.optional:
        return None
    match parameter.kind:
        case "input" | "output" | "pattern":
            good = isinstance(value, str) and value.strip() != "" and "\0" not in value
        case "text":
            good = isinstance(value, str) and "\0" not in value and len(value) <= _LONGEST_TEXT
        case "inputs" | "texts":
            return _many(tool, parameter, value)
        case "number" | "integer":
            return _number(tool, parameter, value)
        case "numbers":
            if not isinstance(value, list | tuple):
                raise _unfit(tool, parameter, value)
            return [_number(tool, parameter, item) for item in value]
        case "choice":
            good = not isinstance(value, bool) and value in parameter.choices
        case "flag":
            good = isinstance(value, bool)
        case "bands":
            return _bands(tool, parameter, value)
    if not good:
        raise _unfit(tool, parameter, value)
    return value


def _number(tool: str, parameter: ToolParameter, value: Any) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _unfit(tool, parameter, value)
    if not math.isfinite(value) or not parameter.low <= value <= parameter.high:
        raise _unfit(tool, parameter, value)
    if parameter.kind == "integer":
        if value != int(value):
            raise _unfit(tool, parameter, value)
        return int(value)
    return value


def _many(tool: str, parameter: ToolParameter, value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not all(
        isinstance(item, str) and item.strip() and "\0" not in item for item in value
    ):
        raise _unfit(tool, parameter, value)
    if not parameter.low <= len(value) <= parameter.high:
        raise _unfit(tool, parameter, value)
    return list(value)


def _bands(tool: str, parameter: ToolParameter, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list | tuple) or not parameter.low <= len(value) <= parameter.high:
        raise _unfit(tool, parameter, value)
    bands = []
    for number, item in enumerate(value, 1):
        if not isinstance(item, Mapping):
            raise _unfit(tool, parameter, value)
        bands.append(_arguments(f"band {number} of {tool}", BAND_PARAMETERS, item))
    return bands


def _check_together(tool: str, call: AudioCall) -> None:
    """Raise `Failure` for what no parameter can say alone."""
    values = call.arguments
    if call.tool.name == "split":
        points = values["points_s"]
        if not points or sorted(set(points)) != points or points[0] <= 0:
            raise Failure(f"`points_s` of {tool} has to ascend from above 0 s: {points}")
        if len(points) >= _MAX_PARTS:
            raise Failure(f"{tool} writes at most {_MAX_PARTS} files")
    if call.tool.name in ("clip", "cut", "gain") and values["end_s"] is not None:
        _ascending(tool, "start_s", "end_s", values, "s")
    if call.tool.name == "channels":
        order = values["order"]
        most = next(one.high for one in call.tool.parameters if one.name == "order")
        if not order or len(order) > most or any(one != int(one) for one in order):
            help = "the numbers of channels, from 1 on; 0 is silence"
            raise Failure(f"`order` of {tool} is a list of 1 to {most:g}: {order}", help=help)
    for path in call.writes:
        container_of(path)
        check_fit(
            path, values.get("subtype") or "", values.get("sample_rate_hz"), values.get("channels")
        )
    if (
        call.tool.name == "denoise"
        and (values["noise_start_s"], values["noise_end_s"]) != (None,) * 2
    ):
        if None in (values["noise_start_s"], values["noise_end_s"]):
            raise Failure(f"{tool} takes both `noise_start_s` and `noise_end_s`, or neither")
        _ascending(tool, "noise_start_s", "noise_end_s", values, "s")
    if call.tool.name == "convert":
        check_bitrate(values["output"], values["bitrate_kbps"], values["sample_rate_hz"])
    if call.tool.name == "bandpass":
        _ascending(tool, "low_hz", "high_hz", values, "Hz")
    if call.tool.name == "mix":
        for name in ("offsets_s", "gains_db"):
            if values[name] is not None and len(values[name]) != len(values["inputs"]):
                counts = f"{len(values[name])} values for {len(values['inputs'])} files"
                raise Failure(f"`{name}` of {tool} has {counts}: give one for each input")


def _ascending(tool: str, low: str, high: str, values: Mapping[str, Any], unit: str) -> None:
    if (values[low] < 0) != (values[high] < 0):
        return  # from the start and from the end: the length of the sound decides
    if values[low] >= values[high]:
        pair = f"{values[low]:g} and {values[high]:g} {unit}"
        raise Failure(f"`{low}` of {tool} has to be below `{high}`: they are {pair}")


def _unfit(tool: str, parameter: ToolParameter, value: Any) -> Failure:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:60] + "…"
    return Failure(f"`{parameter.name}` of {tool} cannot be {shown}", help=_takes(parameter))


def _takes(parameter: ToolParameter) -> str:
    return f"`{parameter.name}` is {range_of(parameter)}: {parameter.about}"


def range_of(parameter: ToolParameter) -> str:
    """Return what a parameter may be, in words: `a number from 10 to 96000 Hz`."""
    none = " or None" if parameter.optional else ""
    unit = f" {parameter.unit}" if parameter.unit and parameter.unit != "0 to 1" else ""
    bounds = f"from {_plain(parameter.low)} to {_plain(parameter.high)}{unit}"
    match parameter.kind:
        case "input" | "output" | "pattern":
            return "a path"
        case "inputs":
            return f"a list of {parameter.low:g} to {parameter.high:g} paths"
        case "number":
            return f"a number {bounds}{none}"
        case "integer":
            return f"a whole number {bounds}{none}"
        case "numbers":
            return f"a list of numbers {bounds}{none}"
        case "choice":
            return f"one of {', '.join(repr(c) for c in parameter.choices)}{unit}{none}"
        case "flag":
            return "True or False"
        case "texts":
            return f"a list of at most {parameter.high:g} texts{none}"
        case "text":
            return f"a text of at most {_LONGEST_TEXT} characters{none}"
        case "bands":
            return f"a list of {parameter.low:g} to {parameter.high:g} bands"


def _plain(value: float) -> str:
    return f"{value:.10g}"
