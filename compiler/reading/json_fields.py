"""A JSON file as front ends read it: keys and values with their places, and the faults there.

    tree = read_json(source, sink)
    state = tree.fields(item, "state `review`")
    agent = state.text("agent")              a `Scalar`, or None and a diagnostic
    state.unknown(("name", "agent"))         FC1002 with the nearest known key

A file that does not parse as JSON is read as far as it goes. What is missing from it may have been
lost in the faults: then nothing is reported as missing or unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ..diagnostics.diagnostic import Label, Severity, Sink
from ..ir import Json
from ..source.records import dataclass
from ..source.source import Source, Span
from ..source.spelling import Spelling
from .json_syntax import parse_json
from .tree import ListAt, MapAt, Scalar, Value, depth_of, json_of

MAX_DEPTH = 100
"""Values that go into variables are not nested deeper: everything that walks one may recurse."""


_NUMBER = re.compile(r"\s*-?(?:0|[1-9]\d*)(?:\.\d+)?\s*")
_OTHER_KEYS = {
    **dict.fromkeys(
        ("timeout", "estimated_minutes", "duration"), ("timeout_minutes", "estimated_duration")
    ),
    "retry": ("auto_retry", "failure_handling"),
    **dict.fromkeys(("settings", "options", "config"), ("execution_config",)),
    **dict.fromkeys(("max_attempts", "attempts", "max_retries"), ("max_iterations",)),
    **dict.fromkeys(("inputs", "params", "parameters", "arguments"), ("input_parameters", "input")),
    **dict.fromkeys(("max_tokens", "max_chars", "limit"), ("max_length",)),
    **dict.fromkeys(("entry", "on_enter", "onenter", "before_send"), ("pre_handler", "action")),
    **dict.fromkeys(("exit", "on_exit", "after_answer"), ("post_handler",)),
    **dict.fromkeys(("choices", "branches"), ("transition", "transition_handler")),
    **dict.fromkeys(("needs", "depends_on", "depends", "requires"), ("dependencies",)),
    **dict.fromkeys(("nodes", "tasks", "stages", "phases"), ("states", "steps")),
    **dict.fromkeys(("to", "next", "goto", "state"), ("target",)),
    **dict.fromkeys(("when", "if", "guard"), ("condition",)),
    **dict.fromkeys(("prompt", "question"), ("input", "message")),
    **dict.fromkeys(("edges", "transitions", "on"), ("transition",)),
    **dict.fromkeys(("id", "key"), ("name", "step_id", "gate_id", "agent_role")),
    **dict.fromkeys(("title", "label"), ("name", "step_name", "workflow_name")),
    **dict.fromkeys(("kind", "type"), ("step_type", "gate_type", "workflow_type")),
    **dict.fromkeys(("assignee", "owner", "actor", "who", "by"), ("required_role", "agent")),
    **dict.fromkeys(("minutes", "time", "effort"), ("estimated_duration",)),
    **dict.fromkeys(("threshold", "minimum", "min_score"), ("required_score",)),
    **dict.fromkeys(("on_failure", "on_error", "fallback"), ("failure_handling",)),
    **dict.fromkeys(("checks", "reviews"), ("quality_gates",)),
    **dict.fromkeys(("done_when", "acceptance", "definition_of_done"), ("success_criteria",)),
    **dict.fromkeys(("retries", "loops", "rounds"), ("max_iterations",)),
    **dict.fromkeys(("code", "js", "javascript"), ("script",)),
    **dict.fromkeys(("func", "fn", "call"), ("function",)),
    **dict.fromkeys(("then", "do", "run"), ("before", "script", "function")),
    "after": ("dependencies", "before"),
    "message": ("input",),
    "text": ("content", "message", "input"),
    "name": ("workflow_name", "step_name"),
    "vars": ("variables",),
    "tools": ("parsingTools",),
}
"""What other formats call a key."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A file's JSON value. `complete` says that the file is JSON without a fault."""

    source: Source
    sink: Sink
    root: Value
    complete: bool

    def span(self, at: Value) -> Span:
        """Return where a value stands, its quotes included."""
        return Span(self.source.path, at.start, at.end)

    def text(self, node: Value, what: str) -> Scalar | None:
        """Return a text that is not empty; anything else is FC1005."""
        if isinstance(node, Scalar) and node.style and node.text.strip():
            return node
        self.wrong_type(node, what, "a text")
        return None

    def fields(self, node: Value, what: str) -> Fields | None:
        """Return the keys of an object; anything else is FC1005. `what` names the object in
        messages: "the workflow", "state `review`"."""
        if isinstance(node, MapAt):
            return Fields(self, node, what, {pair[0].text: pair for pair in node.pairs})
        self.wrong_type(node, what, "an object")
        return None

    def items(self, node: Value, what: str) -> Sequence[Value]:
        """Return the items of a list; anything else is FC1005 and has none."""
        if isinstance(node, ListAt):
            return node.items
        self.wrong_type(node, what, "a list")
        return ()

    def value(self, node: Value, what: str) -> Json:
        """Return a plain JSON value. One that is nested too deeply is FC1005 and null."""
        if depth_of(node, MAX_DEPTH) <= MAX_DEPTH:
            return json_of(node)
        self.sink.report(
            "FC1005",
            f"{what} is nested deeper than {MAX_DEPTH} levels",
            Span(self.source.path, node.start, node.start + 1),
            help="keep data of that shape in a file of its own",
        )
        return None

    def wrong_type(self, node: Value, what: str, wanted: str) -> None:
        """Report FC1005: `what` is not `wanted`, which has its article."""
        # A place of many lines would be shown whole; its beginning says enough.
        end = node.end if isinstance(node, Scalar) else node.start + 1
        example = _EXAMPLES.get(wanted, "")
        if wanted == "a text" and isinstance(node, Scalar) and node.value is not None:
            example = f', as in `"{self.source.text[node.start : node.end]}"`'
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            if wanted == "a number" and _NUMBER.fullmatch(node.text):
                example = f", without quotes: `{node.text.strip()}`"
            elif wanted == "true or false" and node.text.lower() in ("true", "false"):
                example = f", without quotes: `{node.text.lower()}`"
        message = f"{what} is {describe(node)}, not {wanted}"
        help = f"write {wanted}{example}"
        self.sink.report("FC1005", message, Span(self.source.path, node.start, end), help=help)


