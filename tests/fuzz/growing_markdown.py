"""Families of markdown that grows: each is a function of the number of its parts, as a row of a
table.

Most of them hold what costs the square of its length in a reader or a check that is not careful:
names that nobody wrote, forks and loops in a row, everything at one node, one thing said often.
"""

from __future__ import annotations

from collections.abc import Callable

Family = Callable[[int], str]

STEP = "### 🔧 WORKFLOW STEP: Look\n```\nLook at it.\n```\n### 🛠️ TOOL: list_files\n"
CHART = "# T\n# Workflow\n```mermaid\nflowchart TD\n{}\n```\n# Prompts\n## System\nBe brief.\n"
PLAN = (
    "# P\n## 1. Request Summary\nMix it.\n## 2. Product Requirements Document (PRD)\nMixed.\n"
    "## 4. Workflow Log\n## 5. Final Output\n## 3. Processing Plan & Status\n"
)


def _steps(line: Callable[[int], str], before: str = STEP) -> Family:
    return lambda n: before + "".join(map(line, range(n)))


def _chart(line: Callable[[int], str]) -> Family:
    return lambda n: CHART.format(
        "START --> ASSIGN_A0[Assign: '1']\n" + "\n".join(map(line, range(n)))
    )


def _prompt(text: Callable[[int], str]) -> Family:
    return lambda n: (
        CHART.format("START --> PROMPT_A[User Ask]\nPROMPT_A --> SUCCESS")
        + "## User Ask\n"
        + "".join(map(text, range(n)))
    )


def _plan(part: Callable[[int, int], str]) -> Family:
    return lambda n: PLAN + "".join(part(at, n) for at in range(n))


def _part(at: int, *fields: str) -> str:
    lines = "".join(f"* **{field}\n" for field in fields)
    return f"### Step {at}: s\n* **ID:** `step_{at}`\n* **Status:** READY\n{lines}"


