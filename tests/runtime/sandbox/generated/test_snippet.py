"""Free audio code, run for real: each of the ways in which it may end."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.generated.snippet import SnippetResult, _collect, run_snippet
from flowc.runtime.sandbox.policy import MIB, Limits
from sandbox_hosts import on_machine

pytestmark = pytest.mark.skipif(
    probe("snippet").level == "weak", reason=f"no sandbox here: {dict(probe('snippet').missing)}"
)
READ = "import soundfile as sf\nsound, rate = sf.read(INPUT)\n"
SMALL = Limits(20.0, 1, 2048 * MIB, MIB, 4 * MIB, 64, 0, 0.2)


@pytest.fixture
def run(tmp_path: Path):
    source, target = tmp_path / "in.wav", tmp_path / "out.wav"
    sf.write(source, np.full(8000, 0.25), 8000)

    def do(code: str, **given) -> SnippetResult:
        return run_snippet(code, reads=(source,), output=target, **given)

    do.folder, do.target = tmp_path, target
    return do


def test_code_that_writes_its_output_is_done(run):
    code = (
        "from pedalboard import Gain, Pedalboard\n"
        f"{READ}"
        "sound = Pedalboard([Gain(6.0)])(sound[None, :].astype('float32'), rate)[0]\n"
        "sf.write(OUTPUT, sound, rate)\n"
        "print(len(sound))\n"
    )
    result = run(code)
    assert (result.status, result.message, result.printed) == ("done", "", "8000\n")
    assert sf.read(run.target)[0].max() == pytest.approx(0.5, abs=0.01)
    assert result.report is not None
    assert result.report.level == probe("snippet").level


def test_code_that_does_not_pass_the_gate_is_rejected(run):
    result = run("import os")
    assert (result.status, result.report) == ("rejected", None)
    assert result.message.startswith("line 1, column 1: `os`")


def test_code_that_raises_has_failed_at_a_line(run):
    result = run(f"{READ}x = sound[0, 1, 2]")
    assert result.status == "failed"
    assert result.message.startswith("line 3: IndexError: ")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("while True:\n    pass", "cpu"),
        ("while True:\n    print('x' * 1000)", "output"),
        ("import soundfile as sf\nsf.write(OUTPUT, [0.0] * 2_000_000, 8000)", "file"),
    ],
)
def test_code_that_takes_too_much_is_killed(run, code, why):
    result = run(code, limits=SMALL)
    assert (result.status, result.why) == ("killed", why), result
    assert not run.target.exists()


def test_code_that_takes_too_long_is_killed(run):
    limits = Limits(0.5, 20, 2048 * MIB, MIB, 4 * MIB, 64, 0, 0.2)
    result = run("while True:\n    pass", limits=limits)
    assert (result.status, result.why) == ("killed", "time")


def test_code_that_writes_nothing_has_no_output_and_leaves_what_was_there(run):
    run.target.write_text("before")
    assert run("print(1)").status == "no output"
    assert run.target.read_text() == "before"


def test_other_files_are_neither_read_nor_written(run):
    sf.write(run.folder / "secret.wav", np.zeros(10), 8000)
    code = f"import soundfile as sf\nsf.{{}}({str(run.folder)!r} + '/{{}}'{{}})"
    assert run(code.format("read", "secret.wav", "")).status == "failed"
    # Where /tmp is a private one, a file below it can be made, and is gone with it.
    assert run(code.format("write", "new.wav", ", [0.0], 8000")).status in ("failed", "no output")
    assert run(f"{READ}sf.write(INPUT, sound * 0, rate)").status == "failed"
    assert sorted(p.name for p in run.folder.iterdir()) == ["in.wav", "secret.wav"]


def test_a_mode_that_is_not_offered_refuses_and_is_never_retried(run):
    with on_machine({"limits": "all"}, {"seccomp": "no"}):
        result = run("print(1)")
    assert result.status == "refused"
    assert "seccomp: no" in result.message


def test_an_output_that_cannot_be_placed_is_said(run):
    from flowc.runtime.errors import Failure

    os.mkdir(run.target)
    with pytest.raises(Failure, match="cannot be written"):
        run(f"{READ}sf.write(OUTPUT, sound, rate)")
    assert [p.name for p in run.folder.iterdir() if p.name.startswith(".flowc")] == []


@pytest.mark.parametrize("planted", ["link", "hard link", "other file", "folder", "pipe", "none"])
def test_only_the_file_that_was_made_is_taken(tmp_path, planted):
    """What a writer with more rights could leave in place of its output is never followed."""
    secret, made, place = tmp_path / "secret", tmp_path / "made", tmp_path / "place"
    secret.write_text("canary")
    made.write_text("sound")
    number = made.stat().st_ino
    if planted == "hard link":
        os.link(made, tmp_path / "second")
    else:
        # Kept open, so that its number is not given to what comes in its place.
        held = made.open()
        made.unlink()
        if planted == "link":
            made.symlink_to(secret)
        elif planted == "other file":
            made.write_text("canary")
        elif planted == "folder":
            made.mkdir()
        elif planted == "pipe":
            os.mkfifo(made)
    result = _collect(SnippetResult("done"), made, number, place)
    assert result.status == "no output"
    assert result.message
    assert not place.exists()
    if planted != "hard link":
        held.close()
