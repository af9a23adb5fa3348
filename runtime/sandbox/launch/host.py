"""Runs one piece of generated code in a process that is confined already.

Standard input holds the code; the arguments are the output's path and those of the inputs. An
exception ends it with exit code 1 and a last line on standard error:

    line 3: ValueError: …
"""

from __future__ import annotations

import builtins
import sys

TYPE_CHECKING = False  # see start.py
if TYPE_CHECKING:
    from typing import Any

NAME = "snippet.py"
_SHOWN = 2000


def main() -> None:
    """Run the code, which the syntax gate has passed, with a short table of builtins."""
    modules, names, output, *inputs = sys.argv[1:]
    allowed = frozenset(modules.split())
    code = sys.stdin.buffer.read().decode("utf-8", "replace")
    table = {name: getattr(builtins, name) for name in names.split()}
    table["__import__"] = _importer(allowed)
    variables: dict[str, Any] = {"__builtins__": table, "__name__": NAME, "OUTPUT": output}
    variables |= {"INPUTS": tuple(inputs), "INPUT": inputs[0] if inputs else None}
    try:
        exec(compile(code, NAME, "exec", dont_inherit=True), variables)
    finally:
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, SystemExit):
            sys.stdout.flush()
            sys.stderr.write(f"\n{_words(error)}\n")
            sys.exit(1)


def _importer(allowed: frozenset[str]) -> Any:
    def load(name: str, *rest: Any) -> Any:
        # Code in C imports by its caller's table of builtins: parts of its own package, and modules
        # that are loaded already.
        if name.partition(".")[0] not in allowed and name not in sys.modules:
            raise ImportError(f"`{name}` is not for generated code")
        return builtins.__import__(name, *rest)

    return load


def _words(error: BaseException) -> str:
    """Return `line 3: ValueError: what it says`, with the line of the code where it has one."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    message = " ".join(str(error).split())[:_SHOWN]
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"line {line}: {what}" if line else what
