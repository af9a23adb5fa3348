"""Shell commands in markdown (M36–M38)."""

from __future__ import annotations

import time

import pytest
from flowc.runtime.nodes.visit.fenced_commands import shell_commands


def block(*lines: str, tag: str = "sh") -> str:
    return "\n".join((f"```{tag}", *lines, "```"))


@pytest.mark.parametrize("tag", ["sh", "shell", "bash", "Bash", "powershell", "cmd"])
def test_fenced_commands_are_those_with_a_shells_tag_m37(tag: str) -> None:
    assert shell_commands(block("one", tag=tag)) == ("one",)


@pytest.mark.parametrize("tag", ["", "python", "json", "shellscript"])
def test_other_languages_never_reach_a_shell_m38(tag: str) -> None:
    assert shell_commands(block("print(1)", tag=tag)) == ()


def test_one_command_a_line_prompts_dropped_empty_lines_skipped() -> None:
    assert shell_commands(block("$ git --version", "", "ls")) == ("git --version", "ls")


def test_prose_and_unclosed_blocks_yield_nothing() -> None:
    assert shell_commands("Run `ls`.\n```sh\nrm -rf x\n") == ()


def test_blocks_add_up_in_order_and_may_be_indented_or_have_tildes() -> None:
    text = "- list\n  ```sh\n  one\n  ```\n~~~bash\ntwo\n~~~\n" + block("three")
    assert shell_commands(text) == ("one", "two", "three")


def test_a_longer_fence_holds_a_shorter_one() -> None:
    text = "````sh\ncat <<X\n```\nX\n````"
    assert shell_commands(text) == ("cat <<X\n```\nX",)


CONTINUED = [
    ("backslash", "echo a \\\nb"),
    ("indented", "cat x\n  | sort"),
    ("for", "for f in a b; do\necho $f\ndone"),
    ("while on lines", "while read x\ndo\necho $x\ndone"),
    ("if", "if true; then\necho 1\nelse\necho 2\nfi"),
    ("case", "case $x in\na) echo 1;;\n*) echo 2;;\nesac"),
    ("function", "f() {\necho hi\n}"),
    ("subshell", "(cd x\nls)"),
    ("substitution", "echo $(\nls\n)"),
    ("double quotes", 'echo "a\nb"'),
    ("single quotes", "echo 'a\n\"b'"),
    ("pipe at the end", "ls |\nsort"),
    ("and at the end", "make &&\nmake test"),
    ("here-document", "cat <<EOF\na 'b\n\nc\nEOF"),
    ("quoted here-document", "cat <<-'E F'\n\ta\n\tE F"),
    ("nested", "for a in 1; do\nif true; then\necho x\nfi\ndone"),
]


@pytest.mark.parametrize("command", [c for _, c in CONTINUED], ids=[n for n, _ in CONTINUED])
def test_what_continues_a_command_stays_with_it(command: str) -> None:
    assert shell_commands(block("before", command, "after")) == ("before", command, "after")


ALONE = [
    "echo done",
    "echo fi if for",
    "echo it\\'s",
    "echo # 'comment",
    "echo a#b",
    "echo {a,b}",
    "echo ${x:-'y'}",
    "cat <<< word",
    "grep 'x\"' f",
    "echo $((1 << 2))",
    "((x = 1 << y))",
    "((cd x); ls)",
]


@pytest.mark.parametrize("command", ALONE)
def test_what_looks_like_a_beginning_and_is_none_ends_with_its_line(command: str) -> None:
    assert shell_commands(block(command, "after")) == (command, "after")


def test_windows_line_ends() -> None:
    assert shell_commands("```sh\r\none\r\ntwo\r\n```\r\n") == ("one", "two")


@pytest.mark.parametrize("unit", ["`", "'", '"', "(", "{ ", "if ", "<<E ", "\\", "```sh\n", "$("])
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    started = time.process_time()
    shell_commands(f"```sh\n{unit * 200_000}\n```")
    shell_commands(f"```sh\n{(unit + chr(10)) * 100_000}```")
    assert time.process_time() - started < 10
