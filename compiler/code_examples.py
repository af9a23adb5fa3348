"""A bad and a good file for every diagnostic code, for `flowc explain` and docs/diagnostics.md.

A test runs each: the bad one gives its code, the good one is silent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Example:
    """A file by name and content; `files` are further files beside it. What a code says of a
    conversion shows when the file is converted `to` that format, what it says of a `team` when the
    file is checked with that."""

    file: str
    text: str
    files: tuple[tuple[str, str], ...] = ()
    encoding: str = "utf-8"
    to: str = ""
    team: str | None = None


def _steps(text: str, *files: tuple[str, str]) -> Example:
    return Example("review.md", dedent(text).lstrip("\n"), files)


def _flow(text: str) -> Example:
    return Example("news.flow.yaml", f"flow: 1\n{dedent(text).lstrip()}")


def _contract(*steps: str) -> Example:
    """A contract with these steps, one a line."""
    lines = ",\n".join(f"    {{{step}}}" for step in steps)
    head = '  "workflow_name": "Menu",\n  "workflow_type": "sequential",\n'
    return Example("menu.json", f'{{\n{head}  "steps": [\n{lines}\n  ]\n}}\n')


def _cook(id: str, role: str, *needs: str) -> str:
    listed = ", ".join(f'"{need}"' for need in needs)
    text = f'"step_id": "{id}", "required_role": "{role}", "dependencies": [{listed}], '
    return f'{text}"success_criteria": "tasted"'


def _chart(text: str, *files: tuple[str, str], name: str = "review.wf.md") -> Example:
    """A flowchart document around the lines of its chart; the prompts are those it may name."""
    lines = "".join(f"    {line}\n" for line in dedent(text).strip().splitlines())
    return Example(name, f"# Workflow\n\n```mermaid\nflowchart TD\n{lines}```\n{_PROMPTS}", files)


def _flow(text: str) -> Example:
    return Example("review.flow.yaml", f"flow: 1\nname: review\n{dedent(text).lstrip()}")


_PROMPTS = """
# Prompts

## User Review
Review the change. Answer GOOD or BAD.

