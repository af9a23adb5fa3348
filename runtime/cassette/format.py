"""Cassettes: files that hold every exchange of a run with the world.

A stream of YAML documents. The first describes the run, each further one is an exchange: a model
call, a tool call, a command, a script, the reading of a file, a person's answer, the time that a
visit sees, the order in which elements side by side ended; or an offer, which is a tool as models
see it, once.

    ---
    model: CALL~2/PROMPT_PLAN      # the kind, and the node with the calls that lead to it
    visit: 2                       # left out where it is 1, as `attempt` is
    attempt: 3
    number: 1                      # of the effects of this attempt, in their order
    digest: 3f0c9a…                # of `given`
    given: {messages: […], tools: […]}
    reply: {text: …}
    gave: 91b2e0…                  # a digest of what the journal keeps of it
    ...

Each document is written at once and ends with `...`: a document without its end was cut off by a
crash and does not count. Of two documents with the same key the later one counts, because a call
that was in flight when a process died is made again by the next one. No process writes a key twice.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import yaml
from flowc.compiler.source.door import read_file

from ..errors import RunError, reason_of
from ..services import Json
from ..values import MAX_DEPTH

VERSION = 3
Kind = Literal["model", "tool", "command", "script", "file", "answer", "items", "time", "offer"]
KINDS: tuple[Kind, ...] = get_args(Kind)
EFFECTS: tuple[Kind, ...] = ("model", "tool", "command")
"""Kinds that go through the journal. They are numbered together, in the order of an attempt."""
NO_MODEL = "no model"
WHOLE, RESUMED = "the start of the run", "a resume"

Key = tuple[str, str, int, int, str]
"""Space (`effect` or the kind), place, visit, attempt, number or name."""
START = b"---\nflowc cassette:"
"""The first bytes of every cassette."""
_END = "...\n"
_HELP = "flowc run FILE --record makes one"
_SHORT = 16
"""The length of a digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The recorded run: its model (`by_hand`: with tools of its own), its inputs, whether commands
    were allowed from the start, whether scripts in Python needed no approval (`sandboxed`), and
    where the recording begins."""

    recorded: str
    flowc: str
    workflow: str
    digest: str
    model: str
    run: str
    commands: Literal["ask", "allow"] = "ask"
    by_hand: bool = False
    sandboxed: bool = False
    begins: str = WHOLE
    inputs: dict[str, Json] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """As in "replayed (recorded 2026-11-22 from openai:gpt-5-mini)"."""
        if self.model == NO_MODEL:
            return f"replayed (recorded {self.recorded[:10]})"
        return f"replayed (recorded {self.recorded[:10]} from {self.model})"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange. `body` is its document without the parts of the key, `line` its place."""

    kind: Kind
    place: str
    visit: int
    attempt: int
    number: int | str
    body: Mapping[str, Any]
    line: int = 0

    @property
    def key(self) -> Key:
        space = "effect" if self.kind in EFFECTS else self.kind
        return (space, self.place, self.visit, self.attempt, str(self.number))

    @property
    def call_name(self) -> str:
        """The name by which a later model call refers to this one."""
        again = f"~{self.attempt}" if self.attempt > 1 else ""
        return f"{self.place} {self.visit}{again}.{self.number}"


@dataclass(frozen=True, slots=True)
class Cassette:
    """The content of a file. `exchanges` are by key, in the file's order; `torn`: a crash cut off
    the end."""

    path: str
    header: Header
    exchanges: dict[Key, Exchange]
    torn: bool = False


def digest_of(value: Json) -> str:
    """Return a digest of a JSON value that does not depend on the order of keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_SHORT]


def header_document(header: Header) -> bytes:
    """Return the first document of a file."""
    fields = {name: getattr(header, name) for name in Header.__dataclass_fields__}
    return _document({"flowc cassette": VERSION, **fields})


def exchange_document(exchange: Exchange) -> bytes:
    """Return the document of an exchange."""
    head: dict[str, Any] = {exchange.kind: exchange.place}
    if exchange.visit != 1:
        head["visit"] = exchange.visit
    if exchange.attempt != 1:
        head["attempt"] = exchange.attempt
    head["number"] = exchange.number
    assert not head.keys() & exchange.body.keys(), exchange
    return _document({**head, **exchange.body})


MAX_BYTES = 2**30
"""Of a recording; a larger file is not read."""


def read_cassette(path: str) -> Cassette:
    """Read a cassette. Raise `RunError` (exit 2) with the line of what is wrong."""
    try:
        data = read_file(path, MAX_BYTES)
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise RunError(f"the recording `{path}` cannot be read: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise RunError(f"`{path}` is not a recording: it is not UTF-8 text") from None
    whole = whole_part(text)
    documents = list(_documents(whole, path))
    if not documents:
        why = "it is empty" if not text.strip() else "it does not begin with one of flowc's"
        raise RunError(f"`{path}` is not a recording: {why}", help=_HELP)
    line, first = documents[0]
    header = _header(first, f"{path}:{line}")
    exchanges: dict[Key, Exchange] = {}
    calls: dict[str, list[Json]] = {}
    for line, document in documents[1:]:
        exchange = _exchange(document, f"{path}:{line}", line, calls)
        exchanges[exchange.key] = exchange
    return Cassette(path, header, exchanges, torn=len(whole) < len(text))


def whole_part(text: str) -> str:
    """Return a file's text up to the end of its last whole document."""
    if text.startswith(_END):
        return ""
    end = text.rfind(f"\n{_END}")
    return text[: end + len(_END) + 1] if end >= 0 else ""


