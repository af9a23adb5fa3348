"""A result goes where its path leads: through links, into pipes, whole into files."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from flowc.runtime.cli.delivery import check_deliverable, deliver, leads_to_file
from flowc.runtime.errors import RunError

FLOW = """\
# a comment that only the source has
flow: 1
name: hello
params:
  who: {type: text, default: x}
nodes:
  - name: say
    assign: {who: "who"}
"""
PAGE = b"<p>" + b"x" * 300_000


def test_a_link_stays_a_link_and_what_it_leads_to_is_replaced(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    (there / "page.html").write_text("old")
    (there / "page.html").chmod(0o600)
    for name, target in (("link", "there/page.html"), ("new", "there/made.html")):
        (tmp_path / name).symlink_to(target)
        deliver(tmp_path / name, PAGE)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / target).read_bytes() == PAGE
    assert (there / "page.html").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in there.iterdir()) == ["made.html", "page.html"]


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    seen: list[bytes] = []
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert not leads_to_file(pipe)
    deliver(pipe, PAGE)
    reader.join(60)
    assert seen == [PAGE]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["/dev/fd/{}", "/proc/self/fd/{}"])
def test_a_descriptor_is_written_where_it_stands(tmp_path, name):
    """`>> file` with /dev/stdout adds to the file; opening it would begin at its start."""
    with (tmp_path / "log").open("ab") as file:
        file.write(b"before ")
        file.flush()
        deliver(Path(name.format(file.fileno())), PAGE)
        file.write(b" after")
    assert (tmp_path / "log").read_bytes() == b"before " + PAGE + b" after"


def test_standard_output_is_a_descriptor_too(capfd):
    deliver(Path("/dev/stdout"), b"page")
    assert capfd.readouterr().out == "page"


def test_what_was_there_stays_when_the_place_takes_nothing(tmp_path):
    for out, says in (("/dev/full", "no space left on device"), ("/dev/fd/900", "bad file")):
        with pytest.raises(RunError, match=f"`{out}` cannot be written: {says}"):
            deliver(Path(out), PAGE)
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(RunError, match="cannot be written"):
        deliver(tmp_path / "round", PAGE)
    for out, says in ((tmp_path, "is a folder"), (tmp_path / "no/page", "folder does not exist")):
        with pytest.raises(RunError, match=says):
            check_deliverable(out)


@pytest.mark.parametrize("name", ["flow.yaml", "./x/../flow.yaml", "link.yaml", "other.yaml"])
@pytest.mark.parametrize("verb", ["graph", "convert"])
def test_what_is_read_is_never_written_over(flowc, tmp_path, verb, name):
    source = tmp_path / "flow.yaml"
    source.write_text(FLOW)
    (tmp_path / "x").mkdir()
    (tmp_path / "link.yaml").symlink_to(source)
    (tmp_path / "other.yaml").hardlink_to(source)
    words = {"graph": ["--format", "json"], "convert": ["--to", "flow", "--force"]}[verb]
    done = flowc(verb, "flow.yaml", "-o", name, *words)
    assert done.returncode == 2
    assert "is what is being" in done.stderr
    assert source.read_text() == FLOW


def test_a_project_is_not_written_over_the_workflow_it_is_made_of(flowc, tmp_path):
    (tmp_path / "flow.yaml").write_text(FLOW)
    done = flowc("compile", "flow.yaml", "-o", ".")
    assert done.returncode == 2
    assert "`flow.yaml` is what is being compiled" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["flow.yaml"]
