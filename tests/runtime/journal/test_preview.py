"""What is kept and shown of the input of an effect: short, without secrets, and never the same for
two that differ."""

from __future__ import annotations

import hashlib
import json

import pytest
from flowc.runtime.journal.preview import abridge, other_input, two_inputs

SECRET = "s3cret-value"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def nested(depth: int, inner: object, kind: type = list) -> object:
    """A value inside of so many lists or objects."""
    for _ in range(depth):
        inner = [inner] if kind is list else {"a": inner}
    return inner


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", "x" * 400, [], {}, [1, {"a": ["b"]}]])
def test_what_is_short_stays_as_it_is(value):
    assert abridge(value) == value


def test_a_long_text_keeps_its_beginning_and_how_long_it_was():
    text = "a" * 400 + "b" * 1000
    assert abridge(text) == f"{'a' * 400}… [1,400 characters, {digest(text)}]"
    assert abridge("x" * 401) == f"{'x' * 400}… [401 characters, {digest('x' * 401)}]"
    assert abridge({"k": [text]}) == {"k": [abridge(text)]}


def test_a_long_list_keeps_four_items_and_the_last_sixteen():
    assert abridge(list(range(21))) == list(range(21)), "one line says as much as one item"
    left_out = json.dumps([4, 5])
    expected = [0, 1, 2, 3, f"2 more… [6 characters, {digest(left_out)}]", *range(6, 22)]
    assert abridge(list(range(22))) == expected
    assert abridge(tuple(range(22))) == expected
    ends = abridge([["x" * 500] * 22] * 22)
    assert isinstance(ends, str), "what is still long is cut as a whole"


@pytest.mark.parametrize("kind", [list, dict])
def test_eight_levels_are_kept_and_what_lies_below_is_left_out(kind):
    assert abridge(nested(8, 1, kind)) == nested(8, 1, kind)
    inner = [1] if kind is list else {"a": 1}
    text = json.dumps(inner)
    shown = f"… [{len(text)} characters, {digest(text)}]"
    assert abridge(nested(9, 1, kind)) == nested(8, shown, kind)


def test_levels_are_counted_in_the_ends_of_long_lists_too():
    text = json.dumps([1])
    shown = f"… [{len(text)} characters, {digest(text)}]"
    long = abridge([nested(8, 1), *range(30)])
    assert isinstance(long, list)
    assert long[0] == nested(7, shown)


def test_a_large_object_keeps_sixty_keys():
    whole = {f"k{n}": n for n in range(60)}
    assert abridge(whole) == whole
    rest = json.dumps({"k60": 60, "k61": 61})
    shown = f"… [{len(rest)} characters, {digest(rest)}]"
    assert abridge({**whole, "k60": 60, "k61": 61}) == {**whole, "…": shown}


def test_keys_are_cut_and_hold_no_secret():
    assert abridge({"k" * 401: 1}) == {"k" * 400: 1}
    assert SECRET not in json.dumps(abridge({f"a {SECRET}": 1}, [SECRET]))


def test_what_is_large_all_over_is_cut_as_a_whole():
    value = [{"a": "x" * 380, "ü": [n]} for n in range(21)]
    assert abridge(value) == value
    assert len(json.dumps(value)) < 12_000
    wide = {f"k{n}": "x" * 390 for n in range(60)}
    text = json.dumps(wide)
    assert abridge(wide) == f"{text[:12_000]}… [{len(text):,} characters, {digest(text)}]"


@pytest.mark.parametrize("letter", ["x", "ü"])
def test_twelve_thousand_characters_of_json_are_whole_and_one_more_is_not(letter):
    value = {f"k{n}": letter * 380 for n in range(30)}
    text = json.dumps({**value, "z": ""}, ensure_ascii=False)
    value["z"] = "x" * (12_000 - len(text))
    assert len(value["z"]) < 400
    assert abridge(value) == value
    value["z"] += "x"
    assert isinstance(abridge(value), str)


