"""The flow YAML workflows that ship with flowc: clean, laid out, and run offline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file
from flowc.compiler.emit.flow.program import emit_flow_yaml
from flowc.compiler.flow_yaml.layout import lay_out

FOLDER = Path(__file__).parents[2] / "workflows/examples/flow"
SHIPPED = sorted(FOLDER.glob("*.flow.yaml"))
RESULTS = {
    "debate": "Both sides want benches where somebody pays for them.",
    "menu": "BASQUE\n(Here a model would have translated.)",
    "word-count": "11 words: enough.",
}


def name(file: Path) -> str:
    return file.name.removesuffix(".flow.yaml")


@pytest.mark.parametrize("file", SHIPPED, ids=name)
def test_it_is_clean_and_laid_out(file):
    assert compile_file(str(file)).diagnostics == ()
    text = file.read_text(encoding="utf-8")
    assert lay_out(text) == text


def answered(flowc, file: Path, answers: Path) -> dict:
    done = flowc("run", str(file), "--answers", str(answers), "--allow-exec", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("file", SHIPPED, ids=name)
def test_it_runs_offline_and_so_does_its_canonical_form(file, flowc):
    answers = FOLDER / f"{name(file)}.answers.yaml"
    outcome = answered(flowc, file, answers)
    assert outcome["status"] == "success"
    assert RESULTS[name(file)] in json.dumps(outcome, ensure_ascii=False).replace("\\n", "\n")
    program = compile_file(str(file)).program
    assert program is not None
    again = flowc.folder / "again.flow.yaml"
    again.write_text(emit_flow_yaml(program), encoding="utf-8")
    assert answered(flowc, again, answers)["result"] == outcome["result"]
