"""Read by schemathesis when it starts: Hypothesis asks for elements of collections by a loop now,
and hypothesis-jsonschema still by a method that was taken away. This gives it back. And where an
answer is followed to what it made (`FRESH_KEYS`), each request has a key of idempotency of its own:
one that was used before has the answer of then, and what was made then may be deleted since."""

from __future__ import annotations

import itertools
import os
from typing import Any

import schemathesis
from hypothesis.internal.conjecture.utils import many

if not hasattr(many, "more"):

    def more(self: Any) -> bool:
        """Whether one more element is drawn."""
        if not hasattr(self, "_rest"):
            self._rest = iter(self.__enter__())
        if next(self._rest, self) is None:
            return True
        self.__exit__(None)
        return False

    many.more = more

if os.environ.get("FRESH_KEYS"):
    _numbers = itertools.count()

    @schemathesis.hook
    def before_call(context: Any, case: Any, kwargs: Any) -> None:
        """Renew the key of a request that has one."""
        if case.headers and "Idempotency-Key" in case.headers:
            case.headers["Idempotency-Key"] = f"key-{next(_numbers)}"
