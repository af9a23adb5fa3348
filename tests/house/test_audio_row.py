"""An audio tool is one row and its function: one added to a copy is reachable everywhere."""

from __future__ import annotations

import json
import os
import shutil

import pytest

ROW = """    AudioTool(
        "tremolo", "chains:tremolo",
        "Move the level up and down.",
        (*IN_OUT, number("rate_hz", "Hz", 0.1, 20, "how often", 5)),
        Planning((Wording("tremolo", "Add tremolo", "add tremolo", (
            "add [some] tremolo [at {rate_hz}]",
        )),),
            changes_level=True),
        expects=lambda a: [predicate("samples_changed", "==", True, "The level moves")],
    ),
)  # fmt: skip
"""
FUNCTION = '''

def tremolo(job: Job) -> Chain:
    """Move the level up and down."""
    step = 2 * np.pi * job.values["rate_hz"] / job.input.rate

    def move(block, at):
        level = 0.75 + 0.25 * np.sin(step * np.arange(at, at + len(block)))
        return (block * level[:, None]).astype(np.float32)

    return Chain([stages.Mapped(move)])
'''
PROGRAM = """
import contextlib, io, json
from flowc.compiler.catalog.builtin_tools import BUILTIN
from flowc.runtime.audio.plan.planning import catalogue
from flowc.runtime.cli.app import run
from flowc.runtime.audio.vocabulary.requests import code_of, plan_of

def said(*args):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(["audio", *args]) == 0, out.getvalue()
    return out.getvalue()

plan = plan_of("add tremolo at 6 Hz", "x.wav")
code = code_of(plan["steps"][0]["description"], "x.wav", "y.wav")
said("synth", "music", "-o", "x.wav", "--seconds", "4")
print(json.dumps({
    "plan": plan,
    "code": code,
    "schema": BUILTIN["audio_tremolo"].parameters,
    "for models": catalogue()["tools"],
    "tools": said("tools"),
    "help": said("tools", "tremolo"),
    "vocabulary": said("vocabulary"),
    "applied": json.loads(said("apply", code, "--json")),
}))
"""


@pytest.fixture(scope="module")
def copy(root, tmp_path_factory):
    """The product with one more audio tool; its byte code comes along."""
    copy = tmp_path_factory.mktemp("copy")
    for top in ("compiler", "runtime", "grammar", "workflows", ".types"):
        shutil.copytree(root / top, copy / top, symlinks=True)
    rows = copy / "compiler/catalog/audio_effects.py"
    text = rows.read_text(encoding="utf-8")
    assert text.endswith(")  # fmt: skip\n")
    text = text.replace("audio_model import (\n", "audio_model import (\n    predicate,\n")
    rows.write_text(text.removesuffix(")  # fmt: skip\n") + ROW, encoding="utf-8")
    functions = copy / "runtime/audio/tools/chains.py"
    functions.write_text(functions.read_text(encoding="utf-8") + FUNCTION, encoding="utf-8")
    return copy


def test_a_row_and_its_function_are_a_tool_everywhere(copy, python, tmp_path):
    done = python("-c", PROGRAM, cwd=tmp_path, PYTHONPATH=os.fspath(copy / ".types"))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [step["title"] for step in told["plan"]["steps"]] == ["Add tremolo"]
    assert told["plan"]["requirements"][0]["text"] == "The level moves"
    assert told["code"] == 'TREMOLO(input="x.wav", output="y.wav", rate_hz=6)'
    assert told["schema"]["properties"]["rate_hz"]["maximum"] == 20
    assert "TREMOLO: Move the level up and down." in told["for models"]
    assert "TREMOLO" in told["tools"]
    assert "how often" in told["help"]
    assert "add [some] tremolo [at {hz}]" in told["vocabulary"]
    assert told["applied"]["duration_s"] == 4
    assert (tmp_path / "y.wav").stat().st_size == (tmp_path / "x.wav").stat().st_size