MARKDOWN: tuple[tuple[str, str, Family], ...] = (
    # step markdown
    ("steps in a row", "main.md", lambda n: STEP * n),
    ("steps without their text", "main.md", lambda n: "### 🔧 WORKFLOW STEP: Look\n" * n),
    ("headings nearly of a step", "main.md", _steps(lambda n: f"### 🔧 WORKFLOW SETP: Look {n}\n")),
    (
        "fences that are not closed",
        "main.md",
        _steps(lambda n: "### 🔧 WORKFLOW STEP: Look\n```\nLook.\n"),
    ),
    (
        "outputs",
        "main.md",
        _steps(lambda n: f"- the part {n} → OUT_{n}\n", STEP + "### 📤 OUTPUTS:\n"),
    ),
    (
        "outputs of one name",
        "main.md",
        _steps(lambda n: "- the part → OUT\n", STEP + "### 📤 OUTPUTS:\n"),
    ),
    (
        "outputs without an arrow",
        "main.md",
        _steps(lambda n: f"- the part OUT_{n}\n", STEP + "### 📤 OUTPUTS:\n"),
    ),
    (
        "inputs that nobody writes",
        "main.md",
        _steps(lambda n: f"- WORD_{n}: it\n", STEP + "### 📥 INPUTS:\n"),
    ),
    (
        "assertions nearly right",
        "main.md",
        _steps(lambda n: f"- result.cuont{n} = {n}\n", STEP + "### ✅ ASSERT:\n"),
    ),
    (
        "placeholders that nobody writes",
        "main.md",
        lambda n: STEP.replace("Look at it.", "".join(f"[WORD_{k}] " for k in range(n))),
    ),
    (
        "placeholders in braces",
        "main.md",
        lambda n: STEP.replace("Look at it.", "".join(f"{{{{WORD_{k}}}}} " for k in range(n))),
    ),
    (
        "an output of brackets that open",
        "main.md",
        lambda n: STEP + f"### 📤 OUTPUTS:\n- w{'[' * n} the part → OUT\n",
    ),
    (
        "steps that read the one before",
        "main.md",
        _steps(
            lambda n: (
                STEP.replace("Look at it.", f"Look at [OUT_{n - 1}].")
                + f"### 📤 OUTPUTS:\n- it → OUT_{n}\n"
            ),
            "",
        ),
    ),
    (
        "tools that nobody has",
        "main.md",
        _steps(lambda n: STEP.replace("list_files", f"lits_files_{n}"), ""),
    ),
    # flowcharts
    (
        "activities in a row",
        "main.wf.md",
        _chart(lambda n: f"ASSIGN_A{n}[Assign: '1'] --> ASSIGN_A{n + 1}"),
    ),
    (
        "activities of one caption",
        "main.wf.md",
        _chart(lambda n: f"PROMPT_A{n}[User Ask] --> PROMPT_A{n + 1}[User Ask]"),
    ),
    (
        "forks in a row of a chart",
        "main.wf.md",
        _chart(
            lambda n: (
                f"ASSIGN_A{n}[Assign: '1'] --> EXECUTE_B{n}[Execute: b]\n"
                f"ASSIGN_A{n} --> EXECUTE_C{n}[Execute: c]\n"
                f"EXECUTE_B{n} --> ASSIGN_A{n + 1}\nEXECUTE_C{n} --> ASSIGN_A{n + 1}"
            )
        ),
    ),
    (
        "loops in a row of a chart",
        "main.wf.md",
        _chart(
            lambda n: (
                f"ASSIGN_A{n}[Assign: '{n}'] --> CHECK_A{n}{{X == {n}}}\n"
                f"CHECK_A{n} --> |TRUE| ASSIGN_A{n + 1}\nCHECK_A{n} --> |FALSE| ASSIGN_A{n}"
            )
        ),
    ),
    (
        "a fan out of one activity",
        "main.wf.md",
        _chart(lambda n: f"ASSIGN_A0 --> ASSIGN_B{n}[Assign: '1']\nASSIGN_B{n} --> SUCCESS"),
    ),
    ("subgraphs that are not closed", "main.wf.md", _chart(lambda n: f"subgraph g{n}")),
    ("lines that are no edges", "main.wf.md", _chart(lambda n: f"MYSTERY {n} ??? --> |")),
    (
        "prompts that are not there",
        "main.wf.md",
        _chart(lambda n: f"PROMPT_A{n}[User Word{n}] --> PROMPT_A{n + 1}"),
    ),
    (
        "calls of files that are not there",
        "main.wf.md",
        _chart(lambda n: f"CALL_A{n}[Call: part{n}.wf.md] --> CALL_A{n + 1}"),
    ),
    ("placeholders of a prompt", "main.wf.md", _prompt(lambda n: f"{{{{WORD_{n}}}}} ")),
    ("placeholders nearly closed", "main.wf.md", _prompt(lambda n: f"{{{{WORD_{n}}} ")),
    ("prompts that nobody asks", "main.wf.md", _prompt(lambda n: f"Ask.\n## User Ask{n}\n")),
    ("prompts of one name", "main.wf.md", _prompt(lambda n: "Ask.\n## User Ask\n")),
    # plans
    ("a plan of steps", "main.md", _plan(lambda at, n: _part(at, f"Output Audio:** `a{at}.wav`"))),
    (
        "a plan of steps in a row",
        "main.md",
        _plan(
            lambda at, n: _part(
                at, f"Input Audio:** `a{at}.wav`", f"Output Audio:** `a{at + 1}.wav`"
            )
        ),
    ),
    (
        "a plan of steps backwards",
        "main.md",
        _plan(
            lambda at, n: _part(
                at, f"Input Audio:** `a{at + 1}.wav`", f"Output Audio:** `a{at}.wav`"
            )
        ),
    ),
    (
        "a plan of steps of one output",
        "main.md",
        _plan(lambda at, n: _part(at, "Output Audio:** `a.wav`")),
    ),
    (
        "a plan of misspelt fields",
        "main.md",
        _plan(lambda at, n: _part(at, f"Ouptut Audio {at}:** `a.wav`")),
    ),
    ("a plan of misspelt sections", "main.md", _plan(lambda at, n: f"## {at}. Worfklow Log\n")),
    ("a plan of steps of one id", "main.md", _plan(lambda at, n: _part(1))),
    (
        "a plan of inputs that nobody writes",
        "main.md",
        _plan(lambda at, n: _part(at, f"Input Audio:** `$OUTPUT_STEP_X{at}`")),
    ),
)
"""Title, file name and text by number of parts."""
