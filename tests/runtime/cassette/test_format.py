"""The file of a recording: what is written comes back, what is damaged is said with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.cassette.format import (
    Exchange,
    Header,
    exchange_document,
    header_document,
    read_cassette,
)
from flowc.runtime.errors import RunError
from hypothesis import given, settings
from hypothesis import strategies as st

HEADER = Header(
    recorded="2026-11-22T10:00:00.000+00:00",
    flowc="0.1",
    workflow="a.wf.md",
    digest="d",
    model="openai:gpt-demo",
    run="r",
)
printed = st.text(st.characters(exclude_categories=["Cs"]))
awkward = st.text(alphabet=" \n\t-:#'\"|>ab&*!%@`{}[],?\x85\u2028\ufeff\r.=~0")
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | printed | awkward
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(printed | awkward, inner),
    max_leaves=8,
)  # fmt: skip


def written(path: Path, *exchanges: Exchange) -> Path:
    path.write_bytes(header_document(HEADER) + b"".join(map(exchange_document, exchanges)))
    return path


def tool(result: Any, place: str = "node", number: int = 1) -> Exchange:
    return Exchange("tool", place, 1, 1, number, {"given": {"args": {}}, "result": result})


@given(values)
@settings(max_examples=150)
def test_every_value_comes_back(tmp_path_factory, value: Any) -> None:
    file = written(tmp_path_factory.getbasetemp() / "values.yaml", tool(value), tool("after", "b"))
    cassette = read_cassette(str(file))
    assert [e.body["result"] for e in cassette.exchanges.values()] == [value, "after"]
    assert (cassette.header, cassette.torn) == (HEADER, False)


def test_a_text_of_several_lines_stands_line_by_line(tmp_path) -> None:
    text = written(tmp_path / "c.yaml", tool("one: two\nthree\n")).read_text()
    assert "result: |\n  one: two\n  three\n...\n" in text


def test_of_two_exchanges_with_one_key_the_later_counts(tmp_path) -> None:
    file = written(tmp_path / "c.yaml", tool("in flight"), tool("again"))
    assert [e.body["result"] for e in read_cassette(str(file)).exchanges.values()] == ["again"]


def test_what_a_crash_cut_off_is_left_out(tmp_path) -> None:
    file = written(tmp_path / "c.yaml", tool("whole"), tool("half", "other"))
    data = file.read_bytes()
    cut_off = len(exchange_document(tool("half", "other")))
    for cut in range(1, cut_off):
        file.write_bytes(data[:-cut])
        cassette = read_cassette(str(file))
        assert [e.body["result"] for e in cassette.exchanges.values()] == ["whole"]
        assert cassette.torn


BAD = {
    b"": "it is empty",
    b"\n": "it is empty",
    b"prose\n": "it does not begin with one of flowc's",
    b"---\nflowc cassette: 3\n": "it does not begin with one of flowc's",
    b"---\na: 1\n...\n": ":1: this is not a recording of flowc",
    b"---\nflowc cassette: 9\n...\n": ":1: the recording has version 9",
    b"---\nflowc cassette: 1\n...\n": ":1: the recording has version 1; this flowc reads version 3",
    b"---\nflowc cassette: 3\n...\n": ":1: the beginning of the recording is damaged",
    b"---\n- 1\n...\n": "a recording holds objects",
    b"\xff\xfe": "it is not UTF-8 text",
    b"---\na: [\n...\n": "not valid YAML",
    b"---\n" + b"[" * 100_000 + b"\n...\n": "not valid YAML",
}


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_what_is_no_recording_is_refused(data: bytes, tmp_path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(data)
    with pytest.raises(RunError) as caught:
        read_cassette(str(file))
    assert BAD[data] in caught.value.message
    assert "has version" not in caught.value.message or "record it anew" in caught.value.help


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("who: x", "of no known kind"),
        ("tool: 3", "names no node"),
        ("tool: x\nnumber: two", "`number` or `given`"),
        ("tool: x\nnumber: 1\ngiven: 3", "`number` or `given`"),
        ("model: x\nnumber: 1\ngiven: {since: y 1.1, same: 2, messages: []}", "goes on from"),
        ("tool: [", "not valid YAML"),
    ],
)
def test_a_damaged_exchange_is_said_with_its_line(document: str, said: str, tmp_path) -> None:
    file = written(tmp_path / "c.yaml", tool("fine"))
    at = file.read_text().count("\n") + 1
    file.write_text(f"{file.read_text()}---\n{document}\n...\n")
    with pytest.raises(RunError) as caught:
        read_cassette(str(file))
    assert said in caught.value.message
    line = int(caught.value.message.split(":")[1])
    assert at <= line <= at + 3


def test_a_folder_and_a_missing_file_are_said(tmp_path) -> None:
    for path, said in ((tmp_path, "is a directory"), (tmp_path / "no", "no such file")):
        with pytest.raises(RunError, match=said):
            read_cassette(str(path))
