"""Scripts beside machines, looked at and never run: syntax, functions, returns (J6, J21)."""

from __future__ import annotations

import time

import pytest
from flowc.compiler.frontends.machine.scripts.functions import ScriptFunctions
from flowc.compiler.frontends.machine.scripts.javascript_functions import javascript_functions
from flowc.compiler.frontends.machine.scripts.python import read_python
from flowc.compiler.reading.script_syntax import ScriptFault, javascript_fault


def returns(body: str) -> tuple[set[str | None], bool]:
    """What a method with this body is seen to return, and whether that is all."""
    source = f"export default {{\n  go() {{\n{body}\n  }},\n}};\n"
    assert javascript_fault(source) is None
    function = javascript_functions(source).by_name["go"]
    for one in function.returns:
        if one.value is not None:
            assert one.value in source[one.start : one.end]
    return {one.value for one in function.returns}, function.is_exact


@pytest.mark.parametrize(
    ("body", "seen", "exact"),
    [
        ("return 'a';", {"a"}, True),
        ('return "a"', {"a"}, True),
        ("return `a`;", {"a"}, True),
        ("return ('a');", {"a"}, True),
        ("", {None}, True),
        ("return;", {None}, True),
        ("return null;", {None}, True),
        ("return\n'a';", {None}, True),
        ("if (this.x) return 'a';", {"a", None}, True),
        ("if (this.x) return 'a'; else return 'b';", {"a", "b"}, True),
        ("if (x) { return 'a'; } else if (y) { return 'b'; } else { return 'c'; }",
         {"a", "b", "c"}, True),
        ("if (x) { return 'a'; } else if (y) { return 'b'; }", {"a", "b", None}, True),
        ("return x ? 'a' : y ? 'b' : 'c';", {"a", "b", "c"}, True),
        ("return x\n  ? 'a'\n  : 'b';", {"a", "b"}, True),
        ("return x ? 'a' : this.other();", set(), False),
        ("return this.common_data.next;", set(), False),
        ("return a || 'b';", set(), False),
        ("return `a${1}`;", set(), False),
        ("return 'a' + 'b';", set(), False),
        ("return 'a'.trim();", set(), False),
        ("try { return 'a'; } catch (e) { return 'b'; }", {"a", "b"}, True),
        ("try { go(); } catch (e) { return 'b'; }", {"b", None}, True),
        ("throw new Error('x');", set(), True),
        ("for (const x of y) { if (x) return 'a'; }\nreturn 'b';", {"a", "b"}, True),
        ("while (x) return 'a';", {"a", None}, True),
        ("switch (x) { case 1: return 'a'; default: return 'b'; }", {"a", "b", None}, True),
        ("[1].map(function (x) { return 'no'; }); return 'a';", {"a"}, True),
        ("[1].map((x) => { return 'no'; }); return 'a';", {"a"}, True),
        ("const o = { m() { return 'no'; }, get n() { return 'no'; } }; return 'a';", {"a"}, True),
        ("// return 'no'\n/* return 'no' */ return 'a';", {"a"}, True),
        ("const t = `return 'no' ${ `x${'}'}` }`; return 'a';", {"a"}, True),
        ("const r = /return 'no'[/}]/.test('}') / 2; return 'a';", {"a"}, True),
        ("this.return = 1; return 'a';", {"a"}, True),
    ],
)  # fmt: skip
def test_what_a_handler_returns(body, seen, exact) -> None:
    assert returns(body) == (seen, exact)


@pytest.mark.parametrize(
    ("source", "names", "complete"),
    [
        ("export default { a() {}, async b() {}, *c() {}, 'd e'() {}, f: 1 };", "a b c|d e", True),
        ("export default { a: function () {}, b: () => 'x', c: x => { }, d: async () => {} }",
         "a b c d", True),
        ("const a = () => {};\nexport default { a, b: a };", "a b", True),
        ("const h = { a() {} };\nexport default h;", "a", True),
        ("export default { a() {}, ...others }", "a", False),
        ("export default { a() {}, ['b' + c]() {} }", "a", False),
        ("export default make();", "", False),
        ("export function a() {}\nexport const b = () => {};", "a b", True),
        ("export default { // { a() {}\n b() {} /* , c() {} */ }", "b", True),
        ("", "", True),
    ],
)  # fmt: skip
def test_the_functions_of_a_script(source, names, complete) -> None:
    found = javascript_functions(source)
    wanted = names.replace("|", " ").split() if "|" not in names else ["a", "b", "c", "d e"]
    assert (list(found.by_name), found.is_complete) == (wanted, complete)


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("export default {\n  a() { retrun 1 }\n};", 2, "expecting `;`"),
        ("export default {\n  a() { return 1;\n", 2, "it ends before a bracket is closed"),
        ("export default { a() {} };\n}", 2, "a `}` closes nothing"),
        ("import x from 'y';\nexport default {};", 1, "a script cannot import: it has no modules"),
        ("const a = `x", 1, "unexpected end of string"),
        ("(" * 50_000, 1, "it is nested too deeply"),
    ],
)
def test_a_script_that_does_not_parse(source, line, message) -> None:
    fault = javascript_fault(source)
    assert fault is not None
    assert fault.message == message
    assert source.count("\n", 0, fault.start) + 1 == line


