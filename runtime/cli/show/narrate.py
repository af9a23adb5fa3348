"""Turns a run's events into lines: one per finished node, and what is under way.

✓ PROMPT_PLAN         prompt User Plan                             0.4 s · 340 tokens
? EXECUTE_PLAN        wants to run 2 commands: git --version · python3 --version
✓ CHECK_VERDICT       RESULT == 'SUCCESS' → TRUE
✗ PROMPT_JUDGE        openai answered 401: the key is not valid
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, assert_never

from flowc.compiler import ir
from flowc.compiler.editor.about import template_text, wait_text
from flowc.compiler.lowering.graphspec import GraphSpec, NodeSpec, called_by
from flowc.compiler.source.source import SourceSet

from ...events import RunEvent
from ..screen import Screen, Tone, count_of, one_line, seconds_of, tokens_of

_LATE = 60
"""Seconds from which on it is told that a wait was over earlier."""
_TIMED = ("agent", "exec", "tool", "http", "call", "ask", "script", "task", "foreach")
"""Kinds whose duration means something."""
_MIN_ID, _MAX_ID = 12, 28
TRAIL = 4
"""Nodes that are named when it is said what led to a question."""


@dataclass(slots=True)
class Busy:
    """A node under way."""

    node: str
    path: tuple[str, ...]
    since: float
    tokens: int = 0
    doing: str = ""
    tools: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Lines that stand below the node's own, when it is done."""


