"""What the built-in tools give, as JSON Schemas: enough to tell a field that is never there."""

from __future__ import annotations

from collections.abc import Mapping

from .. import ir

BUILT_IN = "a built-in tool's result"
Shape = Mapping[str, ir.Json]


def _object(*names: str, **lists: tuple[str, ...]) -> dict[str, ir.Json]:
    """Return the schema of an object with fields of any kind, and lists of objects with others.
    A tool that a program brings in place of one of these may give more."""
    fields: dict[str, ir.Json] = {name: {} for name in names}
    for name, inner in lists.items():
        fields[name] = {"type": "array", "items": _object(*inner)}
    return {
        "type": "object",
        "properties": fields,
        "additionalProperties": True,
        "$comment": BUILT_IN,
    }


_NUMBERS = ("path", "added", "removed")

RESULTS: Mapping[str, Shape] = {
    "read_file": _object("path", "text", "line_count", "size", "truncated"),
    "list_files": _object("files", "count", "truncated"),
    "search_files": _object("count", "truncated", matches=("path", "line", "text")),
    "write_file": _object("path", "size"),
    "query_json": _object("value"),
    "git_status": _object("branch", "head", "clean", changed=("path", "status")),
    "git_log": _object("count", commits=("hash", "author", "date", "subject")),
    "git_diff": _object("diff", "truncated", "count", files=_NUMBERS),
    "git_show": _object(
        "hash", "author", "date", "subject", "body", "diff", "truncated", files=_NUMBERS
    ),
}
"""By tool; a test holds them against what the tools give."""
