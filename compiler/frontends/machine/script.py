"""The script beside a machine: `<name>/script.js`, or `<name>/script.py` with the same functions.

It is read, never run. A script that does not parse is FC4003 in the script itself, a
function that a state names and the script does not have is FC4001.
"""

from __future__ import annotations

import os

from ...diagnostics.diagnostic import Sink
from ...ir import Script
from ...reading.script_syntax import ScriptFault, javascript_fault
from ...reading.tree import Scalar
from ...source.source import Source, SourceSet, Unreadable
from ...source.spelling import Spelling
from .document import Machine
from .scripts.functions import ScriptFile, ScriptFunction, ScriptFunctions
from .scripts.javascript_functions import javascript_functions
from .scripts.python import read_python

SCRIPT = "script"
_ALWAYS = frozenset({"always", "else", "default", "otherwise", "yes", "1"})
"""What other languages write for the way that is taken when no other one is."""
_FILES = (("javascript", "script.js"), ("python", "script.py"))


def read_script(machine: Machine, sources: SourceSet, sink: Sink) -> ScriptFile | None:
    """Return the machine's script; None when there is none (J7)."""
    script = _find(machine.tree.source.path, sources, sink)
    if script is None:
        return None
    language, source = script
    functions: ScriptFunctions | ScriptFault
    if language == "python":
        functions = read_python(source.text)
    else:
        functions = javascript_fault(source.text) or javascript_functions(source.text)
    if isinstance(functions, ScriptFunctions):
        return ScriptFile(source, language, functions)
    message = f"`{source.path}` does not parse: {functions.message}"
    help = "correct the script; none of its functions can be called"
    sink.report("FC4003", message, source.span(functions.start, functions.end), help=help)
    return ScriptFile(source, language, None)


def script_folder(path: str) -> str:
    """Return the folder of a machine's script: its file's name without the suffix."""
    return os.path.splitext(path)[0]


def _find(path: str, sources: SourceSet, sink: Sink) -> tuple[str, Source] | None:
    for language, name in _FILES:
        candidate = os.path.join(script_folder(path), name)
        try:
            return language, sources.read(candidate)
        except Unreadable as error:
            if error.reason != "not found":
                message = f"the script `{candidate}` {error.reason}"
                help = error.help or "replace it by a text file"
                sink.report("FC0001", message, sources.files[path].span(0), help=help)
                return language, Source(candidate, "")
    return None


def script_of(file: ScriptFile | None, machine: Machine) -> tuple[Script, ...]:
    """Return the script of the IR."""
    if file is None or file.functions is None:
        return ()
    names = [*file.functions.by_name]
    if not file.functions.is_complete:
        called = (words.text for state in machine.states for words in state.handlers)
        names += [name for name in dict.fromkeys(called) if name not in names]
    return (
        Script(
            id=SCRIPT,
            language="python" if file.language == "python" else "javascript",
            source=file.source.text,
            file=file.source.path,
            functions=tuple(names),
            span=file.source.span(0),
        ),
    )


class Handlers:
    """Looks functions up by name, and reports each missing one once (J6)."""

    def __init__(self, machine: Machine, file: ScriptFile | None, sink: Sink) -> None:
        self._machine, self._file, self._sink = machine, file, sink
        known = file.functions.by_name if file and file.functions else {}
        self._functions = known
        self._spelling = Spelling(known)
        self._missing: set[str] = set()

    def get(self, name: str) -> ScriptFunction | None:
        """Return what is known of a function."""
        return self._functions.get(name)

    @property
    def names_are_known(self) -> bool:
        """Whether the functions are all that the script has."""
        return self._file is None or (
            self._file.functions is not None and self._file.functions.is_complete
        )

    def may_have(self, name: str) -> bool:
        """Return whether there is such a function, or a script that could have it."""
        return name in self._functions or not self.names_are_known

    def require(self, name: Scalar, what: str) -> None:
        """Report FC4001 when the script surely has no such function; `what` names it."""
        if name.text in self._functions or name.text in self._missing:
            return
        if not self.names_are_known:
            return
        self._missing.add(name.text)
        if self._file is None:
            folder = script_folder(self._machine.tree.source.path)
            message = f"{what} is `{name.text}`, but there is no script that could have it"
            help = f"write it in `{os.path.join(folder, 'script.js')}`"
        else:
            message = (
                f"{what} is `{name.text}`, and `{self._file.source.path}` has no such function"
            )
            help = f"add `{name.text}() {{ … }}` there"
        near = None if self._file is None else self._spelling.nearest(name.text)
        if name.text.lower() in ("true", "false"):
            near = name.text.lower()
        elif name.text.lower() in _ALWAYS:
            near = "true"
        self._sink.report("FC4001", message, name.span, help=help, near=near)
