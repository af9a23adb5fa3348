"""`flowc sandbox attack` before it begins; what it finds is in tests/runtime/sandbox."""

from __future__ import annotations


def test_a_way_that_is_not_here_is_named_with_those_that_are(flowc):
    done = flowc("sandbox", "attack", "--way", "nope")
    assert done.returncode == 2
    assert "there is no way `nope` here" in done.stderr or "no sandbox to attack" in done.stderr
    assert "help:" in done.stderr


def test_doctor_offers_it(flowc):
    done = flowc("doctor")
    assert "flowc sandbox attack" in done.stdout or "--sandbox off" in done.stdout
