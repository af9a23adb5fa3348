"""Examples of diagnostics: a bad and a good file for each code, in `flowc explain` and on the page.

A test compiles each: the bad one gives its code, the good one is silent.
"""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from ..source.records import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A file by name and content; `files` are further files beside it. A code of conversions shows
    when the file is converted `to` that format, one of teams when it is checked with that `team`,
    one of `--strict` when it is `strict`, one of edits when `written` stood there before."""

    file: str
    text: str
    files: tuple[tuple[str, str], ...] = ()
    encoding: str = "utf-8"
    to: str = ""
    team: str | None = None
    strict: bool = False
    written: str = ""


def mend(bad: Example, fault: str, text: str) -> tuple[Example, Example]:
    """Return the bad example and the good one, which has `text` in place of the fault."""
    return bad, replace(bad, text=bad.text.replace(fault, text, 1))


def steps(text: str) -> Example:
    """Return a file of step markdown."""
    return Example("review.md", dedent(text).lstrip("\n"))


def contract(*steps: str) -> Example:
    """Return a contract with these steps, one a line."""
    lines = ",\n".join(f"    {{{step}}}" for step in steps)
    head = '  "workflow_name": "Menu",\n  "workflow_type": "sequential",\n'
    return Example("menu.json", f'{{\n{head}  "steps": [\n{lines}\n  ]\n}}\n')


def cook(id: str, role: str, *needs: str) -> str:
    """Return a step of a contract that depends on `needs`."""
    listed = ", ".join(f'"{need}"' for need in needs)
    text = f'"step_id": "{id}", "required_role": "{role}", "dependencies": [{listed}], '
    return f'{text}"success_criteria": "tasted"'


def chart(text: str, *files: tuple[str, str], name: str = "review.wf.md") -> Example:
    """Return a flowchart document around the lines of its chart, with the prompts it may name."""
    lines = "".join(f"    {line}\n" for line in dedent(text).strip().splitlines())
    return Example(name, f"# Workflow\n\n```mermaid\nflowchart TD\n{lines}```\n{PROMPTS}", files)


def flow(text: str) -> Example:
    """Return flow YAML below its version and name."""
    return Example("review.flow.yaml", f"flow: 1\nname: review\n{dedent(text).lstrip()}")


PROMPTS = """
# Prompts

## User Review
Review the change. Answer GOOD or BAD.

## User Repair
Repair what the review found.
"""
GOOD_CHART = chart("START --> PROMPT_REVIEW[User Review]")
