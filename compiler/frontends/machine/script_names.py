"""Names in the script beside a machine that nothing has: null, or the end of a run.

    this.comon_data.notice          `this` has no such member
    common_data.notice              it stands on `this`, and nowhere else
    this.common_data.notcie         no field that anything sets
    workflow_contexts.get("dsek")   no context of the machine
    talk.addMesage("usr", text)     no method of a context, and no role
    return edit;                    a state's name without its quotes

What the script itself has a word for anywhere else counts as known.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Set
from functools import cached_property

from ...diagnostics.diagnostic import Fix, Sink
from ...source.spelling import Spelling
from .document import RESERVED, STOP, Machine
from .free_names import WORDS, code_and_holes, local_names, plain_code, without_comments
from .scripts.functions import ScriptFile
from .scripts.unbound import unbound_names

_METHODS = (
    "addMessage", "getMessages", "getLastMessage", "getMessagesByRole", "clearMessages",
    "hasMessages",
)  # fmt: skip
_ROLES = Spelling(("system", "user", "assistant", "tool", "developer", "function"))
_ON_THIS = Spelling((*RESERVED, "input"))
_OF_A_CONTEXT = Spelling(_METHODS)
_OTHER_DATA = frozenset({"data", "variables", "state", "commonData", "vars", "memory"})
_SHORTEST = 4
"""Letters that an unknown member of `this` needs, if its name is not near to a known one."""
_QUOTED = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\""
_PYTHON = re.compile(
    rf"(?P<prefix>(?:(?<!\w)[A-Za-z]{{1,2}})?)(?P<text>{_QUOTED})|(?P<comment>#[^\n]*)"
)
_COMPUTED = re.compile(r"(\{[^{}]*\})|[^{]+|\{")
_MEMBER = re.compile(r"(?<![\w$.])(this|self)\s*\??\.\s*([A-Za-z_$][\w$]*)")
_IS_SET = re.compile(r"\s*(?:\?\?|\|\||&&|\*\*|[-+*/%])?=(?!=)|\s*\+\+|\s*--")
_BARE = re.compile(
    r"(?<![\w$.\"'])(?<!\.\s)(common_data|last_response|workflow_contexts)\b(?!\s*:)"
)
_FIELD = re.compile(
    r"\bcommon_data\s*(?:\??\.\s*(?P<member>[A-Za-z_]\w*)(?!\w|\s*\()"
    r"|(?:\.get\(|\[)\s*['\"](?P<key>\w+)['\"])"
)
_UNPACKED = re.compile(r"\{([^{}]*)\}\s*=\s*(?:this\s*\.\s*)?common_data\b")
_CONTEXT = re.compile(r"workflow_contexts\s*\??\.\s*get\(\s*(['\"])([^'\"\n]*)\1")
_CALL = re.compile(r"\.([A-Za-z_]\w*)\s*\(")
_ROLE = re.compile(r"addMessage\(\s*(['\"])(\w+)\1\s*,")
_ROLE_LAST = re.compile(
    r"addMessage\(\s*(?!['\"]\w+['\"]\s*,|\w*role\b)(?:[^\n;()]|\([^()\n]{0,200}\)){0,400},"
    r"\s*(['\"])(user|assistant|system)\1\s*\)"
)
_NO_ROLE = re.compile(r"addMessage\(\s*(?:\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`)\s*\)")
_DEFINED = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*+)\s*+[:(]")
_ASYNC = re.compile(r"\basync\s+(?:function\s+|def\s+)?(\w+)\s*\(|\b(\w+)\s*:\s*async\b")
_WITHOUT_SELF = re.compile(r"\bdef\s+(\w+)\(\s*\)")
_RETURNED = re.compile(r"\breturn\s+([A-Za-z_]\w*)\s*(?:;|\n|\Z)")
_ABSENT = re.compile(
    r"(?<![\w$.])(?:(fetch|setTimeout|setInterval|alert|XMLHttpRequest)"
    r"(?=\s*\()(?!\s*\([^()]{0,200}\)\s*\{)"
    r"|(process|window|document|localStorage|Buffer|self|that)(?=\s*\.))"
)
_JSON = re.compile(r"(?<![\w$.])JSON\.(\w+)\s*\(")
_GLOBALS = frozenset((
    *WORDS, "AggregateError", "Atomics", "BigInt64Array", "BigUint64Array", "Float16Array",
    "FinalizationRegistry", "InternalError", "Iterator", "SharedArrayBuffer", "Uint8ClampedArray",
    "WeakRef", "queueMicrotask",
))  # fmt: skip
_MODULE_WORDS = ("require", "module", "exports")
_NEAR_GLOBALS = (
    "this", "JSON", "Math", "Object", "Array", "console", "Number", "String", "Date", "Promise",
    "RegExp", "undefined", "parseInt", "parseFloat", "return",
)  # fmt: skip
_OF_A_MAP = (
    "get", "has", "keys", "values", "entries", "forEach", "size", "set", "delete", "clear",
)  # fmt: skip
_OF_CONTEXTS = re.compile(
    r"\bworkflow_contexts\s*(?:(?P<open>[\[(])|\??\.\s*(?P<member>\w+)(?P<no>\s*\[)?)"
)
_OF_A_DICT = frozenset(dir(dict))
_OF_DATA = re.compile(r"\bself\s*\.\s*common_data\s*(?:(?P<open>\()|\.\s*(?P<member>\w+))")
_MODULES = re.compile(r"(?<![\w$.])(require\s*\(|module\s*\.\s*exports\b|exports\s*\.\s*\w+\s*=)")


def check_script_names(
    machine: Machine, fields: Set[str], file: ScriptFile | None, sink: Sink
) -> None:
    """Warn of names in a script that nothing has. `fields` are those of `common_data` that the
    machine's own file declares or sets."""
    if file is None or file.functions is None:
        return
    names = _Names(machine, fields, file, sink)
    names.check_members()
    names.check_fields()
    names.check_contexts()
    names.check_returned()
    if file.language == "python":
        names.check_python()
    else:
        names.check_javascript()
    names.check_handlers()


