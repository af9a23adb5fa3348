"""The lists of a step: tools, inputs, outputs and assertions, from list tokens to spans.

One bullet is stripped (S10); a wrapped item is one item (S11); an empty one is none (S12).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from flowc.grammar.lexing import ITEM
from lark import Token

from ...diagnostics.diagnostic import Fix, Label, Sink
from ...ir import Input, Output
from ...source.source import Source, Span
from ...source.spelling import Spelling
from .marks import ARROW, marker
from .model import Located, join_lines, locate

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*|_[A-Za-z0-9][A-Za-z0-9_]*")

_OTHER_BULLET = re.compile(r"^[ \t]*(?P<mark>[•◦▪▸‣●○·–—−])[ \t]*", re.MULTILINE)
_PATH = re.compile(r"(?P<root>[A-Za-z_]\w{0,40})(?:\.\w++|\[[^\[\]\s]*+\]?)++")
_OTHER_POINT = re.compile(r"(?<=[\w\]])[ \t]*(?:->|\.{1,3}|\?\.|::)[ \t]*(?=\w)")
"""A point before a field, as it is written elsewhere or with a blank beside it."""
_CALLED = re.compile(r"(?<=\w)\((\d+)\)")
"""An element as other languages write it."""
_WITHOUT_BULLET = re.compile(r"\n[ \t]*[^\s*+-]")
_ITEMS = {
    "TOOLS": re.compile(r"[A-Za-z_][\w-]*_[\w-]*$"),
    "INPUTS": re.compile(r"[A-Z][A-Z0-9_]+: \S"),
    "OUTPUTS": re.compile(r".*(?:→|->)[ \t]*[A-Z][A-Z0-9_]+$"),
    "ASSERT": re.compile(r"result\.\w"),
}
"""How a line begins that was surely meant as an item of a section."""
_RESULT = Spelling(("result",))


def heading_of(token: Token) -> str:
    """Return the first line of a section's token; the items of a list follow it."""
    return token.partition("\n")[0]


def heading_span(source: Source, token: Token) -> Span:
    """Return the place of a section's heading."""
    return locate(source, token.start_pos or 0, heading_of(token)).span


def read_texts(source: Source, section: Token, texts: list[Located]) -> None:
    """Read tool names, taken literally (S4), or assertions, unchanged (S9), without empty items."""
    for start, raw in split_items(section):
        located = locate(source, start, raw)
        if located.text:
            texts.append(located)


def read_inputs(source: Source, section: Token, inputs: list[Input], sink: Sink) -> None:
    """Read `NAME: description`, split at the first colon (S5)."""
    for start, raw in split_items(section):
        name, colon, description = raw.partition(":")
        located = locate(source, start, name)
        if colon and located.text:
            meaning = join_lines(description)
            inputs.append(Input(name=located.text, description=meaning, span=located.span))
        elif raw.strip():
            whole, missing = locate(source, start, raw), "name" if colon else "colon"
            message = f"the input `{_short(whole.text)}` is not read: it has no {missing}"
            first, _, meaning = whole.text.partition(" ")
            known = meaning and _NAME.fullmatch(first)
            help = f"write `{first}: {_short(meaning)}`" if known else "write `NAME: what it is`"
            sink.report("FC1001", message, whole.span, severity="warning", help=help)


def read_outputs(source: Source, section: Token, outputs: list[Output], sink: Sink) -> None:
    """Read `source → NAME`, split at the first arrow; `→` comes before `->` (S6, S7)."""
    for start, raw in split_items(section):
        arrow = ARROW.search(raw)
        left, right = arrow.span() if arrow else (raw.find("->"), raw.find("->") + 2)
        name = locate(source, start + right, raw[right:])
        if left >= 0 and name.text:
            if arrow is not None and arrow[0] != "→":
                _report_arrow(source, start + left, arrow[0], sink)
            elif arrow is None:
                _check_shaft(source, start, raw, left, sink)
            outputs.append(Output(source=join_lines(raw[:left]), name=name.text, span=name.span))
            if not raw[:left].strip():
                message = f"the output `{name.text}` does not say where its value stands"
                help = f"write it before the arrow: `result.… → {name.text}`"
                sink.report("FC1003", message, name.span, severity="warning", help=help)
            _check_path(locate(source, start, raw[:left].rstrip("-=–—~")), sink)
        elif raw.strip():
            whole = locate(source, start, raw)
            sink.report(
                "FC1001",
                f"the output `{_short(whole.text)}` has no {'name' if left >= 0 else 'arrow'}",
                whole.span,
                help="write `where the value stands → NAME`",
                fix=_double_arrow(source, start, raw),
            )


