"""Functions of texts: taking them apart, changing them, patterns, places that are filled in."""

from __future__ import annotations

import re

from .function import (
    MAX_ITEMS,
    Function,
    Parameter,
    require_items,
    require_length,
    text,
)
from .patterns import captures, pattern_fault
from .values import EvaluationError, Json, Number, preview, read_number, text_of

MAX_CAPTURES = 100_000
"""The most places at which a pattern may be found."""

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SPEC = re.compile(r"(\d{0,3})(?::([<>^]?)(0?)(\d{0,3})(,?)(?:\.(\d{1,2}))?([fde%]?))?", re.ASCII)


def _first_line(value: Json) -> str:
    return text_of(value).split("\n", 1)[0].strip()


def _split(value: Json, separator: Json = None) -> list[Json]:
    parted = text_of(value)
    if separator is None:
        return require_items([*parted.split(None, MAX_ITEMS)], "split")
    if not (by := text_of(separator)):
        raise EvaluationError("split needs a separator that is not empty")
    return require_items([*parted.split(by, MAX_ITEMS)], "split") if parted else []


def _lines(value: Json) -> list[Json]:
    parted = text_of(value).replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    return require_items([*parted.split("\n", MAX_ITEMS)], "lines") if text_of(value) else []


def _replace(value: Json, old: Json, new: Json) -> str:
    whole, part, other = text_of(value), text_of(old), text_of(new)
    if not part:
        raise EvaluationError("replace needs a text to look for that is not empty")
    require_length(len(whole) + whole.count(part) * (len(other) - len(part)), "replace")
    return whole.replace(part, other)


def _captures(value: Json, pattern: Json) -> Json:
    return next(iter(_places(value, pattern, 1)), None)


def _all_captures(value: Json, pattern: Json) -> list[Json]:
    found = _places(value, pattern, MAX_CAPTURES + 1)
    if len(found) > MAX_CAPTURES:
        raise EvaluationError(f"all_captures finds more than {MAX_CAPTURES:,} places")
    return found


def _places(value: Json, pattern: Json, most: int) -> list[Json]:
    written = text_of(pattern)
    if fault := pattern_fault(written):
        raise EvaluationError(f"`{written[:60]}` is not a regular expression: {fault}")
    return [*captures(written, text_of(value), most)]


def format_fault(template: str) -> str | None:
    """Return what is wrong with the places of a text that `format` fills; None when nothing is."""
    for place in _PLACE.finditer(template):
        if place[1] is None and place[0] not in ("{{", "}}"):
            return f"`{place[0]}` stands alone: write `{place[0] * 2}` for the character"
        if place[1] is not None and not _SPEC.fullmatch(place[1]):
            return f"`{place[0]}` is not a place such as `{{}}`, `{{0}}`, `{{:.2f}}`, `{{:>8}}`"
    return None


def _format(template: Json, *values: Json) -> str:
    pattern = text_of(template)
    if fault := format_fault(pattern):
        raise EvaluationError(f"format cannot read its text: {fault}")
    count, length, parts, at = 0, 0, [], 0
    for place in _PLACE.finditer(pattern):
        parts.append(pattern[at : place.start()])
        at = place.end()
        if place[1] is None:
            parts.append(place[0][0])
            continue
        spec = _SPEC.fullmatch(place[1])
        assert spec is not None, "the fault above"
        index = int(spec[1]) if spec[1] else count
        count += not spec[1]
        if index >= len(values):
            raise EvaluationError(f"format has no value {index + 1} for `{place[0]}`")
        parts.append(_fill(values[index], spec))
        length += len(parts[-1])
        require_length(length, "format")
    return "".join([*parts, pattern[at:]])


def _fill(value: Json, spec: re.Match[str]) -> str:
    align, zero, width, comma, precision, kind = spec.group(2, 3, 4, 5, 6, 7)
    numeric = bool(zero or comma or precision or kind)
    if not numeric and not isinstance(value, int | float):
        shown = text_of(value)
        side = {">": str.rjust, "^": str.center}.get(align or "<", str.ljust)
        return side(shown, int(width or 0))
    number = read_number(value)
    if number is None:
        raise EvaluationError(f"`{{{spec[0]}}}` needs a number, not {preview(value)}")
    if not numeric:
        side = {"<": str.ljust, "^": str.center}.get(align or ">", str.rjust)
        return side(text_of(value), int(width or 0))
    return _number_text(number, spec)


