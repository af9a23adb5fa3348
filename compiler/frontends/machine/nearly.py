"""Names and signs in a machine's texts and scripts that are nearly what was meant.

    common_data.notcie              no variable, and nothing sets it
    {{common_data.topic}            a placeholder with a brace too few
    {{topic}}  ${common_data.topic} placeholders of other formats
    commonData.topic                the data under another name
    reply.lentgh                    no member of a text or a list
    condition: topic = 'other'      sets, where a comparison was meant
    function.file_nuder.arguments   no tool of any role
    common_data.taks = 'wait'       set and never read, where `task` is read

What a script beside the machine names counts as known: it may set anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from ...diagnostics.diagnostic import Fix, Sink
from ...ir import Tool
from ...reading.foreign import foreign_placeholders, report_foreign
from ...reading.tree import Scalar
from ...source.source import Source
from ...source.spelling import Spelling
from .document import RESERVED, START, STOP, Machine
from .expressions import has_placeholder
from .free_names import OTHER_DATA, check_free_names, check_methods, plain_code
from .roles import RoleEntry
from .script_names import check_script_names
from .scripts.functions import ScriptFile

_READ = re.compile(r"common_data\.(\w+)(?!\w|\s*\()")
_SET = re.compile(r"common_data(?:\.(\w+)|\[['\"](\w+)['\"]\])\s*(?:\+\+|--|[-+*/]?=(?!=))")
_ANY_FIELD = re.compile(r"common_data(?:\[(?!['\"]\w+['\"]\])|\s*(?![\w.\[]))")
"""The data as a whole, or a field whose name the code makes: any field may be read."""
_THIS_SET = re.compile(r"(?<![\w$.])this\.(\w+)\s*=(?!=)")
_WORD = re.compile(r"(?<![\w$.])this\.([A-Za-z_]\w{6,})\b")
_DATA = r"(?:this\.)?(common_data(?:\.\w+)+)"
_HOLE = re.compile(
    rf"(?<![${{])\{{{{1,2}}\s*{_DATA}\s*\}}{{0,2}}(?!\}})|\$\{{{{1,2}}\s*{_DATA}\s*\}}{{1,2}}"
    rf"|<{_DATA}>|\{{?%\s?{_DATA}\s?%\}}?|\[{{1,2}}{_DATA}\]{{1,2}}|\({{2}}\s*{_DATA}\s*\){{2}}"
    rf"|(?<![\w.]){_DATA}\s*\}}{{1,2}}|(?P<bare>(?<![\w.]){_DATA}\b)"
)
"""What stands for a field of the data in a text, or nearly does; the last form is a field alone."""
_PROSE = re.compile(
    r"(?<![\w.])(?!(?:typeof|new|in|of|instanceof|return|and|or|not|void)\b)[A-Za-z]{2,40}[ ]+"
    r"(?!(?:in|of|instanceof|and|or)\b)[A-Za-z]"
)
"""Two words side by side, as no code has them."""
_BRACED = re.compile(r"\{\{([^{}\n]{1,80})\}\}")
_SOUND = re.compile(r"\s*(?:this\.)?common_data(?:\.[^\W\d]\w*)+\s*")
_PATH = re.compile(
    r"\s*(?:\$\.)?(?:this\.)?([A-Za-z_][\w-]{0,40})\s*(?:\.|::?|->|/|\[['\"]?)\s*(\w{1,60})(?:['\"]?\])?\s*"
)
_MEMBER = re.compile(r"(?<=[\w)\]])\.([A-Za-z]{4,20})\b")
_MEMBERS = Spelling(
    (
        *("length", "trim", "includes", "indexOf", "toLowerCase", "toUpperCase", "startsWith"),
        *("endsWith", "split", "match", "test", "slice", "substring", "replace", "push", "join"),
        *("filter", "some", "every", "find", "concat", "reverse", "sort", "toString"),
    )
)
_ASSIGNS = re.compile(r"(?<![=!<>+\-*/%&|^?:])=(?![=>])")
_COMPARED = re.compile(
    r"\s*(?:this\.)?common_data(?:\.\w+)+\s*(?P<sign>={2,3})(?!=)[^;&|?]*;?\s*\Z"
)
_DECLARES = re.compile(r"\b(?:let|const|var)\s")
_OTHER_SIGN = re.compile(r"=<(?!=)|<>|(?<![=!<>])=!(?!=)|(?<![=!<>])=>(?=\s*-?\d)")
_SIGNS = {"=<": "<=", "<>": "!==", "=!": "!==", "=>": ">="}
_OTHER_PATH = re.compile(
    r"(?<![\w.])function\.(?P<tool>\w+)\.(?!arguments\b)"
    r"(?P<part>(?:args|argument|params|parameters|input|inputs)\b(?=\.))?(?P<name>\w+)?"
)
_TOOL = re.compile(r"(?<![\w.])function\.(\w+)(?:\.arguments\.(\w+))?")
_RESERVED = Spelling(RESERVED)


def check_texts(
    machine: Machine, roles: Mapping[str, RoleEntry], file: ScriptFile | None, sink: Sink
) -> None:
    """Warn of names that nothing has and signs that mean something else."""
    names = _names(machine)
    known = names | _said_elsewhere(machine, file)
    spellings = (Spelling(names), Spelling(known))
    tools = {tool.id: tool for entry in roles.values() for tool in entry.tools}
    own = None if file is not None else {*RESERVED, *names, *_set_on_this(machine)}
    for text in _codes(machine):
        _check_fields(text, known, spellings, sink)
        _check_words(text, own, sink)
        check_free_names(text, names, sink)
        check_methods(text, known, sink)
        _check_data(text, sink)
        _check_members(text, known, sink)
        _check_arguments(text, sink)
        if tools:
            _check_tools(text, tools, sink)
    for text in _inputs(machine):
        _check_fields(text, known, spellings, sink)
        if _is_sound_path(text.text) or not _check_path(text, known, sink):
            _check_holes(text, names, sink)
        _check_data(text, sink)
        for found in foreign_placeholders(text.text, "{{common_data.NAME}}", names):
            written = text.text[found.start : found.end]
            if written.startswith(("{", "$")):
                place, meant = text.at(found.start, found.end), f"{{{{common_data.{found.name}}}}}"
                report_foreign(sink, place, written, meant)
    for text in _conditions(machine):
        _check_assignment(text, sink)
    for state in machine.states:
        for code in (state.script, *(t.before for t in state.transitions)):
            if code is not None:
                _check_statement(code, sink)
    _check_sets(machine, file, sink)
    if file is not None and file.functions is not None:
        _check_output(machine, file.source, sink)
    _check_states(machine, sink)
    check_script_names(machine, names, file, sink)


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


def _check_output(machine: Machine, script: Source, sink: Sink) -> None:
    """Warn of a field that a script sets under nearly the name of what the run gives, where nothing
    else is said of either name."""
    stop = next((s.input for s in machine.states if s.name.text == STOP and s.input), None)
    path = re.fullmatch(r"\s*common_data\.(\w+)\s*", stop.text) if stop is not None else None
    output = machine.output.name.text if machine.output is not None and stop is None else ""
    given = path[1] if path is not None else output
    declares = {*machine.variables, *(p.name.text for p in (machine.input,) if p is not None)}
    words = Counter(re.findall(r"\w+", script.text))
    if not given or given in declares or given in words or _ANY_FIELD.search(script.text):
        return
    texts = (*_codes(machine), *(text for text in _inputs(machine) if text is not stop))
    own = set(re.findall(r"\w+", " ".join(text.text for text in texts)))
    for match in _SET.finditer(script.text) if given not in own else ():
        name = match[1] or match[2]
        if words[name] == 1 and name not in own and Spelling((given,)).nearest(name):
            message = f"nothing reads `common_data.{name}`, and nothing sets `{given}`"
            span = script.span(*match.span(1 if match[1] else 2))
            fix = Fix(f"write `{given}`", span, given)
            help = f"is `{given}` meant?"
            sink.report("FC3003", message, span, severity="warning", help=help, fix=fix)


def _check_sets(machine: Machine, file: ScriptFile | None, sink: Sink) -> None:
    """Warn of a field that is set and never read, and whose name is nearly that of one that is."""
    texts = (*_codes(machine), *_inputs(machine))
    if any(_ANY_FIELD.search(text.text) for text in texts):
        return
    sets = [(text, match) for text in texts for match in _SET.finditer(text.text)]
    places = {(id(text), match.start()) for text, match in sets}
    read = {
        match[1]
        for text in texts
        for match in _READ.finditer(text.text)
        if (id(text), match.start()) not in places
    }
    known = read | set(machine.variables)
    known |= {part.name.text for part in (machine.input, machine.output) if part is not None}
    known |= set(re.findall(r"\w+", file.source.text)) if file is not None else set()
    spelling = Spelling(read)
    for text, match in sets:
        name = match[1] or match[2]
        if name not in known and (near := spelling.nearest(name)) is not None:
            message = f"nothing reads `common_data.{name}`"
            span = text.at(*match.span(1 if match[1] else 2))
            fix = Fix(f"write `{near}`", span, near)
            help = f"is `{near}` meant?"
            sink.report("FC3003", message, span, severity="warning", help=help, fix=fix)


def _set_on_this(machine: Machine) -> Set[str]:
    """Return what the machine's own code sets on `this`."""
    return {match[1] for text in _codes(machine) for match in _THIS_SET.finditer(text.text)}


