"""Placeholders and statements of other languages are told, with this dialect's own form."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text

STEPS = """\
### 🔧 WORKFLOW STEP: Look around
```
List the files of [FOLDER].
```
### 🛠️ TOOL: list_files
### 📥 INPUTS:
- FOLDER: where to look
"""
CHART = """\
# Workflow

```mermaid
flowchart TD
    PARAMS@{ shape: comment, label: "FOLDER=src" }
    START --> PROMPT_LIST[Prompt: User List] --> SUCCESS
```

# Prompts

## User List

List the files of {{FOLDER}}.
"""
FLOW = """\
flow: 1
params: {FOLDER: text}
nodes:
  - {name: list, agent: clerk, prompt: 'List the files of {{ FOLDER }}.', into: files}
outputs: [files]
"""
DIALECTS = {
    "look.md": (STEPS, "[FOLDER]"),
    "look.wf.md": (CHART, "{{FOLDER}}"),
    "look.flow.yaml": (FLOW, "{{ FOLDER }}"),
}
FORMS = (
    *("<%= FOLDER %>", "%(FOLDER)s", "__FOLDER__", "@FOLDER@", "$(FOLDER)", "#{FOLDER}"),
    *("｛｛FOLDER｝｝", "［FOLDER］", "【FOLDER】", r"\{\{FOLDER\}\}"),
)


def told(text: str, path: str) -> list[tuple[str, str]]:
    found = [d for d in compile_text(text, path).diagnostics if "stays as it is" in d.message]
    return [(text[d.primary.start : d.primary.end], d.help) for d in found]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", DIALECTS)
def test_a_placeholder_of_another_language_is_told(path: str, form: str):
    text, own = DIALECTS[path]
    ((written, help),) = told(text.replace(f"of {own}", f"of {form}"), path)
    assert written in form
    assert own in help


@pytest.mark.parametrize(
    "form", ["{{ FOLDER }}", "{{FOLDER.name}}", "{{FOLDER:-x}}", "{{`FOLDER`}}"]
)
@pytest.mark.parametrize("path", ["look.md", "look.wf.md"])
def test_a_template_that_markdown_does_not_read_is_told(path: str, form: str):
    text, own = DIALECTS[path]
    ((written, help),) = told(text.replace(f"of {own}", f"of {form}"), path)
    assert (written, own in help) == (form, True)


@pytest.mark.parametrize("form", ["{% if FOLDER %}", "{{#if FOLDER}}", "{{#each FOLDER}}"])
@pytest.mark.parametrize("path", ["look.md", "look.wf.md"])
def test_a_statement_about_a_variable_is_told(path: str, form: str):
    text, own = DIALECTS[path]
    assert [w for w, _ in told(text.replace(f"of {own}", f"of {form}all"), path)] == [form]


@pytest.mark.parametrize("path", DIALECTS)
def test_words_that_are_no_variables_may_stand_in_any_brackets(path: str):
    text, own = DIALECTS[path]
    words = "%(name)s __init__ @media $(date) ［注］ 【注】 <%= x %> \\{\\{x\\}\\}"
    assert told(text.replace(f"of {own}", f"of {own} {words}"), path) == []


def test_a_text_within_an_expression_is_no_placeholder():
    hole = "{{ coalesce(FOLDER, '[FOLDER]') }}"
    text = FLOW.replace("'List the files of {{ FOLDER }}.'", f'"{hole} and \\\\{{{{ {hole}"')
    assert told(text, "look.flow.yaml") == []
    written = text.replace('"\n', '"').replace(f'{hole}"', f'{hole} [FOLDER]"')
    assert [w for w, _ in told(written, "look.flow.yaml")] == ["[FOLDER]"]