@dataclass(slots=True)
class Narrator:
    """Knows the workflow, follows its events, says them in lines."""

    spec: GraphSpec
    sources: SourceSet
    screen: Screen
    verbose: bool = False
    busy: dict[tuple[tuple[str, ...], str], Busy] = field(default_factory=dict)
    passed: deque[str] = field(default_factory=lambda: deque(maxlen=TRAIL))

    def lines(self, event: RunEvent) -> list[str]:
        """Return the lines that stay for an event; most events have none."""
        return list(self._lines(event))

    def trail(self) -> str:
        """Return the last nodes: `after PROMPT_PLAN → PROMPT_JUDGE`; "" before the first."""
        return f"after {' → '.join(self.passed)}" if self.passed else ""

    def live(self) -> list[str]:
        """Return a line for every node under way, as it is now."""
        rows = []
        for busy in self.busy.values():
            node = self._node(busy.node, busy.path)
            if node is None or node.op.kind in ("assign", "choose", "message", "end"):
                continue
            tail = self._tail(time.monotonic() - busy.since, busy.tokens)
            what = busy.doing or self._subject(node)
            rows.append(self._row("busy", "dim", busy.node, busy.path, what, tail))
        return rows

    def _lines(self, event: RunEvent) -> Iterator[str]:
        key = (event.path, event.node)
        busy = self.busy.get(key) or Busy(event.node, event.path, time.monotonic())
        match event.kind:
            case "node_started":
                self.busy[key] = Busy(event.node, event.path, time.monotonic())
                yield from self._call_line(event)
            case "node_finished" | "node_failed":
                self.busy.pop(key, None)
                ended = event.kind == "node_finished"
                yield from self._finish_line(event, busy) if ended else self._failure_line(event)
                yield from busy.notes
            case "model_called" | "model_text" | "model_retry" | "model_fallback":
                yield from self._model(event, busy)
            case "tool_called" | "command_run" | "request_sent":
                yield from self._effect(event, busy)
            case "sandbox":
                yield from self._sandbox_lines(event)
            case "script_said":
                busy.notes += self._script_line(event)
            case "verdict":
                busy.notes += self._verdict(event)
            case "warning" if not event.node:
                yield self._note(str(event.data.get("message", "")))
            case "warning":
                busy.notes.append(self._note(str(event.data.get("message", ""))))
            case "node_retry":
                data = event.data
                text = f"attempt {data['attempt']} of {data['of']} failed: {data['error']}"
                text += f": again in {seconds_of(data['wait'])}"
                yield self._row("note", "warn", event.node, event.path, text, "")
            case "item_started":
                busy.doing = f"item {event.data['item']} of {event.data['of']}"
            case "item_finished":
                busy.doing = f"{event.data['done']} of {event.data['of']} items"
            case "interrupted":
                self.busy.pop(key, None)
                yield self._question(event)
            case "run_finished":
                self.busy.clear()
            case _:
                yield from self._other_lines(event)

    def _other_lines(self, event: RunEvent) -> Iterator[str]:
        """Yield the lines of what happens to a run from outside."""
        match event.kind:
            case "wait_over":
                late = event.data["late"]
                if late >= _LATE:
                    text = f"was due {seconds_of(late)} ago, at {event.data['due']}"
                    yield self._row("note", "warn", event.node, event.path, text, "")
            case "said":
                yield from self._detail(event, f"said: {event.data.get('line', '')}")
            case "changed":
                yield from self._change_lines(event)
            case _:  # said before the run goes on, or by other lines
                return

    def _change_lines(self, event: RunEvent) -> Iterator[str]:
        """Yield the differences in a workflow that a run goes on with."""
        yield self.screen.ink("the workflow has changed since; the run goes on with it", "warn")
        for change in event.data.get("changes", ()):
            place = change.get("now") or change.get("was") or ""
            at = f" ({place})" if place else ""
            yield f"  {one_line(change.get('text', '') + at, self.screen.width - 2)}"

    def _sandbox_lines(self, event: RunEvent) -> Iterator[str]:
        """Yield how foreign code is confined; a weak sandbox is shown without being asked for."""
        data = event.data
        if data["level"] == "off":
            text = "no sandbox: commands and code run with all your rights (--sandbox off)"
            yield self.screen.ink(f"  {self.screen.marks.note} {text}", "bad")
            return
        kind = {"shell": "commands", "snippet": "code"}[data["profile"]]
        network = ", network open" if data["network"] else ""
        lacks = "; ".join(f"{name}: {why}" for name, why in data["missing"].items())
        text = f"{kind} run in the sandbox, level {data['level']}{network}"
        if lacks or network:
            line = f"  {self.screen.marks.note} {text}{' without ' * bool(lacks)}{lacks}"
            yield self.screen.ink(one_line(line, self.screen.width), "warn")
        yield from self._detail(event, f"{text}: {', '.join(data['active'])}")

    def _script_line(self, event: RunEvent) -> Iterator[str]:
        """Yield a line of a script's console; mere logging is a detail."""
        line = str(event.data.get("line", ""))
        if event.data.get("level") in ("warn", "error"):
            yield self._note(line)
        else:
            yield from self._detail(event, line)

    def _model(self, event: RunEvent, busy: Busy) -> Iterator[str]:
        data = event.data
        if event.kind == "model_text":
            busy.doing = f"{busy.doing}{data.get('text', '')}"[-200:]
            return
        busy.doing = ""
        if event.kind == "model_retry":
            wait = seconds_of(data.get("wait", 0))
            yield self._note(f"{data.get('error', '')}: again in {wait}")
            return
        if event.kind == "model_fallback":
            failed = data.get("failed", "")
            yield self._note(f"{failed} failed ({data.get('error', '')}): asks {data['asked']}")
            return
        busy.tokens += data.get("input_tokens", 0) + data.get("output_tokens", 0)
        yield from self._detail(event, f"{data.get('model', '')} answered")

    def _effect(self, event: RunEvent, busy: Busy) -> Iterator[str]:
        """Yield the lines of a tool or a command."""
        data = event.data
        if event.kind == "tool_called":
            shown = data["tool"] if data.get("ok", True) else f"{data['tool']} failed"
            busy.tools.append(shown)
            yield from self._detail(event, f"tool {shown}")
            return
        if event.kind == "request_sent":
            took = seconds_of(data["seconds"])
            came = data["status"] or "no answer"
            yield from self._detail(event, f"{data['method']} {data['host']} → {came} · {took}")
            return
        busy.doing = f"{data['command']} → {data['exit_code']}"
        took = seconds_of(data.get("seconds", 0.0))
        yield from self._detail(event, f"$ {data['command']} → {data['exit_code']} · {took}")
        if self.verbose:
            for line in str(data.get("output", "")).splitlines()[:10]:
                yield self.screen.ink(f"        {one_line(line, self.screen.width - 10)}", "dim")

    def _call_line(self, event: RunEvent) -> Iterator[str]:
        """Yield what a call calls, before the called nodes have their lines."""
        node = self._node(event.node, event.path)
        if node is not None and isinstance(node.op, ir.CallNode):
            what = f"calls {self._subject(node)}"
            yield self._row("busy", "dim", event.node, event.path, what, "")

    def _finish_line(self, event: RunEvent, busy: Busy) -> Iterator[str]:
        node = self._node(event.node, event.path)
        if node is None or (self._is_quiet(node) and not self.verbose):
            return
        if any("#" in call for call in event.path) and not self.verbose:
            return  # thousands of elements would each have their lines
        self.passed.append(event.node)
        seconds = event.data.get("seconds", 0.0) if node.op.kind in _TIMED else None
        what = self._what(node, event.data, busy)
        tail = self._tail(seconds, busy.tokens)
        yield self._row("done", "good", event.node, event.path, what, tail)

    def _failure_line(self, event: RunEvent) -> Iterator[str]:
        message = str(event.data.get("message", ""))
        node = self._node(event.node, event.path)
        if node is not None and isinstance(node.op, ir.AgentNode) and node.op.report:
            message = message or "reported as failed"
        yield self._row("fail", "bad", event.node, event.path, message, "")

    def _question(self, event: RunEvent) -> str:
        commands = event.data.get("commands") or ()
        text = str(event.data.get("text", ""))
        if commands:
            text = f"wants to run {count_of(len(commands), 'command')}: {' · '.join(commands)}"
        return self._row("ask", "ask", event.node, event.path, text, "")

    def _verdict(self, event: RunEvent) -> Iterator[str]:
        """Yield each contradiction between a claim and its measurement (S41)."""
        outcome = event.data.get("outcome") or {}
        for item in outcome.get("assertions") or ():
            claimed, measured = item.get("claimed"), item.get("measured")
            if measured is not None and claimed is not None and measured != claimed:
                held = {True: "holds", False: "does not hold"}
                yield self._note(
                    f"claimed: {held[claimed]} · measured: {held[measured]} · {item['text']}",
                )
            elif outcome.get("status") == "passed" and False in (claimed, measured):
                yield self._note(f"passed, although this does not hold: {item['text']}")
        for warning in outcome.get("warnings") or ():
            yield self._note(str(warning))

    def _detail(self, event: RunEvent, text: str) -> Iterator[str]:
        if self.verbose:
            indent = " " * (6 + 2 * len(event.path))
            yield self.screen.ink(indent + one_line(text, self.screen.width - len(indent)), "dim")

    def _note(self, text: str) -> str:
        """Return a remark in the column of what happened."""
        indent = self._id_width() + 6
        sign = self.screen.ink(self.screen.marks.note, "warn")
        return f"{' ' * indent}{sign} {one_line(text, self.screen.width - indent - 4)}"

    def _row(
        self, mark: str, tone: Tone, node: str, path: tuple[str, ...], what: str, tail: str
    ) -> str:
        """Return mark, id, what happened, time and tokens, cut so that a line stays a line."""
        ids = self._id_width()
        item = next((f"#{call.rpartition('#')[2]} " for call in reversed(path) if "#" in call), "")
        name = f"{'  ' * len(path)}{item}{node}"
        room = max(self.screen.width - ids - 8 - len(tail) - (2 if tail else 0), 20)
        shown = one_line(what, room)
        if tail:
            shown = f"{shown:<{min(room, 42)}}"
        sign = self.screen.ink(getattr(self.screen.marks, mark), tone)
        dim = self.screen.ink(f"  {tail}", "dim") if tail else ""
        return f"  {sign} {_cut(name, ids):<{ids}}  {shown}{dim}".rstrip()

    def _id_width(self) -> int:
        lengths = [len(n.id) for n in self.spec.nodes if not isinstance(n.op, ir.EndNode)]
        inner = [len(n.id) + 2 for _, s in self.spec.subgraphs for n in s.nodes]
        return min(max([_MIN_ID, *lengths, *inner]), _MAX_ID)

    def _tail(self, seconds: float | None, tokens: int) -> str:
        parts = [] if seconds is None else [seconds_of(seconds)]
        return " · ".join([*parts, *([tokens_of(tokens)] if tokens else [])])

    def _node(self, node: str, path: tuple[str, ...]) -> NodeSpec | None:
        """Return the node of an event, in the workflow that its calls lead to."""
        called = called_by(self.spec, path)
        return called[1].node(node) if called else None

    def _is_quiet(self, node: NodeSpec) -> bool:
        """Whether a node has no line of its own: the ends and the start repeat the last and the
        first line, and some choices are only conditions of another node's ways."""
        entries = {self.spec.entry, *(s.entry for _, s in self.spec.subgraphs)}
        op = node.op
        is_start = isinstance(op, ir.AssignNode) and bool(op.assignments) and node.id in entries
        is_way = isinstance(op, ir.ChooseNode) and not self._subject(node)
        return is_start or is_way or isinstance(op, ir.EndNode)

    def _subject(self, node: NodeSpec) -> str:
        """Return what a node is about, before it is done."""
        op = node.op
        match op:
            case ir.AgentNode() | ir.MessageNode():
                return f"prompt {op.prompt_id}" if op.prompt_id else op.title
            case ir.ChooseNode():
                return " ".join(self.sources.text_at(op.on.span).split()) or op.title
            case ir.CallNode() | ir.ForeachNode():
                return op.workflow.rsplit("/", 1)[-1]
            case ir.ToolNode():
                return op.tool
            case ir.PythonNode() | ir.ScriptNode():
                return op.function
            case ir.WaitNode():
                return op.title or wait_text(op.awaits, self.sources)
            case ir.HttpNode():
                return f"{op.method} {template_text(op.url, self.sources)}"
            case ir.ExecNode():
                return "runs commands"
            case ir.TaskNode():
                return op.role
            case ir.GateNode() | ir.AssertNode():
                return op.title or op.kind
            case ir.AskNode() | ir.AssignNode() | ir.EndNode():
                return op.title
        assert_never(op)

    def _what(self, node: NodeSpec, data: dict[str, Any], busy: Busy) -> str:
        """Return what a node did, in one line."""
        op, text, subject = node.op, str(data.get("text", "")), self._subject(node)
        match op:
            case ir.AgentNode():
                tools = [t for t in busy.tools if t != "report_step_result"]
                return f"{subject} · {', '.join(dict.fromkeys(tools))}" if tools else subject
            case ir.MessageNode():
                return subject
            case ir.ChooseNode():
                case_ = str(data.get("case") or text)
                shown = case_.upper() if case_ in ("true", "false") else case_
                return f"{subject} → {shown}" if subject else shown
            case ir.CallNode():
                return f"{subject} → {text.rpartition(': ')[2]}"
            case ir.AskNode():
                return f"answer: {text}"
            case ir.AssignNode():
                return text or op.title or "checkpoint"
            case ir.ExecNode():
                return text or "no commands"
            case (
                ir.ScriptNode() | ir.TaskNode() | ir.GateNode() | ir.AssertNode() | ir.ForeachNode()
            ):
                return f"{subject} → {text}" if text and subject else text or subject
            case ir.ToolNode() | ir.PythonNode() | ir.WaitNode() | ir.HttpNode() | ir.EndNode():
                return text
        assert_never(op)


def _cut(name: str, room: int) -> str:
    """Return an id cut to its column, with the indent of a called workflow."""
    return name if len(name) <= room else f"{name[: room - 1]}…"