def _documents(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return (line, document) pairs."""
    line = 1
    for part in re.split(r"(?<=\n)\.\.\.\n", text):
        if part.strip():
            try:
                _refuse_depth(part)
                value = yaml.load(part, Loader=_Loader)
            except yaml.MarkedYAMLError as error:
                at = line + (error.problem_mark.line if error.problem_mark else 0)
                raise RunError(f"{path}:{at}: not valid YAML: {error.problem}") from None
            except (yaml.YAMLError, ValueError, RecursionError) as error:
                raise RunError(f"{path}:{line}: not valid YAML: {error}") from None
            if not isinstance(value, dict):
                raise RunError(f"{path}:{line}: a recording holds objects, not {value!r:.40}")
            yield line, value
        line += part.count("\n") + 1


def _refuse_depth(text: str) -> None:
    """Raise `ValueError` for a text nested so deeply that the loader, which is in C, would crash
    the process."""
    # Only the few texts that look like it are parsed twice.
    brackets = text.count("[") + text.count("{") + text.count("- -") + text.count("? ")
    if brackets < MAX_DEPTH and not _FAR_IN.search(text):
        return
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > 2 * MAX_DEPTH:
            raise ValueError("nested too deeply")


def _header(document: dict[str, Any], at: str) -> Header:
    version = document.pop("flowc cassette", None)
    if version is None:
        raise RunError(f"{at}: this is not a recording of flowc", help=_HELP)
    if version != VERSION:
        raise RunError(
            f"{at}: the recording has version {version}; this flowc reads version {VERSION}",
            help="record it anew, or use the flowc that made it",
        )
    known = {name: document[name] for name in Header.__dataclass_fields__ if name in document}
    texts = [name for name in known if name not in ("inputs", "by_hand", "sandboxed")]
    missing = {"recorded", "flowc", "workflow", "digest", "model", "run"} - known.keys()
    if missing or not all(isinstance(known[name], str) for name in texts):
        raise RunError(f"{at}: the beginning of the recording is damaged", help="record it anew")
    if not isinstance(known.get("inputs", {}), dict):
        raise RunError(f"{at}: `inputs` is not an object")
    return Header(**known)


def _exchange(
    document: dict[str, Any], at: str, line: int, calls: dict[str, list[Json]]
) -> Exchange:
    """`calls` holds the messages of the model calls so far, by name: a call may refer to one."""
    kind = next((kind for kind in KINDS if kind in document), None)
    if kind is None:
        raise RunError(f"{at}: this exchange is of no known kind ({', '.join(KINDS)})")
    place, visit = document.pop(kind), document.pop("visit", 1)
    attempt, number = document.pop("attempt", 1), document.pop("number", 1)
    counted = isinstance(number, str if kind in ("answer", "offer") else int)
    if not (isinstance(place, str) and isinstance(visit, int) and isinstance(attempt, int)):
        raise RunError(f"{at}: `{kind}` names no node, or its visit is not a number")
    if not counted or not isinstance(document.get("given", {}), dict):
        raise RunError(f"{at}: `number` or `given` is not what it has to be")
    exchange = Exchange(kind, place, visit, attempt, number, document, line)
    if kind == "model":
        given = document.get("given", {})
        given["messages"] = calls[exchange.call_name] = _spread(given, calls, at)
    return exchange


def _spread(inputs: dict[str, Any], calls: Mapping[str, list[Json]], at: str) -> list[Json]:
    """Return all messages of a model call; `inputs` loses its reference to another call."""
    messages = inputs.get("messages", [])
    since = inputs.pop("since", None)
    if since is None:
        return list(messages)
    count = inputs.pop("same", 0)
    if since not in calls or not isinstance(count, int) or len(calls[since]) < count:
        raise RunError(f"{at}: it goes on from the model call `{since}`, which is not there")
    return [*calls[since][:count], *messages]


_FAR_IN = re.compile(f"^ {{{MAX_DEPTH}}}", re.MULTILINE)
_UNSAFE = re.compile(
    r"[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Characters that YAML would read as a line break of its own, or not print."""
_NO_BLOCK = re.compile(r"\A[ \n]| (?=\n|\Z)|\A\n*\Z")
"""Texts that a literal block of YAML would change."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads a text that looks like a date as a text."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
    for letter, pairs in _Loader.yaml_implicit_resolvers.items()
}


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: Any, text: str) -> Any:
    """Write a text of several lines line by line, so that a difference is one of lines."""
    style = None
    if _UNSAFE.search(text):
        style = '"'
    elif "\n" in text:
        style = '"' if _NO_BLOCK.search(text) else "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _document(body: Mapping[str, Any]) -> bytes:
    text = yaml.dump(dict(body), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**9)
    return f"---\n{text}{_END}".encode("utf-8", "replace")
