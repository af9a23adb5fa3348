"""Functions of texts: taking them apart, changing them, patterns, places that are filled in.

RE2 runs the patterns, those of `matches` too, in time linear in the text, so that no pattern from a
workflow can hang a run: `(a+)+$` included. What needs backtracking does not exist in it:
look-around, back references, repetition over 1,000.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .function import (
    MAX_ITEMS,
    Function,
    Parameter,
    require_items,
    require_length,
    text,
)
from .values import EvaluationError, Json, Number, preview, read_number, text_of

if TYPE_CHECKING:
    import re2

MAX_CHARACTERS = 1_000
"""A longer pattern is refused."""


def pattern_fault(pattern: str) -> str | None:
    """Return why `pattern` is not a valid regular expression, in a few words; None when it is."""
    read = _compile(pattern)
    return read if isinstance(read, str) else None


def pattern_matches(pattern: str, text: str) -> bool:
    """Return whether the valid `pattern` matches anywhere in `text` (M32)."""
    return bool(_compile(pattern).search(_encodable(text)))


def captures(pattern: str, text: str, most: int) -> Iterator[dict[str, str | None]]:
    """Yield what the groups of the valid `pattern` found at its first `most` places in `text`: by
    number, 0 for the whole, and by name; None for a group that took no part."""
    found = _compile(pattern).finditer(_encodable(text))
    for match in itertools.islice(found, most):
        groups = {str(n): text for n, text in enumerate((match.group(), *match.groups()))}
        yield groups | match.groupdict()


_REASONS = {
    "missing )": "a `(` is not closed",
    "unexpected )": "a `)` closes nothing",
    "missing ]": "a `[` is not closed",
    "no argument for repetition operator": "nothing stands before `{}` that could be repeated",
    "bad repetition operator": "`{}` repeats a repetition",
    "invalid repetition size": "`{}` is not a number of repetitions up to 1,000",
    "invalid perl operator": "`{}` does not exist: look-around is not supported",
    "invalid escape sequence": "`{}` does not exist: back references are not supported",
    "invalid character class range": "`{}` is not a range or class of characters",
    "trailing \\": "it ends with a single `\\`",
}
"""RE2's words for what is wrong, and ours; `{}` is the part of the pattern it is about."""


@functools.lru_cache(maxsize=512)
def _compile(pattern: str) -> Any:
    if len(pattern) > MAX_CHARACTERS:
        return f"it has more than {MAX_CHARACTERS} characters"
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_encodable(pattern), options)
    except re2.error as error:
        return _reason(error)


def _reason(error: re2.error) -> str:
    raw = error.args[0]
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    kind, _, part = text.partition(": ")
    return _REASONS.get(kind, text).replace("{}", part)


def _encodable(text: str) -> str:
    """Replace half a surrogate pair, which is not a character: JSON may smuggle one in."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


MAX_CAPTURES = 100_000
"""The most places at which a pattern may be found."""

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SPEC = re.compile(r"(\d{0,3})(?::([<>^]?)(0?)(\d{0,3})(,?)(?:\.(\d{1,2}))?([fde%]?))?", re.ASCII)


def _first_line(value: Json) -> str:
    return text_of(value).split("\n", 1)[0].strip()


def _separator_fault(separator: str) -> str | None:
    return None if separator else "split needs a separator that is not empty"


def _split(value: Json, separator: Json = None) -> list[Json]:
    parted = text_of(value)
    if separator is None:
        return require_items([*parted.split(None, MAX_ITEMS)], "split")
    by = text_of(separator)
    if fault := _separator_fault(by):
        raise EvaluationError(fault)
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
        "split", (text("text"), text("separator", optional=True, fault=_separator_fault)), "list",
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
