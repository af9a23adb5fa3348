"""The table of tests that `make check` leaves to `make test` names tests that are there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from slow_tests import is_slow, read_report, read_table, slow_tests

ROOT = Path(__file__).resolve().parents[2]
REPORT = """<testsuites><testsuite>
<testcase classname="tests.a.test_b" name="test_one[x[1]]" time="0.1"/>
<testcase classname="tests.a.test_b" name="test_one[y]" time="1.5"/>
<testcase classname="tests.a.test_b.TestAll" name="test_two" time="0.2"/>
</testsuite></testsuites>"""


def functions_of(file: str) -> set[str]:
    """The tests of a file, as pytest names them."""
    body = ast.parse((ROOT / file).read_text("utf-8")).body
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    inner = {f"{c.name}::{f.name}" for c in classes for f in c.body if isinstance(f, kinds)}
    return {node.name for node in body if isinstance(node, kinds)} | inner


def test_every_line_names_a_test() -> None:
    files: dict[str, set[str]] = {}
    for line in read_table():
        file, _, function = line.partition("::")
        assert (ROOT / file).is_file(), f"{line}: make slow"
        if function:
            functions = files.setdefault(file, set()) or functions_of(file)
            files[file] = functions
            assert function in functions, f"{line}: make slow"


@pytest.mark.parametrize(
    ("nodeid", "slow"),
    [
        ("tests/a/test_b.py::test_one[x[1]]", True),
        ("tests/a/test_b.py::test_one_more", False),
        ("tests/a/test_c.py::TestAll::test_two", True),
        ("tests/a/test_d.py::test_one", False),
    ],
)
def test_a_line_is_a_file_or_a_function_with_all_its_examples(nodeid, slow) -> None:
    table = frozenset({"tests/a/test_b.py::test_one", "tests/a/test_c.py"})
    assert is_slow(nodeid, table) is slow


def test_a_report_tells_which_are_slow(tmp_path: Path) -> None:
    report = tmp_path / "times.xml"
    report.write_text(REPORT, "utf-8")
    seconds = read_report(report)
    assert seconds == {
        "tests/a/test_b.py::test_one": [0.1, 1.5],
        "tests/a/test_b.py::TestAll::test_two": [0.2],
    }
    assert slow_tests(seconds) == ["tests/a/test_b.py::test_one"]
    assert slow_tests({"a.py::b": [0.5] * 50, "a.py::c": [2.0]}) == ["a.py"]
