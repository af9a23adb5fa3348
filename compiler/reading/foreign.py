"""Placeholders of other dialects: text that is nearly one, and goes to the model as it is written.

    in step markdown   `{{CITY}}` where `[CITY]` stands for the variable
    in flow YAML       `[city]`, `<city>` or `${city}` where `{{ city }}` does
    anywhere           `<%= city %>`, `%(city)s`, `__CITY__`, `｛｛city｝｝`, `{{#if city}}`

Only names of variables count: braces and brackets have many other uses.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from ..diagnostics.diagnostic import Fix, Sink
from ..source.records import dataclass
from ..source.source import Span

_NAME = r"[ ]?(\w{2,60}+)[ ]?"
_OPENED = (
    rf"(?<!\{{)\{{{{3}}{_NAME}\}}{{3}}(?!\}})|(?<![\w\\])\$\{{\{{{_NAME}\}}\}}"
    rf"|\{{\{{{_NAME}\|[^\n{{}}]{{0,80}}\}}\}}"
    rf"|\{{\{{{_NAME}(?:\}}\}}|\}}|(?=[\s.,;:!?)\"']|$)(?![^\n{{]*\}}\}}))|(?<!\{{)\$?\{{{_NAME}\}}{{1,2}}"
    rf"|(?<![\w$])\({{2}}{_NAME}\){{2}}(?!\))|\[{_NAME}(?:\](?![(:\[])|(?=\s|$))|<{_NAME}>|(?<![\w$\\])\$(\w{{2,60}}+)"
    r"|(?<![\w{%])%(\w{2,60}+)%(?![\w%])|(?<![\w@.])@([A-Z][A-Z0-9_]{1,59}+)@?(?![\w@]|\.\w)"
    rf"|<%[=-]?{_NAME}-?%>|%\((\w{{2,60}}+)\)s|\$\(([A-Z][A-Z0-9_]{{1,59}}+)\)"
    r"|(?<!\w)__([A-Z](?:[A-Z0-9]|_(?!_)){1,59}+)__(?!\w)|\{\{`(\w{2,60}+)`\}\}"
    rf"|\{{\{{{_NAME}(?:\.|:-?|[-+*/=?(\[])[^\n{{}}]{{0,80}}\}}\}}|\\\{{\\\{{{_NAME}\\\}}\\\}}"
    rf"|\{{\{{[ ]?['\"](\w{{2,60}}+)['\"][ ]?\}}\}}|\{{%-?{_NAME}-?%\}}"
    rf"|｛{{1,2}}{_NAME}｝{{1,2}}|［{_NAME}］|【{_NAME}】"
)
_FORMS = re.compile(_OPENED)
_FORMS_AND_ENDS = re.compile(rf"{_OPENED}|(?<![\w{{.])(\w{{2,60}}+)[ ]?\}}\}}(?!\}})")
"""With names that only an end follows, for which every word is tried."""
_STATEMENT = re.compile(
    r"\{%-?[ ]*(?:if|elif|else|endif|for|endfor|set|include|block)\b[^%\n]{0,200}%\}"
    r"|\{\{[#/^>][ ]*[a-z]\w{0,20}[^{}\n]{0,200}\}\}"
)
_WORD = re.compile(r"\w+")
_SIGN = re.compile(r"[{\[<$%@｛［【]|\(\(|__|\\\{\\\{")
_SIGN_OR_END = re.compile(
    r"[{\[<$%@｛［【]|\(\(|__|\\\{\\\{|(?<![\w{.])\w{2,60}+(?=[ ]?\}\}(?!\}))"
)
"""Where a form can begin; with names that only an end follows."""
_END = re.compile(r"\w[ ]?\}\}(?!\})")
_CLOSED = re.compile(r"</(\w{2,60}+)>")


@dataclass(frozen=True, slots=True)
class ForeignPlaceholder:
    """Where it stands in a text, and the name in it."""

    start: int
    end: int
    name: str


def foreign_placeholders(
    text: str, own: str, names: Container[str], *, holes: bool = False
) -> Iterator[ForeignPlaceholder]:
    """Yield what looks like a placeholder of another dialect for one of the names. `own` is the
    form of this dialect, such as `[NAME]`. With `holes` expressions stand in `{{ }}`: what they
    hold is none."""
    closed: set[str] | None = None
    opened, ended, at = -1, -1, 0
    for match in _forms(text):
        name = match[match.lastindex or 0]
        if name not in names or match[0] == own.replace("NAME", name):
            continue
        # The end of a template: its beginning stands further left.
        opened = max(opened, text.rfind("{{", at, match.start()))
        ended = max(ended, text.rfind("}}", at, match.start()))
        at = max(match.start() - 1, 0)
        if opened > ended and match[0][0] not in "{$" and match[0].endswith("}}"):
            continue
        if holes and opened > ended and text[opened - 1 : opened] != "\\":
            continue
        # An element of a document: what it holds stands between it and its end.
        if match[0].startswith("<"):
            closed = set(_CLOSED.findall(text)) if closed is None else closed
            if name in closed:
                continue
        yield ForeignPlaceholder(match.start(), match.end(), name)


_BRACED = re.compile(r"\{\{(?P<inside>(?![#/^>])[^{}\n\[\]]{1,80})(?:\}\}|\]\])")


def odd_holes(text: str, names: Container[str]) -> Iterator[ForeignPlaceholder]:
    """Yield what stands in two braces and is more than a name, about one of the names: where only
    `{{NAME}}` is replaced, nothing becomes of it."""
    for match in _BRACED.finditer(text) if "{{" in text else ():
        known = {word for word in _WORD.findall(match["inside"]) if len(word) > 1 and word in names}
        is_plain = match[0].endswith("}}") and re.fullmatch(r"\w+", match["inside"])
        if len(known) == 1 and not is_plain:
            yield ForeignPlaceholder(*match.span(), known.pop())


_PROGRAMS = re.compile(r"\b(?:g?awk|jq|perl|python3?|ruby|node|sed|xargs|bash|sh)\b")
_SETTING = re.compile(r"\b(\w+)=|\b(?:for|read|read -r|local|export|declare) (\w+)\b")


def foreign_in_command(
    text: str, own: str, names: Container[str], *, holes: bool = False
) -> Iterator[ForeignPlaceholder]:
    """Yield those in a shell command that the shell, or a program that gets them as its text, would
    not read as its own."""
    program = _PROGRAMS.search(text)
    set_here = {match[1] or match[2] for match in _SETTING.finditer(text)}
    quotes = at = 0
    for found in foreign_placeholders(text, own, names, holes=holes):
        written, name = text[found.start : found.end], found.name
        quotes, at = quotes + text.count("'", at, found.start), found.start
        if quotes % 2 and program is not None and program.end() <= at:
            continue
        is_shell = written.startswith("$") and "{{" not in written
        if not is_shell or (name.islower() and name not in set_here):
            yield found


def _forms(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of the forms, each of which begins with a sign or is a name that only an
    end follows: to try them there alone takes a fifth of the time."""
    has_ends = "}}" in text and _END.search(text) is not None
    places, forms = (_SIGN_OR_END, _FORMS_AND_ENDS) if has_ends else (_SIGN, _FORMS)
    end = 0
    for place in places.finditer(text):
        if place.start() >= end and (match := forms.match(text, place.start())) is not None:
            end = match.end()
            yield match


def report_foreign(sink: Sink, span: Span, written: str, repair: str) -> None:
    """Warn (FC3001) of a placeholder of another dialect; `repair` is the one that is meant."""
    sink.report(
        "FC3001",
        f"`{written}` is not a placeholder here, so it stays as it is written",
        span,
        severity="warning",
        help=f"write `{repair}` for the variable's value",
        fix=Fix(f"write `{repair}`", span, repair),
    )


def foreign_statements(text: str, names: Container[str] | None = None) -> Iterator[tuple[int, int]]:
    """Yield start and end of what looks like a statement of a template language, about one of the
    names if there are any: no dialect has them."""
    if not any(sign in text for sign in ("{%", "{{#", "{{/", "{{^", "{{>")):
        return
    for match in _STATEMENT.finditer(text):
        if names is None or any(word in names for word in _WORD.findall(match[0])):
            yield match.span()


def report_statement(sink: Sink, span: Span, written: str, decide: str) -> None:
    """Warn (FC3001) of a statement of a template language; `decide` is what to do instead."""
    message = f"`{written}` is not a statement here, so it stays as it is written"
    help = f"only values have placeholders; {decide}"
    sink.report("FC3001", message, span, severity="warning", help=help)
