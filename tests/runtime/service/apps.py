"""Applications to test with. To make one takes a quarter of a second, more than most tests: the one
of a test that has ended serves the next one, with a service and a store of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any

from fastapi import FastAPI
from flowc.runtime.service.app import make_app

Opening = Callable[[], AbstractAsyncContextManager[Any]]


class SpareApp:
    """An application, and what opens the service that it is to have."""

    def __init__(self) -> None:
        self.opening: Opening
        self.app = make_app(lambda: self.opening())


_FREE: list[SpareApp] = []


@contextmanager
def app_with(opening: Opening) -> Iterator[FastAPI]:
    """An application that nobody else has meanwhile."""
    spare = _FREE.pop() if _FREE else SpareApp()
    spare.opening = opening
    try:
        yield spare.app
    finally:
        del spare.app.state.service
        _FREE.append(spare)
