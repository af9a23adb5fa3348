"""Generated code: its agents get what they need (A29), one call is read, nothing is ever run."""

from __future__ import annotations

import pytest
from flowc.compiler.plan import (
    PlanError,
    code_request,
    fix_request,
    is_manual,
    is_placeholder,
    read_call,
    read_plan,
)


def test_a20_a_call_of_a_tool_with_keyword_arguments():
    call = read_call('  TRIM(input_path="a;b.wav", start=-1.5, fade=True, at=[1, {"x": None}])\n')
    assert call.tool == "TRIM"
    assert call.arguments == {
        "input_path": "a;b.wav",
        "start": -1.5,
        "fade": True,
        "at": [1, {"x": None}],
    }


REFUSED = {
    "": "there is no code",
    "TRIM()\nTRIM()": "several lines",
    "TRIM(\nx=1)": "several lines",
    "TRIM(); TRIM()": "several statements",
    "TRIM();": "something stands around",
    "TRIM() # now": "something stands around",
    "(TRIM())": "something stands around",
    "Here it is: TRIM()": "does not parse",
    "code TRIM()": "does not parse",
    "result = TRIM()": "not one call",
    "TRIM() + TRIM()": "not one call",
    "TRIM": "not one call",
    "tools.TRIM()": "not one call",
    "TRIM()()": "not one call",
    "TRIM('a.wav')": "argument that has no name",
    "TRIM(*x)": "argument that has no name",
    "TRIM(**x)": r"called with `\*\*`",
    "TRIM(x=1, x=2)": "`x` twice|does not parse",
    "TRIM(x=path)": "`x` is not a literal",
    "TRIM(x=1 + 1)": "`x` is not a literal",
    "TRIM(x=f'{1}')": "`x` is not a literal",
    "TRIM(x=open('a'))": "`x` is not a literal",
    "TRIM(x=b'a')": "`x` is not a literal",
    "TRIM(x=1j)": "`x` is not a literal",
    "TRIM(x=1e999)": "`x` is not a literal",
    "TRIM(x=...)": "`x` is not a literal",
    "TRIM(x=[y for y in z])": "`x` is not a literal",
    "TRIM(x={1: 2})": "key that is not a text",
    "TRIM(x={**y})": "key that is not a text",
    "TRIM(x=" + "[" * 20 + "]" * 20 + ")": "nested too deep",
    "TRIM(x=" + "-" * 3000 + "1)": "literal value|does not parse",
    "TRIM(x=" + "(" * 1900 + "1" + ")" * 1900 + ")": "does not parse",
    "TRIM(x='" + "a" * 5000 + "')": "longer than 4000",
    "TRIM(x='\x00')": "does not parse",
    "TRIM(x=" + "9" * 3900 + ")": None,
}


@pytest.mark.parametrize(("code", "why"), [(c, w) for c, w in REFUSED.items() if w])
def test_a20_everything_else_is_refused_and_says_why(code, why):
    with pytest.raises(PlanError, match=why):
        read_call(code)


def test_a20_reading_code_runs_nothing(tmp_path):
    target = tmp_path / "made"
    with pytest.raises(PlanError):
        read_call(f"TRIM(x=open({str(target)!r}, 'w'))")
    assert not target.exists()


@pytest.mark.parametrize("code", ["N/A", "n/a", '"N/A"', "# N/A", "  N/A\n"])
def test_a28_code_that_says_so_is_done_by_a_person(code):
    assert is_manual(code)


@pytest.mark.parametrize("code", ["", "TRIM(x='N/A')", "# Or: N/A if nothing is to be run"])
def test_a28_other_code_is_not(code):
    assert not is_manual(code)


@pytest.mark.parametrize("code", ["", "\n", "# to come", "{code}", "# a\n\n# b"])
def test_a27_a_placeholder_is_no_code(code):
    assert is_placeholder(code)
    assert not is_placeholder(code + "\nTRIM()" if code != "{code}" else "TRIM()")


def test_a29_the_agent_that_writes_code_gets_the_whole_document_and_the_step_s_id(layout):
    text = code_request(read_plan(layout), "step_2")
    assert text.startswith("Step: step_2\n")
    plain = layout.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    assert plain in text


def test_a29_fences_in_the_document_stay_inside_the_one_around_it():
    document = read_plan(
        "## Processing Plan\n### Step 1: x\n* **ID:** `a`\n* **Code:**\n````\n```\n````\n"
    )
    lines = code_request(document, "a").split("\n")
    assert lines[-2] == "`````"
    assert lines.count("`````") == 1


def test_a29_the_agent_that_analyses_an_error_gets_code_error_and_paths(half_way):
    text = fix_request(read_plan(half_way), "step_2", "TRIM(x=1)", "Error: no `x`")
    for part in ("step_2", "Input Audio: tape_eq.wav", "tape_final.wav", "TRIM(x=1)", "no `x`"):
        assert part in text


def test_an_unknown_step_is_refused(half_way):
    with pytest.raises(PlanError, match="no step has the ID `step_5`"):
        code_request(read_plan(half_way), "step_5")
