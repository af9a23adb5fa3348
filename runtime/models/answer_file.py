"""Reads a file of scripted answers: which node gets which text, tool calls, report, approval or
answer of a host.

    PROMPT_PLAN: Look at the versions first.     # the same on every visit
    PROMPT_JUDGE: [IMPROVE, SUCCESS]             # first visit, second visit
    step_0:
      - call: {git_log: {count: 3}}              # the visit goes on after a tool call
      - report: {status: passed, outputs: {HEAD: 1f3a}}
    ASK_GOAL: ship it                            # a person's answer
    EXECUTE_PLAN: {approve: yes}
    forecast: {http: {status: 200, json: {degrees: 12}}}

docs/models-and-tools.md is the reference of the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.source import Unreadable, read_text
from flowc.compiler.source.spelling import Spelling

from ..errors import RunError
from ..requests import HttpAnswer

REPORT_TOOL = "report_step_result"
APPROVE = "approve"
_PARTS = ("text", "call", "answer", "args", "reply", "report", "result", "http")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call: the tool's name and its arguments; a text is what a model writes that does not
    write JSON."""

    name: str
    args: dict[str, Any] | str


@dataclass(frozen=True, slots=True)
class ScriptedReport:
    """Short form of a call of the reporting tool. `asserts` holds truth values or {passed, detail}
    in the order of the step's assertions; None leaves them out."""

    status: str
    outputs: dict[str, Any]
    asserts: tuple[Any, ...] | None
    error: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: a text, tool calls, a report or a task's result, or a text with one
    of the first three. `answers` says that the calls are the answer itself; `reply` is what the
    person says whom a call asks. `http` is what a host answers one attempt to send a request."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    report: ScriptedReport | None = None
    result: dict[str, Any] | None = None
    answers: bool = False
    reply: str | None = None
    http: HttpAnswer | None = None

    @property
    def ends_visit(self) -> bool:
        """Tell whether the model has nothing left to do in this visit of the node."""
        return self.report is not None or self.answers or not self.calls


@dataclass(frozen=True, slots=True)
class Entry:
    """The answers for one node or prompt: the turns of each visit and the approvals of each visit.
    `always` says that the first visit stands for all of them."""

    visits: tuple[tuple[Turn, ...], ...] = ()
    approvals: tuple[str, ...] = ()
    always: bool = False

    def turns(self, visit: int) -> tuple[Turn, ...] | None:
        """Return the turns of a visit (from 1), None when the script does not reach that far."""
        return _nth(self.visits, visit, self.always)

    def approval(self, visit: int) -> str | None:
        """Return "yes" or "no" for a visit (from 1), None when the script says nothing."""
        return _nth(self.approvals, visit, self.always)


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """A file of answers: entries by node id or prompt id, and what holds for every command."""

    path: str
    entries: dict[str, Entry]
    approve: str | None = None

    @property
    def allows_commands(self) -> bool:
        """Tell whether it says yes, for a person, to commands of some node."""
        said = {self.approve, *(word for e in self.entries.values() for word in e.approvals)}
        return "yes" in said


def read_script(path: str | Path) -> AnswerFile:
    """Read a file of answers. Raise `RunError` (exit 2) with place of the first fault."""
    name = str(path)
    try:
        text = read_text(name)
    except Unreadable as error:
        raise RunError(f"answers file `{name}` {error.reason}") from None
    return parse_script(text, name)


