"""The body of a request as a value: looked through, parsed, and held to the fields it may have;
and the form of a page.

A parser of JSON is one call that nothing interrupts: a megabyte of brackets takes it seconds. So
the body is looked through first, a piece at a time, and refused beyond a depth and a number of
values.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ..contract.documents import TextRequest
from ..contract.operations import operation_of
from ..contract.requests import check_storable
from ..records.access import digest_of
from ..records.errors import ServiceFault

SMALL = 4096
"""Bytes that are read where they are: at worst that takes two milliseconds."""
MOST_FAULTS = 5
MAX_DEPTH = 64
"""Arrays and objects inside one another."""
MAX_MARKS = 50_000
"""Brackets, commas and colons outside of strings: so many are parsed in a few milliseconds."""
MAX_ESCAPES = 200_000
"""Backslashes: about one for each line end and quotation mark of a text."""
PIECE = 16_384
"""Bytes that are looked at at once: a body beyond its bounds is not looked at to its end."""
MAX_FIELDS = 1000
"""Fields of a form."""
ABOUT_THE_PAGE = ("sign", "once", "after")
"""Fields that differ between two showings of one form."""
SIMPLE = "application/x-www-form-urlencoded"
_MARKS = b"[]{},:"
_OTHERS = bytes(sorted(set(range(256)) - set(_MARKS)))
_DEEPER = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_LONG_NUMBER = re.compile(rb"[0-9.eE+-]{1001}")
"""A number of so many characters is a way to spend time: a float has 17 digits."""


@dataclass(frozen=True, slots=True)
class BodyValues:
    """The fields of a request, which of them were sent, and the SHA-256 of them all. A process
    cannot hand a class that was made at run time to another one, so the fields go alone. Of a body
    that does not fit only the fault is there, in the form of its answer."""

    values: Mapping[str, Any]
    fields: frozenset[str] = frozenset()
    digest: str = ""
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
        request = _parse(model, body)
    except ServiceFault as fault:
        return BodyValues({}, fault=fault.as_answer())
    digest = digest_of(json.dumps(request.model_dump(mode="json"), sort_keys=True))
    return BodyValues(dict(request), frozenset(request.model_fields_set), digest)


def _parse(model: type[BaseModel], body: bytes) -> BaseModel:
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


def read_json(body: bytes) -> Any:
    """Return the value that a body holds, which a store can keep. Raises `ServiceFault`."""
    refuse_beyond_bounds(body)
    try:
        return check_storable(json.loads(body.decode("utf-8")))
    except UnicodeDecodeError as error:
        raise ServiceFault(
            "INVALID_REQUEST", f"the body is not UTF-8: byte {error.start}"
        ) from None
    except ValueError as error:
        raise ServiceFault("INVALID_REQUEST", f"the body is not JSON: {error}") from None


def fields_of(errors: Any) -> str:
    """Return the first fields that do not fit and why, without the values that were sent."""
    parts = []
    for error in list(errors)[:MOST_FAULTS]:
        place = ".".join(str(part) for part in error["loc"] if part != "body") or "the body"
        parts.append(f"{place[:200]}: {str(error['msg']).lower()}")
    return "; ".join(parts)


def refuse_beyond_bounds(body: bytes) -> None:
    """Raise `ServiceFault` for a body that is nested too deeply, or has too many values or a number
    that is too long. Whether it is JSON at all is left to its parser."""
    in_string, depth, found, escapes, rest = 0, 0, 0, 0, b""
    for begin in range(0, len(body), PIECE):
        piece = rest + body[begin : begin + PIECE]
        escapes += piece.count(b"\\")
        if escapes > MAX_ESCAPES:
            raise _refusal(f"more than {MAX_ESCAPES:,} escapes")
        piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")  # other quotation marks count
        rest = b"\\" if piece.endswith(b"\\") else b""
        parts = piece.split(b'"')
        outside = b" ".join(parts[in_string::2])
        in_string = (in_string + len(parts) - 1) % 2
        marks = outside.translate(None, _OTHERS)
        found += len(marks)
        if found > MAX_MARKS:
            raise _refusal(f"more than {MAX_MARKS:,} brackets, commas and colons")
        if _LONG_NUMBER.search(outside):
            raise _refusal("a number of more than 1,000 characters")
        for mark in marks:
            depth += _DEEPER.get(mark, 0)
            if depth > MAX_DEPTH:
                raise _refusal(f"more than {MAX_DEPTH} arrays and objects inside one another")


def _refusal(excess: str) -> ServiceFault:
    fault = f"the body has {excess}"
    return ServiceFault("INVALID_REQUEST", fault, recovery=("send a smaller or flatter value",))


@dataclass(frozen=True, slots=True)
class SentForm:
    """The fields of a form, the last of a name, its uploads as (file name, bytes), and the SHA-256
    of what it asks for. Of a form that cannot be read only the fault is there, in the form of its
    answer."""

    fields: Mapping[str, str] = field(default_factory=dict)
    uploads: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    digest: str = ""
    fault: Mapping[str, Any] | None = None

    def text(self, name: str) -> str:
        """Return the text in a field; "" where there is none."""
        return self.fields.get(name, "").strip()


def read_form(kind: str, body: bytes) -> SentForm:
    """Return the form that a body holds; `kind` is what its sender calls it, with the boundary
    between its parts where it has some."""
    try:
        form = SentForm(_simple(body)) if kind.startswith(SIMPLE) else _in_parts(kind, body)
        return replace(form, digest=_digest(form))
    except ServiceFault as fault:
        return SentForm(fault=fault.as_answer())


def _digest(form: SentForm) -> str:
    asked = {name: text for name, text in form.fields.items() if name not in ABOUT_THE_PAGE}
    files = {name: (file, data.decode("latin-1")) for name, (file, data) in form.uploads.items()}
    return digest_of(json.dumps([asked, files], sort_keys=True))


def _simple(body: bytes) -> dict[str, str]:
    try:
        text = body.decode("latin-1")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        fault = f"a form has at most {MAX_FIELDS:,} fields"
        raise ServiceFault("INVALID_REQUEST", fault) from None


def _in_parts(kind: str, body: bytes) -> SentForm:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    async def parse() -> SentForm:
        parser = MultiPartParser(
            Headers({"content-type": kind}),
            stream(),
            max_fields=MAX_FIELDS,
            max_part_size=len(body),
        )
        form = await parser.parse()
        fields, uploads = {}, {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                uploads[name] = (value.filename or "", await value.read())
            else:
                fields[name] = value
        await form.close()
        return SentForm(fields, uploads)

    try:
        return asyncio.run(parse())
    except MultiPartException as error:
        raise ServiceFault("INVALID_REQUEST", f"the form: {error.message.lower()}") from None
