"""What `flowc check` keeps of a folder: used when nothing changed, and only then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FLOW = "flow: 1\ntitle: T\nnodes:\n  - {name: a, agent: w, prompt: Hi., into: x}\noutputs: [x]\n"
CHART = """# T

# Workflow

```mermaid
flowchart TD
START([Start]) --> PROMPT_A[Prompt: User A] --> SUCCESS([Done])
```

!INCLUDE prompts.md
"""
PROMPTS = "# Prompts\n\n## User A\n\nHello.\n"


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("FLOWC_CACHE", str(folder))
    return folder / "checks"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a clean flow, a faulty one, and a chart with its prompts beside it."""
    folder = tmp_path / "flows"
    folder.mkdir()
    (folder / "clean.flow.yaml").write_text(FLOW)
    (folder / "faulty.flow.yaml").write_text(FLOW.replace("[x]", "[y]"))
    (folder / "chart.wf.md").write_text(CHART)
    (folder / "prompts.md").write_text(PROMPTS)
    monkeypatch.chdir(tmp_path)
    return folder


def checked(*options: str) -> list[str]:
    """The messages of a check of the folder, each with its file's name."""
    command = [sys.executable, "-m", "flowc", "check", "flows", "--format", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    found = json.loads(done.stdout)["diagnostics"]
    return [f"{Path(d['file']).name}:{d['line']} {d['message']}" for d in found]


def kept(cache: Path) -> Path:
    (file,) = cache.iterdir()
    return file


def replace_in(file: Path, old: str, new: str) -> None:
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_what_is_kept_is_shown_again_as_it_was(cache, folder):
    first = checked()
    assert len(first) == 1
    assert checked() == first == checked("--no-cache")


def test_it_is_taken_from_the_kept_file_and_not_with_no_cache(cache, folder):
    first = checked()
    replace_in(kept(cache), "`y`", "`kept`")
    assert checked() == [first[0].replace("`y`", "`kept`")]
    assert checked("--no-cache") == first


def test_no_cache_keeps_nothing(cache, folder):
    checked("--no-cache")
    assert not cache.exists()


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("clean.flow.yaml", "[x]", "[z]", "clean.flow.yaml:5"),
        ("prompts.md", "User A", "User B", "chart.wf.md:7"),
    ],
)
def test_a_file_that_changed_is_checked_again_with_all_that_include_it(
    cache, folder, file, old, new, said
):
    before = checked()
    replace_in(folder / file, old, new)
    new = [line for line in checked() if line not in before]
    assert new
    assert all(line.startswith(said) for line in new)


def test_a_lock_of_tools_that_appears_counts(cache, folder):
    assert len(checked()) == 1
    (folder / "flowc.tools.json").write_text("{")
    assert any(line.startswith("flowc.tools.json") for line in checked())


def test_a_called_file_that_was_missing_counts_when_it_appears(cache, folder):
    caller = FLOW.replace("- {name: a,", "- {name: c, call: other.flow.yaml}\n  - {name: a,")
    (folder / "caller.flow.yaml").write_text(caller)
    before = checked()
    assert any("which is not there" in line for line in before)
    (folder / "other.flow.yaml").write_text(FLOW)
    assert not any("which is not there" in line for line in checked())


def test_an_included_file_that_became_a_link_out_of_the_folder_is_told(
    cache, folder, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody trusts anything"))
    before = checked()
    (folder / "prompts.md").rename(tmp_path / "outside.md")
    (folder / "prompts.md").symlink_to(tmp_path / "outside.md")
    assert checked("--no-cache") != before
    assert checked() == checked("--no-cache")


def test_options_have_findings_of_their_own(cache, folder):
    assert checked() != checked("--from", "steps")
    assert checked() == checked("--no-cache")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1, 2]", b"\xff\xfe", b"[" * 100_000, b'{"flows/clean.flow.yaml": [1]}',
     b'{"flows/clean.flow.yaml": [[["FC9999"]], [], [], [], true]}',
     b'{"flows/clean.flow.yaml": {"a": 1}, "flows/faulty.flow.yaml": null}'],
    ids=lambda content: repr(content[:30]),
)  # fmt: skip
def test_a_kept_file_that_is_damaged_is_written_anew(cache, folder, content):
    first = checked()
    kept(cache).write_bytes(content)
    assert checked() == first
    assert set(json.loads(kept(cache).read_bytes())) == {
        f"flows/{name}" for name in ("chart.wf.md", "clean.flow.yaml", "faulty.flow.yaml")
    }


def test_a_cache_folder_that_cannot_be_written_costs_only_time(cache, folder):
    first = checked("--no-cache")
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("")
    assert checked() == first


def test_two_checks_at_once_find_the_same(cache, folder):
    command = [sys.executable, "-m", "flowc", "check", "flows", "--format", "json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    assert len({process.communicate()[0] for process in both}) == 1
    assert os.listdir(cache) == [kept(cache).name]


def test_many_files_on_all_cores_are_told_in_the_order_of_their_names(cache, folder):
    lines = "".join(f"  - {{name: n{k}, assign: {{v{k}: 1}}}}\n" for k in range(200))
    for n in range(30):
        (folder / f"many_{n:02}.flow.yaml").write_text(
            f"flow: 1\ntitle: T\nnodes:\n{lines}outputs: [w{n}]\n"
        )
    found = checked("--no-cache", "--ignore", "FC3003")
    names = [line.partition(":")[0] for line in found]
    assert names == sorted(names)
    assert len(names) == 31
    assert checked("--ignore", "FC3003") == found
