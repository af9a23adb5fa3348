"""Texts that mean something else to YAML or flowc than to their author, in a sound file.

prompt: What is #3 about?    a comment begins at `#`
agent: writer,               the comma belongs to the name
prompt: “Say hello.”         these quotes belong to the text
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from ....diagnostics.diagnostic import Fix, Sink
from ....reading.foreign import (
    foreign_in_command,
    foreign_placeholders,
    foreign_statements,
    report_foreign,
    report_statement,
)
from ....reading.script_syntax import command_fault
from ....reading.tree import ListAt, MapAt, Scalar, Value, brief
from ....reading.yaml_slips import ODD_BLANKS

_COMMENT = re.compile(r"[ \t]+(?P<rest>#(?:\w|\{\{|\{\w|[ ][^\r\n]{0,200}\{\{)[^\r\n]*)")
_CURLY = re.compile(r"[“„«][^“”„«»]*[”“»]")
_NAME_AND_SIGN = re.compile(r"(?P<name>[\w-]+)[,;]")
_MAY_END = re.compile(r":\s*+(?:!\S*\s++)*+[\w-]++(?:,[ \t]*+(?:[\r\n]|\Z)|;(?:[\s,\]}]|\Z))")
"""Where a value may be a name and a sign."""
_ENDS = frozenset(",;")
_OPENED = frozenset("“„«")
_QUOTED_NAME = re.compile(r"\{\{[ ]*(['\"])(\w{2,60})\1[ ]*\}\}")
_DECIDE = "decide with a `choose` node"
_LISTED = 4000
"""Characters of a text that are looked at."""


def check_odd_texts(root: Value, sink: Sink) -> None:
    """Warn of texts without quotes that lose their end or keep a sign too much."""
    source = root.source.text
    for key, text in _odd_texts(root, not sink.is_broken(root.source.path)):
        if not key.text.isascii() and key.plain and (odd := ODD_BLANKS.match(key.text)):
            message = "a blank of another kind stands where blanks indent"
            place = key.at(0, odd.end())
            sink.report("FC1001", message, place, help="write plain blanks")
        if text.style:
            continue
        behind = _COMMENT.match(source, text.end) if " " in text.text else None
        if behind is not None:
            span = text.at(0, len(text.text))
            lost = brief(behind["rest"])
            quoted = _in_quotes(source[text.start : text.end] + behind[0].rstrip())
            sink.report(
                "FC1005",
                f"`{brief(key.text)}` ends before `{lost}`, which YAML takes for a comment",
                text.source.span(behind.start("rest"), behind.end("rest")),
                severity="warning",
                help=f"write the text in quotes: `{brief(quoted)}`, or a blank behind `#`",
                fix=Fix("write quotes", text.source.span(span.start, behind.end()), quoted),
            )
        elif text.text[-1:] in _ENDS and (name := _NAME_AND_SIGN.fullmatch(text.text)):
            sink.report(
                "FC1005",
                f"the `{text.text[-1]}` belongs to the value of `{brief(key.text)}`",
                text.span,
                severity="warning",
                help=f"write `{brief(name['name'])}`: nothing ends a line of YAML",
                fix=Fix(f"write `{name['name']}`", text.span, name["name"]),
            )
        elif text.text[:1] in _OPENED and len(text.text) < _LISTED and _CURLY.fullmatch(text.text):
            quoted = _in_quotes(text.text[1:-1])
            sink.report(
                "FC1005",
                f"these quotes are not YAML's: they belong to the value of `{brief(key.text)}`",
                text.span,
                severity="warning",
                help=f"write `{brief(quoted)}`",
                fix=Fix(f"write `{brief(quoted)}`", text.span, quoted),
            )


def check_placeholders(texts: Iterable[Scalar], names: Set[str], sink: Sink) -> None:
    """Warn of placeholders and statements of other languages in texts with `{{ NAME }}`."""
    for text in texts:
        for found in foreign_placeholders(text.text, "{{NAME}}", names, holes=True):
            written = text.text[found.start : found.end]
            if written.startswith("{{") and not written.startswith("{{{"):
                continue  # a fault of the template, which has been told
            repair = f"{{{{ {found.name} }}}}"
            report_foreign(sink, text.at(found.start, found.end), written, repair)
        _check_quoted_names(text, names, sink)
        for start, end in foreign_statements(text.text):
            report_statement(sink, text.at(start, end), text.text[start:end], _DECIDE)


def check_commands(commands: Iterable[Scalar], names: Set[str], sink: Sink) -> None:
    """Warn of placeholders of other languages in shell commands: of those only that a shell would
    not read as its own."""
    for command in commands:
        text = command.text
        for found in foreign_in_command(text, "{{NAME}}", names, holes=True):
            written = text[found.start : found.end]
            if written.startswith("{{") and not written.startswith("{{{"):
                continue
            place = command.at(found.start, found.end)
            report_foreign(sink, place, written, f"{{{{ {found.name} }}}}")
        _check_quoted_names(command, names, sink)
        if (fault := command_fault(text)) is not None:
            place = command.at(fault.start, fault.end)
            help = "correct it: a shell would refuse the command"
            sink.report("FC3006", fault.message, place, severity="warning", help=help)
        for start, end in foreign_statements(text):
            report_statement(sink, command.at(start, end), text[start:end], _DECIDE)


def _check_quoted_names(text: Scalar, names: Set[str], sink: Sink) -> None:
    """Warn of `{{ 'name' }}`, which is a text and not the variable of that name."""
    for quoted in _QUOTED_NAME.finditer(text.text) if "{{" in text.text else ():
        if quoted[2] in names:
            message = f"`{quoted[0]}` is the text `{quoted[2]}`, not the value of the variable"
            place, help = text.at(*quoted.span()), f"write `{{{{ {quoted[2]} }}}}`"
            sink.report("FC3001", message, place, severity="warning", help=help)


def _in_quotes(text: str) -> str:
    return "'" + text.replace("'", "''") + "'" if '"' in text or "\\" in text else f'"{text}"'


def _odd_texts(root: Value, is_sound: bool) -> Iterator[tuple[Scalar, Scalar]]:
    """Yield every key with its text, of which something may be odd. In a sound file the texts of
    the tree stand as they are, so one look at the whole is enough for most files."""
    source = root.source.text
    may_be_any = not source.isascii() or " #" in source or "\t#" in source
    repeats = "&" in source
    if not may_be_any and not repeats and is_sound and _MAY_END.search(source) is None:
        return
    todo: list[Value] = [root]
    while todo:
        at = todo.pop()
        if type(at) is ListAt:
            todo += at.items
        elif type(at) is MapAt:
            for key, value in at.pairs:
                if type(value) is not Scalar:
                    todo.append(value)
                elif may_be_any or value.text[-1:] in _ENDS:
                    yield key, value
