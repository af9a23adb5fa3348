"""Random edits of a document whose run is paused: each is taken over or diagnosed, nothing is lost.

Whatever is taken, only the bytes of the fields concerned change; and a document that was taken over
is carried on by the same tools until nothing is left to do.
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.plan import PlanDocument, read_plan, text_value
from flowc.compiler.plan.versions import versions
from flowc.compiler.plan.words import STATUSES, STEP_FIELDS
from flowc.compiler.reconcile import apply, reconcile
from flowc.compiler.source.source import Source
from flowc.runtime.documents.create import NO_CODE
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import Roots
from flowc.runtime.tools.document import DocumentTools

pytestmark = pytest.mark.fuzz
EDITS = 1000 if os.environ.get("FLOWC_FUZZ") == "soak" else 60
CODE = 'GAIN(input="a", output="b", gain_db=1)'
WORDS = ["", "louder", "`tick`", "{fill in}", "a  b", "\\1 \\n", "## 5. Workflow Log", "ä\u2028ö"]
PATHS = ["in.wav", "x.wav", "$OUTPUT_STEP_1", "$OUTPUT_STEP_9", ""]
STATES = [*STATUSES, "FINISHED", "done", ""]


async def half_way(folder: Path, rng: random.Random) -> str:
    """A document in which a run has come some of the way."""
    tools = DocumentTools(Roots(folder))
    made = await tools.call("document_create", {"request": f"r{rng.random()}", "input": "in.wav"})
    name = str(made["document"])
    steps: list[dict[str, Any]] = [{"title": f"Step {n}"} for n in range(rng.randint(1, 5))]
    if rng.random() < 0.4:
        steps.insert(rng.randint(0, len(steps)), {"title": "Listen", "code": "N/A"})
    await tools.call("document_plan", {"document": name, "steps": steps})
    await carry_on(tools, folder, name, rng.randint(0, 4 * len(steps)), rng)
    return name


async def carry_on(
    tools: DocumentTools, folder: Path, name: str, calls: int, rng: random.Random
) -> bool:
    """Do what `document_next` asks for, at most `calls` changes; whether nothing is left."""
    for _ in range(calls):
        turn = await tools.call("document_next", {"document": name})
        if turn["action"] == "end":
            return True
        about = {"document": name, "step": turn["step"]}
        if turn["action"] == "code" and turn["status"] != "RUNNING":
            change = {"status": "RUNNING"}
        elif turn["action"] == "code":
            change = {"status": "CODE_GENERATED", "code": CODE}
        elif turn["action"] == "execute" and turn["status"] != "EXECUTING":
            change = {"status": "EXECUTING"}
        elif turn["action"] == "execute" and rng.random() < 0.15:
            change = {"status": "FAILED", "error": "It did not work."}
        else:
            change = {"status": "DONE", "results": "done"}
            if turn["output"]:
                (folder / Path(turn["output"]).name).write_text("sound")
        await tools.call("document_update", {**about, **change})
    return False


def edited(text: str, rng: random.Random) -> str:
    """One to three edits, as people make them: values, whole lines, whole steps."""
    for _ in range(rng.randint(1, 3)):
        document = read_plan(text)
        steps = [n for n, block in enumerate(document.blocks) if block.kind == "step"]
        if not steps:
            return text
        at = rng.choice(steps)
        block = document.blocks[at]
        texts = [b.text for b in document.blocks]
        kind = rng.randrange(8)
        if kind < 5 and block.fields:
            field = rng.choice(block.fields)
            values = {"Status": STATES, "Code": [CODE, "N/A", "x = 1; y"]}
            value = rng.choice(
                PATHS if field.name.endswith("Audio") else values.get(field.name, WORDS)
            )
            tail = block.text[field.end :]
            texts[at] = f"{block.text[: field.start]}* **{field.name}:** {value}\n{tail}"
        elif kind == 5:
            texts.pop(at)
        elif kind == 6:
            id = rng.choice(["step_77", text_value(block, "ID")])
            status = rng.choice(STATES)
            texts.insert(at, f"### Step 7: New\n\n* **ID:** `{id}`\n* **Status:** {status}\n\n")
        else:
            lines = text.splitlines(keepends=True)
            lines.pop(rng.randrange(len(lines)))
            texts = lines
        text = "".join(texts)
    return text


def outside(document: PlanDocument, steps: set[str]) -> list[str]:
    """Everything but the fields that being begun again concerns."""
    kept = []
    for block in document.blocks:
        text = block.text
        if block.kind == "step" and text_value(block, "ID") in steps:
            for field in reversed(block.fields):
                if field.name in ("Status", "Code", "Execution Results"):
                    text = text[: field.start] + text[field.end :]
        kept.append(text)
    return kept


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_edits_are_taken_over_or_diagnosed(tmp_path, end):
    taken = diagnosed = 0
    for seed in range(EDITS // 2):
        rng = random.Random(f"{seed}{end!r}")
        folder = tmp_path / str(seed)
        folder.mkdir()
        name = asyncio.run(half_way(folder, rng))
        before = (folder / name).read_text()
        after = edited(before, rng)
        mark = "\ufeff" if rng.random() < 0.3 else ""
        sources = [Source("then", before), Source("now", after)]
        found = reconcile(*sources, lambda path, folder=folder: (folder / path).is_file())
        own = compile_text(after, "now", format="plan").diagnostics
        if found.diagnostics or any(d.severity == "error" for d in own):
            diagnosed += 1
            places = [d.primary for d in (*found.diagnostics, *own)]
            assert all(0 <= p.start <= p.end <= len(after) for p in places)
            continue
        taken += 1
        differ = [v for v in versions(read_plan(before), read_plan(after)) if v.fields]
        assert all(any(t.step == v.id for t in found.taken) for v in differ), "each is told"
        now = read_plan(mark + after.replace("\n", end))
        again = apply(now, found.again, NO_CODE)
        assert outside(again, set(found.again)) == outside(now, set(found.again))
        assert again.text.startswith(mark)
        assert end == "\n" or "\n" not in again.text.replace("\r\n", "")
        (folder / name).write_bytes(again.text.encode())
        try:
            ended = asyncio.run(carry_on(DocumentTools(Roots(folder)), folder, name, 200, rng))
        except Failure as failure:
            raise AssertionError(f"seed {seed}: {failure.message}\n{after}") from None
        assert ended, f"seed {seed} goes on for ever"
    assert taken > EDITS // 20
    assert diagnosed > EDITS // 20


def test_the_fields_are_those_of_the_format():
    assert {"Status", "Code", "Execution Results"} < set(STEP_FIELDS)
