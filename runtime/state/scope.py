"""The scope of expressions while a run is under way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flowc.compiler.expr.ast import Expr
from flowc.compiler.expr.evaluate import EvaluationError, evaluate, text_of
from flowc.compiler.source.records import dataclass as record

from ..errors import Failure
from ..services import Files, Json


@record(frozen=True, slots=True)
class Scope:
    """Values by name; a name without a value is null. `files` reads what stands as a literal path
    in the workflow's file (M22), relative to `base`; without it nothing is read. `now` is the time
    that `now()` gives, in seconds since 1970.
    """

    values: Mapping[str, Json]
    files: Files | None = None
    base: str = ""
    now: float | None = None

    def value(self, expr: Expr) -> Json:
        """Return the expression's value. Raise `Failure` when it has none (a wrong type, a bad
        pattern)."""
        try:
            value: Json = evaluate(expr, self.values, files=self._read, now=self.now)
            return value
        except EvaluationError as error:
            raise Failure(str(error)) from error

    def text(self, expr: Expr) -> str:
        return self.show(self.value(expr))

    def show(self, value: Json) -> str:
        """Return a value's text form."""
        return text_of(value)

    def with_values(self, values: Mapping[str, Json]) -> Scope:
        """Return the same scope with more values, or other ones."""
        return replace(self, values={**self.values, **values}) if values else self

    def _read(self, path: str) -> str:
        if self.files is None:
            raise Failure(f"`{path}` may not be read here", "refused")
        return self.files.read(path, self.base)
