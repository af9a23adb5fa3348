"""Functions of points in time: texts in ISO 8601 with their distance from UTC.

2026-03-28T12:00:00+01:00   plus a day in Europe/Berlin   ->   2026-03-29T12:00:00+02:00
"""

from __future__ import annotations

from .function import Function, Parameter, number, text
from .times import (
    UNITS,
    add_time,
    format_time,
    parse_time,
    pattern_fault,
    time_between,
    unit_fault,
    zone_fault,
)

_TIME = Parameter("time")
_ZONE = text("zone", optional=True, fault=zone_fault)
_UNIT_WORDS = ", ".join(f"`{unit}`" for unit in UNITS)

TIMES: tuple[Function, ...] = (
    Function(
        "now", (_ZONE,), "text",
        "The time at which the node began its visit, in UTC or a time zone: the same for all"
        " expressions of a visit, after a crash too.", None, (), "constant",
        also=("today", "date", "current_time", "timestamp"),
    ),
    Function(
        "parse_time", (_TIME, _ZONE, text("pattern", optional=True, fault=pattern_fault)), "text",
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
        "format_time", (_TIME, text("pattern", fault=pattern_fault), _ZONE), "text",
        "The time by a pattern of `%Y`, `%m`, `%d`, `%H`, `%M`, `%S`, `%f`, `%j`, `%a`, `%A`, `%b`,"
        " `%B`, `%y`, `%I`, `%p`, `%z`, `%Z`, `%G`, `%V`, `%u`, `%s` and `%%`.", format_time,
        (
            ('format_time("2026-03-29T23:30:00Z", "%a %d.%m.%Y %H:%M %z", "Europe/Berlin")',
             '"Mon 30.03.2026 01:30 +0200"'),
        ),
        "constant", also=("strftime", "format_date", "date_format"),
    ),
    Function(
        "add_time", (_TIME, number("amount"), text("unit", fault=unit_fault), _ZONE), "text",
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
        (Parameter("start"), Parameter("end"), text("unit", optional=True, fault=unit_fault)),
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
