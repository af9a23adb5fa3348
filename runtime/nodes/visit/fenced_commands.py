"""The shell commands in the fenced blocks of a markdown text (M37, M38); nothing runs here.

Only closed fenced blocks with a shell's tag count. One line is one command, without a leading
`$ `; a line that continues a command (a backslash, an indent, an open quote, bracket, here-document
or compound such as `for … done`) belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SHELL_TAGS = frozenset({"sh", "shell", "bash", "powershell", "cmd"})
_LINE_END = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$")
_OPENERS = {"if": "fi", "case": "esac", "for": "done", "while": "done", "until": "done",
            "select": "done"}  # fmt: skip
_CLOSERS = frozenset(_OPENERS.values())
_HEREDOC = re.compile(r"<<(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.-]+))")
_WORD = re.compile(r"[^\s;|&<>(){}'\"`$#\\]+")
_BEFORE_COMMAND = frozenset({"then", "do", "else", "elif", "!", "time"})
_CLOSING_BRACKET = {"(": ")", "{": "}"}


def shell_commands(text: str) -> tuple[str, ...]:
    """Return the commands in the shell blocks of a markdown text, in order."""
    commands: list[str] = []
    for tag, lines in _blocks(text):
        if tag in SHELL_TAGS:
            commands.extend(_commands(lines))
    return tuple(commands)


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the tag, in lower case, and the lines of every closed block, without the fence's
    indent."""
    fence, indent, tag = "", 0, ""
    lines: list[str] = []
    for line in _LINE_END.split(text):
        mark = _FENCE.match(line)
        if not fence:
            if mark:
                fence, indent, tag = mark[2], len(mark[1]), mark[3].lower()
                lines = []
        elif mark and mark[2][0] == fence[0] and len(mark[2]) >= len(fence) and not mark[3]:
            yield tag, lines
            fence = ""
        else:
            cut = min(indent, len(line) - len(line.lstrip(" ")))
            lines.append(line[cut:])


def _commands(lines: list[str]) -> Iterator[str]:
    current: list[str] = []
    scan = _Scan()
    for line in lines:
        if current and (scan.open or line[:1] in (" ", "\t")) and line.strip():
            current.append(line)
        elif current and scan.open:
            current.append(line)
            if not scan.heredocs and not scan.quote:
                current.pop()
                continue
        else:
            if current:
                yield "\n".join(current)
            stripped = line.strip()
            line = stripped.removeprefix("$ ").lstrip()
            current = [line] if line and not line.startswith("#") else []
            scan = _Scan()
        if current:
            scan.feed(current[-1])
    if current:
        yield "\n".join(current)


@dataclass(slots=True)
class _Scan:
    """The quotes, brackets and here-documents that a command leaves open so far."""

    quote: str = ""
    nest: list[str] = field(default_factory=list)
    heredocs: list[tuple[str, bool]] = field(default_factory=list)
    continued: bool = False
    at_command: bool = True

    @property
    def open(self) -> bool:
        return bool(self.quote or self.nest or self.heredocs or self.continued)

    def feed(self, line: str) -> None:
        """Read one more line of the command."""
        if self.heredocs and not self.quote:
            end, tabs = self.heredocs[0]
            if (line.lstrip("\t") if tabs else line) == end:
                self.heredocs.pop(0)
            return
        joined = self.continued and not self.quote
        self.continued = False
        if not joined:
            self.at_command = self.at_command or not self.quote
        at = 0
        while at < len(line):
            at = self._skip_quote(line, at) if self.quote else self._plain(line, at)

    def _skip_quote(self, line: str, at: int) -> int:
        """Return the place after the closing quote, or the line's end."""
        if self.quote == "'":
            end = line.find("'", at)
            self.quote = "" if end >= 0 else self.quote
            return end + 1 if end >= 0 else len(line)
        while at < len(line):
            char = line[at]
            if char == "\\":
                at += 1
            elif char == self.quote:
                self.quote = ""
                return at + 1
            at += 1
        return at

    def _plain(self, line: str, at: int) -> int:
        char = line[at]
        if char == "\\":
            self.continued = at == len(line) - 1
            self.at_command = False
            return at + 2
        if char in "'\"`":
            self.quote, self.at_command = char, False
            return at + 1
        if char == "#" and (at == 0 or line[at - 1] in " \t;"):
            return len(line)
        if line.startswith("<<<", at):
            return at + 3
        arithmetic = bool(self.nest) and self.nest[-1] == "))"
        if not arithmetic and (start := _HEREDOC.match(line, at)):
            self.heredocs.append((start[2] or start[3] or start[4], bool(start[1])))
            return start.end()
        if char in ";|&":
            return self._operator(line, at)
        if line.startswith("((", at):
            self.nest.append("))")
            return at + 2
        if arithmetic and char == ")":
            return self._end_of_arithmetic(line, at)
        if char in "({" or char in ")}":
            self._bracket(line, at)
            return at + 1
        if word := _WORD.match(line, at):
            self._word(word[0])
            return word.end()
        return at + 1

    def _operator(self, line: str, at: int) -> int:
        """Begin a new command after `;`, `|` and `&`; after `|`, `||`, `&&` at the line's end it
        must follow."""
        end = at
        while end < len(line) and line[end] in ";|&":
            end += 1
        operator = line[at:end]
        self.at_command = True
        if operator in ("|", "||", "&&", "|&") and not line[end:].strip():
            self.continued = True
        return end

    def _end_of_arithmetic(self, line: str, at: int) -> int:
        """End `((` at `))`; a single `)` shows that these were two subshells."""
        both = line.startswith("))", at)
        self.nest[-1:] = [] if both else [")"]
        self.at_command = False
        return at + 2 if both else at + 1

    def _bracket(self, line: str, at: int) -> None:
        char = line[at]
        if char in "({":
            parameter = line[at - 1 : at] == "$"
            blank_after = at + 1 == len(line) or line[at + 1] in " \t"
            if char == "(" or parameter or (self.at_command and blank_after):
                self.nest.append(_CLOSING_BRACKET[char])
            self.at_command = char == "(" or not parameter
        elif self.nest and self.nest[-1] == char:
            self.nest.pop()
            self.at_command = char == ")"

    def _word(self, word: str) -> None:
        if not self.at_command:
            return
        if word in _OPENERS:
            self.nest.append(_OPENERS[word])
            self.at_command = word not in ("case", "for", "select")
        elif word in _CLOSERS:
            if self.nest and self.nest[-1] == word:
                self.nest.pop()
            self.at_command = False
        else:
            self.at_command = word in _BEFORE_COMMAND