def parse_script(text: str, name: str) -> AnswerFile:
    """Read a text; `name` stands in messages."""
    try:
        return _Reader(name).script(yaml.compose(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise RunError(f"{name}{where}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise RunError(f"{name}: not valid YAML: {error}") from None
    except RecursionError:
        raise RunError(f"{name}: nested too deeply") from None


def strangers(script: AnswerFile, spec: GraphSpec) -> Iterator[tuple[str, str | None]]:
    """Yield keys of the script that name nothing in the program, each with the nearest name."""
    specs = (spec, *(inner for _, inner in spec.subgraphs))
    known = {node.id for one in specs for node in one.nodes}
    known |= {prompt.id for one in specs for prompt in one.prompts}
    spelling = Spelling(known)
    yield from ((key, spelling.nearest(key)) for key in script.entries if key not in known)


def _nth(items: tuple[T, ...], number: int, always: bool) -> T | None:
    if always and items:
        return items[0]
    return items[number - 1] if 1 <= number <= len(items) else None


class _Loader(yaml.SafeLoader):
    """YAML with JSON's scalars alone: `yes`, `on`, dates and octals stay texts."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"(?:null|~|)$", ["n", "~", ""]),
    ("bool", r"(?:true|false)$", ["t", "f"]),
    ("int", r"-?(?:0|[1-9][0-9]{0,17})$", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?$", list("-0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


class _Reader:
    """Turns YAML nodes into a `AnswerFile`; every complaint names its line and column."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._open: set[int] = set()

    def fault(self, node: yaml.Node, message: str, help: str = "") -> RunError:
        mark = node.start_mark
        return RunError(f"{self.name}:{mark.line + 1}:{mark.column + 1}: {message}", help=help)

    def script(self, root: yaml.Node | None) -> AnswerFile:
        if root is None:
            return AnswerFile(self.name, {})
        if not isinstance(root, yaml.MappingNode):
            raise self.fault(
                root, "a file of answers is a mapping of node or prompt ids to answers"
            )
        entries: dict[str, Entry] = {}
        approve: str | None = None
        for key, value in self.pairs(root):
            if key == APPROVE:
                approve = self.approval(value)
            else:
                entries[key] = self.entry(value)
        return AnswerFile(self.name, entries, approve)

    def pairs(self, node: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node]]:
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.fault(key, "a key must be a plain text")
            if key.value in seen:
                raise self.fault(key, f"`{key.value}` is given twice")
            seen.add(key.value)
            yield key.value, value

    def entry(self, node: yaml.Node) -> Entry:
        if isinstance(node, yaml.MappingNode) and [k for k, _ in self.pairs(node)] == [APPROVE]:
            return self.approvals(node.value[0][1])
        if not isinstance(node, yaml.SequenceNode):
            turn = self.turn(node)
            if not turn.ends_visit:
                raise self.fault(
                    node, "the model is asked again after a tool call: write a list of turns"
                )
            return Entry(((turn,),), always=True)
        return Entry(tuple(self.visits(node)))

    def approvals(self, node: yaml.Node) -> Entry:
        if isinstance(node, yaml.SequenceNode):
            return Entry(approvals=tuple(self.approval(item) for item in node.value))
        return Entry(approvals=(self.approval(node),), always=True)

    def approval(self, node: yaml.Node) -> str:
        word = node.value.lower() if isinstance(node, yaml.ScalarNode) else ""
        if word in ("yes", "true"):
            return "yes"
        if word in ("no", "false"):
            return "no"
        raise self.fault(node, "an approval is `yes` or `no`")

    def visits(self, node: yaml.SequenceNode) -> Iterator[tuple[Turn, ...]]:
        """Yield the turns of each visit, up to the one that ends it; an inner list is one whole
        visit."""
        turns: list[Turn] = []
        for item in node.value:
            if isinstance(item, yaml.SequenceNode):
                if turns:
                    raise self.fault(
                        item, "the visit before this one has no last answer after its calls"
                    )
                yield tuple(self.turn(turn) for turn in item.value)
                continue
            turns.append(self.turn(item))
            if turns[-1].ends_visit:
                yield tuple(turns)
                turns = []
        if turns:
            yield tuple(turns)

    def turn(self, node: yaml.Node) -> Turn:
        if isinstance(node, yaml.ScalarNode):
            return Turn(text=node.value)
        if not isinstance(node, yaml.MappingNode):
            raise self.fault(node, "an answer is a text, or a mapping with text, call or report")
        fields = dict(self.pairs(node))
        if unknown := sorted(fields.keys() - set(_PARTS)):
            raise self.fault(node, f"`{unknown[0]}` is not a part of an answer", ", ".join(_PARTS))
        for part, what in (("result", "a result"), ("http", "the answer of a host")):
            if part in fields and len(fields) > 1:
                raise self.fault(node, f"{what} stands alone")
        if "result" in fields:
            return Turn(result=self.object(fields["result"]))
        if "http" in fields:
            return Turn(http=self.http(fields["http"]))
        if not fields.keys() & {"text", "call", "answer", "report"}:
            raise self.fault(node, "an answer needs a text, a call, a report, a result or http")
        text = self.text(fields["text"]) if "text" in fields else ""
        called = fields.get("call") or fields.get("answer")
        calls = self.calls(called, fields.get("args")) if called else ()
        if "call" in fields and "answer" in fields:
            raise self.fault(fields["answer"], "`call` and `answer` exclude each other")
        for part, verb in (("args", "belong"), ("reply", "belongs")):
            if part in fields and not called:
                raise self.fault(fields[part], f"`{part}` {verb} to a `call`")
        if calls and "report" in fields:
            raise self.fault(
                fields["report"], "a report stands alone: put the calls into a turn before it"
            )
        report = self.report(fields["report"]) if "report" in fields else None
        reply = self.text(fields["reply"]) if "reply" in fields else None
        return Turn(text, calls, report, answers="answer" in fields, reply=reply)

    def text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fault(node, "expected a text")
        return str(node.value)

    def calls(self, node: yaml.Node, args: yaml.Node | None) -> tuple[ScriptedCall, ...]:
        """Read `call: name` with `args:` beside it, `call: {name: args, …}`, or a list of these."""
        if isinstance(node, yaml.ScalarNode):
            return (ScriptedCall(node.value, self.args(args)),)
        if args is not None:
            raise self.fault(args, "`args` stand beside `call: name` only")
        if isinstance(node, yaml.MappingNode):
            return tuple(ScriptedCall(name, self.args(v)) for name, v in self.pairs(node))
        return tuple(call for item in node.value for call in self.calls(item, None))

    def args(self, node: yaml.Node | None) -> dict[str, Any] | str:
        """Read the arguments of a call: a mapping, or a text that is sent as it is."""
        value = self.value(node) if node is not None else None
        return value if isinstance(value, str) else self.object(node)

    def report(self, node: yaml.Node) -> ScriptedReport:
        if isinstance(node, yaml.ScalarNode):
            return ScriptedReport(node.value, {}, None, "")
        if not isinstance(node, yaml.MappingNode):
            raise self.fault(node, "a report is a status, or a mapping")
        fields = dict(self.pairs(node))
        if unknown := sorted(fields.keys() - {"status", "outputs", "asserts", "error"}):
            raise self.fault(
                node, f"`{unknown[0]}` is not a part of a report", "status, outputs, asserts, error"
            )
        asserts = self.value(fields["asserts"]) if "asserts" in fields else None
        if asserts is not None and not isinstance(asserts, list):
            raise self.fault(fields["asserts"], "`asserts` is a list")
        return ScriptedReport(
            self.text(fields["status"]) if "status" in fields else "passed",
            self.object(fields.get("outputs")),
            tuple(asserts) if asserts is not None else None,
            self.text(fields["error"]) if "error" in fields else "",
        )

    def http(self, node: yaml.Node) -> HttpAnswer:
        """Read `http: 404`, or `http: {status, headers, json, text}`."""
        if isinstance(node, yaml.ScalarNode):
            return HttpAnswer(self.status(node), {}, "")
        if not isinstance(node, yaml.MappingNode):
            raise self.fault(node, "the answer of a host is a status, or a mapping")
        fields = dict(self.pairs(node))
        if unknown := sorted(fields.keys() - {"status", "headers", "json", "text"}):
            what = f"`{unknown[0]}` is not a part of a host's answer"
            raise self.fault(node, what, "status, headers, json, text")
        if "json" in fields and "text" in fields:
            raise self.fault(fields["text"], "`json` and `text` exclude each other")
        headers = self.object(fields.get("headers"))
        text = self.text(fields["text"]) if "text" in fields else ""
        if "json" in fields:
            text = json.dumps(self.value(fields["json"]), ensure_ascii=False)
        status = self.status(fields["status"]) if "status" in fields else 200
        return HttpAnswer(status, {name.lower(): str(v) for name, v in headers.items()}, text)

    def status(self, node: yaml.Node) -> int:
        value = self.value(node)
        if isinstance(value, bool) or not isinstance(value, int) or not 100 <= value <= 599:
            raise self.fault(node, "a status is a number from 100 to 599")
        return value

    def object(self, node: yaml.Node | None) -> dict[str, Any]:
        value = self.value(node) if node is not None else None
        if value is None:
            return {}
        if not isinstance(value, dict):
            assert node is not None
            raise self.fault(node, "expected a mapping")
        return value

    def value(self, node: yaml.Node) -> Any:
        """Return the JSON value of a YAML node."""
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if node.tag not in ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            raise self.fault(node, f"the tag `{node.tag}` is not allowed here")
        if id(node) in self._open:
            raise self.fault(node, "an alias inside its own anchor")
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return {key: self.value(value) for key, value in self.pairs(node)}
            return [self.value(item) for item in node.value]
        finally:
            self._open.discard(id(node))

    def scalar(self, node: yaml.ScalarNode) -> Any:
        match node.tag.rpartition(":")[2]:
            case "null":
                return None
            case "bool":
                return node.value == "true"
            case "int":
                return int(node.value)
            case "float":
                return float(node.value)
            case "str":
                return node.value
        raise self.fault(node, f"the tag `{node.tag}` is not allowed here")
