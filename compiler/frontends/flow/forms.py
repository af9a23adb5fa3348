"""The forms in which values are written in flow YAML: texts, templates, expressions, names.

Every method takes an element of the file and gives what the IR holds; a fault is reported at the
element, and the value is None where nothing can be made of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from typing import Any, TypeVar

from ... import ir
from ...diagnostics.diagnostic import Label, Sink
from ...expr.ast import Expr, ListOf, ObjectOf
from ...expr.parse import ParseFault
from ...expr.template import Template, read_template
from ...flow_yaml.keys import CRITERION
from ...flow_yaml.shapes import Form, Key, MapShape
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief, infinite_numbers, json_of
from ...source.source import Source, SourceSet, Span
from ...source.spelling import Spelling
from .elements import (
    MOST_LISTED,
    default_of,
    is_mapping_of,
    key_faults,
    key_span,
    kind,
    list_faults,
    names_in_one,
    number_help,
    place,
    read_limits,
    read_model,
    read_models,
    read_retry,
    read_settings,
)
from .requests import read_headers, read_hosts
from .result_parts import read_parts
from .schemas import odd_keywords, schema_fault, unlisted_names
from .texts.odd_texts import check_commands, check_placeholders
from .texts.quoted_texts import read_address, read_command
from .texts.text_files import read_text_file
from .waits import read_pause

N = TypeVar("N", int, float)
_CRITERION = MapShape(ir.Assertion, CRITERION)
_GIVEN = ("settings", "values")
_SENTENCE = re.compile(r"[A-Za-z]\w* (?!(?:and|or|not|in)\b)[A-Za-z][\w ,.!?-]*")
"""Words without an operator behind the first one."""


class Forms:
    """Reads values; what is wrong goes to the sink."""

    def __init__(self, source: Source, sink: Sink, sources: SourceSet | None = None) -> None:
        self.source = source
        self.sink = sink
        self.sources = sources or SourceSet()
        self.texts: list[Scalar] = []
        self.commands: list[Scalar] = []

    def check_texts(self, names: Set[str]) -> None:
        """Warn of placeholders of other dialects in the texts that were read since the last time.
        `names` are the variables they could mean."""
        check_placeholders(self.texts, names, self.sink)
        check_commands(self.commands, names, self.sink)
        self.texts.clear()
        self.commands.clear()

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        help: str = "",
        *labels: Label,
        near: str | None = None,
    ) -> None:
        self.sink.report(code, message, span, help=help, labels=labels, near=near)

    def name(self, name: str, node: Value) -> Scalar:
        """Return a key that is not written, where its value stands."""
        return Scalar(name, node.start, node.end, "", self.source)

    def mapping(self, pairs: list[tuple[Scalar, Value]], node: Value) -> MapAt:
        """Return what the short form of a mapping stands for, in its place."""
        return MapAt(pairs, node.start, node.end, self.source)

    def wrong(self, key: Scalar, wanted: str, node: Value, help: str = "") -> None:
        """Report FC1005: a key takes another kind of value."""
        message = f"`{brief(key.text)}` takes {wanted}, not {kind(node)}"
        self.report("FC1005", message, node.span, help or f"write {wanted}")

    def element(
        self, node: Value, element: MapShape, what: str, *further: str
    ) -> dict[str, Any] | None:
        """Return the fields of the IR that a mapping gives. Its keys are those of the element and
        `further`, which are left to the caller. None when a required one is missing or wrong."""
        if element.short and not is_mapping_of(node, element):
            key = next(k for k in element.keys if k.name == element.short)
            if node.is_null and not key.required:
                return {}
            if key.name == "type" and (default := default_of(node, element)):
                shown, declared = default
                message = f"`{shown}` is a value, and here stands the type"
                help = f"write the type, and the value as its default: `{declared}`"
                self.report("FC1005", message, node.span, help)
                return None
            value = self.value(key, self.name(key.name, node), node)
            return None if value is None else self.complete({key.attribute: value}, element)
        if node.is_null:
            node = self.mapping([], node)
        if not isinstance(node, MapAt):
            message = f"{what} is a mapping, not {kind(node)}"
            names = ", ".join(f"`{key.name}:`" for key in element.keys[:MOST_LISTED])
            self.report("FC1005", message, node.span, f"write below it what it has: {names}")
            return None
        return self.fields(node, element, what, *further)

    def fields(
        self,
        mapping: MapAt,
        element: MapShape,
        what: str,
        *further: str,
        anchor: Span | None = None,
    ) -> dict[str, Any] | None:
        """Return the fields as `element` does, of what is known to be a mapping. What it lacks is
        reported at `anchor`, or else where it begins."""
        known = element.by_name
        fields: dict[str, Any] = {}
        sound = all_known = True
        for name, node in mapping.pairs:
            key = known.get(name.text)
            if key is None:
                all_known = all_known and name.text in further
                continue
            if node.is_null and key.form not in ("json", "expression"):
                continue
            value = self.value(key, name, node)
            sound = sound and (value is not None or not key.required)
            if value is not None:
                fields[key.attribute] = value
        if not all_known:
            self.known_keys(mapping, (*known, *further), what)
        for key in element.duties:
            # Only as an expression is `null` a value.
            has = mapping.get if key.form == "expression" else mapping.value
            if has(key.name) is None:
                help = f"write `{key.name}:`, {key.help}"
                at = key_span(mapping, key.name) or anchor or place(mapping)
                self.report("FC1003", f"{what} has no `{key.name}`", at, help)
                sound = False
        return self.complete(fields, element) if sound else None

    @staticmethod
    def complete(fields: dict[str, Any], element: MapShape) -> dict[str, Any]:
        return {**element.defaults, **fields} if element.defaults else fields

    def known_keys(self, mapping: MapAt, known: Sequence[str], what: str) -> None:
        """Report FC1002 for every key without a meaning here."""
        for message, span, help, near in key_faults(mapping, known, what):
            self.report("FC1002", message, span, help, near=near)

    def value(self, key: Key, name: Scalar, node: Value) -> Any:
        """Return the value of one key, in its form."""
        if (read := _ELSEWHERE.get(key.form)) is not None:
            return read(key, name, node, self)
        return getattr(self, key.form)(key, name, node)

    def text(self, key: Key, name: Scalar, node: Value) -> str | None:
        if isinstance(node, Scalar):
            return node.text
        self.wrong(name, "a text", node)
        return None

    def word(self, key: Key, name: Scalar, node: Value) -> str | None:
        value = self.text(key, name, node)
        if value is None or value in key.words:
            return value
        listed = ", ".join(f"`{word}`" for word in key.words)
        near = Spelling(key.words).nearest(value)
        message = f"`{name.text}` is not `{brief(value)}`"
        self.report("FC1005", message, node.span, f"one of {listed}", near=near)
        return None

    def words(self, key: Key, name: Scalar, node: Value) -> tuple[str, ...] | None:
        items = node.items if isinstance(node, ListAt) else [node]
        words = [self.word(key, name, item) for item in items]
        return tuple(word for word in words if word is not None) or None

    def flag(self, key: Key, name: Scalar, node: Value) -> bool | None:
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        self.wrong(name, "`true` or `false`", node)
        return None

    def integer(self, key: Key, name: Scalar, node: Value) -> int | None:
        if isinstance(node, Scalar) and type(node.value) is int:
            return self._within(key, node, node.value)
        self.wrong(name, "a whole number", node, number_help(node))
        return None

    def _within(self, key: Key, node: Scalar, value: N) -> N | None:
        """Return the number; report one that is out of the key's range."""
        least, most = key.least, key.most
        if (least is None or value >= least) and (most is None or value <= most):
            return value
        message = f"`{key.name}` is not `{brief(node.text)}`"
        bounds = " and ".join(
            f"{sign} {bound:.10g}"
            for sign, bound in (("at least", least), ("at most", most))
            if bound is not None
        )
        self.report("FC1005", message, node.span, f"a number that is {bounds}")
        return None

    def number(self, key: Key, name: Scalar, node: Value) -> float | None:
        if isinstance(node, Scalar) and type(node.value) in (int, float):
            return self._within(key, node, float(node.text))
        self.wrong(name, "a number", node, number_help(node))
        return None

    def names(self, key: Key, name: Scalar, node: Value) -> tuple[str, ...] | None:
        items = node.items if isinstance(node, ListAt) else [node]
        found = [item for item in items if isinstance(item, Scalar)]
        if odd := [item for item in items if not isinstance(item, Scalar)]:
            self.wrong(name, "a list of names", odd[0], names_in_one(odd[0]))
            return None
        if isinstance(node, Scalar) and (help := names_in_one(node)):
            message = f"`{brief(name.text)}` takes a list, and this is one text"
            self.sink.report("FC1005", message, node.span, severity="warning", help=help)
        if key.least is not None:
            for message, span, help in list_faults(key.name, node, found):
                self.report("FC1005", message, span, help)
        return tuple(item.text for item in found)

    def json(self, key: Key, name: Scalar, node: Value) -> ir.Json:
        """Read any JSON value. Plain scalars that JSON knows are not texts."""
        for large in infinite_numbers(node):
            self.report("FC1005", "the number is too large", large.span, "write a smaller one")
        return json_of(node)

    def schema(self, key: Key, name: Scalar, node: Value) -> ir.Json:
        if isinstance(node, MapAt):
            value = self.json(key, name, node)
            fault = schema_fault(value, node)
            if fault is not None:
                message, place = fault
                help = "write a JSON Schema (draft 2020-12)"
                self.report("FC1005", f"not a JSON Schema: {message}", place.span, help)
            for odd, near in odd_keywords(node):
                message = f"`{brief(odd.text)}` is not a keyword of JSON Schema"
                self.sink.report("FC1002", message, odd.span, severity="warning", near=near)
            for listed, help in unlisted_names(node):
                message = f"`{brief(listed.text)}` is required, but not among the properties"
                self.sink.report("FC1005", message, listed.span, severity="warning", help=help)
            return value
        self.wrong(name, "a JSON Schema", node, "write `type: object` and `properties:` below it")
        return None

    def template(self, key: Key, name: Scalar, node: Value) -> Expr | None:
        if isinstance(node, MapAt) and [k.text for k, _ in node.pairs] == ["value"]:
            return self.expression(key, node.pairs[0][0], node.pairs[0][1])
        if isinstance(node, MapAt) and [k.text for k, _ in node.pairs] == ["file"]:
            written = self.text(_TEXT, *node.pairs[0])
            return None if written is None else read_text_file(written, node.span, self)
        if not isinstance(node, Scalar):
            help = "write a text, `file:` with a file of text, or `value:` with an expression"
            self.wrong(name, "a text", node, help)
            return None
        self.texts.append(node)
        return node.place_expression(self.template_in(node).expr)

    def template_in(self, node: Scalar) -> Template:
        template = read_template(node.text)
        for fault in template.faults:
            self._fault(fault, node)
        return template

    def _fault(self, fault: ParseFault, node: Scalar) -> None:
        self.report("FC3006", fault.message, node.at(fault.span.start, fault.span.end), fault.help)

    def expression(self, key: Key | None, name: Scalar, node: Value) -> Expr | None:
        if not isinstance(node, Scalar):
            return self._of_parts(key, name, node)
        read = node.expression()
        if not isinstance(read, ParseFault):
            return read
        if not node.text.strip():
            help = f"write an expression, or `null` for nothing: `{brief(name.text)}: null`"
        elif "{{" in node.text:
            help = "this is an expression; for a text with placeholders write `{text: …}`"
        elif key is not None and key.form in _GIVEN and _SENTENCE.fullmatch(node.text):
            help = f"a text has quotes within quotes: `'\"{brief(node.text)}\"'`"
        else:
            help = read.help
        self.report("FC3006", read.message, read.span, help)
        return None

    def _of_parts(self, key: Key | None, name: Scalar, node: ListAt | MapAt) -> Expr | None:
        if isinstance(node, ListAt):
            items = [self.expression(key, name, item) for item in node.items]
            found = tuple(item for item in items if item is not None)
            return ListOf(items=found, span=node.span) if len(found) == len(items) else None
        if [k.text for k, _ in node.pairs] == ["text"]:
            return self.template(_TEXT, node.pairs[0][0], node.pairs[0][1])
        entries = [(k.text, self.expression(key, k, value)) for k, value in node.pairs]
        kept = tuple((k, value) for k, value in entries if value is not None)
        return ObjectOf(entries=kept, span=node.span) if len(kept) == len(entries) else None

    def values(self, key: Key, name: Scalar, node: Value) -> tuple[Expr, ...] | None:
        if not isinstance(node, ListAt):
            self.wrong(name, "a list of expressions", node)
            return None
        exprs = [self.expression(key, name, item) for item in node.items]
        return tuple(value for value in exprs if value is not None)

    def settings(self, key: Key, name: Scalar, node: Value) -> tuple[ir.Assignment, ...] | None:
        """Read variables with values; a list of such mappings can set one of them twice."""
        mappings = node.items if isinstance(node, ListAt) else [node]
        assignments: list[ir.Assignment] = []
        for mapping in mappings:
            if not isinstance(mapping, MapAt):
                self.wrong(name, "names with expressions", mapping, "write `name: expression`")
                continue
            for target, value in mapping.pairs:
                expr = self.expression(key, target, value)
                if expr is not None:
                    assignments.append(
                        ir.Assignment(target=target.text, value=expr, span=target.span)
                    )
        return tuple(assignments)

    def descriptions(self, name: Scalar, node: Value) -> list[tuple[Scalar, str]]:
        """Return names with texts: a mapping, or a list of names and mappings."""
        texts: list[tuple[Scalar, str]] = []
        for item in node.items if isinstance(node, ListAt) else [node]:
            pairs: list[tuple[Scalar, Value]] = []
            if isinstance(item, MapAt):
                pairs = item.pairs
            elif isinstance(item, Scalar):
                pairs = [(item, Scalar("", item.start, item.start, "'", self.source))]
            else:
                self.wrong(name, "names with texts", item)
            for variable, text in pairs:
                if not isinstance(text, Scalar):
                    self.wrong(variable, "a text", text)
                else:
                    texts.append((variable, "" if text.is_null else text.text))
        return texts

    def inputs(self, key: Key, name: Scalar, node: Value) -> tuple[ir.Input, ...]:
        texts = self.descriptions(name, node)
        return tuple(ir.Input(name=n.text, description=text, span=n.span) for n, text in texts)

    def outputs(self, key: Key, name: Scalar, node: Value) -> tuple[ir.Output, ...]:
        descriptions = self.descriptions(name, node)
        return tuple(ir.Output(name=n.text, source=text, span=n.span) for n, text in descriptions)

    def criteria(self, key: Key, name: Scalar, node: Value) -> tuple[ir.Assertion, ...]:
        criteria: list[ir.Assertion] = []
        for item in node.items if isinstance(node, ListAt) else [node]:
            if isinstance(item, Scalar):
                criteria.append(ir.Assertion(text=item.text, span=item.span))
            elif isinstance(item, MapAt):
                fields = self.fields(item, _CRITERION, "a criterion")
                check = item.get("check")
                written = check.text if isinstance(check, Scalar) else ""
                if fields is not None and ("expr" in fields or "text" in fields):
                    criteria.append(ir.Assertion(**{"text": written, **fields}, span=item.span))
            else:
                self.wrong(name, "texts or conditions", item, "write a text, or `check: condition`")
        return tuple(criteria)


_TEXT = Key("text", "template", "")
_ELSEWHERE: dict[Form, Callable[[Key, Scalar, Value, Forms], object]] = {
    "command": read_command,
    "address": read_address,
    "pause": read_pause,
    "hosts": read_hosts,
    "headers": read_headers,
    "parts": read_parts,
    "limits": read_limits,
    "retry": read_retry,
    "model_settings": read_settings,
    "model": read_model,
    "models": read_models,
}
