"""Generated code: one call is read, everything else is refused and nothing is ever run."""

from __future__ import annotations

import pytest
from flowc.compiler.plan import PlanError, is_manual, is_placeholder, read_call

TOOLS = ("trim", "normalize")


def test_a20_a_call_of_a_tool_with_keyword_arguments():
    call = read_call('  TRIM(input_path="a;b.wav", start=-1.5, fade=True, at=[1, {"x": None}])\n')
    assert call.tool == "TRIM"
    assert call.arguments == {
        "input_path": "a;b.wav",
        "start": -1.5,
        "fade": True,
        "at": [1, {"x": None}],
    }


@pytest.mark.parametrize("name", ["trim", "TRIM", "Trim"])
def test_a20_tools_match_in_any_case(name):
    assert read_call(f"{name}()", TOOLS).tool == "trim"


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
    "CUT()": "`CUT`, which is not a tool",
    "__import__('os')": "`__import__`, which is not a tool",
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
    "TRIM(x=" + "-" * 3000 + "1)": "no literal|does not parse",
    "TRIM(x=" + "(" * 1900 + "1" + ")" * 1900 + ")": "does not parse",
    "TRIM(x='" + "a" * 5000 + "')": "longer than 4000",
    "TRIM(x='\x00')": "does not parse",
    "TRIM(x=" + "9" * 3900 + ")": None,
}


@pytest.mark.parametrize(("code", "why"), [(c, w) for c, w in REFUSED.items() if w])
def test_a20_everything_else_is_refused_and_says_why(code, why):
    with pytest.raises(PlanError, match=why):
        read_call(code, TOOLS)


def test_a20_reading_code_runs_nothing(tmp_path):
    target = tmp_path / "made"
    with pytest.raises(PlanError):
        read_call(f"TRIM(x=open({str(target)!r}, 'w'))", TOOLS)
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