@dataclass(frozen=True, slots=True)
class Fields:
    """An object while it is read: its keys and values by the keys' texts."""

    tree: Tree
    node: MapAt
    what: str
    members: dict[str, tuple[Scalar, Value]]

    @property
    def span(self) -> Span:
        """The object's opening bracket: a short place for what the object lacks."""
        return Span(self.tree.source.path, self.node.start, self.node.start + 1)

    def get(self, key: str, *, required: bool = False) -> Value | None:
        """Return a value; null counts as absent. An absent one that is `required` is FC1003."""
        member = self.members.get(key)
        if member is None or member[1].is_null:
            if required:
                self.missing(key)
            return None
        return member[1]

    def missing(self, key: str) -> None:
        """Report FC1003 for `key`, at the key without a value when there is one."""
        if not self.tree.complete:
            return
        message, written = f"{self.what} has no `{key}`", self.members.get(key)
        if written is not None:
            self.tree.sink.report("FC1003", message, written[0].whole, help=f'add `"{key}": …`')
            return
        near = Spelling(self.members).nearest(key) or next(
            (name for name in self.members if _other_key(name, (key,))), None
        )
        help = f"did you write `{near}` for `{key}`?" if near else f'add `"{key}": …`'
        place = self.members[near][0].whole if near else self.span
        self.tree.sink.report("FC1003", message, place, help=help)

    def text(self, key: str, *, required: bool = False, empty: bool = False) -> Scalar | None:
        """Return a text. An empty one (nothing but blanks) counts as missing unless `empty`."""
        node = self.get(key, required=required)
        if node is None:
            return None
        if not isinstance(node, Scalar) or not node.style:
            self.wrong_type(key, node, "a text")
            return None
        if not empty and not node.text.strip():
            if required:
                self.missing(key)
            else:
                message = f"`{key}` of {self.what} is empty, as if it were not there"
                help = "write its value, or take the key out"
                self.tree.sink.report("FC1003", message, node.span, severity="warning", help=help)
            return None
        return node

    def word(self, key: str, allowed: Sequence[str], *, required: bool = False) -> Scalar | None:
        """Return a text that is one of `allowed`; another is FC1005 with the nearest one."""
        words = self.text(key, required=required)
        if words is None or words.text in allowed:
            return words
        if not self.tree.complete:
            return None  # the text may be what is left of one that was cut off
        listed = ", ".join(f"`{word}`" for word in allowed)
        message = f"`{key}` of {self.what} is `{words.text}`, which is not one of {listed}"
        near, help = Spelling(allowed).nearest(words.text), f"write one of {listed}"
        self.tree.sink.report("FC1005", message, words.span, help=help, near=near)
        return None

    def number(self, key: str, *, required: bool = False) -> int | float | None:
        """Return a number; a truth value is not one."""
        node = self.get(key, required=required)
        if node is None:
            return None
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        self.wrong_type(key, node, "a number")
        return None

    def boolean(self, key: str) -> bool | None:
        """Return true or false."""
        node = self.get(key)
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        if node is not None:
            self.wrong_type(key, node, "true or false")
        return None

    def items(self, key: str, *, required: bool = False) -> Sequence[Value]:
        """Return the items of a list; none when it is absent or something else."""
        node = self.get(key, required=required)
        return () if node is None else self.tree.items(node, f"`{key}` of {self.what}")

    def fields(self, key: str, what: str = "", *, required: bool = False) -> Fields | None:
        """Return an object inside; `what` names it in messages."""
        node = self.get(key, required=required)
        if node is None:
            return None
        return self.tree.fields(node, what or f"`{key}` of {self.what}")

    def wrong_type(self, key: str, node: Value, wanted: str) -> None:
        """Report FC1005: the value of `key` is not `wanted`."""
        self.tree.wrong_type(node, f"`{key}` of {self.what}", wanted)

    def span_of(self, key: str) -> Span:
        """Return where the value of `key` stands; without the key, where the object begins."""
        member = self.members.get(key)
        return self.tree.span(member[1]) if member else self.span

    def unknown(self, known: Iterable[str], *, severity: Severity | None = None) -> None:
        """Report FC1002 for every key that is not in `known`."""
        names = frozenset(known)
        strange = [key for key, _ in self.node.pairs if key.text and key.text not in names]
        if not strange or not self.tree.complete:
            return
        free = names - self.members.keys()
        spelling = Spelling(free)
        for key in strange:
            message = f"{self.what} has a key `{key.text}`, which has no meaning there"
            self.tree.sink.report(
                "FC1002",
                message,
                key.span,
                severity=severity,
                help="remove it",
                near=spelling.nearest(key.text) or _meant_key(key.text, free),
            )


