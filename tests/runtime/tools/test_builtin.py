"""The built-in tools on real files and a real git repository."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from deep_folders import deep
from flowc.compiler.catalog.builtin_tools import ASK_TOOL, BUILTIN_TOOLS
from flowc.compiler.catalog.results import RESULTS
from flowc.runtime.errors import Failure
from flowc.runtime.tools.builtin import FUNCTIONS, GIT_FUNCTIONS
from flowc.runtime.tools.registry import ToolBox
from tool_runs import builtin


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for path, text in {
        "a.py": "import os\nprint('Hello')\n",
        "src/b.py": "hello = 1\n",
        "src/deep/c.txt": "nothing here\nsay hello\n",
        ".git/config": "hello\n",
        "data.json": '{"items": [{"name": "one"}, {"name": "two"}], "ok": true}',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path and text)
    (root / "blob").write_bytes(b"hello\xff\xfe\x00")
    (tmp_path / "outside.py").write_text("hello outside\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    return root


def call(folder: Path, tool: str, **args: Any) -> Any:
    async def once() -> Any:
        box = ToolBox((builtin(folder),))
        await box.open()
        try:
            return await box.call(tool, args)
        finally:
            await box.close()

    return asyncio.run(once())


WORKING = tuple(entry for entry in BUILTIN_TOOLS if entry.name != ASK_TOOL)


@pytest.mark.parametrize("entry", WORKING, ids=lambda entry: entry.name)
def test_every_entry_of_the_catalogue_has_its_function_with_the_same_parameters(entry):
    files, git = FUNCTIONS.get(entry.name), GIT_FUNCTIONS.get(entry.name)
    assert (files is None) is not (git is None)
    first, *parameters = inspect.signature(files or git).parameters
    assert first == ("roots" if files else "place")
    assert parameters == [*entry.parameters["properties"]]


def test_there_is_no_function_that_the_catalogue_does_not_know():
    assert {*FUNCTIONS, *GIT_FUNCTIONS} == {entry.name for entry in WORKING}


def test_read_file_gives_lines_and_says_what_is_left_out(folder):
    assert call(folder, "read_file", path="a.py") == {
        "path": "a.py",
        "text": "import os\nprint('Hello')\n",
        "line_count": 2,
        "size": 25,
        "truncated": False,
    }
    part = call(folder, "read_file", path="a.py", max_lines=1)
    assert (part["text"], part["truncated"]) == ("import os\n", True)
    assert call(folder, "read_file", path="a.py", start_line=2)["text"] == "print('Hello')\n"
    assert call(folder, "read_file", path="a.py", start_line=99)["text"] == ""


@pytest.mark.parametrize(
    "path", ["../outside.py", "link.py", "/etc/passwd", "src/../../outside.py"]
)
@pytest.mark.parametrize("tool", ["read_file", "list_files", "git_log"])
def test_nothing_outside_the_root_is_reached(folder, tool, path):
    with pytest.raises(Failure) as caught:
        call(folder, tool, path=path)
    assert caught.value.kind == "refused"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("read_file", {"path": ".flowc/runs.db"}),
        ("read_file", {"path": "src/../data/runs.db"}),
        ("search_files", {"text": "prompt", "path": ".flowc"}),
        ("list_files", {"path": ".flowc"}),
        ("query_json", {"path": ".flowc/runs.db", "expression": "data"}),
        ("write_file", {"path": ".flowc/new", "content": "x"}),
    ],
)
def test_no_tool_reads_or_writes_the_data_of_flowc(folder, tool, args):
    (folder / ".flowc").mkdir()
    (folder / ".flowc/runs.db").write_text('"prompt"')
    (folder / "data").symlink_to(".flowc")
    with pytest.raises(Failure, match="flowc's own data"):
        call(folder, tool, **args)
    assert [path.name for path in (folder / ".flowc").iterdir()] == ["runs.db"]
    assert call(folder, "search_files", text="prompt")["count"] == 0


def test_a_binary_file_is_not_text(folder):
    with pytest.raises(Failure, match="not UTF-8"):
        call(folder, "read_file", path="blob")


def test_list_files_is_sorted_and_leaves_out_git_and_links_to_elsewhere(folder):
    listed = call(folder, "list_files")
    assert listed["files"] == ["a.py", "blob", "data.json", "src/b.py", "src/deep/c.txt"]
    assert call(folder, "list_files", path="src", pattern="*.py")["files"] == ["src/b.py"]
    assert call(folder, "list_files", pattern="**/*.py")["files"] == ["a.py", "src/b.py"]
    assert call(folder, "list_files", limit=2) == {
        "files": ["a.py", "blob"],
        "count": 2,
        "truncated": True,
    }


@pytest.mark.parametrize("tool", ["list_files", "search_files"])
def test_folders_that_lie_too_deep_are_said_to(folder, tool):
    """Each is opened name by name from the top, which takes long of thousands."""
    with deep(folder, 300), pytest.raises(Failure, match="holds folders more than 200 deep"):
        call(folder, tool, **({"text": "x"} if tool == "search_files" else {}))


def test_search_files_finds_text_literally_with_its_place(folder):
    assert call(folder, "search_files", text="hello")["matches"] == [
        {"path": "src/b.py", "line": 1, "text": "hello = 1"},
        {"path": "src/deep/c.txt", "line": 2, "text": "say hello"},
    ]
    assert call(folder, "search_files", text="hello", ignore_case=True)["count"] == 3
    assert call(folder, "search_files", text="h.llo")["count"] == 0
    assert call(folder, "search_files", text="hello", limit=1)["truncated"]


def test_write_file_below_the_root_and_twice_is_once(folder):
    first = call(folder, "write_file", path="new/x.txt", content="né\n")
    assert first == call(folder, "write_file", path="new/x.txt", content="né\n")
    assert first == {"path": "new/x.txt", "size": 4}
    assert (folder / "new/x.txt").read_text() == "né\n"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("data.items.length > 1", True),
        ("data.items[1].name", "two"),
        ("data.ok and not (data.gone exists)", True),
    ],
)
def test_query_json_speaks_the_expression_language(folder, expression, value):
    assert call(folder, "query_json", path="data.json", expression=expression) == {"value": value}


@pytest.mark.parametrize(
    ("path", "expression", "says"),
    [
        ("data.json", "data.items[", "does not parse"),
        ("data.json", "data.items < 3", "has no value"),
        ("data.json", "read_file('a.py')", "has no value"),
        ("a.py", "data", r"a\.py:1:1: not JSON"),
        ("gone.json", "data", "does not exist"),
    ],
)
def test_query_json_says_what_is_wrong(folder, path, expression, says):
    with pytest.raises(Failure, match=says):
        call(folder, "query_json", path=path, expression=expression)


def test_a_deeply_nested_json_file_is_no_crash(folder):
    (folder / "deep.json").write_text("[" * 100_000)
    with pytest.raises(Failure):
        call(folder, "query_json", path="deep.json", expression="data")


# --- git ---


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
    who |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}

    def git(*args: str) -> None:
        env = {**os.environ, **who}
        subprocess.run(["git", *args], cwd=root, check=True, capture_output=True, env=env)

    git("init", "-q", "-b", "main")
    for text, subject in (("one\n", "First"), ("one\ntwo\n", "Second: ünï")):
        (root / "a b.txt").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", f"{subject}\n\nThe body\nof it.")
    return root


def test_git_status_of_a_clean_and_a_changed_tree(repository):
    status = call(repository, "git_status")
    assert (status["branch"], status["clean"], status["changed"]) == ("main", True, [])
    assert len(status["head"]) == 40
    (repository / "a b.txt").write_text("other\n")
    (repository / "new file").write_text("x")
    assert call(repository, "git_status")["changed"] == [
        {"path": "a b.txt", "status": "M"},
        {"path": "new file", "status": "?"},
    ]


def test_git_log_newest_first(repository):
    log = call(repository, "git_log")
    assert [c["subject"] for c in log["commits"]] == ["Second: ünï", "First"]
    assert log["commits"][0]["author"] == "Ada <ada@example.org>"
    assert log["count"] == 2
    assert call(repository, "git_log", count=1)["count"] == 1
    assert call(repository, "git_log", path="a b.txt", ref="HEAD~1")["count"] == 1


def test_git_diff_counts_lines(repository):
    (repository / "a b.txt").write_text("one\n2\n3\n")
    diff = call(repository, "git_diff")
    assert diff["files"] == [{"path": "a b.txt", "added": 2, "removed": 1}]
    assert "+3\n" in diff["diff"]
    assert call(repository, "git_diff", ref="HEAD~1")["files"][0]["added"] == 2


def test_git_show_tells_a_commit(repository):
    shown = call(repository, "git_show")
    assert (shown["subject"], shown["body"]) == ("Second: ünï", "The body\nof it.")
    assert shown["files"] == [{"path": "a b.txt", "added": 1, "removed": 0}]
    assert "+two" in shown["diff"]
    assert call(repository, "git_show", ref="HEAD~1")["subject"] == "First"


@pytest.mark.parametrize("ref", ["--output=pwned", "-O", "--upload-pack=touch pwned", "HEAD; ls"])
def test_a_revision_is_never_an_option_nor_a_command(repository, ref):
    for tool in ("git_log", "git_diff", "git_show"):
        with pytest.raises(Failure):
            call(repository, tool, ref=ref)
    assert not (repository / "pwned").exists()


def test_programs_that_a_repository_names_are_not_run(repository):
    trap = repository / "trap.sh"
    trap.write_text("#!/bin/sh\ntouch pwned\ncat\n")
    trap.chmod(0o755)
    (repository / ".gitattributes").write_text("*.txt diff=trap\n")
    with (repository / ".git/config").open("a") as config:
        config.write(f'[diff]\n external = {trap}\n[diff "trap"]\n textconv = {trap}\n')
        config.write(f"[core]\n fsmonitor = {trap}\n pager = {trap}\n")
    (repository / "a b.txt").write_text("changed\n")
    for tool in ("git_status", "git_log", "git_diff", "git_show"):
        call(repository, tool)
    assert not (repository / "pwned").exists()


def test_a_folder_that_is_no_repository_says_so(tmp_path):
    with pytest.raises(Failure, match="not a git repository"):
        call(tmp_path, "git_status")


def test_git_says_nothing_of_what_lies_beside_the_root(repository):
    (repository / "inner").mkdir()
    (repository / "outside.txt").write_text("x")
    assert call(repository / "inner", "git_status")["clean"]
    assert call(repository / "inner", "git_show")["files"] == []


def test_answers_are_json(folder):
    json.dumps(call(folder, "list_files"))


def test_a_whole_number_with_a_point_is_an_integer_as_json_schema_says(folder):
    assert call(folder, "read_file", path="a.py", max_lines=1.0)["text"] == "import os\n"
    assert call(folder, "list_files", limit=2.0)["count"] == 2


@pytest.mark.parametrize(
    ("tool", "args"), [("list_files", {}), ("search_files", {"text": "a"}), ("read_file", {})]
)
def test_a_name_no_file_can_have_is_a_failure_of_the_tool(folder, tool, args):
    with pytest.raises(Failure):
        call(folder, tool, path="x" * 300, **args)


def test_a_file_whose_name_no_file_can_have_is_not_written(folder):
    with pytest.raises(Failure, match="File name too long"):
        call(folder, "write_file", path="x" * 300, content="")


def test_names_that_are_not_utf8_are_listed(folder):
    os.mkdir(folder / "odd")
    os.close(os.open(os.fsencode(folder / "odd") + b"/caf\xe9", os.O_CREAT))
    assert call(folder, "list_files", path="odd")["files"] == ["odd/caf\ufffd"]


@pytest.mark.parametrize("tool", RESULTS)
def test_a_tool_gives_the_fields_that_the_catalogue_says(repository, tool):
    (repository / "data.json").write_text('{"a": 1}')
    (repository / "a b.txt").write_text("other\n")
    args: dict[str, Any] = {
        "read_file": {"path": "data.json"},
        "search_files": {"text": "o"},
        "write_file": {"path": "new", "content": ""},
        "query_json": {"path": "data.json", "expression": "data.a"},
    }.get(tool, {})
    given, known = call(repository, tool, **args), RESULTS[tool]["properties"]
    assert set(given) == set(known)
    for name, shape in known.items():
        if "items" in shape:
            assert given[name]
            assert set(given[name][0]) == set(shape["items"]["properties"])


def test_every_tool_of_files_has_its_fields_in_the_catalogue():
    assert set(RESULTS) == {*FUNCTIONS, *GIT_FUNCTIONS}
