"""Scripts of a flow YAML file: in files beside it, or written in it."""

from __future__ import annotations

import os

from ...flow_yaml.keys import LANGUAGES, SCRIPT, Key, MappingKind
from ...ir import Script
from ...source.source import SourceSet, Span, Unreadable
from .forms import Forms, kind
from .tree import YamlMapping, YamlNode, YamlScalar, brief

_FILE = Key("file", "text", "the file it stands in, or came from")
_LINE = Key("line", "integer", "the line of `file` in which `source` begins")
_SCRIPT = MappingKind(SCRIPT.type, (*SCRIPT.keys, _FILE, _LINE))


def read_script(
    name: YamlScalar, node: YamlNode, forms: Forms, sources: SourceSet
) -> Script | None:
    """Read `name: file.js`, or a mapping with `file:` or `source:`. With both, `source` is what
    counts and `file` with `line` say where it came from."""
    what = f"the script `{brief(name.value)}`"
    if isinstance(node, YamlScalar) and not node.is_null:
        node = YamlMapping([(YamlScalar("file", node.span, "", forms.source), node)], node.span)
    if not isinstance(node, YamlMapping):
        message = f"{what} is a file or a mapping, not {kind(node)}"
        forms.report("FC1005", message, node.span, "write `file:` or `source:` below it")
        return None
    fields = forms.fields(node, _SCRIPT, what)
    if fields is None:
        return None
    file, source, written = node.get("file"), fields.pop("source", None), fields.pop("file", "")
    path = os.path.normpath(os.path.join(os.path.dirname(forms.source.path), written))
    fields.setdefault("language", LANGUAGES.get(os.path.splitext(written)[1], "javascript"))
    if source is None and file is not None:
        source = _read(path, written, file.span, forms, sources)
    elif source is not None and file is None:
        text = node.get("source")
        assert isinstance(text, YamlScalar), "a text was read from it"
        path = forms.source.path
        fields["line"] = forms.source.position(text.part(0, 1).start).line
    elif source is None:
        forms.report("FC1003", f"{what} has no source", name.span, "write `file:` or `source:`")
    if source is None:
        return None
    return Script(id=name.value, source=source, file=path, **fields, span=name.span)


def _read(path: str, written: str, span: Span, forms: Forms, sources: SourceSet) -> str | None:
    try:
        return sources.read(path).text
    except Unreadable as error:
        missing = error.reason == "not found"
        reason = "is not there" if missing else error.reason
        forms.report("FC2001", f"the script `{brief(written)}` {reason}", span,
                     "write the path of a script file, or the code below `source:`")  # fmt: skip
        return None
