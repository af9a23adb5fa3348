"""COMPANIONS: files that stand beside a workflow and are none themselves."""

from __future__ import annotations

from .source.records import dataclass


@dataclass(frozen=True, slots=True)
class Companion:
    """A kind of file, by the end of its name: what it holds, and what to do with it, where {} is
    the file."""

    suffix: str
    holds: str
    help: str


ANSWERS, CASES, TEAM = ".answers.yaml", ".flowtest.yaml", ".team.json"
COMPANIONS = (
    Companion(ANSWERS, "holds answers", "give them to a run: `flowc run WORKFLOW --answers {}`"),
    Companion(CASES, "holds cases", "run them: `flowc test {}`"),
    Companion(TEAM, "describes a team", "give it a workflow: `flowc run WORKFLOW --team {}`"),
)


def companion(path: str) -> Companion | None:
    """The kind of companion that a file has the name of."""
    return next((kind for kind in COMPANIONS if path.endswith(kind.suffix)), None)
