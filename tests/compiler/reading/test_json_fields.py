"""JSON with places: values as json reads them, spans of every key and value, faults one by one."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Fix, Sink
from flowc.compiler.expr.ast import Expr
from flowc.compiler.expr.parse import ParseFault
from flowc.compiler.expr.walk import names_read
from flowc.compiler.reading.json_fields import Fields, Tree, read_json
from flowc.compiler.reading.json_syntax import parse_json
from flowc.compiler.reading.json_tokens import JsonFault
from flowc.compiler.reading.tree import ListAt, MapAt, Scalar, Value
from flowc.compiler.source.source import Source, Span
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)  # fmt: skip


def plain(node: Value | None) -> Any:
    match node:
        case Scalar():
            return node.value
        case ListAt():
            return [plain(item) for item in node.items]
        case MapAt():
            return {key.text: plain(value) for key, value in node.pairs}
        case None:
            return None


def only(faults: list[JsonFault]) -> JsonFault:
    assert len(faults) == 1, faults
    return faults[0]


def parsed(text: str) -> tuple[Value | None, list[JsonFault]]:
    return parse_json(Source("a.json", text))


def tree(text: str) -> tuple[Tree, Sink]:
    sink = Sink(CODES)
    read = read_json(Source("a.json", text), sink)
    assert read is not None
    return read, sink


def fields(text: str, what: str = "it") -> tuple[Fields, Sink]:
    read, sink = tree(text)
    found = read.fields(read.root, what)
    assert found is not None
    return found, sink


@given(VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_reads_what_json_reads(value: Any, ascii: bool, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    node, faults = parsed(text)
    assert (plain(node), faults) == (json.loads(text), [])


@given(VALUES, st.data())
def test_a_damaged_text_is_read_as_far_as_it_goes(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value, indent=1)
    at = data.draw(st.integers(0, len(text)))
    drop = data.draw(st.integers(0, 3))
    put = data.draw(st.text(alphabet="\"'{}[],:\\/*x1\n", max_size=3))
    _, faults = parsed(text[:at] + put + text[at + drop :])
    assert all(0 <= f.start <= f.end <= len(text) + 3 for f in faults)


def test_every_key_and_value_has_its_place() -> None:
    text = '{"a": "x", "b": [1, true], "c": {}}'
    node, _ = parsed(text)
    assert isinstance(node, MapAt)
    places = [(text[k.start : k.end], text[v.start : v.end]) for k, v in node.pairs]
    assert places == [('"a"', '"x"'), ('"b"', "[1, true]"), ('"c"', "{}")]


FAULTS = [
    ('{"a": 1,}', "a `,` stands before the end", ","),
    ("[1, 2,\n]", "a `,` stands before the end", ","),
    ('{a: 1}', "the key `a` has no quotes", "a"),
    ("{'a': 1}", "the key `'a'` stands in single quotes", "'a'"),
    ('{"a" 1}', "`a` has no colon after it", '"a"'),
    ('{"a": 1 "b": 2}', "there is no comma behind this", "1"),
    ('{"a": }', "`a` has no value", '"a"'),
    ('{"a": True}', "`True` is not a word of JSON", "True"),
    ('{"a": 01}', "`01` is not a value", "01"),
    ('{"a": .5}', "`.5` is not a value", ".5"),
    ('{"a": "x\n}', "the text is not closed", '"'),
    ('{"a": "\\q"}', "`\\q` is not an escape in JSON", "\\q"),
    ('{"a": "\t"}', "the text `\" \"` holds a control character", '"\t"'),
    ('{"a": [1}', "`}` does not close `[`", "}"),
    ('{"a": [1, 2', "`[` is not closed: the file ends too early", "["),
    ('{"a": 1} 2', "the file goes on after its value", "2"),
    ('{"a": 1 // one\n}', "JSON has no comments", "// one"),
    ('["a": 1]', "`a` is a key, and a list has none", '"a"'),
    ('{"a": 1e999}', "the number is too large", "1e999"),
    ('{"a": "\\ud800"}', "an escape is only half of a character", '"\\ud800"'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "place"), FAULTS)
def test_a_fault_is_one_fault_in_its_place(text: str, message: str, place: str) -> None:
    fault = only(parsed(text)[1])
    assert fault.message == message
    assert text[fault.start : fault.end] == place


def mended(text: str, fixes: list[Fix]) -> str:
    for fix in sorted(fixes, key=lambda f: -f.span.start):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text


REPAIRS = [
    ('{"a": 1,}', '{"a": 1}', True),
    ('{"a": 1, , "b": 2}', '{"a": 1,  "b": 2}', True),
    ("{a: 1}", '{"a": 1}', True),
    ("{'a': 'it'}", '{"a": \'it\'}', True),
    ('{"a": \'it\'}', '{"a": "it"}', True),
    ('{"a" 1}', '{"a": 1}', True),
    ('{"a": 1 "b": 2}', '{"a": 1, "b": 2}', True),
    ('{"a": True}', '{"a": true}', True),
    ('{"a": "\t"}', '{"a": "\\t"}', True),
    ('{"a": 1 // one\n}', '{"a": 1 \n}', False),
    ('{"a": nope}', '{"a": "nope"}', False),
    ('{"a": "x\n}', '{"a": "x"\n}', False),
    ('{"a": "x,\n}', '{"a": "x",\n}', False),
    ('{"a": "\\d"}', '{"a": "\\\\d"}', False),
    ('{"a": [1}', '{"a": [1]}', False),
    ('{"a": [1, 2', '{"a": [1, 2]}', False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right", "safe"), REPAIRS)
def test_a_fault_offers_what_repairs_it(text: str, right: str, safe: bool) -> None:
    fix = parsed(text)[1][0].fix
    assert fix is not None
    assert (mended(text, [fix]), fix.safe) == (right, safe)


@pytest.mark.parametrize("text", ["{'a\\'b': 1}", '{"a": \'say "x"\'}', '{"a" }', '{"a": 1e999}'])
def test_a_fault_whose_repair_is_a_guess_has_none(text: str) -> None:
    assert parsed(text)[1][0].fix is None


def test_reading_goes_on_after_a_fault() -> None:
    node, faults = parsed('{"a": nope,\n "b": [1 2],\n c: 3}')
    assert plain(node) == {"a": "nope", "b": [1, 2], "c": 3}
    assert [fault.message for fault in faults] == [
        "`nope` is not a value",
        "there is no comma behind this",
        "the key `c` has no quotes",
    ]


def test_an_unclosed_text_has_no_second_fault() -> None:
    only(parsed('{"a": "x\ny", "b": ["\n], "c": 1\n}')[1])


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_depth_is_no_limit(depth: int) -> None:
    assert parsed("[" * depth + "]" * depth)[1] == []
    only(parsed('{"a":' * depth)[1])


@pytest.mark.parametrize(
    "text",
    ['"' + "\\" * 200_000, "'" * 200_000, "/" * 200_000, "/*" * 100_000, "-" * 200_000,
     "[," * 50_000, '{"a"' * 50_000, "x y " * 50_000, " " * 200_000 + "x", "9" * 200_000],
)  # fmt: skip
def test_nothing_is_slow(text: str) -> None:
    begin = time.process_time()
    parsed(text)
    assert time.process_time() - begin < 5


def test_a_double_key_shows_both_places() -> None:
    _, sink = fields('{"a": 1,\n "a": 2}', "the workflow")
    (double,) = sink.all()
    assert (double.code, double.primary, double.labels[0].span) == (
        "FC1004", Span("a.json", 10, 13), Span("a.json", 1, 4),
    )  # fmt: skip
    assert double.message == "the key `a` stands twice"


def test_what_is_asked_for_and_missing_is_reported_once() -> None:
    found, sink = fields('{"nmae": "x", "b": "", "c": 3}')
    assert found.text("name", required=True) is None
    assert found.text("b", required=True) is None
    assert found.text("c") is None
    assert found.text("d") is None
    assert [(d.code, d.message) for d in sink.all()] == [
        ("FC1003", "it has no `name`"),
        ("FC1003", "it has no `b`"),
        ("FC1005", "`c` of it is the number `3`, not a text"),
    ]
    assert sink.all()[0].help == "did you write `nmae` for `name`?"


def test_unknown_keys_name_the_nearest() -> None:
    found, sink = fields('{"agnet": "x"}')
    found.unknown(("agent", "name"), severity="warning")
    (unknown,) = sink.all()
    assert unknown.fix is not None
    assert mended('{"agnet": "x"}', [unknown.fix]) == '{"agent": "x"}'
    assert (unknown.severity, unknown.help) == ("warning", "did you mean `agent`?")


def test_nothing_is_missing_from_a_file_that_does_not_parse() -> None:
    found, sink = fields('{"a": 1')
    found.text("name", required=True)
    found.unknown(("name",))
    assert [d.code for d in sink.all()] == ["FC1001"]


def test_other_types() -> None:
    found, sink = fields('{"n": true, "b": 1, "l": {}, "o": [], "w": "blu", "ok": 2.5}')
    assert found.number("n") is None
    assert found.boolean("b") is None
    assert list(found.items("l")) == []
    assert found.fields("o") is None
    assert found.word("w", ("red", "blue")) is None
    assert found.number("ok") == 2.5
    assert [d.message for d in sink.all()] == [
        "`n` of it is `true`, not a number",
        "`b` of it is the number `1`, not true or false",
        "`l` of it is an object, not a list",
        "`o` of it is a list, not an object",
        "`w` of it is `blu`, which is not one of `red`, `blue`",
    ]


def test_a_place_inside_a_text_with_escapes() -> None:
    text = r'{"a": "x\n\u00e9\ud83d\ude00 y\"z"}'
    words = fields(text)[0].text("a")
    assert words is not None
    assert words.text == 'x\né😀 y"z'
    places = [words.at(i, i + 1) for i in range(len(words.text))]
    assert [text[p.start : p.end] for p in places] == [
        "x", r"\n", r"\u00e9", r"\ud83d\ude00", " ", "y", r"\"", "z",
    ]  # fmt: skip


def test_an_expression_inside_a_text_with_escapes() -> None:
    text = r'{"a": "\"\u00e9\" == name"}'
    words = fields(text)[0].text("a")
    assert words is not None
    expr = words.expression()
    assert isinstance(expr, Expr)
    (name,) = names_read(expr)
    assert name.span is not None
    assert text[name.span.start : name.span.end] == "name"
    fault = fields(r'{"a": "\"x\" =="}')[0].text("a")
    assert fault is not None
    assert isinstance(fault.expression(), ParseFault)


def test_values_are_bounded_in_depth() -> None:
    read, sink = tree("[" * 100 + "]" * 100)
    assert read.value(read.root, "`x`") is not None
    deep, sink = tree("[" * 1000 + "]" * 1000)
    assert deep.value(deep.root, "`x`") is None
    assert [d.message for d in sink.all()] == ["`x` is nested deeper than 100 levels"]


def test_a_value_that_lacks_its_quotes_is_shown_with_them() -> None:
    read, sink = fields('{"condition": true}')
    assert read.text("condition") is None
    (fault,) = sink.all()
    assert fault.help == 'write a text, as in `"true"`'
