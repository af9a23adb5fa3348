"""The activities layer: a chart node's id gives its kind, its caption what it does (M9–M14).

PROMPT_PLAN[Prompt: User Plan]   an AgentNode that answers the prompt `User Plan`
CHECK_OK{RESULT == YES}          a ChooseNode with the cases "true" and "false"
SET_CITY[CITY=Oslo]              an AssignNode
"""

from __future__ import annotations

import difflib
import os
import re

from ... import ir
from ...expr.ast import Expr, Literal, Name
from ...source.records import dataclass
from ...source.source import Span
from ...source.spelling import Spelling
from .checks import read_check
from .mermaid.captions import break_lines
from .mermaid.chart import ChartNode
from .mermaid.placed_text import PlacedText
from .nearly import bracket_help, nearly_prefix, odd_value
from .placeholders import BUILT_IN, STATUS_WORDS, ChartScope, constant_in

KINDS = (
    "START", "SET", "ASSIGN", "CHECK", "PROMPT", "ASK", "EXECUTE", "CALL", "CHECKPOINT",
    "SUCCESS", "FAILED", "ON", "PARAMS", "CHECKRESULT", "CHECKSTATUS",
)  # fmt: skip
"""What an id may begin with; the last two are older spellings of CHECK (M9, M10)."""
MAX_HITS = "MAX_ACTIVITY_HITS"
HANDLERS = ("ON_SUCCESS", "ON_FAILED")
AGENT = THREAD = SESSION = "main"
WRITE_FILE = "write_file"

