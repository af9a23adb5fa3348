"""Examples of faults in what a workflow means: all other codes."""

from __future__ import annotations

from dataclasses import replace

from .forms import (
    BACK,
    GOOD_CHART,
    GOOD_STEP,
    KITCHEN,
    TESTS,
    Example,
    chart,
    contract,
    cook,
    flow,
    machine,
    plan,
    steps,
)

DRAFTS = """
LIMIT
nodes:
  - {name: write, agent: writer, prompt: Write a line., into: line}
  - {name: like, ask: "{{ line }}", choices: [good, again], into: verdict}
  - name: decide
    choose: verdict
    cases: {good: end, again: write}
outputs: [line]
"""

MEANING: dict[str, tuple[Example, Example]] = {
    "FC2001": (
        chart("START --> CALL_TESTS[[tests.wf.md]]", ("unit-tests.wf.md", TESTS)),
        chart("START --> CALL_TESTS[[unit-tests.wf.md]]", ("unit-tests.wf.md", TESTS)),
    ),
    "FC2002": (
        chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REPAIR[User Repair] --> PROMPT_REVIEW
            """
        ),
        chart(
            """
            START --> PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW[User Review]
            """
        ),
    ),
    "FC2003": (
        flow(
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
        flow(
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
        contract(cook("stock", "cook", "soup"), cook("soup", "cook", "stock")),
        contract(cook("stock", "cook"), cook("soup", "cook", "stock")),
    ),
    "FC2005": (
        chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW
            """
        ),
        chart(
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
        flow(
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
        flow(
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
        flow(
            """
            nodes:
              - {name: kind, ask: What is it?, choices: [question, praise], into: kind}
              - name: pick
                choose: kind
                cases: {question: failed}
            """
        ),
        flow(
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
        flow(
            """
            params: {days: integer}
            nodes:
              - name: rate
                assign: {}
                next: [{when: days > 7, to: failed}, {when: days > 30, to: end}, failed]
            """
        ),
        flow(
            """
            params: {days: integer}
            nodes:
              - name: rate
                assign: {}
                next: [{when: days > 30, to: end}, {when: days > 7, to: failed}, failed]
            """
        ),
    ),
    "FC2009": (
        chart("START --> CALL_TESTS[[tests.wf.md]]", ("tests.wf.md", BACK)),
        chart("START --> CALL_TESTS[[tests.wf.md]]", ("tests.wf.md", TESTS)),
    ),
    "FC3001": (
        steps(
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
        steps(
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
        steps(
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
        steps(
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
        chart(
            """
            START --> SET_GOAL[GOAL=fewer warnings]
            SET_GOAL --> PROMPT_REVIEW[User Review]
            """
        ),
        GOOD_CHART,
    ),
    "FC3004": (
        flow(
            """
            nodes:
              - {name: begin, assign: {}, next: [life, work]}
              - {name: life, agent: writer, prompt: Tell the life., into: text, next: end}
              - {name: work, agent: writer, prompt: Describe the work., into: text, next: end}
            outputs: [text]
            """
        ),
        flow(
            """
            nodes:
              - {name: begin, assign: {}, next: [life, work]}
              - {name: life, agent: writer, prompt: Tell the life., into: life, next: end}
              - {name: work, agent: writer, prompt: Describe the work., into: work, next: end}
            outputs: [life, work]
            """
        ),
    ),
    "FC3005": (
        flow(
            """
            state: {count: integer}
            nodes:
              - {name: count, assign: {count: '"none"'}}
            outputs: [count]
            """
        ),
        flow(
            """
            state: {count: integer}
            nodes:
              - {name: count, assign: {count: 0}}
            outputs: [count]
            """
        ),
    ),
    "FC3006": (
        chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> CHECK_REVIEW{RESULT MATCHES '(GOOD'}
            CHECK_REVIEW --> |YES| SUCCESS
            CHECK_REVIEW --> |NO| FAILED
            """
        ),
        chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> CHECK_REVIEW{RESULT MATCHES 'GOOD'}
            CHECK_REVIEW --> |YES| SUCCESS
            CHECK_REVIEW --> |NO| FAILED
            """
        ),
    ),
    "FC4001": (
        steps(
            """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_file
            """
        ),
        GOOD_STEP,
    ),
    "FC4002": (
        replace(contract(cook("soup", "coook")), files=(KITCHEN,), team="kitchen.json"),
        replace(contract(cook("soup", "cook")), files=(KITCHEN,), team="kitchen.json"),
    ),
    "FC4003": (machine("common_data.copies >"), machine("common_data.copies > 3")),
    "FC5001": (
        flow(
            """
            nodes:
              - {name: plan, agent: helper, prompt: Which command shows the log?, into: command}
              - {name: look, exec: "bash -c {{ command }}", into: log}
            outputs: [log]
            """
        ),
        flow(
            """
            nodes:
              - {name: plan, agent: helper, prompt: Which branch is meant?, into: branch}
              - {name: look, exec: "git log {{ branch }}", into: log}
            outputs: [log]
            """
        ),
    ),
    "FC5002": (
        replace(flow(DRAFTS.replace("LIMIT", "")), strict=True),
        replace(flow(DRAFTS.replace("LIMIT", "limits: {cost: 0.5}")), strict=True),
    ),
    "FC6001": (
        replace(GOOD_CHART, to="steps"),
        replace(GOOD_CHART, to="flowchart"),
    ),
    "FC7001": (plan("DONE", "b.wav"), plan("PENDING", "b.wav")),
}
