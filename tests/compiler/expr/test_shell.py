"""A value in an EXECUTE caption reaches the shell as data, wherever it stands (M23, M36)."""

from __future__ import annotations

import re
import subprocess

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.expr.template import places_in
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


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("echo {{V}}", "word"),
        ('echo "{{V}}"', "double"),
        ("echo '{{V}}'", "single"),
        ('echo "a" {{V}}', "word"),
        ("echo 'a' {{V}}", "word"),
        ("echo '\\' {{V}}", "word"),
        ('echo "\\"{{V}}"', "double"),
        ("echo 'it' \"'{{V}}\"", "double"),
        ("echo \"$(date +'{{V}}')\"", "single"),
        ('echo "$(date) {{V}}"', "double"),
        ("(ls) {{V}}", "word"),
        ("(ls {{V}})", "word"),
        ("echo $((1 + 2)) {{V}}", "word"),
        ("((1 + 2)); echo {{V}}", "word"),
        ("(((1) + 2)); echo {{V}}", "word"),
        ("echo $(((1) + 2)) {{V}}", "word"),
        ("echo ${HOME} {{V}}", "word"),
        ("echo $[1] {{V}}", "word"),
        ("echo `ls` {{V}}", "word"),
        ("echo $'it\\'s' {{V}}", "word"),
        ("echo $'a' {{V}}", "word"),
        ("echo $'' {{V}}", "word"),
        ("cat <<<'{{V}}'", "single"),
        ("echo \\# {{V}}", "word"),
        ("echo a#b {{V}}", "word"),
        ("# a comment\necho {{V}}", "word"),
        ("cat <<< {{V}}", "word"),
        ("cat < {{V}}", "word"),
        ("echo \\\\{{V}}", "word"),
    ],
)
def test_how_a_value_is_quoted_where_it_stands(command: str, where: str) -> None:
    at = command.index("{{V}}")
    assert places_in(command, [(at, at + 5)]) == [(where, "")]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("#{{V}}", "comment"),
        ("ls;# {{V}}", "comment"),
        ("ls\n# {{V}}", "comment"),
        ("ls\t# {{V}}", "comment"),
        ("(# {{V}}", "comment"),
        ("echo $[{{V}}]", "arithmetic"),
        ("echo $(( (1) + {{V}} ))", "arithmetic"),
        ("echo ${A:-$(ls {{V}})}", "${"),
        ("cat <<END\n'{{V}}'\nEND\n", "here-document"),
    ],
)
def test_what_is_inside_of_an_unsafe_place_is_unsafe(command: str, why: str) -> None:
    at = command.index("{{V}}")
    ((where, refused),) = places_in(command, [(at, at + 5)])
    assert (where, why in refused) == ("", True)


def test_each_of_several_placeholders_has_its_own_place() -> None:
    command = "echo {{V}} \"{{V}}\" '{{V}}' # {{V}}"
    holes = [(m.start(), m.end()) for m in re.finditer("{{V}}", command)]
    places = places_in(command, holes)
    assert [where for where, _ in places] == ["word", "double", "single", ""]


def test_the_scan_is_linear_in_hostile_commands() -> None:
    command = "$(" * 50_000 + '"' * 50_000 + "{{V}}"
    assert len(places_in(command, [(len(command) - 5, len(command))])) == 1