_PREFIXES = ("Prompt", "Assign", "Set", "Check", "Execute", "Ask", "Call")
_PREFIX = re.compile(rf"\s*(?:{'|'.join(_PREFIXES)})\s*:\s*", re.I)
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]{3,}\Z", re.A)
_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.A)
_ROLES: dict[str, ir.Role] = {"System": "system", "User": "user", "Assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class Activity:
    """A chart node whose kind is known; `caption` is without the visual prefix (M12, M13)."""

    id: str
    kind: str
    caption: PlacedText
    name: PlacedText

    @property
    def line(self) -> PlacedText:
        """The caption on one line."""
        return break_lines(self.caption, " ").strip()


def kind_of(id: str) -> str:
    """Return the part of an id that says what the activity does (M9)."""
    return id.split("_", 1)[0]


def read_activity(node: ChartNode, scope: ChartScope) -> Activity | None:
    """Return the activity of a chart node. Report an unknown kind (FC1002) and return None."""
    kind = kind_of(node.id.text)
    caption = node.caption if node.caption is not None else node.id[:0]
    if kind not in KINDS:
        _report_kind(node, kind, scope)
        return None
    if kind == "ON" and node.id.text not in HANDLERS:
        message = f"`{node.id.brief}` is not a handler"
        handler = Spelling(HANDLERS).nearest(node.id.text) or (
            "ON_FAILED" if re.search(r"FAIL|ERR", node.id.text) else "ON_SUCCESS"
        )
        help = f"did you mean `{handler}`?"
        scope.sink.report("FC1002", message, scope.span(node.id), help=help)
    is_old_check = caption.text.lower().startswith(("check_result", "check_status"))
    prefix = None if is_old_check else _PREFIX.match(caption.text)
    if prefix:
        caption = caption[prefix.end() :]
    elif not is_old_check:
        caption = _without_misspelt_word(caption, kind, scope)
    return Activity(node.id.text, kind, caption.strip(), node.id)


def _without_misspelt_word(caption: PlacedText, kind: str, scope: ChartScope) -> PlacedText:
    """Report a word before a caption that is nearly one of the usual ones, or a bracket there;
    what follows counts."""
    if help := bracket_help(caption.text):
        message = f"the caption begins with `{caption.text[0]}`, which nothing closes"
        scope.sink.report("FC1001", message, scope.span(caption[:1]), help=help)
        return caption[1:]
    found = nearly_prefix(caption.text, kind)
    if found is None:
        return caption
    place = scope.span(caption[found.start : found.end])
    scope.sink.report("FC1002", found.message, place, help=found.help, fix=found.fix(place))
    return caption[found.behind :]


def _report_kind(node: ChartNode, kind: str, scope: ChartScope) -> None:
    known = [name for name in KINDS if not name.startswith("CHECK") or name == "CHECK"]
    upper, id = kind.upper(), node.id.text.replace("-", "_")
    close = [upper] if upper in KINDS else difflib.get_close_matches(upper, known, 1)
    example = node.id.text.replace(kind, close[0], 1) if close else ""
    is_known = id in HANDLERS or (id != node.id.text and id in scope.captioned)
    example = id if is_known else scope.captioned.nearest(id) or example
    scope.sink.report(
        "FC1002",
        f"`{kind}` is not a kind of activity",
        scope.span(node.id),
        help=f"did you mean `{example}`?"
        if example
        else f"an id begins with one of {', '.join(KINDS[:12])}",
    )


def build_node(activity: Activity, scope: ChartScope) -> ir.Node:
    """Return the IR node. Report what is wrong with the caption, and return a node in its place."""
    match activity.kind:
        case "START":
            assignment = ir.Assignment(target="STATUS", value=Literal(value="DOING"))
            return _assign(activity, scope, (assignment,))
        case "SET":
            return _set(activity, scope)
        case "ASSIGN":
            return _assign_result(activity, scope)
        case "CHECK" | "CHECKRESULT" | "CHECKSTATUS":
            return _check(activity, scope)
        case "PROMPT":
            return _prompt(activity, scope)
        case "ASK":
            return _ask(activity, scope)
        case "EXECUTE":
            return _execute(activity, scope)
        case "CALL":
            return _call(activity, scope)
        case "SUCCESS":
            return end_node(activity.id, activity.line.text, scope.span(activity.name))
        case "FAILED":
            return end_node(activity.id, activity.line.text, scope.span(activity.name), failed=True)
        case _:
            return _assign(activity, scope, ())


def end_node(
    id: str, title: str = "", span: Span | None = None, *, failed: bool = False
) -> ir.EndNode:
    """Return the end SUCCESS or FAILED, also where the chart does not show it (M18, M25)."""
    word = "FAILED" if failed else "SUCCESS"
    return ir.EndNode(
        id=id,
        title=title,
        span=span,
        outcome="failed" if failed else "success",
        assignments=(ir.Assignment(target="STATUS", value=Literal(value=word)),),
    )


def role_of(prompt: str) -> ir.Role:
    """Return who speaks: the first word of a prompt's heading (M5, M28)."""
    return _ROLES.get(prompt.split(" ", 1)[0], "user")


def place_of(activity: Activity, scope: ChartScope) -> Span:
    """Return the caption's place, or the id's when there is none."""
    return scope.span(activity.caption if activity.caption.text else activity.name)


def _assign(
    activity: Activity, scope: ChartScope, assignments: tuple[ir.Assignment, ...]
) -> ir.AssignNode:
    return ir.AssignNode(
        id=activity.id,
        title=activity.line.text,
        span=scope.span(activity.name),
        assignments=assignments,
    )


def _set(activity: Activity, scope: ChartScope) -> ir.Node:
    """Read SET `NAME=value`, split at the first `=` (M24); `file:path=value` writes a file
    (M22)."""
    text = break_lines(activity.caption, "\n")
    target, value = text.partition("=")
    target = target.strip()
    if value is None or not target.text:
        scope.sink.report(
            "FC1001",
            f"`{activity.id}` sets nothing" if not text.text else f"`{text.brief}` sets nothing",
            place_of(activity, scope),
            help=_other_node(activity, scope, "write `NAME=value`"),
        )
        return _assign(activity, scope, ())
    if target.text.startswith("file:"):
        return _write_file(activity, target, _value(value.strip(), scope), scope)
    if value.text.startswith("=") or target.text.endswith(":"):
        sign = scope.span(target[-1:] if target.text.endswith(":") else value[:1])
        message = f"`{activity.line.brief}` is not written as SET reads it"
        name = target.text.rstrip(": ")
        help = f"write one `=`: `{name}=…`"
        scope.sink.report("FC1001", message, sign, severity="warning", help=help)
    elif not _NAME.match(target.text):
        what = "a constant" if constant_in(target) is not None else "no name"
        message = f"`{target.brief}` is {what} and cannot be set"
        help = "a name has letters, digits and underscores and begins with a letter"
        scope.sink.report("FC1005", message, scope.span(target), help=help)
        return _assign(activity, scope, ())
    name = "RESULT" if target.text == "CONTENT" else target.text
    if name == "STATUS":
        _check_status(value.strip(), scope)
    if name == MAX_HITS:
        check_hits(value.strip(), scope)
    assignment = ir.Assignment(
        target=name, value=_value(value.strip(), scope), span=scope.span(target)
    )
    return _assign(activity, scope, (assignment,))


def _other_node(activity: Activity, scope: ChartScope, help: str) -> str:
    """Return the help for a node without a caption, which may be another's id misspelt."""
    near = None if activity.line.text else scope.captioned.nearest(activity.id)
    if near and sum(map(str.__ne__, near, activity.id)) == 1 and len(near) == len(activity.id):
        near = None  # ids in a row, such as `SET_A` and `SET_B`
    return f"did you mean `{near}`? Or {help}" if near else help


def set_target(activity: Activity) -> PlacedText | None:
    """Return the variable that a SET activity names, or None."""
    target = activity.caption.partition("=")[0].strip()
    return target if _NAME.match(target.text) else None


def _value(text: PlacedText, scope: ChartScope) -> Expr:
    known = scope.look_up(text) if text.text else None
    if known is not None:
        return known
    spelling = scope.spelling()
    near = spelling.nearest(text.text) if _CAPITALS.match(text.text) else None
    if near is not None:
        scope.sink.report(
            "FC3001",
            f"`{text.brief}` names no variable, so these letters are the value",
            scope.span(text),
            severity="warning",
            help=f"did you mean `{near}`? For the letters write `'{text.brief}'`",
        )
    elif odd := odd_value(text.text, lambda name: name in spelling):
        scope.sink.report("FC3006", odd[0], scope.span(text), severity="warning", help=odd[1])
    return scope.render(text)


def _check_status(value: PlacedText, scope: ChartScope) -> None:
    """Report any STATUS but the four words (M24)."""
    inner = constant_in(value) or value
    if inner.text in STATUS_WORDS or "{{" in inner.text or scope.has(inner.text):
        return
    help = f"one of {', '.join(STATUS_WORDS)}"
    scope.sink.report("FC1005", f"`{inner.brief}` is not a status", scope.span(inner), help=help)


def check_hits(value: PlacedText, scope: ChartScope) -> None:
    """Report a MAX_ACTIVITY_HITS that is certainly not a number: it would fail the run (M45)."""
    inner = constant_in(value) or value
    if inner.text.strip().isdecimal() or "{{" in inner.text or scope.has(inner.text):
        return
    if inner.text in BUILT_IN or inner.text.startswith(("file:", "env:")):
        return
    message = f"`{inner.brief}` is not a number of hits"
    scope.sink.report("FC1005", message, scope.span(inner), help="write a whole number, such as 3")


def _write_file(
    activity: Activity, target: PlacedText, content: Expr, scope: ChartScope
) -> ir.ToolNode:
    path = Literal(value=scope.file_path(target) or "", span=scope.span(target))
    return ir.ToolNode(
        id=activity.id,
        title=activity.line.text,
        span=scope.span(activity.name),
        tool=WRITE_FILE,
        args=(
            ir.Assignment(target="path", value=path, span=path.span),
            ir.Assignment(target="content", value=content, span=content.span),
        ),
    )


def _assign_result(activity: Activity, scope: ChartScope) -> ir.AssignNode:
    """Let ASSIGN put the looked-up value into RESULT; report an unknown name as FC3001 (M26)."""
    text = break_lines(activity.caption, "\n").strip()
    value = scope.look_up(text) if text.text else None
    if not text.text:
        message = f"`{activity.id}` names no value"
        help = "write a variable, a prompt's name, `file:path` or a constant in quotes"
        help = _other_node(activity, scope, help)
        scope.sink.report("FC1003", message, scope.span(activity.name), help=help)
    elif value is None and scope.is_complete:
        otherwise = f"list it in PARAMS, or write a constant in quotes: `'{text.brief}'`"
        scope.sink.report(
            "FC3001",
            f"`{text.brief}` is neither a variable nor a prompt",
            scope.span(text),
            help=scope.spelling(prompts=True).advice(text.text, otherwise),
        )
    assignment = ir.Assignment(target="RESULT", value=value or scope.literal(text))
    return _assign(activity, scope, (assignment,))


def _check(activity: Activity, scope: ChartScope) -> ir.ChooseNode:
    """Let CHECK be evaluated once; its edges are the cases "true" and "false" (M30–M34)."""
    if activity.line.text:
        on = read_check(activity.line, activity.kind, scope)
    else:
        on = Literal(value=False)
        message = f"`{activity.id}` checks nothing"
        help = "give it a caption such as `{RESULT == SUCCESS}`"
        help = _other_node(activity, scope, help)
        scope.sink.report("FC3006", message, scope.span(activity.name), help=help)
    return ir.ChooseNode(
        id=activity.id, title=activity.line.text, span=scope.span(activity.name), on=on
    )


def _prompt(activity: Activity, scope: ChartScope) -> ir.Node:
    """Let System start a fresh conversation, Assistant add to it, User ask the model (M27, M28)."""
    name = " ".join(activity.line.text.split())
    span = scope.span(activity.name)
    prompt = scope.prompt(activity.line)
    if not name:
        help = f"write the prompt's name in its caption: `{activity.id}[Prompt: User …]`"
        help = _other_node(activity, scope, help)
        scope.sink.report("FC1003", f"`{activity.id}` names no prompt", span, help=help)
    elif prompt is None or not prompt.text.text:
        scope.missing.setdefault(name, []).append(place_of(activity, scope))
    template = scope.template(prompt) if prompt else Literal(value="")
    role = role_of(name)
    if role == "user":
        return ir.AgentNode(
            id=activity.id, title=name, span=span, agent=AGENT, prompt=template,
            into="RESULT", prompt_id=name or None,
        )  # fmt: skip
    return ir.MessageNode(
        id=activity.id, title=name, span=span, thread=THREAD, role=role, template=template,
        mode="reset" if role == "system" else "append", into="RESULT", prompt_id=name,
    )  # fmt: skip


def _ask(activity: Activity, scope: ChartScope) -> ir.AskNode:
    """Let ASK show RESULT and store the answer there (M40, M41)."""
    span = scope.span(activity.name)
    scope.read.add("RESULT")
    return ir.AskNode(
        id=activity.id, title=activity.line.text, span=span, into="RESULT",
        question=Name(name="RESULT", span=span),
    )  # fmt: skip


def _execute(activity: Activity, scope: ChartScope) -> ir.ExecNode:
    """Run the shell blocks in RESULT, or the caption as one command (M36, M39)."""
    span = scope.span(activity.name)
    command = break_lines(activity.caption, "\n").strip()
    source: Expr = Name(name="RESULT", span=span)
    if command.text:
        source = scope.command(command)
    return ir.ExecNode(
        id=activity.id, title=activity.line.text, span=span, source=source,
        form="command" if command.text else "blocks", session=SESSION,
        parts=(
            ir.ResultPart(part="transcript", variable="RESULT"),
            ir.ResultPart(part="code", variable="EXIT_CODE"),
        ),
    )  # fmt: skip


def _call(activity: Activity, scope: ChartScope) -> ir.Node:
    """Let CALL run the workflow in a file beside this one (M42, M43)."""
    text = activity.line
    target = text[len("file:") :].strip() if text.text.startswith("file:") else text
    target = constant_in(target) or target
    if not target.text:
        message = f"`{activity.id}` names no workflow"
        help = f"write the file's name in its caption: `{activity.id}[[other.wf.md]]`"
        help = _other_node(activity, scope, help)
        scope.sink.report("FC1003", message, scope.span(activity.name), help=help)
        return _assign(activity, scope, ())
    return ir.CallNode(
        id=activity.id,
        title=text.text,
        span=scope.span(activity.name),
        workflow=os.path.normpath(os.path.join(scope.folder, target.text)),
        target_span=scope.span(target),
        passes_all=True,
        returns_all=True,
        shares_sessions=True,
    )
