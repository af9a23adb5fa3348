"""Read by schemathesis when it starts: Hypothesis asks for elements of collections by a loop now,
and hypothesis-jsonschema still by a method that was taken away. This gives it back."""

from __future__ import annotations

from typing import Any

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
