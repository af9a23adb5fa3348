"""docs/python.md: its examples run from top to bottom, its reference is made from the code."""

from __future__ import annotations

import inspect
import re
import textwrap

import flowc
import pytest
from flowc.runtime.python_api.choices import Choices

PAGE = "docs/python.md"
BEGIN, END = "<!-- reference -->\n", "<!-- end -->\n"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def page(request):
    return request.config.rootpath / PAGE


def test_the_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    world: dict[str, object] = {}
    for example in FENCE.finditer(text):
        line = text.count("\n", 0, example.start()) + 2
        code = "\n" * (line - 1) + example[1]
        exec(compile(code, PAGE, "exec"), world)
    shown = capsys.readouterr().out
    assert "error[FC3001]" in shown
    assert "did you mean `who`?" in shown


def test_the_generated_reference_is_up_to_date(page, golden):
    text = page.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    golden(page, head + BEGIN + "\n" + "\n".join(reference()) + "\n" + END + tail)


def reference() -> list[str]:
    """Return the lines about everything that `import flowc` offers."""
    lines = []
    for name in ("load", "check", "convert", "open_saver"):
        lines += about(f"flowc.{name}", getattr(flowc, name))
    lines += ["### flowc.Flow", "", paragraph(flowc.Flow), ""]
    for name, member in vars(flowc.Flow).items():
        if name.startswith("_") or name in flowc.Flow.__dataclass_fields__:
            continue
        if inspect.isfunction(member):
            lines += about(f"flow.{name}", member, 4)
        elif doc := inspect.getdoc(getattr(member, "fget", None) or member.func):
            lines += [f"#### flow.{name}", "", doc, ""]
    lines += ["### Choices", "", paragraph(Choices), ""]
    return [*lines, "### flowc.Permissions", "", paragraph(flowc.Permissions), ""]


def about(name: str, function, level: int = 3) -> list[str]:
    signature = inspect.signature(function)
    names = [str(p).split(":")[0] for p in signature.parameters.values() if p.name != "self"]
    marks = ["*" if p.kind is p.KEYWORD_ONLY else "" for p in signature.parameters.values()]
    if "*" in marks:
        names.insert(marks.index("*") - ("self" in signature.parameters), "*")
    call = f"{name}({', '.join(names)})"
    return ["#" * level + f" {name}", "", f"`{call}`", "", paragraph(function), ""]


def paragraph(thing) -> str:
    return textwrap.dedent(inspect.getdoc(thing) or "")
