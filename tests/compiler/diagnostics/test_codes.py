"""The table of codes: every example does what it says, and the page is made from the table."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flowc.compiler.checks import CHECKS, CODES
from flowc.compiler.conversion import convert_file
from flowc.compiler.diagnostics.diagnostic import Code, Diagnostic
from flowc.compiler.diagnostics.examples import Example
from flowc.compiler.diagnostics.reader_codes import READER_CODES
from flowc.compiler.diagnostics.render import render_text
from flowc.compiler.driver import CompileResult, compile_file
from flowc.compiler.reconcile import reconcile
from flowc.compiler.source.source import Source
from flowc.compiler.writers import dialect_named


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Compile an example from a folder of its own."""

    def compile_example(example: Example) -> CompileResult:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name, text in ((example.file, example.text), *example.files):
            (folder / name).write_text(text, encoding=example.encoding)
        result = compile_file(example.file, team=example.team, strict=example.strict)
        if example.to:
            return replace(result, diagnostics=losses(result, example.to))
        if example.written:
            return replace(result, diagnostics=conflicts(result, example.written))
        return result

    return compile_example


def losses(result: CompileResult, to: str) -> tuple[Diagnostic, ...]:
    assert result.diagnostics == ()
    dialect = dialect_named(to)
    return convert_file(result.parsed, result.sources.files[result.path], dialect, "out").losses


def conflicts(result: CompileResult, written: str) -> tuple[Diagnostic, ...]:
    assert result.diagnostics == ()
    then = result.sources.add(Source("what the run wrote", written))
    return reconcile(then, result.sources.files[result.path], lambda path: True).diagnostics


def test_every_code_has_examples_and_a_name_of_its_own():
    assert list(CODES) == sorted(code.id for code in CODES.values())
    assert len(CODES) == len(READER_CODES) + len(CHECKS), "a code that two have"
    assert len({row.name for row in CODES.values()}) == len(CODES)


@pytest.mark.parametrize("code", CODES)
def test_the_bad_example_gives_the_code(code, read):
    result = read(CODES[code].examples()[0])
    assert {d.code for d in result.diagnostics} == {code}


@pytest.mark.parametrize("code", CODES)
def test_the_good_example_is_silent(code, read):
    result = read(CODES[code].examples()[1])
    assert render_text(result.diagnostics, result.sources) == ""


def test_the_generated_page_of_diagnostics_is_up_to_date(read, golden, request):
    golden(request.config.rootpath / "docs/diagnostics.md", page(read))


HEAD = """\
# Diagnostics

Every fault that `flowc check` finds: its code, a file that has it and the same file without it. The
page is generated (`make docs`) from compiler/checks/ and compiler/diagnostics/reader_codes.py; the
tests run each example. `flowc explain CODE` shows the same.

An error ends with exit code 1; a warning does so under `--strict`. A warning can be allowed in a
comment of the file: `<!-- flowc: allow FC2002 -->` in markdown, `%% flowc: allow FC2002` in a
mermaid block. An error cannot be allowed; an allowance that allows nothing is a warning itself.

| code | name | level | finds |
|---|---|---|---|
"""


def page(read) -> str:
    """docs/diagnostics.md."""
    rows = [
        f"| [{c.id}](#{c.id.lower()}-{c.name}) | {c.name} | {level(c)} | {c.title} |\n"
        for c in CODES.values()
    ]
    return HEAD + "".join(rows) + "".join(section(code, read) for code in CODES)


def level(code: Code) -> str:
    """The severity, with what `--strict` makes of it."""
    strictly = {"error": ", error with `--strict`", "only": " with `--strict` alone"}
    return f"{code.severity}{strictly.get(code.strict, '')}"


def section(code: str, read) -> str:
    row = CODES[code]
    bad, good = row.examples()
    result = read(bad)
    told = render_text(result.diagnostics, result.sources)
    parts = [f"\n## {code} {row.name}\n", row.title, row.why, *blocks(bad), fenced(told, "text")]
    return "\n\n".join([*parts, "Instead:", *blocks(good)]).replace("\n\n\n", "\n\n") + "\n"


def blocks(example: Example) -> list[str]:
    saved = "" if example.encoding == "utf-8" else f", saved as {example.encoding}"
    saved += f", converted to {example.to}" if example.to else ""
    saved += ", edited while its run was paused" if example.written else ""
    saved += f", checked with `--team {example.team}`" if example.team else ""
    saved += ", checked with `--strict`" if example.strict else ""
    files = ((example.file, example.text), *example.files)
    return [
        f"`{name}`{saved if name == example.file else ''}\n\n"
        f"{fenced(text, 'json' if name.endswith('.json') else 'markdown')}"
        for name, text in files
    ]


def fenced(text: str, language: str) -> str:
    return f"````{language}\n{text.rstrip()}\n````"