def _meant_key(key: str, free: Collection[str]) -> str | None:
    """Return the key that another word, other letters or a part of its name stands for."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).replace("-", "_").replace(" ", "_").lower()
    if (meant := _other_key(snake, free)) is not None:
        return meant
    parts = set(snake.split("_"))
    found = [name for name in sorted(free) if parts <= set(name.split("_"))]
    found = found or [name for name in sorted(free) if len(snake) > 3 and name.startswith(snake)]
    return found[0] if len(found) == 1 else None


def _other_key(snake: str, free: Collection[str]) -> str | None:
    """Return the key that surely has another name here, whatever else an object may have."""
    for word in (snake, *_OTHER_KEYS.get(snake, ())):
        if word in free:
            return word
    parts = set(snake.split("_"))
    found = [name for name in sorted(free) if set(name.split("_")) < parts]
    return found[0] if len(found) == 1 else None


def read_json(source: Source, sink: Sink) -> Tree | None:
    """Return the value in a file, or None. Every fault in its syntax is FC1001."""
    root, faults = parse_json(source)
    for fault in faults:
        code = "FC1001" if fault.first is None else "FC1004"
        labels = () if fault.first is None else (Label(fault.first.whole, "first here"),)
        span = source.span(fault.start, max(fault.end, fault.start))
        sink.report(code, fault.message, span, labels=labels, help=fault.help, fix=fault.fix)
    if root is None:
        if not faults:
            message = f"`{source.path}` holds no JSON value"
            sink.report("FC1008", message, source.span(0), help="begin it with `{`")
        return None
    return Tree(source, sink, root, all(fault.first for fault in faults))


def describe(node: Value) -> str:
    """Return what messages call a value, with its article."""
    match node:
        case MapAt():
            return "an object"
        case ListAt():
            return "a list"
        case Scalar(value=bool()):
            return f"`{str(node.value).lower()}`"
        case Scalar(value=None):
            return "null"
        case Scalar(value=str()):
            return "a text"
        case Scalar():
            return f"the number `{node.value}`"


_EXAMPLES = {"a text": ', as in `"words"`', "a list": ", as in `[ … ]`", "an object": ", `{ … }`"}