def _check_words(text: Scalar, own: Set[str] | None, sink: Sink) -> None:
    """Warn of what `this` does not have: of what is nearly one of its own names, and without a
    script, where `own` are all of them, of any other."""
    for match in _WORD.finditer(plain_code(text.text)):
        near = None if match[1] in RESERVED else _RESERVED.nearest(match[1])
        if near is None and (own is None or match[1] in own or "(" in text.text[match.end() :][:1]):
            continue
        message, span = f"nothing is called `{match[1]}`", text.at(*match.span(1))
        help = f"`this` has {', '.join(f'`{name}`' for name in RESERVED)}"
        sink.report("FC3001", message, span, severity="warning", help=help, near=near)


def _check_data(text: Scalar, sink: Sink) -> None:
    for match in OTHER_DATA.finditer(text.text):
        message, span = f"nothing is called `{match[0]}`", text.at(*match.span())
        fix = Fix("write `common_data`", span, "common_data")
        help = "did you mean `common_data`?"
        sink.report("FC3001", message, span, severity="warning", help=help, fix=fix)


def _check_members(text: Scalar, known: Set[str], sink: Sink) -> None:
    plain = plain_code(text.text)
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


def _check_arguments(text: Scalar, sink: Sink) -> None:
    """Warn of a path to an argument of a tool without its `arguments`: it has no value (J37)."""
    for match in _OTHER_PATH.finditer(text.text) if "function." in text.text else ():
        message = f"`{match[0].rstrip('.')}` has no value: behind a tool stand its `arguments`"
        part = "part" if match["part"] else "name"
        place = text.at(*match.span(part)) if match[part] else text.at(*match.span())
        meant = "arguments" if match["part"] else f"arguments.{match['name'] or '…'}"
        fix = Fix(f"write `{meant}`", place, meant)
        help = f"write `function.{match['tool']}.{meant}`"
        sink.report("FC3001", message, place, severity="warning", help=help, fix=fix)


