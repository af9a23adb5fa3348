"""What a row of `AUDIO_TOOLS` says of an audio tool: all that flowc knows of it stands in its row.

`flowc check`, a model's tool list, the command line and the offline planner read the rows; the
function that a row names runs in a process of its own, in the package runtime/audio/tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Literal

from ..ir import Effect
from ..source.records import dataclass

ParameterKind = Literal[
    "input", "inputs", "output", "pattern", "number", "integer", "numbers", "choice", "flag",
    "bands", "text", "texts",
]  # fmt: skip
Arguments = Mapping[str, Any]
Json = dict[str, Any]


REQUIRED = object()
"""Stands for "no default"."""
MAX_BANDS = 16
MAX_INPUTS = 32
MAX_EFFECTS = 400
PARTS = ("levels", "loudness", "spectrum")
"""What a measurement consists of, beside what the header says."""
BAND_TYPES = ("peak", "low_shelf", "high_shelf")


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """One argument. `low` and `high` (in `unit`, both included) bound each number; a choice is one
    of `choices`; with `optional` None may be passed as well."""

    name: str
    kind: ParameterKind
    about: str
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    default: Any = REQUIRED
    choices: tuple[Any, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """What people say for a tool, in the pattern language of `audio.vocabulary.words.patterns`;
    `default` tells in words what holds where they leave a value out. With `order` a step moves:
    what sets the level comes behind what changes it on the way, `last` behind all that changes
    the sound, and `parts`, which makes several files of it, behind even that."""

    name: str
    title: str
    example: str
    phrases: tuple[str, ...]
    default: str = ""
    order: Literal["as asked", "before level", "sets level", "last", "parts"] = "as asked"


@dataclass(frozen=True, slots=True)
class Planning:
    """How the offline planner uses a tool.

    - with `changes_level` a level that was set before need not hold any more;
    - `sets` names the parameters that a second call would set again, by what they set in words;
    - `moves` is what a second call in the other direction takes back: in words, the parameter, and
      the value between the two directions;
    - `builds` makes the arguments of what the phrase says, where these are not the same.
    """

    wordings: tuple[Wording, ...]
    changes_level: bool = False
    sets: Mapping[str, str] | Callable[[Arguments], Mapping[str, str]] = field(default_factory=dict)
    moves: tuple[str, str, float] | None = None
    builds: Callable[[Json], Json] = dict


def _nothing(arguments: Arguments) -> list[Json]:
    return []


@dataclass(frozen=True, slots=True, eq=False)
class AudioTool:
    """A tool. `function` is where runtime/audio/tools has it, `module:name`. `planning` is what the
    offline planner knows, or the reason why it does not know the tool. `expects` returns what
    has to be measured after a call, without the subject: predicates that tell it from a call that
    does nothing, half as much, twice as much or the opposite. With `streams` it holds
    a few seconds of sound in memory whatever the length; files above `most_minutes` or with more
    than `most_channels` are refused by the tool's name. With `most_parts` it may write further
    files beside its output: NAME-2.wav and so on."""

    name: str
    function: str
    about: str
    parameters: tuple[ToolParameter, ...]
    planning: Planning | str
    expects: Callable[[Arguments], list[Json]] = _nothing
    effect: Effect = "idempotent"
    streams: bool = True
    most_minutes: int = 240
    most_channels: int = 64
    most_parts: int = 1

    def parameter(self, name: str) -> ToolParameter:
        """Return the parameter of that name, which has to exist."""
        return next(p for p in self.parameters if p.name == name)


def number(
    name: str, unit: str, low: float, high: float, about: str, default: object = REQUIRED
) -> ToolParameter:
    """Return a number; one whose default is None may be None."""
    return ToolParameter(name, "number", about, unit, low, high, default, optional=default is None)


def choice(
    name: str, choices: tuple[Any, ...], about: str, default: object, unit: str = ""
) -> ToolParameter:
    """Return a choice; one whose default is None may be None."""
    return ToolParameter(
        name, "choice", about, unit, default=default, choices=choices, optional=default is None
    )


def predicate(
    metric: str, op: str, value: object, text: str, tolerance: float | None = None
) -> Json:
    """Return what has to hold after a call, without its subject (see runtime/audio/plan)."""
    found: Json = {"metric": metric, "op": op, "value": value, "text": text}
    return found if tolerance is None else {**found, "tolerance": tolerance}


INPUT = ToolParameter("input", "input", "the sound file that is read")
OUTPUT = ToolParameter(
    "output", "output", "the sound file that is written; its ending is the format"
)
INPUTS = ToolParameter("inputs", "inputs", "the sound files, in order", low=1, high=MAX_INPUTS)
SUBTYPES = ("PCM_16", "PCM_24", "PCM_32", "FLOAT", "VORBIS", "OPUS", "MPEG_LAYER_III", "AAC")
SUBTYPE = choice("subtype", SUBTYPES, "how samples are stored; None keeps the word length", None)
IN_OUT = (INPUT, OUTPUT, SUBTYPE)
SECTION = (
    number("start_s", "s", -14_400, 14_400, "where it begins; negative counts from the end", 0),
    number("end_s", "s", -14_400, 14_400,
           "where it ends; negative counts from the end, None is the end", None),
)  # fmt: skip
"""Where a section lies."""
DBFS = "dBFS"


def section_arguments(said: Json) -> Json:
    """Return the arguments for a section of which only the seconds from the end are said: the
    `last_s` are the section, or it ends `before_end_s`."""
    if (last := said.pop("last_s", None)) is not None:
        said["start_s"] = -last
        if not last:
            said["end_s"] = 0  # "the last 0 s" are nothing, and refused: -0 is the start
    if (before := said.pop("before_end_s", None)) is not None:
        said["end_s"] = -before
    return said


def schema_of(parameters: tuple[ToolParameter, ...]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these keys, such as a tool's arguments."""
    return {
        "type": "object",
        "properties": {p.name: _property(p) for p in parameters},
        "required": [p.name for p in parameters if p.default is REQUIRED],
        "additionalProperties": False,
    }


