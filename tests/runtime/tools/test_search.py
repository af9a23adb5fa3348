"""`search_files` passes over what is none of a model's business, takes bytes for what they are, and
ends at its bounds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.catalog.builtin_tools import BUILTIN_TOOLS
from flowc.runtime.errors import Failure
from flowc.runtime.files.walking import MOST_FILES
from flowc.runtime.tools.builtin import MOST_SEARCHED
from tool_runs import builtin


def found(folder: Path, text: str, **args: Any) -> list[tuple[str, int]]:
    asked = {"text": text, **args}
    given: Any = asyncio.run(builtin(folder).call("search_files", asked))
    return [(match["path"], match["line"]) for match in given["matches"]]


def listed(folder: Path) -> list[str]:
    given: Any = asyncio.run(builtin(folder).call("list_files", {}))
    return list(given["files"])


def test_a_link_to_the_data_of_flowc_is_not_searched(tmp_path: Path) -> None:
    """What another run was told, by a link that lies beside the workflow."""
    (tmp_path / ".flowc").mkdir()
    (tmp_path / ".flowc/log").write_text("the prompt of another run")
    (tmp_path / "innocent").symlink_to(".flowc/log")
    assert found(tmp_path, "prompt") == []
    assert listed(tmp_path) == []


def test_another_name_of_the_data_of_flowc_is_not_read(tmp_path: Path) -> None:
    """A hard link, as an archive that is unpacked over a project can make one."""
    (tmp_path / ".flowc/own/r").mkdir(parents=True)
    (tmp_path / ".flowc/own/r/log").write_text("the prompt of another run")
    (tmp_path / "innocent").hardlink_to(tmp_path / ".flowc/own/r/log")
    (tmp_path / "one").write_text("a prompt of mine")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    assert found(tmp_path, "prompt") == [("one", 1), ("two", 1)]
    assert listed(tmp_path) == ["one", "two"]
    with pytest.raises(Failure, match="flowc's own data"):
        asyncio.run(builtin(tmp_path).call("read_file", {"path": "innocent"}))


def test_the_settings_of_the_person_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a workflow lies above them, as in the home folder, and by a link to them."""
    settings = tmp_path / "config/flowc/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('model = "openai:x"\n')
    (tmp_path / "link.toml").symlink_to(settings)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert found(tmp_path, "openai") == []
    assert found(tmp_path, "openai", path="config") == []
    assert listed(tmp_path) == []
    with pytest.raises(Failure, match="flowc's own data"):
        found(tmp_path, "openai", path="config/flowc")


def test_a_link_counts_where_it_leads_to_a_file_of_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.py").write_text("one\n")
    (folder / "link.txt").symlink_to("src/a.py")
    (folder / "dir").symlink_to("src")
    (tmp_path / "secret").write_text("one\n")
    (folder / "out").symlink_to("../secret")
    assert found(folder, "one") == [("link.txt", 1), ("src/a.py", 1)]
    assert found(folder, "one", pattern="*.txt") == [("link.txt", 1)]


@pytest.mark.parametrize(
    ("data", "text", "ignore_case", "lines"),
    [
        (b"\xef\xbb\xbfone\r\ntwo one\r\n", "one", False, [1, 2]),
        ("a\u2028one".encode(), "one", False, [2]),
        (b"ONE\nOne\n", "oNe", True, [1, 2]),
        ("stra\u00dfe\n".encode(), "STRASSE", True, [1]),
        ("300 \u212a\n".encode(), "k", True, [1]),
        (b"300 K\n", "\u212a", True, [1]),
        ("\u00c9t\u00e9\n".encode(), "\u00c9T\u00c9", True, [1]),
        (b"one\ntwo\n", "one\ntwo", False, []),
        (b"one\xff\n", "one", False, []),
        (b"one\xff\n", "ONE", True, []),
        (b"one\0\n", "one", False, []),
        (b"one\n", "\ud800", False, []),
    ],
)
def test_lines_are_found_by_their_characters(
    tmp_path: Path, data: bytes, text: str, ignore_case: bool, lines: list[int]
) -> None:
    (tmp_path / "a").write_bytes(data)
    assert found(tmp_path, text, ignore_case=ignore_case) == [("a", line) for line in lines]


def test_what_is_no_file_is_waited_for_by_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "a").write_text("one")
    assert found(tmp_path, "one") == [("a", 1)]


def test_more_text_than_a_search_looks_through_is_said_with_the_remedy(tmp_path: Path) -> None:
    """One file by many names: it is read as often."""
    (tmp_path / "0.txt").write_bytes(b"x" * (16 * 2**20))
    (tmp_path / "first").write_text("needle")
    for number in range(1, MOST_SEARCHED // (16 * 2**20) + 1):
        (tmp_path / f"{number}.txt").hardlink_to(tmp_path / "0.txt")
    with pytest.raises(Failure, match="holds more than 512 MiB of text") as refused:
        found(tmp_path, "needle")
    assert "`pattern`" in (refused.value.help or "")
    assert found(tmp_path, "needle", pattern="f*") == [("first", 1)]


def test_the_bounds_are_told_to_the_model() -> None:
    (tool,) = (entry for entry in BUILTIN_TOOLS if entry.name == "search_files")
    told = tool.description
    assert f"{MOST_FILES:,} files" in told
    assert f"{MOST_SEARCHED // 2**20} MiB" in told
