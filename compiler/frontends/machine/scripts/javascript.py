"""JavaScript handlers: whether the file parses, its functions, and the texts that they return.

Nothing is run: QuickJS is given the script inside a function, followed by a line that cannot
parse, so that what it says about that line means that the script itself is sound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .functions import Returned, ScriptFault, ScriptFunction, ScriptFunctions
from .tokens import Token, closing, tokens

if TYPE_CHECKING:
    Pairs = dict[int, int]

_EXPORT_DEFAULT = re.compile(r"^([ \t]*)export([ \t]+)default\b", re.M)
_EXPORT = re.compile(r"^([ \t]*)export(?=[ \t]+(?:async|function|const|let|var|class)\b)", re.M)
_PREFIX = "async function script(){'use strict';"
_PLACE = re.compile(r"<input>:(\d+):(\d+)")
_NEVER_METHODS = frozenset({"if", "for", "while", "switch", "catch", "with", "function", "return"})
_NOTHING = frozenset({"null", "undefined"})
_CONTINUES = frozenset("+-*/%.([?:,<>=&|^`") | {"=>", "&&", "||", "??", "?."}
_SECONDS, _MEMORY = 5, 512 * 2**20


def javascript_fault(text: str) -> ScriptFault | None:
    """Return why a script does not parse, or None. Nothing of it is run."""
    body = _EXPORT_DEFAULT.sub(lambda m: f"{m[1]}return{m[2]}       ", text)
    body = _EXPORT.sub(lambda m: f"{m[1]}      ", body)
    return syntax_fault(body, text)


def syntax_fault(body: str, text: str) -> ScriptFault | None:
    """Return the fault in the statements `body`; places are those in `text`, of the same length."""
    if (at := text.find("\0")) >= 0:
        return ScriptFault("the character U+0000 may not stand in it", at, at + 1)
    import quickjs  # type: ignore[import-untyped]

    # Balanced, the last line is a `return` outside of every function, which no script may hold.
    # Unbalanced, QuickJS stops elsewhere. Either way the whole does not parse and nothing is run.
    context = quickjs.Context()
    context.set_time_limit(_SECONDS)
    context.set_memory_limit(_MEMORY)
    lines = body.count("\n") + 1
    try:
        context.eval(f"{_PREFIX}{body}\n}}\nreturn;")
    except (quickjs.JSException, UnicodeError) as error:
        message, _, trace = str(error).partition("\n")
        place = _PLACE.search(trace)
        if place is None:
            deep = "call stack" in message
            return ScriptFault("it is nested too deeply" if deep else _words(message), 0, 0)
        line, column = int(place[1]), int(place[2])
        if line == lines + 2 and "return not in a function" in message:
            return None
        return _fault(message, line, column, text)
    raise AssertionError("a `return` outside of every function was accepted")


def _fault(message: str, line: int, column: int, text: str) -> ScriptFault:
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    if line > len(starts):
        at = len(text.rstrip())
        missing = line > len(starts) + 1
        message = "it ends before a bracket is closed" if missing else "a `}` closes nothing"
        return ScriptFault(message, max(at - 1, 0), at)
    column -= len(_PREFIX) if line == 1 else 0
    # QuickJS counts the bytes of a line, a place in a file is counted in characters.
    written = text[starts[line - 1] :].partition("\n")[0].encode(errors="replace")
    before = written[: max(column, 1) - 1].decode(errors="ignore")
    at = min(starts[line - 1] + len(before), len(text))
    if re.match(r"[ \t]*import\b", text[starts[line - 1] :]):
        return ScriptFault("a script cannot import: it has no modules", starts[line - 1], at)
    return ScriptFault(_words(message), at, min(at + 1, len(text)))


def _words(message: str) -> str:
    return message.removeprefix("SyntaxError: ").replace("'", "`").replace(" ``", "").strip()


def javascript_functions(text: str) -> ScriptFunctions:
    """Return the functions of the default export, an object, or else the exported functions."""
    read = _Reader(text)
    for n, token in enumerate(read.tokens):
        if token.text == "export" and read.text_at(n + 1) == "default":
            return read.default(n + 2)
    return read.exported_functions()


class _Reader:
    """The tokens of one script, with each opening bracket's end."""

    def __init__(self, text: str) -> None:
        self.tokens: list[Token] = list(tokens(text))
        self.closing: Pairs = closing(self.tokens)
        self.text = text

    def text_at(self, at: int) -> str:
        return self.tokens[at].text if at < len(self.tokens) else ""

    def default(self, at: int) -> ScriptFunctions:
        """Return what `export default` gives: an object, or the name of one."""
        if self.text_at(at) == "{":
            return self._object(at)
        name = self.text_at(at)
        for n in range(len(self.tokens) - 2):
            if [self.text_at(n), self.text_at(n + 1), self.text_at(n + 2)] == [name, "=", "{"]:
                return self._object(n + 2)
        return ScriptFunctions({}, is_complete=False)

    def exported_functions(self) -> ScriptFunctions:
        functions: dict[str, ScriptFunction] = {}
        for n, token in enumerate(self.tokens):
            if token.text != "export":
                continue
            at = n + 2 if self.text_at(n + 1) == "async" else n + 1
            if self.text_at(at) == "function":
                name = self.tokens[at + 1] if at + 1 < len(self.tokens) else token
                functions[name.text] = self._function(name, at + 2)
            elif self.text_at(at) in ("const", "let", "var") and self.text_at(at + 2) == "=":
                name = self.tokens[at + 1]
                functions[name.text] = self._value(name, at + 3) or ScriptFunction(
                    name.text, name.start
                )
            else:
                return ScriptFunctions(functions, is_complete=False)
        return ScriptFunctions(functions, is_complete=True)

    def _object(self, at: int) -> ScriptFunctions:
        """Return the methods of an object literal whose `{` is at `at`."""
        functions: dict[str, ScriptFunction] = {}
        complete = True
        end = self.closing.get(at, len(self.tokens))
        n = at + 1
        while n < end:
            while self.text_at(n) in ("async", "*") and self.text_at(n + 1) not in ("(", ":", ","):
                n += 1
            key = self.tokens[n]
            name = key.text[1:-1] if key.kind == "text" else key.text
            after = self.text_at(n + 1)
            if key.kind not in ("name", "text") or after in ("[", "name"):
                complete = complete and key.text not in ("...", "[")
            elif after == "(":
                functions[name] = self._function(key._replace(text=name), n + 1)
            elif after == ":":
                value = self._value(key._replace(text=name), n + 2)
                if value is not None:
                    functions[name] = value
            elif after in (",", "}"):
                functions[name] = ScriptFunction(name, key.start)
            n = self._next_entry(n, end)
        return ScriptFunctions(functions, complete)

    def _next_entry(self, at: int, end: int) -> int:
        while at < end and self.text_at(at) != ",":
            at = self.closing.get(at, at) + 1
        return at + 1

    def _value(self, name: Token, at: int) -> ScriptFunction | None:
        """Return a function, an arrow function, or a name that may be one, or None."""
        if self.text_at(at) == "async":
            at += 1
        if self.text_at(at) == "function":
            at += 1
            while self.text_at(at) not in ("(", ""):
                at += 1
            return self._function(name, at)
        arrow = self.closing.get(at, at) + 1
        if self.text_at(arrow) == "=>":
            if self.text_at(arrow + 1) == "{":
                return self._body(name, arrow + 1)
            returned = self._returned_texts(
                arrow + 1, self._next_entry(arrow + 1, len(self.tokens)) - 1
            )
            return ScriptFunction(
                name.text, name.start, tuple(returned or ()), returned is not None
            )
        if re.match(r"[^\W\d]|\$", self.text_at(at)):
            return ScriptFunction(name.text, name.start)
        return None

    def _function(self, name: Token, at: int) -> ScriptFunction:
        """Return a function whose parameters begin at `at`."""
        return self._body(name, self.closing.get(at, at) + 1)

    def _body(self, name: Token, at: int) -> ScriptFunction:
        if self.text_at(at) != "{" or at not in self.closing:
            return ScriptFunction(name.text, name.start)
        end = self.closing[at]
        returns: list[Returned] = []
        exact = True
        for n in self._own_returns(at + 1, end):
            returned = self._returned_texts(n + 1, self._statement_end(n + 1, end))
            exact = exact and returned is not None
            returns.extend(returned or ())
        if not self._always_returns(at + 1, end):
            returns.append(Returned(None, name.start, name.end))
        return ScriptFunction(name.text, name.start, tuple(returns), exact)

    def _own_returns(self, at: int, end: int) -> Iterator[int]:
        """Yield the `return`s between two places that do not belong to an inner function."""
        while at < end:
            text = self.text_at(at)
            if text == "return" and self.text_at(at - 1) != ".":
                yield at
            elif text == "=>" and self.text_at(at + 1) == "{":
                at = self.closing.get(at + 1, at)
            elif text == "(" and self._is_function(at):
                at = self.closing.get(self.closing[at] + 1, at)
            at += 1

    def _is_function(self, at: int) -> bool:
        """Return whether the bracket at `at` holds the parameters of a function with braces."""
        if self.text_at(self.closing.get(at, at) + 1) != "{":
            return False
        before = self.tokens[at - 1]
        if before.text == "function" or self.text_at(at - 2) == "function":
            return True
        return before.kind in ("name", "text") and before.text not in _NEVER_METHODS

    def _statement_end(self, at: int, end: int) -> int:
        """Return where a statement ends: a semicolon, the block's end, or a complete line."""
        first = at
        while at < end and self.text_at(at) not in (";", "}"):
            if self._begins_line(at):
                if at == first:
                    return at
                goes_on = self.text_at(at)[0] in _CONTINUES or self.text_at(at - 1) in _CONTINUES
                if not goes_on:
                    return at
            at = self.closing.get(at, at) + 1
        return min(at, end)

    def _begins_line(self, at: int) -> bool:
        return "\n" in self.text[self.tokens[at - 1].end : self.tokens[at].start]

    def _returned_texts(self, at: int, end: int) -> list[Returned] | None:
        """Return the texts that an expression can be; None when it may be anything."""
        while self.text_at(at) == "(" and self.closing.get(at) == end - 1:
            at, end = at + 1, end - 1
        if end <= at:
            place = self.tokens[at - 1]
            return [Returned(None, place.start, place.end)]
        token = self.tokens[at]
        if end - at == 1:
            if token.kind == "text" and "\\" not in token.text:
                return [Returned(token.text[1:-1], token.start, token.end)]
            if token.kind == "template" and not {"\\", "$"} & {*token.text}:
                return [Returned(token.text[1:-1], token.start, token.end)]
            is_nothing = token.text in _NOTHING
            return [Returned(None, token.start, token.end)] if is_nothing else None
        return self._either(at, end)

    def _either(self, at: int, end: int) -> list[Returned] | None:
        """Return both sides of `condition ? one : other`."""
        question, colon = self._find("?", at, end), 0
        if question:
            depth, n = 0, question + 1
            while n < end and not (self.text_at(n) == ":" and depth == 0):
                depth += {"?": 1, ":": -1}.get(self.text_at(n), 0)
                n = self.closing.get(n, n) + 1
            colon = n if n < end else 0
        if not colon:
            return None
        one, other = self._returned_texts(question + 1, colon), self._returned_texts(colon + 1, end)
        return None if one is None or other is None else [*one, *other]

    def _find(self, sign: str, at: int, end: int) -> int:
        while at < end:
            if self.text_at(at) == sign:
                return at
            at = self.closing.get(at, at) + 1
        return 0

    def _always_returns(self, at: int, end: int) -> bool:
        """Return whether a block never reaches its end: it, or each branch, returns or throws."""
        while at < end:
            text = self.text_at(at)
            if text in ("return", "throw") and self.text_at(at - 1) != ".":
                return True
            if text == "if" and self.text_at(at + 1) == "(":
                at, returns = self._if(at, end)
                if returns:
                    return True
                continue
            if text == "try" and self.text_at(at + 1) == "{":
                if self._try_returns(at):
                    return True
            elif text in ("for", "while", "switch") and self.text_at(at + 1) == "(":
                at = self.closing.get(at + 1, at)
                if self.text_at(at + 1) != "{":
                    at = self._statement_end(at + 1, end)
            at = self.closing.get(at, at) + 1
        return False

    def _if(self, at: int, end: int) -> tuple[int, bool]:
        """Return where an `if` at `at` ends, and whether both it and its `else` return."""
        after, first = self._branch(self.closing.get(at + 1, end) + 1, end)
        if self.text_at(after) != "else":
            return after, False
        if self.text_at(after + 1) == "if":
            after, second = self._if(after + 1, end)
        else:
            after, second = self._branch(after + 1, end)
        return after, first and second

    def _branch(self, at: int, end: int) -> tuple[int, bool]:
        if self.text_at(at) == "{" and at in self.closing:
            return self.closing[at] + 1, self._always_returns(at + 1, self.closing[at])
        stop = self._statement_end(at, end)
        returns = self.text_at(at) in ("return", "throw")
        return stop + 1 if self.text_at(stop) == ";" else max(stop, at + 1), returns

    def _try_returns(self, at: int) -> bool:
        """Return whether both the tried block and its `catch` return."""
        block = self.closing.get(at + 1)
        if block is None or not self._always_returns(at + 2, block):
            return False
        if self.text_at(block + 1) != "catch":
            return True
        body = block + 2
        if self.text_at(body) == "(":
            body = self.closing.get(body, body) + 1
        return body in self.closing and self._always_returns(body + 1, self.closing[body])