def _number_text(number: Number, spec: re.Match[str]) -> str:
    align, zero, width, comma, precision, kind = spec.group(2, 3, 4, 5, 6, 7)
    if kind == "d":
        if number != int(number):
            raise EvaluationError(f"`{{{spec[0]}}}` needs a whole number, not {number}")
        number, precision = int(number), None
    digits = f".{precision}" if precision else ""
    kind = kind or ("f" if precision else "")
    try:
        return format(number, f"{align or ''}{zero or ''}{width or ''}{comma or ''}{digits}{kind}")
    except (ValueError, OverflowError):
        raise EvaluationError(f"`{{{spec[0]}}}` cannot show {number}") from None


_TEXT = Parameter("text")
_PATTERN = text("pattern", fault=pattern_fault)

TEXTS: tuple[Function, ...] = (
    Function(
        "lower", (_TEXT,), "text", "The text in lower case.", lambda v: text_of(v).lower(),
        (('lower("ÄB")', '"äb"'),), also=("lowercase", "to_lower", "toLowerCase"),
    ),
    Function(
        "upper", (_TEXT,), "text", "The text in upper case.", lambda v: text_of(v).upper(),
        (('upper("äb")', '"ÄB"'),), also=("uppercase", "to_upper", "toUpperCase"),
    ),
    Function(
        "trim", (_TEXT,), "text", "The text without white space around it.",
        lambda v: text_of(v).strip(), ((r'trim("  a b\n")', '"a b"'),), also=("strip",),
    ),
    Function(
        "first_line", (_TEXT,), "text", "The first line of the text, trimmed.", _first_line,
        (("first_line(RESULT)", '"SUCCESS"'),),
    ),
    Function(
        "lines", (text("text"),), "list",
        "The lines of the text, without their ends; none of an empty text.", _lines,
        (
            ("lines(RESULT)", '["SUCCESS", "all 12 tests passed"]'),
            (r'lines("a\r\n\nb\n")', '["a", "", "b"]'),
        ),
        also=("splitlines", "split_lines"),
    ),
    Function(
        "split", (text("text"), text("separator", optional=True)), "list",
        "The parts of the text between separators, or between white space.", _split,
        (
            ('split(" a  b ")', '["a", "b"]'),
            ('split("a,,b", ",")', '["a", "", "b"]'),
            ('split("a", "")', "*fails:* split needs a separator that is not empty"),
        ),
        also=("explode", "tokenize"),
    ),
    Function(
        "replace", (text("text"), text("old"), text("new")), "text",
        "The text with every occurrence of `old`, which is not a pattern, replaced.", _replace,
        (('replace("a.b.c", ".", "/")', '"a/b/c"'),), also=("sub", "gsub", "replaceAll"),
    ),
    Function(
        "captures", (text("text"), _PATTERN), "any",
        "What the groups of a regular expression found first, by number (0 is the whole) and name;"
        " null where nothing is found.", _captures,
        (
            (r'captures(RESULT, "(\d+) tests")[1]', '"12"'),
            (r'captures(RESULT, "(?P<count>\d+) tests").count', '"12"'),
            ('captures(RESULT, "failed")', "null"),
        ),
        weight=4, also=("regex", "match", "extract", "search", "capture"),
    ),
    Function(
        "all_captures", (text("text"), _PATTERN), "list",
        "The same of every place where it is found, in their order.", _all_captures,
        ((r'map(all_captures("a=1 b=2", "(\w)=(\d)"), item[2])', '["1", "2"]'),),
        weight=4, also=("findall", "find_all", "scan"),
    ),
    Function(
        "format", (text("text", fault=format_fault), Parameter("value", optional=True, many=True)),
        "text",
        "The text with values in its places: `{}`, `{0}`, `{:.2f}`, `{:,}`, `{:05d}`, `{:>8}`,"
        " `{:.0%}`. Two braces are one.", _format,
        (
            ('format("{} of {}: {:.1f}", "Ada", COUNT, GRADE)', '"Ada of 3: 7.5"'),
            ('format("{0}, {0}", COUNT)', '"3, 3"'),
            ('format("{:,} {:04d} {:.0%}", 1234567, 42, 0.256)', '"1,234,567 0042 26%"'),
            ('format("{} {}", 1)', "*fails:* format has no value 2 for `{}`"),
        ),
        also=("sprintf", "printf", "number_format"),
    ),
)  # fmt: skip
