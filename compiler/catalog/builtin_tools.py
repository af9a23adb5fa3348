"""The built-in tools as data, for models and for `check`, which imports none of them.

The functions behind them are in runtime/tools and runtime/audio; tests compare the two.
"""

from __future__ import annotations

from typing import Any, Literal

from ..ir import Effect
from ..source.records import dataclass
from .audio_model import schema_of
from .audio_tools import AUDIO_TOOLS


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool: name, description, JSON Schema of the arguments, effect and where it comes from; of
    one in the lock, the source that has it (`mcp:NAME`)."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect
    source: Literal["builtin", "lock"]
    provider: str = ""


def _entry(name: str, effect: Effect, description: str, **properties: dict[str, Any]) -> ToolEntry:
    """Return a built-in tool; a property without default is required."""
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


def _flag(description: str, default: bool) -> dict[str, Any]:
    return {"type": "boolean", "description": description, "default": default}


def _choice(description: str, *choices: str, **more: str) -> dict[str, Any]:
    return {"enum": [*choices], "description": description, **more}


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
        "truncated. Fails below a folder with more than 200,000 files or 512 MiB of text.",
        text={"type": "string", "minLength": 1, "description": "The text, taken literally."},
        path=_FOLDER,
        pattern=_PATTERN,
        ignore_case=_flag("Whether A and a are the same.", False),
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
    ToolEntry(f"audio_{tool.name}", tool.about, schema_of(tool.parameters), tool.effect, "builtin")
    for tool in AUDIO_TOOLS
)
"""The audio tools as workflows name them: `audio_highpass`."""

_DOCUMENT = {
    "type": "string",
    "minLength": 1,
    "description": "The living document: the `document` that every one of these tools gives.",
}
_STEP = {"type": "string", "minLength": 1, "description": "A step's ID, such as step_2."}
_TEXTS = {"type": "array", "items": {"type": "string"}, "default": []}


def _text(description: str, **more: object) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


_PLANNED_STEP = {
    "type": "object",
    "properties": {
        "title": _text("A few words.", minLength=1),
        "description": _text("What the step has to do."),
        "input": _text("The file it reads, unless it is what the step before it writes."),
        "output": _text("The file it writes, unless its name is of no concern."),
        "code": _text("N/A for a step that a person does."),
    },
    "required": ["title"],
}

DOCUMENT_ENTRIES: tuple[ToolEntry, ...] = (
    _entry(
        "document_create", "idempotent",
        "Begin a living document for a request: workflow_TIME_HASH.md in the folder of the run. "
        "Gives everything that it says.",
        request=_text("What is asked for, in the words of whoever asks.", minLength=1),
        input=_text("The sound file.", minLength=1),
    ),
    _entry(
        "document_read", "pure",
        "Everything that a living document says: id, request, input, goal, requirements, "
        "constraints, criteria, steps, overall, summary, and its text.",
        document=_DOCUMENT,
    ),
    _entry(
        "document_plan", "idempotent",
        "Write requirements and steps into a living document, behind the steps that it has. Gives "
        "everything that it says.",
        document=_DOCUMENT,
        steps={"type": "array", "items": _PLANNED_STEP, "description": "In their order."},
        goal=_text("What is to come of it, in a sentence.", default=""),
        requirements={**_TEXTS, "description": "What the result has to be."},
        constraints={**_TEXTS, "description": "What has to be kept to."},
        criteria={**_TEXTS, "description": "What makes it a success."},
    ),
    _entry(
        "document_next", "pure",
        "The step whose turn it is. Gives action (code: it needs code; execute: it has some; "
        "person: a person does it; end: nothing is left, and overall says how it went), step (its "
        "ID), title, description, status, input, output, code, attempts (that failed), and request "
        "(the whole document and the ID, for whoever writes the code).",
        document=_DOCUMENT,
    ),
    _entry(
        "document_update", "idempotent",
        "A step's status becomes RUNNING (its code is being written), CODE_GENERATED (with code), "
        "EXECUTING, DONE (with results) or FAILED (with an error), by way of those in between, "
        "with times and lines of the log. Gives the step; of one that has failed also retry "
        "(whether it may be tried again) and request (for whoever analyzes the error). Refused "
        "when the step is elsewhere by now.",
        document=_DOCUMENT,
        step=_STEP,
        status=_choice(
            "What it becomes.", "READY", "RUNNING", "CODE_GENERATED", "EXECUTING", "DONE", "FAILED",
        ),
        code=_text("For CODE_GENERATED: one call.", default=""),
        results=_text("For DONE: what came of it.", default=""),
        error=_text("For FAILED: what went wrong.", default=""),
        retries=_number("For FAILED: it may be tried again so often.", 3, 100),
    ),
    _entry(
        "document_fix", "idempotent",
        "Give a step that has failed other code; it is READY to be executed again. Gives the step "
        "and changed: false when the code is what failed, and nothing was written.",
        document=_DOCUMENT,
        step=_STEP,
        code=_text("One call.", minLength=1),
    ),
    _entry(
        "document_log", "idempotent",
        "Add a line to the log of a living document, unless it ends with that line.",
        document=_DOCUMENT,
        text=_text("One line.", minLength=1),
    ),
    _entry(
        "document_review", "idempotent",
        "Write down what a review of the sound came to: notes of a step, or else of the last one "
        "that is DONE, and a line of the log.",
        document=_DOCUMENT,
        verdict={"enum": ["passed", "failed", "not measured"], "description": "What it came to."},
        notes=_text("What was found.", default=""),
        step=_text("A step's ID.", default=""),
    ),
    _entry(
        "document_finish", "idempotent",
        "Write the final output of a living document: its status, the final file (that of the last "
        "step that is DONE, unless another is given) and a summary. Gives everything that it says.",
        document=_DOCUMENT,
        status=_choice("How it ended.", "SUCCESS", "FAILURE", "REQUIRES_REVIEW"),
        summary=_text("In a sentence or two.", default=""),
        final=_text("The final file.", default=""),
    ),
)  # fmt: skip
"""The tools with which a workflow lives in a document."""

