"""Elements of a flow YAML file: what messages call them, where they begin, and those that bound."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol, get_args

from ... import ir
from ...catalog.model_settings import model_meant
from ...diagnostics.diagnostic import Fix, Sink
from ...expr.ast import Expr, ListOf, Literal, ObjectOf
from ...expr.values import read_number
from ...flow_yaml.durations import guess_duration, read_duration
from ...flow_yaml.keys import AGENT, COMMON, LIMIT, MODEL_SETTINGS, NODES, OTHER_WORDS, RETRY
from ...flow_yaml.shapes import Key, MapShape
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.source import Span
from ...source.spelling import Spelling

_OF_NODES = {name for shape in NODES.values() for name in shape.by_name}
LIMITS: tuple[str, ...] = get_args(ir.LimitName)
MOST_LISTED = 12
"""Keys that a message names."""

_INNER: dict[str, Collection[str]] = {
    "settings": MODEL_SETTINGS.by_name,
    "retry": RETRY.by_name,
    "limits": LIMITS,
}
"""Keys whose values are mappings, and what stands there."""

_GIVEN = ("with", "args", "params")
_MORE_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("with", "args", "arguments", "params", "parameters", "inputs"), _GIVEN),
    **dict.fromkeys(("catch", "except", "rescue", "fallback", "on_failure"), ("on_error",)),
    **dict.fromkeys(("default", "else"), ("otherwise", "default")),
    **dict.fromkeys(("as", "each", "var", "variable"), ("item", "into")),
    **dict.fromkeys(("outputs", "output", "result", "save_as", "store"), ("into", "outputs")),
    **dict.fromkeys(("parallel", "workers", "max_parallel"), ("concurrency",)),
    "case": ("cases",),
    "in": ("foreach",),
    "run": ("do",),
    "body": ("do", "text"),
    **dict.fromkeys(("max_retries", "retry_limit"), ("retry",)),
    **dict.fromkeys(("condition", "cond", "expr", "test"), ("when",)),
    **dict.fromkeys(("user", "user_prompt", "content", "message"), ("prompt", "text")),
    **dict.fromkeys(("register", "store_as", "output_to", "assign_to"), ("into",)),
    **dict.fromkeys(("entry", "startat", "StartAt", "entry_point", "initial"), ("start",)),
    **dict.fromkeys(("reasoning_effort", "effort", "thinking"), ("reasoning",)),
    **dict.fromkeys(("max_output_tokens", "max_completion_tokens", "num_predict"), ("max_tokens",)),
    **dict.fromkeys(("topP", "topp", "nucleus"), ("top_p",)),
    **dict.fromkeys(("stop_sequences", "stops"), ("stop",)),
    **dict.fromkeys(("max_steps", "max_iterations", "recursion_limit"), ("steps",)),
    **dict.fromkeys(("time", "duration", "max_time"), ("seconds", "timeout")),
    **dict.fromkeys(("budget", "max_cost", "price"), ("cost",)),
    "temp": ("temperature",),
    "max_tokens": ("tokens",),
    "prompt": ("system",),
    "description": ("title",),
    "function": ("tool",),
}
"""What stands for another key in one kind of mapping only."""

_KINDS = {
    **dict.fromkeys(("workflow", "subflow", "sub_workflow", "flow"), "call"),
    **dict.fromkeys(("map", "each", "iterate", "repeat"), "foreach"),
    **dict.fromkeys(("match", "branch", "decide", "router"), "choose"),
    **dict.fromkeys(("check", "expect", "verify", "ensure"), "assert"),
    **dict.fromkeys(("vars", "variables", "let", "state"), "assign"),
    **dict.fromkeys(("assistant", "chat", "ai", "generate"), "agent"),
    **dict.fromkeys(("type", "kind"), ""),
}
"""What other tools call a kind of node, where no kind is said."""
_ELSEWHERE = "what comes next stands in a node, behind `next:`"
_REMARKS = {
    **dict.fromkeys(("edges", "connections", "transitions", "links"), _ELSEWHERE),
    **dict.fromkeys(("needs", "depends_on", "dependson", "dependencies"),
        "the node before says what comes next, with `next:`"),
    **dict.fromkeys(("if", "condition", "when", "unless"),
        "a condition stands on the way to a node: `next: [{when: …, to: …}]`"),
    **dict.fromkeys(("type", "kind"), "a key of its own says what a node does, such as `agent:`"),
    **dict.fromkeys(("version", "apiversion"), "the version is that of `flow: 1`"),
    **dict.fromkeys(("end", "final", "terminal"), "the last node ends the run, or `next: end`"),
    **dict.fromkeys(("runs-on", "permissions", "triggers"), "nothing here: take it out"),
    "env": "a parameter with `env:` reads the environment",
}  # fmt: skip
"""What has no key here, or stands elsewhere."""

_TYPES = {bool: "boolean", int: "integer", float: "number"}


def key_faults(
    mapping: MapAt, known: Sequence[str], what: str
) -> Iterator[tuple[str, Span, str, str | None]]:
    """Yield message, place, help and the name that was meant for every key that is not known."""
    strange = [name for name, _ in mapping.pairs if name.text not in known]
    if not strange:
        return
    spelling = Spelling(known)
    for name in strange:
        help, near = _key_meant(name.text, known, spelling)
        yield f"{what} has no key `{brief(name.text)}`", name.span, help, near


def _key_meant(name: str, known: Sequence[str], spelling: Spelling) -> tuple[str, str | None]:
    """Return what to do about a key that is not known, and the known key that was probably
    meant."""
    same = next(
        (w for w in (OTHER_WORDS.get(name.lower()), *_MORE_WORDS.get(name, ())) if w in known), None
    )
    if same is not None:
        return f"here it is `{same}:`", None
    listed = ", ".join(f"`{key}`" for key in known[:MOST_LISTED])
    help = f"the keys are {listed}{', …' if len(known) > MOST_LISTED else ''}"
    near = spelling.nearest(name)
    if near is not None:
        return help, near
    for outer, inner in _INNER.items():
        word = name if name in inner else Spelling(inner).nearest(name)
        if outer in known and word is not None:
            return f"`{word}:` stands below `{outer}:`", None
    if "agent" in known and name in AGENT.by_name:
        return f"`{name}:` is said of the agent, by its name below `agents:`", None
    return _REMARKS.get(name.lower(), help), None


def kind_meant(found: Sequence[Scalar]) -> tuple[Scalar | None, str | None]:
    """Return the key of a node without a kind that was probably meant to say it, and the kind."""
    others = {word: key for word, key in OTHER_WORDS.items() if key in NODES} | _KINDS
    for key in found:
        if kind := others.get(key.text.lower()):
            return key, kind
    own = {key.name for key in COMMON} | _OF_NODES
    spelling = Spelling(NODES)
    near = ((key, spelling.nearest(key.text)) for key in found if key.text not in own)
    return next(((key, kind) for key, kind in near if kind), (None, None))


def is_mapping_of(node: Value, element: MapShape) -> bool:
    """Return whether a mapping has keys of the element: then it is not in the short form."""
    return isinstance(node, MapAt) and (
        not node.pairs or any(name.text in element.by_name for name, _ in node.pairs)
    )


def default_of(node: Value, element: MapShape) -> tuple[str, str] | None:
    """Return the value that stands in the place of a variable's type, and how the two are written;
    None for what may be meant as a type."""
    if all(key.name != "default" for key in element.keys):
        return None
    if isinstance(node, ListAt):
        shown, type_name = "[…]" if node.items else "[]", "list"
    elif isinstance(node, Scalar) and node.value.__class__ in _TYPES and node.value != node.text:
        shown, type_name = brief(node.text), _TYPES[node.value.__class__]
    elif isinstance(node, Scalar) and node.value == "":
        shown, type_name = '""', "text"
    else:
        return None
    return shown, f"{{type: {type_name}, default: {shown}}}"


def place(mapping: MapAt) -> Span:
    """Return where a mapping begins: its first key."""
    return mapping.pairs[0][0].span if mapping.pairs else mapping.span


def kind(node: Value) -> str:
    """Return what an element is, with its article."""
    match node:
        case ListAt():
            return "a list"
        case MapAt():
            return "a mapping"
        case _ if node.is_null:
            return "nothing"
        case _:
            return f"`{brief(node.text)}`"


def list_faults(key: str, node: Value, items: Sequence[Scalar]) -> Iterator[tuple[str, Span, str]]:
    """Yield message, place and remedy where a list says nothing, or something twice."""
    if not items:
        yield f"`{key}` lists nothing", node.span, "name at least one, or leave the key out"
    seen: dict[str, Scalar] = {}
    for item in items:
        first = seen.setdefault(item.text, item)
        if not item.text:
            yield f"`{key}` lists an empty text", item.span, "write what it is to be, or remove it"
        elif first is not item:
            yield (
                f"`{brief(item.text)}` stands in `{key}` twice",
                item.span,
                "remove one of the two",
            )


def names_in_one(node: Value) -> str:
    """Return how several names are written that stand in one text or between braces; "" for what is
    neither."""
    if isinstance(node, MapAt):
        lone = [key.text for key, value in node.pairs if value.is_null]
        return f"write `[{', '.join(lone)}]`" if lone and len(lone) == len(node.pairs) else ""
    if not isinstance(node, Scalar) or node.style or "," not in node.text:
        return ""
    names = [name.strip() for name in node.text.split(",")]
    are_names = all(name.replace("-", "_").isidentifier() for name in names)
    return f"write `[{', '.join(names)}]`" if are_names else ""


def is_nothing(value: Expr) -> bool:
    """Return whether an expression is a number that is not above 0."""
    number = value.value if isinstance(value, Literal) else None
    return isinstance(number, int | float) and not isinstance(number, bool) and number <= 0


def with_keys(mapping: MapAt, element: MapShape) -> MapAt:
    """Return the keys of the element alone; the other keys have been checked."""
    names = {key.name for key in element.keys}
    kept = [pair for pair in mapping.pairs if pair[0].text in names]
    return MapAt(kept, mapping.start, mapping.end, mapping.source)


def value_span(mapping: MapAt, key: str) -> Span:
    """Return where the value of a key stands; without the key, the mapping."""
    value = mapping.get(key)
    return mapping.span if value is None else value.span


def key_span(mapping: MapAt, key: str) -> Span | None:
    """Return where a key stands, or None."""
    return next((name.span for name, _ in mapping.pairs if name.text == key), None)


def is_never_number(value: Expr) -> bool:
    """Return whether a value is written in the file and is not a number."""
    match value:
        case Literal(value=written):
            return isinstance(written, str | bool)
        case _:
            return isinstance(value, ListOf | ObjectOf)


def number_help(node: Value) -> str:
    """Return how a number is written that stands in quotes or has a unit of time; "" for others."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return ""
    if read_number(node.text) is not None:
        return f"write `{node.text.strip()}`, without quotes"
    seconds = read_duration(guess_duration(node.text) or "")
    return "" if seconds is None else f"it is in seconds: write `{seconds:.10g}`"


