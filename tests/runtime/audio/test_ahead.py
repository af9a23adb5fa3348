"""Work beside other work: in order, what goes wrong is told, and it is done meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from flowc.runtime.audio.ahead import ahead, beside
from flowc.runtime.audio.blocks import Frames


def blocks(count: int) -> Iterator[Frames]:
    for number in range(count):
        yield np.full((4, 2), number, np.float32)


def test_blocks_come_in_order_and_once():
    assert [int(block[0, 0]) for block in ahead(blocks(5))] == [0, 1, 2, 3, 4]
    assert list(ahead(blocks(0))) == []


def test_the_next_block_is_made_while_one_is_worked_on():
    begun = threading.Event()

    def made() -> Iterator[Frames]:
        yield from blocks(1)
        begun.set()
        yield from blocks(1)

    coming = ahead(made())
    next(coming)
    assert begun.wait(10)
    assert len(list(coming)) == 1


def test_what_goes_wrong_while_a_block_is_made_is_told():
    def broken() -> Iterator[Frames]:
        yield from blocks(1)
        raise ValueError("cut off")

    coming = ahead(broken())
    next(coming)
    with pytest.raises(ValueError, match="cut off"):
        next(coming)


def test_all_blocks_are_taken_in_order_beside_other_work():
    taken: list[tuple[int, int]] = []
    with beside(lambda block: taken.append((int(block[0, 0]), threading.get_ident()))) as take:
        for block in blocks(5):
            take(block)
    assert [number for number, _ in taken] == [0, 1, 2, 3, 4]
    assert threading.get_ident() not in {thread for _, thread in taken}


@pytest.mark.parametrize("last", [1, 3])
def test_what_goes_wrong_beside_is_told(last: int):
    def fail(block: Frames) -> None:
        raise ValueError("no")

    def feed_all() -> None:
        with beside(fail) as take:
            for block in blocks(last):
                take(block)

    with pytest.raises(ValueError, match="no"):
        feed_all()
