"""Errors for people who write Python speak of arguments and methods."""

from __future__ import annotations

import pytest
from flowc.runtime.assembly.wording import in_python, python_errors
from flowc.runtime.errors import RunError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("give it with `-i GOAL=VALUE`", 'give it with `inputs={"GOAL": …}`'),
        (
            "give it with -i A=… -i B=…, -i NAME=@file, or --inputs FILE.json",
            'give it with `inputs={"A": …, "B": …}`',
        ),
        ("name another file with `--store`", "name another file with `journal=…`"),
        ("--team FILE.json says who does what", "`team=…` says who does what"),
        ("--team people: you do all", '`team="people"`: you do all'),
        ("type `--sandbox off` to run", 'type `permissions.sandbox="off"` to run'),
        ("settle it first: flowc resume abc", "settle it first: `flow.resume(…)`"),
        ("see `flowc history r`", "see `flow.history(…)`"),
        ("a -- b", "a -- b"),
    ],
)
def test_flags_are_arguments_and_commands_are_methods(text, words):
    assert in_python(text) == words


def test_an_error_is_reworded_where_it_leaves():
    def refuse() -> None:
        with python_errors():
            raise RunError("taken", help="choose another id with `--run-id`")

    with pytest.raises(RunError) as refused:
        refuse()
    assert str(refused.value) == "taken (choose another id with `run=…`)"
