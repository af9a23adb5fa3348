"""What a model says stays text: it opens no file, reads no key, steers no terminal (M21, M22)."""

from __future__ import annotations

import pytest

SECRET = "sk-do-not-show-this-key"
CHART = """# Echo

# Workflow

```mermaid
flowchart TD
    START --> PROMPT_ASK[User Ask]
    PROMPT_ASK --> SET_SAID[SAID=RESULT]
    SET_SAID --> CHECK_SAID{RESULT CONTAINS root}
    CHECK_SAID --> |YES| FAILED
    CHECK_SAID --> |NO| ASSIGN_END['said: {{SAID}}']
    ASSIGN_END --> SUCCESS
```

# Prompts

## User Ask
Say something.
"""


@pytest.mark.parametrize(
    "said",
    ["file:/etc/passwd", "{{OPENAI_API_KEY}}", "{{SECRET_FILE}}", "env:OPENAI_API_KEY", "$(id)"],
)
def test_an_answer_of_a_model_is_never_looked_up(flowc, said):
    flowc.write("echo.wf.md", CHART)
    flowc.write("echo.answers.yaml", f"PROMPT_ASK: '{said}'\n")
    done = flowc(
        "run", "echo.wf.md", "--answers", "echo", "--run-id", "echo", OPENAI_API_KEY=SECRET
    )
    assert (done.returncode, done.stdout) == (0, f"said: {said}\n")
    shown = flowc("show", "echo", "--json", OPENAI_API_KEY=SECRET)
    kept = b"".join(
        path.read_bytes() for path in (flowc.folder / ".flowc").glob("runs.db*") if path.is_file()
    )
    for text in (done.stdout, done.stderr, shown.stdout, kept.decode("latin-1")):
        assert SECRET not in text
        assert "root:x:" not in text


def test_an_answer_cannot_steer_the_terminal(flowc):
    flowc.write("echo.wf.md", CHART)
    flowc.write("echo.answers.yaml", 'PROMPT_ASK: "a\\e]0;owned\\a\\e[2Jb"\n')
    terminal = flowc.terminal("run", "echo.wf.md", "--answers", "echo")
    assert terminal.close() == 0
    assert "\x1b]0;" not in terminal.screen
    assert "\x1b[2J" not in terminal.screen
    assert "owned" in terminal.screen


def test_file_from_the_person_stays_below_the_workflow(flowc):
    flowc.write(
        "in/greet.wf.md",
        CHART.replace(
            "User Ask]", 'User Ask]\n    PARAMS@{ shape: comment, label: "WORD" }'
        ).replace("Say something.", "Say {{WORD}}."),
    )
    flowc.write("in/greet.answers.yaml", "PROMPT_ASK: hello\n")
    flowc.write("in/word.txt", "please")
    flowc.write("out.txt", "outside")
    run = ("run", "in/greet.wf.md", "--answers", "greet", "-i")
    assert flowc(*run, "WORD=file:word.txt").returncode == 0
    refused = flowc(*run, "WORD=file:../out.txt")
    assert refused.returncode == 2
    assert "out.txt" in refused.stderr
    assert flowc(*run, "WORD=file:../out.txt", "--root", ".").returncode == 0
    assert flowc(*run, "WORD=@out.txt").returncode == 0
