"""The protocol of runs and effects, in every interleaving of two processes and their deaths."""

from __future__ import annotations

from protocol import EFFECTS, endings


def test_every_interleaving_of_two_processes_and_their_deaths() -> None:
    worlds = repeated = 0
    for path, world in endings():
        worlds += 1
        assert world.late == [], path
        keys = {
            number: {key for each, key in world.seen if each == number} for number, _ in world.seen
        }
        assert sorted(keys) == list(range(EFFECTS)), path
        assert all(len(each) == 1 for each in keys.values()), path
        twice = {number for number in range(EFFECTS) if world.times(number) > 1}
        # One that was under way when another process took the run, and was asked about.
        assert twice <= world.asked, path
        assert len(twice) <= 1, path
        repeated += len(twice)
    print(
        f"{worlds} endings; in {repeated} the effect under way came twice, by one key, asked about"
    )
    assert worlds > 100
    assert repeated