_MESSAGE = _text("What to say.", minLength=1, maxLength=2000)
_DATA = {"type": "object", "description": "Values beside the text.", "default": {}}

TEAM_ENTRIES: tuple[ToolEntry, ...] = (
    _entry(
        "team_send", "idempotent",
        "Write to other agents of the team. Gives message_id, position and sent_to (roles).",
        to={
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 200},
            "minItems": 1,
            "maxItems": 100,
            "description": 'Their roles or agent ids, or ["ALL"].',
        },
        text=_MESSAGE,
        message_type=_choice(
            "What it is.",
            "information", "request", "response", "coordination", default="information",
        ),
        priority=_choice(
            "How pressing it is.", "low", "normal", "high", "urgent", default="normal",
        ),
        requires_response=_flag("Whether each of them is to respond.", False),
        data=_DATA,
    ),
    _entry(
        "team_read", "idempotent",
        "Read what other agents of the team wrote to you: the oldest that you have not read, which "
        "you have read from then on. Gives messages, and unread: how many more there are.",
        unread_only=_flag(
            "Whether to leave out what you have read; else the latest are given.", True
        ),
        limit=_number("Give at most this many.", 20, 50),
    ),
    _entry(
        "team_respond", "idempotent",
        "Respond to a message that asks for it. Gives message_id, position, and "
        "original_message_updated: whether this was the response that was waited for.",
        message_id=_text("The message.", minLength=1, maxLength=200),
        text=_MESSAGE,
        status=_choice(
            "What came of the request; partial: more follows.",
            "completed", "partial", "unable", "delegated", default="completed",
        ),
        data=_DATA,
    ),
)  # fmt: skip
"""The tools with which models of a team write to each other."""

_PREDICATE = {
    "type": "object",
    "properties": {
        "metric": _text("A metric, such as integrated_lufs."),
        "op": {"enum": ["==", "!=", "<=", ">=", "<", ">"]},
        "value": {"type": ["number", "string", "boolean"]},
        "tolerance": {"type": ["number", "null"], "minimum": 0},
        "subject": _text("result, or the ID of a step."),
        "text": _text("The requirement in words."),
    },
    "required": ["metric", "op", "value"],
}


def _count(description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 0, "default": 0, "description": description}


_KNOWN = {"type": ["integer", "null"], "default": None}

