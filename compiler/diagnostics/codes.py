"""The table of diagnostic codes: severities, `flowc explain` and docs/diagnostics.md.

A code is stable for ever. Examples of each are in examples/.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Code:
    """One row: the code, its name, the severity it has by default, a title and why it exists. With
    `--strict` it may be an `error`; `only` then it is looked for at all."""

    code: str
    name: str
    severity: Literal["error", "warning"]
    title: str
    why: str
    strict: Literal["", "error", "only"] = ""


_ROWS: tuple[Code, ...] = (
    Code("FC0001", "unreadable", "error", "The file cannot be read.",
         "It is missing, a folder, too large or not UTF-8; nothing in it was checked."),
    Code("FC0002", "unused-allowance", "warning", "An allowance allows nothing.",
         "The warning it silences no longer occurs; a stale allowance hides the next one."),
    Code("FC1001", "syntax", "error", "A construct does not parse.",
         "The reader skipped it and went on, so what it meant is missing from the workflow."),
    Code("FC1002", "unknown-key", "error", "A key or section keyword the format does not have.",
         "A misspelt keyword is silently without effect in most readers."),
    Code("FC1003", "missing-required", "error", "Something the format requires is not there.",
         "The run would stop when it reaches the place."),
    Code("FC1004", "duplicate-id", "error", "One name, two definitions.",
         "One of the two would be lost; which one depends on the reader."),
    Code("FC1005", "wrong-type", "error", "A word or scalar outside the set its place allows.",
         "The value has no meaning there."),
    Code("FC1006", "damaged-text", "warning", "Text damaged by a wrong decoding.",
         "UTF-8 was read in a Windows code page; the markers are repaired, the prose is not."),
    Code("FC1007", "ambiguous-format", "warning", "Two formats claim the file.",
         "The reader took one of them; say which you meant."),
    Code("FC1008", "empty-workflow", "error", "There is nothing to run.",
         "No step, no activity, no state was found."),
    Code("FC2001", "unknown-step", "error", "A reference to something that does not exist.",
         "The run would have nowhere to go."),
    Code("FC2002", "unreachable-step", "warning", "No path leads here from the start.",
         "It never runs; often an edge is missing or misspelt."),
    Code("FC2003", "dead-end", "error", "A node that waits for a branch which may never come.",
         "On that way the run would stand still, or end without the node."),
    Code("FC2004", "dependency-cycle", "error", "Steps that depend on each other in a circle.",
         "Each would wait for the other, so none of them could ever begin."),
    Code("FC2005", "inescapable-loop", "error", "A loop that no edge leaves.",
         "Once entered, it can only end by a limit or an error."),
    Code("FC2006", "unbounded-loop", "warning", "A loop that can be left, but that nothing limits.",
         "What decides about the exit may never say so; every round costs."),
    Code("FC2007", "branch-not-exhaustive", "warning", "A choice with a value that no edge takes.",
         "The run fails when it comes to that value; the message names one."),
    Code("FC2008", "branch-overlap", "warning", "Two conditions of a choice that hold at once.",
         "Their order decides, or the later one is never taken; the message names a value."),
    Code("FC2009", "recursive-call", "error", "Workflows that call each other in a circle.",
         "The calls would never end."),
    Code("FC3001", "undefined-variable", "error", "A variable that nothing writes.",
         "It would always be empty; usually the name is misspelt."),
    Code("FC3002", "use-before-definition", "error", "A variable that is not written on some path.",
         "On that path the value is missing when it is read."),
    Code("FC3003", "unused-output", "warning", "A value that is written and never read.",
         "Either the work is wasted or a later step reads another name."),
    Code("FC3004", "parallel-write", "error", "Two steps write one variable at the same time.",
         "Which of the two values remains would be chance."),
    Code("FC3005", "type-mismatch", "error", "A value of one kind where another is needed.",
         "The run would fail, or compare what cannot be compared."),
    Code("FC3006", "bad-expression", "error", "An expression that cannot be evaluated.",
         "It does not parse, names an unknown function, or holds an invalid regular expression."),
    Code("FC4001", "unknown-tool", "error", "A tool that nothing provides.",
         "The agent would be offered a tool that cannot be called."),
    Code("FC4002", "missing-role", "error", "A role that nobody in the team holds.",
         "The task would have nobody to do it."),
    Code("FC4003", "script-error", "error", "A script that does not parse.",
         "None of its functions could be called."),
    Code("FC5001", "unsafe-effect", "warning", "What acts once may act twice, or as others say.",
         "A mail is sent again by a repetition; a command that a model writes does what it likes.",
         strict="error"),
    Code("FC5002", "missing-budget", "warning", "No limit on what a run costs, or a private text.",
         "A loop through a model may cost anything; a key or one machine's folder is in the file.",
         strict="only"),
    Code("FC6001", "lossy-conversion", "warning", "The target format cannot say this.",
         "What was written was read again, and this did not come back."),
    Code("FC7001", "edit-conflict", "error", "An edit that contradicts what a run has done.",
         "It could be meant in two ways, or not at all; a guess could lose work or sound."),
)  # fmt: skip

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
