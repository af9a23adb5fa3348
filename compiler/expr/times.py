"""Times: points in time as texts in ISO 8601, read, written, added and subtracted in time zones.

Arithmetic in days and longer is that of a calendar and a clock on the wall in a zone; in hours and
shorter it is that of a stopwatch. Zones are those of the IANA database.
"""

from __future__ import annotations

import calendar
import functools
import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal as Lit

from .function import Function, Parameter
from .function import number as number_parameter
from .function import text as text_parameter
from .values import EvaluationError, Json, Number, preview, require_finite, text_of

Unit = Lit["seconds", "minutes", "hours", "days", "weeks", "months", "years"]
UNITS: tuple[Unit, ...] = ("seconds", "minutes", "hours", "days", "weeks", "months", "years")
_SECONDS: dict[str, int] = {
    "seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800,
}  # fmt: skip
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,40}(?:/[A-Za-z0-9_+-]{1,40}){0,2}")
_OTHER_PATTERN = re.compile(r"(?<![A-Za-z])(?:YYYY|yyyy|MM|DD|dd|HH|hh|mm|ss)(?![A-Za-z])")
_DIRECTIVE = re.compile(r"%(.?)", re.DOTALL)
_WRITTEN = frozenset("YmdHMSfjaAbByIpzZGVus%")
_READ = frozenset("YmdHMSfjaAbByIpz%")
_LONGEST = 200
"""Characters of a pattern, and of a text that says a time."""


@functools.lru_cache(maxsize=128)
def find_zone(name: str) -> tzinfo | str:
    """Return the zone, or what is wrong with its name."""
    if name in ("UTC", "Z"):
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    wrong = f"there is no time zone `{name[:60]}`: names are such as `Europe/Berlin` or `UTC`"
    if not _ZONE.fullmatch(name):
        return wrong
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return wrong if _has_zones() else "this machine knows no time zones: pip install tzdata"


def _has_zones() -> bool:
    return bool(zone_names())


@functools.cache
def zone_names() -> frozenset[str]:
    """Return the names of the time zones that this machine knows."""
    from zoneinfo import available_timezones

    return frozenset(available_timezones())


def zone_fault(name: str) -> str | None:
    """Return why a text is not the name of a time zone; None when it is."""
    zone = find_zone(name)
    return zone if isinstance(zone, str) else None


def pattern_fault(pattern: str) -> str | None:
    """Return what is wrong with a pattern for times; None when nothing is."""
    other = _OTHER_PATTERN.search(pattern) if "%" not in pattern else None
    if other is not None:
        return f"`{other[0]}` is not a part of a time: write `%Y-%m-%d %H:%M:%S`"
    return _pattern_fault(pattern, _WRITTEN)


def _pattern_fault(pattern: str, known: frozenset[str]) -> str | None:
    if len(pattern) > _LONGEST:
        return f"a pattern has at most {_LONGEST} characters"
    for match in _DIRECTIVE.finditer(pattern):
        if match[1] not in known or not match[1]:
            shown = ", ".join(f"%{sign}" for sign in sorted(known))
            return f"`{match[0]}` is not a part of a time: there are {shown}"
    return None


def _length_fault(unit: str) -> str | None:
    """Return why a text is not a unit that is always as long."""
    if (fault := unit_fault(unit)) or _plural(unit) in _SECONDS:
        return fault
    return f"{_plural(unit)} have no fixed length: take days"


def unit_fault(unit: str) -> str | None:
    """Return why a text is not a unit of time; None when it is."""
    if _plural(unit) in UNITS:
        return None
    return f"`{unit[:40]}` is not a unit of time: there are {', '.join(UNITS)}"


def _plural(unit: str) -> str:
    word = unit.strip().lower()
    return word if word.endswith("s") else f"{word}s"


def _require_zone(name: Json) -> tzinfo | None:
    if name is None:
        return None
    zone = find_zone(text_of(name))
    if isinstance(zone, str):
        raise EvaluationError(zone)
    return zone