def _check_shaft(source: Source, start: int, raw: str, left: int, sink: Sink) -> None:
    """Warn of `-->`: the first dash belongs to the text before the arrow."""
    shaft = left - len(raw[:left].rstrip("-=–—~"))
    if shaft:
        span = source.span(start + left - shaft, start + left + 2)
        message = f"`{raw[left - shaft : left]}` before the arrow belongs to the text"
        fix = Fix("write `→`", span, "→")
        sink.report("FC1001", message, span, severity="warning", help="write `→`", fix=fix)


def _check_path(written: Located, sink: Sink) -> None:
    """Warn of a source that is nearly a path into the tool's result."""
    called = _CALLED.sub(r"[\1]", written.text)
    if called != written.text and _PATH.fullmatch(called):
        message = f"`{_short(written.text)}` is not a path into the tool's result"
        fix = Fix(f"write `{_short(called)}`", written.span, called)
        help = f"write `{_short(called)}`"
        sink.report("FC3001", message, written.span, severity="warning", help=help, fix=fix)
        return
    pointed = _OTHER_POINT.sub(".", written.text)
    path = _PATH.fullmatch(pointed)
    if path is None:
        return
    if pointed != written.text and path["root"] == "result":
        message = f"`{_short(written.text)}` is not a path into the tool's result"
        fix = Fix(f"write `{_short(pointed)}`", written.span, pointed)
        help = f"write `{_short(pointed)}`"
        sink.report("FC3001", message, written.span, severity="warning", help=help, fix=fix)
        return
    near = _RESULT.nearest(path["root"])
    if near or written.text.count("[") > written.text.count("]"):
        message = f"`{_short(written.text)}` is not a path into the tool's result"
        help = f"did you mean `{near}`?" if near else "close the bracket: write `]`"
        sink.report("FC3001", message, written.span, severity="warning", help=help)


def check_names(inputs: list[Input], outputs: list[Output], label: str, sink: Sink) -> None:
    """Report a name that a step defines twice (FC1004) or that a variable cannot have (FC1005)."""
    for kind, entries in (("input", inputs), ("output", outputs)):
        seen: dict[str, Input | Output] = {}
        for entry in entries:
            first = seen.setdefault(entry.name, entry)
            if entry.span is None or first.span is None:
                continue
            if first is not entry:
                message = f"{label} has the {kind} `{entry.name}` twice"
                help = "take one of the two out, or give it a name of its own"
                labels = (Label(first.span, "first here"),)
                sink.report("FC1004", message, entry.span, labels=labels, help=help)
            elif _NAME.fullmatch(entry.name) is None:
                reserved = entry.name.startswith(("$", "__"))
                meant = _meant_name(entry)
                sink.report(
                    "FC1005",
                    f"`{_short(entry.name)}` is not a name of a variable",
                    entry.span,
                    severity="error" if reserved else "warning",
                    help=f"write `{meant}`"
                    if meant
                    else "a name is made of letters, digits and underscores, as in `PULL_REQUEST`",
                )


def _meant_name(entry: Input | Output) -> str:
    """Return how a name of several words was meant; "" where that cannot be told."""
    if isinstance(entry, Output) and _NAME.fullmatch(entry.source) and entry.source.isupper():
        return f"{_short(entry.name)} → {entry.source}"
    first, *others = re.split(r"[\s-]+", entry.name.strip("[]{}<>"))
    if isinstance(entry, Input) and first.isupper() and not "".join(others).isupper():
        return f"{first}: …" if others and _NAME.fullmatch(first) else ""
    joined = "_".join((first, *others))
    return joined if _NAME.fullmatch(joined) and len(others) < 3 else ""


