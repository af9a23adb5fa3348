"""The text form of diagnostics: carets stand under what they speak of, whatever the line holds."""

from __future__ import annotations

from textwrap import dedent

from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix, Label
from flowc.compiler.diagnostics.render import render_text, summary_line
from flowc.compiler.source.source import Source, SourceSet, Span


def place(text: str, piece: str, file: str = "a.md") -> Span:
    """The span of the first occurrence of `piece`."""
    at = text.index(piece)
    return Span(file, at, at + len(piece))


def shown(text: str, primary: Span, **more: object) -> str:
    """A diagnostic on `text`, rendered without colour; trailing blank line and margin removed."""
    sources = SourceSet()
    sources.add(Source("a.md", text))
    for path, other in more.pop("others", {}).items():  # type: ignore[attr-defined]
        sources.add(Source(path, other))
    width = more.pop("width", 120)
    item = Diagnostic(CODES["FC2001"], "no such step", primary, "error", **more)  # type: ignore[arg-type]
    return render_text([item], sources, width=width)  # type: ignore[arg-type]


def expect(text: str) -> str:
    return dedent(text).lstrip("\n")


def test_one_span_with_help():
    text = "one\n  two --> thre\n"
    assert shown(text, place(text, "thre"), help="did you mean `three`?") == expect(
        """
        error[FC2001] unknown-step: no such step
         --> a.md:2:11
          |
        2 |   two --> thre
          |           ^^^^
          = help: did you mean `three`?          flowc explain FC2001
        """
    )


def test_labels_on_one_line_hang_below_each_other():
    text = "aaa bbb ccc\n"
    labels = (Label(place(text, "aaa"), "first"), Label(place(text, "ccc"), "third"))
    assert shown(text, place(text, "bbb"), labels=labels) == expect(
        """
        error[FC2001] unknown-step: no such step
         --> a.md:1:5
          |
        1 | aaa bbb ccc
          | --- ^^^ --- third
          | |
          | first
          = flowc explain FC2001
        """
    )


def test_label_lines_that_lie_apart_are_joined_by_dots_and_a_gap_of_one_is_filled():
    text = "first\nb\nagain\nd\ne\nf\nlast\n"
    labels = (Label(place(text, "first"), "here"), Label(place(text, "last"), "and here"))
    assert shown(text, place(text, "again"), labels=labels) == expect(
        """
        error[FC2001] unknown-step: no such step
         --> a.md:3:1
          |
        1 | first
          | ----- here
        2 | b
        3 | again
          | ^^^^^
        ...
        7 | last
          | ---- and here
          = flowc explain FC2001
        """
    )


def test_label_in_another_file_gets_its_own_excerpt():
    text, other = "call x\n", "\n\nstart\n"
    labels = (Label(place(other, "start", "b.md"), "calls back"),)
    assert shown(text, place(text, "x"), labels=labels, others={"b.md": other}) == expect(
        """
        error[FC2001] unknown-step: no such step
         --> a.md:1:6
          |
        1 | call x
          |      ^
         ::: b.md:3:1
          |
        3 | start
          | ----- calls back
          = flowc explain FC2001
        """
    )


def test_span_over_many_lines_shows_its_ends():
    text = "".join(f"line {n}\n" for n in range(1, 12))
    span = Span("a.md", text.index("line 2"), text.index("line 11"))
    assert shown(text, span, labels=(Label(span, "all of it"),)) == expect(
        """
        error[FC2001] unknown-step: no such step
          --> a.md:2:1
           |
         2 | / line 2
         3 | | line 3
        ...
         9 | | line 9
        10 | | line 10
           | |_______^ all of it
           = flowc explain FC2001
        """
    )


def test_span_that_begins_within_a_line_and_ends_in_a_later_one():
    text = "a begin\nmiddle\nend b\n"
    span = Span("a.md", text.index("begin"), text.rindex(" b"))
    assert shown(text, span) == expect(
        """
        error[FC2001] unknown-step: no such step
         --> a.md:1:3
          |
        1 |   a begin
          |  ___^
        2 | | middle
        3 | | end b
          | |___^
          = flowc explain FC2001
        """
    )


