"""Work on sound that goes on beside other work: numpy, libsndfile and pedalboard let two threads
compute at once. What comes out does not depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from .blocks import Frames


def ahead(blocks: Iterator[Frames]) -> Iterator[Frames]:
    """Yield the blocks; the next one is made in a thread meanwhile."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = thread.submit(next, blocks, None)
            yield block


@contextmanager
def beside(feed: Callable[[Frames], object]) -> Iterator[Callable[[Frames], None]]:
    """Give a function that has `feed` take blocks in a thread, in order, one at a time; at the end
    all are taken."""
    with ThreadPoolExecutor(1) as thread:
        last: Future[object] | None = None

        def take(block: Frames) -> None:
            nonlocal last
            if last is not None:
                last.result()
            last = thread.submit(feed, block)

        yield take
        if last is not None:
            last.result()