## User Repair
Repair what the review found.
"""
_TESTS = _chart("START --> EXECUTE[make test]", name="unit-tests.wf.md").text
_BACK = _chart("START --> CALL_REVIEW[[review.wf.md]]", name="tests.wf.md").text
_GOOD_STEP = _steps(
    """
    ### 🔧 WORKFLOW STEP: Look around
    ```
    List the files of the project.
    ```
    ### 🛠️ TOOL: list_files
    """
)
_GOOD_CHART = _chart("START --> PROMPT_REVIEW[User Review]")

_KITCHEN = (
    "kitchen.json",
    dedent(
        """
        {
          "team_name": "Kitchen",
          "team_type": "content_creation",
          "agents": [
            {"agent_id": "ann", "role": "cook"},
            {"agent_id": "bob", "role": "taster", "type": "person"}
          ]
        }
        """
    ).lstrip("\n"),
)


def _machine(condition: str) -> Example:
    """A state machine that leads to its end, round or on, by a condition."""
    return Example("printing.json", _MACHINE.replace("CONDITION", condition).lstrip("\n"))


_MACHINE = """
{
  "workflow_name": "printing",
  "description": "Counts copies.",
  "input": {"name": "copies", "type": "number", "description": "how many"},
  "output": {"name": "done", "type": "string", "description": "what was done"},
  "contexts": [{"name": "talk"}],
  "agents": [{"agent_role": "printer", "context": "talk", "role": "assistant"}],
  "states": [
    {
      "name": "start",
      "agent": "printer",
      "input": "Print one copy.",
      "transition": [{"target": "start", "condition": "CONDITION"}]
    }
  ]
}
"""

EXAMPLES: dict[str, tuple[Example, Example]] = {
    "FC0001": (
        Example("review.md", "# Café menu, reviewed\n", encoding="latin-1"),
        _GOOD_STEP,
    ),
    "FC0002": (
        _steps(
            """
            <!-- flowc: allow FC2002 -->

            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            """
        ),
        _GOOD_STEP,
    ),
    "FC1001": (
        _chart("START -> PROMPT_REVIEW[User Review]"),
        _GOOD_CHART,
    ),
    "FC1002": (
        _chart("START --> PROMT_REVIEW[User Review]"),
        _GOOD_CHART,
    ),
    "FC1003": (
        _steps(
            """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            """
        ),
        _GOOD_STEP,
    ),
    "FC1004": (
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> SUCCESS
            PROMPT_REVIEW --> FAILED
            """
        ),
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> SUCCESS
            PROMPT_REVIEW --> |ERROR| FAILED
            """
        ),
    ),
    "FC1005": (
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> |PERHAPS| SUCCESS
            """
        ),
        _GOOD_CHART,
    ),
    "FC1006": (
        _steps(
            """
            ### ðŸ”§ WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            """
        ),
        _GOOD_STEP,
    ),
    "FC1007": (
        Example("review.md", _GOOD_STEP.text + "\n" + _GOOD_CHART.text),
        _GOOD_STEP,
    ),
    "FC1008": (
        Example("review.md", "# Review\n\nNothing is written here yet.\n"),
        _GOOD_STEP,
    ),
    "FC2001": (
        _chart("START --> CALL_TESTS[[tests.wf.md]]", ("unit-tests.wf.md", _TESTS)),
        _chart("START --> CALL_TESTS[[unit-tests.wf.md]]", ("unit-tests.wf.md", _TESTS)),
    ),
    "FC2002": (
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REPAIR[User Repair] --> PROMPT_REVIEW
            """
        ),
        _chart(
            """
            START --> PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW[User Review]
            """
        ),
    ),
    "FC2003": (
        _flow(
            """
            nodes:
              - {name: start, assign: {}, next: [check, draft]}
              - {name: check, exec: make test, into: log, code_into: code, next: fine}
              - {name: fine, choose: code == 0, cases: {"true": publish, "false": end}}
              - {name: draft, agent: writer, prompt: Write the news., into: news, next: publish}
              - {name: publish, wait: all, exec: make release, into: log}
            outputs: [log, news]
            """
        ),
        _flow(
            """
            nodes:
              - {name: start, assign: {}, next: [check, draft]}
              - {name: check, exec: make test, into: log, code_into: code, next: fine}
              - {name: fine, choose: code == 0, cases: {"true": publish, "false": failed}}
              - {name: draft, agent: writer, prompt: Write the news., into: news, next: publish}
              - {name: publish, wait: all, exec: make release, into: log}
            outputs: [log, news]
            """
        ),
    ),
    "FC2004": (
        _contract(_cook("stock", "cook", "soup"), _cook("soup", "cook", "stock")),
        _contract(_cook("stock", "cook"), _cook("soup", "cook", "stock")),
    ),
    "FC2005": (
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW
            """
        ),
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> CHECK_REVIEW{RESULT == 'GOOD'}
            CHECK_REVIEW --> |YES| SUCCESS
            CHECK_REVIEW --> |NO| PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW
            """
        ),
    ),
    "FC2006": (
        _flow(
            """
            nodes:
              - {name: write, agent: poet, prompt: Write a haiku., into: poem}
              - name: judge
                agent: critic
                prompt: A mark from 1 to 10. {{ poem }}
                into: mark
                next: [{when: mark < 7, to: write}, end]
            outputs: [poem]
            """
        ),
        _flow(
            """
            limits: {visits: 5}
            nodes:
              - {name: write, agent: poet, prompt: Write a haiku., into: poem}
              - name: judge
                agent: critic
                prompt: A mark from 1 to 10. {{ poem }}
                into: mark
                next: [{when: mark < 7, to: write}, end]
            outputs: [poem]
            """
        ),
    ),
    "FC2007": (
        _flow(
            """
            nodes:
              - {name: kind, ask: What is it?, choices: [question, praise], into: kind}
              - name: pick
                choose: kind
                cases: {question: failed}
            """
        ),
        _flow(
            """
            nodes:
              - {name: kind, ask: What is it?, choices: [question, praise], into: kind}
              - name: pick
                choose: kind
                cases: {question: failed, praise: end}
            """
        ),
    ),
    "FC2008": (
        _flow(
            """
            params: {days: integer}
            nodes:
              - name: rate
                assign:
                next: [{when: days > 7, to: failed}, {when: days > 30, to: end}, failed]
            """
        ),
        _flow(
            """
            params: {days: integer}
            nodes:
              - name: rate
                assign:
                next: [{when: days > 30, to: end}, {when: days > 7, to: failed}, failed]
            """
        ),
    ),
    "FC2009": (
        _chart("START --> CALL_TESTS[[tests.wf.md]]", ("tests.wf.md", _BACK)),
        _chart("START --> CALL_TESTS[[tests.wf.md]]", ("tests.wf.md", _TESTS)),
    ),
    "FC3001": (
        _steps(
            """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            ### 📤 OUTPUTS:
            - result.files → FILES

            ### 🔧 WORKFLOW STEP: Read
            ```
            Read the most important of [FILE].
            ```
            ### 🛠️ TOOL: read_file
            ### 📥 INPUTS:
            - FILE: what there is to read
            """
        ),
        _steps(
            """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            ### 📤 OUTPUTS:
            - result.files → FILES

            ### 🔧 WORKFLOW STEP: Read
            ```
            Read the most important of [FILES].
            ```
            ### 🛠️ TOOL: read_file
            ### 📥 INPUTS:
            - FILES: what there is to read
            """
        ),
    ),
    "FC3002": (
        _steps(
            """
            ### 🔧 WORKFLOW STEP: Read
            ```
            Read the most important of [FILES].
            ```
            ### 🛠️ TOOL: read_file
            ### 📥 INPUTS:
            - FILES: what there is to read

            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            ### 📤 OUTPUTS:
            - result.files → FILES
            """
        ),
        _steps(
            """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            ### 📤 OUTPUTS:
            - result.files → FILES

            ### 🔧 WORKFLOW STEP: Read
            ```
            Read the most important of [FILES].
            ```
            ### 🛠️ TOOL: read_file
            ### 📥 INPUTS:
            - FILES: what there is to read
            """
        ),
    ),
    "FC3003": (
        _chart(
            """
            START --> SET_GOAL[GOAL=fewer warnings]
            SET_GOAL --> PROMPT_REVIEW[User Review]
            """
        ),
        _GOOD_CHART,
    ),
    "FC3004": (
        _flow(
            """
            nodes:
              - {name: begin, assign: , next: [life, work]}
              - {name: life, agent: writer, prompt: Tell the life., into: text, next: end}
              - {name: work, agent: writer, prompt: Describe the work., into: text, next: end}
            outputs: [text]
            """
        ),
        _flow(
            """
            nodes:
              - {name: begin, assign: , next: [life, work]}
              - {name: life, agent: writer, prompt: Tell the life., into: life, next: end}
              - {name: work, agent: writer, prompt: Describe the work., into: work, next: end}
            outputs: [life, work]
            """
        ),
    ),
    "FC3005": (
        _flow(
            """
            state: {count: integer}
            nodes:
              - {name: count, assign: {count: '"none"'}}
            outputs: [count]
            """
        ),
        _flow(
            """
            state: {count: integer}
            nodes:
              - {name: count, assign: {count: 0}}
            outputs: [count]
            """
        ),
    ),
    "FC3006": (
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> CHECK_REVIEW{RESULT MATCHES '(GOOD'}
            CHECK_REVIEW --> |YES| SUCCESS
            CHECK_REVIEW --> |NO| FAILED
            """
        ),
        _chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> CHECK_REVIEW{RESULT MATCHES 'GOOD'}
            CHECK_REVIEW --> |YES| SUCCESS
            CHECK_REVIEW --> |NO| FAILED
            """
        ),
    ),
    "FC4001": (
        _steps(
            """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_file
            """
        ),
        _GOOD_STEP,
    ),
    "FC4002": (
        replace(_contract(_cook("soup", "coook")), files=(_KITCHEN,), team="kitchen.json"),
        replace(_contract(_cook("soup", "cook")), files=(_KITCHEN,), team="kitchen.json"),
    ),
    "FC4003": (_machine("common_data.copies >"), _machine("common_data.copies > 3")),
    "FC6001": (
        replace(_GOOD_CHART, to="steps"),
        replace(_GOOD_CHART, to="flowchart"),
    ),
}