def test_tabs_and_wide_and_combining_characters_keep_the_caret_in_place():
    tabbed = "\tx\tyy\n"
    assert "\n1 |     x    yy\n  |          ^^\n" in shown(tabbed, place(tabbed, "yy"))
    wide = "日本 🔧 x\n"
    assert "\n1 | 日本 🔧 x\n  |         ^\n" in shown(wide, place(wide, "x"))
    picture = "\U0001f6e0\ufe0f x\n"
    assert "\n1 | \U0001f6e0\ufe0f x\n  |    ^\n" in shown(picture, place(picture, "x"))
    accents = "e\u0301e\u0301 x\n"
    assert "\n1 | e\u0301e\u0301 x\n  |    ^\n" in shown(accents, place(accents, "x"))


def test_long_line_is_clipped_around_the_caret():
    text = "a" * 500 + "HERE" + "b" * 500 + "\n"
    rows = shown(text, place(text, "HERE"), width=80).splitlines()
    line, carets = rows[3], rows[4]
    assert len(line) <= 80
    assert line.startswith("1 | …aaa")
    assert line.endswith("bbb…")
    assert line[carets.index("^") : carets.rindex("^") + 1] == "HERE"


def test_positions_at_the_end_of_a_line_and_of_the_file_get_one_caret():
    text = "ab\ncd"
    assert "\n1 | ab\n  |   ^\n" in shown(text, Span("a.md", 2, 2))
    assert "\n2 | cd\n  |   ^\n" in shown(text, Span("a.md", 5, 5))
    assert "\n2 | cd\n  |   ^\n" in shown(text, Span("a.md", 99, 120))


def test_crlf_line_ends_are_not_underlined():
    text = "ab\r\ncd\r\n"
    assert "\n1 | ab\n  | ^^\n" in shown(text, Span("a.md", 0, 4))


def test_a_file_cannot_steer_the_terminal():
    text = "ok \x1b[31m\u202eevil\n"
    shown_text = shown(text, place(text, "evil"), help=text)
    assert "\x1b" not in shown_text
    assert "\u202e" not in shown_text
    assert "ok ␛[31m\ufffdevil" in shown_text


def test_fix_says_whether_it_is_applied():
    text = "ab\n"
    span = place(text, "ab")
    safe = shown(text, span, fix=Fix("write `abc`", span, "abc", safe=True))
    assert "  = fix: write `abc`, with --fix\n" in safe
    unsafe = shown(text, span, fix=Fix("write `abc`", span, "abc"))
    assert "not applied by itself" in unsafe


def test_colour_only_when_asked_and_never_changes_the_text():
    import re

    text = "aaa bbb\nccc\n"
    sources = SourceSet()
    sources.add(Source("a.md", text))
    labels = (Label(place(text, "aaa"), "first"), Label(place(text, "ccc"), "third"))
    item = Diagnostic(CODES["FC2001"], "m", place(text, "bbb"), "error", labels, ("n",), "h")
    plain = render_text([item], sources)
    coloured = render_text([item], sources, color=True)
    assert "\x1b[1;31merror[FC2001]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_no_source_text_shows_the_path_alone():
    sources = SourceSet()
    sources.add(Source("gone.md", ""))
    item = Diagnostic(CODES["FC0001"], "`gone.md` not found", Span("gone.md", 0, 0), "error")
    assert render_text([item], sources) == expect(
        """
        error[FC0001] unreadable: `gone.md` not found
         --> gone.md
          = flowc explain FC0001
        """
    )


def test_fifty_are_shown_and_the_rest_counted():
    sources = SourceSet()
    source = sources.add(Source("a.md", "x" * 100))
    items = [Diagnostic(CODES["FC1001"], "m", source.span(n, n + 1), "error") for n in range(60)]
    text = render_text(items, sources)
    assert text.count("error[FC1001]") == 50
    assert text.endswith("… and 10 more; mend these first\n")


def test_summary_line_counts():
    source = Source("a.md", "x")
    items = [Diagnostic(CODES["FC1001"], "m", source.span(0), "error")]
    assert summary_line(items, 12, 0.184) == "1 error, 0 warnings in 12 files (0.18 s)"
