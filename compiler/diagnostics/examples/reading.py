"""Examples of faults that the readers find: codes FC0… and FC1…."""

from __future__ import annotations

from .forms import GOOD_CHART, GOOD_STEP, Example, chart, steps

READING: dict[str, tuple[Example, Example]] = {
    "FC0001": (
        Example("review.md", "# Café menu, reviewed\n", encoding="latin-1"),
        GOOD_STEP,
    ),
    "FC0002": (
        steps(
            """
            <!-- flowc: allow FC2002 -->

            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            """
        ),
        GOOD_STEP,
    ),
    "FC1001": (
        chart("START -> PROMPT_REVIEW[User Review]"),
        GOOD_CHART,
    ),
    "FC1002": (
        chart("START --> PROMT_REVIEW[User Review]"),
        GOOD_CHART,
    ),
    "FC1003": (
        steps(
            """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            """
        ),
        GOOD_STEP,
    ),
    "FC1004": (
        chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> SUCCESS
            PROMPT_REVIEW --> FAILED
            """
        ),
        chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> SUCCESS
            PROMPT_REVIEW --> |ERROR| FAILED
            """
        ),
    ),
    "FC1005": (
        chart(
            """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> |PERHAPS| SUCCESS
            """
        ),
        GOOD_CHART,
    ),
    "FC1006": (
        steps(
            """
            ### ðŸ”§ WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_files
            """
        ),
        GOOD_STEP,
    ),
    "FC1007": (
        Example("review.md", GOOD_STEP.text + "\n" + GOOD_CHART.text),
        GOOD_STEP,
    ),
    "FC1008": (
        Example("review.md", "# Review\n\nNothing is written here yet.\n"),
        GOOD_STEP,
    ),
}
