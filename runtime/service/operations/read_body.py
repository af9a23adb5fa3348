"""The body of a request as a value: looked through, parsed, and held to the fields it may have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from ..contract.documents import TextRequest
from ..contract.operations import operation_of
from ..records.errors import ServiceFault
from .body_bounds import refuse_beyond_bounds

SMALL = 4096
"""Bytes that are read where they are: at worst that takes two milliseconds."""
MOST_FAULTS = 5


@dataclass(frozen=True, slots=True)
class BodyValues:
    """The fields of a request, and which of them were sent. A process cannot hand a class that was
    made at run time to another one, so the fields go alone. Of a body that does not fit only the
    fault is there, in the form of its answer."""

    values: Mapping[str, Any]
    fields: frozenset[str] = frozenset()
    fault: Mapping[str, Any] | None = None

    def request(self, model: type[BaseModel]) -> Any:
        """Return the request. Raises `ServiceFault`."""
        if self.fault is not None:
            raise ServiceFault.from_answer(self.fault)
        return model.model_construct(set(self.fields), **self.values)


@cache
def model_of(operation: str, by_name: bool) -> type[BaseModel]:
    """Return the model of an operation's body: at its path, or at its name."""
    row = operation_of(operation)
    reads_text = issubclass(row.request, TextRequest)
    return row.whole_request() if by_name and not reads_text else row.request


def read_body(operation: str, by_name: bool, body: bytes) -> BodyValues:
    """Return what a body holds for an operation."""
    model = model_of(operation, by_name)
    try:
        refuse_beyond_bounds(body)
        request = _parsed(model, body)
    except ServiceFault as fault:
        return BodyValues({}, fault=fault.as_answer())
    return BodyValues(dict(request), frozenset(request.model_fields_set))


def _parsed(model: type[BaseModel], body: bytes) -> BaseModel:
    """Return the request. Raises `ServiceFault` unless it is UTF-8 and its fields fit."""
    try:
        text = body.decode("utf-8")
        if issubclass(model, TextRequest):
            return model.read(text)
        return model.model_validate(json.loads(text))
    except UnicodeDecodeError as error:
        message = f"the request is not UTF-8: byte {error.start}"
    except ValidationError as error:
        message = fields_of(error.errors(include_url=False, include_input=False))
    except json.JSONDecodeError as error:
        message = f"{error.lineno}, column {error.colno}"
        message = f"the request is not JSON: line {message}: {error.msg.lower()}"
    except ValueError as error:
        message = f"the request is not JSON: {error}"
    raise ServiceFault("INVALID_REQUEST", message)


def fields_of(errors: Any) -> str:
    """Return the first fields that do not fit and why, without the values that were sent."""
    parts = []
    for error in list(errors)[:MOST_FAULTS]:
        place = ".".join(str(part) for part in error["loc"] if part != "body") or "the body"
        parts.append(f"{place[:200]}: {str(error['msg']).lower()}")
    return "; ".join(parts)