def _moment(value: Json, zone: tzinfo | None) -> datetime:
    """Return the point in time that a text or a number of seconds says, in the zone if there is
    one."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(require_finite(value), zone or UTC)
        if isinstance(value, str) and len(value) <= _LONGEST:
            return _in_zone(datetime.fromisoformat(value.strip()), zone)
    except (ValueError, OverflowError, OSError):
        pass
    raise EvaluationError(
        f"{preview(value)} is not a time: one is such as `2026-03-29T10:00:00+02:00`"
    )


def _in_zone(time: datetime, zone: tzinfo | None) -> datetime:
    """Return the time in the zone; one without a zone of its own is read in it."""
    if time.tzinfo is None:
        # There and back: a time that the clocks skipped becomes one that there was.
        return time.replace(tzinfo=zone or UTC).astimezone(UTC).astimezone(zone or UTC)
    return time if zone is None else time.astimezone(zone)


def now_text(seconds: float, zone: Json = None) -> str:
    """Return a time in seconds since 1970 as a text, in UTC or the zone."""
    return _moment(seconds, _require_zone(zone)).isoformat(timespec="seconds")


def parse_time(value: Json, zone: Json = None, pattern: Json = None) -> str:
    """Return a time as a text in ISO 8601; see the table of functions."""
    within = _require_zone(zone)
    if pattern is None:
        return _moment(value, within).isoformat()
    written, text = text_of(pattern), text_of(value)
    directives = [match[1] for match in _DIRECTIVE.finditer(written) if match[1] != "%"]
    fault = _pattern_fault(written, _READ)
    if fault is None and len({*directives}) < len(directives):
        fault = "it asks for one part twice"
    if fault is not None:
        raise EvaluationError(f"the pattern of parse_time cannot be read: {fault}")
    try:
        read = datetime.strptime(text[: _LONGEST + 1], written)
        return _in_zone(read, within).isoformat()
    except (ValueError, OverflowError):
        raise EvaluationError(f"{preview(text)} does not read as `{written}`") from None


def format_time(value: Json, pattern: Json, zone: Json = None) -> str:
    """Return a time by a pattern. Raise `EvaluationError`."""
    time, written = _moment(value, _require_zone(zone)), text_of(pattern)
    if fault := pattern_fault(written):
        raise EvaluationError(f"the pattern of format_time cannot be read: {fault}")
    own = {"Y": f"{time.year:04d}", "G": f"{time.isocalendar().year:04d}", "%": "%"}
    own |= {"Z": _zone_name(time), "s": str(int(time.timestamp()))}
    # Years below 1000 and zones are written in another way on every system.
    parts = (own.get(m[1]) or time.strftime(m[0]) for m in _DIRECTIVE.finditer(written))
    return _DIRECTIVE.sub(lambda _: next(parts), written)


def _zone_name(time: datetime) -> str:
    return time.tzname() or ""


def add_time(value: Json, amount: Number, unit: Json, zone: Json = None) -> str:
    """Return the time so many units later. Raise `EvaluationError` beyond the years 1 to 9999."""
    time, of = _moment(value, _require_zone(zone)), text_of(unit)
    if fault := unit_fault(of):
        raise EvaluationError(fault)
    try:
        match _plural(of):
            case "seconds" | "minutes" | "hours" as short:
                later = time.astimezone(UTC) + timedelta(seconds=amount * _SECONDS[short])
                return later.astimezone(time.tzinfo).isoformat()
            case "days" | "weeks" as long:
                days = timedelta(days=amount * _SECONDS[long] // 86_400)
                if amount != int(amount):
                    days = timedelta(days=amount * _SECONDS[long] / 86_400)
                return _on_the_wall(time, time.replace(tzinfo=None) + days)
            case months:
                if amount != int(amount):
                    raise EvaluationError(f"add_time needs a whole number of {months}")
                whole = int(amount) * (12 if months == "years" else 1)
                return _on_the_wall(time, _months_later(time, whole))
    except (OverflowError, ValueError):
        raise EvaluationError("the time is beyond the years 1 to 9999") from None


def _on_the_wall(before: datetime, later: datetime) -> str:
    return _in_zone(later, before.tzinfo).isoformat()


def _months_later(time: datetime, months: int) -> datetime:
    year, month = divmod(time.year * 12 + time.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError
    day = min(time.day, calendar.monthrange(year, month + 1)[1])
    return time.replace(year=year, month=month + 1, day=day, tzinfo=None)


def time_between(start: Json, end: Json, unit: Json = "seconds") -> Number:
    """Return how many units lie from one time to another; negative when the second is earlier."""
    of = text_of(unit)
    if fault := _length_fault(of):
        raise EvaluationError(fault)
    length = _SECONDS[_plural(of)]
    seconds = (_moment(end, None) - _moment(start, None)).total_seconds()
    count = seconds / length
    return int(count) if count.is_integer() else count


_TIME = Parameter("time")
_ZONE_NAME = text_parameter("zone", optional=True, fault=zone_fault)
_UNIT = text_parameter("unit", fault=unit_fault)
_UNIT_WORDS = ", ".join(f"`{unit}`" for unit in UNITS)

TIMES: tuple[Function, ...] = (
    Function(
        "now", (_ZONE_NAME,), "text",
        "The time at which the node began its visit, in UTC or a time zone: the same for all"
        " expressions of a visit, after a crash too.", None, (), "constant",
        also=("today", "date", "current_time", "timestamp"),
    ),
    Function(
        "parse_time",
        (_TIME, _ZONE_NAME, text_parameter("pattern", optional=True, fault=pattern_fault)), "text",
        "A time as ISO 8601: of a text in that form (without a distance from UTC it is read in the"
        " zone) or in that of a pattern, or of seconds since 1970; in UTC or the zone.", parse_time,
        (
            ('parse_time("2026-03-29")', '"2026-03-29T00:00:00+00:00"'),
            ('parse_time("2026-03-29T10:00:00Z", "Europe/Berlin")', '"2026-03-29T12:00:00+02:00"'),
            ('parse_time("29.3.26 8:05", "Asia/Tokyo", "%d.%m.%y %H:%M")',
             '"2026-03-29T08:05:00+09:00"'),
            ("parse_time(0)", '"1970-01-01T00:00:00+00:00"'),
            ('parse_time("soon")', "*fails:* `soon` is not a time"),
        ),
        "constant", also=("to_time", "to_date", "strptime", "parse_date", "as_timezone"),
    ),
    Function(
        "format_time", (_TIME, text_parameter("pattern", fault=pattern_fault), _ZONE_NAME), "text",
        "The time by a pattern of `%Y`, `%m`, `%d`, `%H`, `%M`, `%S`, `%f`, `%j`, `%a`, `%A`, `%b`,"
        " `%B`, `%y`, `%I`, `%p`, `%z`, `%Z`, `%G`, `%V`, `%u`, `%s` and `%%`.", format_time,
        (
            ('format_time("2026-03-29T23:30:00Z", "%a %d.%m.%Y %H:%M %z", "Europe/Berlin")',
             '"Mon 30.03.2026 01:30 +0200"'),
        ),
        "constant", also=("strftime", "format_date", "date_format"),
    ),
    Function(
        "add_time", (_TIME, number_parameter("amount"), _UNIT, _ZONE_NAME), "text",
        f"The time so many {_UNIT_WORDS} later, or earlier. Days and longer keep the time of day in"
        " the zone; where a month has no such day its last one is meant.", add_time,
        (
            ('add_time("2026-03-28T12:00:00+01:00", 1, "day", "Europe/Berlin")',
             '"2026-03-29T12:00:00+02:00"'),
            ('add_time("2026-01-31", 1, "month")', '"2026-02-28T00:00:00+00:00"'),
            ('add_time("2026-01-31", -90, "minutes")', '"2026-01-30T22:30:00+00:00"'),
        ),
        "constant", also=("date_add", "dateadd", "plus"),
    ),
    Function(
        "time_between",
        (Parameter("start"), Parameter("end"),
         text_parameter("unit", optional=True, fault=_length_fault)),
        "number", "How many `seconds`, or of another unit up to `weeks`, lie between two times.",
        time_between,
        (
            ('time_between("2026-03-28", "2026-03-29", "hours")', "24"),
            ('time_between("2026-03-29T10:00:00+02:00", "2026-03-29T08:00:00Z")', "0"),
            ('time_between(0, 1, "months")', "*fails:* months have no fixed length"),
        ),
        "constant", also=("date_diff", "datediff", "time_diff", "elapsed"),
    ),
)  # fmt: skip