def _property(parameter: ToolParameter) -> dict[str, Any]:
    unit = f" ({parameter.unit})" if parameter.unit else ""
    about = parameter.about[:1].upper() + parameter.about[1:]
    schema = {"description": f"{about}{unit}.", **_type(parameter)}
    if parameter.optional and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    if parameter.default is not REQUIRED:
        schema["default"] = parameter.default
    return schema


def _type(parameter: ToolParameter) -> dict[str, Any]:
    bounds = {"minimum": parameter.low, "maximum": parameter.high}
    match parameter.kind:
        case "input" | "output" | "pattern":
            return {"type": "string", "minLength": 1}
        case "text":
            return {"type": "string"}
        case "inputs" | "texts":
            least = 1 if parameter.kind == "inputs" else 0
            return {"type": "array", "items": {"type": "string"}, "minItems": least}
        case "number" | "integer":
            return {"type": parameter.kind, **bounds}
        case "numbers":
            return {"type": "array", "items": {"type": "number", **bounds}}
        case "choice":
            none = [None] if parameter.optional else []
            return {"enum": [*parameter.choices, *none]}
        case "flag":
            return {"type": "boolean"}
        case "bands":
            band = schema_of(BAND_PARAMETERS)
            return {"type": "array", "items": band, "minItems": 1, "maxItems": MAX_BANDS}


BAND_PARAMETERS: tuple[ToolParameter, ...] = (
    choice("type", BAND_TYPES, "the form", REQUIRED),
    number("freq_hz", "Hz", 10, 96_000, "where it lies"),
    number("gain_db", "dB", -40, 40, "positive raises"),
    number("q", "", 0.1, 20, "how narrow", 0.7071),
)
"""What each element of `bands` may say."""
