"""The built-in tools as data: what a model is told, and what `check` knows without importing them.

The functions behind them are in runtime/tools and runtime/audio; tests compare the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .audio_tools import AUDIO_TOOLS, schema_of
from .ir import Effect


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool: name, description, JSON Schema of the arguments, effect and where it comes from."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect
    source: Literal["builtin", "lock"]


def _entry(name: str, effect: Effect, description: str, **properties: dict[str, Any]) -> ToolEntry:
    """A built-in tool; a property without default is required."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": [key for key, value in properties.items() if "default" not in value],
        "additionalProperties": False,
    }
    return ToolEntry(name, description, schema, effect, "builtin")


_PATH = {"type": "string", "description": "A path below the root folder, such as src/main.py."}
_FOLDER = {"type": "string", "description": "A folder below the root.", "default": "."}
_REF = {"type": "string", "description": "A commit, branch or tag, such as HEAD~2."}
_PATTERN = {"type": "string", "description": "A glob for file names: *.py.", "default": "*"}


def _number(description: str, default: int, maximum: int) -> dict[str, Any]:
    bounds = {"minimum": 1, "maximum": maximum, "default": default}
    return {"type": "integer", "description": description, **bounds}


_LIMIT = _number("Give at most this many.", 200, 1000)

ASK_TOOL = "request_users_input"
"""The tool with which an agent asks the person: the run waits, the answer is the result (J44)."""

BUILTIN_TOOLS: tuple[ToolEntry, ...] = (
    _entry(
        "read_file", "pure",
        "Read a text file. Gives path, text, line_count, size (bytes) and truncated.",
        path=_PATH,
        start_line=_number("The first line to read, from 1.", 1, 10**9),
        max_lines=_number("Read at most this many lines.", 2000, 10_000),
    ),
    _entry(
        "list_files", "pure",
        "List the files below a folder, sorted. Gives files, count, and whether it is truncated.",
        path=_FOLDER,
        pattern=_PATTERN,
        limit=_LIMIT,
    ),
    _entry(
        "search_files", "pure",
        "Find lines that hold a text. Gives matches (path, line, text), count, and whether it is "
        "truncated.",
        text={"type": "string", "minLength": 1, "description": "The text, taken literally."},
        path=_FOLDER,
        pattern=_PATTERN,
        ignore_case={
            "type": "boolean",
            "description": "Whether A and a are the same.",
            "default": False,
        },
        limit=_LIMIT,
    ),
    _entry(
        "write_file", "idempotent",
        "Write a text file, replacing what was there. Gives path and size in bytes.",
        path=_PATH,
        content={"type": "string", "description": "The whole new text."},
    ),
    _entry(
        "query_json", "pure",
        "Evaluate an expression over a JSON file. The document is called data, as in "
        "data.items.length > 3. Gives value.",
        path=_PATH,
        expression={"type": "string", "description": "What to evaluate."},
    ),
    _entry(
        "git_status", "pure",
        "The state of the repository. Gives branch, head, clean, and changed (path, status).",
    ),
    _entry(
        "git_log", "pure",
        "The last commits, newest first. Gives count and commits (hash, author, date, subject).",
        count=_number("Give at most this many.", 10, 200),
        ref={**_REF, "default": "HEAD"},
        path={**_PATH, "default": "."},
    ),
    _entry(
        "git_diff", "pure",
        "What changed in the working tree since a commit. Gives diff, files (path, added, "
        "removed), count, and whether the diff is truncated.",
        ref={**_REF, "default": "HEAD"},
        path={**_PATH, "default": "."},
    ),
    _entry(
        "git_show", "pure",
        "One commit. Gives hash, author, date, subject, body, diff, files (path, added, removed), "
        "and whether the diff is truncated.",
        ref={**_REF, "default": "HEAD"},
    ),
    _entry(
        ASK_TOOL, "pure",
        "Ask the user a question and wait for the answer, which is the result.",
        question={"type": "string", "minLength": 1, "description": "The question."},
    ),
)  # fmt: skip

AUDIO_ENTRIES: tuple[ToolEntry, ...] = tuple(
    ToolEntry(f"audio_{tool.name}", tool.about, schema_of(tool), tool.effect, "builtin")
    for tool in AUDIO_TOOLS
)
"""The audio tools as workflows name them: `audio_highpass`."""
