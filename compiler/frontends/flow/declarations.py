"""What a workflow of a flow YAML file declares beside its nodes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ... import ir
from ...flow_yaml import keys
from ...reading.script_syntax import script_fault
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.source import SourceSet, Span, Unreadable
from .elements import kind
from .forms import Forms
from .starts import read_starts

_TITLE = keys.Key("title", "text", "")
_FILE = keys.Key("file", "text", "the file it stands in, or came from")
_LINE = keys.Key("line", "integer", "the line of `file` in which `source` begins")
_SCRIPT = keys.MapShape(keys.SCRIPT.type, (*keys.SCRIPT.keys, _FILE, _LINE))


class Declarations:
    """Reads the sections of a workflow."""

    def __init__(self, forms: Forms, sources: SourceSet) -> None:
        self.forms = forms
        self.sources = sources

    def read(self, mapping: MapAt) -> dict[str, Any]:
        """Return the fields of a `Workflow` that are declarations."""
        return {
            "params": tuple(self._params(mapping)),
            "state": tuple(
                ir.StateField(name=name.text, **fields, span=name.span)
                for name, _, fields in self._section(mapping, "state", "the variable")
            ),
            "agents": tuple(
                ir.Agent(id=name.text, **fields, span=name.span)
                for name, _, fields in self._section(mapping, "agents", "the agent")
            ),
            "tools": tuple(self._tools(mapping)),
            "threads": tuple(self._threads(mapping)),
            "scripts": tuple(
                script
                for name, node in self._entries(mapping, "scripts")
                if (script := _read_script(name, node, self.forms, self.sources)) is not None
            ),
            "prompts": tuple(
                ir.Prompt(id=name.text, **fields, span=name.span)
                for name, _, fields in self._section(mapping, "prompts", "the prompt")
            ),
            "groups": tuple(self._groups(mapping)),
            "on_error": tuple(self._rules(mapping)),
            "starts": tuple(read_starts(mapping.value("on"), self.forms)),
            "trials": tuple(self.trials(mapping)),
        }

    def _entries(self, mapping: MapAt, section: str) -> list[tuple[Scalar, Value]]:
        node = mapping.value(section)
        if node is None:
            return []
        if isinstance(node, MapAt):
            return node.pairs
        message = f"`{section}` is a mapping from names, not {kind(node)}"
        self.forms.report("FC1005", message, node.span, "write `name:` and what belongs to it")
        return []

    def _section(
        self, mapping: MapAt, section: str, what: str, *further: str
    ) -> Iterator[tuple[Scalar, Value, dict[str, Any]]]:
        shape = keys.NAMED[section]
        for name, node in self._entries(mapping, section):
            fields = self.forms.element(node, shape, f"{what} `{brief(name.text)}`", *further)
            if fields is not None:
                yield name, node, fields

    def _params(self, mapping: MapAt) -> Iterator[ir.Param]:
        for name, node, fields in self._section(mapping, "params", "the parameter"):
            has_default = isinstance(node, MapAt) and node.get("default") is not None
            fields.setdefault("required", not has_default)
            yield ir.Param(name=name.text, **fields, span=name.span)

    def _tools(self, mapping: MapAt) -> Iterator[ir.Tool]:
        for name, node, fields in self._section(mapping, "tools", "the tool"):
            declares = isinstance(node, MapAt) and any(
                node.get(key) is not None for key in ("description", "schema", "result")
            )
            source = "declared" if declares else "unknown"
            yield ir.Tool(id=name.text, source=source, **fields, span=name.span)  # type: ignore[arg-type]

    def _threads(self, mapping: MapAt) -> Iterator[ir.Thread]:
        for name, node, fields in self._section(mapping, "threads", "the thread", "seed"):
            seed = node.get("seed") if isinstance(node, MapAt) else None
            yield ir.Thread(id=name.text, **fields, seed=tuple(self._seeds(seed)), span=name.span)

    def _seeds(self, node: Value | None) -> Iterator[ir.Seed]:
        """Read a list of one-key mappings, as in `- system: You are brief.`"""
        if node is None:
            return
        for item in node.items if isinstance(node, ListAt) else [node]:
            pairs = item.pairs if isinstance(item, MapAt) else []
            if len(pairs) == 1 and isinstance(pairs[0][1], Scalar):
                yield ir.Seed(role=pairs[0][0].text, content=pairs[0][1].text)
            else:
                help = "write for instance `- system: You are brief.`"
                message = f"a message is a speaker with a text, not {kind(item)}"
                self.forms.report("FC1005", message, item.span, help)

    def _groups(self, mapping: MapAt) -> Iterator[ir.Group]:
        for name, node in self._entries(mapping, "groups"):
            title = self.forms.text(_TITLE, name, node)
            if title is not None:
                title = "" if node.is_null else title
                yield ir.Group(id=name.text, title=title, span=name.span)

    def _rules(self, mapping: MapAt) -> Iterator[ir.ErrorRule]:
        node = mapping.value("on_error")
        if node is None:
            return
        for item in node.items if isinstance(node, ListAt) else [node]:
            fields = self.forms.element(item, keys.RULE, "a rule of `on_error`")
            if fields is not None:
                yield ir.ErrorRule(**fields)

    def trials(self, mapping: MapAt) -> Iterator[ir.Trial]:
        """Yield the cases below `tests:`."""
        for name, node, fields in self._section(mapping, "tests", "the test"):
            for key in ("inputs", "variables"):
                value = node.get(key) if isinstance(node, MapAt) else None
                if value is not None and not isinstance(fields.get(key), dict):
                    message = f"`{key}` of a test is a mapping from names, not {kind(value)}"
                    self.forms.report("FC1005", message, value.span, "write `NAME: VALUE` below it")
                    fields.pop(key, None)
            yield ir.Trial(name=name.text, **fields, span=name.span)


def _read_script(name: Scalar, node: Value, forms: Forms, sources: SourceSet) -> ir.Script | None:
    """Read `name: file.js`, or a mapping with `file:` or `source:`. With both, `source` is what
    counts and `file` with `line` say where it came from."""
    what = f"the script `{brief(name.text)}`"
    if isinstance(node, Scalar) and not node.is_null:
        node = forms.mapping([(forms.name("file", node), node)], node)
    if not isinstance(node, MapAt):
        message = f"{what} is a file or a mapping, not {kind(node)}"
        forms.report("FC1005", message, node.span, "write `file:` or `source:` below it")
        return None
    fields = forms.fields(node, _SCRIPT, what)
    if fields is None:
        return None
    file, source, written = node.get("file"), fields.pop("source", None), fields.pop("file", "")
    path = os.path.normpath(os.path.join(os.path.dirname(forms.source.path), written))
    fields.setdefault("language", keys.LANGUAGES.get(os.path.splitext(written)[1], "javascript"))
    if source is None and file is not None:
        source = _read_file(path, written, file.span, forms, sources)
    elif source is not None and file is None:
        text = node.get("source")
        assert isinstance(text, Scalar), "a text was read from it"
        path = forms.source.path
        fields["line"] = forms.source.position(text.at(0, 1).start).line
    elif source is None:
        forms.report("FC1003", f"{what} has no source", name.span, "write `file:` or `source:`")
    if source is None:
        return None
    _check_syntax(fields["language"], source, node.get("source"), path, forms, sources)
    return ir.Script(id=name.text, source=source, file=path, **fields, span=name.span)


def _check_syntax(
    language: str,
    source: str,
    text: Value | None,
    path: str,
    forms: Forms,
    sources: SourceSet,
) -> None:
    """Report FC4003 at the place where a script does not parse."""
    fault = script_fault(language, source)
    if fault is None:
        return
    if isinstance(text, Scalar):
        place = text.at(fault.start, fault.end) if fault.end > fault.start else text.span
    else:
        place = sources.read(path).span(fault.start, fault.end)
    message = f"the script does not parse: {fault.message}"
    forms.report("FC4003", message, place, "correct it; none of its functions can be called")


def _read_file(path: str, written: str, span: Span, forms: Forms, sources: SourceSet) -> str | None:
    try:
        return sources.read(path).text
    except Unreadable as error:
        missing = error.reason == "not found"
        reason = "is not there" if missing else error.reason
        help = "write the path of a script file, or the code below `source:`"
        message = f"the script `{brief(written)}` {reason}"
        forms.report("FC2001", message, span, error.help or help)
        return None
