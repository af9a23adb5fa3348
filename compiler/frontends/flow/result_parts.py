"""`into:` of a node whose result has several parts: a variable, or variables with their parts."""

from __future__ import annotations

from typing import Protocol, cast

from ... import ir
from ...diagnostics.diagnostic import Label
from ...flow_yaml.shapes import Key
from ...reading.tree import MapAt, Scalar, Value
from ...source.source import Span

_ONE_PIPE = ("stdout", "stderr", "text", "json")
"""What a transcript leaves none of: both outputs go into it, in their order."""


class WordReader(Protocol):
    """The reader of the file: of words from a list, and of what is wrong."""

    def word(self, key: Key, name: Scalar, node: Value) -> str | None: ...

    def wrong(self, key: Scalar, wanted: str, node: Value, help: str) -> None: ...

    def report(self, code: str, message: str, span: Span, help: str, *labels: Label) -> None: ...


def read_parts(
    key: Key, name: Scalar, node: Value, reader: WordReader
) -> tuple[ir.ResultPart, ...] | None:
    """Return the parts with their variables. A variable alone gets the first of the key's words."""
    if isinstance(node, Scalar):
        part = cast("ir.PartName", key.words[0])
        return (ir.ResultPart(part=part, variable=node.text, span=node.span),)
    if not isinstance(node, MapAt):
        help = f"write `{name.text}: NAME`, or `{name.text}: {{NAME: {key.words[0]}}}`"
        reader.wrong(name, "a variable, or variables with parts", node, help)
        return None
    for variable, _ in node.pairs:
        if not isinstance(variable.value, str):
            message = f"`{variable.text}` is not the name of a variable"
            help = "write the variable first, then its part; a name like this stands in quotes"
            reader.report("FC1005", message, variable.span, help)
    read = [_pair(key, variable, value, reader) for variable, value in node.pairs]
    # An unknown part is reported. Its variable counts as written all the same, without a type.
    parts = [
        ir.ResultPart(
            part=cast("ir.PartName", part or "json"), variable=variable.text, span=variable.span
        )
        for variable, part in read
    ]
    transcript = next((part for part in parts if part.part == "transcript"), None)
    told = {variable.text for variable, part in read if part is None}
    beside = next((p for p in parts if p.part in _ONE_PIPE and p.variable not in told), None)
    if transcript is not None and beside is not None and beside.span is not None:
        message = f"`{beside.part}` cannot be had beside the transcript"
        help = "the transcript takes up both outputs; take either `transcript` or the others"
        reader.report("FC1005", message, beside.span, help)
    return tuple(parts)


def _pair(
    key: Key, variable: Scalar, value: Value, reader: WordReader
) -> tuple[Scalar, str | None]:
    """Return a variable and its part, None for one that is not known; also of a pair that stands
    the wrong way round, which is reported."""
    if isinstance(value, Scalar) and variable.text in key.words and value.text not in key.words:
        pair, right = f"{variable.text}: {value.text}", f"{value.text}: {variable.text}"
        message = f"`{pair}` stands the wrong way round"
        reader.report("FC1005", message, variable.span, f"write `{right}`: a variable, its part")
        return value, variable.text
    return variable, reader.word(key, variable, value)
