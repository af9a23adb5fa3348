"""Documents: the value that a JSON or a YAML text says, with bounds and words for what is wrong.

YAML is read by its core schema (1.2): `yes` and a date are texts. What could run code or blow up in
memory is not read: tags, merge keys, aliases that repeat more than `MAX_PARTS` parts.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, NoReturn

from .values import EvaluationError, Json, preview, require_finite, text_of

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 100
"""The deepest nesting of lists and objects."""
MAX_PARTS = 1_000_000
"""The most values that a text may say, those of repeated aliases counted each time."""

_CORE: tuple[tuple[re.Pattern[str], Json], ...] = (
    (re.compile(r"~|null|Null|NULL|"), None),
    (re.compile(r"true|True|TRUE"), True),
    (re.compile(r"false|False|FALSE"), False),
)
_INT = re.compile(r"[-+]?[0-9]{1,308}")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]{1,300}|[0-9]{1,300}(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,4})?"
)
_RADIX = re.compile(r"0o([0-7]{1,300})|0x([0-9a-fA-F]{1,250})")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def read_json(value: Json) -> Json:
    """Return the value of a JSON text. Raise `EvaluationError` with the line and column."""
    text = text_of(value)
    try:
        return _Json(text).value()
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise EvaluationError(
            f"it is not JSON, {where}: {error.msg[:1].lower()}{error.msg[1:]}; it says {_cut(text)}"
        ) from None
    except RecursionError:
        raise EvaluationError(f"it is nested more than {MAX_DEPTH} levels deep") from None


def _cut(text: str) -> str:
    return preview(text) if text.strip() else "nothing"


class _Json:
    """Reads one text: constants and numbers that JSON does not have are refused."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self) -> Json:
        read = json.loads(
            self.text, parse_constant=_refuse_constant, parse_int=_whole, parse_float=_fraction
        )
        _refuse_depth(read)
        return read


def _refuse_constant(name: str) -> NoReturn:
    raise EvaluationError(f"it is not JSON: `{name}` is not a JSON value")


def _whole(digits: str) -> int:
    if len(digits) > 309:
        raise EvaluationError("the number is too large")
    return int(require_finite(int(digits)))


def _fraction(digits: str) -> float:
    return float(require_finite(float(digits)))


def _refuse_depth(value: Json) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [part for at in level for part in _parts(at) if isinstance(part, list | dict)]
        if not level:
            return
    raise EvaluationError(f"it is nested more than {MAX_DEPTH} levels deep")


def _parts(value: Json) -> list[Json]:
    match value:
        case list():
            return value
        case dict():
            return [*value.values()]
        case _:
            return []


def read_yaml(value: Json) -> Json:
    """Return the value of a text with one YAML document. Raise `EvaluationError` with the line."""
    import yaml

    try:
        return _Yaml(text_of(value)).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise EvaluationError(f"it is not YAML{where}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise EvaluationError(f"it is not YAML: {str(error).splitlines()[0]}") from None


class _Yaml:
    """Builds the value from the parser's events, so that depth and size are bounded on the way."""

    def __init__(self, text: str) -> None:
        import yaml

        self.yaml = yaml
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self.events = yaml.parse(text.encode("utf-8", "replace"), Loader=loader)
        self.anchors: dict[str, tuple[Json, int]] = {}
        self.parts = 0

    def document(self) -> Json:
        """Return the one document; null when there is none."""
        result: Json = None
        documents = 0
        for event in self.events:
            if isinstance(event, self.yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise EvaluationError("it holds more than one YAML document")
                result = self.node(next(self.events), 0)
        return result

    def node(self, event: yaml.Event, depth: int) -> Json:
        before = self.parts
        self.count(1)
        if depth > MAX_DEPTH:
            raise EvaluationError(f"it is nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, self.yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise EvaluationError(
                    f"nothing is called `&{event.anchor}` before `*{event.anchor}`"
                )
            value, parts = self.anchors[event.anchor]
            self.count(parts)
            return value
        if (tag := getattr(event, "tag", None)) not in (None, "!"):
            raise EvaluationError(f"line {_line(event)}: tags such as `{tag}` are not read")
        value = self.content(event, depth)
        if isinstance(event, self.yaml.NodeEvent) and event.anchor is not None:
            self.anchors[event.anchor] = (value, self.parts - before)
        return value

    def content(self, event: yaml.Event, depth: int) -> Json:
        match event:
            case self.yaml.ScalarEvent():
                return _scalar(event.value) if event.implicit[0] else event.value
            case self.yaml.SequenceStartEvent():
                items: list[Json] = []
                while not isinstance(inner := next(self.events), self.yaml.SequenceEndEvent):
                    items.append(self.node(inner, depth + 1))
                return items
            case _:
                return self.mapping(depth)

    def mapping(self, depth: int) -> dict[str, Json]:
        entries: dict[str, Json] = {}
        while not isinstance(inner := next(self.events), self.yaml.MappingEndEvent):
            line = _line(inner)
            key = self.node(inner, depth + 1)
            if isinstance(key, list | dict):
                raise EvaluationError(f"line {line}: a key is a text")
            name = inner.value if isinstance(inner, self.yaml.ScalarEvent) else text_of(key)
            if name == "<<":
                raise EvaluationError(f"line {line}: merge keys (`<<`) are not read")
            if name in entries:
                raise EvaluationError(f"line {line}: the key `{name}` stands twice")
            entries[name] = self.node(next(self.events), depth + 1)
        return entries

    def count(self, parts: int) -> None:
        self.parts += parts
        if self.parts > MAX_PARTS:
            raise EvaluationError(f"it says more than {MAX_PARTS:,} values")


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def _scalar(text: str) -> Json:
    for pattern, value in _CORE:
        if pattern.fullmatch(text):
            return value
    if _INT.fullmatch(text):
        return require_finite(int(text))
    if radix := _RADIX.fullmatch(text):
        return int(radix[1], 8) if radix[1] else int(radix[2], 16)
    if _ENDLESS.fullmatch(text):
        raise EvaluationError(f"`{text}` is not a number that JSON has")
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else require_finite(number)
    return text