def _is_sound_path(text: str) -> bool:
    return _SOUND.fullmatch(text) is not None


def _check_path(text: Scalar, known: Set[str], sink: Sink) -> bool:
    """Warn of an input that is nearly a path into the data, and return whether it is one."""
    match = _PATH.fullmatch(text.text)
    if match is None or OTHER_DATA.search(text.text):
        return False
    is_data = match[1] == "common_data" or _RESERVED.nearest(match[1]) == "common_data"
    if not is_data and match[2] not in known:
        return False
    meant, span = f"common_data.{match[2]}", text.at(0, len(text.text))
    message = f"`{text.text.strip()}` is not a field of the data, so it stays as it is written"
    fix = Fix(f"write `{meant}`", span, meant)
    help = f"did you mean `{meant}`?"
    sink.report("FC3001", message, span, severity="warning", help=help, fix=fix)
    return True


def _check_holes(text: Scalar, names: Set[str], sink: Sink) -> None:
    """Warn of what nearly is a placeholder, and of a field without braces in a text."""
    is_text = has_placeholder(text.text) or _PROSE.search(plain_code(text.text)) is not None
    braced = [match.span() for match in _BRACED.finditer(text.text)]
    for match in _HOLE.finditer(text.text):
        meant = f"{{{{{next(part for part in match.groups()[::-1] if part)}}}}}"
        written = match[0]
        inside = any(start <= match.start() < end for start, end in braced)
        if (match["bare"] and not is_text) or inside or written.replace(" ", "") == meant:
            continue
        _report_hole(text, match.span(), meant, sink)
    for match in _BRACED.finditer(text.text):
        words = [word for word in re.findall(r"\w+", match[1]) if word in names]
        if _SOUND.fullmatch(match[1]) is None and len(words) == 1 and words[0] != match[1].strip():
            _report_hole(text, match.span(), f"{{{{common_data.{words[0]}}}}}", sink)


def _report_hole(text: Scalar, place: tuple[int, int], meant: str, sink: Sink) -> None:
    written, span = text.text[slice(*place)], text.at(*place)
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


def _check_statement(text: Scalar, sink: Sink) -> None:
    """Warn of code that compares where it should set a value."""
    match = _COMPARED.match(plain_code(text.text))
    if match is not None:
        message, span = "this compares, and sets nothing", text.at(*match.span("sign"))
        fix = Fix("write `=`", span, "=")
        sink.report("FC3006", message, span, severity="warning", help="write `=`", fix=fix)


def _check_assignment(text: Scalar, sink: Sink) -> None:
    plain = plain_code(text.text)
    for sign in _OTHER_SIGN.finditer(plain):
        meant, span = _SIGNS[sign[0]], text.at(*sign.span())
        message, fix = f"`{sign[0]}` is not an operator", Fix(f"write `{meant}`", span, meant)
        help = f"write `{meant}`"
        sink.report("FC3006", message, span, severity="warning", help=help, fix=fix)
    is_other = _OTHER_SIGN.search(plain) or _DECLARES.search(plain)
    match = None if is_other else _ASSIGNS.search(plain)
    if match is not None:
        message = "a condition sets a value here, where it should compare"
        fix = Fix("write `===`", text.at(*match.span()), "===")
        place = text.at(*match.span())
        help = "write `===` or `==`"
        sink.report("FC3006", message, place, severity="warning", help=help, fix=fix)
