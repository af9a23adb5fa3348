"""The table of options: a row is a flag, a key, a variable and a line of the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from flowc.compiler.ir import OnUnknown
from flowc.runtime.config.options import (
    KEYS,
    OPTIONS,
    Options,
    WrongValue,
    absolute,
    merge,
    read_value,
    variable,
)

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/models-and-tools.md"
HEAD = "| key | flag | variable | default | |\n|---|---|---|---|---|\n"


def table() -> str:
    """The options as the documentation lists them."""
    keys = {name: key for key, name in KEYS.items()}
    return HEAD + "".join(
        f"| {_code(_written(keys.get(name, '')))} | {_code(f'{row.flag} {row.metavar}'.strip())} "
        f"| {_code(variable(name) if row.environment else '')} "
        f"| {_code('' if row.default is None else f'{row.default}')} | {row.help} |\n"
        for name, row in OPTIONS.items()
    )


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _written(key: str) -> str:
    table, dot, name = key.rpartition(".")
    return f"[{table}] {name}" if dot and table != "nodes" else key


def test_the_generated_table_of_options_is_up_to_date(golden):
    page = PAGE.read_text(encoding="utf-8")
    start = page.index(HEAD)
    end = page.index("\n\n", start) + 1
    golden(PAGE, page[:start] + table() + page[end:])


def test_the_choices_are_those_that_the_metavar_shows():
    assert OPTIONS["on_unknown"].metavar == "|".join(get_args(OnUnknown))


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("max_steps", "7", 7),
        ("timeout", "1.5", 1.5),
        ("max_cost", "$0.250", "0.250"),
        ("network", "true", True),
        ("roots", "data", ("data",)),
        ("sandbox", "strict", "strict"),
    ],
)
def test_the_type_of_a_row_says_what_it_takes(name, value, read):
    assert read_value(name, value) == read


def test_a_value_that_only_a_flag_may_have_is_not_configured():
    with pytest.raises(WrongValue, match=r"auto or strict \(`off` counts only when it is typed"):
        read_value("sandbox", "off")


def test_a_path_counts_from_a_folder_and_an_address_does_not(tmp_path):
    assert absolute("answers", "a.yaml", tmp_path) == str(tmp_path / "a.yaml")
    assert absolute("roots", ("a", "a"), tmp_path) == (str(tmp_path / "a"),)
    assert absolute("store", "memory:", tmp_path) == "memory:"
    assert absolute("store", "postgresql://h/d", tmp_path) == "postgresql://h/d"
    assert absolute("team", "people", tmp_path) == "people"
    assert absolute("model", "a:b", tmp_path) == "a:b"


def test_the_stronger_says_and_lists_add_up():
    strong = Options(max_steps=1, roots=("/a",))
    weak = Options(max_steps=2, max_tokens=3, roots=("/b", "/a"))
    merged = merge(strong, weak)
    assert (merged["max_steps"], merged["max_tokens"]) == (1, 3)
    assert merged["roots"] == ("/a", "/b")
    assert merge(strong, weak, append=True)["roots"] == ("/b", "/a")


def test_who_answers_is_one_choice():
    merged = merge(Options(answers="a.yaml"), Options(model="a:b", replay="t.jsonl"))
    assert (merged["model"], merged["answers"], merged["replay"]) == (None, "a.yaml", None)
