"""Flow YAML files with lines cut, repeated, moved: what is accepted keeps the laws."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from flowc.compiler.emit.flow.program import emit_flow_yaml
from flowc.compiler.flow_yaml.layout import lay_out
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.fuzz

ROOT = Path(__file__).parents[2]
FILES = [
    path.read_text(encoding="utf-8")
    for folder in ("tests/corpus/flow", "workflows/examples/flow")
    for path in sorted((ROOT / folder).rglob("*.flow.yaml"))
]
SCRAPS = (
    "{}", "[]", "null", "[a,b]", "{a:1}", '""', "5", "true", "{{ x }}", "|", "-", "x:y", "&a",
    "*a", "{text:a}", "{value:b}", "end", "{to:end}", "\x85", "\u2028", "😀", "\t",
)  # fmt: skip


def mutated(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        line, scrap = lines[at], chance.choice(SCRAPS).replace(":", ": ")
        cut = chance.randrange(len(line) + 1)
        lines[at : at + 1] = chance.choice(
            (
                [],
                [line, chance.choice(lines)],
                [f"{line.partition(':')[0]}: {scrap}"],
                [line[:cut]],
                [line[:cut] + scrap + line[cut:]],
                ["  " * chance.randrange(4) + line.strip()],
            )
        )
        lines = lines or [""]
    return "\n".join(lines)


@given(text=st.sampled_from(FILES), seed=st.integers(0, 2**32))
def test_what_is_accepted_reads_back_as_itself(text, seed, compiled):
    text = mutated(text, random.Random(seed))
    first = compiled(text, "flow")
    if not first.ok:
        return
    written = emit_flow_yaml(first.program)
    again = compiled(written, "flow")
    assert again.program.workflows == first.program.workflows
    assert emit_flow_yaml(again.program) == written
    once = lay_out(text)
    assert lay_out(once) == once
