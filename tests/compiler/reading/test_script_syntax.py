"""Scripts and commands that do not parse."""

from __future__ import annotations

import pytest
from flowc.compiler.reading.script_syntax import command_fault, script_fault


@pytest.mark.parametrize(
    "command",
    [
        "ls", "echo \"it's\"", "echo 'a \"b\" c'", "ls # it's", "echo it\\'s", "a | b && c > d",
        "cat <<'E'\nit's\nE", "x=\"a\\\"b\"", "echo $(ls)", "[ a -gt 1 ]", "cat < a", "a 2>&1",
        "case x in a) ls ;; esac", "echo $'it\\'s'", "grep '^(' a", "", "echo a \\|", "echo a \\>",
        "echo ${x:=(}", "echo \"{{ replace(x, '\"', '') }}\"", "ls > {{ name }}", "ls &&\n  pwd",
        "a &&\n# it's\nb", "echo 'a'#'b'", "# (it's |\nls", "find . \\( -name a \\) -print",
    ],
)  # fmt: skip
def test_a_sound_command_has_no_fault(command):
    assert command_fault(command) is None


@pytest.mark.parametrize(
    ("command", "at"),
    [
        ("echo 'x", "'"), ("echo it's", "'"), ('echo "x', '"'), ("ls |", "|"), ("ls &&", "&&"),
        ("ls >", ">"), ("echo $(ls", "("), ("(ls", "("), ("echo `ls", "`"),
    ],
)  # fmt: skip
def test_a_command_that_a_shell_refuses_has_one(command, at):
    fault = command_fault(command)
    assert fault is not None
    assert command[fault.start : fault.end] == at


def test_scripts_that_do_not_parse_have_a_fault_at_its_place():
    fault = script_fault("javascript", "export function f() {\n  return (1;\n}\n")
    assert fault is not None
    assert fault.start == len("export function f() {\n  return (1")
    assert script_fault("javascript", "const f = () => 1;\nexport { f };\n") is None
    assert script_fault("python", "def f(:\n  pass\n") is not None
    assert script_fault("python", "def f():\n  pass\n") is None
