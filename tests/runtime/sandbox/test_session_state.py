"""The state of a shell session says where it was, and what has moved since."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.runtime.sandbox.session_state import moves_since, pack_state, unpack_state

OLD, OWN = Path("/one"), Path("/one/.flowc/own/r")


@pytest.mark.parametrize("code", [b"", b"A=1\n# flowc:end\n", b"A=\xff\n"])
def test_the_code_of_the_shell_comes_back_behind_its_place(code) -> None:
    line, _, rest = unpack_state(pack_state(code, OLD, OWN)).partition(b"\n")
    assert rest == code
    assert line.startswith(b"# "), "a comment to the shell"


@pytest.mark.parametrize(
    ("folder", "own", "moves"),
    [
        (OLD, OWN, []),
        (OLD, Path("/one/.flowc/own/fork"), [str(OWN), "/one/.flowc/own/fork"]),
        (Path("/two"), Path("/two/o"), [str(OWN), "/two/o", "/one", "/two"]),
        (Path("/ü\n'"), OWN, ["/one", "/ü\n'"]),
    ],
)
def test_pairs_say_from_where_to_where_the_inner_one_first(folder, own, moves) -> None:
    for code in (b"A=1\n", b"A=\xff\n"):
        found = moves_since(pack_state(code, OLD, OWN), folder, own)
        assert [*found.values()] == moves
        names = ["FLOWC_FROM_0", "FLOWC_TO_0", "FLOWC_FROM_1", "FLOWC_TO_1"]
        assert [*found] == names[: len(moves)]


def test_a_state_without_its_place_and_the_root_move_nowhere() -> None:
    assert moves_since("A=1\n# flowc:end\n", OLD, OWN) == {}
    assert moves_since(pack_state(b"", Path("/"), OWN), Path("/two"), OWN) == {}


@pytest.mark.parametrize("line", ["", "[1]", "{}", "[", '["a", "b", "c"]'])
def test_a_line_that_names_no_two_places_moves_nothing(line) -> None:
    assert moves_since(f"# flowc:at {line}\nA=1\n", OLD, OWN) == {}
