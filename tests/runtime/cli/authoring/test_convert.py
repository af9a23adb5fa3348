"""`flowc convert`: what is written where, what is refused, exit codes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

HANDLERS = Path(__file__).parents[3] / "corpus/machine/ok/handlers"
STEPS = """# Look

### 🔧 WORKFLOW STEP: Look around
```
List the files.
```

### 🛠️ TOOL: list_files
"""


@pytest.fixture
def steps(tmp_path):
    (tmp_path / "look.md").write_text(STEPS, encoding="utf-8")
    return tmp_path / "look.md"


def test_without_a_place_the_text_goes_to_standard_output(flowc, steps):
    done = flowc("convert", "look.md", "--to", "steps")
    assert (done.returncode, done.stdout, done.stderr) == (0, STEPS, "")


def test_a_file_is_written_where_it_is_asked_for(flowc, steps, tmp_path):
    done = flowc("convert", "look.md", "--to", "steps", "-o", "copy.md")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "wrote copy.md\n"
    assert (tmp_path / "copy.md").read_text(encoding="utf-8") == STEPS


def test_a_loss_is_told_with_its_place_and_nothing_is_written(flowc, steps, tmp_path):
    done = flowc("convert", "look.md", "--to", "plan", "-o", "plan.md")
    assert done.returncode == 1
    assert "warning[FC6001] lossy-conversion: plan cannot say the tool `list_files`" in (
        done.stderr
    )
    assert "--> look.md:8:14" in done.stderr
    assert "nothing was written: --allow-loss" in done.stderr
    assert not (tmp_path / "plan.md").exists()


def test_with_allow_loss_what_can_be_said_is_written_and_reads(flowc, steps, tmp_path):
    done = flowc("convert", "look.md", "--to", "plan", "-o", "plan.md", "--allow-loss")
    assert done.returncode == 0
    assert "FC6001" in done.stderr
    assert flowc("check", "plan.md").returncode == 0


def test_json_tells_everything(flowc, steps):
    done = flowc("convert", "look.md", "--to", "mermaid", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert (told["schema_version"], told["from"], told["to"]) == (1, "steps", "mermaid")
    assert told["written"] == []
    assert list(told["files"]) == ["look.mmd"]
    assert {loss["code"] for loss in told["losses"]} == {"FC6001"}
    assert {loss["file"] for loss in told["losses"]} == {"look.md"}


def test_new_names_of_nodes_are_noted_and_no_loss(flowc, tmp_path):
    (tmp_path / "a.mmd").write_text("flowchart TD\n    a --> b\n", encoding="utf-8")
    done = flowc("convert", "a.mmd", "--to", "flowchart", "-o", "b.wf.md")
    assert done.returncode == 0
    assert "note: `b.wf.md` calls `a` `CHECKPOINT_a`, `b` `CHECKPOINT_b`" in done.stderr
    told = json.loads(flowc("convert", "a.mmd", "--to", "flowchart", "--json").stdout)
    assert told["renamed"] == {"a.wf.md": {"a": "CHECKPOINT_a", "b": "CHECKPOINT_b"}}


@pytest.mark.parametrize("name", ["look.md", "./look.md", "link.md"])
def test_the_source_is_never_overwritten(flowc, steps, tmp_path, name):
    (tmp_path / "link.md").symlink_to(steps)
    done = flowc("convert", "look.md", "--to", "steps", "-o", name, "--force")
    assert done.returncode == 2
    assert "is what is being converted" in done.stderr
    assert steps.read_text(encoding="utf-8") == STEPS


def test_another_file_is_overwritten_with_force_alone(flowc, steps, tmp_path):
    (tmp_path / "other.md").write_text("mine")
    done = flowc("convert", "look.md", "--to", "steps", "-o", "other.md")
    assert done.returncode == 2
    assert "`other.md` is there already" in done.stderr
    assert (tmp_path / "other.md").read_text() == "mine"
    assert flowc("convert", "look.md", "--to", "steps", "-o", "other.md", "--force").returncode == 0
    assert (tmp_path / "other.md").read_text(encoding="utf-8") == STEPS


def test_a_file_with_errors_is_not_converted(flowc, tmp_path):
    (tmp_path / "bad.md").write_text(STEPS.replace("```", ""), encoding="utf-8")
    done = flowc("convert", "bad.md", "--to", "steps")
    assert (done.returncode, done.stdout) == (1, "")
    assert "FC1003" in done.stderr


def test_standard_input_is_converted(flowc):
    done = flowc("convert", "-", "--to", "steps", input=STEPS)
    assert (done.returncode, done.stdout) == (0, STEPS)


def test_an_unknown_format_is_named(flowc, steps):
    done = flowc("convert", "look.md", "--to", "xml")
    assert done.returncode == 2
    assert "there is no format `xml` to write" in done.stderr


def test_a_folder_that_is_not_there_is_an_error_without_a_traceback(flowc, steps):
    done = flowc("convert", "look.md", "--to", "steps", "-o", "nowhere/look.md")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_a_link_is_followed_and_a_device_takes_it_as_it_is(flowc, steps, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.md").symlink_to("there/made.md")
    asked = ("convert", "look.md", "--to", "steps", "-o")
    assert "`link.md` is there already" in flowc(*asked, "link.md").stderr
    assert flowc(*asked, "link.md", "--force").returncode == 0
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "there" / "made.md").read_text(encoding="utf-8") == STEPS
    done = flowc(*asked, "/dev/stdout")
    assert (done.returncode, done.stdout, done.stderr) == (0, STEPS, "wrote /dev/stdout\n")
    full = flowc(*asked, "/dev/full")
    assert (full.returncode, full.stdout) == (2, "")
    assert "`/dev/full` cannot be written: no space left on device" in full.stderr
    folder = flowc(*asked, "there", "--force")
    assert (folder.returncode, folder.stderr.splitlines()[0]) == (2, "error: `there` is a folder")
    assert os.listdir(tmp_path / "there") == ["made.md"]


def test_no_link_leads_files_out_that_are_named_here(flowc, tmp_path):
    """The folder beside the file: one that came with the folder may lead anywhere."""
    shutil.copytree(HANDLERS, tmp_path / "clone")
    (tmp_path / "outside").mkdir()
    (tmp_path / "clone/new").symlink_to(tmp_path / "outside")
    asked = ("convert", "clone/main.json", "--to", "machine", "--allow-loss", "-o")
    done = flowc(*asked, "clone/new.json", env={"XDG_CONFIG_HOME": str(tmp_path / "nobody")})
    assert done.returncode == 2
    assert "a link leads from clone/new/script.js to " in done.stderr
    assert not (tmp_path / "clone/new.json").exists()
    assert os.listdir(tmp_path / "outside") == []
    assert flowc(*asked, "clone/other.json").returncode == 0
    assert (tmp_path / "clone/other/script.js").is_file()
