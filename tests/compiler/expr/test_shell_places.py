"""A value in an EXECUTE caption reaches the shell as data, wherever it stands (M23, M36)."""

from __future__ import annotations

import re
import subprocess

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.expr.shell_places import places_in
from flowc.compiler.ir import ExecNode

HOSTILE = (
    "x; echo HACKED",
    "$(echo HACKED)",
    "`echo HACKED`",
    "' ; echo HACKED; '",
    '" ; echo HACKED; "',
    "a\necho HACKED",
    "\\",
    "$HOME ${HOME} !! * ~ # >out",
    "",
    "-n",
    "ünï😀",
)
TEMPLATES = (
    "printf '<%s>' {{V}}",
    'printf "<%s>" "{{V}}"',
    "printf '<%s>' '{{V}}'",
    "printf '<%s>' \"$(printf %s {{V}}; printf .)\"",
    'printf \'<%s>\' "$(printf %s "{{V}}"; printf .)"',
    "(printf '<%s>' {{V}})",
    "printf '<%s>' pre{{V}}post # no placeholder here",
    'cat <<< "<{{V}}>"',
)


def command_of(caption: str, value: str) -> str:
    """The command that an EXECUTE with this caption runs when V has this value."""
    quoted = caption.replace('"', "#quot;")
    chart = f"""# C

# Workflow

```mermaid
flowchart TD
    PARAMS[V]
    START --> EXECUTE_IT["{quoted}"] --> SUCCESS
```
"""
    result = compile_text(chart, "c.wf.md")
    assert result.ok, result.diagnostics
    assert result.workflow is not None
    node = next(n for n in result.workflow.nodes if isinstance(n, ExecNode))
    return str(evaluate(node.source, {"V": value}))


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_value_becomes_a_command(template: str) -> None:
    for value in HOSTILE:
        command = command_of(template, value)
        done = subprocess.run(
            ["bash", "--norc", "-c", command], capture_output=True, text=True, timeout=150
        )
        assert done.returncode == 0, (command, done.stderr)
        (shown,) = re.findall(r"<(.*)>", done.stdout, re.S)
        assert value.rstrip("\n") in shown, command


def test_a_command_that_is_one_placeholder_is_that_text() -> None:
    assert command_of("{{V}}", "git status; git log") == "git status; git log"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("cat <<END\n{{V}}\nEND", "here-document"),
        ("echo $(( {{V}} + 1 ))", "arithmetic"),
        ("(( {{V}} > 1 ))", "arithmetic"),
        ("echo `ls {{V}}`", "backticks"),
        ('echo "`ls {{V}}`"', "backticks"),
        ("echo ${HOME:-{{V}}}", "${"),
        ("echo $'a{{V}}'", "$'"),
        ("ls # {{V}}", "comment"),
        ("echo \\{{V}}", "backslash"),
    ],
)
def test_where_no_quoting_helps_a_placeholder_is_refused(command: str, why: str) -> None:
    at = command.index("{{V}}")
    ((where, refused),) = places_in(command, [(at, at + 5)])
    assert where == ""
    assert why in refused


def test_the_scan_is_linear_in_hostile_commands() -> None:
    command = "$(" * 50_000 + '"' * 50_000 + "{{V}}"
    assert len(places_in(command, [(len(command) - 5, len(command))])) == 1
