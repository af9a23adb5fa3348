"""Inputs that break readers: each ends in time, with a result and without a traceback.

The bounds are on the processor's time, many times what is needed. What they catch is quadratic or
exponential time, which misses them by orders of magnitude.
"""

from __future__ import annotations

import itertools
import time

import pytest

STEP = "### 🔧 WORKFLOW STEP: Look\n```\nLook at it.\n```\n### 🛠️ TOOL: list_files\n"
CHART = "# T\n# Workflow\n```mermaid\nflowchart TD\n{}\n```\n# Prompts\n## System\nBe brief.\n"
OPEN = CHART.split("{}")[0]
PLAN = "## 1. Request Summary\n## 3. Processing Plan & Status\n"
PART = "### Step {n}: s\n* **ID:** `step_{n}`\n* **Status:** READY\n"


def _chain(n: int) -> str:
    names = ["START", *(f"ASSIGN_N{i}" for i in range(n)), "SUCCESS"]
    text = "\n".join(f"{a} --> {b}" for a, b in itertools.pairwise(names))
    return CHART.format(text.replace("START -->", "START[Start] -->"))


def _expression(inner: str) -> str:
    return CHART.format(
        f"START --> CHECK_A{{{inner}}}\nCHECK_A --> SUCCESS\nCHECK_A --> |NO| FAILED"
    )


