"""`flowc check` from the outside: exit codes, streams, and input of every bad kind."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time

import pytest
from flowc.runtime.cli import app
from flowc.runtime.cli.authoring import check

CLEAN = """# Notes

### 🔧 WORKFLOW STEP: Look
```
List the notes.
```
### 🛠️ TOOL: list_files
"""
FAULTY = CLEAN.replace("### 🛠️ TOOL: list_files\n", "")
ALLOWED_FOR_NOTHING = "<!-- flowc: allow FC2002 -->\n" + CLEAN


def test_clean_file_is_silent_but_for_the_summary(flowc, tmp_path):
    (tmp_path / "a.md").write_text(CLEAN)
    done = flowc("check", "a.md")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("0 errors, 0 warnings in 1 file (")


def test_faulty_file_says_where_and_ends_with_1(flowc, tmp_path):
    (tmp_path / "a.md").write_text(FAULTY)
    done = flowc("check", "a.md")
    assert done.returncode == 1
    assert "error[FC1003] missing-required" in done.stdout
    assert " --> a.md:3:" in done.stdout
    assert "1 error, 0 warnings in 1 file" in done.stdout
    assert "\x1b" not in done.stdout


def test_options_stand_before_or_after_the_file(flowc, tmp_path):
    (tmp_path / "a.md").write_text(FAULTY)
    before = flowc("check", "--format", "json", "a.md")
    after = flowc("check", "a.md", "--format=json")
    assert before.stdout == after.stdout
    assert json.loads(after.stdout)["errors"] == 1


def test_warnings_fail_only_when_strict(flowc, tmp_path):
    (tmp_path / "a.md").write_text(ALLOWED_FOR_NOTHING)
    assert flowc("check", "a.md").returncode == 0
    assert flowc("check", "a.md", "--strict").returncode == 1


def test_codes_are_selected_and_ignored(flowc, tmp_path):
    (tmp_path / "a.md").write_text("<!-- flowc: allow FC2002 -->\n" + FAULTY)
    assert "FC1003" not in flowc("check", "a.md", "--select", "FC0002").stdout
    assert flowc("check", "a.md", "--ignore", "fc1003,FC2").returncode == 0
    unknown = flowc("check", "a.md", "--ignore", "FC9")
    assert unknown.returncode == 2
    assert "there is no code `FC9`" in unknown.stderr


def test_standard_input_is_read_as_a_file(flowc):
    done = flowc("check", "-", input=FAULTY)
    assert done.returncode == 1
    assert "--> <stdin>:3:" in done.stdout


def test_a_folder_stands_for_its_workflows_and_skips_the_rest(flowc, tmp_path):
    (tmp_path / "w" / ".hidden").mkdir(parents=True)
    (tmp_path / "w" / "a.md").write_text(CLEAN)
    (tmp_path / "w" / "README.md").write_text("# Just prose\n")
    (tmp_path / "w" / ".hidden" / "b.md").write_text(FAULTY)
    done = flowc("check", "w")
    assert done.returncode == 0
    assert "in 1 file (" in done.stdout


def test_a_folder_leaves_out_pages_about_the_formats(flowc, tmp_path):
    example = "### 🔧 WORKFLOW STEP: Look\n```\nLook.\n```\n### 🛠️ TOOL: list_files\n"
    (tmp_path / "right.md").write_text(example)
    (tmp_path / "about.md").write_text(f"# The format\n\n````\n{example}````\n")
    (tmp_path / "README.md").write_text("# A function\n\n### INPUTS:\n- a\n")
    (tmp_path / "notes.md").write_text("graph of everything\n")
    done = flowc("check", ".")
    assert done.returncode == 0, done.stdout
    assert "in 1 file" in done.stdout + done.stderr
    assert flowc("check", "about.md").returncode == 1


def test_a_file_whose_lines_end_with_carriage_returns_alone_is_named(flowc, tmp_path):
    for name in ("a.md", "a.wf.md", "a.mmd"):
        (tmp_path / name).write_bytes(b"# T\r\r# Workflow\r")
        done = flowc("check", name)
        assert done.returncode == 1
        assert (done.stdout + done.stderr).count("error[") == 1
        assert "carriage returns alone" in done.stdout + done.stderr


def test_a_folder_without_a_workflow_is_wrong_usage(flowc, tmp_path):
    (tmp_path / "w").mkdir()
    done = flowc("check", "w")
    assert done.returncode == 2
    assert "no workflow lies in the folder `w`" in done.stderr


def test_a_file_named_twice_is_checked_once(flowc, tmp_path):
    (tmp_path / "a.md").write_text(CLEAN)
    assert "in 1 file (" in flowc("check", "a.md", "a.md").stdout


def test_no_file_and_unknown_options_are_wrong_usage(flowc):
    for args in ((), ("--nonsense", "x.md"), ("x.md", "--format", "xml")):
        done = flowc("check", *args)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert "  help: flowc check" in done.stderr


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b"", "FC1008", "is empty"),
        (b"\n \n", "FC1008", "is empty"),
        (b"\xef\xbb\xbf", "FC1008", "is empty"),
        ("# \xfcbung\n".encode("latin-1"), "FC0001", "is not UTF-8 (byte 0xfc in line 1)"),
        (b"\x00\x01\x02", "FC1008", "is in no format"),
        (b"\xff\xfe#\x00 \x00", "FC0001", "is not UTF-8"),
    ],
)
def test_bad_bytes_are_a_finding(flowc, tmp_path, data, code, says):
    (tmp_path / "a.md").write_bytes(data)
    done = flowc("check", "a.md")
    assert done.returncode == 1
    assert f"error[{code}]" in done.stdout
    assert says in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "says", "helps"),
    [
        ("a.answers.yaml", "ask: yes\n", "holds answers", "flowc run WORKFLOW --answers"),
        ("a.flowtest.yaml", "tests: {}\n", "holds cases", "flowc test"),
        ("a.team.json", '{"team_id": "t", "agents": []}\n', "describes a team", "--team"),
    ],
)
def test_what_stands_beside_a_workflow_says_what_it_is_for(
    flowc, tmp_path, name, text, says, helps
):
    (tmp_path / name).write_text(text)
    done = flowc("check", name)
    assert (done.returncode, done.stdout.count("error[")) == (1, 1)
    assert f"error[FC1008] empty-workflow: `{name}` {says} and no workflow" in done.stdout
    assert f"{helps} {name}`" in done.stdout
    assert "error[FC1008]" not in flowc("check", "--from", "machine", name).stdout


def test_a_workflow_may_have_the_name_of_what_stands_beside_one(flowc, tmp_path):
    (tmp_path / "a.answers.yaml").write_text("flow: 1\nnodes:\n  - name: greet\n    end: success\n")
    assert "answers and no workflow" not in flowc("check", "a.answers.yaml").stdout


def test_a_missing_file_is_a_finding(flowc):
    done = flowc("check", "nowhere.md")
    assert done.returncode == 1
    assert "error[FC0001] unreadable: `nowhere.md` not found" in done.stdout


def test_crlf_and_byte_order_mark_change_nothing(flowc, tmp_path):
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf" + FAULTY.replace("\n", "\r\n").encode())
    (tmp_path / "b.md").write_text(FAULTY)
    windows, unix = flowc("check", "a.md").stdout, flowc("check", "b.md").stdout
    assert windows.replace("a.md", "b.md").split("1 error")[0] == unix.split("1 error")[0]


def test_ten_megabytes_are_read_within_seconds(flowc, tmp_path):
    step = (
        "### 🔧 WORKFLOW STEP: Look\n```\n"
        + "Read a note. " * 60
        + "\n```\n### 🛠️ TOOL: read_file\n\n"
    )
    (tmp_path / "a.md").write_text(step * (10_000_000 // len(step.encode())))
    done = flowc("check", "a.md", timeout=120)
    assert done.returncode == 0


def test_long_line_of_ten_megabytes_is_shown_in_part(flowc, tmp_path):
    (tmp_path / "a.md").write_text(FAULTY.replace("Look", "x" * 10_000_000))
    done = flowc("check", "a.md", timeout=120)
    assert done.returncode == 1
    assert max(map(len, done.stdout.splitlines())) < 20_000_000


def test_fix_keeps_line_ends_mark_mode_and_link(flowc, tmp_path):
    real = tmp_path / "real.md"
    data = b"\xef\xbb\xbf" + ALLOWED_FOR_NOTHING.replace("\n", "\r\n").encode()
    real.write_bytes(data)
    real.chmod(0o640)
    (tmp_path / "a.md").symlink_to("real.md")
    done = flowc("check", "--fix", "a.md", "--strict")
    assert done.returncode == 0
    assert ", 1 fixed" in done.stdout
    assert real.read_bytes() == b"\xef\xbb\xbf" + CLEAN.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert (tmp_path / "a.md").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a.md", "real.md"]
    again = flowc("check", "--fix", "a.md")
    assert "fixed" not in again.stdout


def test_fix_needs_a_file(flowc):
    done = flowc("check", "--fix", "-", input=CLEAN)
    assert done.returncode == 2


MISSPELT = CLEAN.replace("TOOL: list_files", "TOOL: lsit_files")


def test_unsafe_fixes_are_applied_and_shown(flowc, tmp_path):
    (tmp_path / "a.md").write_text(MISSPELT)
    assert "fixed" not in flowc("check", "--fix", "a.md").stdout
    assert (tmp_path / "a.md").read_text() == MISSPELT
    done = flowc("check", "--unsafe-fixes", "a.md")
    assert (tmp_path / "a.md").read_text() == CLEAN
    assert ", 1 fixed" in done.stdout
    assert "-### 🛠️ TOOL: lsit_files" in done.stderr.splitlines()
    assert "+### 🛠️ TOOL: list_files" in done.stderr.splitlines()


def test_diff_shows_and_writes_nothing(flowc, tmp_path):
    (tmp_path / "a.md").write_text(ALLOWED_FOR_NOTHING)
    done = flowc("check", "--diff", "a.md")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "--- a.md (as it is)"
    assert (tmp_path / "a.md").read_text() == ALLOWED_FOR_NOTHING
    (tmp_path / "a.md").write_text(CLEAN)
    assert flowc("check", "--diff", "--unsafe-fixes", "a.md").returncode == 0


def test_diff_of_unsafe_fixes_shows_both_kinds(flowc, tmp_path):
    (tmp_path / "a.md").write_text(MISSPELT)
    assert flowc("check", "--diff", "a.md").stderr == ""
    done = flowc("check", "--diff", "--unsafe-fixes", "a.md")
    assert "+### 🛠️ TOOL: list_files" in done.stderr.splitlines()
    assert (tmp_path / "a.md").read_text() == MISSPELT


def test_verbose_says_which_assertions_are_expressions(flowc, tmp_path):
    text = CLEAN + "### ✅ ASSERT:\n- result.count > 0\n- the list looks complete\n"
    (tmp_path / "a.md").write_text(text)
    rows = flowc("check", "-v", "a.md").stdout.splitlines()
    assert any(row.split() == ["9:3", "expression", "result.count", ">", "0"] for row in rows)
    assert any(row.split()[:2] == ["10:3", "prose"] for row in rows)


def test_a_reader_that_goes_away_is_no_fault(tmp_path):
    (tmp_path / "a.md").write_text(FAULTY * 200)
    line = f"{sys.executable} -m flowc check a.md | head -n 1; echo ${{PIPESTATUS[0]}} >&2"
    done = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=150
    )
    assert done.stdout.startswith("error[FC1003]")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_terminal_that_cannot_show_a_character_gets_an_escape(flowc, tmp_path):
    (tmp_path / "a.md").write_text(FAULTY)
    done = flowc("check", "a.md", env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert "\\U0001f527" in done.stdout


@pytest.mark.parametrize(
    "args",
    [
        ["a.md"],
        ["-q", "a.md", "--strict"],
        ["--format=json", "a.md"],
        ["a.md", "--format", "github", "--ignore", "FC0002", "--ignore=FC1"],
        ["--from", "steps", "a.md", "--select", "FC1003,FC0002"],
    ],
)
def test_the_quick_reading_of_the_command_line_is_that_of_typer(
    args, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("<!-- flowc: allow FC2002 -->\n" + FAULTY)
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)
    quick = check.check_quickly(args), capsys.readouterr().out
    row = next(row for row in app.COMMANDS if row.name == "check")
    typed = app.build(row).main(args, standalone_mode=False), capsys.readouterr().out
    assert quick == typed


@pytest.mark.parametrize(
    "args", [["--help"], ["a.md", "--format"], ["--format", "xml"], ["--select", "--fix"], ["--no"]]
)
def test_what_is_not_plain_is_left_to_typer(args):
    assert check.check_quickly(args) is None


def test_fix_writes_the_file_that_a_name_stands_for(flowc, tmp_path):
    (tmp_path / "workflows").mkdir()
    file = tmp_path / "workflows" / "survey.md"
    file.write_text(ALLOWED_FOR_NOTHING)
    assert ", 1 fixed" in flowc("check", "--fix", "survey").stdout
    assert file.read_text() == CLEAN
