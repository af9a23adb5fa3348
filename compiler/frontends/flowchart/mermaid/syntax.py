"""Parse a chart with recovery: every statement that does not parse is one fault.

The LALR parser is fed token by token. On a token that does not fit, what was built is popped back
to a state in which the statement may end, and tokens are skipped to the next line: the nodes and
edges before the fault are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from flowc.grammar import load
from flowc.grammar.flowchart_lexing import tokens
from lark import Token, Tree
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from ....diagnostics.diagnostic import Fix, Sink
from ....source.records import dataclass
from ....source.source import Span


@dataclass(frozen=True, slots=True)
class ChartFault:
    """A place that does not parse. `replacement` is what would parse there, when that is clear;
    `lost_captions` are the ids of nodes whose captions do not parse either."""

    message: str
    start: int
    end: int
    help: str = ""
    replacement: str | None = None
    lost_captions: tuple[str, ...] = ()


def parse_chart(text: str, base: int = 0) -> tuple[Tree[Token], list[ChartFault]]:
    """Return the tree of every statement that parses, and the faults, at offsets from `base`."""
    parser = load("flowchart", lexer="basic").parse_interactive()
    faults: list[ChartFault] = []
    before: Token | None = None
    skipping = False
    for token in tokens(text):
        if skipping and token.type != "SEP":
            continue
        skipping = False
        try:
            parser.feed_token(token)
        except UnexpectedToken:
            fault = _explain(token, before, base)
            faults.append(replace(fault, lost_captions=_lost_captions(text, token, before)))
            _back_to_statement_end(parser)
            if token.type == "SEP":
                parser.feed_token(token)
            skipping = token.type != "SEP"
        before = token
    tree = parser.feed_token(Token("$END", ""))
    assert isinstance(tree, Tree)
    return tree, faults


def report_faults(
    faults: Iterable[ChartFault], span: Callable[[int, int], Span], sink: Sink
) -> None:
    """Report every fault as FC1001; `span` gives the place of a range of the chart."""
    for fault in faults:
        place, fix = span(fault.start, fault.end), None
        if fault.replacement is not None:
            fix = Fix(f"write `{fault.replacement}`", place, fault.replacement, safe=True)
        sink.report("FC1001", fault.message, place, help=fault.help, fix=fix)


def _back_to_statement_end(parser: InteractiveParser) -> None:
    state = parser.parser_state
    table = state.parse_conf.parse_table.states
    while "SEP" not in table[state.state_stack[-1]]:
        state.state_stack.pop()
        state.value_stack.pop()


_UNCLOSED: Sequence[tuple[str, str]] = (
    ("[[", "]]"), ("[(", ")]"), ("([", "])"), ("{{", "}}"), ("((", "))"),
    ("[", "]"), ("{", "}"), ("(", ")"), ("|", "|"), ("@{", "}"),
)  # fmt: skip


_OPENINGS = ("[", "{", "(", ">", "@{")
_CAPTIONED = re.compile(r"(?P<id>\b[A-Za-z]\w*+)[ \t]*(?:[\[{(]|@\{)")


def _explain(token: Token, before: Token | None, base: int) -> ChartFault:
    assert token.start_pos is not None
    assert token.end_pos is not None
    start, end = base + token.start_pos, base + token.end_pos
    if token.type == "SEP":
        assert before is not None
        assert before.start_pos is not None
        assert before.end_pos is not None
        message = f"nothing follows `{_short(before)}`"
        help = "write the target's id after the arrow"
        return ChartFault(message, base + before.start_pos, base + before.end_pos, help)
    text = str(token).rstrip()
    label = _LABEL.match(text) if token.type == "BAD" else None
    if label and (text[0] == ":" or before is None or before.type not in _NODE_TOKENS):
        help = f"a label stands between bars behind the arrow: `-->|{label[label.lastindex or 0]}|`"
        return ChartFault(f"`{label[0]}` is not a label", start, start + label.end(), help)
    for opening, closing in _UNCLOSED:
        if token.type == "BAD" and text.startswith(opening):
            return _unclosed_bracket(text, opening, closing, start)
    arrow = _ARROW.match(text) if token.type == "BAD" else None
    if arrow:
        return ChartFault(
            f"`{arrow[0]}` is not a link", start, start + arrow.end(), "write `-->`", "-->"
        )
    if token.type == "BAD" and text.startswith(("--", "==", "-.")):
        help = "write `-->`, or `-->|label|` with a label"
        return ChartFault(f"`{text[:2]}` begins a link that has no end", start, start + 2, help)
    if (other := _of_other_languages(token, before, base)) is not None:
        return other
    if token.type == "ID" and before is not None and before.type in _NODE_TOKENS:
        message = f"there is no link between `{_short(before)}` and `{text}`"
        help = f"write an arrow between two ids: `{_short(before)} --> {text}`; "
        help += f"an id has no blanks: `{_short(before)}_{text}`"
        return ChartFault(message, start, end, help)
    if before is not None and before.type == "HEADER":
        return ChartFault(
            f"`{text}` is not a direction", start, end, "write TB, TD, BT, LR or RL, or none"
        )
    if token.type == "BAD":
        first = _first(text)
        help = "write one statement a line, such as `A --> B`"
        return ChartFault(f"`{first}` is not understood here", start, start + len(first), help)
    return ChartFault(f"`{_short(token)}` is not expected here", start, start + len(text))


def _of_other_languages(token: Token, before: Token | None, base: int) -> ChartFault | None:
    """Return the fault of a comment, or of a label between slashes, as they are written
    elsewhere."""
    own = _COMMENT.match(str(token)) is not None
    sign = token if own or before is None else before
    at, written = base + (sign.start_pos or 0), str(sign)
    if own or _COMMENT.fullmatch(written):
        message, help = f"`{_short(sign)}` begins no comment", "write `%%` before a comment"
        return ChartFault(message, at, at + len(_first(written)), help)
    slashed = _SLASHED.fullmatch(written)
    if token.type != "ID" or slashed is None:
        return None
    help = f"a label stands between bars behind the arrow: `-->|{slashed[1]}|`"
    return ChartFault(f"`{written}` is not a label", at, at + len(written), help)


_COMMENT = re.compile(r"//|#(?!\w+;)|%(?!%)")
"""What begins a comment in other languages."""
_SLASHED = re.compile(r"/(\w{1,20})/")
_LABEL = re.compile(
    r'"(\w{1,20})"(?=\s)|\[(\w{1,20})\](?=[ \t]+\w)|\((\w{1,20})\)(?=[ \t]+\w)'
    r"|\{(\w{1,20})\}(?=[ \t]+\w)|<(\w{1,20})>(?=[ \t]+\w)|:[ \t]*(\w{1,20})[ \t]*$"
)
_OTHER_END = re.compile(r"[^\[\](){}\n]*(?P<sign>[\])}])[ \t]*(?:[-=]|$)")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_ARROW = re.compile(r"->+|-{1,3}[ \t]+-{0,2}>|[\u2010-\u2015\u2212]+>|=>|[→⇒⟶⟹➔➜]")
"""What was surely meant as `-->`."""


def _lost_captions(text: str, token: Token, before: Token | None) -> tuple[str, ...]:
    """Return the nodes with captions in what is skipped: from `token` to the end of its line."""
    assert token.start_pos is not None
    end = text.find("\n", token.start_pos)
    rest = text[token.start_pos : end if end >= 0 else len(text)]
    skipped = tuple(match["id"] for match in _CAPTIONED.finditer(rest))
    opens = before is not None and before.type == "ID" and rest.startswith(_OPENINGS)
    return (str(before), *skipped) if opens else skipped


def _unclosed_bracket(text: str, opening: str, closing: str, start: int) -> ChartFault:
    inside = text[len(opening) :].lstrip()
    if inside.startswith('"') and '"' not in inside[1:]:
        start += len(text) - len(inside)
        return ChartFault('`"` is not closed', start, start + 1, 'close it with `"`')
    quote = ", and put a caption that holds brackets or line breaks in double quotes"
    help = f"close it with `{closing}` on the same line{quote if opening != '|' else ''}"
    other = _OTHER_END.match(inside) if opening != "|" else None
    if other:
        sign = other["sign"]
        help = (
            f"close it with `{closing}`, or begin it with `{_PAIRS[sign]}`: it ends with `{sign}`"
        )
    if inside.partition("\n")[0].count('"') % 2:
        help += '; one `"` stands alone here'
    return ChartFault(f"`{opening}` is not closed", start, start + len(opening), help)


_NODE_TOKENS = frozenset({"ID", "SHAPE", "ATTRIBUTES", "CLASS"})


def _short(token: Token) -> str:
    """Return the token's text for a message: one line, not too long."""
    text = " ".join(str(token).split())
    return text if len(text) <= 40 else text[:39] + "…"


def _first(text: str) -> str:
    word = text.split(maxsplit=1)[0] if text.strip() else text
    return word[:40]