CASES = {
    "an empty file": "",
    "only a byte-order mark": "\ufeff",
    "only line ends": "\r\n" * 50_000,
    "40,000 emoji before a missing keyword": "### " + "🔧" * 40_000 + " WORKFLOW",
    "40,000 emoji and blanks": "### " + "🔧 " * 40_000,
    "a fence that is never closed": STEP + "```\n" + "word\n" * 100_000,
    "fences of every length": "".join("`" * n + "\nx\n" for n in range(3, 1_500)),
    "30,000 fences that open": "```a\n" * 30_001,
    "one line of 1 MB": STEP + "x" * 1_000_000,
    "one line of 1 MB of dashes": STEP + "-" * 1_000_000,
    "one list item of 1 MB of dashes and blanks": STEP + "### ✅ ASSERT:\n" + "- " * 500_000,
    "a list of 50,000 items": STEP + "### ✅ ASSERT:\n" + "- result.a == 1\n" * 50_000,
    "an assertion with 100,000 brackets": STEP + "### ✅ ASSERT:\n- " + "(" * 100_000 + "\n",
    "an assertion nested 100,000 deep": STEP
    + "### ✅ ASSERT:\n- "
    + "(" * 100_000
    + "a"
    + ")" * 100_000
    + " == 1\n",
    "an assertion of 50,000 terms": STEP + "### ✅ ASSERT:\n- a" + " and a" * 50_000 + " == 1\n",
    "100,000 placeholders": STEP.replace("Look at it.", "[A]" * 100_000),
    "20,000 brackets that open": STEP.replace("Look at it.", "[" * 20_000),
    "an unclosed comment of 1 MB": "<!-- " + "- " * 500_000,
    "30,000 unclosed comments": "<!-- flowc: allow FC2002\n" * 30_000,
    "a chart of half a MB in one line": OPEN + "START --> " * 50_000,
    "a caption that is never closed": OPEN + "START[" + "x" * 1_000_000,
    "20,000 captions that open": OPEN + "START" + "[(" * 20_000,
    "an identifier of 1 MB": CHART.format("START --> ASSIGN_" + "A" * 1_000_000),
    "20,000 bad lines in a chart": CHART.format("MYSTERY ??? --> |\n" * 20_000),
    "100,000 dashes as an arrow": CHART.format("START " + "-" * 100_000 + " SUCCESS"),
    "a condition nested 100,000 deep": _expression("(" * 100_000 + "RESULT" + ")" * 100_000),
    "a condition with 100,000 quotes": _expression("RESULT == " + "'" * 100_000),
    "a slow regular expression": _expression("RESULT MATCHES (a+)+$"),
    "a subgraph with a title of 100,000 words": CHART.format("subgraph " + "a " * 100_000),
    "a subgraph whose title is not closed": CHART.format("subgraph a [b" + " " * 100_000),
    "an arrow with a text of 100,000 words": CHART.format(f"START -- {'a ' * 100_000} --> SUCCESS"),
    "an arrow whose text does not end": CHART.format("START -- " + "- a " * 100_000),
    "100,000 attributes": CHART.format("START@{ " + "shape: a, " * 100_000 + "}"),
    "100,000 blanks in a caption": CHART.format("START[" + " " * 100_000 + "a]"),
    "30,000 parameters": CHART.format("START --> SUCCESS\nPARAMS[" + "A=1, " * 30_000 + "]"),
    "a condition of 100,000 blanks": _expression("RESULT" + " " * 100_000 + "== a"),
    "100,000 blanks before a colon": CHART.format("START[Set" + " " * 100_000 + ": A=1]"),
    "an assertion of 100,000 blanks": STEP + "### ✅ ASSERT:\n- result" + " " * 100_000 + "== 1\n",
    "an output of 100,000 arrows": STEP + "### 📤 OUTPUTS:\n- " + "-> " * 100_000 + "\n",
    "an input of 100,000 colons": STEP + "### 📥 INPUTS:\n- " + "A: " * 100_000 + "\n",
    "headings of 1 MB": "### " + "A " * 500_000 + ":\n" + STEP,
    "an allowance of 1 MB": STEP + "<!-- flowc: allow " + "FC2002 " * 150_000 + "-->\n",
    "an include of 1 MB": CHART.format("START --> SUCCESS") + "!INCLUDE " + "a " * 500_000 + "\n",
    "100,000 braces": CHART.replace("Be brief.", "{" * 100_000),
    "50,000 names in braces": CHART.format("START --> SUCCESS").replace(
        "Be brief.", "{{A}}" * 50_000
    ),
    "a plan of 20,000 fences that open": PLAN + PART + "* **Code:**\n```python\n" * 20_001,
    "a plan of 20,000 fields of one name": PLAN + PART + "* **Status:** DONE\n" * 20_000,
    "a plan of 20,000 misspelt fields": PLAN
    + PART
    + "".join(f"* **Staus{n}:** x\n" for n in range(20_000)),
    "a plan of 5,000 steps of one ID": PLAN + PART * 5_000,
    "a plan of 5,000 steps that read one that is not there": PLAN
    + "".join(PART.format(n=n) + "* **Input Audio:** `$OUTPUT_STEP_X`\n" for n in range(5_000)),
    "a plan of 5,000 steps that read the last one": PLAN
    + "".join(
        PART.format(n=n) + "* **Input Audio:** `$OUTPUT_STEP_4999`\n* **Output Audio:** `a`\n"
        for n in range(5_000)
    ),
    "a plan of 20,000 sections": PLAN + "## Workflow Log\n## Worklow Log\n" * 10_000,
    "a field of 1 MB of backticks": PLAN + PART + "* **Output Audio:** " + "`" * 1_000_000,
    "a field of 200,000 lengths of backticks": PLAN
    + PART
    + "* **Output Audio:** "
    + " ".join("`" * n for n in range(1, 900)),
    "a field that is wrapped over 100,000 lines": PLAN
    + PART
    + "* **Description:** a\n"
    + "b\n" * 100_000,
    "100,000 bullets below a field": PLAN + PART + "* **Constraints:**\n" + "  * a\n" * 100_000,
    "bold text of 1 MB that is not closed": PLAN + "* **" + "a " * 500_000,
    "a log of 50,000 lines": PLAN + "## Workflow Log\n" + "* `t`: text\n" * 50_000,
    "code of 1 MB of brackets": PLAN
    + PART.replace("READY", "EXECUTING")
    + "* **Code:**\n```\n"
    + "(" * 1_000_000
    + "\n```\n",
    "a file that includes itself": CHART.format("START --> SUCCESS")
    + "!INCLUDE adversarial.md\n" * 50,
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_it_ends_within_seconds(text, compiled):
    begin = time.process_time()
    compiled(text)
    assert time.process_time() - begin < 30


def test_a_step_document_of_10_mb(compiled):
    step = STEP.replace("Look at it.", "Look at it, and say what it is for. " * 50)
    begin = time.process_time()
    result = compiled(step * (10_000_000 // len(step)))
    assert time.process_time() - begin < 30
    assert result.workflow is not None
    assert len(result.workflow.nodes) > 10_000_000 // len(step)


def test_a_chain_of_3_000_activities(compiled):
    """Walks over the graph use no recursion: the depth of a chain is the size of the file."""
    begin = time.process_time()
    result = compiled(_chain(3_000))
    assert time.process_time() - begin < 30
    assert result.workflow is not None
    assert len(result.workflow.nodes) >= 3_000