class BoundReader(Protocol):
    """The reader of the file: of mappings, and of what is wrong."""

    @property
    def sink(self) -> Sink: ...

    def element(
        self, node: Value, element: MapShape, what: str, *further: str
    ) -> dict[str, Any] | None: ...

    def known_keys(self, mapping: MapAt, known: tuple[str, ...], what: str) -> None: ...

    def wrong(self, key: Scalar, wanted: str, node: Value, help: str) -> None: ...

    def report(self, code: str, message: str, span: Span, help: str) -> None: ...

    def names(self, key: Key, name: Scalar, node: Value) -> tuple[str, ...] | None: ...


def read_limits(
    key: Key, name: Scalar, node: Value, reader: BoundReader
) -> tuple[ir.Limit, ...] | None:
    """Return the bounds of a workflow or a node; one that is not above 0 is FC1005."""
    if not isinstance(node, MapAt):
        reader.wrong(name, "bounds by name", node, "write for instance `steps: 50`")
        return None
    reader.known_keys(node, LIMITS, "`limits`")
    limits: list[ir.Limit] = []
    for bound, value in node.pairs:
        fields = reader.element(value, LIMIT, f"the limit `{brief(bound.text)}`")
        if fields is not None and bound.text in LIMITS:
            if is_nothing(fields["value"]):
                message = f"the limit `{bound.text}` is not above 0, so nothing could run"
                help = "write a number above 0, or leave it out"
                reader.report("FC1005", message, fields["value"].span or bound.span, help)
            elif is_never_number(fields["value"]):
                wanted = "a number, or an expression"
                reader.wrong(bound, wanted, value, "write for instance `50`, or `{value: 50}`")
            limits.append(ir.Limit(name=bound.text, **fields, span=bound.span))  # type: ignore[arg-type]
    return tuple(limits)


