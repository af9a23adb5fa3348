"""Names and signs in a machine's texts and scripts that are nearly what was meant.

    common_data.notcie              no variable, and nothing sets it
    {{common_data.topic}            a placeholder with a brace too few
    {{topic}}  ${common_data.topic} placeholders of other formats
    commonData.topic                the data under another name
    reply.lentgh                    no member of a text or a list
    condition: topic = 'other'      sets, where a comparison was meant
    function.file_nuder.arguments   no tool of any role

What a script beside the machine names counts as known: it may set anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set

from ...diagnostics.diagnostic import Fix, Sink
from ...ir import Tool
from ...reading.foreign import foreign_placeholders, report_foreign
from ...reading.tree import Scalar
from ...source.spelling import Spelling
from .document import RESERVED, START, STOP, Machine
from .roles import RoleEntry
from .scripts.functions import ScriptFile

_READ = re.compile(r"common_data\.(\w+)(?!\w|\s*\()")
_SET = re.compile(r"common_data(?:\.(\w+)|\[['\"](\w+)['\"]\])\s*(?:\+\+|--|[-+*/]?=(?!=))")
_WORD = re.compile(r"(?<![\w$.'\"])(?:this\.)?([A-Za-z_]\w{6,})\b")
_DECLARED = re.compile(r"\b(?:let|const|var|function)\s+(\w+)|\b(\w++)\s*+=>")
_HOLE = re.compile(
    r"(?<![${])\{{1,2}\s*(?:this\.)?(common_data(?:\.\w+)+)\s*\}{0,2}(?!\})"
    r"|\$\{{1,2}\s*(common_data(?:\.\w+)+)\s*\}{1,2}|<(common_data(?:\.\w+)+)>"
    r"|\{?%\s?(common_data(?:\.\w+)+)\s?%\}?"
)
_OTHER_DATA = re.compile(r"(?<![\w$.-])(?!common_data\b)common[-_]?data(?=\.[A-Za-z_]\w)", re.I)
_MEMBER = re.compile(r"(?<=[\w)\]])\.([A-Za-z]{4,20})\b")
_MEMBERS = Spelling(
    (
        *("length", "trim", "includes", "indexOf", "toLowerCase", "toUpperCase", "startsWith"),
        *("endsWith", "split", "match", "test", "slice", "substring", "replace", "push", "join"),
        *("filter", "some", "every", "find", "concat", "reverse", "sort", "toString"),
    )
)
_ASSIGNS = re.compile(r"(?<![=!<>+\-*/%&|^?:])=(?![=>])")
_TOOL = re.compile(r"(?<![\w.])function\.(\w+)(?:\.arguments\.(\w+))?")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"")
_RESERVED = Spelling(RESERVED)


def check_texts(
    machine: Machine, roles: Mapping[str, RoleEntry], file: ScriptFile | None, sink: Sink
) -> None:
    """Warn of names that nothing has and signs that mean something else."""
    names = _names(machine)
    known = names | _said_elsewhere(machine, file)
    spellings = (Spelling(names), Spelling(known))
    tools = {tool.id: tool for entry in roles.values() for tool in entry.tools}
    for text in _codes(machine):
        _check_fields(text, known, spellings, sink)
        _check_words(text, sink)
        _check_data(text, sink)
        _check_members(text, known, sink)
        if tools:
            _check_tools(text, tools, sink)
    for text in _inputs(machine):
        _check_fields(text, known, spellings, sink)
        _check_holes(text, sink)
        _check_data(text, sink)
        for found in foreign_placeholders(text.text, "{{common_data.NAME}}", names):
            written = text.text[found.start : found.end]
            if written.startswith(("{", "$")):
                place, meant = text.at(found.start, found.end), f"{{{{common_data.{found.name}}}}}"
                report_foreign(sink, place, written, meant)
    for text in _conditions(machine):
        _check_assignment(text, sink)
    _check_states(machine, sink)


def _codes(machine: Machine) -> Iterator[Scalar]:
    yield from _conditions(machine)
    for state in machine.states:
        yield from (t.before for t in state.transitions if t.before is not None)
        if state.script is not None:
            yield state.script


def _conditions(machine: Machine) -> Iterator[Scalar]:
    yield from (t.condition for state in machine.states for t in state.transitions)


def _inputs(machine: Machine) -> Iterator[Scalar]:
    for state in machine.states:
        yield from (text for text in (state.input, state.message) if text is not None)


def _names(machine: Machine) -> Set[str]:
    """Return the fields of `common_data` that the machine itself declares or sets."""
    names = set(machine.variables)
    names |= {p.name.text for p in (machine.input, machine.output) if p is not None}
    for text in (*_codes(machine), *_inputs(machine)):
        names |= {match[1] or match[2] for match in _SET.finditer(text.text)}
    return names


def _said_elsewhere(machine: Machine, file: ScriptFile | None) -> Set[str]:
    """Return the names that handlers may set; where their script is missing, all that are read."""
    if file is not None:
        return set(re.findall(r"\w+", file.source.text))
    if not any(any(state.handlers) for state in machine.states):
        return set()
    texts = (*_codes(machine), *_inputs(machine))
    return {match[1] for text in texts for match in _READ.finditer(text.text)}


def _check_fields(text: Scalar, known: Set[str], spellings: Iterable[Spelling], sink: Sink) -> None:
    for match in _READ.finditer(text.text):
        if match[1] in known:
            continue
        near = next(filter(None, (spelling.nearest(match[1]) for spelling in spellings)), None)
        if near is None:
            continue  # JavaScript may ask for what is not there
        message, span = f"nothing sets `common_data.{match[1]}`", text.at(*match.span(1))
        help, fix = f"did you mean `{near}`?", Fix(f"write `{near}`", span, near)
        sink.report("FC3001", message, span, severity="warning", help=help, fix=fix)


def _check_words(text: Scalar, sink: Sink) -> None:
    plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text.text)
    own = {name for pair in _DECLARED.findall(plain) for name in pair}
    for match in _WORD.finditer(plain):
        near = None if match[1] in RESERVED or match[1] in own else _RESERVED.nearest(match[1])
        if near is not None:
            message, span = f"nothing is called `{match[1]}`", text.at(*match.span(1))
            fix = Fix(f"write `{near}`", span, near)
            help = f"did you mean `{near}`?"
            sink.report("FC3001", message, span, severity="warning", help=help, fix=fix)


def _check_data(text: Scalar, sink: Sink) -> None:
    for match in _OTHER_DATA.finditer(text.text):
        message, span = f"nothing is called `{match[0]}`", text.at(*match.span())
        fix = Fix("write `common_data`", span, "common_data")
        help = "did you mean `common_data`?"
        sink.report("FC3001", message, span, severity="warning", help=help, fix=fix)


def _check_members(text: Scalar, known: Set[str], sink: Sink) -> None:
    plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text.text)
    for match in _MEMBER.finditer(plain):
        near = None if match[1] in known else _MEMBERS.nearest(match[1])
        if near is None or near == match[1] or plain.endswith("common_data", 0, match.start()):
            continue
        message, span = f"texts and lists have no `{match[1]}`", text.at(*match.span(1))
        fix = Fix(f"write `{near}`", span, near)
        help = f"did you mean `{near}`?"
        sink.report("FC3001", message, span, severity="warning", help=help, fix=fix)


def _check_tools(text: Scalar, tools: Mapping[str, Tool], sink: Sink) -> None:
    for match in _TOOL.finditer(text.text):
        tool = tools.get(match[1])
        if tool is None:
            near, help = Spelling(tools).nearest(match[1]), "add it to a role's `parsingTools`"
            message, span = f"no role has the tool `{match[1]}`", text.at(*match.span(1))
            sink.report("FC4001", message, span, severity="warning", help=help, near=near)
            continue
        properties = tool.schema.get("properties") if isinstance(tool.schema, dict) else None
        if match[2] and isinstance(properties, dict) and match[2] not in properties:
            listed = ", ".join(f"`{name}`" for name in properties) or "nothing"
            near, help = Spelling(properties).nearest(match[2]), f"it takes {listed}"
            message, span = f"`{tool.id}` takes no `{match[2]}`", text.at(*match.span(2))
            sink.report("FC3005", message, span, severity="warning", help=help, near=near)


def _check_holes(text: Scalar, sink: Sink) -> None:
    for match in _HOLE.finditer(text.text):
        written, span = match[0], text.at(*match.span())
        meant = f"{{{{{next(filter(None, match.groups()))}}}}}"
        if written.replace(" ", "") == meant or (written.startswith("{{") and "}}" in written):
            continue
        message = f"`{written.strip()}` is not a placeholder, so it stays as it is written"
        fix = Fix(f"write `{meant}`", span, meant)
        sink.report("FC3001", message, span, severity="warning", help=f"write `{meant}`", fix=fix)


def _check_states(machine: Machine, sink: Sink) -> None:
    """Warn of a state whose name is nearly that of one with a meaning of its own."""
    for name in (START, STOP):
        if machine.state(name) is not None:
            continue
        for state in machine.states:
            if state.name.text.isalpha() and Spelling((name,)).nearest(state.name.text):
                message = f"`{state.name.text}` is a state like any other: there is no `{name}`"
                help, span = f"did you mean `{name}`?", state.name.span
                fix = Fix(f"write `{name}`", span, name)
                sink.report("FC2001", message, span, severity="warning", help=help, fix=fix)


def _check_assignment(text: Scalar, sink: Sink) -> None:
    plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text.text)
    match = _ASSIGNS.search(plain)
    if match is not None:
        message = "a condition sets a value here, where it should compare"
        fix = Fix("write `===`", text.at(*match.span()), "===")
        place = text.at(*match.span())
        help = "write `===` or `==`"
        sink.report("FC3006", message, place, severity="warning", help=help, fix=fix)