@pytest.mark.parametrize(
    "source",
    ["}); while (true) {} (function () {", "while (true) {}", "} while (true) {} {",
     "}\nwhile (true) {}\nasync function again() {", "(() => { while (true) {} })();"],
)  # fmt: skip
def test_nothing_of_a_script_is_run(source) -> None:
    begin = time.process_time()
    javascript_fault(source)
    assert time.process_time() - begin < 2


def test_the_places_of_a_long_script_are_true() -> None:
    text = "export default {\n" + "".join(f"  f{n}() {{ return 's{n}'; }},\n" for n in range(2000))
    found = javascript_functions(text + "};\n")
    assert len(found.by_name) == 2000
    (one,) = found.by_name["f1999"].returns
    assert text[one.start : one.end] == "'s1999'"


@pytest.mark.parametrize("text", ["`${`${`", "'", '"\\', "/[", "`" * 999, "/*", "${", "a" * 10**5])
def test_any_text_has_functions_or_none(text) -> None:
    assert javascript_functions(text).by_name == {}


@pytest.mark.parametrize("depth", [50, 5_000])
def test_deeply_nested_blocks_are_read(depth) -> None:
    body = "if (x) {" * depth + " return 'a'; " + "}" * depth
    found = javascript_functions(f"export default {{ go() {{ {body} }} }};")
    assert {one.value for one in found.by_name["go"].returns} == {"a", None}


def test_modern_javascript_is_read_as_it_is_meant() -> None:
    source = """export default {
  go({ a = "no", ...rest }, [b] = []) {
    const pick = async () => { return "no"; };
    class Inner { static { this.x = 1; } m() { return "no"; } }
    label: for (const c of rest?.d ?? []) { if (c) return a ? "yes" : `also`; }
    return undefined;
  },
  get later() { return "no"; },
};
"""
    go = javascript_functions(source).by_name
    assert list(go) == ["go"]
    assert ({one.value for one in go["go"].returns}, go["go"].is_exact) == (
        {"yes", "also", None},
        True,
    )


def test_python_functions_and_what_they_return() -> None:
    found = read_python(
        "def go(self):\n    def inner():\n        return 'no'\n    if self.x:\n        return 'é'\n"
        "    return 'b' if self.y else None\n\n\ndef other(self):\n    return self.x\n"
    )
    assert isinstance(found, ScriptFunctions)
    go, other = found.by_name["go"], found.by_name["other"]
    assert ([r.value for r in go.returns], go.is_exact) == (["é", "b", None], True)
    assert (other.returns, other.is_exact) == ((), False)
    assert found.is_complete


def test_a_character_that_ends_a_line_elsewhere_moves_no_place_in_python() -> None:
    text = "NOTE = 'a\u2028b\f'\r\n\rdef go(self):\r    return 'é'\n"
    found = read_python(text)
    assert isinstance(found, ScriptFunctions)
    (returned,) = found.by_name["go"].returns
    assert text[returned.start : returned.end] == "'é'"


def test_python_that_does_not_parse() -> None:
    found = read_python("def go(self:\n    pass\n")
    assert isinstance(found, ScriptFault)
    assert (found.message, found.start) == ("`(` was never closed", 6)


def test_a_null_character_in_a_script_is_a_fault_at_its_place() -> None:
    text = "export default {\n  go() { return '\0'; },\n};\n"
    assert javascript_fault(text) == ScriptFault(
        "the character U+0000 may not stand in it", text.index("\0"), text.index("\0") + 1
    )


@pytest.mark.parametrize("text", ["ab", "é", "😀", "é😀 ‰ 😀"])
def test_a_fault_behind_characters_of_several_bytes_is_shown_at_its_place(text: str) -> None:
    script = f'export default {{\n  go() {{ return "{text}" 5; }},\n}};\n'
    fault = javascript_fault(script)
    assert fault is not None
    assert script[fault.start : fault.end] == "5"