class _Names:
    """The names of one script."""

    def __init__(self, machine: Machine, fields: Set[str], file: ScriptFile, sink: Sink) -> None:
        self.machine, self.file, self.sink = machine, file, sink
        self.states = {STOP, *(state.name.text for state in machine.states)}
        self.own = "self" if file.language == "python" else "this"
        whole, is_python = file.source.text, file.language == "python"
        self.text = _PYTHON.sub(_blank_comment, whole) if is_python else without_comments(whole)
        self.plain = _without_texts(self.text) if is_python else plain_code(whole)
        self.code = _PYTHON.sub(_blank_text, whole) if is_python else code_and_holes(whole)
        self.words = Counter(re.findall(r"[A-Za-z_$][\w$]*", self.text))
        self.fields = {*fields, *self.set_fields(), "resume_input"}

    def find(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield what begins in code, and not in a text."""
        for match in pattern.finditer(self.text):
            if not self.code[match.start()].isspace():
                yield match

    def set_fields(self) -> Iterator[str]:
        for match in _FIELD.finditer(self.text):
            behind = self.text[match.end() : match.end() + 6].lstrip("]")
            if _IS_SET.match(behind):
                yield match["member"] or match["key"]

    @cached_property
    def own_names(self) -> Set[str]:
        """Return the names that the script gives to something."""
        if self.own == "this":
            functions = self.file.functions
            return local_names(self.plain) | set(functions.by_name if functions else ())
        tree = ast.parse(self.file.source.text)
        return set(_bound_in_python(tree))

    @cached_property
    def definitions(self) -> Set[str]:
        """Return the names of fields and methods that the script writes down."""
        return frozenset(_DEFINED.findall(self.plain))

    def warn(
        self, code: str, message: str, place: tuple[int, int], help: str, write: str = ""
    ) -> None:
        span = self.file.source.span(*place)
        fix = Fix(f"write `{write}`", span, write) if write else None
        self.sink.report(code, message, span, severity="warning", help=help, fix=fix)

    def check_members(self) -> None:
        """Warn of members of `this` that nothing sets, and of what stands on it alone."""
        members = [m for m in self.find(_MEMBER) if m[1] == self.own]
        on_this = Counter(m[2] for m in members)
        is_set = {m[2] for m in members if _IS_SET.match(self.text, m.end())}
        known = {*RESERVED, "input", *is_set}
        known |= {p.name.text for p in (self.machine.input,) if p is not None}
        known |= {word for word, times in self.words.items() if times > on_this[word]}
        spelling = Spelling(self.own_names)
        for match in members:
            name = match[2]
            near = _ON_THIS.nearest(name)
            if name in self.states and name not in {*is_set, *self.own_names, *self.definitions}:
                message, meant = f"nothing is called `{self.own}.{name}`", f'"{name}"'
                help = f"the name of a state is a text: write `{meant}`"
                self.warn("FC3001", message, match.span(), help, meant)
                continue
            if name in known and (near is None or name in RESERVED or name in is_set):
                continue
            if (
                name in self.own_names
                or name in self.definitions
                or (near is None and len(name) < _SHORTEST)
            ):
                continue
            near = near or ("common_data" if name in _OTHER_DATA else spelling.nearest(name))
            has = ", ".join(f"`{one}`" for one in RESERVED)
            help = f"did you mean `{near}`?" if near else ""
            help = help or f"`{self.own}` has {has} and what is set on it"
            message = f"nothing is called `{self.own}.{name}`"
            self.warn("FC3001", message, match.span(2), help, near or "")
        for match in _BARE.finditer(self.code):
            name = match[1]
            if name not in self.own_names and not _is_key(self.code, match.end()):
                meant = f"{self.own}.{name}"
                self.warn(
                    "FC3001",
                    f"`{name}` stands on `{self.own}`",
                    match.span(),
                    f"write `{meant}`",
                    meant,
                )

    def check_fields(self) -> None:
        """Warn of fields that are read once, under a name that is nearly one that is set."""
        spelling = Spelling(self.fields)
        places = [
            (m["member"] or m["key"], m.span("member" if m["member"] else "key"))
            for m in self.find(_FIELD)
        ]
        for unpacked in _UNPACKED.finditer(self.text):
            for word in re.finditer(r"(?:^|,)\s*([A-Za-z_]\w*)", unpacked[1]):
                start = unpacked.start(1)
                places.append((word[1], (start + word.start(1), start + word.end(1))))
        for name, place in places:
            near = None if name in self.fields or self.words[name] > 1 else spelling.nearest(name)
            if near is not None:
                message = f"nothing sets `common_data.{name}`"
                self.warn("FC3001", message, place, f"did you mean `{near}`?", near)

    def check_contexts(self) -> None:
        """Warn of contexts, their methods and the roles of messages."""
        contexts = Spelling(context.name.text for context in self.machine.contexts)
        for match in self.find(_CONTEXT):
            if match[2] not in contexts:
                near = contexts.nearest(match[2])
                help = f"did you mean `{near}`?" if near else "write the name of a context"
                self.warn(
                    "FC2001", f"there is no context `{match[2]}`", match.span(2), help, near or ""
                )
        for match in _CALL.finditer(self.plain):
            near = (
                None
                if match[1] in (*_METHODS, *self.own_names, *self.definitions)
                else _OF_A_CONTEXT.nearest(match[1])
            )
            if near is not None:
                message = f"a context has no `{match[1]}`"
                self.warn("FC3001", message, match.span(1), f"did you mean `{near}`?", near)
        for match in self.find(_ROLE):
            near = None if match[2] in _ROLES else _ROLES.nearest(match[2])
            if near is not None:
                message = f"`{match[2]}` is nearly the role `{near}`, and models see it as `user`"
                self.warn("FC1005", message, match.span(2), f"did you mean `{near}`?", near)
        for match in self.find(_NO_ROLE):
            message, help = "a message needs a role", 'write it first: `addMessage("user", …)`'
            self.warn("FC1003", message, match.span(), help)
        for match in self.find(_ROLE_LAST):
            message = f"the role `{match[2]}` stands behind the text of the message"
            help = f'write the role first: `addMessage("{match[2]}", …)`'
            self.warn("FC1005", message, match.span(2), help)

    def check_returned(self) -> None:
        """Warn of a state's name that is returned without its quotes."""
        for match in _RETURNED.finditer(self.plain):
            if match[1] in self.states and match[1] not in self.own_names:
                meant = f'"{match[1]}"'
                message = f"nothing is called `{match[1]}`: the name of a state is a text"
                self.warn("FC3001", message, match.span(1), f"write `{meant}`", meant)

    def check_javascript(self) -> None:
        """Warn of modules, and of what browsers and servers have."""
        for match in _ABSENT.finditer(self.plain):
            if match[0] not in self.own_names and f"typeof {match[0]}" not in self.plain:
                message = f"there is no `{match[0]}` in a script"
                help = "it has no network, no processes and no timers: take it out"
                if match[0] in ("self", "that"):
                    help = "did you mean `this`?"
                self.warn("FC3001", message, match.span(), help)
        for match in _JSON.finditer(self.plain):
            if match[1] not in ("parse", "stringify") and "JSON" not in self.own_names:
                near = Spelling(("parse", "stringify")).nearest(match[1]) or "parse"
                help = f"did you mean `{near}`?"
                self.warn("FC3001", f"`JSON` has no `{match[1]}`", match.span(1), help, near)
        self.check_unbound()
        for match in _OF_CONTEXTS.finditer(self.code):
            if match["open"] or match["no"] or match["member"] not in _OF_A_MAP:
                message, help = "contexts are asked for with `get`", 'write `.get("name")`'
                self.warn("FC3001", message, match.span(), help)
        for match in _MODULES.finditer(self.plain):
            written = match[1].rstrip("( =")
            if written.partition(".")[0].strip() in self.own_names:
                continue
            help = "a script has no modules: take it out"
            if "exports" in written:
                help = "write `export default { … }`"
            self.warn("FC4003", f"there is no `{written}` in a script", match.span(), help)

    def check_unbound(self) -> None:
        """Warn of names that are read and that nothing binds."""
        contexts = {context.name.text for context in self.machine.contexts}
        told = {*_GLOBALS, *_MODULE_WORDS, *RESERVED}
        spelling = Spelling((*_NEAR_GLOBALS, *self.own_names))
        for name, start, end in unbound_names(self.file.source.text):
            if name in told or _ABSENT.match(self.plain, start):
                continue
            if name in self.states and _RETURNED.search(self.plain, max(start - 20, 0), end + 9):
                continue
            near = spelling.nearest(name)
            meant = f'"{name}"' if name in (self.states | contexts) else near or ""
            help = f"did you mean `{meant}`?" if meant else ""
            help = help or "define it, or write `this.` before a function of the script"
            self.warn("FC3001", f"nothing is called `{name}`", (start, end), help, meant)

    def check_python(self) -> None:
        """Warn of names that are read and that nothing binds."""
        known = {*self.own_names, *dir(builtins), "__name__", "__file__"}
        spelling = Spelling(known)
        starts = [0, *(m.end() for m in re.finditer("\n", self.file.source.text))]
        for node in ast.walk(ast.parse(self.file.source.text)):
            if (
                not isinstance(node, ast.Name)
                or node.id in known
                or node.id in (*RESERVED, *self.states)
            ):
                continue
            at = starts[node.lineno - 1] + node.col_offset
            if self.file.source.text[at : at + len(node.id)] != node.id:
                continue  # columns count bytes
            near = "self" if node.id in ("this", "that") else spelling.nearest(node.id)
            help = f"did you mean `{near}`?" if near else "define it, or import it"
            self.warn(
                "FC3001",
                f"nothing is called `{node.id}`",
                (at, at + len(node.id)),
                help,
                near or "",
            )

        for match in _OF_DATA.finditer(self.code):
            if match["open"] or match["member"] not in _OF_A_DICT:
                message = "a field of `common_data` stands in square brackets"
                help = f'write `self.common_data["{match["member"] or "name"}"]`'
                self.warn("FC3001", message, match.span(), help)

    def check_handlers(self) -> None:
        """Warn of handlers that cannot be called as they are."""
        handlers = {words.text for state in self.machine.states for words in state.handlers}
        for found in _ASYNC.finditer(self.plain):
            name, place = found[1] or found[2], found.span(1 if found[1] else 2)
            if name in handlers:
                message = f"`{name}` is async, and what it returns is not awaited"
                self.warn("FC4004", message, place, "take `async` out")
        for found in _WITHOUT_SELF.finditer(self.plain) if self.own == "self" else ():
            if found[1] in handlers:
                message = f"`{found[1]}` is called with `self`, and takes nothing"
                self.warn("FC4004", message, found.span(1), f"write `def {found[1]}(self)`")


def _is_key(plain: str, end: int) -> bool:
    """Return whether a name is one of an object that is taken apart, or put together."""
    return re.match(r"\s*[,}][^;]*?\}\s*=", plain[end : end + 200]) is not None


def _blank_comment(part: re.Match[str]) -> str:
    return " " * len(part[0]) if part["comment"] else part[0]


def _blank_text(part: re.Match[str]) -> str:
    """Return blanks for a comment or a text in Python, but not for what is computed in it."""
    if part["comment"] or "f" not in part["prefix"].lower():
        return " " * len(part[0])
    computed = _COMPUTED.sub(lambda m: m[1] or " " * len(m[0]), part["text"])
    return " " * len(part["prefix"]) + computed


def _without_texts(text: str) -> str:
    return re.sub(_QUOTED, lambda part: " " * len(part[0]), text)


def _bound_in_python(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.arg():
                yield node.arg
            case ast.alias():
                yield (node.asname or node.name).partition(".")[0]
            case ast.ExceptHandler(name=str() as name):
                yield name
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                yield name
            case ast.MatchMapping(rest=str() as name):
                yield name
            case ast.Global() | ast.Nonlocal():
                yield from node.names