AUDIO_WORK_ENTRIES: tuple[ToolEntry, ...] = (
    _entry(
        "audio_catalogue", "pure",
        "What a prompt says of sound: its tools, the metrics of requirements, formats of files.",
    ),
    _entry(
        "audio_places", "pure",
        "Check that nothing is going to be written over the sound that is edited: neither the "
        "result nor what a step of a living document writes, whatever their paths are called. The "
        "result is this run's until it ends: another run that is to write it is refused.",
        input=_text("The sound file that is edited.", minLength=1),
        output=_text("The file of the result; empty when its name is of no concern.", default=""),
        document=_text("A living document that is carried on; empty for none.", default=""),
    ),
    _entry(
        "audio_readable", "pure",
        "Refuse a request that the rules do not read, where they plan; nothing is measured.",
        audio=_text("The sound file that is edited.", minLength=1), request=_text("The request."),
        output=_text("The file of the result; empty when its name is of no concern.", default=""),
    ),
    _entry(
        "audio_let_go", "idempotent",
        "Remove the file that a step of a living document has read, if a step wrote it and nothing "
        "needs it any more. It is made again when a step that reads it is done again.",
        document=_DOCUMENT, step=_STEP,
    ),
    _entry(
        "audio_plan", "pure",
        "Complete a plan: requirements become criteria that can be measured, the last step gets "
        "the result's file. Gives goal, requirements, constraints, criteria and steps, as "
        "document_plan takes them, and problem: empty, or what is wrong with the plan.",
        plan={"type": "object", "description": "goal, requirements, constraints, steps, format."},
        id=_text("The document's id.", minLength=1), audio=_text("The sound file.", minLength=1),
        output=_text("The file of the result; empty for one beside the document.", default=""),
        request=_text("The request: what its words require holds for every plan.", default=""),
        first=_count("Steps of earlier plans."), round=_count("Plans that there were before."),
        sample_rate_hz={**_KNOWN, "description": "That of the sound that is edited."},
        channels={**_KNOWN, "description": "Those of the sound that is edited."},
    ),
    _entry(
        "audio_execute", "idempotent",
        "Execute the code of a step: one call of one audio tool with literal arguments, which is "
        "read and never run, or a program where that is allowed. Gives ok, results, and error: "
        "what was wrong with the code.",
        code=_text("The call."), input=_text("The file that the step reads.", minLength=1),
        output=_text("What it has to write.", minLength=1),
        also={**_TEXTS, "description": "Further files that it may read."},
        source=_text("The sound that the plan is about; empty for none.", default=""),
        last=_flag("The output is the result: it gets tags and word length of the source.", True),
        document=_text("Where the step stands; what it requires is measured.", default=""),
        step=_text("The ID of the step there.", default=""),
        keep=_flag("The file that is read stays, even if it can be made again.", False),
        free=_flag("Code that writes OUTPUT may be a program, which runs in the sandbox.", False),
    ),
    _entry(
        "audio_check", "pure",
        "Hold requirements against the measured numbers of a file, and of the one before it. Gives "
        "verdict (passed, failed, not measured), checks with measured values, and a table.",
        checks={"type": "array", "items": _PREDICATE, "description": "What is required."},
        output=_text("The file that is judged.", minLength=1),
        input=_text("The file before, for metrics that compare; empty for none.", default=""),
    ),
    _entry(
        "audio_review", "pure",
        "Hold the success criteria of a living document against the measured numbers of its files. "
        "Gives the same as audio_check; a criterion that nobody can measure is not measured. What "
        "held before the edit proves nothing, and a step that nothing proves does not pass.",
        document=_DOCUMENT, since=_count("Steps of plans that were given up."),
    ),
)  # fmt: skip
"""The tools of workflows that edit sound by a plan."""

_GROUPS = (BUILTIN_TOOLS, AUDIO_ENTRIES, AUDIO_WORK_ENTRIES, DOCUMENT_ENTRIES, TEAM_ENTRIES)
BUILTIN = {tool.name: tool for group in _GROUPS for tool in group}
"""The tools that come with flowc, by name; `runtime.tools` provides exactly these."""

SOUND_TOOLS = frozenset(entry.name for entry in AUDIO_ENTRIES) | {
    "audio_execute",
    "audio_readable",
    "audio_check",
    "audio_review",
}
"""The tools that open sound files, which they do in the sandbox."""