@pytest.mark.parametrize(
    "shape",
    [
        lambda x: ["x" * 500, x] * 30,
        lambda x: "y" * 500 + x,
        lambda x: nested(12, x),
        lambda x: nested(12, x, dict),
        lambda x: {f"k{n}": x for n in range(100)},
        lambda x: [*range(10), x, *range(30)],
        lambda x: {f"k{n}": "x" * 390 for n in range(59)} | {"x": x},
    ],
)
def test_no_secret_is_kept_and_what_differs_stays_different(shape):
    seen = [abridge(shape(text), [SECRET]) for text in ("one", "other", SECRET)]
    assert len({json.dumps(value) for value in seen}) == 3
    assert SECRET not in json.dumps(seen)
    assert all(len(json.dumps(value)) < 15_000 for value in seen)


def test_a_secret_changes_no_digest():
    """Else who sees a digest could try what the secret is."""
    one, other = ("x" * 400 + secret for secret in ("alpha-secret", "gamma-secret"))
    assert abridge(one, ["alpha-secret"]) == abridge(other, ["gamma-secret"])
    lists = ([*range(10), secret, *range(30)] for secret in ("alpha-secret", "gamma-secret"))
    one_list, other_list = lists
    assert abridge(one_list, ["alpha-secret"]) == abridge(other_list, ["gamma-secret"])
    objects = [
        {**{f"k{n}": n for n in range(60)}, "z": s} for s in ("alpha-secret", "gamma-secret")
    ]
    assert abridge(objects[0], ["alpha-secret"]) == abridge(objects[1], ["gamma-secret"])


def test_half_of_a_character_is_no_reason_to_fail():
    assert "401 characters" in str(abridge("\ud800" * 401))


def test_short_inputs_are_shown_side_by_side():
    assert two_inputs({"to": "ü"}, ["y"]) == 'then: {"to": "ü"}\nnow:  ["y"]'
    edge = "x" * 158
    assert two_inputs(edge, "y") == f'then: "{edge}"\nnow:  "y"'
    assert two_inputs("y", edge).startswith("then: ")
    assert two_inputs(f"{edge}x", "y").startswith("--- then\n+++ now\n@@")
    assert two_inputs("y", f"{edge}x").startswith("--- then\n+++ now\n@@")


def test_long_inputs_are_shown_by_the_lines_that_differ():
    same = {f"k{n}": "ü" * 9 for n in range(40)}
    lines = two_inputs({**same, "last": "a"}, {**same, "last": "b"}).splitlines()
    assert lines[3:] == ['  "k39": "üüüüüüüüü",', '- "last": "a"', '+ "last": "b"', " }"]


def test_a_line_of_a_difference_has_a_hundred_and_sixty_characters_at_most():
    lines = two_inputs({"a": "x" * 300}, {"a": "y" * 300}).splitlines()
    assert [len(line) for line in lines if line[0] in "+-"][2:] == [160, 160]


@pytest.mark.parametrize(("now", "last"), [(10, " ]"), (11, "(1 further lines)")])
def test_twenty_four_lines_of_a_difference_are_shown(now, last):
    lines = two_inputs(["x" * 20] * 9, ["y" * 20] * now).splitlines()
    assert lines[:2] == ["--- then", "+++ now"]
    assert (len(lines), lines[-1]) == ((25, last) if now == 11 else (24, last))


def test_another_effect_in_the_place_of_one_is_refused_by_name():
    error = other_input("mail", '{"to": "x"}', "post", {"to": "x"})
    assert error.message == "`mail` was done here before the run stopped, now it is `post`"
    assert error.help.startswith("what was done is kept")


def test_another_input_is_refused_with_both():
    error = other_input("mail", '{"to": "x"}', "mail", {"to": "y"})
    assert error.message == "`mail` was done with another input before the run stopped"
    first, second, remedy = error.help.splitlines()
    assert (first, second) == ('then: {"to": "x"}', 'now:  {"to": "y"}')
    assert "flowc fork RUN --at NODE" in remedy


@pytest.mark.parametrize("kept", [None, ""])
def test_an_input_that_was_not_kept_is_told_as_such(kept):
    assert other_input("mail", kept, "mail", 1).help.startswith('then: "(not kept)"\nnow:  1')