def read_retry(key: Key, name: Scalar, node: Value, reader: BoundReader) -> object:
    """Return how often and when a node is tried again."""
    fields = reader.element(node, RETRY, "`retry`")
    return None if fields is None else RETRY.type(**fields)


def read_settings(
    key: Key, name: Scalar, node: Value, reader: BoundReader
) -> ir.QuestionSettings | None:
    """Return the settings of a question to a model."""
    fields = reader.element(node, MODEL_SETTINGS, "`settings`")
    return None if fields is None else ir.QuestionSettings(**fields, span=name.span)


def read_model(key: Key, name: Scalar, node: Value, reader: BoundReader) -> str | None:
    """Return the name of one model."""
    if not isinstance(node, Scalar):
        help = "`model` of an agent or a node may be a list" if isinstance(node, ListAt) else ""
        reader.wrong(name, "one model", node, help)
        return None
    _check_model(node, reader)
    return node.text


def read_models(key: Key, name: Scalar, node: Value, reader: BoundReader) -> tuple[str, ...] | None:
    """Return the names of models that are asked one after another."""
    for item in node.items if isinstance(node, ListAt) else [node]:
        if isinstance(item, Scalar):
            _check_model(item, reader)
    return reader.names(key, name, node)


def _check_model(node: Scalar, reader: BoundReader) -> None:
    """Report a name that no model has: of another type, or of a provider that there is not."""
    if (meant := model_meant(node.text)) is not None:
        message, help = (
            f"no provider has the model `{brief(node.text)}`",
            f"did you mean `{meant}`?",
        )
        fix = Fix(f"write `{meant}`", node.span, meant)
        reader.sink.report("FC1005", message, node.span, severity="warning", help=help, fix=fix)
    elif node.text and not isinstance(node.value, str):
        message = f"`{brief(node.text)}` is not the name of a model"
        help = "write `provider:name`, such as `openai:gpt-5-mini`"
        reader.report("FC1005", message, node.span, help)