def report_unlisted(source: Source, section: Token, prose: Token, sink: Sink) -> None:
    """Report lines below a list's heading that are not items, because no bullet begins them."""
    line = locate(source, prose.start_pos or 0, heading_of(prose))
    if line.text.lower().strip("*_`().") in ("none", "nothing", "n/a", "no", ""):
        return
    bullet = _OTHER_BULLET.match(line.text)
    item = line.text[bullet.end() :] if bullet else line.text
    message = f"no bullet begins this line, so `{section.type}` does not hold it"
    fix = Fix(f"write `- {_short(item)}`", line.span, f"- {item}")
    help = f"write `- {_short(item)}`"
    sink.report("FC1001", message, line.span, severity="warning", help=help, fix=fix)


def report_lost_items(source: Source, section: Token, prose: Token, sink: Sink) -> None:
    """Report the line below a list that was surely meant as one more of its items."""
    if _ITEMS[section.type].match(heading_of(prose).strip()):
        report_unlisted(source, section, prose, sink)


def report_wrapped_items(source: Source, section: Token, sink: Sink) -> None:
    """Report lines of items that were surely meant as items: no bullet begins them."""
    if section.type not in ("INPUTS", "OUTPUTS") or _WITHOUT_BULLET.search(section) is None:
        return
    for start, raw in split_items(section):
        for line in re.finditer(r"\n[ \t]*(?P<text>\S[^\n]*)", raw):
            if _ITEMS[section.type].match(line["text"]):
                place = locate(source, start + line.start("text"), line["text"])
                message = "no bullet begins this line, so it belongs to the item above"
                help = f"write `- {_short(place.text)}`"
                fix = Fix(help, place.span, f"- {place.text}")
                sink.report("FC1001", message, place.span, severity="warning", help=help, fix=fix)


def report_unheaded(source: Source, bullets: Token, names: Set[str], sink: Sink) -> None:
    """Report a list of a step that stands below no heading, though its first item is one of a
    section's: of `names` something, or a measurement."""
    _, raw = next(split_items(Token("PROSE", f"\n{bullets}", start_pos=0)), (0, ""))
    item = raw.strip()
    name = item.partition(":")[0]
    kind = next((kind for kind, form in _ITEMS.items() if form.match(item)), "TOOLS")
    if kind == "TOOLS" or (kind == "INPUTS" and name not in names):
        return
    line = locate(source, bullets.start_pos or 0, heading_of(bullets))
    message = f"this list stands below no heading, so nothing reads it: is it `{kind}`?"
    help = f"write `{marker(kind)}:` above it"
    sink.report("FC1002", message, line.span, severity="warning", help=help)


def check_bullets(source: Source, section: Token, sink: Sink) -> None:
    """Report lines of items that begin with a bullet of a typographer's: they belong to the item
    above."""
    start = section.start_pos or 0
    for match in _OTHER_BULLET.finditer(section, section.find("\n") + 1):
        mark = source.span(start + match.start("mark"), start + match.end("mark"))
        message = f"`{match['mark']}` is not a bullet, so this belongs to the item above"
        fix = Fix("write `-`", mark, "-")
        sink.report("FC1001", message, mark, severity="warning", help="write `- `", fix=fix)


def split_items(section: Token) -> Iterator[tuple[int, str]]:
    """Yield offset and text of every item behind its bullet."""
    start = section.start_pos or 0
    for match in ITEM.finditer(section, section.find("\n") + 1):
        bullet, end = match.end("bullet"), match.end()
        yield start + bullet, section[bullet:end]


def _report_arrow(source: Source, start: int, arrow: str, sink: Sink) -> None:
    span = source.span(start, start + len(arrow))
    message = f"the arrow is damaged: `{arrow}` was `→`"
    help = "read as meant; save the repaired arrow, and the file as UTF-8"
    sink.report("FC1006", message, span, help=help, fix=Fix("write `→`", span, "→", True))


def _double_arrow(source: Source, start: int, raw: str) -> Fix | None:
    """Repair `=>`, which is not an arrow (S7) but surely meant as one."""
    at = raw.find("=>")
    if at < 0 or raw.count("=>") > 1:
        return None
    return Fix("write `→`", source.span(start + at, start + at + 2), "→")


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
