"""Allowances silence warnings in their own file, and nothing else."""

from __future__ import annotations

import pytest
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.allowances import apply_allowances, find_allowances
from flowc.compiler.diagnostics.diagnostic import Diagnostic
from flowc.compiler.diagnostics.fixes import apply_fixes, chosen_fixes
from flowc.compiler.source.source import Source, SourceSet


def judge(text: str, *found: tuple[str, str], path: str = "a.md") -> tuple[list[str], str]:
    """The codes that remain of `found` (code, severity) in a file, and the file after --fix."""
    sources = SourceSet()
    source = sources.add(Source(path, text))
    items = tuple(Diagnostic(CODES[code], "m", source.span(0), level) for code, level in found)  # type: ignore[arg-type]
    rest = apply_allowances(items, sources, CODES)
    return [d.code for d in rest], apply_fixes(text, chosen_fixes(rest, path))


@pytest.mark.parametrize(
    ("comment", "path"),
    [
        ("<!-- flowc: allow FC2002 -->", "a.md"),
        ("<!--flowc:allow FC2002-->", "a.md"),
        ("text <!-- flowc: allow FC3003, FC2002 --> text", "a.md"),
        ("    %% flowc: allow FC2002", "a.wf.md"),
        ("%%flowc: allow FC3003 FC2002", "a.mmd"),
        ("# flowc: allow FC2002", "a.yaml"),
    ],
)
def test_a_comment_of_the_format_silences_the_warning(comment, path):
    found = (("FC2002", "warning"), ("FC3003", "warning"))
    allowed = {a.code for a in find_allowances(Source(path, comment))}
    assert "FC2002" in allowed
    codes, text = judge(f"a\n{comment}\nb\n", *found, path=path)
    assert codes == sorted({"FC2002", "FC3003"} - allowed)
    assert text == f"a\n{comment}\nb\n"


@pytest.mark.parametrize(
    "text",
    [
        "# flowc: allow FC2002\n",  # a heading in markdown
        "flowc: allow FC2002\n",
        "<!-- flowc: allow -->\n",
        "<!-- flowc: allow FC2002\n",
        "<!-- allow FC2002 -->\n",
    ],
)
def test_what_is_no_allowance_allows_nothing(text):
    assert judge(text, ("FC2002", "warning"))[0] == ["FC2002"]


def test_an_error_cannot_be_allowed():
    codes, _ = judge("<!-- flowc: allow FC2001 -->\n", ("FC2001", "error"))
    assert sorted(codes) == ["FC0002", "FC2001"]


def test_an_allowance_holds_in_its_own_file_only():
    sources = SourceSet()
    sources.add(Source("a.md", "<!-- flowc: allow FC2002 -->\n"))
    other = sources.add(Source("b.md", "x\n"))
    rest = apply_allowances(
        (Diagnostic(CODES["FC2002"], "m", other.span(0), "warning"),), sources, CODES
    )
    assert [(d.code, d.primary.file) for d in rest] == [("FC0002", "a.md"), ("FC2002", "b.md")]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("a\n<!-- flowc: allow FC2002 -->\nb\n", "a\nb\n"),
        ("a\r\n  <!-- flowc: allow FC2002 -->\r\nb\r\n", "a\r\nb\r\n"),
        ("a <!-- flowc: allow FC2002 --> b\n", "a  b\n"),
        ("<!-- flowc: allow FC2002 -->", ""),
        ("a\n%% flowc: allow FC2002", "a\n"),
    ],
)
def test_an_unused_allowance_is_reported_and_taken_out(text, fixed):
    codes, after = judge(text)
    assert codes == ["FC0002"]
    assert after == fixed


def test_only_the_unused_code_is_taken_out():
    text = "<!-- flowc: allow FC2002, FC3003 -->\n"
    codes, after = judge(text, ("FC3003", "warning"))
    assert codes == ["FC0002"]
    assert after == "<!-- flowc: allow FC3003 -->\n"


def test_a_code_that_does_not_exist_and_one_allowed_twice_are_reported():
    assert judge("<!-- flowc: allow FC9999 -->\n")[0] == ["FC0002"]
    twice = "<!-- flowc: allow FC2002 -->\n" * 2
    codes, after = judge(twice, ("FC2002", "warning"))
    assert codes == ["FC0002"]
    assert after == "<!-- flowc: allow FC2002 -->\n"


@pytest.mark.parametrize(
    "text",
    [
        "<!-- flowc: allow " * 20_000,
        "<!-- flowc: allow " * 20_000 + "-->",
        "<!-- flowc: allow FC2002 -->" * 20_000,
        "%% flowc: allow FC2002 " * 20_000,
        "<!-- flowc: allow FC2002 -->\n" * 20_000,
        "<!--" + " " * 400_000,
    ],
)
@pytest.mark.timeout(120)
def test_many_allowances_are_read_in_linear_time(text):
    assert set(judge(text)[0]) <= {"FC0002"}
