"""Code in the machine's JSON, as JavaScript of its own where no expression can say it.

The code becomes the body of a function `run`. What the dialect lets code read by name is bound in
the line above it, and the code is moved to its column, so that an error in it points at its place.
"""

from __future__ import annotations

import re
from typing import Literal as Lit

from ....diagnostics.diagnostic import Sink
from ....ir import Script
from ....reading.json_fields import Tree
from ....reading.script_syntax import ScriptFault, syntax_fault
from ....reading.tree import Scalar

RUN = "run"
_BINDINGS = """\
const { common_data, last_response, lastAgentResponse, workflow_contexts, input } = this; \
const __called = last_response?.choices?.[0]?.message?.tool_calls ?? []; \
const getToolCalls = () => __called; \
const __calls_ = new Proxy({}, { get: (_, tool) => ({ arguments: JSON.parse(\
__called.find((call) => call.function.name === tool)?.function.arguments ?? "{}") }) }); """
_IDENTIFIER = re.compile(r"identifier `(\w+)`")
_OTHER_OPERATORS = {
    "is": "===", "equals": "===", "eq": "===", "isnt": "!==", "and": "&&", "or": "||", "not": "!",
    "contains": ".includes(…)", "matches": ".match(…)",
}  # fmt: skip
_CALLS = re.compile(r"\bfunction(?=\s*\.\s*[A-Za-z_$])")


def parses_as_value(text: str) -> bool:
    """Return whether a text is an expression of JavaScript."""
    body = f"return (\n{_CALLS.sub('__calls_', text)}\n);"
    return syntax_fault(body, body) is None


def inline_script(
    id: str, words: Scalar, form: Lit["statements", "value"], tree: Tree, sink: Sink
) -> Script | None:
    """Return the code as a script with a function `run`, which returns the value of a `value`.
    Report FC4003 and return None when it does not parse as JavaScript."""
    code = _CALLS.sub(
        "__calls_", words.text
    )  # as long as `function`, which is a word of the language
    opening, closing = ("return (", ");") if form == "value" else ("", "")
    body = f"{opening}\n{code}\n{closing}"
    fault = syntax_fault(body, body)
    if fault is not None:
        _report(fault, len(opening) + 1, words, sink)
        return None
    at = tree.source.position(words.span.start)
    return Script(
        id=id,
        language="javascript",
        source=(
            f"export default {{ {RUN}() {{ {_BINDINGS}{opening}\n"
            f"{' ' * (at.column - 1)}{code}\n{closing} }} }};\n"
        ),
        file=tree.source.path,
        line=at.line - 1,
        functions=(RUN,),
        span=words.span,
    )


def _report(fault: ScriptFault, before: int, words: Scalar, sink: Sink) -> None:
    length = len(words.text)
    message = "it ends too early" if fault.start - before >= length else fault.message
    start = max(0, min(fault.start - before, length))
    end = max(start, min(fault.end - before, length))
    message = f"the code does not parse: {message}"
    help = "correct it; it is JavaScript, such as `common_data.n > 3`"
    word = _IDENTIFIER.search(message)
    if word is not None and word[1] in _OTHER_OPERATORS:
        help = f"did you mean `{_OTHER_OPERATORS[word[1]]}`?"
    if "end of string" in message:
        help = "close the text with the quote that it begins with: `'`"
    sink.report("FC4003", message, words.at(start, end) if end > start else words.span, help=help)
