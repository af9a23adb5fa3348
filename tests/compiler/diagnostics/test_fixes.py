"""Fixes are applied once each, never into one another, and keep the file's line ends."""

from __future__ import annotations

from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix
from flowc.compiler.diagnostics.fixes import apply_fixes, chosen_fixes, line_end
from flowc.compiler.source.source import Span


def found(*fixes: tuple[int, int, str], safe: bool = True, file: str = "a.md") -> list[Diagnostic]:
    return [
        Diagnostic(
            CODES["FC1006"],
            "m",
            Span(file, s, e),
            "warning",
            fix=Fix("f", Span(file, s, e), t, safe),
        )
        for s, e, t in fixes
    ]


def mended(text: str, *fixes: tuple[int, int, str]) -> str:
    return apply_fixes(text, chosen_fixes(found(*fixes), "a.md"))


def test_fixes_apply_together_whatever_their_order():
    assert mended("abcdef", (4, 5, "E"), (0, 2, "X"), (6, 6, "!")) == "XcdEf!"


def test_a_fix_offered_twice_applies_once():
    assert mended("abc", (0, 1, "X"), (0, 1, "X")) == "Xbc"


def test_of_overlapping_fixes_the_first_applies_and_the_other_waits():
    assert mended("abcdef", (0, 3, "X"), (2, 4, "Y")) == "Xdef"
    assert mended("abc", (1, 1, "X"), (1, 1, "Y")) == "aXbc"
    assert mended("abc", (1, 1, "X"), (1, 2, "Y")) == "aXbc"


def test_neighbours_do_not_overlap():
    assert mended("abcd", (0, 2, "X"), (2, 4, "Y")) == "XY"


def test_unchosen_fixes_and_those_for_other_files_are_left_alone():
    assert chosen_fixes(found((0, 1, "X"), safe=False), "a.md") == ()
    assert chosen_fixes(found((0, 1, "X"), file="b.md"), "a.md") == ()


def test_unsafe_fixes_are_chosen_where_they_are_asked_for_behind_safe_ones_of_one_place():
    unsafe = found((0, 1, "A"), safe=False)
    assert [f.text for f in chosen_fixes(unsafe, "a.md", unsafe=True)] == ["A"]
    both = [*unsafe, *found((0, 1, "X"))]
    assert [f.text for f in chosen_fixes(both, "a.md", unsafe=True)] == ["X"]


def test_line_ends_are_those_of_the_file():
    assert mended("a\r\nb\r\n", (3, 4, "x\ny")) == "a\r\nx\r\ny\r\n"
    assert mended("a\nb\n", (2, 3, "x\r\ny")) == "a\nx\ny\n"
    assert line_end("") == "\n"
    assert line_end("a\r\nb\nc\n") == "\n"
